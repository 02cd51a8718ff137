"""Passwords: which may be set, how they are kept, and what becomes of hashes that ask for too much."""

import hashlib
import json
import sqlite3
import time

import pytest

from gateway import PASSWORD, Gateway
from https_server import HTTPSServer

BREACHED = "password password password"


def set_password(gateway, name, password):
    """By the link that an administrator makes, which needs no password there was before."""
    client = gateway.client()
    assert client.post("/recovery", {"token": gateway.recovery_link(name).split("#")[1]}).status == 200
    return client.put("/password", {"newPassword": password})


def test_every_character_of_a_long_password_counts():
    with Gateway.start() as gateway:
        for name, password in (("long", "x" * 200), ("emoji", "\U0001f511" * 64), ("longest", "y" * 1024)):
            gateway.account_add(name, password)
            assert gateway.client().sign_in(name, password).status == 200
            assert gateway.client().sign_in(name, password[:-1] + "z").code == "credential_rejected"
        for name in ("long", "nobody"):
            assert gateway.client().sign_in(name, "x" * 1025).code == "malformed_credential"
        assert set_password(gateway, "long", "x" * 1025).code == "password_too_weak"
        begun = time.monotonic()
        assert gateway.client().sign_in("long", "x" * 10_000_000).status == 413
        assert time.monotonic() - begun < 5


@pytest.mark.parametrize("password", ["", None, "  ", "\t", 15, "\ud800"])
def test_what_can_be_no_password_is_refused_before_any_account_is_looked_up(password):
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        answers = []
        for name in ("lee", "nobody"):
            client = gateway.client()
            begun = client.post("/sign-in/options", {"identifier": name}).json
            credential = {"kind": "password", "identifier": name, "password": password}
            if password is None:
                del credential["password"]
            answers.append(client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential}))
        told = [{**answer.json, "requestId": ""} for answer in answers]
        assert told[0] == told[1]
        # White space may be a password: that one is checked, and wrong.
        assert answers[0].code == "credential_rejected" if password == "  " else answers[0].status == 400
        assert gateway.client().sign_in("lee").status == 200


def test_names_and_lists_are_what_nobody_may_set(tmp_path):
    blocked = tmp_path / "blocked.txt"
    blocked.write_text("iloveyouiloveyou\nqwertyuiopasdfgh\n")
    overrides = {"name": "Acme Portal", "providers": {"password": {"block_list": str(blocked)}}}
    with Gateway.start(overrides) as gateway:
        gateway.account_add("lee.miller")
        for weak in ("acme-portal-2026", "lee.miller-localhost", "ILoveYouILoveYou", "fourteen chars"):
            answer = set_password(gateway, "lee.miller", weak)
            assert (answer.status, answer.code) == (422, "password_too_weak"), weak
            assert weak not in answer.text and weak not in gateway.log
        assert gateway.client().sign_in("lee.miller").status == 200
        assert set_password(gateway, "lee.miller", "fifteen charact").status == 204


def test_passwords_from_breaches_are_refused_by_a_file(tmp_path):
    lines = sorted(hashlib.sha1(text.encode()).hexdigest().upper() + ":3" for text in [BREACHED, "a", "b", "c"])
    file = tmp_path / "breaches.txt"
    file.write_text("\n".join(lines) + "\n")
    with Gateway.start({"providers": {"password": {"breaches": {"file": str(file)}}}}) as gateway:
        gateway.account_add("lee", None)
        assert set_password(gateway, "lee", BREACHED).code == "password_breached"
        assert set_password(gateway, "lee", PASSWORD).status == 204


@pytest.fixture
def service(tmp_path):
    """Answers a range with the breached password's hash, if that is in it, and another that pads."""
    server = HTTPSServer(tmp_path)
    server.questions = []
    digest, padding = (hashlib.sha1(text.encode()).hexdigest().upper() for text in (BREACHED, PASSWORD))

    def answer(question):
        server.questions.append(question)
        lines = [f"{digest[5:]}:12"] if question.path == f"/range/{digest[:5]}" else []
        return 200, "\r\n".join([*lines, f"{padding[5:]}:0", "F" * 35 + ":1"]).encode()

    server.answer = answer
    yield server
    server.close()


def asking(service, unreachable="accept"):
    breaches = {"url": f"{service.url}range/", "unreachable": unreachable}
    return {"providers": {"password": {"breaches": breaches}}, "outgoing": {"authorities": str(service.authorities)}}


def test_passwords_from_breaches_are_refused_by_a_service_that_learns_five_digits(service):
    with Gateway.start(asking(service)) as gateway:
        gateway.account_add("lee", None)
        assert set_password(gateway, "lee", BREACHED).code == "password_breached"
        assert set_password(gateway, "lee", PASSWORD).status == 204
        assert [len(question.path) for question in service.questions] == [len("/range/") + 5] * 2
        # Padded, so that the length of an answer doesn't tell the range to whoever listens.
        assert {question.headers["Add-Padding"] for question in service.questions} == {"true"}
        # Whoever only signs in waits for nobody.
        assert gateway.client().sign_in("lee").status == 200 and len(service.questions) == 2


