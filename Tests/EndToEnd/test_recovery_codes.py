"""Recovery codes: made, kept, used once, and what they open."""

import concurrent.futures
import re

import pytest

from commands import check
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register, step_up
from recovery_codes import confirm, enrol, recover


@pytest.fixture
def owner(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    return client


def remaining(client) -> int:
    (codes,) = client.get("/recovery-codes").json["recoveryCodes"]
    return codes["remaining"]


def test_ten_codes_are_shown_once_and_stored_when_one_of_them_confirms_them(gateway, lee, owner):
    begun = owner.post("/recovery-codes/register/options").json
    codes = begun["options"]["codes"]
    assert len(set(codes)) == 10
    assert all(re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}", code) for code in codes)
    assert recover(gateway.client(), lee, codes[0]).code == "credential_rejected"
    assert confirm(owner, begun["ceremonyId"], "7QK2-M0XD-9HTA-R4VW").code == "credential_rejected"
    assert owner.get("/recovery-codes").json == {"recoveryCodes": []}
    confirmed = confirm(owner, begun["ceremonyId"], codes[4])
    assert confirmed.status == 200 and not any(code in confirmed.text for code in codes)
    (listed,) = owner.get("/recovery-codes").json["recoveryCodes"]
    assert confirmed.json["recoveryCodes"] == listed
    assert set(listed) == {"id", "createdAt", "remaining", "total"} and listed["remaining"] == listed["total"] == 10
    # Confirming is not using.
    assert recover(gateway.client(), lee, codes[4]).status == 200
    assert remaining(owner) == 9


def test_codes_are_made_and_removed_in_a_fresh_session_only():
    with Gateway.start({"policy": {"settling": "0s"}}) as gateway:
        gateway.account_add("lee")
        owner, passkey = gateway.client(), Passkey()
        owner.sign_in("lee")
        register(owner, passkey)
        later = gateway.client()
        assert later.post("/recovery-codes/register/options").code == "session_required"
        later.sign_in("lee")
        refused = later.post("/recovery-codes/register/options")
        assert refused.code == "fresh_session_required" and refused.json["kinds"] == ["passkey"]
        assert step_up(later, passkey).status == 200
        enrol(later)
        (listed,) = later.get("/recovery-codes").json["recoveryCodes"]
        stale = gateway.client()
        stale.sign_in("lee")
        assert stale.delete(f"/recovery-codes/{listed['id']}").code == "fresh_session_required"
        assert later.delete(f"/recovery-codes/{listed['id']}").status == 200
        assert later.get("/recovery-codes").json == {"recoveryCodes": []}


def test_a_code_opens_a_session_that_enrols_a_passkey_and_is_whole_then(gateway, lee, owner):
    codes = enrol(owner)
    client, passkey = gateway.client(), Passkey()
    answer = recover(client, lee, codes[1].lower().replace("-", " "), identifier=lee)
    assert answer.status == 200 and answer.json["status"] == "needs_enrollment"
    session = answer.json["session"]
    assert session["restricted"] and session["methods"] == ["recovery-code"] and session["assurance"] == "aal1"
    enrolled = register(client, passkey)
    assert enrolled.status == 200 and not enrolled.json["session"]["restricted"]
    assert enrolled.json["session"]["methods"] == ["passkey"]
    assert client.get("/sessions").status == 200
    assert authenticate(gateway.client(), passkey).status == 200
    assert remaining(client) == 9


def test_a_code_lets_its_owner_set_a_password(gateway, lee, owner):
    codes = enrol(owner)
    client = gateway.client()
    recover(client, lee, codes[0])
    assert client.put("/password", {"newPassword": "another horse battery staple"}).status == 204
    assert gateway.client().sign_in(lee, "another horse battery staple").json["status"] == "complete"


def test_a_recovered_session_can_do_nothing_else():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        owner, client = gateway.client(), gateway.client()
        owner.sign_in("lee")
        codes = enrol(owner)
        (listed,) = owner.get("/recovery-codes").json["recoveryCodes"]
        assert recover(client, "lee", codes[0]).json["session"]["restricted"]

        def passes(visitor):
            headers = {"X-Original-URL": "http://localhost/", "X-Original-Method": "GET"}
            return visitor.get("/auth/nginx", headers=headers, listener="check").status

        assert passes(owner) == 200 and passes(client) == 401
        for answer in (
            client.get("/sessions"), client.delete("/sessions"), client.get("/passkeys"), client.delete("/password"),
            client.get("/recovery-codes"), client.post("/recovery-codes/register/options"),
            client.delete(f"/recovery-codes/{listed['id']}"), client.post("/sign-in/options", {"stepUp": True}),
            client.post("/trusted-devices/register/options", {"platform": "ios", "appId": "com.example.app"}),
        ):
            assert (answer.status, answer.code) == (403, "step_up_required")
        assert client.delete("/session").status == 204
        assert owner.get("/recovery-codes").json["recoveryCodes"] == [{**listed, "remaining": 9}]


def test_a_code_steps_nothing_up(gateway, lee, owner):
    codes = enrol(owner)
    begun = owner.post("/sign-in/options", {"stepUp": True})
    assert begun.status == 200 and "recovery-code" not in [request["kind"] for request in begun.json["requests"]]
    credential = {"kind": "recovery-code", "identifier": lee, "code": codes[0]}
    answer = owner.post("/sign-in/verify", {"ceremonyId": begun.json["ceremonyId"], "credential": credential})
    assert answer.code == "kind_not_requested"
    assert owner.post("/sign-in/options", {"stepUp": True, "kinds": ["recovery-code"]}).status != 200
    assert remaining(owner) == 10
    offered = gateway.client().post("/sign-in/options", {"kinds": ["recovery-code"]}).json["requests"]
    assert offered == [{"kind": "recovery-code"}]


def test_of_fifty_that_use_one_code_at_once_one_wins(gateway, lee, owner):
    codes = enrol(owner)
    for code in codes[:3]:
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: recover(gateway.client(), lee, code), range(50)))
        assert [answer.status for answer in answers].count(200) == 1
        assert {answer.code for answer in answers if answer.status != 200} <= {"credential_rejected", "overloaded"}
        assert recover(gateway.client(), lee, code).code == "credential_rejected"
    assert remaining(owner) == 7


