"""Where people are sent back to: to the byte where they came from, and never to anybody else."""

import re
import urllib.parse

import pytest

import apple_web
from apple import Apple
from device import Device
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register
from recovery_codes import enrol, recover

APP = "http://localhost:8080"
# Queries that something on the way could cut, decode or refuse.
TARGETS = [
    "/p?a=1&b=2&next=https%3A%2F%2Fx.test%2F%3Fq%3D1%26r%3D2", "/p;v=1/q?x=1;y=2", "/p?x=+%2B%20", "/%C3%A9?%C3%A9=%25",
    "/p?", "/p?q=" + "x" * 4_000, "/a//b?c//d", "/p?q=%2F..%2F&r='\"<>"[:14], "/p?return_to=http%3A%2F%2Flocalhost%2F",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with Apple(tmp_path_factory.mktemp("apple")) as apple, Gateway.start(apple_web.settings(apple)) as gateway:
        started = apple_web.Site(apple, gateway)
        gateway.account_add("lee")
        owner = gateway.client()
        owner.sign_in("lee")
        started.codes = iter(enrol(owner))
        started.passkey, started.device = Passkey(), Device()
        assert register(owner, started.passkey).status == 200
        assert authenticate(owner, started.passkey).status == 200
        assert started.device.enrol(owner).status == 200
        assert apple.enrol(gateway.client(), "001.lee").status == 200
        yield started


def by_form(site, target):
    page = site.gateway.request("GET", "/sign-in?return_to=" + urllib.parse.quote(target, safe=""))
    (value,) = re.findall(r'name="return_to" value="([^"]*)"', page.text)
    import html

    assert html.unescape(value) == target
    fields = {"identifier": "lee", "password": PASSWORD, "return_to": html.unescape(value)}
    answer = site.gateway.request("POST", "/sign-in", form=fields, headers={"Origin": site.gateway.origin})
    assert answer.status == 303
    return answer.header("Location")


def by_apple(site, target):
    trip = site.leave(returnTo=target)
    return trip.come_back("001.lee").header("Location")


KINDS = {
    "a password": lambda site, target: site.gateway.client().sign_in("lee", returnTo=target).json["returnTo"],
    "a passkey": lambda site, target: sign_in_by_passkey(site, target).json["returnTo"],
    "a device": lambda site, target: site.device.sign_in(site.gateway.client(), returnTo=target).json["returnTo"],
    "Apple": lambda site, target: site.apple.sign_in(
        site.gateway.client(), "001.lee", begin={"returnTo": target}
    ).json["returnTo"],
    "Apple's page": by_apple,
    "a form": by_form,
}


def sign_in_by_passkey(site, target):
    client = site.gateway.client()
    begun = client.post("/sign-in/options", {"kinds": ["passkey"], "returnTo": target}).json
    response = site.passkey.get(begun["requests"][0]["options"], site.gateway.origin)
    body = {"ceremonyId": begun["ceremonyId"], "credential": {"kind": "passkey", "response": response}}
    return client.post("/sign-in/verify", body)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target[:30])
def test_whoever_signs_in_comes_back_to_the_byte(site, kind, target):
    assert KINDS[kind](site, APP + target) == APP + target


def test_a_recovery_leads_to_the_account_and_nowhere_else(site):
    answer = recover(site.gateway.client(), "lee", next(site.codes), returnTo=f"{APP}/x")
    assert answer.status == 200 and answer.json["status"] == "needs_enrollment"


# Addresses of others

EVIL = [
    "//evil.test", "/\\evil.test", "\\\\evil.test", "/%09/evil.test", "/\t/evil.test", "/ /evil.test", "/./\\evil.test",
    "https:evil.test", "https:/evil.test", "https:///evil.test", "https:\\\\evil.test", "https://app.example.test.evil.test",
    "https://evilexample.test", "https://evil.test\\.example.test", "https://app.example.test@evil.test",
    "https://app.example.test:pw@evil.test", "https://app.example.test:3838/", "javascript:alert(1)", "JavaScript:alert(1)",
    "data:text/html,x", "vbscript:x", "https://evil.test/?example.test", "https://evil.test/#.example.test",
    "https://app.example.test%2eevil.test", "https://app.example.test%00.evil.test", "http://app.example.test/",
    "https://app.example.test\n.evil.test", "https://app.example.test/\r\nLocation: https://evil.test", " https://evil.test",
    "\x00https://app.example.test/", "https://[::1]/", "https://app。example。test/", "https://a.b.example.test/",
    "https://example.test/", "ftp://app.example.test/", "https://app.example.test:99999/", "//app.example.test/", "/x", "x", "",
]


@pytest.fixture(scope="module")
def covered():
    settings = {
        "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
        "access": {"rules": [{"host": "*.example.test", "require": {}}]},
    }
    with Gateway.start(settings) as gateway:
        gateway.account_add("lee")
        yield gateway


@pytest.mark.parametrize("evil", EVIL, ids=repr)
def test_an_address_of_others_leads_nowhere_and_the_sign_in_goes_on(covered, evil):
    client = covered.client()
    assert client.post("/sign-in/options", {"returnTo": evil}).code == "return_url_not_allowed"
    page = covered.request("GET", "/sign-in?return_to=" + urllib.parse.quote(evil, safe=""))
    assert page.status == 200 and re.findall(r'name="return_to" value="([^"]*)"', page.text) == [""]
    assert "evil.test" not in page.text + str(page.headers)
    fields = {"identifier": "lee", "password": PASSWORD, "return_to": evil}
    answer = covered.request("POST", "/sign-in", form=fields, headers={"Origin": "https://login.example.test"})
    assert answer.status == 303 and answer.header("Set-Cookie").startswith("__Secure-gatehouse=")
    assert answer.header("Location") == "https://login.example.test/account"
    out = covered.request("DELETE", "/session?return_to=" + urllib.parse.quote(evil, safe=""))
    assert out.status == 204 and not out.header("Location")
    good = "https://app.example.test/p?a=1&b=2"
    assert client.post("/sign-in/options", {"returnTo": good}).status == 200
    fields["return_to"] = good
    answer = covered.request("POST", "/sign-in", form=fields, headers={"Origin": "https://login.example.test"})
    assert answer.header("Location") == good
