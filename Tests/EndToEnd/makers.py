"""Makers of phones: what Android's keystore and App Attest say of keys and apps, under roots of a test's own."""

import hashlib

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fido2 import cbor

from attestation import Authority, der, pem
from passkey import b64

APP = "com.example.app"
TEAM = "ABCDE12345"
CERTIFICATE = bytes(range(32))
FINGERPRINT = ":".join(f"{byte:02X}" for byte in CERTIFICATE)


def item(tag: bytes, content: bytes) -> bytes:
    """An element of DER."""
    size = len(content)
    if size < 128:
        return tag + bytes([size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return tag + bytes([0x80 | len(length)]) + length + content


def sequence(*items: bytes) -> bytes:
    return item(b"\x30", b"".join(items))


def entry(number: int, content: bytes) -> bytes:
    """`[number]` around an element."""
    tag = bytes([0xA0 | number]) if number < 31 else bytes([0xBF, 0x80 | number >> 7, number & 0x7F])
    return item(tag, content)


def integer(number: int) -> bytes:
    return item(b"\x02", bytes([number]))


class Vouching(Authority):
    """A root, and certificates with one extension under it."""

    def write_root(self, folder, name: str) -> str:
        path = folder / name
        path.write_bytes(pem(self.root))
        return str(path)

    def certify(self, key, oid: str, value: bytes) -> x509.Certificate:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Leaf")])
        extension = x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value)
        return self.issue(subject, key.public_key(), extension=extension)


class Keystore(Vouching):
    """Android's."""

    def __init__(self):
        super().__init__("Android Root")

    def attest(self, device, text: str, *, package=APP, locked=True, user=2) -> dict:
        """The attestation of a device's key for one enrolment."""
        level, hash_ = item(b"\x0a", b"\x01"), item(b"\x04", bytes(32))
        packages = item(b"\x31", sequence(item(b"\x04", package.encode()), integer(1)))
        application = sequence(packages, item(b"\x31", item(b"\x04", CERTIFICATE)))
        root = sequence(hash_, item(b"\x01", b"\xff" if locked else b"\x00"), item(b"\x0a", b"\x00"), hash_)
        hardware = [entry(1, item(b"\x31", integer(2))), entry(504, integer(user)), entry(702, integer(0)), entry(704, root)]
        description = sequence(
            integer(3), level, integer(4), level, item(b"\x04", hashlib.sha256(text.encode()).digest()), item(b"\x04", b""),
            sequence(entry(709, item(b"\x04", application))), sequence(*hardware),
        )
        leaf = self.certify(device.key, "1.3.6.1.4.1.11129.2.1.17", description)
        self.serial = f"{leaf.serial_number:x}"
        return {"format": "android-key", "x5c": [b64(der(leaf))]}


class AppAttest(Vouching):
    """Apple's."""

    def __init__(self):
        super().__init__("Apple Root")

    def attest(self, text: str, *, app=f"{TEAM}.{APP}", environment=b"appattest") -> dict:
        """The attestation of an app that has a statement attested."""
        key = ec.generate_private_key(ec.SECP256R1())
        point = key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        credential = hashlib.sha256(point).digest()
        cose = cbor.encode({1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
        data = hashlib.sha256(app.encode()).digest() + b"\x40" + bytes(4) + environment.ljust(16, b"\0")
        data += b"\0\x20" + credential + cose
        nonce = hashlib.sha256(data + hashlib.sha256(text.encode()).digest()).digest()
        leaf = self.certify(key, "1.2.840.113635.100.8.2", sequence(entry(1, item(b"\x04", nonce))))
        statement = {"fmt": "apple-appattest", "attStmt": {"x5c": [der(leaf)], "receipt": b""}, "authData": data}
        return {"format": "apple-appattest", "object": b64(cbor.encode(statement))}
