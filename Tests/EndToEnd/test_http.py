"""The edge as hostile clients see it: every mistake has a stable code, and the process lives on."""

import concurrent.futures
import json
import socket

import pytest

ROUTES_WITH_BODY = [
    ("POST", "/sign-in/options"), ("POST", "/sign-in/verify"), ("POST", "/passkeys/authenticate/options"),
    ("POST", "/passkeys/authenticate/verify"), ("POST", "/passkeys/register/options"),
    ("POST", "/passkeys/register/verify"), ("POST", "/trusted-devices/validate"), ("PUT", "/password"),
    ("POST", "/recovery"), ("POST", "/setup"), ("POST", "/trusted-devices/register/options"),
    ("POST", "/offers/AAAAAAAAAAAAAAAAAAAAAA"), ("PATCH", "/passkeys/AAAAAAAAAAAAAAAAAAAAAA"),
]


def problem(answer):
    """The code of a well-formed problem document."""
    assert answer.header("Content-Type") == "application/problem+json"
    body = answer.json
    assert body["status"] == answer.status and body["requestId"] and body["type"] and body["title"] and body["detail"]
    assert body["outcome"] in {
        "invalid_response", "not_handled", "failed", "ceremony", "already_registered", "interaction_required",
        "not_allowed", "throttled", "internal",
    }
    return body["code"]


@pytest.mark.parametrize("method,path", ROUTES_WITH_BODY)
@pytest.mark.parametrize(
    "body",
    [
        b"{", b"{} x", b'{"a":1,"a":2}', b"\xff\xfe", b"{}\x00", b"[" * 30_000, b'{"a":' * 10_000, b"nul", b'"\\ud800"',
        b'{"ceremonyId":"x","ceremonyId":"y"}', b'{"a":01}', b"\xef\xbb\xbf{}",
    ],
)
def test_what_is_not_one_strict_json_value_is_malformed(gateway, method, path, body):
    answer = gateway.request(method, path, body=body, headers={"Content-Type": "application/json"})
    assert (answer.status, problem(answer)) == (400, "malformed_json")


@pytest.mark.parametrize("method,path", ROUTES_WITH_BODY)
@pytest.mark.parametrize(
    "body",
    [
        "[]", '"x"', "7", "null", "true", '{"identifier":7,"username":7,"token":7,"deviceId":7,"ceremonyId":7}',
        '{"identifier":["a"],"username":{},"token":{},"deviceId":[],"ceremonyId":{}}',
        '{"maxAge":1e999,"username":false,"token":1e400,"deviceId":-1,"ceremonyId":1.5}',
        '{"maxAge":99999999999999999999,"username":9,"token":9,"deviceId":9,"ceremonyId":9}',
        '{"ceremonyId":"\\u0000","credential":{"kind":"\\u0000"},"response":{},"token":"","deviceId":"","username":"\\u0000"}',
        '{"ceremonyId":"AAAAAAAAAAAAAAAAAAAAAA","credential":{"kind":"passkey","response":{"id":"%%%"}},"response":7}',
        '{"ceremonyId":"AAAAAAAAAAAAAAAAAAAAAA","credential":null,"response":null}',
    ],
)
def test_wrong_types_are_refused_in_an_orderly_way(gateway, method, path, body):
    answer = gateway.request(method, path, body=body.encode(), headers={"Content-Type": "application/json"})
    if answer.status != 200:  # a body that asks for nothing is as good as none
        assert 400 <= answer.status < 500
        problem(answer)


def test_a_tail_of_white_space_is_no_tail(gateway):
    for tail, status in ((b" \r\n\t", 200), (b'{"x":1}', 400), (b"\x00", 400)):
        answer = gateway.request(
            "POST", "/sign-in/options", body=b"{}" + tail, headers={"Content-Type": "application/json"}
        )
        assert answer.status == status


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_only_json_is_read(gateway, media_type):
    headers = {"Content-Type": media_type} if media_type else {}
    answer = gateway.request("POST", "/sign-in/options", body=b"{}", headers=headers)
    assert (answer.status, problem(answer)) == (415, "unsupported_media_type")
    for good in ("application/json", "Application/JSON; charset=utf-8"):
        assert gateway.request("POST", "/sign-in/options", body=b"{}", headers={"Content-Type": good}).status == 200


def test_a_body_may_have_sixty_four_kibibytes_and_no_more(gateway):
    for size, status in ((65_536, 200), (65_537, 413), (1_000_000, 413)):
        body = b"{}" + b" " * (size - 2)
        answer = gateway.request("POST", "/sign-in/options", body=body, headers={"Content-Type": "application/json"})
        assert answer.status == status
        if status == 413:
            assert problem(answer) == "body_too_large"


@pytest.mark.parametrize(
    "path", ["/nothing", "/sign-in/", "/sign-in/options/", "//sign-in/options", "/SIGN-IN/options", "/sign-in/%6fptions",
             "/passkeys/a/b", "/auth/nginx", "/auth/forward", "/metrics", "/sign-in/options%00", "/sign-in/../session"],
)
def test_a_path_has_one_spelling_and_listeners_answer_their_own(gateway, path):
    answer = gateway.request("POST", path, json_body={})
    assert (answer.status, problem(answer)) == (404, "not_found")


@pytest.mark.parametrize("path", ["/sign-in/verify", "/session", "/password", "/passkeys"])
@pytest.mark.parametrize("method", ["TRACE", "PROPFIND", "OPTIONS", "get"])
def test_other_methods_are_named(gateway, method, path):
    answer = gateway.request(method, path)
    assert (answer.status, problem(answer)) == (405, "method_not_allowed") and answer.header("Allow")


