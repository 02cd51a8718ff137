"""What an operator decides of passkeys: algorithms, counters, backup changes, hints and frames."""

import contextlib
import json
import sqlite3

import pytest

from attestation import CertifiedPasskey, Maker, pem
from commands import check
from gateway import Gateway
from keys import ALGORITHMS
from passkey import Passkey, authenticate, register


def passkeys(**settings) -> dict:
    return {"providers": {"passkey": settings}}


def shown(client) -> dict:
    """The account's only passkey, as its owner sees it."""
    (passkey,) = client.get("/passkeys").json["passkeys"]
    return passkey


def details(gateway, name) -> dict:
    return json.loads(gateway.cli("account", "show", name, "--json").stdout)


def flagged(gateway, name) -> list[str]:
    return [event["code"] for event in details(gateway, name)["events"] if event["action"] == "credential_flagged"]


# Algorithms


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_algorithm_registers_and_signs_in_where_it_is_offered_and_no_other_does(algorithm):
    with Gateway.start(passkeys(algorithms=[algorithm])) as gateway:
        for other in ALGORITHMS:
            if other != algorithm:
                refused = register(gateway.client(), Passkey(algorithm=other))
                assert (refused.status, refused.code) == (400, "unsupported_algorithm"), other
        passkey = Passkey(algorithm=algorithm)
        assert register(gateway.client(), passkey).status == 200
        gateway.restart()
        assert authenticate(gateway.client(), passkey).status == 200


def test_three_algorithms_are_offered_by_default_in_their_order(gateway):
    options = gateway.client().post("/passkeys/register/options").json["options"]
    assert [each["alg"] for each in options["pubKeyCredParams"]] == [-7, -8, -257]


def test_the_list_of_algorithms_is_offered_in_its_order_and_a_passkey_outlives_its_place_on_it():
    with Gateway.start(passkeys(algorithms=["Ed448", "ES256K"])) as gateway:
        passkey = Passkey(algorithm="ES256K")
        options = gateway.client().post("/passkeys/register/options").json["options"]
        assert [each["alg"] for each in options["pubKeyCredParams"]] == [-53, -47]
        assert register(gateway.client(), passkey).status == 200
        gateway.config["providers"]["passkey"]["algorithms"] = ["ES256"]
        gateway.write_config()
        gateway.restart()
        assert authenticate(gateway.client(), passkey).status == 200
        assert register(gateway.client(), Passkey(algorithm="ES256K")).code == "unsupported_algorithm"


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("algorithms: [es256]", 3), ("algorithms: [RS1]", 3), ("algorithms: [-7]", 3), ("algorithms: []", 3),
        ("algorithms:", 3), ("algorithms:\n      - ES256\n      - EdDSA\n      - ES256", 6),
        ("algorithms: ES256", 3), ("hints: [phone]", 3), ("hints: [hybrid, hybrid]", 3), ("attachment: usb", 3),
        ("counter: ignore", 3), ("backup_eligibility_change: accept", 3), ("top_origins: [http://a.test]", 3),
        ("top_origins: ['*']", 3),
    ],
)
def test_a_setting_that_can_not_be_stops_the_start_and_says_where(tmp_path, setting, line):
    path = setting.split(":")[0]
    result = check(tmp_path, f"providers:\n  passkey:\n    {setting}\n")
    assert result.returncode == 78
    assert f"gatehouse.yaml:{line}: providers.passkey.{path}: " in result.stderr
    good = "algorithms: [Ed25519, ES256K]\n    hints: [hybrid]\n    attachment: platform\n    counter: flag\n"
    good += "    backup_eligibility_change: flag\n    top_origins: [https://a.test]\n"
    assert check(tmp_path, f"providers:\n  passkey:\n    {good}").returncode == 0


def test_device_bound_passkeys_only_and_flagged_changes_contradict_each_other(tmp_path):
    text = "providers: {passkey: {device_bound_only: true, backup_eligibility_change: %s}}"
    result = check(tmp_path, text % "flag")
    assert result.returncode == 78 and "providers.passkey.backup_eligibility_change" in result.stderr
    assert check(tmp_path, text % "refuse").returncode == 0


