"""Every route that the API describes, asked by who is halfway in: a new one can't be forgotten here."""

import pytest

import apple_web
from described import ID, routes
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, b64, register, step_up

RULES = [
    {"host": "localhost", "paths": ["/public/**"], "allow": "anyone"},
    {"host": "localhost", "paths": ["/vault/**"], "require": {"assurance": "aal2"}},
    {"host": "localhost", "paths": ["/keys/**"], "require": {"kinds": ["passkey"]}},
    {"host": "localhost", "paths": ["/now/**"], "require": {"authenticated_within": "10m"}},
    {"host": "localhost", "paths": ["/admin/**"], "require": {"groups": ["admin"]}},
    {"host": "localhost", "paths": ["/scripts/**"], "require": {"machines": ["token", "basic"]}},
    {"host": "localhost", "require": {}},
]
DEVICE = {
    "platform": "ios", "appId": "com.example.app",
    "publicKeyJwk": {"kty": "EC", "crv": "P-256", "x": "A" * 43, "y": "A" * 43, "alg": "ES256"},
}
# Well made, and of no ceremony.
CREATED = Passkey().create({"user": {"id": b64(b"x" * 32)}, "challenge": b64(bytes(32)), "rp": {"id": "localhost"}}, "http://x")
GOT = Passkey().get({"challenge": b64(bytes(32)), "rpId": "localhost"}, "http://x")
# What those routes are asked with that read their body before they look who asks.
BODIES = {
    "/sign-in/options": {"stepUp": True},
    "/sign-in/verify": {"ceremonyId": ID, "credential": {"kind": "password", "identifier": "x", "password": PASSWORD}},
    "/passkeys/authenticate/verify": {"ceremonyId": ID, "response": GOT},
    "/passkeys/register/verify": {"ceremonyId": ID, "response": CREATED},
    "/passkeys/{id}": {"name": "x"},
    "/trusted-devices/register/options": DEVICE,
    "/trusted-devices/register/verify": {"ceremonyId": ID, "response": {"signature": "A" * 86}},
    "/trusted-devices/{id}": {"name": "x"},
    "/apple-ids/register/verify": {"ceremonyId": ID, "response": {"identityToken": "e30.e30.AAAA"}},
    "/apple-ids/{id}": {"name": "x"},
    "/recovery-codes/register/verify": {"ceremonyId": ID, "response": {"code": "AAAA-AAAA-AAAA-AAAA"}},
    "/recovery-codes/{id}": {"name": "x"},
    "/password": {"newPassword": "a quite different password"},
    "/offers/{id}": {"answer": "accepted"},
    "/tokens": {"name": "ci", "hosts": ["localhost"], "expiresIn": 3600},
    "/access/explain": {"url": "http://localhost/"},
}
# A ceremony names its session, and without one that began here there is none.
VERIFYING = {
    f"POST {path}" for path in (
        "/sign-in/verify", "/passkeys/authenticate/verify", "/passkeys/register/verify", "/trusted-devices/register/verify",
        "/apple-ids/register/verify", "/recovery-codes/register/verify",
    )
}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    from apple import Apple

    with Apple(tmp_path_factory.mktemp("apple")) as apple:
        settings = apple_web.settings(
            apple, access={"rules": RULES}, throttle={"free_failures": 1000},
            policy={"groups": [{"group": "admin", "assurance": "aal2"}]},
        )
        with Gateway.start(settings) as started:
            started.account_add("kim", groups=("admin",))
            started.passkey, client = Passkey(), started.client()
            assert client.sign_in("kim").json["status"] == "needs_enrollment"
            assert register(client, started.passkey).status == 200
            yield started


def checks(gateway, headers):
    """The statuses of the check for each level of rule, by two dialects."""
    for path in ("/", "/vault/x", "/keys/x", "/now/x", "/admin/x", "/scripts/x"):
        nginx = {"X-Original-URL": gateway.origin + path, "X-Original-Method": "GET"}
        forward = {
            "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "http", "X-Forwarded-Uri": path,
            "X-Forwarded-Host": f"localhost:{gateway.ports['public']}",
        }
        for dialect, asked in (("nginx", nginx), ("forward", forward)):
            yield gateway.request("GET", f"/auth/{dialect}", headers={**asked, **headers}, listener="check").status


