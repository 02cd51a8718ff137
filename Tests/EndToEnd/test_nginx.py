"""The shipped nginx configuration, run by nginx."""

import base64

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, register
from proxy import Nginx

BROWSER = {"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}
RULES = [
    {"host": "localhost", "paths": ["/public/**"], "allow": "anyone"},
    {"host": "localhost", "paths": ["/admin/**"], "require": {"groups": ["admin"]}},
    {"host": "localhost", "paths": ["/vault/**"], "require": {"assurance": "aal2"}},
    {"host": "localhost", "paths": ["/api/**"], "require": {"machines": ["token", "basic"]}},
    {"host": "localhost", "require": {"assurance": "aal1"}},
]


@pytest.fixture(scope="module")
def nginx():
    with Gateway.start({"access": {"rules": RULES}, "identity": {"token": True}}) as gateway:
        gateway.account_add("lee", display_name="Lee Löw", email="lee@example.test", groups=("staff",))
        with Nginx(gateway) as started:
            yield started


@pytest.fixture
def cookie(nginx):
    client = nginx.gateway.client()
    client.sign_in("lee")
    return {"Cookie": f"theme=dark; gatehouse={client.cookies['gatehouse']}"}


def seen(answer):
    """The headers that the application was sent; a name twice is a list."""
    headers = {}
    for name, value in answer.json["headers"]:
        headers.setdefault(name.lower(), []).append(value)
    return headers


def test_a_browser_is_sent_to_the_portal_and_back_to_the_very_address(nginx):
    target = "/p?a=1&b=2&next=https%3A%2F%2Fx.test%2F%3Fq%3D1%26r%3D2"
    answer = nginx.request("GET", target, BROWSER)
    assert answer.status == 302
    location = answer.header("Location")
    assert location.startswith(f"{nginx.gateway.origin}/sign-in?return_to=")
    import urllib.parse

    query = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)
    assert query["return_to"] == [f"http://localhost:{nginx.port}{target}"]


def test_a_script_is_told_to_sign_in(nginx):
    for headers in ({"Accept": "application/json"}, {**BROWSER, "Sec-Fetch-Mode": "cors"}):
        answer = nginx.request("GET", "/", headers)
        assert answer.status == 401 and not answer.header("Location")


def test_a_session_reaches_the_application_with_its_name_and_without_its_secret(nginx, cookie):
    answer = nginx.request("POST", "/x?a=1", cookie, body=b"hello")
    headers = seen(answer)
    assert answer.status == 200 and answer.json["body"] == "hello" and answer.json["target"] == "/x?a=1"
    assert headers["remote-user"] == ["lee"] and headers["remote-email"] == ["lee@example.test"]
    assert headers["remote-groups"] == ["staff"] and headers["remote-assurance"] == ["aal1"]
    assert headers["remote-methods"] == ["password"] and headers["cookie"] == ["theme=dark"]
    assert headers["remote-name"][0].encode("latin-1").decode() == "Lee Löw"
    assert cookie["Cookie"].split("gatehouse=")[1] not in answer.text


def test_machines_pass_and_the_application_sees_none_of_their_secrets(nginx):
    client = nginx.gateway.client()
    client.sign_in("lee")
    token = client.post("/tokens", {"name": "ci", "hosts": ["localhost"], "expiresIn": 3600}).json["token"]
    password = "Basic " + base64.b64encode(f"lee:{PASSWORD}".encode()).decode()
    for headers, left in (
        ({"Authorization": f"Bearer {token}"}, None), ({"Authorization": password}, None),
        ({"X-Gatehouse-Token": token, "Authorization": "Basic eDp5"}, None),
        ({"X-Gatehouse-Token": token, "Authorization": "Bearer theirs"}, ["Bearer theirs"]),
    ):
        answer = nginx.request("GET", "/api/x", headers)
        sent = seen(answer)
        assert answer.status == 200 and sent["remote-user"] == ["lee"] and sent.get("authorization") == left
        assert sent["remote-methods"] == ["basic" if headers.get("Authorization") == password else "token"]
        assert len(sent["remote-token"][0].split(".")) == 3
        assert token not in answer.text and password not in answer.text and "x-gatehouse-token" not in sent
    for headers in ({"Authorization": "Basic eDp5"}, {"X-Gatehouse-Token": token + "x"}):
        assert nginx.request("GET", "/api/x", headers).status == 401
    assert nginx.request("GET", "/x", {"Authorization": f"Bearer {token}"}).status == 401


def test_identity_headers_of_a_visitor_never_arrive(nginx, cookie):
    forged = {}
    for name in ("User", "Name", "Email", "Groups", "Assurance", "Methods", "Token"):
        forged |= {f"Remote-{name}": "admin", f"remote_{name}": "admin", f"Remote.{name}": "admin"}
    headers = seen(nginx.request("GET", "/public/", forged))
    assert not any(name.replace("_", "-").replace(".", "-").startswith("remote-") for name in headers)
    headers = seen(nginx.request("GET", "/", {**forged, **cookie}))
    assert "admin" not in str(headers) and headers["remote-user"] == ["lee"]


