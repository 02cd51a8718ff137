"""Remote-Token: who a request is from, signed for one application, and verified as the documentation tells them to."""

import re
import time

import jwt
import pytest

from gateway import ROOT, Gateway
from passkey import Passkey, register, step_up

HOST = "app.example.test"
RULES = [
    {"host": HOST, "paths": ["/public/**"], "allow": "anyone"},
    {"host": "*.example.test", "require": {"machines": ["token", "basic"]}},
]
ISSUER = "https://login.example.test"


@pytest.fixture(scope="module")
def gateway():
    overrides = {
        "public_url": ISSUER, "sessions": {"cookie": {"domain": "example.test"}}, "access": {"rules": RULES},
        "identity": {"token": True},
    }
    with Gateway.start(overrides) as started:
        started.origin = ISSUER
        started.account_add("lee", display_name="Lee \u00d8.", email="lee@example.test", groups=("staff", "dev"))
        yield started


@pytest.fixture
def client(gateway):
    visitor = gateway.client()
    assert visitor.sign_in("lee").status == 200
    return visitor


def cookie(client):
    return {"Cookie": f"__Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}


def ask(gateway, path="/", host=HOST, **headers):
    sent = {"X-Original-URL": f"https://{host}{path}", "X-Original-Method": "GET", **headers}
    return gateway.request("GET", "/auth/nginx", headers=sent, listener="check")


def documented(gateway, host=HOST):
    """What the page's Python example says, with its names in place of ours and the keys from where the test listens."""
    page = (ROOT / "Sources/HTTPFront/HTTPFront.docc/RemoteToken.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    keys = f'"http://127.0.0.1:{gateway.ports["public"]}/.well-known/jwks.json"'
    code = code.replace('f"{ISSUER}/.well-known/jwks.json"', keys)
    code = code.replace("https://login.example.com", ISSUER).replace("app.example.com", host)
    names = {}
    exec(code, names)
    # The library fetches the list again no sooner than this many seconds after it did.
    names["keys"].cooldown_duration = 0
    return names["visitor"]


def test_the_documented_code_takes_it_and_learns_who_asks(gateway, client):
    token = ask(gateway, **cookie(client)).header("Remote-Token")
    claims = documented(gateway)(token)
    me = client.get("/session").json["account"]
    assert claims["iss"] == ISSUER and claims["aud"] == HOST and claims["sub"] == me["id"]
    assert claims["preferred_username"] == "lee" and claims["name"] == "Lee \u00d8."
    assert claims["email"] == "lee@example.test" and claims["groups"] == ["staff", "dev"]
    assert claims["acr"] == "aal1" and claims["amr"] == ["pwd"] and claims["methods"] == ["password"]
    assert claims["exp"] - claims["iat"] == 60 and abs(claims["iat"] - time.time()) < 35
    assert abs(claims["auth_time"] - time.time()) < 60
    header = jwt.get_unverified_header(token)
    assert header["alg"] == "ES256" and header["typ"] == "JWT"


def test_a_token_for_one_application_is_none_for_another(gateway, client):
    token = ask(gateway, host="other.example.test", **cookie(client)).header("Remote-Token")
    assert documented(gateway, "other.example.test")(token)["aud"] == "other.example.test"
    with pytest.raises(jwt.InvalidAudienceError):
        documented(gateway)(token)


@pytest.mark.parametrize("part", [0, 1, 2])
def test_one_changed_character_proves_nothing(gateway, client, part):
    verify = documented(gateway)
    parts = ask(gateway, **cookie(client)).header("Remote-Token").split(".")
    assert verify(".".join(parts))
    place = len(parts[part]) // 2
    turned = "A" if parts[part][place] != "A" else "B"
    parts[part] = parts[part][:place] + turned + parts[part][place + 1:]
    with pytest.raises(jwt.PyJWTError):
        verify(".".join(parts))


def test_it_is_kept_for_a_while_and_goes_with_the_session(gateway, client):
    before = cookie(client)
    first = ask(gateway, **before).header("Remote-Token")
    assert ask(gateway, **before).header("Remote-Token") == first
    passkey = Passkey()
    assert register(client, passkey).status == 200
    assert step_up(client, passkey, assurance="aal2").status == 200
    stronger = documented(gateway)(ask(gateway, **cookie(client)).header("Remote-Token"))
    assert stronger["acr"] == "aal2" and "mfa" in stronger["amr"] and stronger["methods"] == ["password", "passkey"]
    (listed,) = client.get("/passkeys").json["passkeys"]
    assert client.delete(f"/passkeys/{listed['id']}").status == 200
    assert ask(gateway, **cookie(client)).header("Remote-Token") is None


def test_a_changed_account_is_told_of_at_once(gateway):
    gateway.account_add("kim")
    client = gateway.client()
    client.sign_in("kim")
    assert documented(gateway)(ask(gateway, **cookie(client)).header("Remote-Token"))
    gateway.cli("account", "disable", "kim")
    while (answer := ask(gateway, **cookie(client))).status == 200:
        pass
    assert answer.header("Remote-Token") is None


def test_nobody_has_none_and_machines_have_theirs(gateway, client):
    assert ask(gateway, "/public/x").header("Remote-Token").strip() == ""
    assert ask(gateway).header("Remote-Token") is None
    made = client.post("/tokens", {"name": "ci", "hosts": [HOST], "expiresIn": 3600}).json["token"]
    claims = documented(gateway)(ask(gateway, Authorization=f"Bearer {made}").header("Remote-Token"))
    assert claims["preferred_username"] == "lee" and claims["methods"] == ["token"]
    assert claims["amr"] == [] and "auth_time" not in claims


def test_a_visitors_own_token_is_overwritten(gateway, client):
    mine = ask(gateway, **cookie(client)).header("Remote-Token")
    forged = ask(gateway, "/public/x", **{"Remote-Token": mine})
    assert forged.status == 200 and forged.header("Remote-Token").strip() == ""


def test_keys_are_published_and_are_public_alone(gateway):
    answer = gateway.request("GET", "/.well-known/jwks.json")
    assert answer.status == 200 and answer.header("Content-Type") == "application/json"
    assert answer.header("Cache-Control") == "public, max-age=300" and not answer.header("Set-Cookie")
    assert len(answer.json["keys"]) == 2
    for key in answer.json["keys"]:
        assert set(key) == {"kty", "crv", "x", "y", "use", "alg", "kid"}
        assert (key["kty"], key["crv"], key["use"], key["alg"]) == ("EC", "P-256", "sig", "ES256")


def test_a_restart_makes_new_keys_that_applications_fetch(gateway, client):
    verify = documented(gateway)
    before = ask(gateway, **cookie(client)).header("Remote-Token")
    assert verify(before)
    gateway.restart()
    after = ask(gateway, **cookie(client)).header("Remote-Token")
    assert verify(after)["preferred_username"] == "lee"
    assert jwt.get_unverified_header(before)["kid"] != jwt.get_unverified_header(after)["kid"]


def test_it_is_off_unless_it_is_asked_for():
    rules = [{"host": "localhost", "require": {}}]
    with Gateway.start({"access": {"rules": rules}}) as own:
        own.account_add("lee")
        client = own.client()
        client.sign_in("lee")
        sent = {"X-Original-URL": "http://localhost/", "X-Original-Method": "GET",
                "Cookie": f"gatehouse={client.cookies['gatehouse']}"}
        answer = own.request("GET", "/auth/nginx", headers=sent, listener="check")
        assert answer.status == 200 and answer.header("Remote-Token").strip() == ""
        assert own.request("GET", "/.well-known/jwks.json").json == {"keys": []}
