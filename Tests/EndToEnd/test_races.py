"""Requests that arrive at once: one of them wins, and the others learn that it did."""

import concurrent.futures
import json
import sqlite3
import threading
import time

import pytest

from gateway import Gateway
from passkey import Passkey, authenticate, register, step_up


def at_once(calls):
    """The answers to calls that all begin when the last of them is ready."""
    gate = threading.Barrier(len(calls))

    def go(call):
        gate.wait()
        return call()

    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(go, calls))


def assert_one(answers, codes):
    assert [answer.status for answer in answers].count(200) == 1, answers
    assert {answer.code for answer in answers if answer.status != 200} <= codes, answers


SPENT = {"ceremony_consumed", "ceremony_exhausted", "overloaded"}


def test_of_fifty_identical_registrations_one_makes_a_passkey_and_a_session(gateway, lee):
    for _ in range(3):
        owner, passkey = gateway.client(), Passkey()
        owner.sign_in(lee)
        before = len(owner.get("/passkeys").json["passkeys"])
        if before:
            assert step_up(owner, latest).status == 200
        begun = owner.post("/passkeys/register/options").json
        body = {"ceremonyId": begun["ceremonyId"], "response": passkey.create(begun["options"], gateway.origin)}
        cookies = dict(owner.cookies)

        def finish():
            client = gateway.client()
            client.cookies = dict(cookies)
            return client.post("/passkeys/register/verify", body)

        assert_one(at_once([finish] * 50), SPENT | {"credential_already_registered"})
        assert authenticate(gateway.client(), passkey).status == 200
        assert len(owner.get("/passkeys").json["passkeys"]) == before + 1
        latest = passkey


def test_of_fifty_identical_sign_ins_one_opens_a_session(gateway):
    owner, passkey = gateway.client(), Passkey()
    assert register(owner, passkey).status == 200
    for _ in range(3):
        before = len(owner.get("/sessions").json["sessions"])
        begun = gateway.client().post("/passkeys/authenticate/options").json
        body = {"ceremonyId": begun["ceremonyId"], "response": passkey.get(begun["options"], gateway.origin)}
        answers = at_once([lambda: gateway.client().post("/passkeys/authenticate/verify", body)] * 50)
        assert_one(answers, SPENT)
        assert sum(bool(answer.header("Set-Cookie")) for answer in answers) == 1
        assert len(owner.get("/sessions").json["sessions"]) == before + 1
    # Coming late is no sign of a copy.
    name = owner.get("/session").json["account"]["username"]
    shown = gateway.cli("account", "show", name).stdout
    assert "sign_in_refused passkey" in shown and "flagged" not in shown


def test_the_first_administrator_is_the_only_one_also_when_nobody_is_left():
    with Gateway.start({"accounts": {"signup": "closed"}}) as gateway:
        token = gateway.setup_link.split("#")[1]
        names = [f"admin{index}" for index in range(20)]
        answers = at_once([lambda name=name: gateway.client().post("/setup", {"token": token, "username": name}) for name in names])
        assert sorted(answer.status for answer in answers) == [200] + [409] * 19
        listed = gateway.cli("account", "list").stdout.splitlines()
        assert len(listed) == 1 and "admin" in listed[0]
        again = {"token": token, "username": "later"}
        assert gateway.client().post("/setup", again).status == 409
        database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", timeout=10)
        with database:
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("DELETE FROM account")
        database.close()
        assert gateway.cli("account", "list").stdout == ""
        assert gateway.client().post("/setup", again).status == 409
        gateway.restart()
        assert not any("administrator" in line for line in gateway.output)
        assert gateway.client().post("/setup", again).status == 409


def test_requests_around_a_step_up_all_pass_and_what_comes_later_is_noted_once():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client, passkey = gateway.client(), Passkey()
        client.sign_in("lee")
        assert register(client, passkey).status == 200
        old = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
        asked = {"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET"}

        def passes(cookie):
            return gateway.request("GET", "/auth/nginx", headers=asked | cookie, listener="check").status

        begun = client.post("/sign-in/options", {"stepUp": True, "kinds": ["passkey"]}).json
        credential = {"kind": "passkey", "response": passkey.get(begun["requests"][0]["options"], gateway.origin)}
        body = {"ceremonyId": begun["ceremonyId"], "credential": credential}
        answers = at_once([lambda: client.post("/sign-in/verify", body)] + [lambda: passes(old)] * 30)
        replaced = time.monotonic()
        assert answers[0].status == 200 and answers[1:] == [200] * 30
        new = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
        # Pages that were under way still send the old value, for a moment, and to the check alone.
        assert new != old and passes(old) == passes(new) == 200
        assert gateway.request("GET", "/session", headers=old).status == 401
        while passes(old) == 200:
            assert time.monotonic() < replaced + 15
            time.sleep(0.2)
        assert time.monotonic() > replaced + 5
        assert [passes(old) for _ in range(5)] == [401] * 5 and passes(new) == 200
        events = json.loads(gateway.cli("account", "show", "lee", "--json").stdout)["events"]
        assert [event["action"] for event in events].count("ended_session_used") == 1


@pytest.mark.parametrize("rounds", [5, pytest.param(100, marks=pytest.mark.long)])
def test_of_two_removals_of_the_last_two_passkeys_one_is_refused(gateway, rounds):
    for _ in range(rounds):
        client, first, second = gateway.client(), Passkey(), Passkey()
        assert register(client, first).status == 200
        assert register(client, second).status == 200
        other = gateway.client()
        assert authenticate(other, second).status == 200
        ids = [each["id"] for each in client.get("/passkeys").json["passkeys"]]
        assert len(ids) == 2
        answers = at_once([lambda: client.delete(f"/passkeys/{ids[0]}"), lambda: other.delete(f"/passkeys/{ids[1]}")])
        assert sorted(answer.status for answer in answers) in ([200, 409], [200, 401]), answers
        assert all(answer.code in ("last_credential", "session_required") for answer in answers if answer.status != 200)
        left = [passkey for passkey in (first, second) if authenticate(gateway.client(), passkey).status == 200]
        assert len(left) == 1