def test_a_visitor_can_not_choose_what_is_judged(nginx, cookie):
    for forged in (
        {"X-Original-URL": f"http://localhost:{nginx.port}/public/"}, {"X-Original-Method": "OPTIONS"},
        {"X-Forwarded-Uri": "/public/"}, {"X-Forwarded-Host": "localhost"}, {"X_Original_URL": "/public/"},
        {"X-Original-URL": ["http://localhost/public/", "http://localhost/public/"]},
    ):
        assert nginx.request("GET", "/secret", forged).status == 401
        assert nginx.request("GET", "/admin/", {**forged, **cookie}).status == 403


def test_an_absolute_target_is_judged_as_what_is_served(nginx, cookie):
    answer = nginx.request("GET", f"http://localhost:{nginx.port}/admin/x", {"Host": "localhost", **cookie})
    assert answer.status == 403
    answer = nginx.request("GET", f"http://localhost:{nginx.port}/admin/x", {"Host": "elsewhere.test"})
    assert answer.status in (401, 403)


def test_an_apps_token_does_not_reach_the_application_and_other_authorization_does(nginx):
    token = nginx.gateway.client().sign_in("lee", client="native").json["session"]["token"]
    headers = seen(nginx.request("GET", "/", {"Authorization": f"Bearer {token}"}))
    assert headers["remote-user"] == ["lee"] and "authorization" not in headers
    headers = seen(nginx.request("GET", "/public/", {"Authorization": "Basic dGhlaXJz"}))
    assert headers["authorization"] == ["Basic dGhlaXJz"]


def test_headers_that_choose_what_an_application_serves_never_arrive(nginx, cookie):
    names = ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "X-Forwarded-Port", "Forwarded", "X-Forwarded-Uri")
    headers = seen(nginx.request("GET", "/public/", {name: "/admin" for name in names}))
    assert not any(name.lower() in headers for name in names)


def test_forbidden_is_forbidden_and_open_is_open(nginx, cookie):
    assert nginx.request("GET", "/admin/x", cookie).status == 403
    assert nginx.request("GET", "/public/x").status == 200
    assert nginx.request("GET", "/publicx").status == 401


@pytest.mark.parametrize(
    "path", ["/public/..%2fadmin", "/public%2f..%2fadmin", "/public/%2e%2e/admin", "/public/../admin", "/public/..%5cadmin",
             "/public/%c0%ae%c0%ae/admin", "//admin", "/admin;x", "/%61dmin", "/public/..;/admin"],
)
def test_no_spelling_of_a_closed_path_is_open(nginx, path, cookie):
    for headers in ({}, cookie):
        assert nginx.request("GET", path, headers).status in (400, 401, 403)


def test_a_step_up_says_what_is_wanted(nginx, cookie):
    answer = nginx.request("GET", "/vault/x", {**cookie, **BROWSER})
    assert answer.status == 302 and answer.header("Location").endswith("&assurance=aal2")
    client, passkey = nginx.gateway.client(), Passkey()
    assert register(client, passkey, username="strong").status == 200
    strong = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert seen(nginx.request("GET", "/vault/x", strong))["remote-methods"] == ["passkey"]


def test_head_options_and_large_cookies_pass(nginx, cookie):
    assert nginx.request("HEAD", "/", cookie).status == 200
    assert nginx.request("OPTIONS", "/", cookie).status == 200
    large = {"Cookie": cookie["Cookie"] + "; big=" + "x" * 6_000}
    assert seen(nginx.request("GET", "/", large))["cookie"] == ["theme=dark; big=" + "x" * 6_000]


def test_many_and_large_headers_do_not_stand_in_the_way_of_the_check(nginx, cookie):
    large = {f"X-Large-{index}": "x" * 6_000 for index in range(4)}
    assert nginx.request("GET", "/", {**cookie, **large}).status == 200
    assert nginx.request("GET", "/", large).status == 401


def test_two_cookies_of_our_name_pass_nobody(nginx, cookie):
    planted = {"Cookie": [cookie["Cookie"], "gatehouse=" + "A" * 43]}
    assert nginx.request("GET", "/", planted).status == 401


def test_a_session_that_was_ended_is_out_at_once(nginx):
    client = nginx.gateway.client()
    client.sign_in("lee")
    cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert nginx.request("GET", "/", cookie).status == 200
    client.delete("/session")
    assert nginx.request("GET", "/", cookie).status == 401


def test_without_a_gateway_nobody_passes():
    with Gateway.start({"access": {"rules": RULES}}) as gateway:
        gateway.account_add("lee")
        with Nginx(gateway) as nginx:
            client = gateway.client()
            client.sign_in("lee")
            cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
            assert nginx.request("GET", "/", cookie).status == 200
            gateway.end()
            for path in ("/", "/public/"):
                assert nginx.request("GET", path, cookie).status == 500
            gateway.serve()
            assert nginx.request("GET", "/", cookie).status == 200, "a session outlives a restart"
