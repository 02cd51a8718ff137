"""Accounts of other systems, from the files that those write to the first sign-in."""

import base64
import contextlib
import hashlib
import json
import sqlite3
import struct
import subprocess

import pytest

from gateway import Gateway, binary

PASSWORD = "correct horse 42"
SALT = b"0123456789abcdef"
OURS = "$argon2id$v=19$m=1024,t=1,p=1$"

# Of PASSWORD, by libargon2, crypt(3) and openssl(1).
ARGON2 = "$argon2id$v=19$m=256,t=2,p=2$MDEyMzQ1Njc4OWFiY2RlZg$2Gq4ZVwPZ4QD+AsCxfIOnJOBPtrItxfv9rweMuxaJ7k"
ARGON2_OF_EIGHT = "$argon2id$v=19$m=256,t=2,p=8$MDEyMzQ1Njc4OWFiY2RlZg$AadaMXqX5kFiapJqfkbhBPxpT97mi0pTJlYKNwU1570"
BCRYPT = "$2b$05$abcdefghijklmnopqrstuusx24v0/VgfTEBUEdik2QC5wMJlu01Gy"
APR1 = "$apr1$abcdefgh$9/FxcG1RgN.QsdrNj4l4j."
BEYOND_THE_CEILING = BCRYPT.replace("$05$", "$31$")


def base64_of(data: bytes, *, padded: bool = True) -> str:
    text = base64.b64encode(data).decode()
    return text if padded else text.rstrip("=")


def pbkdf2(function: str, length: int, iterations: int = 1000, salt: bytes = SALT) -> bytes:
    return hashlib.pbkdf2_hmac(function, PASSWORD.encode(), salt, iterations, length)


def aspnet() -> str:
    return base64_of(b"\x01" + struct.pack(">III", 2, 1000, len(SALT)) + SALT + pbkdf2("sha512", 32))


def keycloak_user(name: str, value: bytes, salt: bytes, parameters: dict, **others) -> dict:
    credential = {
        "type": "password",
        "secretData": json.dumps({"value": base64_of(value), "salt": base64_of(salt), "additionalParameters": {}}),
        "credentialData": json.dumps(parameters),
    }
    return {"username": name, "enabled": True, "credentials": [credential], **others}


KEYCLOAK_ARGON2 = {
    "hashIterations": 2, "algorithm": "argon2",
    "additionalParameters": {"hashLength": ["32"], "memory": ["256"], "type": ["id"], "version": ["1.3"], "parallelism": ["2"]},
}

# The example of github.com/firebase/scrypt.
FIREBASE_CONFIG = """hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}
"""
FIREBASE_HASH = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

FILES = {
    "csv": "\ufeffusername,email,display_name,groups,password_hash\r\n"
    f'csv.lee,csv@example.test,"Lee ""L."" Jr",staff; ops,"{ARGON2}"\r\ncsv.kim,,,,{aspnet()}\r\n',
    "jsonl": json.dumps({"username": "jsonl.lee", "groups": ["staff", "ops"], "password_hash": BCRYPT}) + "\n\n"
    + json.dumps({"username": "jsonl.kim", "display_name": None, "password_hash": ARGON2}),
    "htpasswd": f"# people\nhtpasswd.lee:{APR1}\n\nhtpasswd.kim:{{SHA}}"
    + base64_of(hashlib.sha1(PASSWORD.encode()).digest()) + "\n",
    "authelia": f"""---
users:
  authelia.lee:
    disabled: false
    displayname: "Lee L."
    password: "{ARGON2}"
    email: authelia@example.test
    groups: [staff, ops]
  authelia.kim:
    disabled: true
    displayname: Kim
    password: '$pbkdf2-sha512$1000${base64_of(SALT, padded=False)}${base64_of(pbkdf2("sha512", 64), padded=False)}'
    groups: []
""",
    "django": json.dumps(
        [
            {"model": "auth.group", "pk": 4, "fields": {"name": "staff", "permissions": []}},
            {"model": "auth.group", "pk": 5, "fields": {"name": "ops", "permissions": []}},
            {"model": "auth.user", "pk": 1, "fields": {
                "password": f"argon2{ARGON2_OF_EIGHT}", "last_login": None, "username": "django.lee", "first_name": "Lee",
                "last_name": "L.", "email": "django@example.test", "is_active": True, "groups": [4, 5]}},
            {"model": "auth.user", "pk": 2, "fields": {
                "password": f"pbkdf2_sha256$1000$salty${base64_of(pbkdf2('sha256', 32, salt=b'salty'))}",
                "username": "django.kim", "email": "", "is_active": False, "groups": [["staff"]]}},
        ]
    ),
    "keycloak": json.dumps(
        {"id": "1", "realm": "test", "clients": [{"clientId": "x", "config": {"a": [{"b": {"c": []}}]}}], "users": [
            keycloak_user("keycloak.lee", base64.b64decode(ARGON2.split("$")[-1] + "="), SALT, KEYCLOAK_ARGON2,
                          groups=["/staff", "/ops"], firstName="Lee", lastName="L."),
            keycloak_user("keycloak.kim", pbkdf2("sha256", 64), SALT, {"hashIterations": 1000, "algorithm": "pbkdf2-sha256"},
                          enabled=False),
        ]}, indent=2,
    ),
    "clerk": "id,first_name,last_name,username,primary_email_address,password_digest,password_hasher\n"
    f"user_1,Lee,L.,clerk.lee,clerk@example.test,{BCRYPT},bcrypt\nuser_2,,,clerk.kim,,\"{ARGON2}\",argon2id\n",
    "kratos": json.dumps(
        [{"id": name, "schema_id": "default", "state": state, "traits": traits,
          "credentials": {"password": {"type": "password", "identifiers": [name], "config": {"hashed_password": hash}}}}
         for name, state, traits, hash in [
             ("kratos.lee", "active", {"email": "kratos@example.test", "name": {"first": "Lee", "last": "L."}}, ARGON2),
             ("kratos.kim", "inactive", {"username": "kratos.kim", "name": "Kim"}, BCRYPT)]]
    ),
}
GROUPED = {"csv", "jsonl", "authelia", "django", "keycloak"}
DISABLING = {"authelia", "django", "keycloak", "kratos"}


