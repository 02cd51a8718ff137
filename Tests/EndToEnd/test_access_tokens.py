"""Personal access tokens: made in a fresh session, good for the check where a rule takes them, and for nothing else."""

import base64
import sqlite3
import time
import zlib

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, register

HOST = "api.example.test"
RULES = [
    {"host": HOST, "paths": ["/public/**"], "allow": "anyone"},
    {"host": HOST, "paths": ["/admin/**"], "require": {"groups": ["admin"], "machines": ["token"]}},
    {"host": HOST, "paths": ["/vault/**"], "require": {"assurance": "aal2"}},
    {"host": HOST, "paths": ["/strong/**"], "require": {"assurance": "aal2", "machines": ["token"]}},
    {"host": HOST, "paths": ["/people/**"], "require": {"groups": ["staff"]}},
    {"host": HOST, "require": {"machines": ["token"]}},
    {"host": "app.example.test", "require": {}},
    {"host": "*.apis.example.test", "require": {"machines": ["token"]}},
]
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def gateway():
    overrides = {
        "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
        "access": {"rules": RULES}, "throttle": {"free_failures": 1000}, "accounts": {"signup": "open"},
        "machines": {"tokens": {"quota": 8}},
    }
    with Gateway.start(overrides) as started:
        started.origin = "https://login.example.test"
        yield started


_names = iter(range(1_000_000))


@pytest.fixture
def owner(gateway):
    name = f"owner{next(_names)}"
    gateway.account_add(name, display_name="Owner O.", email=f"{name}@example.test", groups=("staff",))
    client = gateway.client()
    assert client.sign_in(name).status == 200
    client.name = name
    return client


def make(client, **changes):
    body = {"name": "ci", "hosts": [HOST], "expiresIn": 3600, **changes}
    return client.post("/tokens", {key: value for key, value in body.items() if value is not None})


def ask(gateway, path="/", method="GET", host=HOST, dialect="nginx", **headers):
    if dialect == "nginx":
        sent = {"X-Original-URL": f"https://{host}{path}", "X-Original-Method": method}
    else:
        sent = {
            "X-Forwarded-Method": method, "X-Forwarded-Proto": "https", "X-Forwarded-Host": host,
            "X-Forwarded-Uri": path,
        }
    return gateway.request("GET", f"/auth/{dialect}", headers={**sent, **headers}, listener="check")


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def checksum(text):
    rest, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        digits = BASE62[digit] + digits
    return digits


def test_a_token_is_shown_once_and_says_who_asks(gateway, owner):
    made = make(owner, methods=["GET"], paths=["/v1/**"])
    assert made.status == 200 and made.header("Cache-Control") == "no-store"
    token, stored = made.json["token"], made.json["accessToken"]
    assert token.startswith("gh_pat_") and len(token) == 45 and token[39:] == checksum(token[7:39])
    assert stored["hosts"] == [HOST] and stored["paths"] == ["/v1/**"] and stored["methods"] == ["GET"]
    assert stored["lastUsedAt"] is None and stored["expiresAt"] > stored["createdAt"]
    for dialect in ("nginx", "forward"):
        answer = ask(gateway, "/v1/x", dialect=dialect, **bearer(token))
        assert answer.status == 200 and answer.header("Remote-User") == owner.name
        assert answer.header("Remote-Name") == "Owner O." and answer.header("Remote-Groups") == "staff"
        assert answer.header("Remote-Methods") == "token" and answer.header("Remote-Assurance") == "aal1"
        assert answer.header("Authorization").strip() == ""
    listed = owner.get("/tokens")
    assert [each["id"] for each in listed.json["tokens"]] == [stored["id"]] and token not in listed.text


def test_a_header_of_its_own_leaves_authorization_to_the_application(gateway, owner):
    token = make(owner).json["token"]
    theirs = {"Authorization": "Basic dGhlaXJzOnNlY3JldA=="}
    answer = ask(gateway, **{"X-Gatehouse-Token": token}, **theirs)
    assert answer.status == 200 and answer.header("Remote-User") == owner.name
    assert answer.header("Authorization") == theirs["Authorization"]
    assert answer.header("X-Gatehouse-Token").strip() == ""
    # Proxies send an empty header for one that they were not sent.
    assert ask(gateway, **{"X-Gatehouse-Token": "", **bearer(token)}).status == 200
    # Two tokens are one too many, whichever of them is good.
    other = make(owner).json["token"]
    assert ask(gateway, **{"X-Gatehouse-Token": token}, **bearer(other)).status == 401
    assert ask(gateway, **{"X-Gatehouse-Token": "x"}, **bearer(other)).status == 401
    assert ask(gateway, **bearer(other)).status == 200


