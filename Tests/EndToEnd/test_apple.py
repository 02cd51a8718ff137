"""Sign in with Apple, and the ID tokens of any OpenID Connect issuer, against a server that plays them."""

import base64
import concurrent.futures
import hashlib
import time

import pytest

from apple import APP, ISSUER, Apple, TokenKey, hashed
from commands import check
from gateway import PASSWORD, Gateway
from passkey import Passkey, register


@pytest.fixture
def apple(tmp_path):
    with Apple(tmp_path) as started:
        yield started


@pytest.fixture
def gateway(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as started:
        yield started


def wait_for(is_so, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# An account's life


def test_a_first_sign_in_is_a_sign_up_and_the_next_ones_find_its_account(apple, gateway):
    client = gateway.client()
    unknown = apple.sign_in(client, "001.lee")
    assert unknown.status == 401 and unknown.code == "credential_unknown"
    made = apple.enrol(client, "001.lee", name="Lee Example")
    assert made.status == 200 and made.json["session"]["methods"] == ["apple"], made
    assert made.json["session"]["assurance"] == "aal1" and made.json["account"]["displayName"] == "Lee Example"
    assert client.get("/session").json["account"]["id"] == made.json["account"]["id"]
    other = gateway.client()
    answer = apple.sign_in(other, "001.lee")
    assert answer.status == 200 and answer.json["account"]["id"] == made.json["account"]["id"], answer
    assert apple.enrol(gateway.client(), "001.lee").code == "credential_already_registered"
    listed = other.get("/apple-ids").json["appleIds"]
    assert len(listed) == 1 and listed[0]["current"] is True


def test_a_request_names_the_nonce_and_our_apps(apple, gateway):
    begun = gateway.client().post("/sign-in/options", {"kinds": ["apple"]}).json
    assert begun["requests"] == [{"kind": "apple", "nonce": begun["requests"][0]["nonce"], "clientIds": [APP]}]
    assert len(base64.urlsafe_b64decode(begun["requests"][0]["nonce"] + "=")) == 32


def test_a_native_app_gets_its_session_as_a_token(apple, gateway):
    apple.enrol(gateway.client(), "001.lee")
    answer = apple.sign_in(gateway.client(), "001.lee", begin={"client": "native"})
    token = answer.json["session"]["token"]
    session = gateway.client().get("/session", headers={"Authorization": f"Bearer {token}"})
    assert session.status == 200


def test_without_open_sign_up_only_linked_accounts_come_in(apple):
    with Gateway.start(apple.settings(accounts={"signup": "closed"})) as gateway:
        assert apple.enrol(gateway.client(), "001.lee").code == "signup_closed"
        assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        assert apple.enrol(client, "001.lee").status == 200
        answer = apple.sign_in(gateway.client(), "001.lee")
        assert answer.status == 200 and answer.json["account"]["username"] == "lee"


def test_linking_needs_a_session_that_proved_itself(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as gateway:
        gateway.account_add("lee")
        client, passkey = gateway.client(), Passkey()
        client.sign_in("lee")
        assert register(client, passkey).status == 200
        # With a passkey that has settled, a password alone proves too little; here it is the settled one of a sign-up.
        owner = gateway.client()
        assert register(owner, Passkey()).status == 200
        assert apple.enrol(owner, "001.owner").status == 200
        linked = gateway.client()
        assert apple.sign_in(linked, "001.owner").status == 200
        refused = apple.enrol(linked, "001.another")
        assert refused.status == 403 and refused.code == "fresh_session_required"
        assert refused.json["kinds"] == ["passkey"]
        stale = gateway.client()
        stale.cookies = {"gatehouse": "A" * 43}
        assert apple.enrol(stale, "001.stale").code == "session_required"


def test_a_removed_apple_id_ends_its_sessions_and_signs_in_no_more(apple, gateway):
    gateway.account_add("lee")
    owner = gateway.client()
    owner.sign_in("lee")
    assert apple.enrol(owner, "001.lee").status == 200
    born = gateway.client()
    assert apple.sign_in(born, "001.lee").status == 200
    linked = owner.get("/apple-ids").json["appleIds"][0]["id"]
    assert owner.delete(f"/apple-ids/{linked}").status == 200
    assert born.get("/session").status == 401 and owner.get("/session").status == 200
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"


def test_the_last_way_in_stays(apple, gateway):
    client = gateway.client()
    apple.enrol(client, "001.lee")
    linked = client.get("/apple-ids").json["appleIds"][0]["id"]
    assert client.delete(f"/apple-ids/{linked}").code == "last_credential"


# Accounts are never merged (better-auth GHSA-g38m-r43w-p2q7)


@pytest.mark.parametrize("verified", [True, "true"])
def test_an_account_with_the_same_address_stays_another_account(apple, gateway, verified):
    gateway.account_add("squatter", email="Victim@corp.test")
    claims = {"email": "victim@corp.test", "email_verified": verified}
    assert apple.sign_in(gateway.client(), "001.victim", **claims).code == "credential_unknown"
    client = gateway.client()
    made = apple.enrol(client, "001.victim", name="Victim", **claims).json
    squatter = gateway.client()
    theirs = squatter.sign_in("squatter").json
    assert theirs["account"]["id"] != made["account"]["id"]
    assert "email" not in made["account"] and theirs["account"]["email"] == "Victim@corp.test"
    assert client.get("/session").json["account"]["username"] != "squatter"


@pytest.mark.parametrize(
    ("claims", "email"),
    [
        ({"email": "lee@example.test", "email_verified": True}, "lee@example.test"),
        ({"email": "lee@example.test", "email_verified": "true"}, "lee@example.test"),
        ({"email": "lee@example.test", "email_verified": "false"}, None),
        ({"email": "lee@example.test"}, None),
        ({"email": "x@privaterelay.appleid.com", "email_verified": True}, None),
        ({"email": "x@corp.test", "email_verified": True, "is_private_email": "true"}, None),
        ({"email": "x@corp.test", "email_verified": True, "is_private_email": True}, None),
        ({"email": "no address", "email_verified": True}, None),
    ],
)
def test_the_first_consent_gives_a_new_account_its_address(apple, gateway, claims, email):
    made = apple.enrol(gateway.client(), "001.lee", **claims)
    assert made.status == 200 and made.json["account"].get("email") == email


def test_what_is_given_once_is_taken_once(apple, gateway):
    client = gateway.client()
    apple.enrol(client, "001.lee", name="Lee", email="lee@example.test", email_verified=True)
    again = apple.sign_in(gateway.client(), "001.lee", email="new@example.test", email_verified=True, name="Eve").json
    assert again["account"]["email"] == "lee@example.test" and again["account"]["displayName"] == "Lee"


def test_a_name_that_can_not_be_shown_is_left_out(apple, gateway):
    made = apple.enrol(gateway.client(), "001.lee", name="Lee\u0007").json
    assert made["account"]["displayName"] == made["account"]["username"]
    chosen = apple.enrol(gateway.client(), "001.kim", name="Kim", begin={"displayName": "Chosen"}).json
    assert chosen["account"]["displayName"] == "Chosen"


# Tokens


@pytest.mark.parametrize(
    "change",
    [
        {"iss": f"{ISSUER}/"}, {"iss": f"{ISSUER}.evil.test"}, {"aud": "com.evil.app"}, {"aud": [APP, "com.evil.app"]},
        {"aud": ...}, {"aud": []}, {"nonce": ...}, {"nonce": ..., "nonce_supported": False}, {"exp": 1},
        {"exp": 10**18}, {"exp": "2000000000"}, {"iat": 4_000_000_000}, {"nbf": 4_000_000_000}, {"sub": ""}, {"sub": ...},
        {"header": {"alg": "none"}}, {"header": {"alg": "HS256"}}, {"header": {"kid": None}}, {"key": TokenKey("key-1")},
    ],
    ids=str,
)
def test_a_token_with_one_fault_is_refused_and_the_next_good_one_is_taken(apple, gateway, change):
    apple.enrol(gateway.client(), "001.lee")
    client = gateway.client()
    begun = client.post("/sign-in/options", {"kinds": ["apple"]}).json
    nonce = begun["requests"][0]["nonce"]

    def verify(**token):
        credential = {"kind": "apple", "identityToken": apple.token(nonce, "001.lee", **token)}
        return client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})

    refused = verify(**change)
    assert refused.status == 401 and refused.code == "token_invalid", refused
    assert verify().status == 200


def test_nonces_are_of_one_ceremony_and_used_once(apple, gateway):
    apple.enrol(gateway.client(), "001.lee")
    client = gateway.client()
    begun = [client.post("/sign-in/options", {"kinds": ["apple"]}).json for _ in range(2)]
    nonces = [each["requests"][0]["nonce"] for each in begun]

    def verify(index, claim):
        credential = {"kind": "apple", "identityToken": apple.token(claim, "001.lee")}
        return client.post("/sign-in/verify", {"ceremonyId": begun[index]["ceremonyId"], "credential": credential})

    digest = base64.b64encode(hashlib.sha256(nonces[0].encode()).digest()).decode()
    for wrong in (nonces[1], digest, hashed(hashed(nonces[0])), hashed(nonces[1])):
        assert verify(0, wrong).code == "token_invalid"
    assert verify(0, hashed(nonces[0])).status == 200
    assert verify(0, hashed(nonces[0])).code == "ceremony_consumed"
    assert verify(1, nonces[1]).status == 200


def test_a_second_host_name_of_the_issuer_is_a_matter_of_configuration(apple):
    # kratos 76afd6dc6, supabase/auth #2050: the issuer's name changed overnight.
    names = [ISSUER, "https://account.apple.com"]
    with Gateway.start(apple.settings({"issuers": names}, accounts={"signup": "open"})) as gateway:
        apple.enrol(gateway.client(), "001.lee")
        for name in names:
            assert apple.sign_in(gateway.client(), "001.lee", iss=name).status == 200


@pytest.mark.parametrize("ids", ["", "[]", "['']", "[' ']", "['a b']"])
def test_without_client_ids_there_is_no_start(tmp_path, ids):
    result = check(tmp_path, f"providers:\n  apple:\n    enabled: true\n    client_ids: {ids}\n")
    assert result.returncode == 78 and "gatehouse.yaml:" in result.stderr, result
    assert "providers.apple.client_ids" in result.stderr
    assert check(tmp_path, "providers: {apple: {enabled: true, client_ids: [com.example.app]}}").returncode == 0


# Keys


def test_any_of_several_keys_may_sign(apple):
    # parse-server #6408: only the first key was tried.
    keys = [TokenKey("a"), TokenKey("b"), TokenKey("c")]
    other = {"kty": "EC", "kid": "a", "crv": "P-256", "x": "AA", "y": "AA"}
    apple.published = [other, TokenKey("z").jwk(use="enc"), *(each.jwk() for each in keys), keys[0].jwk()]
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as gateway:
        for key in keys:
            assert apple.enrol(gateway.client(), f"001.{key.id}", key=key).status == 200
            assert apple.sign_in(gateway.client(), f"001.{key.id}", key=key).status == 200
        assert apple.sign_in(gateway.client(), "001.a", key=keys[0], header={"kid": "b"}).code == "token_invalid"


def test_a_rotation_costs_one_fetch_and_forged_key_ids_one_a_cool_down(apple, gateway):
    wait_for(lambda: apple.fetches == 1)
    apple.enrol(gateway.client(), "001.lee")
    assert apple.sign_in(gateway.client(), "001.lee").status == 200 and apple.fetches == 1
    apple.key = TokenKey("key-2")
    apple.published = [apple.key.jwk()]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: apple.sign_in(gateway.client(), "001.lee").status, range(4)))
    assert answers == [200] * 4 and apple.fetches == 2
    forger = TokenKey("forged")
    for index in range(50):
        answer = apple.sign_in(gateway.client(), "001.lee", key=forger, header={"kid": f"forged-{index}"})
        assert answer.status == 401 and answer.code == "token_invalid"
    assert apple.fetches == 2
    assert apple.sign_in(gateway.client(), "001.lee").status == 200


