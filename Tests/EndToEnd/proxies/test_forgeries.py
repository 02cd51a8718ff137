"""What visitors say of themselves, of the proxy and of their request, through each proxy: none of it counts."""

import ipaddress
import urllib.parse

import pytest

from application import Application
from servers import each_proxy, each_proxy_at_length
from visits import BROWSER, PREFLIGHT, folded, is_served, seen

IDENTITY = ("User", "Name", "Email", "Groups", "Assurance", "Methods", "Token")


@each_proxy
def test_identity_headers_of_a_visitor_never_arrive(proxy, cookie):
    forged = {}
    for name in IDENTITY:
        for alias in "-_.!#$%&'*+^`|~":
            forged |= {f"Remote{alias}{name}": "admin", f"remote{alias}{name.lower()}": "admin"}
    forged = list(forged.items())
    # In parts, since no proxy takes that many headers at once.
    for part in (dict(forged[start:start + 40]) for start in range(0, len(forged), 40)):
        answer = proxy.request("GET", "/public/", part)
        assert not any(name.startswith("remote-") for name in folded(answer)), answer.json
        answer = proxy.request("GET", "/", {**part, **cookie})
        assert "admin" not in str(folded(answer)) and folded(answer)["remote-user"] == ["lee"]
    twice = proxy.request("GET", "/", {"Remote-User": ["admin", "root"], **cookie})
    assert folded(twice)["remote-user"] == ["lee"]


@each_proxy_at_length
def test_a_visitor_can_not_have_identity_headers_removed(proxy, cookie):
    for named in ("Remote-User", "close, Remote-User, Remote-Groups", "Remote-User, X-Forwarded-For, Cookie"):
        answer = proxy.request("GET", "/", {"Connection": named, **cookie})
        # Naming the cookie takes it away before the check.
        assert answer.status in (400, 401) or seen(answer)["remote-user"] == ["lee"], named
    answer = proxy.request("GET", "/", {"Connection": "close, Remote-User", **cookie})
    assert answer.status == 200


@each_proxy_at_length
@pytest.mark.parametrize(
    "forged",
    [{"X-Original-URL": "/public/"}, {"X-Original-URL": "http://localhost/public/"}, {"X-Original-Method": "OPTIONS"},
     {"X-Original-URL": ["http://localhost/public/", "http://localhost/public/"]}, {"X_Original_URL": "/public/"},
     {"X-Forwarded-Uri": "/public/"}, {"X_Forwarded_Uri": "/public/"}, {"X.Forwarded.Uri": "/public/"},
     {"X-Forwarded-Uri": ["/public/", "/public/"]}, {"X-Forwarded-Method": "OPTIONS", **PREFLIGHT},
     {"X-Forwarded-Host": "elsewhere.test"}, {"X-Forwarded-Host": "localhost"}, {"X-Forwarded-Proto": "https"},
     {"X-Forwarded-Prefix": "/public"}, {"X-Forwarded-Port": "443"}, {"X-Forwarded-Server": "localhost"},
     {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "host=localhost;proto=http"}, {"Forwarded": "host=elsewhere.test"},
     {"X-HTTP-Method-Override": "OPTIONS"}, {"X-Rewrite-URL": "/public/"}, {"X-Envoy-Original-Path": "/public/"},
     {"User-Agent": "kube-probe/1.30"}, {"User-Agent": "GoogleHC/1.0"}, {"User-Agent": "ELB-HealthChecker/2.0"}],
    ids=str,
)
def test_a_visitor_can_not_choose_what_is_judged(proxy, forged, cookie):
    assert proxy.request("GET", "/secret", forged).status == 401
    assert proxy.request("GET", "/admin/", {**forged, **cookie}).status == 403
    answer = proxy.request("GET", "/secret", {**forged, **BROWSER})
    location = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.header("Location")).query)
    assert location["return_to"] == [f"http://localhost:{proxy.port}/secret"]