@pytest.mark.parametrize(
    "path, method, host",
    [("/v2/x", "GET", HOST), ("/v1/x", "POST", HOST), ("/V1/x", "GET", HOST), ("/v1x", "GET", HOST),
     ("/v1/x", "GET", "b.apis.example.test")],
)
def test_a_token_reaches_no_further_than_its_scope(gateway, owner, path, method, host):
    token = make(owner, hosts=[HOST, "a.apis.example.test"], paths=["/v1/**"], methods=["GET"]).json["token"]
    assert ask(gateway, "/v1/x", **bearer(token)).status == 200
    assert ask(gateway, "/v1/x", host="a.apis.example.test", **bearer(token)).status == 200
    assert ask(gateway, path, method, host, **bearer(token)).status == 403


def test_a_rule_takes_tokens_only_where_it_says_so(gateway, owner):
    token = make(owner).json["token"]
    assert ask(gateway, "/strong/x", **bearer(token)).status == 200
    for path in ("/vault/x", "/people/x"):
        assert ask(gateway, path, **bearer(token)).status == 401, path
    assert ask(gateway, host="app.example.test", **bearer(token)).status == 401
    assert ask(gateway, "/admin/x", **bearer(token)).status == 403
    assert ask(gateway, host="other.example.test", **bearer(token)).status == 403
    anyone = ask(gateway, "/public/x", **bearer(token))
    assert anyone.status == 200 and anyone.header("Remote-User").strip() == ""
    assert anyone.header("Authorization").strip() == ""


def test_what_is_no_token_is_as_good_as_none(gateway, owner):
    token = make(owner).json["token"]
    assert ask(gateway, **bearer(token)).status == 200
    turned = token[:20] + ("A" if token[20] != "A" else "B") + token[21:]
    unknown = "gh_pat_" + "A" * 32 + checksum("A" * 32)
    for text in (turned, unknown, turned[:39] + checksum(turned[7:39]), token[:-1], token + "A", token.upper(),
                 "gh_pat_", token + " ", token[7:], "gh_pat_" + "é" * 38):
        headers = {"Authorization": f"Bearer {text}".encode().decode("latin-1")}
        if text == token + " ":
            headers = {"Authorization": f"Bearer {token} {token}"}
        assert ask(gateway, **headers).status == 401, text
    for scheme in ("Token", "Basic", "bearerx"):
        assert ask(gateway, Authorization=f"{scheme} {token}").status == 401
    assert ask(gateway, Authorization=f"bEARER {token}").status == 200


def test_a_revoked_token_is_out_at_once(gateway, owner):
    made = make(owner).json
    assert ask(gateway, **bearer(made["token"])).status == 200
    stranger = gateway.client()
    gateway.account_add(f"{owner.name}-x")
    stranger.sign_in(f"{owner.name}-x")
    assert stranger.delete(f"/tokens/{made['accessToken']['id']}").code == "not_found"
    assert stranger.get("/tokens").json == {"tokens": []}
    assert ask(gateway, **bearer(made["token"])).status == 200
    assert owner.delete(f"/tokens/{made['accessToken']['id']}").status == 204
    assert ask(gateway, **bearer(made["token"])).status == 401
    assert owner.delete(f"/tokens/{made['accessToken']['id']}").code == "not_found"
    events = gateway.cli("account", "show", owner.name).stdout
    assert "credential_enrolled token" in events and "credential_removed token" in events


def test_a_token_expires_although_it_is_in_use(gateway, owner):
    token = make(owner).json["token"]
    assert ask(gateway, **bearer(token)).status == 200
    database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", timeout=10)
    with database:
        database.execute("UPDATE access_token SET expires_at = ? WHERE account = (SELECT id FROM account WHERE"
                         " username = ?)", (int(time.time() * 1000) + 1500, owner.name))
    database.close()
    deadline = time.monotonic() + 10
    while ask(gateway, **bearer(token)).status == 200:
        assert time.monotonic() < deadline
    assert ask(gateway, **bearer(token)).status == 401


