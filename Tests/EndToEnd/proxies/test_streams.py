"""What isn't one answer to one request: sockets, streams of events, HTTP/2."""

import http.client
import json
import subprocess

import pytest
import websocket

from servers import Apache, Caddy, Nginx, each_proxy_at_length
from visits import seen


@each_proxy_at_length
@pytest.mark.parametrize("connection", ["Upgrade", "keep-alive, upgrade"])
def test_a_socket_opens_for_a_session_and_knows_whose_it_is(proxy, connection, cookie):
    socket = websocket.create_connection(
        f"ws://localhost:{proxy.port}/socket", timeout=20, cookie=cookie["Cookie"], connection=f"Connection: {connection}",
        header={"Remote-User": "admin"},
    )
    socket.send("hello")
    assert socket.recv() == "lee, theme=dark: hello"
    socket.close()


@each_proxy_at_length
def test_a_socket_opens_for_nobody_else(proxy, application):
    before = application.received
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        websocket.create_connection(f"ws://localhost:{proxy.port}/socket", timeout=20)
    assert refused.value.status_code == 401 and application.received == before


@each_proxy_at_length
def test_events_arrive_one_by_one(proxy, application, cookie):
    application.may_go_on.clear()
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=20)
    try:
        connection.request("GET", "/events", headers={"Host": f"localhost:{proxy.port}", **cookie})
        response = connection.getresponse()
        assert response.readline() == b"data: first\n"  # the second isn't sent yet
        application.may_go_on.set()
        assert response.read() == b"\ndata: second\n\n"
    finally:
        application.may_go_on.set()
        connection.close()


class NginxOfTwo(Nginx):
    """Without TLS nginx speaks HTTP/2 alone, or not at all."""

    substitutions = (*Nginx.substitutions[:-1], (r"listen 8080;", "listen 127.0.0.1:{port} http2;"))

    def request(self, method, target):
        return over_two(self, target, {})


class CaddyOfTwo(Caddy):
    substitutions = (*Caddy.substitutions, (r"# HTTP/2 without TLS: ", ""))


class ApacheOfTwo(Apache):
    substitutions = (*Apache.substitutions, (r"# HTTP/2 with mod_http2: ", ""))
    modules = (*Apache.modules, "http2")


# The others speak it as they are.
OF_TWO = {Nginx: NginxOfTwo, Caddy: CaddyOfTwo, Apache: ApacheOfTwo}


def over_two(proxy, target, headers):
    """What curl is answered that speaks HTTP/2 from the first byte on."""
    command = ["curl", "--silent", "--http2-prior-knowledge", "--max-time", "20", "--path-as-is", "--write-out"]
    command += ["\n%{http_version} %{http_code}", f"http://localhost:{proxy.port}{target}"]
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    result = subprocess.run(command, capture_output=True, text=True)
    body, _, last = result.stdout.rpartition("\n")
    version, _, status = last.partition(" ")
    assert status == "000" or version == "2", last
    return Two(int(status), body)


class Two:
    def __init__(self, status, body):
        self.status, self.body = status, body

    @property
    def headers(self):
        return {name.lower(): value for name, value in json.loads(self.body)["headers"] if value}


@pytest.fixture(scope="session")
def proxy_of_two(proxy, gateway, application):
    kind = OF_TWO.get(type(proxy))
    if kind is None:
        yield proxy
        return
    with kind(gateway.ports["check"], application.port) as started:
        yield started


@each_proxy_at_length
def test_http_2_in_front_gets_the_same_decision(proxy_of_two, cookie):
    forged = {"remote-user": "admin", "x-forwarded-uri": "/public/", "remote_user": "admin", "x-original-url": "/public/"}
    allowed = over_two(proxy_of_two, "/x", {**cookie, **forged})
    assert allowed.status == 200 and "admin" not in allowed.body
    assert allowed.headers["remote-user"] == "lee" and allowed.headers["cookie"] == "theme=dark"
    assert over_two(proxy_of_two, "/x", forged).status == 401
    assert over_two(proxy_of_two, "/x", {"accept": "text/html"}).status == 302
    assert over_two(proxy_of_two, "/admin/", cookie).status == 403
    assert over_two(proxy_of_two, "/public/..%2fadmin", cookie).status in (400, 403)
    assert "remote-user" not in over_two(proxy_of_two, "/public/", forged).headers


@each_proxy_at_length
@pytest.mark.parametrize("protocol", ["h2c", "TLS/1.3", "foo", "websocket, h2c", "h2c, websocket"])
def test_nothing_but_a_socket_is_upgraded_to(proxy, protocol, cookie):
    """An application that took up HTTP/2 would hear further requests through the proxy, about which nobody was asked."""
    sent = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": protocol, "HTTP2-Settings": "AAMAAABkAAQAAP__", **cookie}
    answer = proxy.request("GET", "/", sent)
    assert answer.status in (400, 403, 501) or "upgrade" not in seen(answer)
