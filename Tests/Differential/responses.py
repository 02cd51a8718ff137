"""Registrations and authentications as an authenticator and a browser make them, every part open to change.

All of it follows from a seed: keys, identifiers, challenges, signatures. A run can be repeated to the bit.
"""

import base64
import hashlib
import json
import random
import struct
from dataclasses import dataclass, field

import cbor2
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

RP_ID, ORIGIN = "example.org", "https://auth.example.org"
PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED, EXTENDED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
ES256, EDDSA, RS256 = -7, -8, -257


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def canonical(value) -> bytes:
    return cbor2.dumps(value, canonical=True)


class Key:
    """A private key, and what COSE calls its public half."""

    def __init__(self, algorithm: int, rng: random.Random):
        self.algorithm = algorithm
        if algorithm == ES256:
            self.private = ec.derive_private_key(rng.getrandbits(255) + 1, ec.SECP256R1())
            numbers = self.private.public_key().public_numbers()
            self.cose = {1: 2, 3: ES256, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        elif algorithm == EDDSA:
            self.private = ed25519.Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))
            raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
            self.cose = {1: 1, 3: EDDSA, -1: 6, -2: self.private.public_key().public_bytes(*raw)}
        else:
            self.private = rsa_key(rng)
            modulus = self.private.public_key().public_numbers().n
            self.cose = {1: 3, 3: RS256, -1: modulus.to_bytes(256, "big"), -2: b"\x01\x00\x01"}

    def sign(self, message: bytes) -> bytes:
        if self.algorithm == ES256:
            return self.private.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        if self.algorithm == EDDSA:
            return self.private.sign(message)
        return self.private.sign(message, padding.PKCS1v15(), hashes.SHA256())


def rsa_key(rng: random.Random) -> rsa.RSAPrivateKey:
    """2048 bits from the seed, which libraries don't offer: they draw their own."""
    p, q = prime(rng, 1024), prime(rng, 1024)
    d = rsa.rsa_recover_private_exponent(65537, p, q)
    public = rsa.RSAPublicNumbers(65537, p * q)
    numbers = rsa.RSAPrivateNumbers(
        p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), public
    )
    return numbers.private_key()


def prime(rng: random.Random, bits: int) -> int:
    while True:
        candidate = rng.getrandbits(bits) | 3 << (bits - 2) | 1
        if candidate % 65537 != 1 and all(pow(base, candidate - 1, candidate) == 1 for base in (2, 3, 5, 7, 11)):
            return candidate


@dataclass
class Draft:
    """One response in parts, before it is put together and signed."""

    ceremony: str
    key: Key
    challenge: bytes
    credential_id: bytes
    user_handle: bytes
    last_count: int
    count: int
    flags: int
    requires_verification: bool = True
    rp_id: str = RP_ID
    registered_eligible: bool = False
    #: Names and JSON texts, in order; names may repeat.
    client: list = field(default_factory=list)
    #: Turns the client data into other bytes.
    client_bytes = staticmethod(lambda data: data)
    aaguid: bytes = bytes(16)
    #: Encoded, and the one in the attested credential data where that is to differ.
    cose: bytes = b""
    attested_id: bytes | None = None
    extensions: bytes = b""
    tail: bytes = b""
    format: str = "none"
    statement: object = None
    #: Turns the authenticator data into other bytes, before they are signed.
    data_bytes = staticmethod(lambda data: data)
    #: Turns the members of the attestation object into bytes.
    encode_object = staticmethod(canonical)
    #: Changes the finished answer, after all was signed.
    answer = staticmethod(lambda answer: None)
    signature_bytes = staticmethod(lambda signature: signature)

    def client_data(self) -> bytes:
        text = ",".join(f"{json.dumps(name)}:{value}" for name, value in self.client)
        return self.client_bytes(("{" + text + "}").encode())

    def authenticator_data(self) -> bytes:
        data = hashlib.sha256(self.rp_id.encode()).digest() + struct.pack(">BI", self.flags, self.count)
        if self.flags & ATTESTED:
            identifier = self.credential_id if self.attested_id is None else self.attested_id
            data += self.aaguid + struct.pack(">H", len(identifier)) + identifier + self.cose
        return self.data_bytes(data + self.extensions + self.tail)

    def signed(self, data: bytes, client: bytes) -> bytes:
        return self.signature_bytes(self.key.sign(data + hashlib.sha256(client).digest()))

    def response(self) -> dict:
        client, data = self.client_data(), self.authenticator_data()
        if self.ceremony == "registration":
            statement = {} if self.statement is None else self.statement
            if self.format == "packed" and self.statement is None:
                statement = {"alg": self.key.algorithm, "sig": self.signed(data, client)}
            members = {"fmt": self.format, "attStmt": statement, "authData": data}
            parts = {"clientDataJSON": client, "attestationObject": self.encode_object(members)}
        else:
            parts = {"clientDataJSON": client, "authenticatorData": data, "signature": self.signed(data, client)}
            if self.user_handle is not None:
                parts["userHandle"] = self.user_handle
        answer = {
            "id": b64(self.credential_id), "rawId": b64(self.credential_id), "type": "public-key",
            "clientExtensionResults": {}, "response": {name: b64(part) for name, part in parts.items()},
        }
        self.answer(answer)
        return answer

    def question(self) -> dict:
        """What the server knows, and the response."""
        handle = b"user-handle-0001"
        question = {
            "rpId": RP_ID, "origin": ORIGIN, "challenge": b64(self.challenge),
            "requiresUserVerification": self.requires_verification, "response": self.response(),
        }
        if self.ceremony == "authentication":
            question["stored"] = {
                "id": b64(self.credential_id), "publicKey": b64(canonical(self.key.cose)),
                "algorithm": self.key.algorithm, "signCount": self.last_count,
                "backupEligible": self.registered_eligible, "userHandle": b64(handle),
            }
        return question


def draft(ceremony: str, key: Key, rng: random.Random) -> Draft:
    """A response that every library accepts; what may vary, varies."""
    challenge = rng.randbytes(rng.choice((16, 32, 64)))
    kind = "webauthn.create" if ceremony == "registration" else "webauthn.get"
    synced = rng.random() < 0.5
    count = 0 if synced else rng.randrange(1, 1 << 31)
    verified = rng.random() < 0.8
    flags = PRESENT | (VERIFIED if verified else 0) | (ATTESTED if ceremony == "registration" else 0)
    flags |= (ELIGIBLE | rng.choice((0, BACKED_UP))) if synced else 0
    client = [("type", json.dumps(kind)), ("challenge", json.dumps(b64(challenge))), ("origin", json.dumps(ORIGIN))]
    if rng.random() < 0.8:
        client.append(("crossOrigin", "false"))
    return Draft(
        ceremony=ceremony, key=key, challenge=challenge, credential_id=rng.randbytes(rng.choice((16, 20, 32, 64))),
        user_handle=b"user-handle-0001", last_count=0 if synced else count - 1, count=count, flags=flags,
        requires_verification=verified, registered_eligible=synced, client=client, aaguid=rng.randbytes(16),
        cose=canonical(key.cose),
    )
