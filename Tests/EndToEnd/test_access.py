"""Access rules: where a request comes from, what its query says, what never decides, and who is told why."""

import json
import random

import pytest

from commands import check
from gateway import Gateway
from passkey import Passkey, register, step_up

APP = "https://app.example.test"
RULES = [
    {"host": "app.example.test", "paths": ["/lan/**"], "networks": ["10.0.0.0/8", "2001:db8::/32"], "allow": "anyone"},
    {"host": "app.example.test", "paths": ["/blocked/**"], "networks": ["203.0.113.0/24"], "allow": "nobody"},
    {"host": "app.example.test", "paths": ["/view"], "query": {"mode": "public"}, "allow": "anyone"},
    {"host": "app.example.test", "query": {"debug": "*"}, "allow": "nobody"},
    {"host": "app.example.test", "paths": ["/blocked/**"], "allow": "anyone"},
    {"host": "app.example.test", "require": {"assurance": "aal1"}},
]


@pytest.fixture(scope="module")
def gateway():
    overrides = {
        "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
        "access": {"rules": RULES}, "throttle": {"free_failures": 1000}, "accounts": {"signup": "open"},
    }
    with Gateway.start(overrides) as started:
        started.origin = "https://login.example.test"
        yield started


def ask(gateway, target, **headers):
    sent = {"X-Original-URL": APP + target, "X-Original-Method": "GET", **headers}
    return gateway.request("GET", "/auth/nginx", headers=sent, listener="check").status


def test_a_rule_for_a_network_lets_in_who_comes_from_there(gateway):
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "2001:db8::7", "192.0.2.1, 10.1.2.3", "10.1.2.3, 127.0.0.1"):
        assert ask(gateway, "/lan/x", **{"X-Forwarded-For": address}) == 200, address
    for address in ("192.0.2.1", "10.1.2.3, 192.0.2.1", "2001:db9::1"):
        assert ask(gateway, "/lan/x", **{"X-Forwarded-For": address}) == 401, address


@pytest.mark.parametrize(
    "address", [None, "", "a", "[::1", "unknown", "127.0.0.1", "10.1.2.3, x", "10.1.2.3,", "10.1.2", "10.1.2.3:80", "_x",
                ", ".join(["127.0.0.1"] * 300), ["10.1.2.3", "10.1.2.3"]],
)
def test_an_address_that_can_not_be_told_is_never_of_the_network(gateway, address):
    headers = {} if address is None else {"X-Forwarded-For": address}
    assert ask(gateway, "/lan/x", **headers) == 403
    assert ask(gateway, "/blocked/x", **headers) == 403
    assert ask(gateway, "/other", **headers) == 401, "rules that ask for no address are as they were"


def test_a_network_can_be_kept_out(gateway):
    assert ask(gateway, "/blocked/x", **{"X-Forwarded-For": "203.0.113.9"}) == 403
    assert ask(gateway, "/blocked/x", **{"X-Forwarded-For": "192.0.2.1"}) == 200


@pytest.mark.parametrize(
    "query, status",
    [("?mode=public", 200), ("?mode=publi%63", 200), ("?x=1&mode=public", 200), ("?mode=public&mode=edit", 401),
     ("?MODE=public", 401), ("?mode=edit", 401), ("", 401), ("?mode=public&debug=1", 200), ("?mode=%zz", 403)],
)
def test_a_rule_that_opens_a_query_means_what_every_server_reads(gateway, query, status):
    assert ask(gateway, "/view" + query) == status


@pytest.mark.parametrize("query", ["?debug", "?debug=", "?a=1&debug=0", "?DEBUG=1", "?%64ebug=1", "?a=%zz"])
def test_a_rule_that_closes_a_query_means_what_any_server_might_read(gateway, query):
    assert ask(gateway, "/blocked/x" + query, **{"X-Forwarded-For": "192.0.2.1"}) == 403
    assert ask(gateway, "/blocked/x?bug=1", **{"X-Forwarded-For": "192.0.2.1"}) == 200


