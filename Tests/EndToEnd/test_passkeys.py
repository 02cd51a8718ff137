"""Passkeys over HTTP: sign-up, sign-in, and what people do with them."""

import concurrent.futures

import soft_webauthn

from gateway import Gateway
from passkey import Passkey, authenticate, b64, register, step_up, unb64


def test_a_sign_up_needs_nothing_and_signs_in(gateway):
    client = gateway.client()
    begun = client.request("POST", "/passkeys/register/options")
    options = begun.json["options"]
    assert options["rp"] == {"id": "localhost", "name": "Gatehouse"} and options["attestation"] == "none"
    assert {"type": "public-key", "alg": -7} in options["pubKeyCredParams"]
    assert options["authenticatorSelection"]["userVerification"] == "preferred" and options["timeout"] == 60000
    assert 1 <= len(unb64(options["user"]["id"])) <= 64 and options["user"]["name"].startswith("user-")
    passkey = Passkey()
    response = passkey.create(options, gateway.origin)
    answer = client.post("/passkeys/register/verify", {"ceremonyId": begun.json["ceremonyId"], "response": response})
    assert answer.status == 200 and answer.json["session"]["assurance"] == "aal2"
    assert client.get("/session").status == 200
    assert answer.json["signals"]["allAcceptedCredentialIds"] == [b64(passkey.id)]
    assert answer.json["signals"]["userId"] == b64(passkey.handle)


def test_an_independent_authenticator_registers_and_signs_in(gateway):
    client, device = gateway.client(), soft_webauthn.SoftWebauthnDevice()
    begun = client.post("/passkeys/register/options", {"username": "independent"}).json
    options = begun["options"]
    public_key = {
        **options, "challenge": unb64(options["challenge"]), "user": {"id": unb64(options["user"]["id"])},
        "pubKeyCredParams": [{"alg": -7, "type": "public-key"}],
    }
    made = device.create({"publicKey": public_key}, gateway.origin)
    body = lambda made: {
        "id": b64(made["rawId"]), "rawId": b64(made["rawId"]), "type": "public-key", "clientExtensionResults": {},
        "response": {key: b64(value) for key, value in made["response"].items()},
    }
    answer = client.post(
        "/passkeys/register/verify", {"ceremonyId": begun["ceremonyId"], "response": body(made)}
    )
    assert answer.status == 200
    for _ in range(3):
        begun = client.post("/passkeys/authenticate/options").json
        options = {"challenge": unb64(begun["options"]["challenge"]), "rpId": begun["options"]["rpId"]}
        assertion = device.get({"publicKey": options}, gateway.origin)
        answer = client.post(
            "/passkeys/authenticate/verify", {"ceremonyId": begun["ceremonyId"], "response": body(assertion)}
        )
        assert answer.status == 200 and answer.json["account"]["username"] == "independent"


def test_a_passkey_signs_in_after_a_restart_whatever_the_aaguid():
    with Gateway.start() as gateway:
        passkey = Passkey()
        assert register(gateway.client(), passkey, username="lee").status == 200
        gateway.restart()
        assert authenticate(gateway.client(), passkey).status == 200
        assert authenticate(gateway.client(), passkey, identifier="lee").status == 200


def test_either_verify_completes_a_ceremony_of_either_options_call(gateway):
    passkey, client = Passkey(), gateway.client()
    register(client, passkey)
    begun = client.post("/sign-in/options", {}).json
    options = next(request["options"] for request in begun["requests"] if request["kind"] == "passkey")
    answer = client.post(
        "/passkeys/authenticate/verify",
        {"ceremonyId": begun["ceremonyId"], "response": passkey.get(options, gateway.origin)},
    )
    assert answer.status == 200
    begun = client.post("/passkeys/authenticate/options").json
    credential = {"kind": "passkey", "response": passkey.get(begun["options"], gateway.origin)}
    answer = client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})
    assert answer.status == 200


def test_a_captured_assertion_opens_nothing_more(gateway):
    passkey, client = Passkey(), gateway.client()
    register(client, passkey)
    begun = client.post("/passkeys/authenticate/options").json
    body = {"ceremonyId": begun["ceremonyId"], "response": passkey.get(begun["options"], gateway.origin)}
    assert client.post("/passkeys/authenticate/verify", body).status == 200
    client.delete("/session")
    for address in ("127.0.0.1", "203.0.113.7", "2001:db8::1"):
        again = gateway.client()
        answer = again.post("/passkeys/authenticate/verify", body, headers={"X-Forwarded-For": address})
        assert answer.code == "ceremony_consumed" and not again.cookies


