"""Accounts, as operators and their owners manage them."""

import json
import sqlite3

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register


def test_accounts_are_added_listed_shown_switched_and_recovered():
    with Gateway.start() as gateway:
        gateway.account_add("Lee", display_name="Lee L.", email="lee@example.test", groups=("staff", "admin"))
        assert gateway.cli("account", "list").stdout == "Lee [staff, admin]\n"
        listed = json.loads(gateway.cli("account", "list", "--json").stdout)
        assert listed["username"] == "Lee" and listed["groups"] == ["staff", "admin"] and not listed["disabled"]
        gateway.client().sign_in("lee")
        shown = json.loads(gateway.cli("account", "show", "LEE", "--json").stdout)
        assert [credential["kind"] for credential in shown["credentials"]] == ["password"]
        assert shown["sessions"] and "signed_in" in [event["action"] for event in shown["events"]]
        assert "password since" in gateway.cli("account", "show", "lee").stdout
        gateway.cli("account", "disable", "lee")
        assert gateway.cli("account", "list").stdout == "Lee [staff, admin] disabled\n"
        assert gateway.client().sign_in("lee").status == 401
        gateway.cli("account", "enable", "lee")
        assert gateway.client().sign_in("lee").status == 200


@pytest.mark.parametrize(
    "name", ["", "a b", "ad\u200bmin", "\ufeffadmin", "admin\u2060", "ad\u00admin", "ad\u202emin", "\u3164", "x" * 255],
)
def test_names_that_deceive_are_refused(gateway, name):
    assert gateway.cli("account", "add", name, input=PASSWORD + "\n", check=False).returncode == 65


def test_a_name_is_taken_in_every_spelling(gateway):
    gateway.account_add("Alice@Example.test")
    for name in ("alice@example.test", "ALICE@EXAMPLE.TEST", "ａlice@example.test"):
        result = gateway.cli("account", "add", name, input=PASSWORD + "\n", check=False)
        assert result.returncode == 65 and "taken" in result.stderr
    gateway.account_add("ALİCE@example.test")


def test_passwords_come_from_standard_input_and_must_be_long(gateway):
    for word in ("", "short", "fourteen chars"):
        assert gateway.cli("account", "add", "weak", input=word + "\n", check=False).returncode == 65
    assert gateway.cli("account", "add", "weak", "--password", "x", check=False).returncode == 64
    assert gateway.cli("account", "show", "weak", check=False).returncode == 67
    assert gateway.cli("account", "disable", "nobody", check=False).returncode == 67


def test_more_groups_than_a_header_holds_are_refused(gateway):
    groups = [f"--group={'g' * 60}{index}" for index in range(500)]
    result = gateway.cli("account", "add", "popular", *groups, input=PASSWORD + "\n", check=False)
    assert result.returncode == 65 and "2048" in result.stderr


def test_a_recovery_link_lets_its_owner_set_a_password_or_enrol_a_passkey():
    with Gateway.start() as gateway:
        gateway.account_add("lee", None)
        client = gateway.client()
        link = gateway.recovery_link("lee")
        assert link.startswith(gateway.origin + "/recover#")
        assert client.post("/recovery", {"token": link.split("#")[1]}).status == 200
        assert client.put("/password", {"newPassword": "short"}).code == "password_too_weak"
        assert client.put("/password", {"newPassword": PASSWORD}).status == 204
        assert gateway.client().sign_in("lee").status == 200
        client, passkey = gateway.client(), Passkey()
        client.post("/recovery", {"token": gateway.recovery_link("lee").split("#")[1]})
        answer = register(client, passkey)
        assert answer.status == 200 and not answer.json["session"]["restricted"]
        assert client.get("/sessions").status == 200
        assert authenticate(gateway.client(), passkey).status == 200


def test_the_first_start_prints_a_link_that_makes_one_administrator():
    import concurrent.futures

    with Gateway.start({"accounts": {"signup": "closed"}}) as gateway:
        token = gateway.setup_link.split("#")[1]
        body = lambda index: {"token": token, "username": f"admin{index}"}
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda index: gateway.client().post("/setup", body(index)), range(20)))
        assert sorted(answer.status for answer in answers) == [200] + [409] * 19
        (made,) = [answer for answer in answers if answer.status == 200]
        assert made.json["account"]["groups"] == ["admin"]
        gateway.restart()
        assert not any("administrator" in line for line in gateway.output)
        assert gateway.client().post("/setup", body(99)).status == 409


def test_the_password_changes_with_the_old_one_and_takes_the_other_sessions_along(gateway):
    gateway.account_add("changer")
    mine, other = gateway.client(), gateway.client()
    mine.sign_in("changer")
    other.sign_in("changer")
    change = lambda old: mine.put("/password", {"currentPassword": old, "newPassword": "another horse battery staple"})
    assert change("wrong horse battery staple").code == "credential_rejected"
    assert change(PASSWORD).status == 204
    assert mine.get("/session").status == 200 and other.get("/session").status == 401
    assert gateway.client().sign_in("changer").status == 401
    assert gateway.client().sign_in("changer", "another horse battery staple").status == 200
    assert mine.delete("/password").code == "last_credential"
    assert gateway.client().put("/password", {"newPassword": PASSWORD}).code == "session_required"


def test_deleting_rows_by_hand_harms_nobody_else():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        gateway.account_add("kim")
        lee, kim = gateway.client(), gateway.client()
        lee.sign_in("lee")
        kim.sign_in("kim")
        database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", timeout=10)
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("DELETE FROM account WHERE identifier = 'lee'")
        database.commit()
        (left,) = database.execute("SELECT count(*) FROM session").fetchone()
        database.close()
        assert left == 1
        while lee.get("/session").status == 200:
            pass
        assert kim.get("/session").status == 200