def test_as_many_codes_are_used_up_as_let_someone_in(gateway, lee, owner):
    codes = enrol(owner)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda code: recover(gateway.client(), lee, code), codes))
    assert {answer.code for answer in answers if answer.status != 200} <= {"overloaded"}
    used = [answer.status for answer in answers].count(200)
    assert used >= 1 and remaining(owner) == 10 - used


def test_unknown_without_codes_disabled_used_and_wrong_are_one_answer(gateway, lee, owner):
    codes = enrol(owner)
    assert recover(gateway.client(), lee, codes[0]).status == 200
    gateway.account_add("never-had-codes")
    gateway.account_add("disabled-with-codes")
    disabled = gateway.client()
    disabled.sign_in("disabled-with-codes")
    theirs = enrol(disabled)
    gateway.cli("account", "disable", "disabled-with-codes")
    answers = []
    for name, code in [
        (lee, "7QK2-M0XD-9HTA-R4VW"), (lee, codes[0]), (lee, "x"), (lee, ""), ("nobody-at-all", codes[1]),
        ("never-had-codes", codes[1]), ("disabled-with-codes", theirs[0]), ("in valid", codes[1]), (lee, theirs[1]),
    ]:
        client = gateway.client()
        answer = recover(client, name, code)
        body = answer.json
        body.pop("requestId")
        answers.append((answer.status, body, [key for key, _ in answer.headers]))
        assert not client.cookies
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == 401 and answers[0][1]["code"] == "credential_rejected"
    # What a disabled account was refused is not used up.
    gateway.cli("account", "enable", "disabled-with-codes")
    assert recover(gateway.client(), "disabled-with-codes", theirs[0]).status == 200
    assert recover(gateway.client(), lee, codes[1], identifier="nobody-at-all").code == "identifier_mismatch"
    assert recover(gateway.client(), lee, codes[1], identifier=lee.upper()).status == 200


def test_wrong_codes_and_passwords_keep_nobody_from_a_right_code():
    with Gateway.start({"throttle": {"free_failures": 3}}) as gateway:
        gateway.account_add("lee")
        owner = gateway.client()
        owner.sign_in("lee")
        codes = enrol(owner)
        for _ in range(10):
            assert recover(gateway.client(), "lee", "7QK2-M0XD-9HTA-R4VW").code == "credential_rejected"
        assert gateway.client().sign_in("lee").status == 200
        while gateway.client().sign_in("lee", "wrong horse battery").code != "too_many_attempts":
            pass
        assert recover(gateway.client(), "lee", codes[0]).status == 200


