"""The way to Apple's page and back by a form that it posts from another site: the state cookie is all that comes along."""

import hashlib
import hmac
import re
import time

import pytest

from apple import ISSUER, Apple
from apple_web import COOKIE, WEB, Site, Trip, assert_refused, clears, sessions, settings
from apple_web import site  # noqa: F401 (a fixture)
from commands import check
from gateway import Gateway
from passkey import b64, unb64
from portals import ALONE, MAIN, NET, PORTALS, Visitor


# The way there


def test_the_browser_is_sent_to_apple_with_what_only_it_and_the_ceremony_have(site):
    begun = site.begin()
    trip = Trip(site, site.authorize(begun["ceremonyId"]))
    assert trip.location.startswith(f"{site.apple.url}/auth/authorize?")
    assert trip.query == {
        "client_id": WEB, "redirect_uri": f"{site.gateway.origin}/apple/callback", "response_type": "code id_token",
        "response_mode": "form_post", "scope": "name email", "state": trip.state,
        "nonce": begun["requests"][0]["nonce"],
    }
    ceremony, code = trip.state.split(".")
    key = unb64(trip.cookie.partition("=")[2])
    assert ceremony == begun["ceremonyId"] and len(key) == 32
    assert code == b64(hmac.new(key, ceremony.encode(), hashlib.sha256).digest())


def test_the_cookie_is_for_the_way_back_alone_and_for_no_longer_than_the_ceremony(site):
    for _ in range(2):
        (cookie,) = site.leave().set_cookie
        shape = rf"{COOKIE}=[A-Za-z0-9_-]{{43}}; Path=/apple/callback; Secure; HttpOnly; SameSite=None; Max-Age=(\d+)"
        assert 290 <= int(re.fullmatch(shape, cookie)[1]) <= 300
    assert site.leave().cookie != site.leave().cookie


@pytest.mark.parametrize("header", ["Host", "X-Forwarded-Host", "Forwarded"])
def test_no_header_says_where_apple_leads_back(site, header):
    body, value = {"ceremonyId": site.begin()["ceremonyId"]}, "host=evil.test" if header == "Forwarded" else "evil.test"
    answer = site.gateway.request("POST", "/apple/authorize", json_body=body, headers={header: value})
    assert Trip(site, answer).query["redirect_uri"] == f"{site.gateway.origin}/apple/callback"


@pytest.fixture(scope="module")
def portals(tmp_path_factory):
    with Apple(tmp_path_factory.mktemp("apple")) as apple, Gateway.start(settings(apple, access={"rules": []}, **PORTALS)) as gateway:
        assert apple.enrol(gateway.client(), "001.lee").status == 200
        yield Site(apple, gateway)


@pytest.mark.parametrize("host,domain", [(MAIN, "; Domain=example.test"), (NET, "; Domain=other.test"), (ALONE, "")])
def test_apple_leads_back_to_the_portal_that_people_left_from(portals, host, domain):
    visitor = Visitor(portals.gateway, host)
    begun = visitor.post("/sign-in/options", {"kinds": ["apple"], "returnTo": f"https://{host}/account"}).json
    trip = Trip(portals, visitor.post("/apple/authorize", {"ceremonyId": begun["ceremonyId"]}))
    assert trip.query["redirect_uri"] == f"https://{host}/apple/callback"
    assert trip.cookie.startswith(f"__Secure-{COOKIE}=") and "Domain" not in trip.set_cookie[0]
    answer = portals.post(trip.fields(), trip.cookie, Host=host)
    assert answer.status == 303 and answer.header("Location") == f"https://{host}/account", answer
    (session,) = [text for text in answer.all_headers("Set-Cookie") if not text.startswith(f"__Secure-{COOKIE}=")]
    assert session.partition("; Max-Age")[0].endswith(f"; Secure{domain}")
    visitor.cookies.update([session.partition(";")[0].split("=")])
    assert visitor.get("/session").status == 200


@pytest.mark.parametrize("headers", [{"Origin": ISSUER}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}])
def test_another_sites_page_sends_nobody_to_apple(site, headers):
    body = {"ceremonyId": site.begin()["ceremonyId"]}
    answer = site.gateway.request("POST", "/apple/authorize", json_body=body, headers=headers)
    assert answer.code == "cross_site_request" and not answer.all_headers("Set-Cookie")
    assert site.authorize(body["ceremonyId"]).status == 200


def test_only_a_browsers_plain_sign_in_that_asked_for_apple_goes_this_way(site):
    refused = [(site.authorize(id), "ceremony_unknown") for id in ("", "x", "A" * 22)]
    refused.append((site.authorize(site.begin(kinds=["password"])["ceremonyId"]), "kind_not_requested"))
    native = site.gateway.client().post("/sign-in/options", {"kinds": ["apple"], "client": "native"}).json
    refused.append((site.authorize(native["ceremonyId"]), "browser_context"))
    owner = site.gateway.client()
    assert site.apple.sign_in(owner, "001.lee").status == 200
    step_up = owner.post("/sign-in/options", {"kinds": ["apple"], "stepUp": True}).json
    link = owner.post("/apple-ids/register/options").json
    for begun in (step_up, link):
        refused.append((site.authorize(begun["ceremonyId"]), "ceremony_kind_mismatch"))
    for answer, code in refused:
        assert answer.code == code and not answer.all_headers("Set-Cookie"), answer


# And back


