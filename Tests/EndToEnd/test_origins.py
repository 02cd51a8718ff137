"""Where passkeys are for, and from where they may come: from the configuration and from nowhere else."""

import pytest

from commands import check
from gateway import Gateway
from passkey import Passkey, authenticate, b64, register


def site(gateway, origin):
    """A visitor whose browser or app stands at this origin."""
    client = gateway.client()
    client.gateway = type("Site", (), {"origin": origin, "request": gateway.request})
    return client


@pytest.mark.parametrize(
    "url,rp_id,origin",
    [("https://auth.example.test:8443/", "auth.example.test", "https://auth.example.test:8443"),
     ("https://AUTH.example.test", "auth.example.test", "https://auth.example.test"),
     ("https://bücher.example", "xn--bcher-kva.example", "https://xn--bcher-kva.example"),
     ("https://xn--bcher-kva.example", "xn--bcher-kva.example", "https://xn--bcher-kva.example")],
)
def test_passkeys_are_for_the_host_of_the_public_url_and_come_from_its_origin(url, rp_id, origin):
    with Gateway.start({"public_url": url, "accounts": {"signup": "open"}, "access": {"rules": []}}) as gateway:
        passkey = Passkey()
        begun = site(gateway, origin).post("/passkeys/register/options").json
        assert begun["options"]["rp"]["id"] == rp_id
        assert register(site(gateway, origin), passkey).status == 200
        assert authenticate(site(gateway, origin), passkey).status == 200
        for other in (origin + "/", origin + ":443", origin.replace("https", "http"), "https://evil.test"):
            assert authenticate(site(gateway, other), passkey).code == "origin_mismatch"


ONE, TWO = (":".join([unit] * 8) for unit in ("12:34:56:78", "FB:EF:BE:FF"))


def test_an_app_has_as_many_certificates_as_are_configured_each_in_one_spelling():
    hashes = [b64(bytes.fromhex(each.replace(":", ""))) for each in (ONE, TWO)]
    environment = {
        "ANDROID_PACKAGE_NAME": "com.example.app", "ANDROID_SHA256_CERT_FINGERPRINTS": f"{ONE},{TWO}",
    }
    with Gateway.start(environment=environment) as gateway:
        passkey = Passkey()
        app = "android:apk-key-hash:"
        assert register(site(gateway, app + hashes[0]), passkey).status == 200
        for known in hashes:
            assert authenticate(site(gateway, app + known), passkey).status == 200
        assert "-" in hashes[1] or "_" in hashes[1]
        plain = hashes[1].replace("-", "+").replace("_", "/")
        wrong = [hashes[0].swapcase(), hashes[0] + "=", plain, hashes[0][:-1], "A" * 43, ""]
        for other in [app + text for text in wrong] + [app.upper() + hashes[0], "ios:bundle-id:" + hashes[0]]:
            assert authenticate(site(gateway, other), passkey).code == "origin_mismatch", other
        (link,) = gateway.request("GET", "/.well-known/assetlinks.json").json
        assert set(link["target"]["sha256_cert_fingerprints"]) == {ONE, TWO}


RELATED = [f"https://login.site{number}.test" for number in range(4)]


def test_related_origins_are_published_and_insisted_on():
    overrides = {
        "public_url": "https://login.example.test", "related_origins": RELATED, "access": {"rules": []},
        "accounts": {"signup": "open"},
    }
    with Gateway.start(overrides) as gateway:
        answer = gateway.request("GET", "/.well-known/webauthn", headers={"Host": "login.example.test"})
        assert answer.status == 200 and answer.header("Content-Type") == "application/json"
        assert answer.json == {"origins": ["https://login.example.test", *RELATED]}
        passkey = Passkey()
        assert register(site(gateway, RELATED[0]), passkey).status == 200
        for origin in ["https://login.example.test", *RELATED]:
            assert authenticate(site(gateway, origin), passkey).status == 200
        for origin in ("https://site0.test", "https://login.site9.test", "https://login.site0.test:444"):
            assert authenticate(site(gateway, origin), passkey).code == "origin_mismatch"


def test_more_related_names_than_browsers_look_at_are_named(tmp_path):
    text = "public_url: https://login.example.test\naccess: {rules: []}\nrelated_origins: "
    assert check(tmp_path, text + str(RELATED).replace("'", "")).returncode == 0
    six = check(tmp_path, text + str([*RELATED, "https://login.site4.test"]).replace("'", ""))
    assert six.returncode == 78 and "related_origins" in six.stderr and "five" in six.stderr


def test_no_header_chooses_the_relying_party_or_its_origin():
    for trusted in ([], ["127.0.0.1/32"]):
        with Gateway.start({"access": {"trusted_proxies": trusted}}) as gateway:
            passkey = Passkey()
            assert register(gateway.client(), passkey).status == 200
            for headers in (
                {"Host": "evil.test"}, {"X-Forwarded-Host": "evil.test"}, {"Forwarded": "host=evil.test;proto=https"},
                {"Host": "evil.test", "X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "https"},
            ):
                answer = gateway.request("POST", "/passkeys/authenticate/options", json_body={}, headers=headers)
                assert answer.status in (400, 421) or answer.json["options"]["rpId"] == "localhost"
            assert authenticate(site(gateway, "https://evil.test"), passkey).code == "origin_mismatch"
            assert authenticate(gateway.client(), passkey).status == 200
