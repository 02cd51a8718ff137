"""What becomes of trusted devices: recovery, changed passwords, disuse, quotas and other keys."""

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


def test_a_recovered_account_trusts_no_device(gateway, member, lee):
    """vaultwarden #7682, scheb/2fa #126."""
    device = Device()
    device.enrol(member)
    token = device.sign_in(gateway.client()).json["session"]["token"]
    recovered = gateway.client()
    link = gateway.recovery_link(lee)
    assert recovered.post("/recovery", {"token": link.split("#")[1]}).status == 200
    answer = device.sign_in(gateway.client())
    assert (answer.status, answer.code, answer.json["deviceId"]) == (401, "trusted_device_unknown", device.id)
    assert gateway.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401


def test_a_changed_password_forgets_devices_unless_they_are_to_be_kept(gateway, member, lee):
    """vaultwarden #7682, nodewarden #370."""
    change = lambda client, new, **members: client.put("/password", {"newPassword": new, **members})
    device, own = Device(), Device()
    device.enrol(member)
    token = device.sign_in(gateway.client()).json["session"]["token"]
    assert change(member, "a second long passphrase", keepTrustedDevices=True).status == 204
    assert device.sign_in(gateway.client()).status == 200
    own.enrol(member)
    assert own.sign_in(member, stepUp=True, client="browser").status == 200
    assert change(member, "a third long passphrase").status == 204
    assert device.sign_in(gateway.client()).code == "trusted_device_unknown"
    assert gateway.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401
    assert own.sign_in(gateway.client()).status == 200, "the device of the session that changed it stays"
    assert member.get("/session").status == 200


def test_an_unused_device_is_forgotten_and_listed_as_expired():
    with Gateway.start({"providers": {"trusted-device": {"idle": "2s"}}}) as gateway:
        gateway.account_add("lee")
        member, device, installation = gateway.client(), Device(), b64(os.urandom(16))
        member.sign_in("lee")
        assert device.enrol(member, installationId=installation).status == 200
        assert device.sign_in(gateway.client()).status == 200
        valid = lambda: gateway.client().post("/trusted-devices/validate", {"deviceId": device.id}).json["valid"]
        assert valid()
        deadline = time.monotonic() + 20
        while valid():
            assert time.monotonic() < deadline
        assert device.sign_in(gateway.client()).code == "trusted_device_unknown"
        (listed,) = member.get("/trusted-devices").json["trustedDevices"]
        assert listed["status"] == "expired"
        assert member.delete("/password").code == "last_credential", "an expired device opens nothing"
        assert Device().enrol(member, installationId=installation).json["replaced"] is True
        (listed,) = member.get("/trusted-devices").json["trustedDevices"]
        assert listed["status"] == "active"
        assert member.delete("/password").status == 204


def test_a_forgotten_device_takes_no_place():
    with Gateway.start({"providers": {"trusted-device": {"idle": "2s", "quota": 1}}}) as gateway:
        gateway.account_add("lee")
        member, device = gateway.client(), Device()
        member.sign_in("lee")
        assert device.enrol(member).status == 200
        assert Device().enrol(member).code == "quota_exceeded"
        deadline = time.monotonic() + 20
        while gateway.client().post("/trusted-devices/validate", {"deviceId": device.id}).json["valid"]:
            assert time.monotonic() < deadline
        assert Device().enrol(member).status == 200
        listed = member.get("/trusted-devices").json["trustedDevices"]
        assert sorted(each["status"] for each in listed) == ["active", "expired"]


def test_an_account_has_so_many_devices_and_no_more():
    with Gateway.start({"providers": {"trusted-device": {"quota": 2}}}) as gateway:
        gateway.account_add("lee")
        member, installation = gateway.client(), b64(os.urandom(16))
        member.sign_in("lee")
        assert Device().enrol(member, installationId=installation).status == 200
        ceremony = Device()
        begun = ceremony.begin(member)
        assert Device().enrol(member).status == 200
        assert Device().enrol(member).code == "quota_exceeded"
        assert ceremony.finish(member, begun).code == "quota_exceeded"
        assert Device().enrol(member, installationId=installation).status == 200


def test_a_device_gets_another_key_signed_by_both(gateway, member):
    device, new = Device(), Device()
    device.enrol(member)
    token = device.sign_in(gateway.client()).json["session"]["token"]
    begun = new.begin(member, rotates=device.id)
    text = begun.json["options"]["clientData"]
    assert begun.json["options"]["deviceId"] == device.id
    assert new.finish(member, begun).code == "signature_invalid"
    answer = new.finish(member, begun, formerSignature=device.sign(text))
    assert answer.status == 200 and answer.json["replaced"] is True
    assert new.id == device.id and len(member.get("/trusted-devices").json["trustedDevices"]) == 1
    assert device.sign_in(gateway.client()).code == "signature_invalid"
    assert gateway.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401
    assert new.sign_in(gateway.client()).status == 200
    assert Device().begin(member, rotates=b64(bytes(16))).code == "trusted_device_unknown"