def test_commands_list_and_revoke_tokens_of_a_running_gateway(gateway, owner):
    first, second, third = (make(owner, name=name).json for name in ("one", "two", "three"))
    listed = gateway.cli("token", "list", owner.name).stdout
    assert "one: api.example.test" in listed and first["token"] not in listed and "never used" in listed
    revoked = gateway.cli("token", "revoke", owner.name, "--id", first["accessToken"]["id"])
    assert revoked.stdout == "Revoked 1.\n"
    deadline = time.monotonic() + 10
    while ask(gateway, **bearer(first["token"])).status == 200:
        assert time.monotonic() < deadline
    assert ask(gateway, **bearer(second["token"])).status == 200
    missing = gateway.cli("token", "revoke", owner.name, "--id", first["accessToken"]["id"], check=False)
    assert missing.returncode == 67
    assert gateway.cli("token", "revoke", owner.name).stdout == "Revoked 2.\n"
    while any(ask(gateway, **bearer(each["token"])).status == 200 for each in (second, third)):
        assert time.monotonic() < deadline


def test_an_account_that_is_disabled_or_recovered_has_no_tokens(gateway, owner):
    token = make(owner).json["token"]
    assert ask(gateway, **bearer(token)).status == 200
    gateway.cli("account", "disable", owner.name)
    while ask(gateway, **bearer(token)).status == 200:
        pass
    gateway.cli("account", "enable", owner.name)
    while ask(gateway, **bearer(token)).status == 401:
        pass
    link = gateway.recovery_link(owner.name).split("#")[1]
    assert ask(gateway, **bearer(token)).status == 200
    assert gateway.client().post("/recovery", {"token": link}).status == 200
    assert ask(gateway, **bearer(token)).status == 401


def test_a_changed_password_revokes_tokens_unless_they_are_to_be_kept(gateway, owner):
    token = make(owner).json["token"]
    new = "another horse battery staple"
    kept = {"currentPassword": PASSWORD, "newPassword": new, "keepAccessTokens": True}
    assert owner.put("/password", kept).status == 204
    assert ask(gateway, **bearer(token)).status == 200
    assert owner.put("/password", {"currentPassword": new, "newPassword": PASSWORD}).status == 204
    assert ask(gateway, **bearer(token)).status == 401


def test_tokens_outlive_signing_out(gateway, owner):
    token = make(owner).json["token"]
    assert owner.delete("/sessions").status == 204 and owner.delete("/session").status == 204
    assert ask(gateway, **bearer(token)).status == 200


def test_making_one_needs_a_fresh_session_and_says_what_for(gateway):
    overrides = {"policy": {"fresh": "30s", "settling": "0s"},
                 "access": {"rules": [{"host": "localhost", "require": {"machines": ["token"]}}]}}
    with Gateway.start(overrides) as own:
        own.account_add("lee")
        client = own.client()
        client.sign_in("lee")
        assert make(client, hosts=["localhost"]).status == 200
        assert register(client, Passkey()).status == 200
        # A password alone plants no token beside a passkey.
        other = own.client()
        other.sign_in("lee")
        refused = make(other, hosts=["localhost"])
        assert refused.code == "fresh_session_required" and refused.json["kinds"] == ["passkey"]
        restricted = own.client()
        restricted.post("/recovery", {"token": own.recovery_link("lee").split("#")[1]})
        assert make(restricted, hosts=["localhost"]).code == "step_up_required"
        assert restricted.get("/tokens").code == "step_up_required"
        assert make(own.client(), hosts=["localhost"]).code == "session_required"


@pytest.mark.parametrize(
    "changes",
    [{"hosts": ["app.example.test"]}, {"hosts": ["*.example.test", "x"]}, {"hosts": []}, {"hosts": ["*"]},
     {"hosts": ["api example"]}, {"paths": []}, {"paths": ["x"]}, {"paths": ["/a?b"]}, {"paths": ["/a?\n/"]},
     {"methods": []}, {"methods": ["get"]}, {"methods": ["GET\n"]}, {"name": ""}, {"name": "a\nb"},
     {"name": "x" * 65}, {"expiresIn": 0}, {"expiresIn": 59}, {"expiresIn": -1}, {"expiresIn": 91 * 86_400},
     {"expiresIn": 2**62}, {"paths": ["/x"] * 33}],
)
def test_a_token_that_makes_no_sense_is_not_made(gateway, owner, changes):
    assert make(owner, **changes).code == "invalid_value"
    assert owner.get("/tokens").json == {"tokens": []}


