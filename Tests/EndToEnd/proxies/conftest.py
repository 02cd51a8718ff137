"""One gateway, one application, and each proxy started once in front of it."""

import time

import pytest

from application import Application
from gateway import Gateway
from passkey import Passkey, register

RULES = [
    {"host": "localhost", "paths": ["/public/**"], "allow": "anyone"},
    {"host": "localhost", "paths": ["/api/**"], "methods": ["OPTIONS"], "allow": "anyone"},
    {"host": "localhost", "paths": ["/admin/**"], "require": {"groups": ["admin"]}},
    {"host": "localhost", "paths": ["/vault/**"], "require": {"assurance": "aal2"}},
    {"host": "localhost", "paths": ["/scripts/**"], "require": {"machines": ["token", "basic"]}},
    {"host": "localhost", "paths": ["/near/**"], "networks": ["127.0.0.2"], "allow": "anyone"},
    {"host": "localhost", "require": {"assurance": "aal1"}},
]


@pytest.fixture(scope="session")
def gateway():
    settings = {
        "access": {"rules": RULES, "trusted_proxies": ["127.0.0.1"]}, "identity": {"token": True}, "accounts": {"signup": "open"}, "throttle": {"free_failures": 1000},
        "policy": {"groups": [{"group": "audit", "assurance": "aal2"}]},
        "sessions": {"lifetimes": {"passkey": {"absolute": "4s", "idle": "4s"}}},
    }
    with Gateway.start(settings) as started:
        started.account_add("lee", display_name="Lee Löw", email="lee@example.test", groups=("staff",))
        started.account_add("auditor", groups=("audit",))
        started.account_add("keys-only", None)
        yield started


@pytest.fixture(scope="session")
def application():
    with Application() as started:
        yield started


@pytest.fixture(scope="session")
def proxy(request, gateway, application):
    with request.param(gateway.ports["check"], application.port) as started:
        started.gateway = gateway
        yield started


@pytest.fixture
def cookie(gateway):
    """A session of lee, and another cookie before it."""
    client = gateway.client()
    client.sign_in("lee")
    return {"Cookie": f"theme=dark; gatehouse={client.cookies['gatehouse']}"}


@pytest.fixture(scope="session")
def expired(gateway):
    """A session that was one until its lifetime was over."""
    client = gateway.client()
    assert register(client, Passkey(), username="short").status == 200
    cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    asked = {"X-Original-URL": "http://localhost/", "X-Original-Method": "GET", **cookie}
    check = lambda: gateway.request("GET", "/auth/nginx", headers=asked, listener="check").status
    assert check() == 200
    begun = time.monotonic()
    while check() == 200:
        assert time.monotonic() - begun < 20
        time.sleep(0.1)
    return cookie


@pytest.fixture(scope="session")
def many_groups(gateway):
    """A session of someone in as many groups as there may be, and their names."""
    groups = tuple(f"{index:02}-" + "g" * 60 for index in range(32))
    gateway.account_add("popular", groups=groups)
    client = gateway.client()
    client.sign_in("popular")
    return {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}, groups
