"""Certification authorities of the tests' own, and what they certify; all of it follows from a seed."""

import datetime
import random
from dataclasses import dataclass, field

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

BEGIN, END = datetime.datetime(2024, 1, 1), datetime.datetime(2099, 1, 1)
AAGUID = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")


def elliptic_key(rng: random.Random, curve=ec.SECP256R1()) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(rng.getrandbits(curve.key_size - 1) + 1, curve)


def name(*attributes) -> x509.Name:
    return x509.Name([x509.NameAttribute(kind, value) for kind, value in attributes])


def der(tag: str, content: bytes) -> bytes:
    """One element; the tag in hexadecimal."""
    count = len(content)
    digits = count.to_bytes(2, "big").lstrip(b"\x00")
    length = bytes([count]) if count < 128 else bytes([0x80 | len(digits)]) + digits
    return bytes.fromhex(tag) + length + content


class Authority:
    def __init__(self, common_name: str, seed: int):
        self.name = name((NameOID.COMMON_NAME, common_name))
        self.key = elliptic_key(random.Random(seed))
        self.certificate = Leaf(self.name, self.key.public_key(), is_authority=True).issued(self, random.Random(seed))


@dataclass
class Leaf:
    """What is to be certified."""

    subject: x509.Name
    key: object
    #: `None` leaves the basic constraints out.
    is_authority: bool | None = False
    end: datetime.datetime = END
    #: Pairs: the extension, and whether it is critical.
    extensions: list = field(default_factory=list)

    def issued(self, issuer: Authority, rng: random.Random) -> bytes:
        builder = x509.CertificateBuilder(
            issuer.name, self.subject, self.key, rng.getrandbits(64) + 1, BEGIN, self.end
        )
        if self.is_authority is not None:
            builder = builder.add_extension(x509.BasicConstraints(self.is_authority, None), critical=True)
        for value, critical in self.extensions:
            builder = builder.add_extension(value, critical)
        certificate = builder.sign(issuer.key, hashes.SHA256(), ecdsa_deterministic=True)
        return certificate.public_bytes(serialization.Encoding.DER)


#: Trusted by all who are asked, and by nobody.
ROOT, STRANGER = Authority("Root", 1), Authority("Stranger", 2)


def other_extension(identifier: str, value: bytes) -> x509.UnrecognizedExtension:
    return x509.UnrecognizedExtension(x509.ObjectIdentifier(identifier), value)


def pem(certificate: bytes) -> bytes:
    return x509.load_der_x509_certificate(certificate).public_bytes(serialization.Encoding.PEM)
