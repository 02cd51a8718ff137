"""Two cookie domains in a real browser, whose rules for cookies and passkeys are what several portals have to get by."""

import pytest
from visitor import Visitor

from gateway import PASSWORD, Gateway
from https_server import HTTPSServer
from portals import APPS, MAIN, NET, PORTALS, RULES


@pytest.fixture
def gateway():
    with Gateway.start({**PORTALS, "access": {"rules": RULES}}) as gateway:
        yield gateway


@pytest.fixture
def web(gateway, tmp_path):
    """Every host of the web behind one proxy: portals are passed on, and applications served to whom the check lets in."""
    hop = {"connection", "content-length", "keep-alive", "transfer-encoding", "date", "host"}

    def passed_on(question):
        headers = {name: value for name, value in question.headers.items() if name.lower() not in hop}
        host = question.headers["Host"]
        answer = gateway.request(
            question.method, question.path, body=question.body, headers={**headers, "Host": host}
        )
        return answer.status, answer.body, *((name, value) for name, value in answer.headers if name.lower() not in hop)

    def served(question):
        asked = {
            "X-Forwarded-Method": question.method, "X-Forwarded-Proto": "https", "X-Forwarded-Uri": question.path,
            "X-Forwarded-Host": question.headers["Host"], "Accept": question.headers["Accept"] or "",
            "Cookie": question.headers["Cookie"] or "",
        }
        answer = gateway.request("GET", "/auth/forward", headers=asked, listener="check")
        page = f"<link rel=icon href=data:,><p id=user>{answer.header('Remote-User')}</p>" if answer.status == 200 else ""
        location = [("Location", answer.header("Location"))] if answer.header("Location") else []
        return answer.status, page.encode(), ("Content-Type", "text/html"), *location

    server = HTTPSServer(tmp_path)
    server.answer = lambda question: (passed_on if question.headers["Host"] in (MAIN, NET) else served)(question)
    yield server
    server.close()


@pytest.fixture
def visitor(web):
    address = web.url.removeprefix("https://").strip("/").replace("localhost", "127.0.0.1")
    visitor = Visitor(
        f"https://{MAIN}", arguments=(f"--host-resolver-rules=MAP * {address}", "--ignore-certificate-errors")
    )
    try:
        yield visitor
    finally:
        visitor.close()


def test_each_domain_has_its_own_sign_in_and_one_passkey_does_for_both(gateway, visitor):
    gateway.account_add("lee")
    visitor.add_authenticator()
    there, elsewhere = f"https://{APPS[MAIN]}/a?b=1", f"https://{APPS[NET]}/c?d=2"

    def arrive(url):
        visitor.wait_until(lambda: visitor.driver.current_url == url, f"{url} is not reached")
        assert visitor.read("#user") == "lee"

    def stop_at(origin):
        visitor.see("#identifier")
        assert visitor.driver.current_url.startswith(f"{origin}/sign-in")

    visitor.go(there)
    stop_at(f"https://{MAIN}")
    visitor.sign_in("lee", PASSWORD)
    visitor.click("#offer-accept")
    arrive(there)
    visitor.touch(False)
    visitor.go(elsewhere)
    stop_at(f"https://{NET}")
    visitor.touch(True)
    visitor.click("#passkey-button")
    arrive(elsewhere)
    assert len(visitor.passkeys) == 1

    visitor.touch(False)
    visitor.go(f"https://{NET}/account")
    visitor.click("#sign-out")
    stop_at(f"https://{NET}")
    visitor.go(there)
    arrive(there)
    visitor.go(elsewhere)
    stop_at(f"https://{NET}")
