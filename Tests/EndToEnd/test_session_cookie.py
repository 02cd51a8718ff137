"""The session's cookie: which values are alive when, how long browsers keep it, and where it may not go."""

import re
import time

import pytest

from commands import check
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register, step_up

_names = iter(range(1_000_000))


@pytest.fixture
def kim(gateway):
    """Another account."""
    name = f"kim{next(_names)}"
    gateway.account_add(name, display_name="Kim K.")
    return name


def holder(gateway, token):
    """Whose session a cookie is, by the API and by the check; `None` for nobody's."""
    cookie = {"Cookie": f"gatehouse={token}"}
    answer = gateway.request("GET", "/session", headers=cookie)
    asked = {"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET"}
    checked = gateway.request("GET", "/auth/nginx", headers=asked | cookie, listener="check")
    assert (answer.status == 200) == (checked.status == 200)
    if answer.status != 200:
        return None
    assert checked.header("Remote-User") == answer.json["account"]["username"]
    return answer.json["account"]["username"]


# A new value with every sign-in


def test_a_session_that_somebody_planted_is_dead_after_signing_in(gateway, lee, kim):
    attacker, victim = gateway.client(), gateway.client()
    attacker.sign_in(kim)
    planted = attacker.cookies["gatehouse"]
    assert holder(gateway, planted) == kim
    victim.cookies["gatehouse"] = planted
    assert victim.sign_in(lee).status == 200
    assert victim.cookies["gatehouse"] != planted and holder(gateway, planted) is None
    assert holder(gateway, victim.cookies["gatehouse"]) == lee
    # What was never a session does not become one.
    victim.cookies["gatehouse"] = "A" * 43
    assert victim.sign_in(lee).status == 200
    assert victim.cookies["gatehouse"] != "A" * 43 and holder(gateway, "A" * 43) is None


def test_whoever_signs_in_where_another_was_sees_nothing_of_theirs(gateway, lee, kim):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(kim)
    assert register(client, passkey).status == 200
    before = client.cookies["gatehouse"]
    assert client.sign_in(lee).json["account"]["username"] == lee
    assert holder(gateway, before) is None and holder(gateway, client.cookies["gatehouse"]) == lee
    assert client.get("/passkeys").json["passkeys"] == []
    assert kim not in client.get("/session").text + client.get("/sessions").text + client.get("/account").text
    assert authenticate(client, passkey).json["account"]["username"] == kim
    assert len(client.get("/passkeys").json["passkeys"]) == 1 and lee not in client.get("/session").text


def test_a_failed_sign_in_changes_nothing_for_who_is_signed_in(gateway, lee, kim):
    client = gateway.client()
    client.sign_in(kim)
    before = dict(client.cookies)
    for name, word in ((lee, "not the right password"), (kim, "not the right password"), ("nobody", PASSWORD)):
        answer = client.sign_in(name, word)
        assert answer.code == "credential_rejected" and not answer.header("Set-Cookie")
    assert client.cookies == before and holder(gateway, before["gatehouse"]) == kim
    assert client.sign_in(lee).status == 200 and holder(gateway, before["gatehouse"]) is None