def carriers(secret):
    return {"Cookie": f"gatehouse={secret}"}, {"Authorization": f"Bearer {secret}"}, {"X-Gatehouse-Token": secret}


def test_after_a_password_alone_every_route_is_as_shut_as_to_a_stranger(gateway):
    client = gateway.client()
    first = client.sign_in("kim")
    assert first.json["status"] == "needs_second_factor" and not client.cookies and not first.header("Set-Cookie")
    for headers in carriers(first.json["ceremonyId"]):
        for route in routes():
            answer = route.ask(gateway, BODIES.get(route.path), headers=headers)
            assert answer.status < 500 and answer.status not in (405, 415), (route, answer)
            if str(route) in VERIFYING:
                assert answer.code in ("ceremony_unknown", "session_required"), (route, answer)
            elif route.needs_session:
                assert answer.status == 401 and answer.code == "session_required", (route, headers, answer)
            assert "kim" not in answer.text and not any(
                cookie.startswith("gatehouse=") and not cookie.startswith("gatehouse=;")
                for cookie in answer.all_headers("Set-Cookie")
            ), route
        assert set(checks(gateway, headers)) == {401}
    assert gateway.request("POST", "/sign-in/options", json_body={"stepUp": True}).code == "session_required"
    owner = gateway.client()
    assert authenticate(owner, gateway.passkey).json["session"]["assurance"] == "aal2"
    assert set(checks(gateway, {"Cookie": f"gatehouse={owner.cookies['gatehouse']}"})) == {200}


def restricted_by_policy(gateway):
    name = f"new{len(gateway.cli('account', 'list').stdout)}"
    gateway.account_add(name, groups=("admin",))
    client = gateway.client()
    assert client.sign_in(name).json["session"]["scope"] == "first-passkey"
    return client


def restricted_by_recovery(gateway):
    client = gateway.client()
    answer = client.post("/recovery", {"token": gateway.recovery_link("kim").split("#")[1]})
    assert answer.json["session"]["scope"] == "enrollment"
    return client


# What each kind of restricted session is for, and what any may; with the code where it isn't a yes.
ANY = {"GET /session": 200, "POST /passkeys/register/options": 200}
MAY = {
    restricted_by_policy: {**ANY, "DELETE /session": 204},
    restricted_by_recovery: {**ANY, "PUT /password": 204, "DELETE /session": 204},
}


@pytest.mark.parametrize("restricted", MAY)
def test_a_session_that_may_only_enrol_opens_nothing_else(gateway, restricted):
    client = restricted(gateway)
    headers = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert set(checks(gateway, headers)) == {401}
    for route in routes():
        if str(route) in MAY[restricted]:
            continue
        body = BODIES.get(route.path)
        answer = route.ask(gateway, body, headers=headers)
        if not route.reads_session:
            # A stranger gets the same.
            assert answer.status == route.ask(gateway, body, headers={"Cookie": f"gatehouse={'A' * 43}"}).status, route
        elif str(route) in VERIFYING:
            assert answer.status in (400, 403) and answer.code in ("ceremony_unknown", "step_up_required"), (route, answer)
        else:
            assert answer.status == 403 and answer.code == "step_up_required", (route, answer)
    # Signing out comes last.
    known = {str(route): route for route in routes()}
    for name, status in MAY[restricted].items():
        route = known[name]
        assert route.ask(gateway, BODIES.get(route.path), headers=headers).status == status, name
    assert gateway.request("GET", "/session", headers=headers).status == 401


def test_a_passkey_alone_counts_as_what_it_is_and_once(gateway):
    client = gateway.client()
    assert authenticate(client, gateway.passkey).json["session"]["methods"] == ["passkey"]
    again = step_up(client, gateway.passkey)
    assert again.json["session"]["methods"] == ["passkey"] and again.json["session"]["assurance"] == "aal2"
    # One that verifies nobody is one factor, however often it is used.
    weak, visitor = Passkey(verifies=False), gateway.client()
    assert register(visitor, weak).json["session"]["assurance"] == "aal1"
    for _ in range(2):
        assert step_up(visitor, weak).json["session"]["assurance"] == "aal1"
    cookie = {"Cookie": f"gatehouse={visitor.cookies['gatehouse']}"}
    vault = {"X-Original-URL": f"{gateway.origin}/vault/x", "X-Original-Method": "GET", **cookie}
    assert gateway.request("GET", "/auth/nginx", headers=vault, listener="check").status == 401
