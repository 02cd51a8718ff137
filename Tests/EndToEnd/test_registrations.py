"""Registrations that other servers took badly: what is refused leaves nothing behind, and what is taken signs in."""

import json
import struct
import threading

import pytest
from fido2 import cbor

from gateway import Gateway
from keys import ALGORITHMS
from passkey import Passkey, authenticate, register, unb64


def refused(gateway, passkey) -> tuple:
    """How a sign-up is refused; nothing may be stored of it."""
    answer = register(gateway.client(), passkey)
    passkey.change_data = lambda data: data
    assert authenticate(gateway.client(), passkey).code in ("credential_unknown", "malformed_credential")
    return answer.status, answer.code


@pytest.mark.parametrize("length", [1, 16, 255, 256, 1023])
def test_a_credential_id_may_have_1023_bytes(gateway, length):
    passkey = Passkey()
    # Even one byte is nobody else's: the counter of the parameter stands in it.
    passkey.id = bytes([length % 251]) + bytes(length - 1)
    assert register(gateway.client(), passkey).status == 200
    assert authenticate(gateway.client(), passkey).status == 200


@pytest.mark.parametrize("length", [0, 1024, 2000])
def test_a_credential_id_of_another_length_is_refused(gateway, length):
    passkey = Passkey()
    passkey.id = bytes(length)
    answer = register(gateway.client(), passkey)
    assert answer.status == 400 and answer.code in ("malformed_credential", "malformed_request")


@pytest.mark.parametrize(
    "member,kept",
    [({"transports": ["internal", "hybrid", "zz-future"]}, ["internal", "hybrid", "zz-future"]),
     ({"transports": []}, None), ({"transports": None}, None), ({}, None)],
)
def test_transports_come_back_as_they_came(gateway, lee, member, kept):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    passkey.transports = member
    assert register(client, passkey).status == 200
    options = client.post("/passkeys/authenticate/options", {"identifier": lee}).json["options"]
    assert options["allowCredentials"][0].get("transports") == kept
    assert authenticate(gateway.client(), passkey).status == 200


def test_a_transport_is_a_text(gateway):
    passkey = Passkey()
    passkey.transports = {"transports": [1]}
    status, code = refused(gateway, passkey)
    assert status == 400 and code in ("malformed_credential", "malformed_request")