def mutated(chance, headers):
    """The headers of a check as a hostile client might bend them, where its proxy lets it."""
    names = [
        "X-Forwarded-For", "X-Real-IP", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Uri",
        "X_Original_URL", "X.Original.URL", "X-Original-Uri", "X-Rewrite-URL", "X-HTTP-Method-Override", "Remote-User",
        "X-Forwarded-Prefix", "Cookie", "Authorization", "Origin", "Access-Control-Request-Method", "Accept",
    ]
    values = [
        "", "a", "10.1.2.3", "/view?mode=public", "app.example.test", "https", f"{APP}/view?mode=public", "OPTIONS",
        "admin", "__Secure-gatehouse=" + "A" * 43, "Bearer " + "A" * 43, "Basic YTpi", "for=10.0.0.1;host=x", "*/*",
    ]
    changed = dict(headers)
    for _ in range(chance.randint(1, 4)):
        name = chance.choice(names)
        changed[name] = chance.choice([chance.choice(values), [chance.choice(values), chance.choice(values)]])
    for name in list(changed):
        if chance.random() < 0.1:
            changed[chance.choice([name.upper(), name.lower()])] = changed.pop(name)
    return changed


@pytest.mark.parametrize("seed", range(4))
def test_no_change_of_headers_lets_in_what_was_denied(gateway, seed):
    chance = random.Random(seed)
    for _ in range(250):
        target = chance.choice(["/", "/other?a=1", "/view", "/view?mode=edit", "/blocked/x?debug=1", "/LAN/x"])
        if chance.random() < 0.5:
            path, sent = "/auth/nginx", {"X-Original-URL": APP + target, "X-Original-Method": "GET"}
        else:
            path, sent = "/auth/forward", {
                "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "app.example.test",
                "X-Forwarded-Uri": target,
            }
        headers = mutated(chance, sent)
        # What the proxy itself writes stands; a client can only add to it.
        headers |= {name: value if name not in headers or headers[name] == value else [value, headers[name]]
                    for name, value in sent.items() if not isinstance(headers.get(name), list)}
        answer = gateway.request("GET", path, headers=headers, listener="check")
        assert answer.status in (302, 400, 401, 403), (path, headers)


# What is wrong with rules


@pytest.mark.parametrize(
    "rules, path, words",
    [
        ("[{host: localhost, allow: anyone}, {host: localhost, paths: [/a], allow: nobody}]", "access.rules[1]",
         "never decides: access.rules[0]"),
        ("[{host: localhost, networks: [127.0.0.1], allow: anyone}]", "access.rules[0].networks", "trusted proxies"),
        ("[{host: localhost, networks: [10.0.0.1/8], allow: anyone}]", "access.rules[0].networks", "a network"),
        ("[{host: localhost, networks: [], allow: anyone}]", "access.rules[0].networks", ""),
        ("[{host: localhost, query: {}, allow: anyone}]", "access.rules[0].query", "names no parameter"),
        ("[{host: localhost, query: [a], allow: anyone}]", "access.rules[0].query", "must be a mapping"),
    ],
)
def test_rules_that_mean_nothing_are_named(tmp_path, rules, path, words):
    result = check(tmp_path, f"access: {{rules: {rules}}}\n")
    assert result.returncode == 78 and f" {path}: " in result.stderr and words in result.stderr
    fine = "[{host: localhost, paths: [/a], allow: nobody}, {host: localhost, allow: anyone}]"
    assert check(tmp_path, f"access: {{rules: {fine}}}\n").returncode == 0


# Explaining


def explain(gateway, *arguments, check=True):
    return gateway.cli("access", "explain", *arguments, check=check)


