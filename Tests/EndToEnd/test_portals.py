"""Several cookie domains: one gateway at several addresses, each with its own cookie, sessions and applications."""

import urllib.parse

import pytest

from commands import check
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register
from portals import ALONE, APPS, BROWSER, COOKIES, MAIN, NET, PORTALS, RULES, Visitor, ask, claims

ALL = [MAIN, NET, ALONE]
PAIRS = [(here, there) for here in ALL for there in ALL if here != there]


@pytest.fixture(scope="module")
def gateway():
    overrides = {
        **PORTALS, "access": {"rules": RULES}, "throttle": {"free_failures": 1000}, "accounts": {"signup": "open"},
        "identity": {"token": True}, "related_origins": ["https://login.fourth.test", f"https://{NET}"],
        "cors_origins": ["https://pages.example.test", "https://pages.other.test"],
    }
    with Gateway.start(overrides) as started:
        started.account_add("lee")
        yield started


def signed_in(gateway, host, **options):
    visitor = Visitor(gateway, host)
    assert visitor.sign_in("lee", **options).status == 200
    return visitor


# Cookies and sessions


@pytest.mark.parametrize(
    "host,attributes",
    [(MAIN, "; Path=/; HttpOnly; SameSite=Lax; Secure; Domain=example.test"),
     (NET, "; Path=/; HttpOnly; SameSite=Lax; Secure; Domain=other.test"),
     (ALONE, "; Path=/; HttpOnly; SameSite=Lax; Secure")],
)
def test_each_portal_sets_and_clears_the_cookie_of_its_own_domain(gateway, host, attributes):
    visitor = Visitor(gateway, host)
    (set_cookie,) = visitor.sign_in("lee").all_headers("Set-Cookie")
    assert set_cookie == f"{COOKIES[host]}={visitor.token}{attributes}; Max-Age=86400"
    stale = visitor.sets
    (cleared,) = visitor.delete("/session").all_headers("Set-Cookie")
    assert cleared == f"{COOKIES[host]}={attributes}; Max-Age=0"
    (again,) = Visitor(gateway, host).get("/session", headers=stale).all_headers("Set-Cookie")
    assert again == cleared


@pytest.mark.parametrize("here,there", PAIRS)
def test_a_session_of_one_portal_is_none_at_another(gateway, here, there):
    ours, theirs = signed_in(gateway, here), signed_in(gateway, there)
    # Whatever becomes of the name on the way: no browser brings it there, and a thief can call it anything.
    assert ours.get("/session", headers=ours.sets).status == 200
    assert Visitor(gateway, there).get("/session", headers=ours.sets).code == "session_required"
    for headers in (ours.sets, {"Authorization": f"Bearer {ours.token}"}):
        assert ask(gateway, APPS[here], **headers).header("Remote-User") == "lee"
        assert ask(gateway, APPS[there], **headers).status == 401
    assert ask(gateway, APPS[there], **theirs.sets).header("Remote-User") == "lee"
    # Known or not, it was looked for: the answer from memory is the same.
    assert ask(gateway, APPS[there], **ours.sets).status == 401


