"""Requests from other sites: with a session or without, by any method, and from names that look alike."""

import pytest

from commands import check
from described import OPENAPI
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register

FOREIGN = {
    "another site": {"Origin": "https://evil.test"},
    "a page without an origin": {"Origin": "null"},
    "what only says that it is from another site": {"Sec-Fetch-Site": "cross-site"},
    "another host of the site": {"Sec-Fetch-Site": "same-site"},
    "a page of another site that says it is of ours": {"Origin": "https://evil.test", "Sec-Fetch-Site": "same-origin"},
}


def credential(name):
    return {"kind": "password", "identifier": name, "password": PASSWORD}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_another_site_signs_nobody_in_with_the_right_password(gateway, lee, headers):
    client = gateway.client()
    begun = client.post("/sign-in/options", {"identifier": lee}).json
    body = {"ceremonyId": begun["ceremonyId"], "credential": credential(lee)}
    refused = client.post("/sign-in/verify", body, headers=headers)
    assert refused.status == 403 and refused.code == "cross_site_request" and not refused.header("Set-Cookie")
    assert client.post("/sign-in/options", {}, headers=headers).code == "cross_site_request"
    form = {"identifier": lee, "password": PASSWORD}
    answer = gateway.request("POST", "/sign-in", form=form, headers=headers)
    assert answer.status == 403 and not answer.header("Set-Cookie")
    # An app sends neither header; our own page sends our origin.
    assert client.post("/sign-in/verify", body).status == 200
    ours = gateway.request("POST", "/sign-in", form=form, headers={"Origin": gateway.origin})
    assert ours.status == 303 and ours.header("Set-Cookie").startswith("gatehouse=")


def test_a_form_says_where_it_is_from(gateway, lee):
    form = {"identifier": lee, "password": PASSWORD}
    assert gateway.request("POST", "/sign-in", form=form).status == 403
    assert gateway.request("POST", "/sign-in", form=form, headers={"Origin": gateway.origin}).status == 303


def test_no_get_changes_anything_whatever_method_it_asks_for(gateway, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    assert register(client, passkey).status == 200
    before = [client.get(path).json for path in ("/passkeys", "/recovery-codes", "/trusted-devices")]
    item = before[0]["passkeys"][0]["id"]
    overrides = [{}] + [{name: "DELETE"} for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")]
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    for path, operations in OPENAPI["paths"].items():
        target = path.replace("{id}", item)
        for headers in overrides:
            for asked in (target, f"{target}?_method=DELETE"):
                answer = client.get(asked, headers={**image, **headers})
                if "get" not in operations:
                    assert answer.status in (404, 405), (path, answer)
                assert not any(cookie.startswith("gatehouse=") for cookie in answer.all_headers("Set-Cookie"))
            if "delete" in operations and "post" not in operations:
                assert client.post(target, {"_method": "DELETE"}, headers=headers).status in (404, 405), path
    assert client.get("/session").status == 200
    assert [client.get(path).json for path in ("/passkeys", "/recovery-codes", "/trusted-devices")] == before
    assert client.delete("/session").status == 204 and client.get("/session").status == 401


def test_cookies_of_others_make_no_browser_of_an_app(gateway, lee):
    foreign = {"Cookie": "__cf_bm=x; _ga=y; session=z"}
    client = gateway.client()
    begun = client.post("/sign-in/options", {"identifier": lee, "client": "native"}, headers=foreign)
    body = {"ceremonyId": begun.json["ceremonyId"], "credential": credential(lee)}
    signed_in = client.post("/sign-in/verify", body, headers=foreign)
    assert signed_in.status == 200 and not signed_in.header("Set-Cookie")
    bearer = {"Authorization": f"Bearer {signed_in.json['session']['token']}", **foreign}
    assert gateway.request("GET", "/session", headers=bearer).json["account"]["username"] == lee
    passkey = Passkey()
    begun = gateway.request("POST", "/passkeys/register/options", json_body={}, headers=bearer).json
    body = {"ceremonyId": begun["ceremonyId"], "response": passkey.create(begun["options"], gateway.origin)}
    assert gateway.request("POST", "/passkeys/register/verify", json_body=body, headers=bearer).status == 200
    client.cookies = {"__cf_bm": "x", "_ga": "y"}
    assert authenticate(client, passkey, client="native").json["session"]["token"]
    assert gateway.request("DELETE", "/session", headers=bearer).status == 204
    assert gateway.request("GET", "/session", headers=bearer).status == 401


# Origins of others that may call the API

SITE = "public_url: https://login.example.test\naccess: {rules: []}\n"


@pytest.mark.parametrize(
    "origin", ["https://*.example.test", "*", "https://*", "https://a.*.test", "https://.example.test", "*.example.test",
               "https://a.example.test/*", "https://a.example.test:*", "http://a.example.test", "null"],
)
def test_an_origin_is_exactly_one(tmp_path, origin):
    result = check(tmp_path, f"{SITE}cors_origins: ['{origin}']\n")
    assert result.returncode == 78 and "cors_origins" in result.stderr
    assert check(tmp_path, f"{SITE}cors_origins: ['https://a.example.test']\n").returncode == 0


@pytest.fixture(scope="module")
def open_to_one():
    settings = {
        "public_url": "https://login.example.test", "cors_origins": ["https://a.example.test"],
        "access": {"rules": []},
    }
    with Gateway.start(settings) as started:
        yield started


@pytest.mark.parametrize(
    "origin",
    ["https://evilexample.test", "https://a.b.example.test", "https://example.test", "http://a.example.test",
     "https://a.example.test.evil.test", "https://a.example.test:8443", "https://aXexample.test", "https://b.example.test",
     "https://a.example.test.", "https://a.example.test/", "https://A.example.test", "https://a.example.test:443",
     "https://a.example.test, https://evil.test", "https://evil.test/https://a.example.test", "https://xa.example.test"],
)
def test_what_looks_like_an_origin_of_ours_is_none(open_to_one, origin):
    ask = lambda origin: open_to_one.request("POST", "/sign-in/options", json_body={}, headers={"Origin": origin})
    wish = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    refused, preflight = ask(origin), open_to_one.request("OPTIONS", "/sign-in/options", headers=wish)
    assert refused.status == 403 and refused.code == "cross_site_request"
    for answer in (refused, preflight):
        assert not any(name.lower().startswith("access-control-") for name, _ in answer.headers)
    granted = ask("https://a.example.test")
    assert granted.status == 200 and granted.header("Access-Control-Allow-Origin") == "https://a.example.test"
    assert ask("https://login.example.test").status == 200
