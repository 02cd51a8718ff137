"""Keys of every algorithm that a passkey can have, in software."""

import functools

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

# By its name in the registry "COSE Algorithms": number, kind of key, hash.
ALGORITHMS = {
    "ES256": (-7, "P-256", hashes.SHA256), "ES384": (-35, "P-384", hashes.SHA384), "ES512": (-36, "P-521", hashes.SHA512),
    "EdDSA": (-8, "Ed25519", None), "RS256": (-257, "RSA", hashes.SHA256), "PS256": (-37, "RSA", hashes.SHA256),
    "ES256K": (-47, "secp256k1", hashes.SHA256), "ESP256": (-9, "P-256", hashes.SHA256),
    "ESP384": (-51, "P-384", hashes.SHA384), "ESP512": (-52, "P-521", hashes.SHA512),
    "Ed25519": (-19, "Ed25519", None), "Ed448": (-53, "Ed448", None),
}

# Curve, number in the registry "COSE Elliptic Curves", and bytes of a coordinate.
CURVES = {
    "P-256": (ec.SECP256R1, 1, 32), "P-384": (ec.SECP384R1, 2, 48), "P-521": (ec.SECP521R1, 3, 66),
    "secp256k1": (ec.SECP256K1, 8, 32),
}


@functools.cache
def rsa_key():
    """One for all tests: making it takes long."""
    return rsa.generate_private_key(65537, 2048)


class Key:
    def __init__(self, algorithm: str):
        self.algorithm = algorithm
        self.number, self.kind, self.hash = ALGORITHMS[algorithm]
        if self.kind in CURVES:
            self.private = ec.generate_private_key(CURVES[self.kind][0]())
        else:
            makers = {"Ed25519": ed25519.Ed25519PrivateKey.generate, "Ed448": ed448.Ed448PrivateKey.generate, "RSA": rsa_key}
            self.private = makers[self.kind]()

    @property
    def cose(self) -> dict:
        """The public key as COSE_Key (RFC 9052 §7)."""
        public = self.private.public_key()
        if self.kind in CURVES:
            _, curve, size = CURVES[self.kind]
            point = public.public_numbers()
            return {1: 2, 3: self.number, -1: curve, -2: point.x.to_bytes(size), -3: point.y.to_bytes(size)}
        if self.kind == "RSA":
            return {1: 3, 3: self.number, -1: public.public_numbers().n.to_bytes(256), -2: b"\x01\x00\x01"}
        curve = 6 if self.kind == "Ed25519" else 7
        return {1: 1, 3: self.number, -1: curve, -2: public.public_bytes(Encoding.Raw, PublicFormat.Raw)}

    def sign(self, message: bytes) -> bytes:
        if self.kind in CURVES:
            return self.private.sign(message, ec.ECDSA(self.hash()))
        if self.kind == "RSA":
            pss = padding.PSS(padding.MGF1(self.hash()), padding.PSS.DIGEST_LENGTH)
            return self.private.sign(message, pss if self.algorithm == "PS256" else padding.PKCS1v15(), self.hash())
        return self.private.sign(message)