def stored_hash(gateway: Gateway, name: str) -> str:
    with contextlib.closing(sqlite3.connect(gateway.folder / "gatehouse.sqlite3")) as database:
        (payload,) = database.execute(
            "SELECT payload FROM credential JOIN account ON account.id = account WHERE identifier = ?", [name]
        ).fetchone()
    return payload.decode()


def account(gateway: Gateway, name: str) -> dict:
    return json.loads(gateway.cli("account", "show", name, "--json").stdout)


@pytest.fixture
def write(tmp_path):
    def write(text, name="accounts"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write


def bring(gateway, path, *options):
    """An import with a report for machines: the exit code, the records that are listed, and the summary."""
    result = gateway.cli("import", path, "--json", *options, check=False)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return result.returncode, lines[:-1], lines[-1]["summary"] if lines else result.stderr


@pytest.mark.parametrize("source", FILES)
def test_the_people_of_each_system_sign_in_with_their_password_and_get_a_hash_of_ours(gateway, write, source):
    code, listed, summary = bring(gateway, write(FILES[source]))
    assert code == 0 and not listed and summary["imported"] == 2 and not summary["withoutPassword"]
    lee, kim = f"{source}.lee", f"{source}.kim"
    before = stored_hash(gateway, lee)
    assert not before.startswith(OURS)
    assert gateway.client().sign_in(lee, "correct horse 43").code == "credential_rejected"
    assert stored_hash(gateway, lee) == before
    assert gateway.client().sign_in(lee, PASSWORD).status == 200
    assert stored_hash(gateway, lee).startswith(OURS)
    assert gateway.client().sign_in(lee, PASSWORD).status == 200
    assert account(gateway, lee)["account"]["groups"] == (["staff", "ops"] if source in GROUPED else [])
    assert "account_imported" in [event["action"] for event in account(gateway, lee)["events"]]
    assert account(gateway, kim)["account"]["disabled"] == (source in DISABLING)
    assert gateway.client().sign_in(kim, PASSWORD).status == (401 if source in DISABLING else 200)
    gateway.cli("account", "enable", kim)
    assert gateway.client().sign_in(kim, PASSWORD).status == 200


def test_the_people_of_firebase_sign_in_once_its_parameters_are_known(gateway, write):
    users = {"users": [
        {"localId": "1", "email": "fire@example.test", "passwordHash": FIREBASE_HASH.replace("+", "-").replace("/", "_"),
         "salt": "42xEC-ixf3L2lw==", "displayName": "Fire", "disabled": False},
        {"localId": "2", "email": "apple@example.test", "providerUserInfo": [{"providerId": "apple.com"}], "disabled": True},
    ]}
    path, parameters = write(json.dumps(users)), write(FIREBASE_CONFIG, "hash.conf")
    result = gateway.cli("import", path, check=False)
    assert result.returncode == 64 and "--firebase-config" in result.stderr
    code, _, summary = bring(gateway, path, "--firebase-config", parameters)
    assert code == 0 and summary["imported"] == 2 and summary["withoutPassword"] == 1
    assert gateway.client().sign_in("fire@example.test", "user2password").status == 401
    assert gateway.client().sign_in("fire@example.test", "user1password").status == 200
    assert stored_hash(gateway, "fire@example.test").startswith(OURS)
    assert account(gateway, "apple@example.test")["account"]["disabled"]


def test_an_import_lists_what_it_refuses_by_its_line_takes_the_rest_and_can_be_run_again():
    secret = "hunter2 in the clear"
    text = "username,email,groups,password_hash\n" + "".join(
        f"{line}\n" for line in [
            f"good,good@example.test,,{BCRYPT}", f"GOOD,,,{BCRYPT}", f"other,Good@Example.test,,{BCRYPT}", f"plain,,,{secret}",
            f"costly,,,{BEYOND_THE_CEILING}", f"shared,,,bcrypt_sha256${BCRYPT}", f"bad name,,,{BCRYPT}",
            f"grouped,,Site Admins,{BCRYPT}", f"mail,nowhere,,{BCRYPT}", f"LEE,,,{BCRYPT}", "narrow,", f'"quo"te,,,{BCRYPT}',
            f"open,,,{BCRYPT}",
        ]
    )
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        before = stored_hash(gateway, "lee")
        path = gateway.folder / "accounts.csv"
        path.write_text(text)
        for attempt, (imported, existing) in enumerate([(2, 1), (2, 1), (0, 3)]):
            dry = attempt == 0
            code, listed, summary = bring(gateway, str(path), *(["--dry-run"] if dry else []))
            assert code == 65
            assert (summary["imported"], summary["existing"], summary["refused"]) == (imported, existing, 10)
            reasons = {record["line"]: record.get("reason", "") for record in listed if record["outcome"] == "refused"}
            assert sorted(reasons) == [3, 4, 5, 6, 7, 8, 9, 10, 12, 13]
            assert "a record before it" in reasons[3] and "a record before it" in reasons[4]
            assert "plain text" in reasons[5] and "more work" in reasons[6] and "bcrypt_sha256" in reasons[7]
            assert "user name" in reasons[8] and "group" in reasons[9] and "mail address" in reasons[10]
            assert "fields" in reasons[12] and "quote" in reasons[13]
            assert {"line": 11, "username": "LEE", "outcome": "existing"} in listed
            names = gateway.cli("account", "list").stdout.split()
            assert names == (["lee"] if dry else ["good", "lee", "open"])
        assert stored_hash(gateway, "lee") == before
        result = gateway.cli("import", str(path), check=False)
        assert "line 5: plain: refused: " in result.stdout and "records refused: 10; all others were taken" in result.stderr
        assert secret not in result.stdout + result.stderr + gateway.log and "$2b$" not in result.stdout + result.stderr
        assert secret.encode() not in (gateway.folder / "gatehouse.sqlite3").read_bytes()


def test_accounts_are_imported_before_the_first_start(write):
    gateway = Gateway()
    try:
        assert bring(gateway, write(FILES["htpasswd"]))[0] == 0
        gateway.serve()
        assert gateway.client().sign_in("htpasswd.lee", PASSWORD).status == 200
    finally:
        gateway.stop()


def test_columns_in_the_wrong_order_show_no_hash(gateway, write):
    result = gateway.cli("import", write(f"username,password_hash\n{BCRYPT},swapped\n"), check=False)
    assert result.returncode == 65 and "line 2: refused" in result.stdout and "$2b$" not in result.stdout + result.stderr
    headless = gateway.cli("import", write(f"lee,{BCRYPT}\n"), "--format", "csv", check=False)
    assert headless.returncode == 65 and "line 1" in headless.stderr and "$2b$" not in headless.stdout + headless.stderr


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("jsonl", b'{"username":"jo","pasword_hash":"x"}'), ("jsonl", b'{"username":"jo","username":"jo"}'),
        ("jsonl", b'{"username":7}'), ("jsonl", b"[]"), ("jsonl", b"[" * 5000), ("jsonl", b'{"username":"\xff"}'),
        ("htpasswd", b"jo"), ("htpasswd", b"jo:"), ("htpasswd", b"jo:rl5uRCbBfgvzM"), ("htpasswd", b"\xff:" + BCRYPT.encode()),
    ],
)
def test_a_line_that_makes_no_sense_is_refused_and_the_next_is_read(gateway, write, form, line):
    good = {"jsonl": b'{"username":"next"}', "htpasswd": b"next:" + BCRYPT.encode()}[form]
    code, listed, summary = bring(gateway, write(line + b"\n" + good + b"\n"), "--format", form, "--dry-run")
    assert code == 65 and summary["imported"] == 1
    assert [(record["line"], record["outcome"]) for record in listed] == [(1, "refused"), (2, "imported")]


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("csv", 'username\nfine\n"open', "line 3: a quoted field is not closed"),
        ("csv", 'username\nfine\n"' + "open\n" * 20_000, "line 3: a quoted field is not closed"),
        ("csv", "username,pasword_hash\n", "column 2"), ("csv", "username,username\n", "twice"), ("csv", "", "no header"),
        ("jsonl", '{"username":"fine"}\n' + "x" * 70_000, "line 2 is longer"),
        ("django", '[{"model":"auth.user"', "not the JSON"), ("django", "[" * 100_000, "not the JSON"),
        ("keycloak", "{}{}", "not the JSON"), ("authelia", "users: [", "line"), ("authelia", "other: {}", "users"),
        ("authelia", "users: " + "{a: " * 5000, "nested"),
    ],
)
def test_a_file_that_ends_in_nonsense_is_said_to(gateway, write, form, text, message):
    result = gateway.cli("import", write(text), "--format", form, "--dry-run", check=False)
    assert result.returncode == 65 and message in result.stderr
    assert ("1 would be imported" in result.stdout) == ("fine" in text)