def test_an_apps_session_is_of_the_portal_where_it_was_opened(gateway):
    token = Visitor(gateway, NET).sign_in("lee", client="native").json["session"]["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    assert Visitor(gateway, NET).get("/session", headers=bearer).status == 200
    assert ask(gateway, APPS[NET], **bearer).header("Remote-User") == "lee"
    assert Visitor(gateway, MAIN).get("/session", headers=bearer).code == "session_required"
    assert ask(gateway, APPS[MAIN], **bearer).status == 401


def test_an_account_has_all_its_sessions_in_one_list_and_can_end_them_everywhere(gateway):
    gateway.account_add("kim")
    visitors = {host: Visitor(gateway, host) for host in ALL}
    for visitor in visitors.values():
        assert visitor.sign_in("kim").status == 200
    listed = visitors[NET].get("/sessions").json["sessions"]
    assert len(listed) == 3 and [each["current"] for each in listed].count(True) == 1
    for host, visitor in visitors.items():
        assert ask(gateway, APPS[host], **visitor.sets).status == 200
    assert visitors[NET].delete("/sessions").status == 204
    for host, visitor in visitors.items():
        assert ask(gateway, APPS[host], **visitor.sets).status == (200 if host == NET else 401)
    assert len(visitors[NET].get("/sessions").json["sessions"]) == 1


def test_a_session_outlives_a_restart_at_its_own_portal_alone(gateway):
    visitor = signed_in(gateway, NET)
    gateway.restart()
    assert ask(gateway, APPS[MAIN], **visitor.sets).status == 401
    assert ask(gateway, APPS[NET], **visitor.sets).status == 200


# Which portal


@pytest.mark.parametrize("host", [NET, NET.upper(), f"{NET}:443", f"{NET}:8443", f"{NET}."])
def test_host_names_the_portal_in_any_spelling(gateway, host):
    answer = gateway.request("GET", "/account", headers={"Host": host})
    assert answer.header("Location") == f"https://{NET}/sign-in"


@pytest.mark.parametrize("host", ["evil.test", f"x.{NET}", "other.test", "app.other.test", f"{NET}.evil.test", "[::1]", ""])
def test_a_host_that_is_not_configured_is_answered_as_the_main_one(gateway, host):
    answer = gateway.request("GET", "/account", headers={"Host": host})
    assert answer.header("Location") == f"https://{MAIN}/sign-in"


@pytest.mark.parametrize("name", ["X-Forwarded-Host", "Forwarded", "X-Original-Host", "X-Original-URL", "Origin"])
def test_no_other_header_chooses_the_portal(gateway, name):
    value = {"Forwarded": f"host={NET}", "X-Original-URL": f"https://{NET}/", "Origin": f"https://{NET}"}.get(name, NET)
    answer = gateway.request("GET", "/account", headers={"Host": MAIN, name: value})
    assert answer.header("Location") == f"https://{MAIN}/sign-in"


@pytest.mark.parametrize("host", ALL)
def test_links_and_documents_are_of_the_portal_that_was_asked(gateway, host):
    visitor = Visitor(gateway, host)
    assert visitor.get("/").header("Location") == f"https://{host}/account"
    well_known = "/.well-known"
    assert visitor.get(f"{well_known}/change-password").header("Location") == f"https://{host}/account#password"
    passkeys = f"https://{host}/account#passkeys"
    assert visitor.get(f"{well_known}/passkey-endpoints").json == {"enroll": passkeys, "manage": passkeys}
    form = {"identifier": "lee", "password": PASSWORD}
    answer = visitor.request("POST", "/sign-in", form=form, headers={"Origin": visitor.origin})
    assert answer.status == 303 and answer.header("Location") == f"https://{host}/account"


@pytest.mark.parametrize("host", [*ALL, "other.test"])
def test_the_check_sends_browsers_to_the_portal_whose_cookie_covers_the_application(gateway, host):
    application, portal = APPS.get(host, host), NET if host == "other.test" else host
    expected = f"https://{portal}/sign-in?return_to=" + urllib.parse.quote(f"https://{application}/a?b=1", safe="")
    sent = {"X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https", "X-Forwarded-Host": application}
    asked = {**sent, "X-Forwarded-Uri": "/a?b=1", **BROWSER}
    for dialect, status in (("forward", 302), ("haproxy", 302), ("apache", 401)):
        answer = gateway.request("GET", f"/auth/{dialect}", headers=asked, listener="check")
        assert (answer.status, answer.header("Location")) == (status, expected)
    assert ask(gateway, application, "/a?b=1", **BROWSER).header("Location") == expected


def test_the_realm_of_a_password_is_the_portals_host(gateway):
    assert f'Basic realm="{NET}", charset="UTF-8"' in ask(gateway, APPS[NET]).all_headers("WWW-Authenticate")


@pytest.mark.parametrize("host", ALL)
def test_an_application_gets_no_portals_cookie_and_one_issuers_tokens(gateway, host):
    visitor = signed_in(gateway, host)
    answer = ask(gateway, APPS[host], Cookie=f"a=b; {COOKIES[host]}={visitor.token}; c=d")
    assert answer.header("Cookie") == "a=b; c=d"
    told = claims(answer.header("Remote-Token"))
    assert told["iss"] == f"https://{MAIN}" and APPS[host] in told["aud"]
    documents = [Visitor(gateway, each).get("/.well-known/jwks.json").json for each in ALL]
    assert documents[0]["keys"] and documents[0] == documents[1] == documents[2]


# Other sites


@pytest.mark.parametrize("here,there", PAIRS)
def test_one_portals_pages_are_foreign_at_another(gateway, here, there):
    visitor = Visitor(gateway, here)
    own, foreign = {"Origin": f"https://{here}"}, {"Origin": f"https://{there}"}
    assert visitor.post("/sign-in/options", headers=own).status == 200
    assert visitor.post("/sign-in/options", headers=foreign).code == "cross_site_request"
    session = signed_in(gateway, here)
    assert session.delete("/session", headers=foreign).code == "cross_site_request"
    assert session.get("/session").status == 200
    form = {"identifier": "lee", "password": PASSWORD}
    answer = visitor.request("POST", "/sign-in", form=form, headers=foreign)
    assert answer.status == 403 and not answer.all_headers("Set-Cookie")
    assert visitor.request("POST", "/sign-in", form=form, headers=own).status == 303


def test_pages_of_one_site_may_call_that_sites_portal_alone(gateway):
    for host, page, other in ((MAIN, "pages.example.test", "pages.other.test"), (NET, "pages.other.test", "pages.example.test")):
        preflight = {"Origin": f"https://{page}", "Access-Control-Request-Method": "POST"}
        allowed = Visitor(gateway, host).request("OPTIONS", "/session", headers=preflight)
        assert allowed.header("Access-Control-Allow-Origin") == f"https://{page}"
        refused = Visitor(gateway, host).request("OPTIONS", "/session", headers={**preflight, "Origin": f"https://{other}"})
        assert refused.header("Access-Control-Allow-Origin") is None
        assert Visitor(gateway, host).post("/sign-in/options", headers={"Origin": f"https://{other}"}).code == "cross_site_request"


@pytest.mark.parametrize("here,there", PAIRS)
def test_people_return_to_what_their_portals_cookie_covers(gateway, here, there):
    visitor = Visitor(gateway, here)
    for url in (f"https://{APPS[here]}/x", f"https://{here}/account"):
        begun = visitor.post("/sign-in/options", {"returnTo": url})
        assert begun.status == 200, url
        assert url in visitor.get("/sign-in?return_to=" + urllib.parse.quote(url, safe="")).text
    for url in (f"https://{APPS[there]}/x", f"https://{there}/account"):
        assert visitor.post("/sign-in/options", {"returnTo": url}).code == "return_url_not_allowed"
        assert APPS[there] not in visitor.get("/sign-in?return_to=" + urllib.parse.quote(url, safe="")).text
        form = {"identifier": "lee", "password": PASSWORD, "return_to": url}
        answer = visitor.request("POST", "/sign-in", form=form, headers={"Origin": visitor.origin})
        assert answer.header("Location") == f"https://{here}/account"


def test_a_host_without_a_cookie_is_returned_to_from_the_main_portal(gateway):
    body = {"returnTo": "https://www.nobodys.test/"}
    assert Visitor(gateway, MAIN).post("/sign-in/options", body).status == 200
    assert Visitor(gateway, NET).post("/sign-in/options", body).code == "return_url_not_allowed"


def test_attempts_count_at_whichever_portal_they_are_made():
    overrides = {**PORTALS, "access": {"rules": []}, "throttle": {"per_address_per_minute": 3}}
    with Gateway.start(overrides) as gateway:
        answers = [Visitor(gateway, host).post("/sign-in/options") for host in ALL]
        assert [each.status for each in answers] == [200, 200, 200]
        assert [Visitor(gateway, host).post("/sign-in/options").code for host in ALL] == ["too_many_attempts"] * 3


# Passkeys


def test_passkeys_have_one_domain_and_may_be_used_at_every_portal(gateway):
    passkey = Passkey()
    begun = Visitor(gateway, NET).post("/passkeys/register/options", {"username": "rae"}).json
    assert begun["options"]["rp"]["id"] == MAIN
    assert register(Visitor(gateway, NET), passkey, username="rae").status == 200
    for host in ALL:
        visitor = Visitor(gateway, host)
        assert authenticate(visitor, passkey).status == 200
        assert ask(gateway, APPS[host], **visitor.sets).header("Remote-User") == "rae"
    assert authenticate(Visitor(gateway, "login.stranger.test"), passkey).code == "origin_mismatch"


def test_browsers_are_told_of_every_portal_once(gateway):
    origins = [*(f"https://{host}" for host in ALL), "https://login.fourth.test"]
    assert Visitor(gateway, MAIN).get("/.well-known/webauthn").json == {"origins": origins}


# Configuration

BASE = "public_url: https://login.example.test\nsessions: {cookie: {domain: example.test}}\naccess: {rules: []}\nportals:\n"
FINE = "  - public_url: https://login.other.test\n    cookie_domain: other.test\n"


@pytest.mark.parametrize(
    "entries,path,reason",
    [("  - { public_url: 'http://login.other.test' }", "portals[1].public_url", "must be an https origin"),
     ("  - { public_url: 'http://localhost:9091' }", "portals[1].public_url", "must be an https origin"),
     ("  - { public_url: 'https://login.third.test/portal' }", "portals[1].public_url", "must be an https origin"),
     ("  - { public_url: 'https://192.0.2.1' }", "portals[1].public_url", "can be registered"),
     ("  - { public_url: 'https://[2001:db8::1]' }", "portals[1].public_url", "can be registered"),
     ("  - { public_url: 'https://localhost' }", "portals[1].public_url", "can be registered"),
     ("  - { public_url: 'https://duckdns.org' }", "portals[1].public_url", "can be registered"),
     ("  - { cookie_domain: third.test }", "portals[1].public_url", "must be an https origin"),
     ("  - { public_url: 'https://login.third.test', domain: third.test }", "portals[1].domain", "unknown key"),
     ("  - https://login.third.test", "portals[1]", "must be a mapping"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: [third.test] }", "portals[1].cookie_domain", "must be text"),
     ("  - { public_url: 'https://x.duckdns.org', cookie_domain: duckdns.org }", "portals[1].cookie_domain", "can be registered"),
     ("  - { public_url: 'https://login.foo.co.uk', cookie_domain: co.uk }", "portals[1].cookie_domain", "can be registered"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: test }", "portals[1].cookie_domain", "can be registered"),
     ("  - { public_url: 'https://login.localhost', cookie_domain: localhost }", "portals[1].cookie_domain", "can be registered"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: 192.0.2.1 }", "portals[1].cookie_domain", "can be registered"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: '[::1]' }", "portals[1].cookie_domain", "can be registered"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: .third.test }", "portals[1].cookie_domain", "without dots"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: third.test. }", "portals[1].cookie_domain", "without dots"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: Third.test }", "portals[1].cookie_domain", "lower case"),
     ("  - { public_url: 'https://login.third.test', cookie_domain: fourth.test }", "portals[1].cookie_domain", "not within"),
     ("  - { public_url: 'https://loginthird.test', cookie_domain: third.test }", "portals[1].cookie_domain", "not within"),
     ("  - { public_url: 'https://third.test', cookie_domain: login.third.test }", "portals[1].cookie_domain", "not within"),
     ("  - { public_url: 'https://login.other.test', cookie_domain: other.test }", "portals[1].public_url", "overlap"),
     ("  - { public_url: 'https://login.other.test:8443' }", "portals[1].public_url", "overlap"),
     ("  - { public_url: 'https://desk.other.test' }", "portals[1].public_url", "overlap"),
     ("  - { public_url: 'https://login.a.other.test', cookie_domain: a.other.test }", "portals[1].public_url", "overlap"),
     ("  - { public_url: 'https://login.example.test' }", "portals[1].public_url", "overlap")],
)
def test_what_is_wrong_with_a_portal_is_said_with_its_line_and_stops_the_start(tmp_path, entries, path, reason):
    result = check(tmp_path, f"{BASE}{FINE}{entries}\n")
    assert result.returncode == 78, result
    (line,) = [each for each in result.stderr.splitlines() if f"gatehouse.yaml:7: {path}: " in each]
    assert reason in line
    assert check(tmp_path, BASE + FINE).returncode == 0