def test_method_overrides_are_ignored_and_get_changes_nothing(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    for headers in ({"X-HTTP-Method-Override": "DELETE"}, {"X-Method-Override": "DELETE"}):
        assert client.post("/session", headers=headers).status == 405
        assert client.get("/session?_method=DELETE", headers=headers).status == 200
    assert client.get("/session").status == 200


def test_head_is_get_without_a_body(gateway):
    for path in ("/healthz", "/.well-known/webauthn"):
        get, head = gateway.request("GET", path), gateway.request("HEAD", path)
        assert head.status == 200 and head.body == b"" and head.header("Content-Length") == str(len(get.body))


# Other sites


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.test"}, {"Origin": "null"}, {"Origin": "http://localhost"}, {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.test", "Sec-Fetch-Site": "same-origin"},
    ],
)
@pytest.mark.parametrize("method,path", ROUTES_WITH_BODY + [("DELETE", "/session"), ("DELETE", "/sessions")])
def test_a_page_of_another_site_changes_nothing_with_a_cookie_or_without(gateway, headers, method, path):
    assert problem(gateway.request(method, path, json_body={}, headers=headers)) == "cross_site_request"
    with_cookie = {**headers, "Cookie": "gatehouse=" + "A" * 43}
    assert problem(gateway.request(method, path, json_body={}, headers=with_cookie)) == "cross_site_request"


def test_our_own_pages_and_apps_are_let_in(gateway):
    for headers in (
        {"Origin": gateway.origin}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {},
        {"Cookie": "__cf_bm=x; _ga=y"},
    ):
        assert gateway.request("POST", "/sign-in/options", json_body={}, headers=headers).status == 200


def test_another_sites_page_gets_no_cors(gateway):
    preflight = {"Origin": "https://evil.test", "Access-Control-Request-Method": "POST"}
    answer = gateway.request("OPTIONS", "/sign-in/options", headers=preflight)
    assert answer.status == 405 and not answer.header("Access-Control-Allow-Origin")
    assert not gateway.request("GET", "/session", headers={"Origin": "https://evil.test"}).header(
        "Access-Control-Allow-Origin"
    )


def test_host_and_forwarded_headers_change_neither_rp_id_nor_origin(gateway):
    for headers in ({"Host": "evil.test"}, {"X-Forwarded-Host": "evil.test"}, {"Forwarded": "host=evil.test"}):
        answer = gateway.request("POST", "/passkeys/authenticate/options", json_body={}, headers=headers)
        assert answer.json["options"]["rpId"] == "localhost"


def test_every_answer_carries_its_protection(gateway):
    for method, path in (("GET", "/healthz"), ("POST", "/sign-in/options"), ("GET", "/nothing"), ("GET", "/session")):
        answer = gateway.request(method, path)
        assert answer.header("X-Content-Type-Options") == "nosniff" and answer.header("X-Frame-Options") == "DENY"
        assert answer.header("Referrer-Policy") == "same-origin"


# Well-known documents and operations


def test_well_known_documents_are_plain_answers(gateway):
    for name in ("apple-app-site-association", "assetlinks.json", "webauthn", "passkey-endpoints", "jwks.json"):
        answer = gateway.request("GET", f"/.well-known/{name}", headers={"Host": "anything.test"})
        assert answer.status == 200 and answer.header("Content-Type") == "application/json"
        assert answer.header("Cache-Control") == "public, max-age=300" and not answer.header("Set-Cookie")
        json.loads(answer.body)
    answer = gateway.request("GET", "/.well-known/change-password")
    assert answer.status == 302 and answer.header("Location").startswith(gateway.origin)


def test_health_is_on_public_and_operations_and_metrics_on_operations_alone(gateway):
    for listener in ("public", "operations"):
        assert gateway.request("GET", "/healthz", listener=listener).status == 200
        assert gateway.request("GET", "/readyz", listener=listener).status == 200
    metrics = gateway.request("GET", "/metrics", listener="operations")
    assert metrics.status == 200 and 'gatehouse_checks_total{outcome="allowed"}' in metrics.text
    assert gateway.request("GET", "/healthz", listener="check").status == 404


# Raw bytes


def raw(gateway, data: bytes, listener: str = "public") -> bytes:
    with socket.create_connection(("127.0.0.1", gateway.ports[listener]), timeout=20) as connection:
        received = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65_536):
                received += chunk
        except (BrokenPipeError, ConnectionResetError, OSError):
            pass  # cut, which is one of the right answers
    return received


@pytest.mark.parametrize(
    "data",
    [
        b"GET /session HTTP/1.1\r\n\r\n", b"GET /session HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /sign-in/options HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 1000, b"GET\r\n\r\n",
    ],
)
def test_what_is_not_http_gets_4xx_or_is_cut(gateway, data):
    answer = raw(gateway, data)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4") or answer.startswith(b"HTTP/1.0 4")
    assert gateway.request("GET", "/healthz").status == 200


def test_garbage_on_many_connections_leaves_memory_where_it_was(gateway):
    def resident():
        with open(f"/proc/{gateway.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    def throw(index):
        body = json.dumps({"ceremonyId": "A" * 22, "credential": {"kind": "passkey", "response": {"id": "A" * 40_000}}})
        return gateway.request(
            "POST", "/sign-in/verify", body=body.encode(), headers={"Content-Type": "application/json"}
        ).status

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(throw, range(500)))
        before = resident()
        statuses = list(pool.map(throw, range(3_000)))
    assert set(statuses) <= {400, 429, 503}
    # Half of what was thrown; the allocator's own leftovers vary with how many were served at once.
    assert resident() < before + 3_000 * 40_000 // 2
