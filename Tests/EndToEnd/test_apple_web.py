"""The way to Apple's page and back by a form that it posts from another site: the state cookie is all that comes along."""

import hashlib
import hmac
import json
import re
import time
import urllib.parse

import pytest

from apple import APP, ISSUER, Apple, TokenKey
from commands import check
from gateway import PASSWORD, Gateway
from passkey import b64, unb64

WEB = "com.example.web"
COOKIE = "gatehouse-apple"
FROM_APPLE = {"Origin": ISSUER, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}


def settings(apple, **others):
    web = {
        "client_ids": [APP, WEB], "web_client_id": WEB, "authorize_url": f"{apple.url}/auth/authorize",
        "keys_cooldown": "1s",
    }
    return apple.settings(web, accounts={"signup": "open"}, **others)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with Apple(tmp_path_factory.mktemp("apple")) as apple, Gateway.start(settings(apple)) as gateway:
        assert apple.enrol(gateway.client(), "001.lee").status == 200
        yield Site(apple, gateway)


class Site:
    def __init__(self, apple, gateway):
        self.apple, self.gateway = apple, gateway

    def begin(self, **options):
        body = {"kinds": ["apple"], **options}
        return self.gateway.client().post("/sign-in/options", body, headers={"Origin": self.gateway.origin}).json

    def authorize(self, ceremony):
        body = {"ceremonyId": ceremony}
        return self.gateway.request(
            "POST", "/apple/authorize", json_body=body, headers={"Origin": self.gateway.origin}
        )

    def leave(self, **options):
        return Trip(self, self.authorize(self.begin(**options)["ceremonyId"]))

    def post(self, fields, cookie=None, path="/apple/callback", method="POST", **headers):
        sent = {**FROM_APPLE, **headers} | ({"Cookie": cookie} if cookie else {})
        return self.gateway.request(method, path, form=fields, headers=sent)


class Trip:
    """A browser that was sent to Apple."""

    def __init__(self, site, answer):
        assert answer.status == 200, answer
        self.site = site
        self.set_cookie = answer.all_headers("Set-Cookie")
        self.location = answer.json["location"]
        self.query = dict(urllib.parse.parse_qsl(self.location.partition("?")[2]))
        self.state = self.query["state"]
        self.cookie = self.set_cookie[0].split(";")[0]

    def fields(self, subject="001.lee", **token):
        claims = {"aud": WEB, **token}
        nonce = claims.pop("nonce", self.query["nonce"])
        return {
            "state": self.state, "code": "c.1", "id_token": self.site.apple.token(nonce, subject, **claims),
            "user": json.dumps({"name": {"firstName": "Lee", "lastName": "Hart"}, "email": "lee@example.com"}),
        }

    def come_back(self, subject="001.lee", **token):
        return self.site.post(self.fields(subject, **token), self.cookie)


def sessions(answer):
    """The session cookies that an answer sets."""
    return [text for text in answer.all_headers("Set-Cookie") if text.startswith("gatehouse=")]


def clears(answer):
    cleared = f"{COOKIE}=; Path=/apple/callback; Secure; HttpOnly; SameSite=None; Max-Age=0"
    return cleared in answer.all_headers("Set-Cookie")


def assert_refused(answer, code="ceremony_unknown"):
    assert (answer.status, answer.code) == (400, code), answer
    assert not sessions(answer) and clears(answer)


def came_back_with(answer, code, return_to=None):
    """Whether an answer leads back to the sign-in page with a code, and signs nobody in."""
    assert answer.status == 303 and not sessions(answer) and clears(answer), answer
    url = urllib.parse.urlsplit(answer.header("Location"))
    expected = {"error": f"apple.{code}"} | ({"return_to": return_to} if return_to else {})
    assert url.path == "/sign-in" and dict(urllib.parse.parse_qsl(url.query)) == expected
    return answer.header("Location").removeprefix(answer.header("Location").partition("/sign-in")[0])


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


# The form


