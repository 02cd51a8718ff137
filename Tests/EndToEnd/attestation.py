"""Makers of authenticators, their certified passkeys, and the metadata that describes them."""

import base64
import datetime
import hashlib
import json

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID

from passkey import Passkey, b64

AAGUID = bytes(range(16))
AAGUID_TEXT = "00010203-0405-0607-0809-0a0b0c0d0e0f"


def pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


class Authority:
    """A root, and the certificates it issues."""

    def __init__(self, name: str):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.root = self.issue(self.name, self.key.public_key(), is_authority=True)

    def issue(self, subject, key, *, is_authority=False, host=None, expired=False, aaguid=None, extension=None) -> x509.Certificate:
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(hours=-1 if expired else 24))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if host:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        if aaguid:
            identifier = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")
            builder = builder.add_extension(x509.UnrecognizedExtension(identifier, b"\x04\x10" + aaguid), critical=False)
        if extension:
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(self.key, hashes.SHA256())


class Maker(Authority):
    """A root and one attestation certificate under it."""

    def __init__(self, curve=ec.SECP256R1(), **leaf):
        super().__init__("Maker Root")
        self.attester = ec.generate_private_key(curve)
        model = x509.Name([
            x509.NameAttribute(NameOID.COUNTRY_NAME, "SE"), x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Maker"),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
            x509.NameAttribute(NameOID.COMMON_NAME, "Model"),
        ])
        self.leaf = self.issue(model, self.attester.public_key(), **leaf)
        self.chain = None

    def statement(self, data: bytes, client: bytes) -> tuple[str, dict]:
        alg, hash = (-35, hashes.SHA384()) if self.attester.curve.name == "secp384r1" else (-7, hashes.SHA256())
        signature = self.attester.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hash))
        return "packed", {"alg": alg, "sig": signature, "x5c": [der(each) for each in self.chain or [self.leaf]]}


class CertifiedPasskey(Passkey):
    """A passkey whose authenticator has an attestation certificate."""

    def __init__(self, maker: Maker):
        super().__init__()
        self.aaguid = AAGUID
        self.statement = maker.statement


class Publisher(Authority):
    """Who publishes metadata: signed with RSA, as the FIDO Alliance does."""

    HOST = "mds.example.test"

    def __init__(self):
        super().__init__("Metadata Root")
        self.signer = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.HOST)])
        self.leaf = self.issue(subject, self.signer.public_key(), host=self.HOST)

    def signed(self, payload: dict) -> bytes:
        header = {"alg": "RS256", "typ": "JWT", "x5c": [base64.b64encode(der(self.leaf)).decode()]}
        text = ".".join(b64(json.dumps(part).encode()) for part in (header, payload))
        signature = self.signer.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{b64(signature)}".encode()

    def issue_of(self, *entries: dict, number: int = 1) -> bytes:
        return self.signed({"legalHeader": "", "no": number, "nextUpdate": "2099-01-31", "entries": list(entries)})


def entry(maker: Maker, *reports: str, aaguid: str = AAGUID_TEXT, **statement) -> dict:
    """What metadata says of the maker's model."""
    root = base64.b64encode(der(maker.root)).decode()
    return {
        "aaguid": aaguid,
        "metadataStatement": {"description": "Model", "attestationRootCertificates": [root], **statement},
        "statusReports": [{"status": status, "effectiveDate": "2024-01-01"} for status in reports],
        "timeOfLastStatusChange": "2024-01-01",
    }