@each_proxy_at_length
def test_headers_that_choose_what_an_application_serves_never_arrive(proxy, cookie):
    names = (
        "X-Original-URL", "X-Original-Method", "X-Rewrite-URL", "X-HTTP-Method", "X-HTTP-Method-Override",
        "X-Method-Override", "X-Forwarded-Prefix", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-Uri",
        "X-Forwarded-Method", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-For", "X-Real-IP", "Forwarded",
    )
    for alias in "-_.~":
        forged = {name.replace("-", alias): "192.0.2.99" for name in names}
        answer = proxy.request("GET", "/public/", forged)
        assert answer.status == 200 and "192.0.2.99" not in str(folded(answer)), answer.json
    headers = seen(proxy.request("GET", "/", cookie))
    assert headers["host"][0].startswith("localhost") and headers["x-forwarded-proto"] == ["http"]
    assert headers["x-forwarded-host"] == headers["host"] and len(headers["x-forwarded-for"]) == 1


@each_proxy_at_length
def test_an_absolute_target_is_judged_as_what_is_served(proxy, cookie):
    for host in ("localhost", f"localhost:{proxy.port}", "elsewhere.test"):
        target = f"http://localhost:{proxy.port}/admin/x"
        assert not is_served(proxy.request("GET", target, {"Host": host, **cookie}))
        assert not is_served(proxy.request("GET", target, {"Host": host}))
        # Were the header believed that says so, an open path of another host would be served.
        target = f"http://elsewhere.test:{proxy.port}/public/x"
        assert not is_served(proxy.request("GET", target, {"Host": host}))


@each_proxy_at_length
@pytest.mark.parametrize("hosts", [["elsewhere.test", "localhost"], ["localhost", "elsewhere.test"]])
def test_two_hosts_are_none(proxy, hosts):
    assert is_served(proxy.request("GET", "/public/x", {"Host": "localhost"}))
    assert not is_served(proxy.request("GET", "/public/x", {"Host": hosts}))


@each_proxy_at_length
def test_another_host_is_nobodys(proxy, cookie):
    for host in ("elsewhere.test", "127.0.0.1", "localhost.elsewhere.test"):
        assert not is_served(proxy.request("GET", "/public/x", {"Host": host, **cookie}))
    for host in ("LOCALHOST", f"LocalHost:{proxy.port}"):
        assert proxy.request("GET", "/public/x", {"Host": host}).status == 200
        assert proxy.request("GET", "/admin/x", {"Host": host, **cookie}).status == 403


@each_proxy
@pytest.mark.parametrize("path", ["/public/..%2fadmin", "/public/../admin"])
def test_a_closed_path_stays_closed(proxy, path, cookie):
    for headers in ({}, cookie):
        assert proxy.request("GET", path, headers).status in (400, 401, 403, 404)


# Other names than admin, however often they are decoded.
HARMLESS = ("/public/..%ef%bc%8fadmin", "/admin%23")


@each_proxy_at_length
@pytest.mark.parametrize(
    "path",
    ["/public/..%2fadmin", "/public%2f..%2fadmin", "/public/%2e%2e/admin", "/public/../admin", "/public/..%5cadmin",
     "/public/%c0%ae%c0%ae/admin", "//admin", "/./admin", "/admin;x", "/%61dmin", "/ADMIN", "/public/..;/admin",
     "/public\\..\\admin", "/public/%5c..%5cadmin", "/public/.%00./admin", "/public/%252e%252e/admin", "/admin%2f",
     "/public/..%252fadmin", "/public/%2e%2e%2fadmin", "/public/..%ef%bc%8fadmin", "/public/./../admin", "//public/../admin",
     "/public/%2e%2e;/admin", "/public/..%3b/admin", "/public/x/../../admin", "/%2e/admin", "/admin/.", "/admin%23", "/admin#",
     "/%zz", "/admin%zz", "/public/%zz/../../admin", "/admin%00", "/public/%ff/../../admin", "/admin?/public/", "/admin/?x=/healthz"],
)
def test_no_spelling_of_a_closed_path_is_open(proxy, path, cookie):
    for headers in ({}, cookie):
        answer = proxy.request("GET", path, headers)
        if is_served(answer):
            assert answer.json["target"].lower() in HARMLESS
        else:
            assert answer.status in (400, 401, 403, 404)