@pytest.mark.parametrize("member", ["name", "hosts", "expiresIn"])
def test_name_hosts_and_an_end_are_not_optional(owner, member):
    assert make(owner, **{member: None}).code == "malformed_request"


def test_a_wildcard_reaches_one_label(gateway, owner):
    token = make(owner, hosts=["*.apis.example.test"]).json["token"]
    assert ask(gateway, host="a.apis.example.test", **bearer(token)).status == 200
    assert ask(gateway, host="a.b.apis.example.test", **bearer(token)).status == 403
    assert ask(gateway, **bearer(token)).status == 403


def test_there_are_no_more_than_the_quota(gateway, owner):
    for _ in range(8):
        assert make(owner).status == 200
    assert make(owner).code == "quota_exceeded"
    first = owner.get("/tokens").json["tokens"][0]["id"]
    assert owner.delete(f"/tokens/{first}").status == 204 and make(owner).status == 200


def test_the_api_takes_no_token_anywhere(gateway, owner):
    token = make(owner).json["token"]
    assert ask(gateway, **bearer(token)).status == 200
    basic = {"Authorization": "Basic " + base64.b64encode(f"{owner.name}:{PASSWORD}".encode()).decode()}
    calls = [
        ("POST", "/passkeys/register/options", {}), ("POST", "/passkeys/register/options", {"username": "new"}),
        ("POST", "/trusted-devices/register/options", {}), ("POST", "/recovery-codes/register/options", {}),
        ("POST", "/sign-in/options", {"stepUp": True}), ("PUT", "/password", {"newPassword": PASSWORD}),
        ("DELETE", "/password", {}), ("GET", "/session", None), ("GET", "/sessions", None), ("DELETE", "/sessions", None),
        ("GET", "/tokens", None), ("POST", "/tokens", {"name": "x", "hosts": [HOST], "expiresIn": 3600}),
        ("GET", "/passkeys", None), ("POST", "/offers/AAAAAAAAAAAAAAAAAAAAAA", {"answer": "accepted"}),
    ]
    for method, path, body in calls:
        answer = gateway.request(method, path, json_body=body, headers=bearer(token))
        assert answer.code == "session_required", (method, path, answer)
    for headers in ({"X-Gatehouse-Token": token}, basic):
        for method, path, body in calls:
            if path.startswith("/passkeys/register"):
                continue  # where sign-up is open nobody needs a session for it
            answer = gateway.request(method, path, json_body=body, headers=headers)
            assert answer.code == "session_required", (method, path, answer)
    assert owner.get("/passkeys").json == {"passkeys": []}


def test_a_session_goes_first_and_one_that_is_over_does_not_count(gateway, owner):
    token = make(owner).json["token"]
    gateway.account_add(f"{owner.name}-y")
    other = gateway.client()
    other.sign_in(f"{owner.name}-y")
    cookie = {"Cookie": f"__Secure-gatehouse={other.cookies['__Secure-gatehouse']}"}
    assert ask(gateway, **cookie, **bearer(token)).header("Remote-User") == f"{owner.name}-y"
    other.delete("/session")
    assert ask(gateway, **cookie, **bearer(token)).header("Remote-User") == owner.name
    twice = {"Cookie": cookie["Cookie"] + f"; __Secure-gatehouse={'A' * 43}"}
    assert ask(gateway, **twice, **bearer(token)).status == 401


def test_the_last_use_is_kept_and_no_secret_is(gateway, owner):
    token = make(owner).json["token"]
    assert ask(gateway, **bearer(token)).status == 200
    deadline = time.monotonic() + 20
    while owner.get("/tokens").json["tokens"][0]["lastUsedAt"] is None:
        assert time.monotonic() < deadline
    database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", timeout=10)
    dump = "\n".join(database.iterdump())
    database.close()
    secret = token[7:]
    assert secret not in dump and secret.encode().hex().lower() not in dump.lower()
    assert secret[:8] not in gateway.log