@pytest.mark.parametrize(
    ("form", "record", "reason"),
    [
        ("django", {"model": "auth.user", "fields": {"username": "x", "password": ARGON2, "groups": [9]}}, "dump auth.group"),
        ("django", {"model": "auth.user", "fields": {"username": 7}}, "lacks a member"),
        ("keycloak", {"username": "x", "credentials": [{"type": "password", "secretData": "{", "credentialData": "{}"}]}, "secretData"),
        ("keycloak", keycloak_user("x", b"1" * 32, SALT, {"hashIterations": 1, "algorithm": "md5"}), "algorithm"),
        ("keycloak", keycloak_user("x", b"1" * 32, SALT, {"hashIterations": 1, "algorithm": "argon2"}), "parameters"),
        ("keycloak", {"username": "x", "groups": ["/a/b"]}, "group name"),
        ("kratos", {"traits": {"email": ["x"]}}, "lacks a member"),
    ],
)
def test_a_record_of_a_document_is_refused_alone(gateway, write, form, record, reason):
    good = {"django": {"model": "auth.user", "fields": {"username": "fine", "password": "!"}},
            "keycloak": {"username": "fine"}, "kratos": {"traits": {"username": "fine"}}}[form]
    records = [record, good]
    document = {"users": records} if form == "keycloak" else records
    code, listed, summary = bring(gateway, write(json.dumps(document)), "--format", form, "--dry-run")
    assert code == 65 and summary["imported"] == 1 and reason in listed[0]["reason"] and listed[0]["record"] == 1


