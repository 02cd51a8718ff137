"""Trusted devices over HTTP: an app's key signs in."""

import datetime
import json
import os
import time

import pytest

from device import Device
from gateway import Gateway
from passkey import b64


@pytest.fixture
def member(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    return client


def test_a_device_signs_in_with_either_form_of_signature(gateway, member, lee):
    device = Device()
    answer = device.enrol(member, name="Lee's phone")
    assert answer.status == 200 and answer.json["trustedDevice"]["name"] == "Lee's phone"
    for form in ("raw", "der"):
        for high in (False, True):
            answer = device.sign_in(gateway.client(), form, high)
            assert answer.status == 200 and answer.json["account"]["username"] == lee
            assert answer.json["session"]["assurance"] == "aal1" and answer.json["session"]["token"]


def test_devices_are_listed_renamed_and_revoked_with_their_sessions(gateway, member):
    device = Device()
    device.enrol(member)
    phone = device.sign_in(gateway.client()).json["session"]["token"]
    bearer = {"Authorization": f"Bearer {phone}"}
    (listed,) = member.get("/trusted-devices").json["trustedDevices"]
    assert set(listed) >= {
        "id", "name", "platform", "appId", "algorithm", "status", "createdAt", "lastUsedAt", "current",
    }
    assert listed["status"] == "active" and listed["algorithm"] == "ES256" and listed["current"] is False
    (own,) = gateway.request("GET", "/trusted-devices", headers=bearer).json["trustedDevices"]
    assert own["current"] is True
    assert member.patch(f"/trusted-devices/{listed['id']}", {"name": "Old phone"}).status == 204
    validate = lambda id: gateway.client().post("/trusted-devices/validate", {"deviceId": id}).json
    assert validate(device.id) == {"valid": True}
    assert member.delete(f"/trusted-devices/{listed['id']}").status == 200
    assert validate(device.id) == {"valid": False} == validate("A" * 22)
    assert gateway.request("GET", "/session", headers=bearer).status == 401
    answer = device.sign_in(gateway.client())
    assert (answer.status, answer.code, answer.json["deviceId"]) == (401, "trusted_device_unknown", device.id)
    assert member.get("/session").status == 200


def test_an_unknown_device_is_asked_in_the_same_form(gateway, member):
    known, unknown = Device(), Device()
    known.enrol(member)
    unknown.id = b64(os.urandom(16))
    ask = lambda device: gateway.client().post(
        "/sign-in/options", {"deviceId": device.id, "kinds": ["trusted-device"]}
    ).json["requests"][0]
    one, other = ask(known), ask(unknown)
    assert set(one) == set(other) and len(one["clientData"]) == len(other["clientData"])
    assert unknown.sign_in(gateway.client()).code == "trusted_device_unknown"


def test_a_signature_counts_for_its_ceremony_and_its_device(gateway, member):
    device, other = Device(), Device()
    device.enrol(member)
    other.enrol(member, appId="com.example.other")
    client = gateway.client()
    begin = lambda: client.post("/sign-in/options", {"deviceId": device.id, "kinds": ["trusted-device"]}).json
    first, second = begin(), begin()
    send = lambda ceremony, signature, id=None: client.post(
        "/sign-in/verify",
        {
            "ceremonyId": ceremony["ceremonyId"],
            "credential": {"kind": "trusted-device", "deviceId": id or device.id, "signature": signature},
        },
    )
    signed = device.sign(first["requests"][0]["clientData"])
    assert send(second, signed).status == 401
    assert send(first, other.sign(first["requests"][0]["clientData"])).status == 401
    assert send(first, signed, other.id).status == 401
    assert send(first, signed).status == 200
    assert send(first, signed).code == "ceremony_consumed"


def test_one_key_for_each_installation_and_app(gateway, member):
    old, new = Device(), Device()
    installation = b64(os.urandom(16))
    assert "replaced" not in old.enrol(member, installationId=installation).json
    token = old.sign_in(gateway.client()).json["session"]["token"]
    answer = new.enrol(member, installationId=installation)
    assert answer.status == 200 and answer.json["replaced"] is True
    assert len(member.get("/trusted-devices").json["trustedDevices"]) == 1
    assert old.sign_in(gateway.client()).code == "trusted_device_unknown"
    assert gateway.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401
    assert new.sign_in(gateway.client()).status == 200


def test_whoever_enrols_on_an_installation_ends_what_another_account_had_there(gateway, member):
    gateway.account_add("before")
    before, old, installation = gateway.client(), Device(), b64(os.urandom(16))
    before.sign_in("before")
    old.enrol(before, installationId=installation)
    token = old.sign_in(gateway.client()).json["session"]["token"]
    assert Device().enrol(member, installationId=installation).json["replaced"] is True
    assert before.get("/trusted-devices").json["trustedDevices"] == []
    assert old.sign_in(gateway.client()).code == "trusted_device_unknown"
    assert gateway.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401
    assert before.get("/session").status == 200


def test_enrolling_needs_a_session_and_a_sound_key(gateway, member):
    assert Device().enrol(gateway.client()).code == "session_required"
    for change in (
        {"publicKeyJwk": {**Device().jwk, "crv": "P-384"}}, {"publicKeyJwk": {**Device().jwk, "x": b64(bytes(32))}},
        {"publicKeyJwk": {**Device().jwk, "y": b64(bytes(31))}}, {"publicKeyJwk": {}}, {"publicKeyJwk": "x"},
        {"publicKeyJwk": {"kty": "RSA", "n": "AQAB", "e": "AQAB"}}, {"appId": ""}, {"platform": 7},
    ):
        assert 400 <= Device().enrol(member, **change).status < 500, change
    assert Device().enrol(member).status == 200


def test_only_the_apps_that_are_named_may_enrol():
    with Gateway.start({"providers": {"trusted-device": {"apps": ["com.example.app"]}}}) as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        assert Device().enrol(client, appId="com.evil.app").code == "app_not_allowed"
        assert Device().enrol(client).status == 200


def test_a_password_and_a_device_are_two_factors(gateway, member):
    device = Device()
    device.enrol(member)
    answer = device.sign_in(member, stepUp=True, assurance="aal2", client="browser")
    assert answer.status == 200 and answer.json["session"]["assurance"] == "aal2"
    assert answer.json["session"]["methods"] == ["password", "trusted-device"]


# What a signature is good for


def test_a_device_proves_its_own_account_and_no_other(gateway, member, lee):
    """authy-devise #58."""
    gateway.account_add("mallory")
    mallory, device = gateway.client(), Device()
    mallory.sign_in("mallory")
    assert device.enrol(mallory).status == 200
    begun = device.ask(gateway.client())
    account = json.loads(begun.json["requests"][0]["clientData"])["accountId"]
    assert account == mallory.get("/session").json["account"]["id"]
    assert device.sign_in(gateway.client(), identifier=lee).code == "credential_rejected"
    assert Device().enrol(member).status == 200
    answer = device.sign_in(member, stepUp=True, assurance="aal2", client="browser")
    assert (answer.status, answer.code) == (400, "ceremony_account_mismatch")
    assert member.get("/session").json["assurance"] == "aal1"
    assert device.sign_in(gateway.client()).json["account"]["username"] == "mallory"


def test_a_signature_for_another_purpose_gateway_account_or_ceremony_signs_nobody_in(gateway, member):
    """draft-dpop and Abblix Oidc.Server #102."""
    device, client = Device(), gateway.client()
    enrolment = device.begin(member).json["options"]["clientData"]
    assert device.enrol(member).status == 200
    begun = device.ask(client)
    text = begun.json["requests"][0]["clientData"]
    statement = json.loads(text)
    assert statement["audience"] == gateway.origin and statement["purpose"] == "trusted-device-sign-in"
    changed = [
        {"purpose": "trusted-device-enrollment"}, {"audience": "https://other.example.com"}, {"accountId": b64(bytes(16))},
        {"deviceId": b64(bytes(16))},
    ]
    others = [json.dumps({**statement, **change}, separators=(",", ":")) for change in changed]
    for other in [enrolment, *others]:
        answer = device.answer(client, begun, device.sign(other))
        if answer.code == "ceremony_exhausted":
            begun = device.ask(client)
            answer = device.answer(client, begun, device.sign(other))
        assert (answer.status, answer.code) == (401, "signature_invalid")
    assert device.sign_in(client).status == 200


def test_the_gateway_says_how_long_a_signature_is_good_and_no_clock_but_its_own_counts():
    """danielfett/draft-dpop #148: nothing that a device says of the time is looked at, as it says nothing."""
    with Gateway.start({"ceremonies": {"lifetime": "1s"}}) as gateway:
        gateway.account_add("lee")
        member, device, client = gateway.client(), Device(), gateway.client()
        member.sign_in("lee")
        assert device.enrol(member).status == 200
        begun = device.ask(client)
        signature = device.sign(begun.json["requests"][0]["clientData"])
        expiry = datetime.datetime.fromisoformat(begun.json["expiresAt"]).timestamp()
        while time.time() < expiry:
            time.sleep(0.05)
        assert device.answer(client, begun, signature).code == "ceremony_expired"
        assert device.sign_in(client).status == 200
