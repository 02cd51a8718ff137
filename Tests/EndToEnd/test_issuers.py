"""Any OpenID Connect issuer, and what else a kind is part of."""

import pytest

from commands import check
from gateway import PASSWORD, Gateway


@pytest.fixture
def gateway(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as started:
        yield started


# What else a kind is part of


def test_apple_is_off_until_it_is_switched_on():
    with Gateway.start() as gateway:
        assert gateway.client().post("/sign-in/options", {"kinds": ["apple"]}).code == "unknown_kind"
        assert gateway.client().post("/apple-ids/register/options").status == 404
        kinds = [each["kind"] for each in gateway.client().post("/sign-in/options").json["requests"]]
        assert "apple" not in kinds


def test_a_step_up_with_apple_is_for_the_same_account_and_no_second_factor(apple, gateway):
    gateway.account_add("lee")
    client = gateway.client()
    client.sign_in("lee")
    apple.enrol(client, "001.lee")
    apple.enrol(gateway.client(), "001.eve")
    step_up = {"stepUp": True, "maxAge": 60}
    assert apple.sign_in(client, "001.eve", begin=step_up).code == "ceremony_account_mismatch"
    raised = apple.sign_in(client, "001.lee", begin=step_up)
    assert raised.status == 200 and raised.json["session"]["assurance"] == "aal1"
    assert sorted(raised.json["session"]["methods"]) == ["apple", "password"]
    assert client.post("/sign-in/options", {"assurance": "aal2"}).code == "step_up_impossible"


def test_an_access_rule_can_ask_for_apple(apple):
    rules = {"trusted_proxies": ["127.0.0.1/32"], "rules": [{"host": "localhost", "require": {"kinds": ["apple"]}}]}
    with Gateway.start(apple.settings(accounts={"signup": "open"}, access=rules)) as gateway:
        def ask(client):
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            headers = {"Cookie": cookie, "X-Original-URL": "http://localhost/x", "X-Original-Method": "GET"}
            return gateway.request("GET", "/auth/nginx", headers=headers, listener="check")

        client = gateway.client()
        apple.enrol(client, "001.lee")
        assert ask(client).status == 200 and ask(client).header("Remote-Methods") == "apple"
        gateway.account_add("lee")
        other = gateway.client()
        other.sign_in("lee", PASSWORD)
        assert ask(other).status == 401


# Any OpenID Connect issuer


def issuer(apple, **changes):
    entry = {
        "name": "example", "issuers": ["https://id.example.test"], "client_ids": ["client"],
        "keys_url": f"{apple.url}/auth/keys", **changes,
    }
    return {"providers": {"oidc": [entry]}, "accounts": {"signup": "open"},
            "outgoing": {"authorities": str(apple.authorities)}}


def test_another_issuer_is_a_kind_of_its_own(apple):
    token = {"iss": "https://id.example.test", "aud": "client"}
    with Gateway.start(issuer(apple)) as gateway:
        made = apple.enrol(
            gateway.client(), "7", path="/oidc/example", email="lee@corp.test", email_verified=True, **token
        )
        assert made.status == 200 and made.json["session"]["methods"] == ["oidc:example"], made
        # Anybody can run an issuer that says so.
        assert "email" not in made.json["account"] and made.json["identity"]["email"] == "lee@corp.test"
        assert apple.sign_in(gateway.client(), "7", kind="oidc:example", **token).status == 200
        assert apple.sign_in(gateway.client(), "7", kind="oidc:example").code == "token_invalid"
        assert apple.sign_in(gateway.client(), "8", kind="oidc:example", **token).code == "credential_unknown"
        assert gateway.client().post("/sign-in/options", {"kinds": ["oidc:other"]}).code == "unknown_kind"


def test_an_issuer_that_is_trusted_with_addresses_gives_them(apple):
    token = {"iss": "https://id.example.test", "aud": "client", "email": "lee@corp.test", "email_verified": True}
    with Gateway.start(issuer(apple, trust_email=True)) as gateway:
        made = apple.enrol(gateway.client(), "7", path="/oidc/example", **token)
        assert made.json["account"]["email"] == "lee@corp.test"


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("{issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k}", "name"),
        ("{name: Ex, issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k}", "name"),
        ("{name: 'a:b', issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k}", "name"),
        ("{name: a, issuers: [], client_ids: [c], keys_url: https://a.test/k}", "issuers"),
        ("{name: a, client_ids: [c], keys_url: https://a.test/k}", "issuers"),
        ("{name: a, issuers: [https://a.test], client_ids: [], keys_url: https://a.test/k}", "client_ids"),
        ("{name: a, issuers: [https://a.test], keys_url: https://a.test/k}", "client_ids"),
        ("{name: a, issuers: [https://a.test], client_ids: [c]}", "keys_url"),
        ("{name: a, issuers: [https://a.test], client_ids: [c], keys_url: http://a.test/k}", "keys_url"),
        ("{name: a, issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k, algorithms: [none]}",
         "algorithms"),
        ("{name: a, issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k, algorithms: []}",
         "algorithms"),
        ("{name: a, issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k, keys_refresh: 1d, "
         "keys_maximum_age: 1h}", "keys_maximum_age"),
        ("{name: a, issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k, nonce: false}", "nonce"),
    ],
)
def test_a_mistake_in_an_issuer_is_reported_with_its_line(tmp_path, entry, path):
    result = check(tmp_path, f"providers:\n  oidc:\n    - {entry}\n")
    assert result.returncode == 78
    assert result.stderr.count("gatehouse.yaml:3: ") == 1, result.stderr
    assert f"gatehouse.yaml:3: providers.oidc[0].{path}: " in result.stderr, result.stderr


def test_issuers_have_names_of_their_own_that_rules_and_lifetimes_can_use(tmp_path):
    entry = "{name: a, issuers: [https://a.test], client_ids: [c], keys_url: https://a.test/k}"
    twice = check(tmp_path, f"providers:\n  oidc:\n    - {entry}\n    - {entry}\n")
    assert twice.returncode == 78 and "gatehouse.yaml:4: providers.oidc[1].name: " in twice.stderr
    used = (
        f"providers: {{oidc: [{entry}]}}\nsessions: {{lifetimes: {{'oidc:a': {{absolute: 1h}}}}}}\n"
        "access: {rules: [{host: localhost, require: {kinds: ['oidc:a']}}]}\n"
    )
    fine = check(tmp_path, used)
    assert fine.returncode == 0 and "oidc:a" in fine.stdout, fine
    assert check(tmp_path, used.replace("'oidc:a']", "'oidc:b']")).returncode == 78
