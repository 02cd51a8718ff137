"""The same situations through each proxy, run with the configuration that ships: one decision, whoever asks for it."""

import http.client
import urllib.parse

import pytest

from passkey import Passkey, register
from servers import Traefik, each_proxy, each_proxy_at_length
from visits import BROWSER, PREFLIGHT, WEBSOCKET, is_served, seen

# Who, what they ask for, and what they are told.
SITUATIONS = {
    "a browser": (None, "GET", "/x", BROWSER, 302),
    "a browser that asks for a head": (None, "HEAD", "/x", BROWSER, 302),
    "a browser that posts": (None, "POST", "/x", BROWSER, 303),
    "a browser that deletes": (None, "DELETE", "/x", BROWSER, 303),
    "a browser's image": (None, "GET", "/x", {"Accept": "image/png"}, 401),
    "a script": (None, "GET", "/x", {**BROWSER, "Sec-Fetch-Mode": "cors"}, 401),
    "an old script": (None, "GET", "/x", {**BROWSER, "X-Requested-With": "XMLHttpRequest"}, 401),
    "an API's client": (None, "GET", "/x", {"Accept": "application/json"}, 401),
    "an API's client that posts": (None, "POST", "/x", {"Accept": "application/json"}, 401),
    "a client without Accept": (None, "GET", "/x", {}, 401),
    "a socket": (None, "GET", "/x", {"Accept": "*/*", "Sec-Fetch-Mode": "websocket", **WEBSOCKET}, 401),
    "anyone on an open path": (None, "GET", "/public/x", {}, 200),
    "anyone beside an open path": (None, "GET", "/publicx", {}, 401),
    "a real preflight": (None, "OPTIONS", "/api/x", PREFLIGHT, 200),
    "a preflight where none is let through": (None, "OPTIONS", "/x", PREFLIGHT, 401),
    "a preflight without an origin": (None, "OPTIONS", "/api/x", {"Access-Control-Request-Method": "PUT"}, 401),
    "a preflight that asks for nothing": (None, "OPTIONS", "/api/x", {"Origin": "https://x.test"}, 401),
    "what only says it is a preflight": (None, "GET", "/api/x", {**PREFLIGHT, "X-Forwarded-Method": "OPTIONS"}, 401),
    "a session": ("lee", "GET", "/x", {}, 200),
    "a session's head": ("lee", "HEAD", "/x", {}, 200),
    "a session's other methods": ("lee", "PROPFIND", "/x", {}, 200),
    "a session without the group": ("lee", "GET", "/admin/x", {}, 403),
    "a session without the group in a browser": ("lee", "POST", "/admin/x", BROWSER, 403),
    "a session that must step up": ("lee", "GET", "/vault/x", {}, 401),
    "a session that must step up in a browser": ("lee", "GET", "/vault/x", BROWSER, 302),
    "a session that must step up and posts": ("lee", "POST", "/vault/x", BROWSER, 303),
}


def told(proxy, situation, cookie):
    who, method, target, headers, _ = SITUATIONS[situation]
    body = b"" if method in ("POST", "DELETE") else None
    return proxy.request(method, target, {**headers, **(cookie if who else {})}, body)


@each_proxy
@pytest.mark.parametrize(
    "situation", ["a browser", "an API's client", "a session without the group", "anyone on an open path"]
)
def test_each_proxy_passes_on_what_the_gateway_says(proxy, situation, cookie):
    assert told(proxy, situation, cookie).status == SITUATIONS[situation][-1]


@each_proxy_at_length
@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_situation_ends_the_same_way(proxy, situation, cookie):
    answer = told(proxy, situation, cookie)
    status = SITUATIONS[situation][-1]
    assert answer.status == status
    assert bool(answer.header("Location")) == (status in (302, 303))
    assert answer.status != 401 or answer.header("WWW-Authenticate").startswith("Bearer")


