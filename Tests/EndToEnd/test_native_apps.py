"""What an app or a page of another origin needs from its gateway."""

from commands import ENVIRONMENT
from gateway import Gateway
from passkey import Passkey, authenticate, register


def test_the_association_files_say_what_the_environment_says():
    with Gateway.start(
        {"public_url": None, "access": {"rules": []}}, environment=ENVIRONMENT
    ) as gateway:
        apple = gateway.request("GET", "/.well-known/apple-app-site-association").json
        assert apple == {"webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}
        (link,) = gateway.request("GET", "/.well-known/assetlinks.json").json
        assert link["target"]["package_name"] == "com.example.app" and link["target"]["namespace"] == "android_app"
        assert link["target"]["sha256_cert_fingerprints"] == [ENVIRONMENT["ANDROID_SHA256_CERT_FINGERPRINTS"]]
        assert set(link["relation"]) == {
            "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
        }
        options = gateway.request("POST", "/passkeys/authenticate/options").json["options"]
        assert options["rpId"] == "example.com"


def test_an_android_app_signs_in_by_its_certificate_and_no_other():
    environment = {key: value for key, value in ENVIRONMENT.items() if not key.startswith("PASSKEY")}
    with Gateway.start(environment=environment) as gateway:
        app = "android:apk-key-hash:EjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8"
        passkey, client = Passkey(), gateway.client()
        client.gateway = type("Site", (), {"origin": app, "request": gateway.request})
        assert register(client, passkey, username="app").status == 200
        assert authenticate(client, passkey).status == 200
        for wrong in (app + "=", app.replace("Ej", "ej"), app.replace("-", "_") + "x", "android:apk-key-hash:AAAA"):
            client.gateway.origin = wrong
            assert authenticate(client, passkey).code == "origin_mismatch"


def test_a_related_page_of_the_same_site_gets_cors_with_its_exact_origin():
    overrides = {
        "public_url": "https://login.example.test", "cors_origins": ["https://app.example.test"], "access": {"rules": []},
    }
    with Gateway.start(overrides) as gateway:
        page = {"Origin": "https://app.example.test"}
        answer = gateway.request(
            "OPTIONS", "/sign-in/options", headers={**page, "Access-Control-Request-Method": "POST"}
        )
        assert answer.status == 204 and answer.header("Access-Control-Allow-Origin") == page["Origin"]
        assert answer.header("Access-Control-Allow-Credentials") == "true"
        answer = gateway.request("POST", "/sign-in/options", json_body={}, headers=page)
        assert answer.status == 200 and answer.header("Access-Control-Allow-Origin") == page["Origin"]
        assert "Origin" in answer.header("Vary")
        for evil in ("https://evilapp.example.test", "http://app.example.test", "https://app.example.test:8443", "null"):
            answer = gateway.request("POST", "/sign-in/options", json_body={}, headers={"Origin": evil})
            assert answer.code == "cross_site_request" and not answer.header("Access-Control-Allow-Origin")
