"""Sign in with Apple, against a server that plays it: accounts and what they are linked to."""

import base64

import pytest

from apple import APP
from gateway import Gateway
from passkey import Passkey, register


@pytest.fixture
def gateway(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as started:
        yield started


# An account's life


def test_a_first_sign_in_is_a_sign_up_and_the_next_ones_find_its_account(apple, gateway):
    client = gateway.client()
    unknown = apple.sign_in(client, "001.lee")
    assert unknown.status == 401 and unknown.code == "credential_unknown"
    made = apple.enrol(client, "001.lee", name="Lee Example")
    assert made.status == 200 and made.json["session"]["methods"] == ["apple"], made
    assert made.json["session"]["assurance"] == "aal1" and made.json["account"]["displayName"] == "Lee Example"
    assert client.get("/session").json["account"]["id"] == made.json["account"]["id"]
    other = gateway.client()
    answer = apple.sign_in(other, "001.lee")
    assert answer.status == 200 and answer.json["account"]["id"] == made.json["account"]["id"], answer
    assert apple.enrol(gateway.client(), "001.lee").code == "credential_already_registered"
    listed = other.get("/apple-ids").json["appleIds"]
    assert len(listed) == 1 and listed[0]["current"] is True


def test_a_request_names_the_nonce_and_our_apps(apple, gateway):
    begun = gateway.client().post("/sign-in/options", {"kinds": ["apple"]}).json
    assert begun["requests"] == [{"kind": "apple", "nonce": begun["requests"][0]["nonce"], "clientIds": [APP]}]
    assert len(base64.urlsafe_b64decode(begun["requests"][0]["nonce"] + "=")) == 32


def test_a_native_app_gets_its_session_as_a_token(apple, gateway):
    apple.enrol(gateway.client(), "001.lee")
    answer = apple.sign_in(gateway.client(), "001.lee", begin={"client": "native"})
    token = answer.json["session"]["token"]
    session = gateway.client().get("/session", headers={"Authorization": f"Bearer {token}"})
    assert session.status == 200


def test_without_open_sign_up_only_linked_accounts_come_in(apple):
    with Gateway.start(apple.settings(accounts={"signup": "closed"})) as gateway:
        assert apple.enrol(gateway.client(), "001.lee").code == "signup_closed"
        assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        assert apple.enrol(client, "001.lee").status == 200
        answer = apple.sign_in(gateway.client(), "001.lee")
        assert answer.status == 200 and answer.json["account"]["username"] == "lee"


def test_linking_needs_a_session_that_proved_itself(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as gateway:
        gateway.account_add("lee")
        client, passkey = gateway.client(), Passkey()
        client.sign_in("lee")
        assert register(client, passkey).status == 200
        # With a passkey that has settled, a password alone proves too little; here it is the settled one of a sign-up.
        owner = gateway.client()
        assert register(owner, Passkey()).status == 200
        assert apple.enrol(owner, "001.owner").status == 200
        linked = gateway.client()
        assert apple.sign_in(linked, "001.owner").status == 200
        refused = apple.enrol(linked, "001.another")
        assert refused.status == 403 and refused.code == "fresh_session_required"
        assert refused.json["kinds"] == ["passkey"]
        stale = gateway.client()
        stale.cookies = {"gatehouse": "A" * 43}
        assert apple.enrol(stale, "001.stale").code == "session_required"


def test_a_removed_apple_id_ends_its_sessions_and_signs_in_no_more(apple, gateway):
    gateway.account_add("lee")
    owner = gateway.client()
    owner.sign_in("lee")
    assert apple.enrol(owner, "001.lee").status == 200
    born = gateway.client()
    assert apple.sign_in(born, "001.lee").status == 200
    linked = owner.get("/apple-ids").json["appleIds"][0]["id"]
    assert owner.delete(f"/apple-ids/{linked}").status == 200
    assert born.get("/session").status == 401 and owner.get("/session").status == 200
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"


def test_the_last_way_in_stays(apple, gateway):
    client = gateway.client()
    apple.enrol(client, "001.lee")
    linked = client.get("/apple-ids").json["appleIds"][0]["id"]
    assert client.delete(f"/apple-ids/{linked}").code == "last_credential"


# Accounts are never merged (better-auth GHSA-g38m-r43w-p2q7)


@pytest.mark.parametrize("verified", [True, "true"])
def test_an_account_with_the_same_address_stays_another_account(apple, gateway, verified):
    gateway.account_add("squatter", email="Victim@corp.test")
    claims = {"email": "victim@corp.test", "email_verified": verified}
    assert apple.sign_in(gateway.client(), "001.victim", **claims).code == "credential_unknown"
    client = gateway.client()
    made = apple.enrol(client, "001.victim", name="Victim", **claims).json
    squatter = gateway.client()
    theirs = squatter.sign_in("squatter").json
    assert theirs["account"]["id"] != made["account"]["id"]
    assert "email" not in made["account"] and theirs["account"]["email"] == "Victim@corp.test"
    assert client.get("/session").json["account"]["username"] != "squatter"


@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email": "lee@example.test", "email_verified": True}, "lee@example.test"),
        ({"email": "lee@example.test", "email_verified": "true"}, "lee@example.test"),
        ({"email": "lee@example.test", "email_verified": "false"}, None),
        ({"email": "lee@example.test"}, None),
        ({"email": "x@privaterelay.appleid.com", "email_verified": True}, None),
        ({"email": "x@corp.test", "email_verified": True, "is_private_email": "true"}, None),
        ({"email": "x@corp.test", "email_verified": True, "is_private_email": True}, None),
        ({"email": "no address", "email_verified": True}, None),
    ],
)
def test_the_first_consent_gives_a_new_account_its_address(apple, gateway, claims, email):
    made = apple.enrol(gateway.client(), "001.lee", **claims)
    assert made.status == 200 and made.json["account"].get("email") == email


def test_what_is_given_once_is_taken_once(apple, gateway):
    client = gateway.client()
    apple.enrol(client, "001.lee", name="Lee", email="lee@example.test", email_verified=True)
    again = apple.sign_in(gateway.client(), "001.lee", email="new@example.test", email_verified=True, name="Eve").json
    assert again["account"]["email"] == "lee@example.test" and again["account"]["displayName"] == "Lee"


def test_a_name_that_can_not_be_shown_is_left_out(apple, gateway):
    made = apple.enrol(gateway.client(), "001.lee", name="Lee\u0007").json
    assert made["account"]["displayName"] == made["account"]["username"]
    chosen = apple.enrol(gateway.client(), "001.kim", name="Kim", begin={"displayName": "Chosen"}).json
    assert chosen["account"]["displayName"] == "Chosen"