@each_proxy
def test_a_session_reaches_the_application_with_its_name_and_without_its_secret(proxy, cookie):
    answer = proxy.request("POST", "/x?a=1", cookie, body=b"hello")
    headers = seen(answer)
    assert answer.status == 200 and answer.json["body"] == "hello" and answer.json["target"] == "/x?a=1"
    assert headers["remote-user"] == ["lee"] and headers["remote-email"] == ["lee@example.test"]
    assert headers["remote-groups"] == ["staff"] and headers["remote-assurance"] == ["aal1"]
    assert headers["remote-methods"] == ["password"] and headers["cookie"] == ["theme=dark"]
    assert headers["remote-name"][0].encode("latin-1").decode() == "Lee Löw"
    assert cookie["Cookie"].split("gatehouse=")[1] not in answer.text


@each_proxy_at_length
def test_a_session_alone_leaves_no_cookie(proxy, cookie):
    alone = {"Cookie": cookie["Cookie"].split("; ")[1]}
    for target in ("/x", "/public/x"):
        answer = proxy.request("GET", target, alone)
        assert seen(answer)["remote-user"] == ["lee"] and "cookie" not in seen(answer)
    # It is no session any more, and is not the application's business all the same.
    stale = {"Cookie": "gatehouse=" + "A" * 43}
    assert "cookie" not in seen(proxy.request("GET", "/public/x", stale))


@each_proxy_at_length
@pytest.mark.parametrize(
    "target",
    ["/p?a=1&b=2&next=https%3A%2F%2Fx.test%2F%3Fq%3D1%26r%3D2", "/p;v=1/q?x=+%2B;y", "/%C3%A9?%C3%A9=%25", "/p?", "/a//b?c//d",
     "/p?q=%2F..%2F", "/p?q=" + "x" * 4_000],
    ids=lambda target: target[:40],
)
def test_what_is_judged_served_and_returned_to_is_one_address(proxy, target, cookie):
    """A proxy that writes paths differently does so before all three."""
    served = proxy.request("GET", target, cookie).json["target"]
    location = proxy.request("GET", target, BROWSER).header("Location")
    assert location.startswith(f"{proxy.gateway.origin}/sign-in?return_to=")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)
    assert query["return_to"] == [f"http://localhost:{proxy.port}{served}"]
    if isinstance(proxy, Traefik):
        target = target.replace(";y", "%3By")
    assert served.partition("?")[2] == target.partition("?")[2]
    if "//" not in target.partition("?")[0]:
        assert served.rstrip("?") == target.rstrip("?")


@each_proxy_at_length
def test_an_apps_token_does_not_reach_the_application_and_other_authorization_does(proxy):
    token = proxy.gateway.client().sign_in("lee", client="native").json["session"]["token"]
    headers = seen(proxy.request("GET", "/", {"Authorization": f"Bearer {token}"}))
    assert headers["remote-user"] == ["lee"] and "authorization" not in headers
    headers = seen(proxy.request("GET", "/public/", {"Authorization": "Basic dGhlaXJz"}))
    assert headers["authorization"] == ["Basic dGhlaXJz"]


@each_proxy_at_length
def test_a_step_up_says_what_is_wanted(proxy, cookie):
    answer = proxy.request("GET", "/vault/x", {**cookie, **BROWSER})
    assert answer.header("Location").endswith("&assurance=aal2")
    challenge = proxy.request("GET", "/vault/x", cookie).header("WWW-Authenticate")
    assert challenge == 'Bearer error="insufficient_user_authentication", acr_values="aal2"'
    client, passkey = proxy.gateway.client(), Passkey()
    assert register(client, passkey, username=f"strong-{type(proxy).__name__.lower()}").status == 200
    strong = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert seen(proxy.request("GET", "/vault/x", strong))["remote-methods"] == ["passkey"]