@pytest.mark.parametrize("name", ["state", "id_token", "code", "user", "error", "more"])
def test_a_field_that_stands_twice_is_refused(site, name):
    trip = site.leave()
    form = urllib.parse.urlencode(trip.fields()) + f"&{name}=1&{name}=1"
    headers = {**FROM_APPLE, "Cookie": trip.cookie, "Content-Type": "application/x-www-form-urlencoded"}
    assert_refused(
        site.gateway.request("POST", "/apple/callback", body=form.encode(), headers=headers), "malformed_request"
    )
    assert sessions(trip.come_back())


def test_what_is_no_form_is_refused(site):
    trip = site.leave()
    text = urllib.parse.urlencode(trip.fields()).encode()

    def send(body, type="application/x-www-form-urlencoded"):
        headers = {**FROM_APPLE, "Cookie": trip.cookie, "Content-Type": type}
        return site.gateway.request("POST", "/apple/callback", body=body, headers=headers)

    for body in (text + b"&x=%", text + b"&x=%FF", text + b"&x=\xff"):
        assert_refused(send(body), "malformed_request")
    assert_refused(send(urllib.parse.urlencode({"state": trip.state}).encode()), "malformed_request")
    for type in ("application/json", "text/plain", "multipart/form-data; boundary=x"):
        assert send(text, type).code == "unsupported_media_type"
    assert send(text + b"&x=" + b"x" * 65_536).code == "body_too_large"
    assert sessions(send(text + b"&x=y"))


# This path, and no other


ELSEWHERE = [
    "/apple/authorize", "/apple/notifications", "/sign-in", "/sign-in/verify", "/sign-in/options",
    "/apple-ids/register/verify", "/passkeys/authenticate/verify", "/recovery",
]
VARIANTS = [
    "/apple/callback/", "/apple/callback2", "/apple/", "/apple", "/apple/callback/x", "/Apple/callback",
    "/apple/%63allback", "//apple/callback",
]


@pytest.mark.parametrize("path", ELSEWHERE + VARIANTS)
def test_no_other_path_takes_a_post_from_another_site(site, path):
    trip = site.leave()
    answer = site.post(trip.fields(), trip.cookie, path=path)
    # A variant of a path is no path at all; the form of the sign-in page gets that page back.
    assert answer.status == (403 if path in ELSEWHERE else 404) and not answer.all_headers("Set-Cookie"), answer
    assert path == "/sign-in" or answer.code == ("cross_site_request" if path in ELSEWHERE else "not_found")
    assert sessions(trip.come_back())


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_no_other_method_is_taken(site, method):
    trip = site.leave()
    answer = site.post(trip.fields(), trip.cookie, method=method)
    assert answer.status == 405 and answer.header("Allow") == "POST" and not sessions(answer)
    assert sessions(trip.come_back())


# Refusals


def test_who_cancels_is_back_where_they_began(site):
    target = f"{site.gateway.origin}/account"
    trip = site.leave(returnTo=target)
    cancelled = site.post({"state": trip.state, "error": "user_cancelled_authorize"}, trip.cookie)
    page = came_back_with(cancelled, "cancelled", target)
    assert "You cancelled at Apple." in site.gateway.request("GET", page).text
    other = site.leave()
    came_back_with(site.post({"state": other.state, "error": "<b>invalid"}, other.cookie), "default")
    # With an error a token counts for nothing.
    came_back_with(site.post(trip.fields() | {"error": "x"}, trip.cookie), "default", target)
    for cookie in (None, other.cookie):
        assert_refused(site.post({"state": trip.state, "error": "user_cancelled_authorize"}, cookie))


def test_an_apple_account_that_is_linked_to_nobody_is_told_so(site):
    target = f"{site.gateway.origin}/account"
    page = came_back_with(site.leave(returnTo=target).come_back("001.kim"), "credential_unknown", target)
    shown = site.gateway.request("GET", page).text
    assert "No account here is linked to this Apple Account." in shown and f'value="{target}"' in shown


