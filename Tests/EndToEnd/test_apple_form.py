"""What Apple's form may be, where it may go, and what is refused."""

import time
import urllib.parse

import pytest

from apple import Apple, TokenKey
from apple_web import FROM_APPLE, Site, assert_refused, came_back_with, clears, sessions, settings
from apple_web import site  # noqa: F401 (a fixture)
from gateway import PASSWORD, Gateway


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
