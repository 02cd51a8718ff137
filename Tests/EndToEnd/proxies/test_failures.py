"""The gateway is down, slow or starting again: nothing passes that was not allowed."""

import os
import signal
import socketserver
import threading
import time

import pytest

from servers import Apache, HAProxy, Traefik, each_proxy, each_proxy_at_length


def asked(proxy, application, headers):
    """The statuses of a closed path and an open one, neither of which the application may have seen."""
    before = application.received
    statuses = [proxy.request("GET", target, headers).status for target in ("/", "/public/")]
    assert application.received == before
    return statuses


@each_proxy
def test_without_a_gateway_nobody_passes(proxy, gateway, application, cookie):
    assert proxy.request("GET", "/", cookie).status == 200
    gateway.end()
    try:
        assert all(500 <= status < 600 for status in asked(proxy, application, cookie))
    finally:
        gateway.serve()
    assert proxy.request("GET", "/", cookie).status == 200, "a session outlives a restart"


@each_proxy_at_length
def test_a_gateway_that_does_not_answer_lets_nobody_pass(proxy, gateway, application, cookie):
    assert proxy.request("GET", "/", cookie).status == 200
    os.kill(gateway.process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, gateway.process.pid, os.WSTOPPED)
    begun = time.monotonic()
    try:
        before = application.received
        assert 500 <= proxy.request("GET", "/", cookie, timeout=40).status < 600
        # Traefik's half a minute can't be changed.
        assert time.monotonic() - begun < (35 if isinstance(proxy, Traefik) else 10)
        assert application.received == before
    finally:
        os.kill(gateway.process.pid, signal.SIGCONT)
    assert proxy.request("GET", "/", cookie).status == 200


class Fickle(socketserver.ThreadingTCPServer):
    """Says yes to every check, and then something else."""

    daemon_threads = True
    allow_reuse_address = True
    says = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            while self.rfile.readline() not in (b"\r\n", b""):
                pass
            self.wfile.write(self.server.says)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


@each_proxy_at_length
def test_an_answer_that_is_none_lets_nobody_pass(proxy, application):
    with Fickle() as check, type(proxy)(check.server_address[1], application.port) as asking:
        for nonsense in (
            b"", b"200 OK\r\n\r\n", b"HTTP/1.1 200", b"HTTP/1.1 \r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
        ):
            check.says = nonsense
            assert all(500 <= status < 600 for status in asked(asking, application, {})), nonsense
        check.says = Fickle.says
        assert asking.request("GET", "/").status == 200


class BrokenHAProxy(HAProxy):
    substitutions = (*HAProxy.substitutions, (r"local function question\(txn\)", "local function question() error('broken')"))
    ready = 503


class BrokenApache(Apache):
    substitutions = (*Apache.substitutions, (r"local function question\(r\)", "local function question() error('broken')"))
    ready = 500


@pytest.mark.long
@pytest.mark.parametrize("kind", [BrokenHAProxy, BrokenApache])
def test_a_script_that_fails_lets_nobody_pass(kind, gateway, application, cookie):
    with kind(gateway.ports["check"], application.port) as proxy:
        assert asked(proxy, application, cookie) == [kind.ready, kind.ready]
