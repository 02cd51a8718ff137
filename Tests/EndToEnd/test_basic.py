"""A name and a password in each request: only where a rule says so, under the counters of a sign-in."""

import base64
import threading

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, register

HOST = "api.example.test"
RULES = [
    {"host": HOST, "paths": ["/public/**"], "allow": "anyone"},
    {"host": HOST, "paths": ["/admin/**"], "require": {"groups": ["admin"], "machines": ["basic"]}},
    {"host": HOST, "paths": ["/people/**"], "require": {}},
    {"host": HOST, "require": {"machines": ["basic"]}},
]
BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate"}
SITE = {
    "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
    "access": {"rules": RULES},
}


@pytest.fixture(scope="module")
def gateway():
    settings = {
        **SITE, "throttle": {"free_failures": 1000}, "accounts": {"signup": "open"},
        "policy": {"groups": [{"group": "auditor", "assurance": "aal2"}]},
    }
    with Gateway.start(settings) as started:
        started.origin = "https://login.example.test"
        yield started


_names = iter(range(1_000_000))


@pytest.fixture
def lee(gateway):
    name = f"lee{next(_names)}"
    gateway.account_add(name, groups=("staff",))
    return name


def basic(name, password=PASSWORD):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def ask(gateway, path="/", dialect="nginx", **headers):
    if dialect == "nginx":
        sent = {"X-Original-URL": f"https://{HOST}{path}", "X-Original-Method": "GET"}
    else:
        sent = {
            "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https", "X-Forwarded-Host": HOST, "X-Forwarded-Uri": path,
        }
    return gateway.request("GET", f"/auth/{dialect}", headers={**sent, **headers}, listener="check")


@pytest.mark.parametrize("dialect", ["nginx", "forward"])
def test_the_right_password_passes_where_a_rule_takes_it(gateway, lee, dialect):
    for _ in range(2):  # hashed, and remembered
        answer = ask(gateway, dialect=dialect, **basic(lee))
        assert answer.status == 200 and answer.header("Remote-User") == lee
        assert answer.header("Remote-Methods") == "basic" and answer.header("Remote-Assurance") == "aal1"
        assert answer.header("Authorization").strip() == ""
    assert ask(gateway, "/admin/x", dialect=dialect, **basic(lee)).status == 403


def test_anywhere_else_it_is_the_applications_own(gateway, lee):
    refused = ask(gateway, "/people/x", **basic(lee))
    assert refused.status == 401 and refused.all_headers("WWW-Authenticate") == ["Bearer"]
    public = ask(gateway, "/public/x", **basic(lee))
    assert public.status == 200 and public.header("Authorization") == basic(lee)["Authorization"]
    client = gateway.client()
    client.sign_in(lee)
    cookie = {"Cookie": f"__Secure-gatehouse={client.cookies['__Secure-gatehouse']}"}
    theirs = ask(gateway, "/people/x", **cookie, **basic("theirs"))
    assert theirs.status == 200 and theirs.header("Authorization") == basic("theirs")["Authorization"]
    # Where the rule takes passwords they are for the gateway, whoever is signed in.
    assert ask(gateway, "/", **cookie, **basic("theirs")).header("Authorization").strip() == ""


def test_a_wrong_one_is_told_what_would_do(gateway, lee):
    for headers in (basic(lee, "wrong"), basic("nobody"), {}):
        answer = ask(gateway, **headers)
        assert answer.status == 401
        challenges = ["Bearer", 'Basic realm="login.example.test", charset="UTF-8"']
        assert answer.all_headers("WWW-Authenticate") == challenges
    page = ask(gateway, "/", "forward", **BROWSER)
    assert page.status == 302 and page.all_headers("WWW-Authenticate") == ["Bearer"]
    assert ask(gateway, **basic(lee)).status == 200


@pytest.mark.parametrize(
    "text", ["", ":", "name:", ":password", "name", "na\nme:password", "name:pass\0word", "name:\x7f"]
)
def test_empty_parts_and_control_characters_are_malformed(gateway, lee, text):
    encoded = base64.b64encode(text.replace("name", lee).replace("password", PASSWORD).encode()).decode()
    assert ask(gateway, Authorization=f"Basic {encoded}").status == 401
    assert ask(gateway, **basic(lee)).status == 200