@each_proxy_at_length
@pytest.mark.parametrize(
    "value", ["", "%00", '"x', "A" * 43, "../../x", "A" * 5_000, "\u00e9", "{session}A", "{session} x"],
    ids=lambda value: value[:12],
)
def test_a_malformed_session_is_none(proxy, value, cookie):
    session = cookie["Cookie"].split("gatehouse=")[1]
    sent = {"Cookie": f"gatehouse={value.format(session=session)}".encode().decode("latin-1")}
    assert proxy.request("GET", "/", sent).status in (400, 401)
    assert proxy.request("GET", "/", {**sent, **BROWSER}).status in (302, 400)


@each_proxy_at_length
def test_a_cookie_that_the_server_itself_refuses_passes_nobody(proxy, application):
    """libmicrohttpd answers a cookie that ends in a lone quote with 431, of which nginx makes 500."""
    before = application.received
    for name in ("gatehouse", "theme"):
        assert proxy.request("GET", "/x", {"Cookie": f'{name}="', **BROWSER}).status >= 400
    assert application.received == before


@each_proxy_at_length
def test_two_cookies_of_our_name_pass_nobody(proxy, cookie):
    session, planted = cookie["Cookie"].split("; ")[1], "gatehouse=" + "A" * 43
    for cookies in ([session, planted], [planted, session], f"{session}; {planted}", f"{planted}; {session}"):
        assert proxy.request("GET", "/", {"Cookie": cookies}).status in (400, 401)


@each_proxy_at_length
def test_a_session_that_was_ended_is_out_at_once(proxy):
    client = proxy.gateway.client()
    client.sign_in("lee")
    cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert proxy.request("GET", "/", cookie).status == 200
    client.delete("/session")
    assert proxy.request("GET", "/", cookie).status == 401
    assert proxy.request("GET", "/", {**cookie, **BROWSER}).status == 302


@each_proxy_at_length
def test_an_expired_session_is_none(proxy, expired):
    assert proxy.request("GET", "/", expired).status == 401
    assert proxy.request("GET", "/", {**expired, **BROWSER}).status == 302
    assert "remote-user" not in seen(proxy.request("GET", "/public/", expired))


@each_proxy_at_length
def test_large_cookies_and_many_groups_pass(proxy, many_groups):
    cookies, groups = many_groups
    large = {"Cookie": cookies["Cookie"] + "; big=" + "x" * 6_000}
    headers = seen(proxy.request("GET", "/", large))
    assert headers["cookie"] == ["big=" + "x" * 6_000] and headers["remote-groups"] == [",".join(groups)]


@each_proxy_at_length
def test_many_and_large_headers_do_not_stand_in_the_way_of_the_check(proxy, cookie):
    large = {f"X-Large-{index}": "x" * 6_000 for index in range(4)}
    answer = proxy.request("GET", "/", {**cookie, **large})
    assert answer.status == 200 and seen(answer)["x-large-3"] == ["x" * 6_000]
    assert proxy.request("GET", "/", large).status == 401


@each_proxy_at_length
@pytest.mark.parametrize("headers", [{"X-Large": "x" * 200_000}, {f"X-{index}": "x" for index in range(20_000)}], ids=["long", "many"])
def test_headers_beyond_all_measure_pass_nobody(proxy, application, cookie, headers):
    before = application.received
    try:
        assert proxy.request("GET", "/x", {**cookie, **headers}).status in (400, 413, 431, 494, 500, 502, 503)
    except (ConnectionError, http.client.HTTPException):
        pass  # cut, which is as good
    assert application.received == before and proxy.request("GET", "/x", cookie).status == 200


@each_proxy_at_length
def test_a_huge_cookie_passes_nobody(proxy, application, cookie):
    before = application.received
    huge = {"Cookie": cookie["Cookie"] + "; big=" + "x" * 65_536}
    try:
        answer = proxy.request("GET", "/x", huge)
        assert not is_served(answer) and answer.status >= 400
    except (ConnectionError, http.client.HTTPException):
        pass
    assert application.received == before and proxy.request("GET", "/x", cookie).status == 200
