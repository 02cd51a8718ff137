"""Registrations and authentications as an authenticator and a browser make them, every part open to change.

All of it follows from a seed: keys, identifiers, challenges, signatures. A run can be repeated to the bit, but for the salts
of PS256.
"""

import base64
import hashlib
import json
import random
import struct
from dataclasses import dataclass, field

import cbor2
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa

RP_ID, ORIGIN = "example.org", "https://auth.example.org"
PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED, EXTENDED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80
ES256, EDDSA, RS256 = -7, -8, -257
#: ECDSA by curve, its number and its hash (RFC 9053 §2.1, RFC 8812 §3.2, RFC 9864 §2.1).
ECDSA = {
    ES256: (ec.SECP256R1(), 1, hashes.SHA256()), -9: (ec.SECP256R1(), 1, hashes.SHA256()),
    -35: (ec.SECP384R1(), 2, hashes.SHA384()), -51: (ec.SECP384R1(), 2, hashes.SHA384()),
    -36: (ec.SECP521R1(), 3, hashes.SHA512()), -52: (ec.SECP521R1(), 3, hashes.SHA512()),
    -47: (ec.SECP256K1(), 8, hashes.SHA256()),
}
EDWARDS = {
    EDDSA: (ed25519.Ed25519PrivateKey, 6, 32), -19: (ed25519.Ed25519PrivateKey, 6, 32),
    -53: (ed448.Ed448PrivateKey, 7, 57),
}
PS256 = -37
#: What is verified and not offered unless somebody asks.
EXTRA = (-35, -36, PS256, -47, -53, -9, -51, -52, -19)


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
        if algorithm in ECDSA:
            curve, number, _ = ECDSA[algorithm]
            self.private = ec.derive_private_key(rng.getrandbits(curve.key_size - 1) + 1, curve)
            numbers = self.private.public_key().public_numbers()
            x, y = (value.to_bytes((curve.key_size + 7) // 8, "big") for value in (numbers.x, numbers.y))
            self.cose = {1: 2, 3: algorithm, -1: number, -2: x, -3: y}
        elif algorithm in EDWARDS:
            kind, number, size = EDWARDS[algorithm]
            self.private = kind.from_private_bytes(rng.randbytes(size))
            raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
            self.cose = {1: 1, 3: algorithm, -1: number, -2: self.private.public_key().public_bytes(*raw)}
        else:
            self.private = rsa_key(rng)
            modulus = self.private.public_key().public_numbers().n
            self.cose = {1: 3, 3: algorithm, -1: modulus.to_bytes(256, "big"), -2: b"\x01\x00\x01"}

    def sign(self, message: bytes) -> bytes:
        if self.algorithm in ECDSA:
            return self.private.sign(message, ec.ECDSA(ECDSA[self.algorithm][2], deterministic_signing=True))
        if self.algorithm in EDWARDS:
            return self.private.sign(message)
        if self.algorithm == PS256:
            # The one signature here that is not the same in every run: its salt is the library's.
            return self.private.sign(message, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
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
    #: Makes a statement of the authenticator data and the client data.
    attest = None
    #: Certificates that attestations have to lead to; `None` asks for no attestation.
    anchors: list | None = None
    offered: list = field(default_factory=lambda: [ES256, EDDSA, RS256])
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
            if self.attest is not None:
                statement = self.attest(data, client)
            elif self.format == "packed" and self.statement is None:
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
            "algorithms": self.offered,
        }
        if self.anchors is not None:
            question["anchors"] = [b64(anchor) for anchor in self.anchors]
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
    offered = [ES256, EDDSA, RS256]
    return Draft(
        ceremony=ceremony, key=key, challenge=challenge, credential_id=rng.randbytes(rng.choice((16, 20, 32, 64))),
        user_handle=b"user-handle-0001", last_count=0 if synced else count - 1, count=count, flags=flags,
        requires_verification=verified, registered_eligible=synced, client=client, aaguid=rng.randbytes(16),
        cose=canonical(key.cose), offered=offered if key.algorithm in offered else [*offered, key.algorithm],
    )
