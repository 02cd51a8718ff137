"""Identity tokens of Apple, and the keys that sign them."""

import base64
import concurrent.futures
import hashlib
import time

import pytest

from apple import APP, ISSUER, TokenKey, hashed
from commands import check
from gateway import Gateway


@pytest.fixture
def gateway(apple):
    with Gateway.start(apple.settings(accounts={"signup": "open"})) as started:
        yield started


def wait_for(is_so, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


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
