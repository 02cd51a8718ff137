"""Assertions that other servers took badly, or refused with the wrong words."""

import json
import random
import sqlite3

import pytest

from gateway import Gateway
from passkey import Passkey, authenticate, b64, register, unb64


@pytest.fixture
def passkey(gateway):
    made = Passkey()
    assert register(gateway.client(), made).status == 200
    return made


def attempt(gateway, passkey, change=lambda response: None):
    """A sign-in with a response that is changed after all was signed."""
    client = gateway.client()
    begun = client.post("/passkeys/authenticate/options").json
    response = passkey.get(begun["options"], gateway.origin)
    change(response)
    answer = client.post("/passkeys/authenticate/verify", {"ceremonyId": begun["ceremonyId"], "response": response})
    assert answer.status == 200 or not client.cookies
    return answer


def audited(gateway, code: str) -> int:
    """How many refusals of this code are in the audit trail."""
    path = gateway.config["storage"]["sqlite"]["path"]
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM audit_event WHERE code = ?", (code,)).fetchone()[0]


@pytest.mark.parametrize(
    "flags,code",
    [(0x01, "user_verification_required"), (0x00, "user_presence_required"), (0x04, "user_presence_required")],
)
def test_presence_and_verification_are_both_insisted_on_and_their_lack_is_noted(flags, code):
    with Gateway.start({"providers": {"passkey": {"user_verification": "required"}}}) as gateway:
        passkey = Passkey()
        assert register(gateway.client(), passkey).status == 200
        passkey.flags = flags
        answer = attempt(gateway, passkey)
        assert (answer.status, answer.code) == (401, code) and audited(gateway, code) == 1
        passkey.flags = 0x05
        assert attempt(gateway, passkey).status == 200


def test_a_deleted_passkey_is_no_failed_attempt_at_the_account():
    with Gateway.start({"throttle": {"free_failures": 2}}) as gateway:
        gateway.account_add("lee")
        client, passkey, other = gateway.client(), Passkey(), Passkey()
        client.sign_in("lee")
        register(client, passkey)
        register(client, other)
        authenticate(client, other)
        listed = client.get("/passkeys").json["passkeys"]
        assert client.delete(f"/passkeys/{listed[0]['id']}").status == 200
        for _ in range(10):
            answer = attempt(gateway, passkey)
            assert (answer.status, answer.code) == (401, "credential_unknown")
            assert answer.json["signals"]["unknownCredentialId"] == b64(passkey.id)
        assert gateway.client().sign_in("lee", "wrong horse battery staple").code == "credential_rejected"
        assert gateway.client().sign_in("lee").status == 200


@pytest.mark.parametrize("kind", ["webauthn.create", "payment.get", "WebAuthn.get", "webauthn.get\u0000", " "])
def test_an_assertion_of_another_type_is_refused(gateway, passkey, kind):
    passkey.client = {"type": kind}
    answer = attempt(gateway, passkey)
    assert (answer.status, answer.code) == (401, "challenge_mismatch")
    passkey.client = {}
    assert attempt(gateway, passkey).status == 200


@pytest.mark.parametrize("member", ["id", "clientDataJSON", "authenticatorData", "signature", "userHandle"])
def test_a_bit_that_turned_is_a_refusal_and_no_failure_of_ours(gateway, passkey, member):
    rng = random.Random(member)
    for _ in range(40):
        def flip(response):
            place = response if member == "id" else response["response"]
            data = bytearray(unb64(place[member]))
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            place[member] = b64(bytes(data))
            if member == "id":
                response["rawId"] = place["id"]
        answer = attempt(gateway, passkey, flip)
        assert answer.status in (400, 401) and answer.code, answer
    assert attempt(gateway, passkey).status == 200


def spellings(text: str) -> list:
    plain = text.replace("-", "+").replace("_", "/")
    return [text + "=", text + "==", plain + "=", text + "\n", " " + text, text[:-1] + chr(ord(text[-1]) + 1)]


def test_a_credential_id_has_one_spelling(gateway):
    made = Passkey()
    made.id = b"\xfb\xff\xbf" * 8 + b"\xfe"
    assert register(gateway.client(), made).status == 200
    text = b64(made.id)
    assert "-" in text or "_" in text
    for spelling in spellings(text) + [text.replace("-", "+").replace("_", "/")]:
        def respell(response):
            response["id"] = response["rawId"] = spelling
        answer = attempt(gateway, made, respell)
        assert answer.status == 400 and answer.code in ("malformed_credential", "malformed_request"), spelling
    for member in ("id", "rawId"):
        answer = attempt(gateway, made, lambda response: response.update({member: b64(bytes(25))}))
        assert answer.status == 400, member
    again = Passkey()
    again.id = made.id
    assert register(gateway.client(), again).code == "credential_already_registered"
    assert attempt(gateway, made).status == 200


