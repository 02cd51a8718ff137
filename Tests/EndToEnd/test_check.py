"""The access check, asked directly: the same decision for each dialect, and no by default."""

import http.client

import pytest

from gateway import Gateway
from passkey import Passkey, register, step_up

RULES = [
    {"host": "app.example.test", "paths": ["/public/**"], "allow": "anyone"},
    {"host": "app.example.test", "methods": ["OPTIONS"], "allow": "anyone"},
    {"host": "app.example.test", "paths": ["/admin/**"], "require": {"groups": ["admin"]}},
    {"host": "app.example.test", "paths": ["/vault/**"], "require": {"assurance": "aal2", "authenticated_within": "10m"}},
    {"host": "app.example.test", "require": {"assurance": "aal1"}},
    {"host": "xn--bcher-kva.example.test", "allow": "anyone"},
]
BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate"}
LINK = "https://login.example.test/sign-in?return_to="


@pytest.fixture(scope="module")
def gateway():
    overrides = {
        "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
        "access": {"rules": RULES}, "throttle": {"free_failures": 1000}, "accounts": {"signup": "open"},
    }
    with Gateway.start(overrides) as started:
        started.origin = "https://login.example.test"
        started.account_add("lee", display_name="Lee L.", email="lee@example.test", groups=("staff", "dev"))
        yield started