def test_a_user_handle_is_random_stays_and_says_nothing(gateway, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    first, second = (
        unb64(client.post("/passkeys/register/options").json["options"]["user"]["id"]) for _ in range(2)
    )
    assert first == second and 16 <= len(first) <= 64
    assert lee.encode() not in first and b"example.test" not in first
    assert register(client, passkey).status == 200 and passkey.handle == first
    assert authenticate(gateway.client(), passkey).status == 200
    other = gateway.client()
    register(other, Passkey(), username=f"{lee}-other")
    assert unb64(other.post("/passkeys/register/options").json["options"]["user"]["id"]) != first


def test_a_password_or_a_token_in_a_header_plants_no_passkey(gateway, lee):
    for secret in ("Basic bGVlOmNvcnJlY3QgaG9yc2U=", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"):
        begun = gateway.request(
            "POST", "/passkeys/register/options", json_body={"username": lee}, headers={"Authorization": secret}
        )
        assert begun.status in (401, 403, 409), begun


def test_what_follows_the_json_value_is_refused_before_anything_changes(gateway):
    client, passkey = gateway.client(), Passkey()
    begun = client.post("/passkeys/register/options").json
    response = passkey.create(begun["options"], gateway.origin)
    body = json.dumps({"ceremonyId": begun["ceremonyId"], "response": response}).encode()
    send = lambda tail: client.request(
        "POST", "/passkeys/register/verify", body=body + tail, headers={"Content-Type": "application/json"}
    )
    for tail in [b'{"x":1}', b"\x00", b"x", b","] * 2:
        assert (send(tail).status, send(tail).code) == (400, "malformed_json")
    assert send(b" \n").status == 200


# CBOR and keys


@pytest.mark.parametrize("unit", [b"\x81", b"\xa1\x00", b"\xc0"])
def test_deep_cbor_ends_neither_the_process_nor_anyone_elses_sign_in(gateway, unit):
    passkey, nested = Passkey(), Passkey()
    register(gateway.client(), passkey)
    pid, answers, done = gateway.process.pid, [], threading.Event()

    def sign_in_meanwhile():
        while not done.is_set() or not answers:
            answers.append(authenticate(gateway.client(), passkey).status)

    parallel = threading.Thread(target=sign_in_meanwhile)
    parallel.start()
    try:
        for levels, status in ((40_000 // len(unit), 400), (200_000, 413)):
            nested.change_object = lambda made: unit * levels + b"\x00"
            assert register(gateway.client(), nested).status == status
    finally:
        done.set()
        parallel.join()
    assert set(answers) == {200} and gateway.process.pid == pid and gateway.process.poll() is None


@pytest.mark.parametrize("extensions", [{"credProtect": 3}, {"credProtect": 3, "hmac-secret": bytes(2000)}])
def test_extensions_behind_the_key_are_no_part_of_it(extensions):
    with Gateway.start() as gateway:
        passkey = Passkey()
        passkey.flags |= Passkey.EXTENDED
        passkey.extensions = cbor.encode(extensions)
        assert register(gateway.client(), passkey).status == 200
        gateway.restart()
        passkey.flags, passkey.extensions = Passkey.PRESENT | Passkey.VERIFIED, b""
        for _ in range(2):
            assert authenticate(gateway.client(), passkey).status == 200


@pytest.mark.parametrize(
    "flags,extensions", [(Passkey.EXTENDED, b""), (0, cbor.encode({"credProtect": 3})), (0, b"\x00")]
)
def test_extensions_are_there_where_the_flag_says_so_and_nowhere_else(gateway, flags, extensions):
    passkey = Passkey()
    passkey.flags |= flags
    passkey.extensions = extensions
    answer = register(gateway.client(), passkey)
    assert (answer.status, answer.code) == (400, "malformed_credential")


def elliptic(x: bytes, y: bytes) -> dict:
    return {1: 2, 3: -7, -1: 1, -2: x, -3: y}


ONE = bytes(31) + b"\x01"


@pytest.mark.parametrize(
    "cose",
    [elliptic(ONE, ONE), elliptic(b"\xff" * 32, ONE), elliptic(bytes(32), bytes(32)), elliptic(ONE[1:], ONE),
     {1: 1, 3: -8, -1: 6, -2: bytes(32)}, {1: 3, 3: -257, -1: b"\xff" * 64, -2: b"\x01\x00\x01"},
     {1: 3, 3: -257, -1: b"\xff" * 256, -2: b"\x01"}],
)
def test_a_key_that_is_none_is_refused_although_nothing_is_signed_with_it(gateway, cose):
    passkey = Passkey()
    passkey.cose = cbor.encode(cose)
    assert refused(gateway, passkey) == (400, "malformed_credential")


def test_a_name_that_occurs_twice_is_refused(gateway):
    twice = Passkey()
    label = bytes.fromhex("21") + cbor.encode(bytes(32))
    twice.cose = b"\xa6" + twice.cose[1:] + label
    assert refused(gateway, twice) == (400, "malformed_credential")
    for name, value in (("fmt", "packed"), ("authData", bytes(37))):
        passkey = Passkey()
        more = cbor.encode(name) + cbor.encode(value)
        passkey.change_object = lambda made: b"\xa4" + made[1:] + more
        assert refused(gateway, passkey) == (400, "malformed_credential")


@pytest.mark.parametrize("size", [0, 36, 37, 53, 54])
def test_authenticator_data_that_ends_early_is_refused(gateway, size):
    pid, passkey = gateway.process.pid, Passkey()
    passkey.change_data = lambda data: data[:size]
    assert refused(gateway, passkey) == (400, "malformed_credential")
    assert gateway.process.pid == pid and gateway.process.poll() is None


@pytest.mark.parametrize("length,rest", [(0xFFFF, 10), (0, 200), (0xFFFF, 200)])
def test_a_length_that_the_bytes_do_not_have_is_refused(gateway, length, rest):
    pid, passkey = gateway.process.pid, Passkey()
    passkey.change_data = lambda data: data[:53] + struct.pack(">H", length) + data[55:55 + rest]
    assert refused(gateway, passkey) == (400, "malformed_credential")
    assert gateway.process.pid == pid and gateway.process.poll() is None


def test_a_credential_is_in_registrations_and_nowhere_else(gateway):
    passkey = Passkey()
    passkey.change_data = lambda data: data[:32] + bytes([data[32] & ~Passkey.ATTESTED]) + data[33:37]
    assert refused(gateway, passkey) == (400, "malformed_credential")
    assert register(gateway.client(), passkey).status == 200
    attested = bytes(16) + struct.pack(">H", 32) + passkey.id + passkey.cose
    passkey.change_data = lambda data: data[:32] + bytes([data[32] | Passkey.ATTESTED]) + data[33:] + attested
    answer = authenticate(gateway.client(), passkey)
    assert (answer.status, answer.code) == (400, "malformed_credential")


def test_every_algorithm_that_is_offered_signs_in_and_no_other_is_taken():
    with Gateway.start() as gateway:
        options = gateway.client().post("/passkeys/register/options").json["options"]
        offered = [entry["alg"] for entry in options["pubKeyCredParams"]]
        assert offered == [-7, -8, -257]
        names = {number: name for name, (number, *_) in ALGORITHMS.items() if name != "Ed25519"}
        passkeys = [Passkey(algorithm=names[number]) for number in offered]
        for passkey in passkeys:
            assert register(gateway.client(), passkey).status == 200
        gateway.restart()
        for passkey in passkeys:
            assert authenticate(gateway.client(), passkey).status == 200
        for number in (-35, -36, -37, -47, -53, -9, -19, -51, -52, -65535, -6, 0):
            other = Passkey()
            other.cose = cbor.encode({**other.key.cose, 3: number})
            answer = register(gateway.client(), other)
            assert (answer.status, answer.code) == (400, "unsupported_algorithm")


def test_a_registration_of_the_other_type_is_refused(gateway):
    passkey = Passkey()
    for kind in ("webauthn.get", "payment.get", "WebAuthn.create", "webauthn.create "):
        passkey.client = {"type": kind}
        answer = register(gateway.client(), passkey)
        assert (answer.status, answer.code) == (401, "challenge_mismatch")
    passkey.client = {}
    assert register(gateway.client(), passkey).status == 200
