"""What Apple tells of its own accord: server-to-server notifications."""

import pathlib
import sqlite3
import time

import pytest

from apple import TokenKey
from gateway import Gateway


@pytest.fixture
def gateway(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as started:
        yield started


def tell(gateway, token):
    return gateway.request("POST", "/apple/notifications", json_body={"payload": token})


def events(gateway) -> list[tuple]:
    path = pathlib.Path(gateway.config["storage"]["sqlite"]["path"])
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return database.execute("SELECT action, code FROM audit_event WHERE kind = 'apple'").fetchall()


def linked(apple, gateway, name="lee"):
    """Two clients of one account: one signed in with a password, the other with Apple."""
    gateway.account_add(name)
    owner, born = gateway.client(), gateway.client()
    owner.sign_in(name)
    assert apple.enrol(owner, f"001.{name}").status == 200
    assert apple.sign_in(born, f"001.{name}").status == 200
    return owner, born


@pytest.mark.parametrize(
    ("type", "code"),
    [("consent-revoked", "consent_revoked"), ("account-delete", "issuer_account_deleted"),
     ("account-deleted", "issuer_account_deleted")],
)
def test_who_leaves_apple_is_signed_out_and_unlinked(apple, gateway, type, code):
    owner, born = linked(apple, gateway)
    assert tell(gateway, apple.notification(type, "001.lee")).status == 200
    assert born.get("/session").status == 401
    assert owner.get("/session").status == 200 and owner.get("/apple-ids").json["appleIds"] == []
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"
    assert ("credential_noticed", code) in events(gateway) and ("credential_removed", code) in events(gateway)


def test_the_last_way_in_stays_for_who_agrees_once_more(apple, gateway):
    client = gateway.client()
    apple.enrol(client, "001.lee")
    assert tell(gateway, apple.notification("consent-revoked", "001.lee")).status == 200
    assert client.get("/session").status == 401
    assert ("credential_removed", "consent_revoked") not in events(gateway)
    assert apple.sign_in(gateway.client(), "001.lee").status == 200


def test_a_notification_counts_once_and_never_for_a_later_link(apple, gateway):
    client = gateway.client()
    apple.enrol(client, "001.lee")
    token = apple.notification("consent-revoked", "001.lee")
    assert tell(gateway, token).status == 200 and client.get("/session").status == 401
    again = gateway.client()
    apple.sign_in(again, "001.lee")
    assert tell(gateway, token).status == 200 and again.get("/session").status == 200
    assert events(gateway).count(("credential_noticed", "consent_revoked")) == 1

    owner, _ = linked(apple, gateway, "kim")
    token = apple.notification("consent-revoked", "001.kim")
    assert tell(gateway, token).status == 200
    assert apple.enrol(owner, "001.kim").status == 200
    assert tell(gateway, token).status == 200
    assert len(owner.get("/apple-ids").json["appleIds"]) == 1


def test_mail_that_is_switched_off_and_on_is_remembered(apple, gateway):
    owner, born = linked(apple, gateway)
    tokens = [apple.notification("email-disabled", "001.lee"), apple.notification("email-enabled", "001.lee")]
    for token, expected in zip(tokens, (True, False)):
        assert tell(gateway, token).status == 200
        assert owner.get("/apple-ids").json["appleIds"][0]["mailDisabled"] is expected
    # In another order than it happened.
    assert tell(gateway, tokens[0]).status == 200
    assert owner.get("/apple-ids").json["appleIds"][0]["mailDisabled"] is False
    assert born.get("/session").status == 200


def test_what_concerns_nobody_here_is_heard_and_forgotten(apple, gateway):
    owner, born = linked(apple, gateway)
    for token in (
        apple.notification("consent-revoked", "001.stranger"), apple.notification("something-new", "001.lee"),
        apple.notification("consent-revoked", "001.lee", event={"event_time": 1}),
        apple.notification("consent-revoked", "001.lee", iat=int(time.time()) - 86_400),
    ):
        answer = tell(gateway, token)
        assert answer.status == 200 and answer.json == {}
    assert born.get("/session").status == 200 and len(owner.get("/apple-ids").json["appleIds"]) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"key": TokenKey("key-1")}, {"header": {"alg": "none"}}, {"header": {"alg": "HS256"}}, {"header": {"kid": None}},
        {"header": {"kid": "forged"}}, {"iss": "https://appleid.apple.com.evil.test"}, {"aud": "com.evil.app"}, {"aud": ...},
        {"iat": 4_000_000_000}, {"iat": ...}, {"exp": 1}, {"jti": ...}, {"jti": ""}, {"events": ...}, {"events": "x"},
        {"events": {"type": "consent-revoked", "sub": "001.lee"}}, {"event": {"sub": None}}, {"event": {"type": 7}},
    ],
    ids=str,
)
def test_what_apple_did_not_say_changes_nothing(apple, gateway, change):
    _, born = linked(apple, gateway)
    refused = tell(gateway, apple.notification("consent-revoked", "001.lee", **change))
    assert refused.status == 401 and refused.code == "token_invalid", refused
    assert born.get("/session").status == 200
    assert tell(gateway, apple.notification("consent-revoked", "001.lee")).status == 200
    assert born.get("/session").status == 401


def test_an_identity_token_is_no_notification_and_the_other_way_round(apple, gateway):
    _, born = linked(apple, gateway)
    assert tell(gateway, apple.token("nonce", "001.lee")).code == "token_invalid"
    begun = gateway.client().post("/sign-in/options", {"kinds": ["apple"]}).json
    nonce = begun["requests"][0]["nonce"]
    for token in (
        apple.notification("consent-revoked", "001.lee"), apple.notification("consent-revoked", "001.lee", nonce=nonce)
    ):
        credential = {"kind": "apple", "identityToken": token}
        answer = gateway.client().post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})
        assert answer.code == "token_invalid"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"payload":7}', b'{"payload":"x"}', b"[", b'{"payload":"' + b"x" * 70_000 + b'"}'])
def test_a_stranger_s_body_is_refused(gateway, body):
    answer = gateway.request("POST", "/apple/notifications", body=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status < 500


def test_strangers_are_throttled(apple):
    with Gateway.start(apple.settings(throttle={"per_address_per_minute": 5})) as gateway:
        statuses = [tell(gateway, "x").status for _ in range(8)]
        assert statuses[:5] == [401] * 5 and 429 in statuses


def test_there_is_no_such_address_without_apple():
    with Gateway.start() as gateway:
        assert tell(gateway, "x").status == 404