def test_of_fifty_identical_registrations_one_is_stored(gateway):
    for _ in range(3):
        client, passkey = gateway.client(), Passkey()
        begun = client.post("/passkeys/register/options").json
        body = {"ceremonyId": begun["ceremonyId"], "response": passkey.create(begun["options"], gateway.origin)}
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(
                pool.map(lambda _: gateway.client().post("/passkeys/register/verify", body), range(50))
            )
        assert [answer.status for answer in answers].count(200) == 1
        assert all(400 <= answer.status < 500 for answer in answers if answer.status != 200)
        assert authenticate(gateway.client(), passkey).status == 200


def test_a_named_sign_in_takes_only_that_accounts_passkey(gateway):
    alice, bob = Passkey(), Passkey()
    register(gateway.client(), alice, username="alice-named")
    register(gateway.client(), bob, username="bob-named")
    assert authenticate(gateway.client(), bob, identifier="alice-named").code == "credential_rejected"
    assert authenticate(gateway.client(), bob, identifier="nobody-named").code == "credential_rejected"
    begun = gateway.client().post("/passkeys/authenticate/options", {"identifier": "alice-named"}).json
    assert begun["options"]["allowCredentials"][0]["id"] == b64(alice.id)
    assert authenticate(gateway.client(), alice, identifier="alice-named").status == 200


def test_allow_lists_of_unknown_names_are_stable_and_survive_a_restart():
    with Gateway.start() as gateway:
        gateway.account_add("no-passkey")
        ask = lambda name: gateway.client().post("/sign-in/options", {"identifier": name, "kinds": ["passkey"]}).json
        lists = {name: ask(name)["requests"][0]["options"]["allowCredentials"] for name in ("ghost", "no-passkey")}
        assert all(entry and entry[0]["type"] == "public-key" for entry in lists.values())
        assert lists["ghost"] != lists["no-passkey"]
        gateway.restart()
        for name, known in lists.items():
            assert ask(name)["requests"][0]["options"]["allowCredentials"] == known


def test_a_deleted_passkey_is_told_apart_so_that_the_device_can_forget_it(gateway, lee):
    client, passkey, other = gateway.client(), Passkey(), Passkey()
    client.sign_in(lee)
    register(client, passkey)
    assert step_up(client, passkey).status == 200
    register(client, other)
    listed = client.get("/passkeys").json["passkeys"]
    assert len(listed) == 2 and set(listed[0]) >= {
        "id", "name", "createdAt", "transports", "backupEligible", "backedUp", "deviceBound",
    }
    answer = client.delete(f"/passkeys/{listed[0]['id']}")
    assert answer.status == 200 and answer.json["signals"]["allAcceptedCredentialIds"] == [b64(other.id)]
    refused = authenticate(gateway.client(), passkey)
    assert refused.code == "credential_unknown" and refused.json["signals"]["unknownCredentialId"] == b64(passkey.id)
    assert authenticate(gateway.client(), other).status == 200


def test_a_deleted_passkey_takes_its_sessions_with_it_and_no_others(gateway, lee):
    first, passkey = gateway.client(), Passkey()
    first.sign_in(lee)
    register(first, passkey)
    by_passkey = gateway.client()
    authenticate(by_passkey, passkey)
    by_password = gateway.client()
    by_password.sign_in(lee)
    step_up(first, passkey)
    (listed,) = first.get("/passkeys").json["passkeys"]
    assert first.delete(f"/passkeys/{listed['id']}").status == 200
    assert by_passkey.get("/session").status == 401 and first.get("/session").status == 401
    assert by_password.get("/session").status == 200


def test_the_last_credential_stays(gateway):
    client, passkey = gateway.client(), Passkey()
    register(client, passkey)
    (listed,) = client.get("/passkeys").json["passkeys"]
    answer = client.delete(f"/passkeys/{listed['id']}")
    assert (answer.status, answer.code) == (409, "last_credential")
    assert authenticate(gateway.client(), passkey).status == 200


