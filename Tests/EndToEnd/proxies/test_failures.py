"""The gateway is down, slow or starting again: nothing passes that was not allowed."""

import os
import signal
import time

from servers import Traefik, each_proxy, each_proxy_at_length


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
