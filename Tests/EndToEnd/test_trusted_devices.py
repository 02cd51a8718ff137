"""Trusted devices over HTTP: an app's key signs in."""

import os

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from gateway import Gateway
from passkey import b64

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class Device:
    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = None

    @property
    def jwk(self):
        numbers = self.key.public_key().public_numbers()
        coordinate = lambda value: b64(value.to_bytes(32, "big"))
        return {"kty": "EC", "crv": "P-256", "x": coordinate(numbers.x), "y": coordinate(numbers.y), "alg": "ES256"}

    def sign(self, text, form="raw", high=False):
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        s = max(s, ORDER - s) if high else s
        return b64(encode_dss_signature(r, s) if form == "der" else r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def enrol(self, client, **members):
        body = {"platform": "ios", "appId": "com.example.app", "publicKeyJwk": self.jwk, **members}
        begun = client.post("/trusted-devices/register/options", body)
        if begun.status != 200:
            return begun
        options = begun.json["options"]
        self.id = options["deviceId"]
        assert options["algorithms"] == ["ES256"] and begun.json["expiresAt"]
        response = {"signature": self.sign(options["clientData"])}
        return client.post(
            "/trusted-devices/register/verify", {"ceremonyId": begun.json["ceremonyId"], "response": response}
        )

    def sign_in(self, client, /, form="raw", high=False, **options):
        body = {"deviceId": self.id, "kinds": ["trusted-device"], "client": "native", **options}
        begun = client.post("/sign-in/options", body)
        if begun.status != 200:
            return begun
        (request,) = begun.json["requests"]
        signature = self.sign(request["clientData"], form, high)
        credential = {"kind": "trusted-device", "deviceId": self.id, "signature": signature}
        return client.post("/sign-in/verify", {"ceremonyId": begun.json["ceremonyId"], "credential": credential})


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
    old.enrol(member, installationId=installation)
    token = old.sign_in(gateway.client()).json["session"]["token"]
    assert new.enrol(member, installationId=installation).status == 200
    assert len(member.get("/trusted-devices").json["trustedDevices"]) == 1
    assert old.sign_in(gateway.client()).code == "trusted_device_unknown"
    assert gateway.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401
    assert new.sign_in(gateway.client()).status == 200


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