def test_a_passkey_is_renamed_by_its_owner_alone(gateway, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    register(client, passkey)
    (listed,) = client.get("/passkeys").json["passkeys"]
    assert client.patch(f"/passkeys/{listed['id']}", {"name": "Küche 🔑"}).status == 204
    assert client.get("/passkeys").json["passkeys"][0]["name"] == "Küche 🔑"
    assert client.patch(f"/passkeys/{listed['id']}", {"name": ""}).code == "invalid_value"
    stranger = gateway.client()
    register(stranger, Passkey())
    assert stranger.patch(f"/passkeys/{listed['id']}", {"name": "mine"}).code == "not_found"
    assert stranger.delete(f"/passkeys/{listed['id']}").code == "not_found"


def test_a_password_session_plants_no_passkey_beside_a_settled_one():
    with Gateway.start({"policy": {"settling": "0s"}}) as gateway:
        gateway.account_add("lee")
        owner, passkey = gateway.client(), Passkey()
        owner.sign_in("lee")
        assert register(owner, passkey).status == 200
        thief = gateway.client()
        thief.sign_in("lee")
        refused = register(thief, Passkey())
        assert refused.code == "fresh_session_required" and refused.json["kinds"] == ["passkey"]
        assert refused.json["assurance"] == "aal2" and refused.json["maxAge"] == 600
        assert step_up(thief, passkey).status == 200
        assert register(thief, Passkey()).status == 200


def test_what_is_registered_already_is_excluded(gateway, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    register(client, passkey)
    options = client.post("/passkeys/register/options").json["options"]
    assert [entry["id"] for entry in options["excludeCredentials"]] == [b64(passkey.id)]
    assert options["user"]["id"] == b64(passkey.handle)
    assert register(client, passkey).code == "credential_already_registered"


def test_a_disabled_account_is_told_so_only_with_its_passkey(gateway):
    passkey = Passkey()
    register(gateway.client(), passkey, username="to-disable")
    gateway.cli("account", "disable", "to-disable")
    assert authenticate(gateway.client(), passkey).code == "account_disabled"
    assert authenticate(gateway.client(), passkey, identifier="to-disable").code == "credential_rejected"
    gateway.cli("account", "enable", "to-disable")
    assert authenticate(gateway.client(), passkey).status == 200


def test_closed_sign_up_refuses_strangers_and_lets_members_enrol():
    with Gateway.start({"accounts": {"signup": "closed"}}) as gateway:
        gateway.account_add("lee")
        assert register(gateway.client(), Passkey()).code == "signup_closed"
        client = gateway.client()
        client.sign_in("lee")
        assert register(client, Passkey()).status == 200


def test_user_verification_is_insisted_on_where_it_is_required():
    with Gateway.start({"providers": {"passkey": {"user_verification": "required"}}}) as gateway:
        assert register(gateway.client(), Passkey(verifies=False)).code == "user_verification_required"
        passkey = Passkey()
        assert register(gateway.client(), passkey).status == 200
        passkey.flags = Passkey.PRESENT
        assert authenticate(gateway.client(), passkey).code == "user_verification_required"
        passkey.flags = 0
        assert authenticate(gateway.client(), passkey).code == "user_presence_required"
        passkey.flags = Passkey.PRESENT | Passkey.VERIFIED
        assert authenticate(gateway.client(), passkey).status == 200


def test_an_offer_follows_a_password_once_and_its_answer_is_kept(gateway, lee):
    client = gateway.client()
    offer = client.sign_in(lee).json["offer"]
    assert offer["kind"] == "passkey" and offer["mode"] == "prompt" and offer["dismissible"] and offer["deadline"] is None
    passkey = Passkey()
    response = passkey.create(offer["registration"]["options"], gateway.origin)
    body = {"ceremonyId": offer["registration"]["ceremonyId"], "response": response}
    assert client.post("/passkeys/register/verify", body).status == 200
    for _ in range(2):
        assert client.post(f"/offers/{offer['id']}", {"answer": "accepted"}).status == 204
    assert client.post(f"/offers/{offer['id']}", {"answer": "maybe"}).code == "malformed_request"
    assert "offer" not in gateway.client().sign_in(lee).json
    stranger = gateway.client()
    register(stranger, Passkey())
    assert stranger.post(f"/offers/{offer['id']}", {"answer": "declined"}).code == "not_found"


def test_an_automatic_offer_waives_presence_for_its_own_ceremony_only():
    with Gateway.start({"migration": {"offer": "automatic"}}) as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        offer = client.sign_in("lee").json["offer"]
        assert offer["mode"] == "automatic"
        silent = Passkey()
        silent.flags = 0
        assert register(client, silent).code == "user_presence_required"
        assert register(client, silent, mediation="conditional").code == "forbidden"
        assert register(client, silent, mediation="conditional", offerId=offer["id"]).status == 200


def test_no_offer_where_none_is_wanted():
    with Gateway.start({"migration": {"offer": "off"}}) as gateway:
        gateway.account_add("lee")
        assert "offer" not in gateway.client().sign_in("lee").json