def test_an_account_is_not_left_with_codes_alone(gateway):
    client, passkey = gateway.client(), Passkey()
    register(client, passkey, username="with-one-passkey")
    enrol(client)
    (listed,) = client.get("/passkeys").json["passkeys"]
    assert client.delete(f"/passkeys/{listed['id']}").code == "last_credential"
    register(client, Passkey())
    assert client.delete(f"/passkeys/{listed['id']}").status == 200


def test_a_new_list_ends_the_old_one_and_what_that_opened(gateway, lee, owner):
    old = enrol(owner)
    finder = gateway.client()
    assert recover(finder, lee, old[0]).status == 200
    begun = owner.post("/recovery-codes/register/options").json
    # Until it is confirmed the old one is good.
    assert recover(gateway.client(), lee, old[1]).status == 200
    answer = confirm(owner, begun["ceremonyId"], begun["options"]["codes"][0])
    assert answer.status == 200 and answer.json["replaced"] is True
    assert finder.get("/session").status == 401
    assert all(recover(gateway.client(), lee, code).code == "credential_rejected" for code in old)
    assert recover(gateway.client(), lee, begun["options"]["codes"][0]).status == 200
    assert remaining(owner) == 9


def test_codes_are_their_owners(gateway, lee, owner):
    codes = enrol(owner)
    stranger = gateway.client()
    register(stranger, Passkey())
    assert recover(gateway.client(), "nobody-at-all", codes[0]).status == 401
    (listed,) = owner.get("/recovery-codes").json["recoveryCodes"]
    assert stranger.delete(f"/recovery-codes/{listed['id']}").code == "not_found"
    begun = owner.post("/recovery-codes/register/options").json
    answer = confirm(stranger, begun["ceremonyId"], begun["options"]["codes"][0])
    assert answer.code == "ceremony_account_mismatch"
    enrol(stranger)
    assert recover(gateway.client(), lee, codes[0]).status == 200


def test_codes_outlive_a_restart_and_are_nowhere_in_clear():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        owner = gateway.client()
        owner.sign_in("lee")
        codes = enrol(owner)
        begun = owner.post("/recovery-codes/register/options").json
        assert recover(gateway.client(), "lee", codes[0]).status == 200
        assert recover(gateway.client(), "lee", codes[0], identifier="lee").status == 401
        assert recover(gateway.client(), "nobody", codes[1]).status == 401
        gateway.end()
        stored = b"".join(path.read_bytes() for path in gateway.folder.iterdir() if path.is_file())
        assert b"lee" in stored
        for code in codes + begun["options"]["codes"]:
            for form in (code, code.lower(), code.replace("-", "")):
                assert form.encode() not in stored
        gateway.serve()
        assert recover(gateway.client(), "lee", codes[0]).code == "credential_rejected"
        assert recover(gateway.client(), "lee", codes[1]).status == 200
        assert confirm(owner, begun["ceremonyId"], begun["options"]["codes"][0]).status == 200
        shown = gateway.cli("account", "show", "lee", "--json").stdout
        assert "the recovery code was used before" in shown and not any(code in shown for code in codes)


def test_the_list_is_as_long_as_configured_and_the_kind_can_be_switched_off():
    with Gateway.start({"providers": {"recovery-code": {"count": 3}}}) as gateway:
        gateway.account_add("lee")
        owner = gateway.client()
        owner.sign_in("lee")
        codes = enrol(owner)
        assert len(codes) == 3
        gateway.config["providers"] = {"recovery-code": {"enabled": False}}
        gateway.write_config()
        gateway.restart()
        assert owner.post("/recovery-codes/register/options").code == "kind_disabled"
        assert recover(gateway.client(), "lee", codes[0]).status != 200
        assert "recovery-code" not in gateway.client().post("/sign-in/options").text


@pytest.mark.parametrize(
    "text, path",
    [
        ("providers: {recovery-code: {count: 0}}", "providers.recovery-code.count"),
        ("providers: {recovery-code: {count: 101}}", "providers.recovery-code.count"),
        ("providers: {recovery-code: {counts: 10}}", "providers.recovery-code.counts"),
        ("sessions: {lifetimes: {recovery-code: {idle: 5m}}}", "sessions.lifetimes.recovery-code"),
        ("access: {rules: [{host: localhost, require: {kinds: [recovery-code]}}]}", "access.rules[0].require.kinds"),
        ("providers: {passkey: {enabled: false}, password: {enabled: false}, trusted-device: {enabled: false}}",
         "providers"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, text, path):
    result = check(tmp_path, text + "\n")
    assert result.returncode == 78 and f"gatehouse.yaml:1: {path}" in result.stderr
    assert check(tmp_path, "providers: {recovery-code: {count: 100}}\n").returncode == 0