@pytest.fixture
def cookie(gateway):
    client = gateway.client()
    assert client.sign_in("lee").status == 200
    return {"Cookie": f"theme=dark; __Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}


def nginx(gateway, path="/", method="GET", host="app.example.test", scheme="https", **headers):
    sent = {"X-Original-URL": f"{scheme}://{host}{path}", "X-Original-Method": method, **headers}
    return gateway.request("GET", "/auth/nginx", headers=sent, listener="check")


def forwarded(proxy):
    """A check by one of those that describe the request in four headers."""

    def check(gateway, path="/", method="GET", host="app.example.test", scheme="https", **headers):
        sent = {
            "X-Forwarded-Method": method, "X-Forwarded-Proto": scheme, "X-Forwarded-Host": host, "X-Forwarded-Uri": path,
            **headers,
        }
        return gateway.request("GET", f"/auth/{proxy}", headers=sent, listener="check")

    check.__name__ = proxy
    return check


forward, haproxy, apache = forwarded("forward"), forwarded("haproxy"), forwarded("apache")


def envoy(gateway, path="/", method="GET", host="app.example.test", scheme="https", **headers):
    sent = {"Host": host, "X-Forwarded-Proto": scheme, **headers}
    return gateway.request(method, "/auth/envoy" + path, headers=sent, listener="check")


DIALECTS = [nginx, forward, envoy, haproxy, apache]
every_dialect = pytest.mark.parametrize("check", DIALECTS, ids=lambda check: check.__name__)


def malformed(check):
    """The status for what can't be read: nginx makes 500 of 400."""
    return 403 if check is nginx else 400


@every_dialect
def test_a_session_passes_and_says_who_it_is(gateway, check, cookie):
    answer = check(gateway, "/x?a=1", **cookie)
    assert answer.status == 200 and answer.body == b"" and answer.header("Cache-Control") == "no-store"
    assert answer.header("Remote-User") == "lee" and answer.header("Remote-Name") == "Lee L."
    assert answer.header("Remote-Email") == "lee@example.test" and answer.header("Remote-Groups") == "staff,dev"
    assert answer.header("Remote-Assurance") == "aal1" and answer.header("Remote-Methods") == "password"
    assert answer.header("Remote-Token").strip() == "" and answer.header("Cookie") == "theme=dark"


@every_dialect
def test_every_identity_header_is_always_there(gateway, check):
    answer = check(gateway, "/public/x")
    assert answer.status == 200
    for name in ("User", "Name", "Email", "Groups", "Assurance", "Methods", "Token"):
        assert answer.header(f"Remote-{name}").strip() == ""
    assert answer.header("Cookie").strip() == ""


def test_a_bearer_of_ours_does_not_reach_the_application_and_others_do(gateway):
    token = gateway.client().sign_in("lee", client="native").json["session"]["token"]
    answer = nginx(gateway, Authorization=f"Bearer {token}")
    assert answer.status == 200 and answer.header("Remote-User") == "lee" and answer.header("Authorization").strip() == ""
    assert nginx(gateway, "/public/", Authorization="Bearer theirs").header("Authorization") == "Bearer theirs"


def test_strangers_are_sent_to_the_portal_or_told_so(gateway):
    target = "/p?a=1&b=2&next=https%3A%2F%2Fx.test%2F%3Fq%3D1%26r%3D2;x=+%2B"
    escaped = "https%3A%2F%2Fapp.example.test%2Fp%3Fa%3D1%26b%3D2%26next%3Dhttps%253A%252F%252Fx.test%252F%253Fq%253D1%2526r%253D2%3Bx%3D%2B%252B"
    for check in (nginx, apache):
        answer = check(gateway, target, "POST", **BROWSER)
        assert answer.status == 401 and answer.header("Location") == LINK + escaped
    for check in (forward, envoy, haproxy):
        for method, status in (("GET", 302), ("HEAD", 302), ("POST", 303), ("DELETE", 303)):
            answer = check(gateway, target, method, **BROWSER)
            assert answer.status == status and answer.header("Location") == LINK + escaped
    # A proxy may send an empty header for one that was not sent.
    silent = {"Accept": "text/html", "Sec-Fetch-Mode": "", "Upgrade": "", "X-Requested-With": "", "Authorization": ""}
    assert forward(gateway, target, **silent).status == 302
    for headers in (
        {"Accept": "application/json"}, {}, {**BROWSER, "Sec-Fetch-Mode": "cors"}, {"Accept": "image/png"},
        {**BROWSER, "Upgrade": "websocket"}, {**BROWSER, "X-Requested-With": "XMLHttpRequest"},
    ):
        for check in DIALECTS:
            answer = check(gateway, target, **headers)
            assert answer.status == 401 and not answer.header("Location") and answer.header("WWW-Authenticate")


@every_dialect
def test_a_missing_group_is_forbidden_and_an_unknown_host_is_too(gateway, check, cookie):
    assert check(gateway, "/admin/x", **cookie).status == 403
    assert check(gateway, "/", host="other.example.test", **cookie).status == 403
    assert check(gateway, "/", host="other.example.test", **BROWSER).status == 403


def test_a_rule_that_asks_for_more_gets_it_by_step_up(gateway):
    client, passkey = gateway.client(), Passkey()
    client.sign_in("lee")
    cookie = lambda: {"Cookie": f"__Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}
    answer = nginx(gateway, "/vault/x", **cookie(), **BROWSER)
    assert answer.status == 401
    assert answer.header("Location").endswith("&assurance=aal2&max_age=600")
    assert answer.header("WWW-Authenticate") == (
        'Bearer error="insufficient_user_authentication", acr_values="aal2", max_age="600"'
    )
    assert forward(gateway, "/vault/x", **cookie(), **BROWSER).status == 302
    assert register(client, passkey).status == 200
    before = cookie()
    assert step_up(client, passkey, assurance="aal2").status == 200
    assert nginx(gateway, "/vault/x", **cookie()).status == 200
    # Requests that were under way still pass where they passed before, and only there.
    assert nginx(gateway, "/", **before).status == 200 and nginx(gateway, "/vault/x", **before).status == 401
    listed = client.get("/passkeys").json["passkeys"]
    assert client.delete(f"/passkeys/{listed[0]['id']}").status == 200
    assert nginx(gateway, "/", **cookie()).status == 401


@every_dialect
def test_a_session_that_was_ended_is_out_at_once(gateway, check):
    client = gateway.client()
    client.sign_in("lee")
    cookie = {"Cookie": f"__Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}
    assert check(gateway, **cookie).status == 200
    client.delete("/session")
    assert check(gateway, **cookie).status == 401


def test_headers_beyond_all_measure_are_refused_and_the_next_check_is_answered(gateway, cookie):
    for headers in (
        {"Cookie": "x=" + "y" * 65_536}, {"X-Large": "y" * 200_000}, {f"X-{index}": "y" for index in range(5_000)},
        {**cookie, "Cookie": cookie["Cookie"] + "; x=" + "y" * 65_536},
    ):
        for check in DIALECTS:
            try:
                assert check(gateway, "/", **headers).status in (400, 431)
            except (ConnectionError, http.client.HTTPException):
                pass  # cut, which is as good
    assert nginx(gateway, "/", **cookie).status == 200


def test_a_session_that_may_only_enrol_passes_no_check(gateway):
    token = gateway.recovery_link("lee").split("#")[1]
    client = gateway.client()
    answer = client.post("/recovery", {"token": token})
    assert answer.json["status"] == "needs_enrollment" and answer.json["session"]["restricted"]
    cookie = {"Cookie": f"__Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}
    assert nginx(gateway, **cookie).status == 401 and forward(gateway, "/vault/", **cookie).status == 401
    assert nginx(gateway, "/public/", **cookie).header("Remote-User").strip() == ""
    assert client.get("/session").json["restricted"]
    for method, path in (
        ("GET", "/sessions"), ("DELETE", "/sessions"), ("GET", "/passkeys"), ("DELETE", "/password"),
        ("DELETE", "/passkeys/AAAAAAAAAAAAAAAAAAAAAA"), ("POST", "/offers/AAAAAAAAAAAAAAAAAAAAAA"),
        ("GET", "/trusted-devices"),
    ):
        assert client.request(method, path, json_body={"answer": "accepted"}).code == "step_up_required", path
    assert client.post("/sign-in/options", {"stepUp": True}).code == "step_up_required"
    jwk = {"kty": "EC", "crv": "P-256", "x": "A" * 43, "y": "A" * 43}
    device = {"platform": "ios", "appId": "com.example.app", "publicKeyJwk": jwk}
    assert client.post("/trusted-devices/register/options", device).code == "step_up_required"
    assert client.post("/recovery", {"token": token}).code == "ceremony_consumed"
    assert client.delete("/session").status == 204


@every_dialect
@pytest.mark.parametrize(
    "path",
    ["/public/../admin", "/public/%2e%2e/admin", "/public/..%2fadmin", "/public%2f..%2fadmin", "/./admin",
     "/public/..%5cadmin", "/public/%5c..%5cadmin", "/public/%c0%ae%c0%ae/admin", "/public/.%00./admin", "/%zz",
     "/public/..;/admin", "/public/%252e%252e/admin", "/public\\..\\admin", "/public%2fadmin", "/public/%2fadmin"],
)
def test_paths_that_servers_read_differently_are_refused(gateway, check, path, cookie):
    for headers in ({}, cookie):
        assert check(gateway, path, **headers).status == malformed(check)


@every_dialect
@pytest.mark.parametrize("path", ["//admin", "/%61dmin", "/admin;x", "/admin", "/admin/", "//admin//x", "/ADMIN", "/%41dmin"])
def test_spellings_of_one_path_get_one_verdict(gateway, check, path, cookie):
    assert check(gateway, path, **cookie).status == 403
    assert check(gateway, path).status == 401


@every_dialect
@pytest.mark.parametrize("path", ["/publicx", "/publi", "/public-internal", "/PUBLIC/", "/x/public/", "/p", "/public.", "/public%20"])
def test_a_prefix_ends_at_a_segment(gateway, check, path):
    assert check(gateway, path).status == 401
    assert check(gateway, "/public").status == 200 and check(gateway, "/public/").status == 200


@every_dialect
@pytest.mark.parametrize("host", ["APP.Example.Test", "app.example.test.", "app.example.test:443"])
def test_spellings_of_one_host_get_one_verdict(gateway, check, host, cookie):
    assert check(gateway, "/public/", host=host).status == 200
    assert check(gateway, "/admin", host=host, **cookie).status == 403


@pytest.mark.parametrize("check", [forward, haproxy, apache], ids=lambda check: check.__name__)
def test_a_space_before_a_host_is_no_part_of_it(gateway, check, cookie):
    assert check(gateway, "/public/", host=" app.example.test").status == 200
    assert check(gateway, "/admin", host=" app.example.test", **cookie).status == 403


@every_dialect
def test_a_name_in_another_script_is_its_a_label_or_nothing(gateway, check, host="b\u00fccher.example.test"):
    assert check(gateway, "/", host="xn--bcher-kva.example.test").status == 200
    assert check(gateway, "/", host="XN--Bcher-KVA.example.test").status == 200
    assert check(gateway, "/", host=host.encode().decode("latin-1")).status == malformed(check)


@every_dialect
@pytest.mark.parametrize("host", ["", "a b.test", "app.example.test@evil.test", "[::1", "app_\u00e9.test", "app.example.test:0"])
def test_a_host_that_is_none_is_refused(gateway, check, host, cookie):
    answer = check(gateway, "/public/", host=host.encode().decode("latin-1"), **cookie)
    assert answer.status in (400, 403)


FORWARDED = ["X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri"]
REQUIRED = {
    nginx: ["X-Original-URL", "X-Original-Method"], forward: FORWARDED, haproxy: FORWARDED, apache: FORWARDED,
    envoy: ["Host", "X-Forwarded-Proto"],
}


@every_dialect
@pytest.mark.parametrize("value", [None, "", "   "])
def test_each_required_header_must_be_there_and_say_something(gateway, check, value, cookie):
    path = "/auth/envoy/public/" if check is envoy else f"/auth/{check.__name__}"
    whole = {
        "Host": "app.example.test", "X-Original-URL": "https://app.example.test/public/", "X-Original-Method": "GET",
        "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "app.example.test",
        "X-Forwarded-Uri": "/public/",
    }
    assert gateway.request("GET", path, headers=whole, listener="check").status == 200
    for name in REQUIRED[check]:
        headers = {key: text for key, text in whole.items() if key != name}
        if value is not None:
            headers[name] = value
        elif name == "Host":
            continue  # the test's own client would add it
        for extra in ({}, cookie):
            answer = gateway.request("GET", path, headers={**headers, **extra}, listener="check")
            assert answer.status == malformed(check), name


@pytest.mark.parametrize(
    "url",
    ["https://app.example.test/%zz", "http://[::1", "https://app.example.test:99999/", "javascript:alert(1)", "//x",
     "https://app.example.test/" + "a" * 9_000, "https://app.example.test/" + "a" * 20_000,
     ["https://app.example.test/", "https://app.example.test/"], ["https://app.example.test/public/", "https://app.example.test/"], "https://app.example.test/\xff", "/public/", "app.example.test/public/"],
)
def test_an_url_that_can_not_be_parsed_is_refused(gateway, url, cookie):
    headers = {"X-Original-URL": url, "X-Original-Method": "GET", **cookie}
    assert gateway.request("GET", "/auth/nginx", headers=headers, listener="check").status in (403, 400, 431)


@pytest.mark.parametrize("byte", [b"\x00", b"\n", b"\r", b"\r\nX-Original-URL: https://app.example.test/public/\r\nX: ", b"\x7f"])
def test_a_byte_that_no_header_has_opens_nothing(gateway, byte):
    import socket

    def ask(url):
        with socket.create_connection(("127.0.0.1", gateway.ports["check"]), timeout=20) as connection:
            connection.sendall(
                b"GET /auth/nginx HTTP/1.1\r\nHost: x\r\nX-Original-Method: GET\r\nConnection: close\r\nX-Original-URL: "
                + url + b"\r\n\r\n"
            )
            return connection.makefile("rb").readline()

    assert b" 200 " in ask(b"https://app.example.test/public/")
    assert b" 200 " not in ask(b"https://app.example.test/" + byte + b"public/")
    assert b" 200 " not in ask(b"https://app.example.test/x" + byte)


def test_aliases_and_lesser_known_headers_change_nothing(gateway):
    for extra in (
        {"X_Original_URL": "https://app.example.test/public/"}, {"X.Original.URL": "https://app.example.test/public/"},
        {"X-Forwarded-Uri": "/public/"}, {"x-forwarded-uri": "/public/"}, {"X_Forwarded_Uri": "/public/"},
        {"X_Forwarded_Host": "other.example.test"}, {"X.Forwarded.Uri": "/public/"}, {"Remote.User": "admin"},
        {"X-Forwarded-Proto": "https"}, {"X-Original-Method": ["GET", "OPTIONS"]}, {"X-Forwarded-Prefix": "/public"}, {"X-Forwarded-Server": "public"},
        {"Forwarded": "host=app.example.test;proto=https"}, {"X-Forwarded-Port": "443"}, {"Remote-User": "admin"},
        {"Remote_User": "admin"}, {"User-Agent": "GoogleHC/1.0"}, {"User-Agent": "kube-probe/1.30"},
        {"User-Agent": "ELB-HealthChecker/2.0"}, {"X-Original-Method-Override": "OPTIONS"},
    ):
        for check in DIALECTS:
            if check is not nginx and {"X-Forwarded-Uri", "X-Forwarded-Proto"} & set(extra):
                continue  # those are its own
            answer = check(gateway, "/secret", **extra)
            # One of its own twice, in whatever case, is refused.
            is_twice = check is nginx and "X-Original-Method" in extra or check in (forward, haproxy, apache) and "x-forwarded-uri" in extra
            assert answer.status == (malformed(check) if is_twice else 401), (check, extra)
            assert not answer.header("Remote-User")
    assert nginx(gateway, "/secret?/healthz").status == 401 and nginx(gateway, "/healthz").status == 401


def test_a_forwarded_header_that_says_something_else_is_refused(gateway, cookie):
    for value in ("host=evil.test", "proto=http", 'for=1.2.3.4;host="evil.test";proto=https', "host=x, host=app.example.test"):
        for check in DIALECTS:
            assert check(gateway, Forwarded=value, **cookie).status == malformed(check)
    for value in ("for=1.2.3.4", 'host="app.example.test";proto=https'):
        assert nginx(gateway, Forwarded=value, **cookie).status == 200


def test_a_valid_token_counts_beside_a_stale_cookie(gateway, cookie):
    token = gateway.client().sign_in("lee", client="native").json["session"]["token"]
    stale = {"Cookie": "__Secure-gatehouse=" + "A" * 43, "Authorization": f"Bearer {token}"}
    assert nginx(gateway, **stale).status == 200
    both_valid = nginx(gateway, **cookie, Authorization="Bearer " + "A" * 43)
    assert both_valid.status == 200
    twice = {"Cookie": f"__Secure-gatehouse={'A' * 43}; __Secure-gatehouse={'B' * 43}", "Authorization": f"Bearer {token}"}
    assert nginx(gateway, **twice).status == 401


def test_the_log_names_the_header_that_can_not_be_read(gateway):
    before = gateway.log
    while "X-Original-Method" not in gateway.log[len(before):]:
        headers = {"X-Original-URL": "https://app.example.test/"}
        assert gateway.request("GET", "/auth/nginx", headers=headers, listener="check").status == 403


@pytest.mark.parametrize(
    "value", ["a", "1.2.3.4, x", "[::1", "unknown", "", ", ".join(["10.0.0.1"] * 300), "1.2.3.4:80", "\u00e9"]
)
def test_an_address_list_that_can_not_be_read_changes_no_verdict(gateway, value, cookie):
    forwarded = {"X-Forwarded-For": value}
    assert nginx(gateway, "/secret", **forwarded).status == 401
    assert nginx(gateway, "/", **forwarded, **cookie).status == 200
    answer = gateway.request("POST", "/sign-in/options", json_body={}, headers=forwarded)
    assert answer.status == 200


def test_only_real_preflights_pass_a_rule_for_preflights(gateway):
    origin, asks = {"Origin": "https://x.test"}, {"Access-Control-Request-Method": "PUT"}
    for check in DIALECTS:
        assert check(gateway, "/api", "OPTIONS", **origin, **asks).status == 200
        assert check(gateway, "/api", "OPTIONS").status == 401
        assert check(gateway, "/api", "OPTIONS", **origin).status == 401
        assert check(gateway, "/api", "GET", **origin, **asks).status == 401
        assert check(gateway, "/api", "OPTIONS", **origin, **{"Access-Control-Request-Method": ""}).status == 401
        assert check(gateway, "/api", "OPTIONS", **asks, Origin="").status == 401


ANNOUNCED = [
    {}, {"Content-Length": "5000000"}, {"Transfer-Encoding": "chunked"},
    {"Content-Length": "5000000", "Expect": "100-continue"},
]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "HEAD", "PROPFIND", "DELETE"])
@pytest.mark.parametrize("announced", ANNOUNCED, ids=str)
def test_the_method_and_length_of_the_check_itself_change_nothing(gateway, method, announced, cookie):
    headers = {"X-Original-URL": "https://app.example.test/", "X-Original-Method": "POST", **announced, **cookie}
    assert gateway.request(method, "/auth/nginx", headers=headers, listener="check").status == 200
    headers.pop("Cookie")
    assert gateway.request(method, "/auth/nginx", headers=headers, listener="check").status == 401


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "HEAD", "PROPFIND", "MKCOL", "DELETE"])
@pytest.mark.parametrize("announced", ANNOUNCED, ids=str)
def test_envoy_repeats_any_method_and_no_body_is_waited_for(gateway, method, announced, cookie):
    assert envoy(gateway, "/", method, **announced, **cookie).status == 200
    assert envoy(gateway, "/", method, **announced).status == 401


