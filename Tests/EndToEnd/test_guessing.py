"""Guessing at passwords: who is slowed down by it, and who is not."""

import concurrent.futures
import itertools
import socket

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register

WRONG = "wrong horse battery staple"


def sign_in(gateway, name, password=WRONG, address="203.0.113.1", client=None):
    """Through a proxy on loopback, which is trusted by default, for a visitor at `address`."""
    headers = {"X-Forwarded-For": address}
    client = client or gateway.client()
    begun = client.post("/sign-in/options", {"identifier": name, "kinds": ["password"]}, headers=headers)
    assert begun.status == 200, begun
    credential = {"kind": "password", "identifier": name, "password": password}
    body = {"ceremonyId": begun.json["ceremonyId"], "credential": credential}
    return client.post("/sign-in/verify", body, headers=headers)


def codes(answers):
    return [answer.code for answer in answers]


@pytest.mark.parametrize(
    "spellings",
    [
        ["2001:db8::1", "2001:DB8:0:0::1", "2001:0db8:0000::0001", "2001:db8::ffff", "2001:db8:0:0:1:2:3:4"],
        ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"],
    ],
)
def test_one_visitor_is_one_whatever_the_spelling_of_the_address(spellings):
    with Gateway.start({"throttle": {"free_failures": 3, "free_failures_per_name": 100}}) as gateway:
        gateway.account_add("alice")
        addresses = itertools.islice(itertools.cycle(spellings), 6)
        assert codes(sign_in(gateway, "alice", address=each) for each in addresses)[:4] == [
            *["credential_rejected"] * 3, "too_many_attempts",
        ]
        for other in ("2001:db8:0:1::1", "192.0.2.2"):
            assert sign_in(gateway, "alice", PASSWORD, other).status == 200


def test_many_at_once_are_no_way_around():
    with Gateway.start({"throttle": {"free_failures": 3}}) as gateway:
        gateway.account_add("alice")
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: sign_in(gateway, "alice"), range(50)))
        assert codes(answers).count("credential_rejected") == 3
        assert set(codes(answers)) == {"credential_rejected", "too_many_attempts"}


def test_an_attack_on_a_name_keeps_its_owner_out_nowhere():
    with Gateway.start({"throttle": {"free_failures": 3}, "accounts": {"signup": "closed"}}) as gateway:
        gateway.account_add("alice")
        passkey, home = Passkey(), gateway.client()
        assert sign_in(gateway, "alice", PASSWORD, "192.0.2.7", home).status == 200
        assert register(home, passkey).status == 200
        answers = [sign_in(gateway, "alice", address=f"203.0.113.{index}") for index in range(100)]
        assert codes(answers)[-1] == "too_many_attempts"
        assert codes(answers).count("credential_rejected") == 30
        assert sign_in(gateway, "alice", PASSWORD, "198.51.100.1").code == "too_many_attempts"
        # Where she was before, and with what can't be guessed anywhere.
        assert sign_in(gateway, "alice", PASSWORD, "192.0.2.7").status == 200
        assert authenticate(gateway.client(), passkey).status == 200


def test_names_that_nobody_has_hold_nobody_up_at_another_address():
    with Gateway.start({"throttle": {"failures_per_address_per_hour": 50, "failures_per_minute": 50}}) as gateway:
        gateway.account_add("alice")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda index: sign_in(gateway, f"junk{index}"), range(500)))
        # The fiftieth takes a while, in which an hour's share of one comes back now and then.
        assert 50 <= codes(answers).count("credential_rejected") <= 60
        assert sign_in(gateway, "alice", PASSWORD).code == "too_many_attempts"
        assert sign_in(gateway, "alice", PASSWORD, "192.0.2.7").status == 200


def test_credential_stuffing_is_held_up_and_familiar_addresses_are_not_also_after_a_restart():
    limits = {"failures_per_minute": 10, "failures_per_address_per_hour": 1000}
    with Gateway.start({"throttle": limits}) as gateway:
        for index in range(20):
            gateway.account_add(f"name{index}")
        assert sign_in(gateway, "name0", PASSWORD, "192.0.2.7").status == 200
        answers = [sign_in(gateway, f"name{index}", address=f"203.0.113.{index}") for index in range(20)]
        assert codes(answers)[:10] == ["credential_rejected"] * 10 and codes(answers)[-1] == "too_many_attempts"
        gateway.restart()
        held = sign_in(gateway, "name19", PASSWORD, "198.51.100.1")
        assert held.code == "too_many_attempts" and int(held.header("Retry-After")) <= 60
        assert sign_in(gateway, "name0", PASSWORD, "192.0.2.7").status == 200
        assert sign_in(gateway, "name0", address="192.0.2.7").code == "credential_rejected"


