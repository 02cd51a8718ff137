"""Text that means something to a database, a page, a terminal or a log: wherever text goes in, it is only text."""

import json
import re
import sqlite3

import pytest

from described import ID, filled, routes
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register, step_up
from test_half_signed_in import BODIES
from test_outages import locked

HOSTILE = {
    "a tautology": "' OR 1=1--", "another statement": "'; DROP TABLE account;--", "a wildcard": "%", "one place": "_",
    "a semicolon": ";", "NUL": "\x00", "NUL inside": "lee\x00x", "ten kilobytes": "x" * 10_000, "a quote": '"', "a backslash": "\\",
    "a script": "<script>alert(1)</script>", "an attribute": '"><img src=x onerror=alert(1)>', "a lookup": "${jndi:ldap://x.test}",
    "a template": "{{7*7}}", "a header": "x\r\nSet-Cookie: a=b", "a log line": 'x\nlevel=error event="forged"',
    "a terminal's": "\x1b[31mred\x1b]0;x\x07", "from right to left": "\u202exe", "no character": "\ufffe", "a path": "../../etc/passwd",
    "an emoji": "\U0001f600" * 50, "a number": "-1", "no number": "NaN", "a format": "%s%n%x",
}
MEMBERS = {
    "type", "title", "status", "detail", "code", "outcome", "requestId", "retryAfter", "signals", "kinds", "assurance", "maxAge",
    "deviceId",
}
# They end what the test needs, whatever is sent.
ENDING = {"DELETE /session", "DELETE /sessions", "DELETE /password"}


@pytest.fixture(scope="module")
def gateway():
    with Gateway.start({"throttle": {"free_failures": 1_000_000}}) as started:
        started.account_add("lee", groups=("admin",))
        started.account_add("axb")
        started.passkey, client = Passkey(), started.client()
        assert client.sign_in("lee").status == 200
        assert register(client, started.passkey).status == 200
        yield started


@pytest.fixture
def headers(gateway):
    """A session that may do everything."""
    client = gateway.client()
    client.sign_in("axb")
    assert authenticate(client, gateway.passkey).status == 200
    assert step_up(client, gateway.passkey).status == 200
    return {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}


def assert_orderly(answer, text, context):
    assert answer.status < 500, (context, answer)
    assert "a=b" not in answer.all_headers("Set-Cookie") and "\r" not in str(answer.headers), context
    if answer.status < 400 or answer.header("Content-Type") != "application/problem+json":
        return
    problem = answer.json
    assert set(problem) <= MEMBERS and re.fullmatch(r"[\w-]{22}", problem["requestId"]), context
    # A device learns which of its keys is unknown; it sent that itself, as an identifier.
    said = [value for name, value in problem.items() if name not in ("deviceId", "signals")]
    assert len(text) < 3 or text not in "".join(map(str, said)), (context, answer)


def content(gateway):
    database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", timeout=10)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    names = [name for (name,) in database.execute("SELECT username FROM account WHERE username IN ('lee', 'axb')")]
    database.close()
    return tables, sorted(names)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_parameter_of_a_query_is_more_than_text(gateway, headers, text):
    before = content(gateway)
    for route in routes():
        if route.method != "GET":
            continue
        for sent in ({}, headers):
            plain = route.ask(gateway, headers=sent)
            for name in [*route.query, "sort", "limit", "q", "filter"]:
                answer = route.ask(gateway, query={name: text}, headers=sent)
                assert_orderly(answer, text, (route, name))
                # A whole request line of that length is refused before anybody reads it.
                assert answer.status == plain.status or len(text) == 10_000 and answer.status == 400, (route, name)
                if "<" in text or '"' in text[1:]:
                    assert text not in answer.body.decode()
    assert content(gateway) == before


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_member_of_a_body_is_more_than_text(gateway, headers, text):
    before = content(gateway)
    for route in routes():
        if route.content is None or str(route) in ENDING:
            continue
        bodies = [{name: filled(schema, text) for name, schema in route.members.items()}]
        for name, schema in route.members.items():
            bodies.append({**BODIES.get(route.path, {}), name: filled(schema, text)})
        for body in bodies:
            for sent in ({}, headers):
                assert_orderly(route.ask(gateway, body, headers=sent), text, (route, body))
    assert content(gateway) == before
    assert authenticate(gateway.client(), gateway.passkey).json["account"]["username"] == "lee"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_identifier_is_more_than_text(gateway, headers, text):
    import urllib.parse

    before = content(gateway)
    for route in routes():
        if "{id}" not in route.path:
            continue
        for id in (urllib.parse.quote(text, safe=""), ID):
            answer = route.ask(gateway, BODIES.get(route.path), id=id, headers=headers)
            assert answer.status in (404, 400, 431), (route, answer)
            assert_orderly(answer, text, route)
    assert content(gateway) == before