def test_every_rise_in_assurance_has_a_value_of_its_own(gateway, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    values = [client.cookies["gatehouse"]]
    assert register(client, passkey).status == 200
    for _ in range(2):
        assert step_up(client, passkey).status == 200
        values.append(client.cookies["gatehouse"])
    assert len(set(values)) == 3
    statuses = [gateway.request("GET", "/session", headers={"Cookie": f"gatehouse={value}"}).status for value in values]
    assert statuses == [401, 401, 200]


# No other name, and never one of two

@pytest.mark.parametrize("name", ["__Host-gatehouse", "__Secure-gatehouse"])
def test_only_the_configured_name_is_read_and_two_values_of_it_are_refused(name):
    with Gateway.start(SITES[name]) as gateway:
        gateway.account_add("lee")
        client, attacker = gateway.client(), gateway.client()
        client.sign_in("lee")
        attacker.sign_in("lee")
        mine, planted = client.cookies[name], attacker.cookies[name]
        ask = lambda cookies: gateway.request("GET", "/session", headers={"Cookie": cookies}).status
        for other in {"gatehouse", "__Host-gatehouse", "__Secure-gatehouse", name.lower(), "__host-gatehouse"} - {name}:
            assert ask(f"{other}={planted}") == 401
            assert ask(f"{other}={planted}; {name}={mine}") == ask(f"{name}={mine}; {other}={planted}") == 200
        for first, second in ((planted, mine), (mine, planted), (f'"{planted}"', mine), (mine, f'"{planted}"'), ("", mine)):
            assert ask(f"{name}={first}; {name}={second}") == 401, (first, second)
        assert ask([f"{name}={planted}", f"{name}={mine}"]) in (400, 401)
        assert ask(f"{name}={mine}") == 200


def test_what_carries_something_else_is_no_session(gateway, lee):
    client = gateway.client()
    opened = client.sign_in(lee)
    begun = client.post("/sign-in/options", {}).json["ceremonyId"]
    link = gateway.recovery_link(lee).split("#")[1]
    token = client.cookies["gatehouse"]
    changed = token[:20] + ("A" if token[20] != "A" else "B") + token[21:]
    for value in (
        opened.json["session"]["id"], opened.json["account"]["id"], begun, link, changed, token[:-1], token + "A", token.swapcase(),
        "gh_pat_" + "A" * 38, "QUJD" * 2_000, "", "%00", "../../x",
    ):
        assert holder(gateway, value) is None, value
        bearer = {"Authorization": f"Bearer {value}"}
        assert gateway.request("GET", "/session", headers=bearer).status == 401
    assert holder(gateway, token) == lee


# Dead everywhere at once, and for good


def test_a_session_that_was_revoked_is_out_at_every_door_and_stays_out():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        owner = gateway.client()
        owner.sign_in("lee")
        doors = [("GET", "/session"), ("GET", "/sessions"), ("POST", "/passkeys/register/options"), ("GET", "/passkeys")]

        def statuses(token):
            cookie = {"Cookie": f"gatehouse={token}"}
            asked = {"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET", **cookie}
            checked = gateway.request("GET", "/auth/nginx", headers=asked, listener="check").status
            return {checked} | {gateway.request(method, path, headers=cookie).status for method, path in doors}

        def revoke(how):
            client = gateway.client()
            client.sign_in("lee")
            token, id = client.cookies["gatehouse"], client.get("/session").json["id"]
            assert statuses(token) == {200}
            how(id)
            return token

        by_api = revoke(lambda id: owner.delete(f"/sessions/{id}"))
        assert statuses(by_api) == {401}
        by_command = revoke(lambda id: gateway.cli("session", "revoke", "lee", "--session", id))
        # What another process changed is noticed within a second.
        deadline = time.monotonic() + 1
        while statuses(by_command) != {401}:
            assert time.monotonic() < deadline
        # Neither when all is forgotten and read again, nor after a restart.
        gateway.account_add("kim")
        for _ in range(5):
            assert statuses(by_api) == statuses(by_command) == {401}
        gateway.restart()
        assert statuses(by_api) == statuses(by_command) == {401}
        assert statuses(owner.cookies["gatehouse"]) == {200}


# As long as the session


@pytest.mark.parametrize("absolute, seconds", [("30s", 30), ("1d", 86_400), ("365d", 365 * 86_400)])
def test_the_cookie_lives_as_long_as_the_session(absolute, seconds):
    with Gateway.start({"sessions": {"absolute": absolute, "idle": absolute}}) as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        answer = client.sign_in("lee")
        assert f"Max-Age={seconds}" in answer.header("Set-Cookie").split("; ")
        assert "Expires" not in answer.header("Set-Cookie")
        session = answer.json["session"]
        assert apart(session["authenticatedAt"], session["expiresAt"]) == seconds
        passkey = Passkey()
        register(client, passkey)
        stepped = step_up(client, passkey)
        # The end stays where it was, and the cookie's is the same.
        (age,) = re.findall(r"Max-Age=(\d+)", stepped.header("Set-Cookie"))
        assert stepped.json["session"]["expiresAt"] == session["expiresAt"]
        assert int(age) == int(apart(stepped.json["session"]["authenticatedAt"], session["expiresAt"])) <= seconds


def apart(first, second):
    from datetime import datetime

    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()


def test_no_session_lives_longer_than_browsers_keep_a_cookie(tmp_path):
    result = check(tmp_path, "sessions: {absolute: 500d}\n")
    assert result.returncode == 78 and "sessions.absolute" in result.stderr and "365d" in result.stderr
    assert check(tmp_path, "sessions: {absolute: 365d}\n").returncode == 0


# Signing out

HTTPS = "public_url: https://login.example.test\n"
SITES = {
    "gatehouse": {},
    "__Host-gatehouse": {
        "public_url": "https://login.example.test", "access": {"rules": [{"host": "login.example.test", "require": {}}]},
    },
    "__Secure-gatehouse": {
        "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
        "access": {"rules": [{"host": "*.example.test", "require": {}}]},
    },
}


@pytest.mark.parametrize("name", SITES)
def test_signing_out_clears_what_signing_in_set_with_the_same_attributes(name):
    with Gateway.start(SITES[name]) as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        attributes = lambda answer: re.sub(r"^[^;]*|; Max-Age=\d+", "", answer.header("Set-Cookie"))
        opened = client.sign_in("lee")
        token = client.cookies[name]
        assert "Max-Age=86400" in opened.header("Set-Cookie")
        replay = lambda: gateway.request("GET", "/session", headers={"Cookie": f"{name}={token}"})
        assert replay().status == 200
        closed = client.delete("/session")
        assert closed.status == 204 and closed.header("Set-Cookie").startswith(f"{name}=;")
        assert "Max-Age=0" in closed.header("Set-Cookie") and attributes(closed) == attributes(opened)
        assert ("Domain=example.test" in attributes(closed)) == (name == "__Secure-gatehouse")
        assert replay().code == "session_required" and "Max-Age=0" in replay().header("Set-Cookie")
        for cookie in (f"{name}={token}", f"{name}={'A' * 43}", f"{name}=../x", ""):
            again = gateway.request("DELETE", "/session", headers={"Cookie": cookie} if cookie else {})
            assert again.status == 204 and attributes(again) == attributes(opened)
        assert replay().status == 401


# What browsers would refuse

RULES = "access: {rules: []}\n"


@pytest.mark.parametrize(
    "text, said",
    [
        # No prefix can be asked for along with a domain, another path or a plain scheme: they follow from what is set.
        (HTTPS + "sessions: {cookie: {name: __Host-x, domain: example.test}}", ["sessions.cookie.name: unknown key"]),
        (HTTPS + "sessions: {cookie: {path: /app}}", ["sessions.cookie.path: unknown key"]),
        ("public_url: http://localhost:9091\nsessions: {cookie: {domain: example.test}}",
         ["sessions.cookie.domain", "https public_url"]),
        (HTTPS + "sessions: {cookie: {domain: other.test}}", ["sessions.cookie.domain", "login.example.test", "other.test"]),
        (HTTPS + "sessions: {cookie: {domain: ogin.example.test}}", ["sessions.cookie.domain", "login.example.test"]),
        ("public_url: https://x.duckdns.org\nsessions: {cookie: {domain: duckdns.org}}",
         ["sessions.cookie.domain", "can be registered"]),
        ("public_url: https://x.co.uk\nsessions: {cookie: {domain: co.uk}}", ["sessions.cookie.domain", "can be registered"]),
        (HTTPS + "sessions: {cookie: {domain: localhost}}", ["sessions.cookie.domain", "can be registered"]),
        (HTTPS + "sessions: {cookie: {domain: 127.0.0.1}}", ["sessions.cookie.domain", "can be registered"]),
        (HTTPS + "sessions: {cookie: {domain: .example.test}}", ["sessions.cookie.domain", "without dots at its ends"]),
        (HTTPS + "sessions: {cookie: {domain: example.test.}}", ["sessions.cookie.domain", "without dots at its ends"]),
        (HTTPS + "sessions: {cookie: {domain: Example.test}}", ["sessions.cookie.domain", "in lower case"]),
    ],
)
def test_a_cookie_that_browsers_would_refuse_stops_the_start_with_the_reason(tmp_path, text, said):
    good = check(tmp_path, HTTPS + RULES + "sessions: {cookie: {domain: example.test}}\n")
    assert good.returncode == 0, good.stderr
    result = check(tmp_path, f"{text}\n{RULES}")
    assert result.returncode == 78 and all(words in result.stderr for words in said), result.stderr
