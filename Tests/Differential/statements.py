"""Attestation statements as authenticators make them (WebAuthn §8.2 to §8.8), every part open to change."""

import hashlib
import random
import struct
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from certificates import ROOT, Authority, Leaf, der, elliptic_key, name, other_extension

MAKER = [
    (NameOID.COUNTRY_NAME, "SE"), (NameOID.ORGANIZATION_NAME, "Maker"),
    (NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"), (NameOID.COMMON_NAME, "Model"),
]
TPM_NAME = [("2.23.133.2.1", "id:494E5443"), ("2.23.133.2.2", "Model"), ("2.23.133.2.3", "id:13")]
AIK = x509.ExtendedKeyUsage([x509.ObjectIdentifier("2.23.133.8.3")])
ALL_APPLICATIONS = der("bf8458", b"\x05\x00")


def purpose(number: int) -> bytes:
    return der("a1", der("31", der("02", bytes([number]))))


def origin(number: int) -> bytes:
    return der("bf853e", der("02", bytes([number])))


@dataclass
class Parts:
    """What a statement is made of, before it is made."""

    rng: random.Random
    issuer: Authority = ROOT
    #: The attestation key, where it is not the credential's.
    curve: ec.EllipticCurve = field(default_factory=ec.SECP256R1)
    algorithm: int = -7
    subject: list | None = None
    alternative_name: list = field(default_factory=lambda: list(TPM_NAME))
    alternative_name_is_critical: bool = True
    usage: x509.ExtendedKeyUsage | None = AIK
    #: Extensions beside those of the format, and whether the format's own one is there.
    extensions: list = field(default_factory=list)
    has_own_extension: bool = True
    software: bytes = b""
    hardware: bytes = purpose(2) + origin(0)
    version: str = "2.0"
    magic: int = 0xFF544347
    type: int = 0x8017
    #: The public half that the statement speaks of, where that is not the credential's.
    attested_key: object = None
    #: Changes of what is signed and of what comes out.
    change_hash = staticmethod(lambda hash: hash)
    change_leaf = staticmethod(lambda leaf: None)
    change_tpm_name = staticmethod(lambda digest: digest)
    change_chain = staticmethod(lambda chain: chain)
    change_members = staticmethod(lambda members: None)

    def chain(self, leaf: Leaf) -> list:
        leaf.extensions += self.extensions
        self.change_leaf(leaf)
        return self.change_chain([leaf.issued(self.issuer, self.rng)])

    def attester(self):
        return elliptic_key(self.rng, self.curve)

    def sign(self, key, message: bytes) -> bytes:
        hash = hashes.SHA384() if self.algorithm == -35 else hashes.SHA256()
        return key.sign(message, ec.ECDSA(hash, deterministic_signing=True))


def statement(parts: Parts, form: str, draft, data: bytes, client: bytes) -> dict:
    hash = parts.change_hash(hashlib.sha256(client).digest())
    members = FORMATS[form](parts, draft, data, hash)
    parts.change_members(members)
    return members


def packed(parts, draft, data, hash):
    key = parts.attester()
    chain = parts.chain(Leaf(name(*(MAKER if parts.subject is None else parts.subject)), key.public_key()))
    return {"alg": parts.algorithm, "sig": parts.sign(key, data + hash), "x5c": chain}


def u2f(parts, draft, data, hash):
    key = parts.attester()
    point = b"\x04" + draft.key.cose[-2] + draft.key.cose[-3]
    signed = b"\x00" + data[:32] + hash + draft.credential_id + point
    return {"sig": parts.sign(key, signed), "x5c": parts.chain(Leaf(name(*MAKER), key.public_key()))}


def tpm(parts, draft, data, hash):
    key = parts.attester()
    area = public_area(parts.attested_key or draft.key.private.public_key())
    entity = b"\x00\x0b" + parts.change_tpm_name(hashlib.sha256(area).digest())
    info = struct.pack(">IHH", parts.magic, parts.type, 0) + buffer(hashlib.sha256(data + hash).digest())
    info += bytes(16) + b"\x01" + bytes(8) + buffer(entity) + buffer(b"")
    leaf = Leaf(name(*(parts.subject or [])), key.public_key())
    if parts.alternative_name:
        directory = name(*((x509.ObjectIdentifier(kind), value) for kind, value in parts.alternative_name))
        names = x509.SubjectAlternativeName([x509.DirectoryName(directory)])
        leaf.extensions.append((names, parts.alternative_name_is_critical))
    if parts.usage is not None:
        leaf.extensions.append((parts.usage, False))
    return {
        "ver": parts.version, "alg": parts.algorithm, "x5c": parts.chain(leaf), "sig": parts.sign(key, info),
        "certInfo": info, "pubArea": area,
    }


def public_area(key) -> bytes:
    numbers = key.public_numbers()
    if isinstance(key, ec.EllipticCurvePublicKey):
        coordinates = buffer(numbers.x.to_bytes(32, "big")) + buffer(numbers.y.to_bytes(32, "big"))
        return struct.pack(">HHIHHHHH", 0x23, 0x0B, 0x00040072, 0, 0x10, 0x10, 3, 0x10) + coordinates
    modulus = buffer(numbers.n.to_bytes(256, "big"))
    return struct.pack(">HHIHHHHI", 0x01, 0x0B, 0x00040072, 0, 0x10, 0x10, 2048, 0) + modulus


def buffer(content: bytes) -> bytes:
    return struct.pack(">H", len(content)) + content


def android_key(parts, draft, data, hash):
    leaf = Leaf(name((NameOID.COMMON_NAME, "Key")), parts.attested_key or draft.key.private.public_key())
    levels = der("02", b"\x03") + der("0a", b"\x01") + der("02", b"\x04") + der("0a", b"\x01")
    lists = der("30", parts.software) + der("30", parts.hardware)
    description = der("30", levels + der("04", hash) + der("04", b"") + lists)
    if parts.has_own_extension:
        leaf.extensions.append((other_extension("1.3.6.1.4.1.11129.2.1.17", description), False))
    chain = parts.chain(leaf)
    return {
        "alg": draft.key.algorithm, "sig": draft.key.sign(data + hash),
        "x5c": chain + [parts.issuer.certificate] if len(chain) == 1 else chain,
    }


def apple(parts, draft, data, hash):
    leaf = Leaf(name((NameOID.COMMON_NAME, "Key")), parts.attested_key or draft.key.private.public_key())
    nonce = der("30", der("a1", der("04", hashlib.sha256(data + hash).digest())))
    if parts.has_own_extension:
        leaf.extensions.append((other_extension("1.2.840.113635.100.8.2", nonce), False))
    return {"x5c": parts.chain(leaf)}


FORMATS = {"packed": packed, "fido-u2f": u2f, "tpm": tpm, "android-key": android_key, "apple": apple}