@pytest.mark.parametrize("name", ["o'brien", "a_b", "a%b", "x;y", '"quoted"', "back\\slash", "o''brien", "a,b", "*"])
def test_a_name_with_marks_is_that_name_and_no_other(gateway, name):
    other = "another horse battery staple"
    added = gateway.cli("account", "add", name, input=other + "\n", check=False)
    if added.returncode != 0:
        assert added.returncode == 65
        assert gateway.client().sign_in(name, PASSWORD).code in ("credential_rejected", "malformed_credential")
        return
    assert gateway.client().sign_in(name, other).json["account"]["username"] == name
    # Neither pattern nor quote reaches anybody else.
    assert gateway.client().sign_in(name, PASSWORD).code == "credential_rejected"
    assert gateway.client().sign_in("axb", other).code == "credential_rejected"
    shown = json.loads(gateway.cli("account", "show", name, "--json").stdout)
    assert shown["account"]["username"] == name
    assert gateway.cli("account", "add", name, input=other + "\n", check=False).returncode == 65
    gateway.cli("account", "disable", name)
    assert gateway.client().sign_in(name, other).code == "credential_rejected"
    assert gateway.client().sign_in("axb").status == 200


@pytest.mark.parametrize("name", ["a%", "%", "a__", "' OR '1'='1", "lee'--", "axb\x00", "LEE;"])
def test_no_pattern_finds_an_account(gateway, name):
    if "\x00" not in name:
        for verb in ("show", "disable", "recover"):
            assert gateway.cli("account", verb, name, check=False).returncode == 67
    assert gateway.client().sign_in(name).code == "credential_rejected"
    assert gateway.client().sign_in("axb").status == 200


# Logs, and what operators see


def test_nothing_that_a_visitor_sends_forges_a_line_or_commands_a_terminal(gateway):
    forged = 'alice\nlevel=info msg="sign-in ok"'
    before = len(gateway.log)
    for name in (forged, "alice\r\nlevel=error", "\x1b[31malice", "alice\u2028level=info", "x" * 60_000):
        assert gateway.client().sign_in(name).status in (400, 401)
        form = gateway.request("POST", "/sign-in", form={"identifier": name, "password": "x" * 20}, headers={"Origin": gateway.origin})
        assert form.status in (400, 401)
        for target in ("/auth/nginx", "/auth/forward"):
            gateway.request("GET", target, headers={"X-Original-Method": name.encode("unicode_escape").decode()[:4_000]}, listener="check")
    million = json.dumps({"identifier": "x" * 1_000_000}).encode()
    typed = {"Content-Type": "application/json"}
    assert gateway.request("POST", "/sign-in/options", body=million, headers=typed).code == "body_too_large"
    broken = b'{"identifier":"\xff\xfe\xc0\xaf"}'
    assert gateway.request("POST", "/sign-in/options", body=broken, headers=typed).code == "malformed_json"
    with locked(gateway):
        for name in (forged, "\x1b[31malice"):
            answer = gateway.client().post("/sign-in/options", {"identifier": name})
            assert (answer.status, answer.code) == (503, "storage_unavailable") and set(answer.json) <= MEMBERS
            assert not re.search(r"(?i)sqlite|locked|/tmp|\.swift", answer.text)
    log = gateway.log[before:]
    assert 'event="request failed"' in log and len(log) < 5_000
    line = re.compile(r'\d{4}-\d\d-\d\dT[\d:.]+Z level=(debug|notice|error) event="[ -~]+"( \w+=([!-~]+|"[ -~]*"))*')
    assert all(line.fullmatch(each) for each in log.splitlines()), log
    assert "alice" not in log and "\x1b" not in log


def test_a_browsers_name_commands_no_terminal_of_an_operator(gateway):
    agent = "Mozilla/5.0 \x1b[2J\x1b]0;pwned\x07 'x'"
    client = gateway.client()
    begun = client.post("/sign-in/options", {"identifier": "axb"}).json
    credential = {"kind": "password", "identifier": "axb", "password": PASSWORD}
    body = {"ceremonyId": begun["ceremonyId"], "credential": credential}
    answer = client.post("/sign-in/verify", body, headers={"User-Agent": agent})
    assert answer.status in (200, 400)
    for arguments in (("session", "list", "axb"), ("session", "list", "axb", "--json"), ("account", "show", "axb")):
        printed = gateway.cli(*arguments).stdout
        assert printed and "\x1b" not in printed and "\x07" not in printed


def test_an_import_that_refuses_a_name_does_not_repeat_it_to_the_terminal(gateway):
    path = gateway.folder / "people.csv"
    path.write_text('username,email\n"red\x1b[31m",a@example.test\n"two\nlines",b@example.test\nfine,c@example.test\n')
    result = gateway.cli("import", str(path), "--format", "csv", check=False)
    assert "\x1b" not in result.stdout + result.stderr
    assert "fine" in gateway.cli("account", "list").stdout