def test_a_portal_above_the_main_one_overlaps_and_no_portal_is_taken_for_part_of_another(tmp_path):
    alone = "public_url: https://login.example.test\naccess: {rules: []}\nportals:\n"
    for entry in ("{ public_url: 'https://desk.example.test', cookie_domain: example.test }", "{ public_url: 'https://login.example.test' }"):
        result = check(tmp_path, f"{alone}  - {entry}\n")
        assert result.returncode == 78 and "gatehouse.yaml:4: portals[0].public_url: " in result.stderr
    for url, domain in (("https://desk.example.test", ""), ("https://a.myexample.test", "myexample.test")):
        result = check(tmp_path, f"{alone}  - {{ public_url: '{url}', cookie_domain: {domain} }}\n")
        assert result.returncode == 0, result
        assert f"public URL       https://login.example.test, {url}\n" in result.stdout


def test_further_portals_need_https_at_the_main_one(tmp_path):
    for public_url, status in (("http://localhost:9091", 78), ("https://login.example.test", 0)):
        result = check(tmp_path, f"public_url: {public_url}\naccess: {{rules: []}}\nportals:\n{FINE}")
        assert result.returncode == status and ("gatehouse.yaml:4: portals: " in result.stderr) == (status == 78)


def test_every_mistake_is_said_at_once(tmp_path):
    bad = "  - { public_url: 'https://x.duckdns.org', cookie_domain: duckdns.org }\n  - { public_url: nonsense }\n"
    result = check(tmp_path, f"{BASE}{bad}")
    assert result.returncode == 78
    assert "gatehouse.yaml:5: portals[0].cookie_domain: " in result.stderr
    assert "gatehouse.yaml:6: portals[1].public_url: " in result.stderr