def numbers(signature: bytes) -> tuple:
    """The two INTEGERs of a short signature."""
    end = 4 + signature[3]
    return signature[4:end], signature[end + 2:]


def integer(content: bytes) -> bytes:
    return b"\x02" + bytes([len(content)]) + content


def sequence(*parts: bytes) -> bytes:
    content = b"".join(parts)
    return b"\x30" + bytes([len(content)]) + content


def fixed(number: bytes) -> bytes:
    return number.lstrip(b"\x00").rjust(32, b"\x00")


SLOPPY = {
    "r and s alone": lambda der, r, s: fixed(r) + fixed(s),
    "a byte behind": lambda der, r, s: der + b"\x00",
    "a byte behind inside": lambda der, r, s: sequence(integer(r), integer(s), b"\x00"),
    "a long length": lambda der, r, s: b"\x30\x81" + der[1:],
    "a long length inside": lambda der, r, s: sequence(b"\x02\x81" + integer(r)[1:], integer(s)),
    "indefinite": lambda der, r, s: b"\x30\x80" + der[2:] + b"\x00\x00",
    "r of zero": lambda der, r, s: sequence(integer(b"\x00"), integer(s)),
    "s of zero": lambda der, r, s: sequence(integer(r), integer(b"\x00")),
    "a negative r": lambda der, r, s: sequence(integer(b"\xff" + fixed(r)), integer(s)),
    "a zero too many": lambda der, r, s: sequence(integer(b"\x00" + r), integer(s)),
    "no r": lambda der, r, s: sequence(integer(b""), integer(s)),
    "nothing": lambda der, r, s: b"",
}


@pytest.mark.parametrize("change", SLOPPY.values(), ids=SLOPPY.keys())
def test_a_signature_has_one_encoding(gateway, passkey, change):
    passkey.change_signature = lambda der: change(der, *numbers(der))
    answer = attempt(gateway, passkey)
    assert (answer.status, answer.code) == (401, "signature_invalid")
    passkey.change_signature = lambda der: der
    assert attempt(gateway, passkey).status == 200


def test_a_counter_that_stays_at_zero_is_no_sign_of_anything(gateway):
    passkey = Passkey()
    passkey.counts = False
    assert register(gateway.client(), passkey).status == 200
    before = audited(gateway, "counter_regressed")
    for _ in range(5):
        assert attempt(gateway, passkey).status == 200
    assert audited(gateway, "counter_regressed") == before


@pytest.mark.parametrize("registered,later", [(0x00, 0x18), (0x00, 0x08), (0x08, 0x00), (0x18, 0x00), (0x08, 0x10)])
def test_a_change_of_what_is_permanent_is_refused_by_default_and_noted(gateway, registered, later):
    passkey = Passkey()
    passkey.flags |= registered
    assert register(gateway.client(), passkey).status == 200
    passkey.flags = 0x05 | later
    before = audited(gateway, "backup_state_invalid")
    answer = attempt(gateway, passkey)
    assert (answer.status, answer.code) == (401, "backup_state_invalid")
    assert audited(gateway, "backup_state_invalid") == before + 1
    passkey.flags = 0x05 | registered
    assert attempt(gateway, passkey).status == 200


def test_nobody_registers_what_is_backed_up_and_not_eligible(gateway):
    passkey = Passkey()
    passkey.flags |= Passkey.BACKED_UP
    answer = register(gateway.client(), passkey)
    assert (answer.status, answer.code) == (401, "backup_state_invalid")


def test_a_record_from_before_the_flags_adopts_them_once():
    with Gateway.start() as gateway:
        passkey = Passkey()
        assert register(gateway.client(), passkey).status == 200
        gateway.end()
        path = gateway.config["storage"]["sqlite"]["path"]
        with sqlite3.connect(path) as database:
            ((payload,),) = database.execute("SELECT payload FROM credential WHERE kind = 'passkey'").fetchall()
            record = json.loads(payload)
            forget(record, {"backupEligible", "backupState"})
            database.execute("UPDATE credential SET payload = ?", (json.dumps(record).encode(),))
        gateway.serve()
        passkey.flags |= Passkey.ELIGIBLE | Passkey.BACKED_UP
        assert attempt(gateway, passkey).status == 200
        assert attempt(gateway, passkey).status == 200
        passkey.flags = Passkey.PRESENT | Passkey.VERIFIED
        assert attempt(gateway, passkey).code == "backup_state_invalid"


def forget(record, names: set):
    """Removes the members wherever they stand; at least one has to be there."""
    gone = [record.pop(name) for name in names if name in record]
    inner = [value for value in record.values() if isinstance(value, dict)]
    assert gone or inner
    for value in inner:
        forget(value, names)