@pytest.mark.parametrize(
    "token",
    [{"nonce": "x"}, {"nonce": ...}, {"aud": "com.example.other"}, {"iss": "https://evil.test"}, {"exp": 1},
     {"key": TokenKey("key-1")}],
)
def test_a_token_of_another_ceremony_client_issuer_or_key_signs_nobody_in(site, token):
    trip = site.leave()
    came_back_with(trip.come_back(**token), "default")
    assert sessions(trip.come_back())


def test_a_nonce_of_another_ceremony_signs_nobody_in(site):
    trip, other = site.leave(), site.leave()
    came_back_with(trip.come_back(nonce=other.query["nonce"]), "default")


def test_a_ceremony_that_names_an_account_takes_no_other(site):
    site.gateway.account_add("kim")
    came_back_with(site.leave(identifier="kim").come_back(), "default")


def test_an_account_that_is_switched_off_stays_out(site):
    owner = site.gateway.client()
    site.gateway.account_add("max")
    owner.sign_in("max", PASSWORD)
    assert site.apple.enrol(owner, "001.max").status == 200
    assert sessions(site.leave().come_back("001.max"))
    site.gateway.cli("account", "disable", "max")
    page = came_back_with(site.leave().come_back("001.max"), "default")
    assert "Sign in with Apple didn’t work." in site.gateway.request("GET", page).text


def test_an_outage_is_no_refusal_and_the_form_can_be_sent_again(tmp_path):
    with Apple(tmp_path) as apple, Gateway.start(settings(apple)) as gateway:
        site = Site(apple, gateway)
        assert apple.enrol(gateway.client(), "001.lee").status == 200
        apple.is_down = True
        apple.key = TokenKey("key-2")
        trip, deadline = site.leave(), time.monotonic() + 10
        down = trip.come_back()
        assert (down.status, down.code) == (503, "dependency_unavailable") and down.header("Retry-After"), down
        assert not down.all_headers("Set-Cookie")
        apple.is_down, apple.published = False, [apple.key.jwk()]
        # Another one finds out when it is over: each of a ceremony's attempts counts.
        while site.leave().come_back().status == 503:
            assert time.monotonic() < deadline
        answer = trip.come_back()
        assert answer.status == 303 and sessions(answer), answer


def test_a_person_sees_a_page_with_the_same_status(site):
    trip = site.leave()
    html = {"Accept": "text/html,application/xhtml+xml;q=0.9"}
    answer = site.post(trip.fields(), None, **html)
    assert answer.status == 400 and clears(answer) and not sessions(answer)
    assert answer.header("Content-Type").startswith("text/html") and "begun in another browser. Start again." in answer.text
    assert "form-action 'self';" in answer.header("Content-Security-Policy")
    assert sessions(site.post(trip.fields(), trip.cookie, **html))


@pytest.mark.parametrize(
    "error", ["apple.", "apple.x", "apple.<b>", "cancelled", "wait.second", "credential_rejected", "passkey.x", "%"]
)
def test_the_page_says_nothing_that_is_not_its_own(site, error):
    plain = site.gateway.request("GET", "/sign-in").text
    assert site.gateway.request("GET", f"/sign-in?error={urllib.parse.quote(error)}").text == plain
    assert site.gateway.request("GET", "/sign-in?error=apple.cancelled").text != plain


def test_no_token_code_or_state_is_written_down(tmp_path):
    with Apple(tmp_path) as apple, Gateway.start(settings(apple)) as gateway:
        site = Site(apple, gateway)
        apple.enrol(gateway.client(), "001.lee")
        trip = site.leave()
        fields = trip.fields()
        refused = site.post(fields, None)
        unlinked = trip.come_back("001.kim")
        assert sessions(site.post(fields, trip.cookie))
        gateway.end()
        database = b"".join(path.read_bytes() for path in gateway.folder.glob("gatehouse.sqlite3*"))
        shown = gateway.log + refused.text + unlinked.header("Location")
        for secret in (fields["id_token"], trip.state.split(".")[1], trip.cookie.partition("=")[2]):
            assert secret not in shown and secret.encode() not in database


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