def test_a_peppered_hash_of_clerk_is_refused(gateway, write):
    text = f"username,password_digest,password_hasher\npep,{BCRYPT},bcrypt_peppered\n"
    code, listed, _ = bring(gateway, write(text), "--dry-run")
    assert code == 65 and "password_hasher" in listed[0]["reason"]


def test_what_can_not_be_guessed_or_read_is_asked_for(gateway, write):
    for text in ("", "hello", "a,b,c\n", "{}", "[]"):
        result = gateway.cli("import", write(text), check=False)
        assert result.returncode == 64 and "--format" in result.stderr
    assert gateway.cli("import", write("username\n"), "--format", "excel", check=False).returncode == 64
    assert gateway.cli("import", "/nonexistent", check=False).returncode == 66
    assert gateway.cli("import", "/", "--format", "csv", check=False).returncode == 66


def test_no_hash_is_imported_where_passwords_are_off(write):
    gateway = Gateway({"providers": {"password": {"enabled": False}}})
    try:
        result = gateway.cli("import", write(FILES["csv"]), check=False)
        assert result.returncode == 78 and "passwords are switched off" in result.stderr
    finally:
        gateway.stop()


@pytest.mark.long
def test_a_hundred_thousand_accounts_are_imported_in_little_memory(tmp_path):
    path = tmp_path / "many.csv"
    with open(path, "w") as file:
        file.write("username,email,groups,password_hash\n")
        for number in range(100_000):
            file.write(f"user{number},user{number}@example.test,staff,{BCRYPT}\n")
    with Gateway.start() as gateway:
        result = subprocess.run(
            ["/usr/bin/env", "bash", "-c", 'ulimit -v 1000000; exec "$@"', "import", binary(), "import", str(path),
             "--config", str(gateway.config_path)],
            text=True, capture_output=True, timeout=600,
        )
        assert result.returncode == 0 and result.stdout == "100000 imported, 0 already there, 0 refused.\n"
        assert "50000 records\n" in result.stderr
        assert gateway.client().sign_in("user99999", PASSWORD).status == 200
