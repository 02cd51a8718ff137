"""Apps: the switch for all they do, the switch for each kind, browsers that pose as apps, and the offer of a device."""

import os

import pytest

from device import Device
from gateway import Gateway
from passkey import Passkey, authenticate, b64, register

PAGE = {"Sec-Fetch-Site": "same-origin"}


def bearer(answer):
    return {"Authorization": f"Bearer {answer.json['session']['token']}"}


@pytest.fixture
def member(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    return client


# Switches


def test_where_apps_are_not_served_everything_of_theirs_is_refused():
    with Gateway.start({"access": {"rules": [{"host": "localhost", "require": {"assurance": "aal1"}}]}}) as gateway:
        gateway.account_add("lee")
        client, device, passkey = gateway.client(), Device(), Passkey()
        token = bearer(gateway.client().sign_in("lee", client="native"))
        client.sign_in("lee")
        assert register(client, passkey).status == 200
        assert device.enrol(client).status == 200
        unfinished, enrolment = device.ask(gateway.client()), device.begin(client)
        check = lambda: gateway.request(
            "GET", "/auth/nginx", listener="check",
            headers={"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET", **token},
        )
        assert check().status == 200
        assert gateway.request("GET", "/session", headers=token).status == 200

        gateway.config["native_api"] = {"enabled": False}
        gateway.write_config()
        gateway.restart()
        ask = lambda **body: gateway.client().post("/sign-in/options", body)
        refused = [
            ask(client="native"), ask(deviceId=device.id), device.answer(gateway.client(), unfinished, b64(bytes(64))),
            gateway.client().post("/passkeys/authenticate/options", {"client": "native"}),
            gateway.client().post("/passkeys/register/options", {"client": "native"}),
            device.begin(client), device.finish(client, enrolment),
            gateway.client().post("/trusted-devices/validate", {"deviceId": device.id}),
            gateway.request("GET", "/session", headers=token),
        ]
        assert [(answer.status, answer.code) for answer in refused] == [(403, "native_api_disabled")] * len(refused)
        assert check().status == 401
        # People in browsers go on.
        assert client.get("/session").status == 200
        assert len(client.get("/trusted-devices").json["trustedDevices"]) == 1
        assert authenticate(gateway.client(), passkey).status == 200


def test_a_kind_that_is_switched_off_says_so():
    """kanidm #1386, bitwarden/clients #21808."""
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client, device = gateway.client(), Device()
        client.sign_in("lee")
        assert device.enrol(client).status == 200
        unfinished, enrolment = device.ask(gateway.client()), device.begin(client)
        gateway.config["providers"] = {"trusted-device": {"enabled": False}, "passkey": {"enabled": False}}
        gateway.write_config()
        gateway.restart()
        refused = [
            device.ask(gateway.client()), device.answer(gateway.client(), unfinished, b64(bytes(64))),
            device.begin(client), device.finish(client, enrolment), client.get("/trusted-devices"),
            gateway.client().post("/trusted-devices/validate", {"deviceId": device.id}),
            gateway.client().post("/passkeys/authenticate/options"), gateway.client().post("/passkeys/register/options"),
        ]
        assert [(answer.status, answer.code) for answer in refused] == [(403, "kind_disabled")] * len(refused)
        assert gateway.client().post("/sign-in/options", {"kinds": ["hologram"]}).code == "unknown_kind"
        assert gateway.client().sign_in("lee").status == 200


def test_a_page_in_a_browser_has_no_device(gateway, member):
    device = Device()
    origin = {"Origin": gateway.origin}
    for headers in (PAGE, origin):
        ask = lambda path, body: member.post(path, body, headers=headers)
        assert ask("/trusted-devices/register/options", {}).code == "browser_context"
        assert ask("/trusted-devices/register/verify", {}).code == "browser_context"
        assert ask("/trusted-devices/validate", {"deviceId": "A" * 22}).code == "browser_context"
        assert ask("/sign-in/options", {"deviceId": "A" * 22}).code == "browser_context"
        body = {"ceremonyId": "A" * 22, "credential": {"kind": "trusted-device", "deviceId": "A" * 22, "signature": "AA"}}
        assert ask("/sign-in/verify", body).code == "browser_context"
        assert member.get("/trusted-devices", headers=headers).status == 200
    assert device.enrol(member).status == 200


# Offers


def test_an_app_is_offered_to_enrol_its_device_once_for_an_account_and_an_installation():
    with Gateway.start({"migration": {"offer": "off"}}) as gateway:
        gateway.account_add("lee")
        one, other = b64(os.urandom(16)), b64(os.urandom(16))

        def offer(name="lee", client="native", installation=None):
            visitor = gateway.client()
            begun = visitor.post("/sign-in/options", {"identifier": name, "kinds": ["password"], "client": client}).json
            credential = {"kind": "password", "identifier": name, "password": "correct horse battery staple"}
            body = {"ceremonyId": begun["ceremonyId"], "credential": credential}
            answer = visitor.post("/sign-in/verify", {**body, **({"installationId": installation} if installation else {})})
            assert answer.status == 200
            return answer.json.get("offer")

        assert offer(client="browser") is None
        made = offer(installation=one)
        assert (made["kind"], made["mode"], made["dismissible"]) == ("trusted-device", "prompt", True)
        assert "registration" not in made
        assert offer(installation=one) is None
        gateway.restart()
        assert offer(installation=one) is None, "it is remembered"
        assert offer(installation=other)["kind"] == "trusted-device"
        assert offer() is None, "an installation without a name counts as any other"
        gateway.account_add("kim")
        assert offer("kim")["kind"] == "trusted-device"
        assert offer("kim") is None
        # An installation that is enrolled already needs none, and neither does who signs in with a device.
        third, device, client = b64(os.urandom(16)), Device(), gateway.client()
        client.sign_in("lee")
        assert device.enrol(client, installationId=third).status == 200
        assert offer(installation=third) is None
        assert "offer" not in device.sign_in(gateway.client()).json
        bad = gateway.client().post("/sign-in/verify", {"ceremonyId": "A" * 22, "credential": {"kind": "password"}, "installationId": "x"})
        assert bad.code == "invalid_value"


def test_a_passkey_is_offered_before_a_device():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        offered = [gateway.client().sign_in("lee", client="native").json.get("offer") for _ in range(3)]
        assert [offer and offer["kind"] for offer in offered] == ["passkey", "trusted-device", None]
        assert offered[0]["registration"]["ceremonyId"]


@pytest.mark.parametrize("switch", [True, False])
def test_offers_after_a_sign_up_and_a_sign_in_have_switches(switch):
    offer = {"after_sign_in": not switch, "after_sign_up": switch}
    overrides = {"migration": {"offer": "off"}, "providers": {"trusted-device": {"offer": offer}}}
    with Gateway.start(overrides) as gateway:
        gateway.account_add("lee")
        native = lambda: register(gateway.client(), Passkey(), client="native").json.get("offer")
        for _ in range(2):
            assert (native() is not None) == switch
        assert register(gateway.client(), Passkey()).json.get("offer") is None
        assert ("offer" in gateway.client().sign_in("lee", client="native").json) != switch