@pytest.mark.parametrize(("unreachable", "status", "code"), [("accept", 204, None), ("refuse", 503, "dependency_unavailable")])
@pytest.mark.parametrize("answer", [(500, b""), (404, b""), (200, b"x" * 2_000_000)])
def test_a_service_that_is_out_is_an_outage_or_ignored_as_configured(service, unreachable, status, code, answer):
    service.answer = answer
    with Gateway.start(asking(service, unreachable)) as gateway:
        gateway.account_add("lee", None)
        told = set_password(gateway, "lee", BREACHED)
        assert (told.status, told.code) == (status, code)
        assert ("a password is taken all the same" in gateway.log) == (unreachable == "accept")
        assert BREACHED not in gateway.log
        command = gateway.cli("account", "add", "kim", input=BREACHED + "\n", check=False)
        assert command.returncode == (0 if unreachable == "accept" else 75)
        assert unreachable == "accept" or "ask for breached passwords" in command.stderr


def test_a_pepper_comes_from_outside_and_can_be_replaced(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("o" * 40 + "\n")
    new.write_text("n" * 40 + "\n")
    with Gateway.start({"hashing": {"pepper": {"file": str(old)}}}) as gateway:
        gateway.account_add("lee")
        gateway.account_add("kim")
        assert gateway.client().sign_in("lee").status == 200
        gateway.config["hashing"] |= {"pepper": {"env": "PEPPER"}, "former_peppers": [{"file": str(old)}]}
        gateway.environment = {"PEPPER": "n" * 40}
        gateway.write_config()
        gateway.restart()
        assert gateway.client().sign_in("lee").status == 200
        # Who signed in has gone over; the other's key is gone, which is our failure and not a wrong password.
        gateway.config["hashing"] |= {"pepper": {"file": str(new)}, "former_peppers": []}
        gateway.write_config()
        gateway.restart()
        assert gateway.client().sign_in("lee").status == 200
        assert gateway.client().sign_in("lee", "wrong horse battery").code == "credential_rejected"
        assert (outage := gateway.client().sign_in("kim")).status == 503 and outage.code == "dependency_unavailable"
        assert "the pepper of a stored hash" in gateway.log


@pytest.mark.parametrize(
    ("hashing", "says"),
    [
        ({"pepper": "a secret that stands here"}, "hashing.pepper: must be {file"),
        ({"pepper": {"env": "NOT_SET"}}, "hashing.pepper: must be {file"),
        ({"pepper": {"env": "SHORT"}}, "at least 32 bytes"),
        ({"former_peppers": [{"env": "LONG"}]}, "need a pepper to go over to"),
    ],
)
def test_a_pepper_that_is_none_stops_the_start(hashing, says):
    with Gateway({"hashing": hashing}, environment={"SHORT": "too short", "LONG": "l" * 32}) as gateway:
        result = gateway.cli("config", "check", check=False)
        assert result.returncode == 78 and says in result.stderr
        assert "secret" not in result.stderr and "too short" not in result.stderr


@pytest.mark.parametrize(
    "doctored",
    [
        "$argon2id$v=19$m=4194304,t=100,p=1$c29tZXNhbHRzb21lc2FsdA$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg",
        "$argon2id$v=19$m=4294967295,t=4294967295,p=4294967295$c29tZXNhbHQ$teFTS9Bt8QAj5Pq7yxSRTQ",
        # Within the ceiling, and more than there is for all hashes.
        "$argon2id$v=19$m=131072,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg",
        "$2b$31$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy",
        "pbkdf2_sha256$2147483648$salt$teFTS9Bt8QAj5Pq7yxSRTRdlISc9AOP4wcOQSJ5VUlg=",
    ],
)
def test_a_stored_hash_that_asks_for_too_much_is_a_wrong_password_and_the_operator_learns_why(doctored):
    with Gateway.start({"hashing": {"memory_budget_mib": 64}}) as gateway:
        gateway.account_add("lee")
        gateway.account_add("kim")
        gateway.end()
        with sqlite3.connect(gateway.folder / "gatehouse.sqlite3") as database:
            account = database.execute("SELECT id FROM account WHERE username = 'lee'").fetchone()[0]
            database.execute("UPDATE credential SET payload = ? WHERE account = ?", (doctored.encode(), account))
        database.close()
        gateway.serve()
        with open(f"/proc/{gateway.process.pid}/status") as status:
            before = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        assert gateway.client().sign_in("lee").code == "credential_rejected"
        with open(f"/proc/{gateway.process.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        assert peak - before < 32 * 1024
        assert gateway.client().sign_in("kim").status == 200
        assert "damaged, or too costly" in gateway.cli("account", "show", "lee").stdout


def test_calibration_prints_what_the_configuration_takes():
    with Gateway({"hashing": {"memory_budget_mib": 64}}) as gateway:
        printed = gateway.cli("hash", "calibrate", "--target", "20ms").stdout
        lines = dict(line.split(": ") for line in printed.splitlines() if line.startswith("  "))
        gateway.config["hashing"] |= {name.strip(): int(value) for name, value in lines.items()}
        assert set(gateway.config["hashing"]) == {"memory_budget_mib", "memory_kib", "passes", "lanes"}
        gateway.write_config()
        assert gateway.cli("config", "check").returncode == 0
        report = json.loads(gateway.cli("hash", "calibrate", "--target", "20ms", "--json").stdout)
        assert set(report) == {"memoryKiB", "passes", "lanes", "milliseconds"} and report["memoryKiB"] >= 19456
        assert gateway.cli("hash", "calibrate", "--target", "5s", check=False).returncode == 64