def test_the_command_names_the_rule_that_decides_and_why(gateway):
    said = explain(gateway, "--url", f"{APP}//lan/x", "--address", "192.0.2.1").stdout
    assert "compared as /lan/x, from 192.0.2.1" in said and "rule 1  another network" in said
    assert "rule 6 asks for assurance aal1" in said
    told = json.loads(explain(gateway, "--url", f"{APP}/lan/x", "--json").stdout)
    assert told["decision"] == "nobody" and told["rule"] == 1 and "isn't known" in told["reason"]
    told = json.loads(explain(gateway, "--url", "https://elsewhere.test/", "--json").stdout)
    assert told["decision"] == "nobody" and "rule" not in told and len(told["rules"]) == len(RULES)


def test_the_command_says_how_the_sessions_of_an_account_fare(gateway):
    gateway.account_add("lee")
    nobody = explain(gateway, "--url", f"{APP}/x", "--account", "lee").stdout
    assert "no live session" in nobody
    assert gateway.client().sign_in("lee").status == 200
    told = json.loads(explain(gateway, "--url", f"{APP}/x", "--account", "lee", "--json").stdout)
    assert [session["verdict"] for session in told["sessions"]] == ["passes"]


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        ((), 64, "--url is missing"), (("--url", "/x"), 65, "refused before any rule"),
        (("--url", APP + "/a%2fb"), 65, "refused before any rule"), (("--url", APP, "--method", "get"), 65, "capital"),
        (("--url", APP, "--address", "x"), 64, "no address"), (("--url", APP, "--account", "nobody"), 67, "no such account"),
    ],
)
def test_the_command_says_what_it_can_not_explain(gateway, arguments, code, words):
    result = explain(gateway, *arguments, check=False)
    assert result.returncode == code and words in result.stderr


def test_administrators_are_told_and_nobody_else(gateway):
    gateway.account_add("kim", groups=("admin",))
    gateway.account_add("noor")
    admin, noor = gateway.client(), gateway.client()
    body = {"url": f"{APP}/lan/x", "address": "10.1.2.3", "account": "noor"}
    assert gateway.client().post("/access/explain", body).code == "session_required"
    assert noor.sign_in("noor").status == 200
    assert noor.post("/access/explain", body).code == "forbidden"
    assert admin.sign_in("kim").status == 200
    weak = admin.post("/access/explain", body)
    assert weak.code == "step_up_required" and weak.json["assurance"] == "aal2"
    passkey = Passkey()
    assert register(admin, passkey).status == 200
    assert step_up(admin, passkey).status == 200
    told = admin.post("/access/explain", body)
    assert told.status == 200 and told.json["rule"] == 1 and told.json["decision"] == "anyone"
    assert [session["verdict"] for session in told.json["sessions"]] == ["passes"]
    for wrong, code in (
        ({"url": "x"}, "invalid_value"), ({"url": APP, "address": "x"}, "invalid_value"), ({}, "malformed_request"),
        ({"url": APP, "account": "nobody"}, "not_found"), ({"url": APP + "/a/../b"}, "invalid_value"),
    ):
        assert admin.post("/access/explain", wrong).code == code


# Sessions, from the command line


def test_sessions_are_listed_and_ended_by_command(gateway):
    gateway.account_add("rob")
    clients = [gateway.client() for _ in range(3)]
    for client in clients:
        client.sign_in("rob")
    listed = [json.loads(line) for line in gateway.cli("session", "list", "rob", "--json").stdout.splitlines()]
    assert len(listed) == 3 and {tuple(each["methods"]) for each in listed} == {("password",)}
    own = clients[0].get("/session").json["id"]
    assert "Ended the session" in gateway.cli("session", "revoke", "rob", "--session", own).stdout
    while clients[0].get("/session").status == 200:
        pass
    assert [client.get("/session").status for client in clients[1:]] == [200, 200]
    again = gateway.cli("session", "revoke", "rob", "--session", own, check=False)
    assert again.returncode != 0 and "no such live session" in again.stderr
    assert "Ended 2 sessions of rob." in gateway.cli("session", "revoke", "rob").stdout
    while any(client.get("/session").status == 200 for client in clients):
        pass
    assert gateway.cli("session", "list", "nobody", check=False).returncode == 67