@pytest.mark.parametrize(
    "path", ["/auth/envoy", "/auth/envoyx/public/", "/auth/nginx/public/", "/auth/haproxyx", "/AUTH/envoy/public/", "/auth/"]
)
def test_any_other_path_is_no_check(gateway, path):
    headers = {
        "Host": "app.example.test", "X-Forwarded-Proto": "https", "X-Forwarded-Method": "GET",
        "X-Forwarded-Host": "app.example.test", "X-Forwarded-Uri": "/public/",
    }
    assert gateway.request("GET", "/auth/envoy/public/", headers=headers, listener="check").status == 200
    assert gateway.request("GET", path, headers=headers, listener="check").status == 404


@pytest.mark.parametrize(
    "headers",
    [{"Authorization": "Bearer"}, {"Authorization": "Bearer %"}, {"Authorization": "Basic ="},
     {"Authorization": "Basic Og=="}, {"Authorization": "Basic bGVlOmNvcnJlY3QgaG9yc2UgYmF0dGVyeSBzdGFwbGU="},
     {"Cookie": "__Secure-gatehouse="}, {"Cookie": "__Secure-gatehouse=%00"}, {"Cookie": "__Secure-gatehouse=" + "A" * 43},
     {"Cookie": "__Secure-gatehouse=../../x"}, {"Cookie": "gatehouse=" + "A" * 43},
     {"Cookie": '__Secure-gatehouse="x"'}, {"Cookie": "__Secure-gatehouse=" + "QUJD" * 1_700}, {"Authorization": "Basic"},
     {"Authorization": ["Bearer " + "A" * 43, "Bearer " + "B" * 43]}, {"Authorization": "Bearer gh_pat_" + "A" * 38}],
)
def test_a_malformed_session_or_a_password_is_as_good_as_none(gateway, headers):
    for check in DIALECTS:
        assert check(gateway, **headers).status == 401


