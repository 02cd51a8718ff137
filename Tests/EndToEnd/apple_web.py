"""A browser on its way to Apple's page and back."""

import json
import urllib.parse

import pytest

from apple import APP, ISSUER, Apple
from gateway import Gateway

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