@pytest.mark.parametrize("headers", [{}, {"X-Forwarded-For": "unknown"}, {"X-Forwarded-For": "127.0.0.1"}])
def test_no_address_and_loopback_are_slowed_down_like_any_other(headers):
    with Gateway.start({"throttle": {"free_failures": 3}}) as gateway:
        gateway.account_add("alice")
        client = gateway.client()
        last = [client.sign_in("alice", WRONG) for _ in range(4)][-1] if not headers else None
        for _ in range(4 if headers else 0):
            begun = client.post("/sign-in/options", {"identifier": "alice"}, headers=headers).json
            credential = {"kind": "password", "identifier": "alice", "password": WRONG}
            body = {"ceremonyId": begun["ceremonyId"], "credential": credential}
            last = client.post("/sign-in/verify", body, headers=headers)
        assert last.code == "too_many_attempts"


def test_visitors_on_a_socket_are_slowed_down_too():
    with Gateway.start({"throttle": {"free_failures": 3}}) as gateway:
        gateway.account_add("alice")
        gateway.config["listen"]["public"] = f"unix:{gateway.folder}/public.sock"
        gateway.write_config()
        gateway.restart()

        def post(path, body):
            import http.client
            import json

            connection = http.client.HTTPConnection("localhost")
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(f"{gateway.folder}/public.sock")
            headers = {"Content-Type": "application/json", "Host": f"localhost:{gateway.ports['public']}"}
            connection.request("POST", path, json.dumps(body), headers)
            return json.loads(connection.getresponse().read())

        for wanted in (*["credential_rejected"] * 3, "too_many_attempts"):
            ceremony = post("/sign-in/options", {"identifier": "alice"})["ceremonyId"]
            credential = {"kind": "password", "identifier": "alice", "password": WRONG}
            assert post("/sign-in/verify", {"ceremonyId": ceremony, "credential": credential})["code"] == wanted


def test_every_door_counts_with_the_same_counter():
    with Gateway.start({"throttle": {"free_failures": 6}}) as gateway:
        gateway.account_add("alice")
        client = gateway.client()
        assert client.sign_in("alice").status == 200

        def step_up():
            begun = client.post("/sign-in/options", {"stepUp": True, "kinds": ["password"]}).json
            credential = {"kind": "password", "identifier": "alice", "password": WRONG}
            return client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})

        def change():
            return client.put("/password", {"currentPassword": WRONG, "newPassword": "a new password of some length"})

        def form():
            fields = {"identifier": "alice", "password": WRONG}
            headers = {"Origin": gateway.origin}
            return gateway.request("POST", "/sign-in", form=fields, headers=headers)

        doors = [lambda: gateway.client().sign_in("alice", WRONG), step_up, change, form]
        answers = [door() for door in (*doors, doors[0], doors[1])]
        assert all(answer.status in (401, 422) for answer in answers), answers
        for door in doors:
            assert door().status == 429
        for path in ("/sign-in/verify/", "/SIGN-IN/verify", "//sign-in/verify", "/sign-in//verify"):
            assert gateway.request("POST", path, json_body={}).status == 404


def test_an_outage_counts_against_nobody():
    # More is asked for at once than the queue holds; whoever is told to come back later has not failed.
    with Gateway.start({"hashing": {"memory_kib": 65536, "passes": 3, "memory_budget_mib": 64}}) as gateway:
        gateway.account_add("alice")
        with concurrent.futures.ThreadPoolExecutor(150) as pool:
            answers = list(pool.map(lambda i: sign_in(gateway, f"junk{i}", address=f"10.0.{i}.1"), range(150)))
        assert {answer.status for answer in answers} == {401, 503}
        assert all(int(answer.header("Retry-After")) >= 1 for answer in answers if answer.status == 503)
        assert sign_in(gateway, "alice", PASSWORD).status == 200