def test_apples_post_with_nothing_but_the_state_cookie_signs_in_and_leads_on(site):
    target = f"{site.gateway.origin}/account?a=1&b=%20"
    for return_to, expected in ((target, target), (None, f"{site.gateway.origin}/account")):
        answer = site.leave(**({"returnTo": return_to} if return_to else {})).come_back()
        assert answer.status == 303 and answer.header("Location") == expected, answer
        assert answer.header("Cache-Control") == "no-store" and clears(answer)
        (cookie,) = sessions(answer)
        assert "SameSite=Lax" in cookie
        session = site.gateway.request("GET", "/session", headers={"Cookie": cookie.split(";")[0]})
        assert session.status == 200 and session.json["methods"] == ["apple"], session


@pytest.mark.parametrize("headers", [{"Origin": "null"}, {"Origin": "https://account.apple.com"}])
def test_the_cookie_counts_and_not_where_the_post_says_it_comes_from(site, headers):
    trip = site.leave()
    answer = site.post(trip.fields(), trip.cookie, **headers)
    assert answer.status == 303 and sessions(answer)


def test_without_the_cookie_nobody_is_signed_in(site):
    trip = site.leave()
    for cookie in (None, f"{COOKIE}=", f"{COOKIE}={'A' * 43}", f"{COOKIE}={'A' * 42}", f"x{trip.cookie}"):
        assert_refused(site.post(trip.fields(), cookie))
    assert sessions(trip.come_back())


def test_two_state_cookies_are_none(site):
    trip, other = site.leave(), site.leave()
    for second in (trip.cookie, other.cookie, f"{COOKIE}=x"):
        assert_refused(site.post(trip.fields(), f"{trip.cookie}; {second}"))
    assert sessions(trip.come_back())


def test_another_browsers_state_signs_nobody_in(site):
    # The attacker's own, complete and true, in the browser of somebody who is on the way too.
    attacker, victim = site.leave(), site.leave()
    assert_refused(site.post(attacker.fields(), victim.cookie))
    assert_refused(site.post(victim.fields(), attacker.cookie))
    mixed = attacker.state.split(".")[0] + "." + victim.state.split(".")[1]
    assert_refused(site.post(attacker.fields() | {"state": mixed}, victim.cookie))
    assert sessions(attacker.come_back()) and sessions(victim.come_back())


def test_a_state_is_used_once(site):
    trip = site.leave()
    assert sessions(trip.come_back())
    assert_refused(trip.come_back())


def test_a_state_ends_with_its_ceremony(site):
    with Gateway.start(settings(site.apple, ceremonies={"lifetime": "1s"})) as gateway:
        short = Site(site.apple, gateway)
        trip = short.leave()
        assert int(trip.set_cookie[0].rpartition("=")[2]) == 1
        deadline = time.monotonic() + 10
        while (answer := short.post({"state": trip.state, "error": "x"}, trip.cookie)).status == 303:
            assert time.monotonic() < deadline
        assert_refused(answer)
        assert_refused(trip.come_back())


@pytest.mark.parametrize("state", [None, "", "x", ".", "A" * 22, f"{'A' * 22}.{'A' * 43}", f"{'A' * 22}.", "a.b.c"])
def test_a_state_of_nobody_is_refused(site, state):
    trip = site.leave()
    fields = trip.fields() | {"state": state}
    assert_refused(site.post({name: value for name, value in fields.items() if value is not None}, trip.cookie))
    assert_refused(site.post(fields | {"state": f"{trip.state}."}, trip.cookie))
    assert sessions(trip.come_back())


def test_a_state_that_was_made_for_another_kind_is_worth_nothing(site):
    # Whoever has a cookie can make a state of it: the ceremony is looked at once more on the way back.
    key = b"k" * 32
    for begun in (site.begin(kinds=["password"]), site.gateway.client().post("/apple-ids/register/options").json):
        ceremony = begun["ceremonyId"]
        state = f"{ceremony}.{b64(hmac.new(key, ceremony.encode(), hashlib.sha256).digest())}"
        assert_refused(site.post({"state": state, "id_token": "x"}, f"{COOKIE}={b64(key)}"))


# Configuration


def test_without_a_service_identifier_there_is_no_way_to_apple(tmp_path):
    with Apple(tmp_path) as apple, Gateway.start(apple.settings()) as gateway:
        site = Site(apple, gateway)
        assert site.authorize(site.begin()["ceremonyId"]).code == "not_found"
        assert site.post({"state": "x"}).code == "not_found"
        assert 'data-redirecting=""' in gateway.request("GET", "/sign-in").text
        assert gateway.request("GET", "/sign-in?error=apple.cancelled").text == gateway.request("GET", "/sign-in").text


def test_the_sign_in_page_knows_of_the_way(site):
    assert 'data-redirecting="apple"' in site.gateway.request("GET", "/sign-in").text


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("web_client_id: com.example.other", "web_client_id"), ("web_client_id: COM.example.web", "web_client_id"),
        ("authorize_url: http://appleid.apple.com/auth", "authorize_url"),
        ("authorize_url: 'https://appleid.apple.com/?a=b'", "authorize_url"), ("authorize_url: x", "authorize_url"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path, line, key):
    start = "providers:\n  apple:\n    enabled: true\n    client_ids: [com.example.web]\n"
    result = check(tmp_path, f"{start}    {line}\n")
    assert result.returncode == 78 and f"gatehouse.yaml:5: providers.apple.{key}: " in result.stderr, result.stderr
    fine = "    web_client_id: com.example.web\n    authorize_url: https://appleid.apple.com/auth/authorize\n"
    assert check(tmp_path, start + fine).returncode == 0