def test_an_outage_is_no_refusal_and_known_keys_outlive_it(apple):
    times = {"keys_refresh": "1s", "keys_cooldown": "1s", "keys_maximum_age": "4s"}
    with Gateway.start(apple.settings(times, accounts={"signup": "open"})) as gateway:
        apple.enrol(gateway.client(), "001.lee")
        apple.is_down = True
        before = apple.fetches
        wait_for(lambda: apple.fetches > before)
        assert apple.sign_in(gateway.client(), "001.lee").status == 200
        wait_for(lambda: apple.sign_in(gateway.client(), "001.lee").status == 503)
        down = apple.sign_in(gateway.client(), "001.lee")
        assert down.code == "dependency_unavailable"
        apple.is_down = False
        wait_for(lambda: apple.sign_in(gateway.client(), "001.lee").status == 200)


def test_without_any_keys_others_sign_in_all_the_same(apple):
    apple.is_down = True
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as gateway:
        wait_for(lambda: apple.fetches > 0)
        assert apple.enrol(gateway.client(), "001.lee").code == "dependency_unavailable"
        gateway.account_add("lee")
        assert gateway.client().sign_in("lee").status == 200


def test_nobody_waits_for_apple_but_who_names_an_unknown_key(apple, gateway):
    apple.enrol(gateway.client(), "001.lee")
    gateway.account_add("lee")
    session = gateway.client()
    assert session.sign_in("lee").status == 200
    apple.answers_keys.clear()
    forger, before = TokenKey("forged"), apple.fetches
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        forged = [pool.submit(apple.sign_in, gateway.client(), "001.lee", key=forger) for _ in range(8)]
        wait_for(lambda: apple.fetches > before)
        assert apple.sign_in(gateway.client(), "001.lee").status == 200
        assert gateway.client().sign_in("lee").status == 200
        headers = {"X-Original-URL": "http://localhost/x", "X-Original-Method": "GET"}
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
        assert gateway.request("GET", "/auth/nginx", headers=headers, listener="check").status == 200
        # All of that while every one of them was still waiting.
        assert not any(each.done() for each in forged) and apple.fetches == before + 1
        apple.answers_keys.set()
        assert {each.result().code for each in forged} == {"token_invalid"}
    assert apple.fetches == before + 1


def test_keys_are_believed_only_from_a_host_that_somebody_vouches_for(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"}, outgoing=None)) as gateway:
        answer = apple.enrol(gateway.client(), "001.lee")
        assert answer.status == 503 and apple.fetches == 0


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