# Counters


def test_a_counter_that_fell_is_refused_and_the_refusal_leaves_its_mark(gateway):
    client, passkey = gateway.client(), Passkey()
    register(client, passkey, username="copied")
    passkey.count = 9
    assert authenticate(client, passkey).status == 200
    assert shown(client)["warnings"] == [] and flagged(gateway, "copied") == []
    for count in (4, 9):
        passkey.count = count
        refused = authenticate(gateway.client(), passkey)
        assert (refused.status, refused.code) == (401, "counter_regressed")
    assert shown(client)["warnings"] == ["counter_regressed"] and not shown(client)["deviceBound"]
    assert flagged(gateway, "copied") == ["counter_regressed"] * 2
    refusals = [each["code"] for each in details(gateway, "copied")["events"] if each["action"] == "sign_in_refused"]
    assert refusals == ["counter_regressed"] * 2
    assert details(gateway, "copied")["credentials"][0]["warnings"] == ["counter_regressed"]
    assert "flagged: counter_regressed" in gateway.cli("account", "show", "copied").stdout
    passkey.count = 10
    assert authenticate(gateway.client(), passkey).status == 200


def test_an_account_with_a_damaged_passkey_is_shown_all_the_same(gateway):
    register(gateway.client(), Passkey(), username="damaged")
    (before,) = details(gateway, "damaged")["credentials"]
    with contextlib.closing(sqlite3.connect(gateway.folder / "gatehouse.sqlite3")) as database, database:
        damage = database.execute("UPDATE credential SET payload = ? WHERE id = ?", (b"{}", before["id"]))
        assert damage.rowcount == 1
    (after,) = details(gateway, "damaged")["credentials"]
    assert before.pop("warnings") == [] and after == before
    assert "can't be read" in gateway.cli("account", "show", "damaged").stdout


def test_a_counter_that_fell_under_a_name_is_flagged_and_not_told(gateway):
    client, passkey = gateway.client(), Passkey()
    register(client, passkey, username="copied-by-name")
    passkey.count = 9
    authenticate(client, passkey)
    passkey.count = 4
    refused = authenticate(gateway.client(), passkey, identifier="copied-by-name")
    assert refused.code == "credential_rejected" and "signals" not in refused.json
    assert flagged(gateway, "copied-by-name") == ["counter_regressed"]


def test_where_counters_are_flagged_the_sign_in_goes_on_and_the_counter_is_never_lowered():
    with Gateway.start(passkeys(counter="flag")) as gateway:
        client, passkey = gateway.client(), Passkey()
        register(client, passkey, username="copied")
        passkey.count = 9
        authenticate(client, passkey)
        for count in (4, 5):
            passkey.count = count
            assert authenticate(client, passkey).status == 200
        assert shown(client)["warnings"] == ["counter_regressed"]
        assert flagged(gateway, "copied") == ["counter_regressed"] * 2
        gateway.config["providers"]["passkey"]["counter"] = "refuse"
        gateway.write_config()
        gateway.restart()
        passkey.count = 9
        assert authenticate(gateway.client(), passkey).code == "counter_regressed"
        assert authenticate(gateway.client(), passkey).status == 200


# Backup


@pytest.mark.parametrize(("before", "after"), [(0x05, 0x1D), (0x0D, 0x05)])
def test_a_changed_backup_eligibility_is_refused_and_flagged(gateway, before, after):
    client, passkey, name = gateway.client(), Passkey(), f"changed-{before}"
    passkey.flags = before
    register(client, passkey, username=name)
    passkey.flags = after
    refused = authenticate(gateway.client(), passkey)
    assert (refused.status, refused.code) == (401, "backup_state_invalid")
    assert flagged(gateway, name) == ["backup_eligibility_changed"]
    assert shown(client)["warnings"] == ["backup_eligibility_changed"] and not shown(client)["deviceBound"]
    passkey.flags = before
    assert authenticate(gateway.client(), passkey).status == 200