@each_proxy_at_length
@pytest.mark.parametrize(
    "path", ["/publicx", "/public-internal", "/publi", "/p", "/public.", "/PUBLIC/x", "/x/public/", "/public%2fx", "/healthz", "/x/healthz"]
)
def test_a_prefix_ends_at_a_segment(proxy, path):
    assert is_served(proxy.request("GET", "/public")) and is_served(proxy.request("GET", "/public/x"))
    assert proxy.request("GET", path).status in (400, 401, 403)


@each_proxy_at_length
def test_the_check_is_told_of_the_visitor_what_it_needs_and_not_what_they_say(proxy, application):
    """A check that says little more than yes shows what it is asked, and that nothing of a visitor's fills the gaps."""
    said = "192.0.2.99"
    forged = {"X-Forwarded-For": said, "X-Forwarded-Host": said, "X-Real-IP": said, "Remote-User": said, "X_Original_URL": said}
    secret = {"X-Gatehouse-Token": "gh_pat_secret"}
    with Application([("Remote-Token", "a.b.c")]) as check, type(proxy)(check.port, application.port) as asking:
        answer = asking.request("POST", "/x?a=1", {**forged, **secret, "Referer": "/", "Cookie": "a=b"}, b"body")
        asked, body = check.last["headers"], check.last["body"]
    assert answer.json["body"] == "body" and said not in str(answer.json)
    assert seen(answer)["remote-token"] == ["a.b.c"] and "remote-user" not in seen(answer)
    told = {name.lower(): value for name, value in asked if value}
    assert said not in str(asked) and body == "" and told["cookie"] == "a=b"
    assert told["x-gatehouse-token"] == "gh_pat_secret" and "x-gatehouse-token" not in seen(answer)
    assert ipaddress.ip_address(told["x-forwarded-for"]) and "referer" not in told


@each_proxy_at_length
def test_where_a_visitor_comes_from_is_the_proxys_own_word(proxy):
    assert proxy.request("GET", "/near/x", source="127.0.0.2").status == 200
    assert proxy.request("GET", "/near/x", source="127.0.0.3").status == 401
    for name in ("X-Forwarded-For", "X_Forwarded_For", "X-Real-IP", "Forwarded", "X-Envoy-External-Address"):
        value = "for=127.0.0.2" if name == "Forwarded" else "127.0.0.2"
        for values in (value, [value, value]):
            assert proxy.request("GET", "/near/x", {name: values}, source="127.0.0.3").status in (400, 401), name
        assert proxy.request("GET", "/near/x", {name: "127.0.0.3"}, source="127.0.0.2").status in (200, 400), name


UNREADABLE = [
    "a", "1.2.3.4, x", "[::1", "unknown", "127.0.0.1", ", ".join(["10.0.0.1"] * 300), "", "127.0.0.2, x", "127.0.0.2,",
    ["127.0.0.2", "127.0.0.2"], ["unknown", "127.0.0.2"], "127.0.0.2:80", "_hidden",
]


@each_proxy_at_length
@pytest.mark.parametrize("said", UNREADABLE, ids=lambda said: str(said)[:20])
def test_an_address_that_can_not_be_read_makes_nobody_a_neighbour(proxy, said):
    for name in ("X-Forwarded-For", "X-Real-IP", "X_Forwarded_For"):
        assert proxy.request("GET", "/near/x", {name: said}, source="127.0.0.3").status in (400, 401), name
        # Who is near is so by the proxy's own word.
        assert proxy.request("GET", "/near/x", {name: said}, source="127.0.0.2").status in (200, 400), name
