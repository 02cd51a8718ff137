"""Attestation of trusted devices: what each app has to show, and what that is worth."""

import json

import pytest

from device import Device
from documents import log_has
from gateway import Gateway
from https_server import HTTPSServer
from makers import APP, FINGERPRINT, TEAM, AppAttest, Keystore

IN_USE = 'event="android key status is in use"'


@pytest.fixture(scope="module")
def keystore():
    return Keystore()


@pytest.fixture(scope="module")
def apple():
    return AppAttest()


def settings(folder, keystore, apple, demand="required", **others):
    """Both apps of one name, whose makers are those of the test."""
    ios = {"id": APP, "platform": "ios", "attestation": demand, "team_id": TEAM}
    android = {"id": APP, "platform": "android", "attestation": demand, "certificates": [FINGERPRINT]}
    device = {
        "apps": ["com.example.plain", ios, android],
        "android": {"roots": [keystore.write_root(folder, "android.pem")], "check_status": False},
        "apple": {"roots": [apple.write_root(folder, "apple.pem")]},
        **others,
    }
    return {"providers": {"trusted-device": device}}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory, keystore, apple):
    with Gateway.start(settings(tmp_path_factory.mktemp("roots"), keystore, apple)) as started:
        yield started


@pytest.fixture
def member(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    return client


def enrol_android(client, device, keystore, **members):
    """The key follows the options, as Android attests to none that is there already."""
    begun = device.begin(client, platform="android", publicKeyJwk=None)
    assert begun.status == 200, begun
    attestation = keystore.attest(device, begun.json["options"]["clientData"], **members)
    return device.finish(client, begun, attestation=attestation)


def enrol_ios(client, device, apple, policy="biometry_current_set", **members):
    begun = device.begin(client, unlockPolicy=policy)
    return device.finish(client, begun, attestation=apple.attest(begun.json["options"]["clientData"], **members))


def test_a_key_that_android_attests_to_is_two_factors_where_a_finger_unlocks_it(gateway, member, keystore):
    device, weaker = Device(), Device()
    shown = enrol_android(member, device, keystore).json["trustedDevice"]
    assert (shown["attestation"], shown["unlockPolicy"]) == ("android-key", "biometric")
    assert device.sign_in(gateway.client()).json["session"]["assurance"] == "aal3"
    shown = enrol_android(member, weaker, keystore, user=3).json["trustedDevice"]
    assert (shown["attestation"], shown["unlockPolicy"]) == ("android-key", "biometric-or-passcode")
    assert weaker.sign_in(gateway.client()).json["session"]["assurance"] == "aal1"


def test_a_key_that_a_genuine_app_vouches_for_is_two_factors_where_a_finger_unlocks_it(gateway, member, apple):
    device, weaker = Device(), Device()
    shown = enrol_ios(member, device, apple).json["trustedDevice"]
    assert (shown["attestation"], shown["unlockPolicy"]) == ("apple-appattest", "biometric")
    assert device.sign_in(gateway.client()).json["session"]["assurance"] == "aal2"
    assert enrol_ios(member, weaker, apple, policy=None).json["trustedDevice"]["unlockPolicy"] is None
    assert weaker.sign_in(gateway.client()).json["session"]["assurance"] == "aal1"


def test_what_is_required_is_required_and_what_is_wrong_is_refused(gateway, member, keystore, apple):
    assert Device().enrol(member).code == "attestation_untrusted"
    assert Device().enrol(member, platform="android").code == "attestation_untrusted"
    assert Device().enrol(member, appId="com.evil.app").code == "app_not_allowed"
    assert Device().enrol(member, platform="macos").code == "app_not_allowed"
    assert Device().enrol(member, appId="com.example.plain").status == 200
    for wrong in ({"package": "com.evil.app"}, {"locked": False}):
        answer = enrol_android(member, Device(), keystore, **wrong)
        assert (answer.status, answer.code) == (401, "attestation_untrusted"), wrong
    assert enrol_android(member, Device(), Keystore()).code == "attestation_untrusted"
    assert enrol_ios(member, Device(), apple, app=f"{TEAM}.com.evil.app").code == "attestation_untrusted"
    assert enrol_ios(member, Device(), apple, environment=b"appattestdevelop").code == "attestation_untrusted"
    assert enrol_ios(member, Device(), AppAttest()).code == "attestation_untrusted"
    begun, other = Device().begin(member), Device().begin(member)
    attestation = apple.attest(other.json["options"]["clientData"])
    answer = Device().finish(member, begun, attestation=attestation)
    assert (answer.status, answer.code) == (400, "attestation_invalid")


def test_an_attestation_for_one_enrolment_is_none_for_another(gateway, member, keystore, apple):
    device = Device()
    first, second = (device.begin(member, platform="android", publicKeyJwk=None) for _ in range(2))
    attestation = keystore.attest(device, first.json["options"]["clientData"])
    answer = device.finish(member, second, attestation=attestation)
    assert (answer.status, answer.code) == (400, "attestation_invalid")
    assert device.finish(member, first, attestation=attestation).status == 200


def test_what_an_attested_lock_is_worth_is_configured(tmp_path, keystore, apple):
    with Gateway.start(settings(tmp_path, keystore, apple, "optional", second_factor=[])) as gateway:
        gateway.account_add("lee")
        member, device = gateway.client(), Device()
        member.sign_in("lee")
        assert Device().enrol(member).status == 200
        assert enrol_android(member, device, keystore).status == 200
        assert device.sign_in(gateway.client()).json["session"]["assurance"] == "aal1"


def test_revoked_keys_are_refused_by_a_list_that_is_fetched_and_kept(tmp_path, keystore, apple):
    server = HTTPSServer(tmp_path)
    server.answer = (503, b"")
    status = {"file": str(tmp_path / "status.json"), "url": server.url, "refresh": "1s"}
    android = {"roots": [keystore.write_root(tmp_path, "android.pem")], "status": status}
    overrides = settings(tmp_path, keystore, apple, android=android)
    overrides["outgoing"] = {"authorities": str(server.authorities)}
    try:
        with Gateway.start(overrides) as gateway:
            gateway.account_add("lee")
            member = gateway.client()
            member.sign_in("lee")
            log_has(gateway, 'event="a document can\'t be fetched" document="android key status"')
            answer = enrol_android(member, Device(), keystore)
            assert (answer.status, answer.code) == (503, "dependency_unavailable")
            assert enrol_ios(member, Device(), apple).status == 200
            server.answer = (200, json.dumps({"entries": {}}).encode())
            log_has(gateway, IN_USE)
            assert enrol_android(member, Device(), keystore).status == 200
            device = Device()
            begun = device.begin(member, platform="android", publicKeyJwk=None)
            attestation = keystore.attest(device, begun.json["options"]["clientData"])
            server.answer = (200, json.dumps({"entries": {keystore.serial: {"status": "REVOKED"}}}).encode())
            log_has(gateway, IN_USE + " keys=1")
            answer = device.finish(member, begun, attestation=attestation)
            assert (answer.status, answer.code) == (401, "attestation_untrusted")
            server.answer = (503, b"")
            gateway.restart()
            log_has(gateway, IN_USE + " keys=1", gateway.log.count(IN_USE + " keys=1"))
            assert device.finish(member, begun, attestation=attestation).code == "attestation_untrusted"
    finally:
        server.close()


def test_a_check_of_the_configuration_reads_the_list(tmp_path, keystore, apple):
    path = tmp_path / "status.json"
    with Gateway(settings(tmp_path, keystore, apple, android={"status": {"file": str(path)}})) as gateway:
        check = lambda: gateway.cli("config", "check", check=False)
        assert check().returncode == 78 and "there is no such file" in check().stderr
        path.write_text("[]")
        assert "status.json: not a status list" in check().stderr
        path.write_text('{"entries": {}}')
        assert check().returncode == 0 and "status.json is a list" in check().stdout


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ({"apps": [{"platform": "ios"}]}, "apps[0].id: must be the identifier of an app"),
        ({"apps": [{"id": APP, "attestation": "required"}]}, "apps[0].attestation: needs platform: ios and a team_id"),
        ({"apps": [{"id": APP, "platform": "ios", "attestation": "optional"}]}, "apps[0].attestation: needs platform"),
        ({"apps": [{"id": APP, "platform": "ios", "team_id": "short"}]}, "apps[0].team_id: must be ten capital letters"),
        ({"apps": [{"id": APP, "platform": "windows"}]}, "apps[0].platform: must be ios or android"),
        (
            {"apps": [{"id": APP, "platform": "android", "attestation": "required", "certificates": ["12:34"]}]},
            "apps[0].certificates: each must be 32 hexadecimal bytes",
        ),
        ({"apps": [{"id": APP, "platform": "ios", "teamid": TEAM}]}, "apps[0].teamid: unknown key; did you mean team_id?"),
        ({"apps": [APP, {"id": APP, "platform": "ios"}]}, "apps: an app stands here once for each platform"),
        ({"apps": APP}, "apps: must be a list"),
        (
            {"apps": [{"id": APP, "platform": "android", "attestation": "required", "certificates": [FINGERPRINT]}]},
            "android.status.file: must say where the list of revoked keys is kept",
        ),
        ({"android": {"status": {"url": "http://example.com/"}}}, "android.status.url: must be an https URL"),
        ({"second_factor": ["finger"]}, "second_factor: each must be one of biometric, biometric-or-passcode"),
        ({"idle": "90"}, "idle: must be a duration"), ({"quota": 0}, "quota: must be a whole number from 1 to 100"),
    ],
)
def test_wrong_settings_are_reported(device, said):
    with Gateway({"providers": {"trusted-device": device}}) as gateway:
        result = gateway.cli("config", "check", check=False)
        assert result.returncode == 78 and f"providers.trusted-device.{said}" in result.stderr, result.stderr