@pytest.mark.parametrize(("before", "after"), [(0x05, 0x1D), (0x0D, 0x05)])
def test_where_changes_are_flagged_the_passkey_is_device_bound_no_more(before, after):
    with Gateway.start(passkeys(backup_eligibility_change="flag")) as gateway:
        client, passkey = gateway.client(), Passkey()
        passkey.flags = before
        register(client, passkey, username="changed")
        for flags in (after, before, after):
            passkey.flags = flags
            assert authenticate(client, passkey).status == 200
            assert shown(client)["backupEligible"] and not shown(client)["deviceBound"]
        assert shown(client)["backedUp"] == bool(after & Passkey.BACKED_UP)
        assert shown(client)["warnings"] == ["backup_eligibility_changed"]
        assert set(flagged(gateway, "changed")) == {"backup_eligibility_changed"}
        passkey.flags = Passkey.PRESENT | Passkey.VERIFIED | Passkey.BACKED_UP
        assert authenticate(gateway.client(), passkey).code == "backup_state_invalid"


def test_an_attested_passkey_that_was_flagged_gives_a_lower_assurance(tmp_path):
    maker = Maker()
    (tmp_path / "root.pem").write_bytes(pem(maker.root))
    attestation = {"policy": "required", "roots": [str(tmp_path / "root.pem")]}
    with Gateway.start(passkeys(attestation=attestation, backup_eligibility_change="flag")) as gateway:
        passkey = CertifiedPasskey(maker)
        register(gateway.client(), passkey)
        levels = []
        for flags in (0x05, 0x1D, 0x05):
            passkey.flags = flags
            levels.append(authenticate(gateway.client(), passkey).json["session"]["assurance"])
        assert levels == ["aal3", "aal2", "aal2"]


# What clients are asked


def test_hints_and_attachment_reach_the_client(gateway):
    def options(started):
        client = started.client()
        create = client.post("/passkeys/register/options").json["options"]
        return create, client.post("/passkeys/authenticate/options").json["options"]

    with Gateway.start(passkeys(hints=["security-key", "hybrid"], attachment="platform")) as hinting:
        create, get = options(hinting)
        assert create["hints"] == get["hints"] == ["security-key", "hybrid"]
        assert create["authenticatorSelection"]["authenticatorAttachment"] == "platform"
    create, get = options(gateway)
    assert "hints" not in create and "hints" not in get
    assert "authenticatorAttachment" not in create["authenticatorSelection"]


def test_frames_are_taken_in_the_pages_that_are_listed(gateway):
    framed = {"crossOrigin": True, "topOrigin": "https://top.example"}
    with Gateway.start(passkeys(top_origins=["https://top.example"])) as framing:
        passkey = Passkey()
        passkey.client = framed
        assert register(framing.client(), passkey).status == 200
        assert authenticate(framing.client(), passkey).status == 200
        passkey.client = {**framed, "topOrigin": "https://other.example"}
        assert authenticate(framing.client(), passkey).code == "origin_mismatch"
        assert register(framing.client(), passkey).code == "origin_mismatch"
    passkey = Passkey()
    register(gateway.client(), passkey)
    passkey.client = framed
    assert authenticate(gateway.client(), passkey).code == "origin_mismatch"


@pytest.mark.parametrize(("said", "expected"), [({"rk": True}, True), ({"rk": False}, False), (None, None)])
def test_what_the_client_says_of_discoverability_is_shown(gateway, said, expected):
    client, passkey = gateway.client(), Passkey()
    begun = client.post("/passkeys/register/options").json
    response = passkey.create(begun["options"], gateway.origin)
    response["clientExtensionResults"] = {} if said is None else {"credProps": said}
    answer = client.post("/passkeys/register/verify", {"ceremonyId": begun["ceremonyId"], "response": response})
    assert answer.json["passkey"]["discoverable"] is expected and shown(client)["discoverable"] is expected