def test_one_changed_character_is_another_session(gateway, cookie):
    value = cookie["Cookie"]
    assert nginx(gateway, Cookie=value[:-1] + ("A" if value[-1] != "A" else "B")).status == 401
    assert nginx(gateway, Cookie=value + "; " + value.split("; ")[1]).status == 401
    assert nginx(gateway, Cookie=value).status == 200


def test_nobody_is_trusted_who_is_not_named():
    for proxies in ([], ["10.0.0.0/8"]):
        rules = [{"host": "localhost", "allow": "anyone"}]
        with Gateway.start({"access": {"trusted_proxies": proxies, "rules": rules}}) as gateway:
            for check in DIALECTS:
                assert check(gateway, host="localhost:1", scheme="http").status == malformed(check)


def test_a_unix_socket_is_trusted_by_name(tmp_path):
    import socket

    path = tmp_path / "check.sock"
    rules = [{"host": "localhost", "allow": "anyone"}]
    for proxies, status in ((["unix:"], 200), (["127.0.0.1/32"], 403)):
        overrides = {"listen": {"check": f"unix:{path}"}, "access": {"trusted_proxies": proxies, "rules": rules}}
        with Gateway.start(overrides):
            connection = http.client.HTTPConnection("localhost")
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(str(path))
            connection.request(
                "GET", "/auth/nginx", headers={"X-Original-URL": "http://localhost/", "X-Original-Method": "GET"}
            )
            assert connection.getresponse().status == status
            connection.close()


def test_a_command_ends_sessions_of_a_running_gateway(gateway):
    gateway.account_add("to-be-disabled")
    client = gateway.client()
    client.sign_in("to-be-disabled")
    cookie = {"Cookie": f"__Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}
    assert nginx(gateway, **cookie).status == 200
    gateway.cli("account", "disable", "to-be-disabled")
    while (answer := nginx(gateway, **cookie)).status == 200:
        pass
    assert answer.status == 401


def test_lifetimes_end_sessions_whatever_their_use():
    import time

    overrides = {"sessions": {"absolute": "3s", "idle": "1s"}}
    with Gateway.start(overrides) as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        answer = client.sign_in("lee")
        assert "Max-Age=3" in answer.header("Set-Cookie")
        cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
        ask = lambda: nginx(gateway, host="localhost:1", scheme="http", **cookie).status
        begun = time.monotonic()
        while ask() == 200:  # used all the time, and over all the same
            assert time.monotonic() - begun < 10
        assert time.monotonic() - begun > 2
        client.sign_in("lee")
        cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
        assert ask() == 200
        idle = time.monotonic()
        while time.monotonic() - idle < 1.2:
            gateway.request("GET", "/healthz")
        assert ask() == 401