@pytest.mark.parametrize(
    "host,status",
    [("app.other.test", 0), ("'*.other.test'", 0), ("other.test", 0), ("desk.third.test", 0), ("'*.desk.third.test'", 78),
     ("app.third.test", 78), ("another.test", 78), ("'*.test'", 78)],
)
def test_a_rule_for_a_host_that_no_portals_cookie_reaches_stops_the_start(tmp_path, host, status):
    text = BASE.replace("rules: []", "rules: [{host: %s, require: {}}]" % host)
    result = check(tmp_path, f"{text}{FINE}  - public_url: https://desk.third.test\n")
    assert result.returncode == status
    assert ("access.rules: no session cookie reaches " in result.stderr) == (status == 78)


def test_pages_that_may_call_the_api_are_of_the_site_of_some_portal(tmp_path):
    for origin, status in (("https://pages.other.test", 0), ("https://pages.third.test", 78), ("https://pages.example.test", 0)):
        assert check(tmp_path, f"cors_origins: [{origin}]\n{BASE}{FINE}").returncode == status


def test_portals_count_among_the_names_that_browsers_look_at(tmp_path):
    def checked(count):
        portals = "".join(f"  - public_url: https://login.site{index}.test\n" for index in range(count))
        return check(tmp_path, f"related_origins: [https://site0.test]\n{BASE}{portals}")

    assert checked(4).returncode == 0
    result = checked(5)
    assert result.returncode == 78 and "five different names" in result.stderr and "here are 6" in result.stderr