def test_a_header_in_another_form_is_as_good_as_none(gateway, lee):
    good = basic(lee)["Authorization"].split(" ")[1]
    for value in ("Basic", "Basic =", "Basic Og==", f"Basic {good.rstrip('=')}=", f"Basic {good} x", f"Basic  x{good}",
                  "Basic " + base64.b64encode(f"{lee}:".encode() + b"\xff").decode(), f"Basic {good[:-1]}"):
        assert ask(gateway, Authorization=value).status == 401, value
    assert ask(gateway, Authorization=f"bASIC {good}").status == 200


def test_an_account_without_a_password_has_none_to_send(gateway):
    client, passkey = gateway.client(), Passkey()
    begun = client.post("/passkeys/register/options", {"username": "keys-only"})
    assert begun.status == 200
    assert register(client, passkey, username="keys-only2").status == 200
    assert ask(gateway, **basic("keys-only2")).status == 401


def test_a_changed_or_removed_password_counts_at_once(gateway, lee):
    assert ask(gateway, **basic(lee)).status == 200
    client = gateway.client()
    client.sign_in(lee)
    new = "another horse battery staple"
    assert client.put("/password", {"currentPassword": PASSWORD, "newPassword": new}).status == 204
    assert ask(gateway, **basic(lee)).status == 401
    assert ask(gateway, **basic(lee, new)).status == 200
    assert register(client, Passkey()).status == 200
    assert client.delete("/password").status == 204
    assert ask(gateway, **basic(lee, new)).status == 401


def test_a_disabled_account_is_out_at_once(gateway, lee):
    assert ask(gateway, **basic(lee)).status == 200
    gateway.cli("account", "disable", lee)
    assert ask(gateway, **basic(lee)).status == 401
    gateway.cli("account", "enable", lee)
    assert ask(gateway, **basic(lee)).status == 200


@pytest.mark.parametrize("dialect, status", [("nginx", 403), ("forward", 429)])
def test_guesses_share_one_counter_with_sign_in(dialect, status):
    with Gateway.start({**SITE, "throttle": {"free_failures": 3}}) as own:
        own.account_add("lee")
        client = own.client()
        assert client.sign_in("lee", "wrong one").code == "credential_rejected"
        assert ask(own, dialect=dialect, **basic("lee", "wrong two")).status == 401
        assert ask(own, dialect=dialect, **basic("lee", "wrong three")).status == 401
        throttled = ask(own, dialect=dialect, **basic("lee"))
        assert throttled.status == status and int(throttled.header("Retry-After")) >= 1
        assert client.sign_in("lee").code == "too_many_attempts"
        # Who was signed in already isn't touched, and other names aren't either.
        own.account_add("kim")
        assert ask(own, dialect=dialect, **basic("kim")).status == 200


def test_many_requests_at_once_are_one_try():
    with Gateway.start({**SITE, "throttle": {"free_failures": 2}}) as own:
        own.account_add("lee")
        statuses = []
        threads = [
            threading.Thread(target=lambda: statuses.append(ask(own, **basic("lee")).status)) for _ in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [200] * 16


def test_no_password_is_remembered_where_that_is_switched_off():
    with Gateway.start({**SITE, "machines": {"basic": {"memory": "0s"}}}) as own:
        own.account_add("lee")
        for _ in range(3):
            assert ask(own, **basic("lee")).status == 200


def test_a_guess_is_audited_and_no_password_is_logged(gateway, lee):
    assert ask(gateway, **basic(lee, "canary-password-1")).status == 401
    assert "sign_in_refused password" in gateway.cli("account", "show", lee).stdout
    assert "canary" not in gateway.log and basic(lee, "canary-password-1")["Authorization"][6:20] not in gateway.log


def test_a_password_is_nothing_for_whom_policy_asks_for_a_second_factor(gateway, lee):
    strict = f"{lee}-strict"
    gateway.account_add(strict, groups=("auditor",))
    assert ask(gateway, **basic(lee)).status == 200
    right, wrong = ask(gateway, **basic(strict)), ask(gateway, **basic(strict, "wrong"))
    assert right.status == wrong.status == 401
    assert right.header("WWW-Authenticate") == wrong.header("WWW-Authenticate")
