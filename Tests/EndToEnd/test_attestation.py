"""Attestation over HTTP: what a gateway that requires it takes, and what that is worth."""

import datetime
import hashlib

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from fido2 import cbor

from gateway import Gateway
from passkey import Passkey, authenticate, register, unb64

AAGUID = bytes(range(16))


class Maker:
    """A root and one attestation certificate under it."""

    def __init__(self):
        self.root_key, self.key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Maker Root")])
        model = x509.Name([
            x509.NameAttribute(NameOID.COUNTRY_NAME, "SE"), x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Maker"),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
            x509.NameAttribute(NameOID.COMMON_NAME, "Model"),
        ])
        self.root = self._issue(name, name, self.root_key, is_authority=True)
        self.leaf = self._issue(model, name, self.key, is_authority=False)

    def _issue(self, subject, issuer, key, is_authority):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(self.root_key, hashes.SHA256())
        )

    @property
    def pem(self) -> bytes:
        return self.root.public_bytes(serialization.Encoding.PEM)


class CertifiedPasskey(Passkey):
    """A passkey whose authenticator has an attestation certificate."""

    def __init__(self, maker: Maker):
        super().__init__()
        self.maker = maker

    def create(self, options: dict, origin: str) -> dict:
        response = super().create(options, origin)
        data = bytearray(cbor.decode(unb64(response["response"]["attestationObject"]))["authData"])
        data[37:53] = AAGUID
        client = unb64(response["response"]["clientDataJSON"])
        signature = self.maker.key.sign(bytes(data) + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        certificate = self.maker.leaf.public_bytes(serialization.Encoding.DER)
        statement = {"alg": -7, "sig": signature, "x5c": [certificate]}
        return self._response(
            clientDataJSON=client,
            attestationObject=cbor.encode({"fmt": "packed", "attStmt": statement, "authData": bytes(data)}),
        )


def settings(tmp_path, maker, **attestation):
    path = tmp_path / "root.pem"
    path.write_bytes(maker.pem)
    return {"providers": {"passkey": {"attestation": {"roots": [str(path)], **attestation}}}}


def test_where_it_is_required_only_certified_passkeys_are_taken(tmp_path):
    maker = Maker()
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        begun = gateway.client().post("/passkeys/register/options").json
        assert begun["options"]["attestation"] == "direct"
        refused = register(gateway.client(), Passkey())
        assert refused.status == 401 and refused.code == "attestation_untrusted"
        assert register(gateway.client(), CertifiedPasskey(Maker())).code == "attestation_untrusted"
        passkey = CertifiedPasskey(maker)
        assert register(gateway.client(), passkey).status == 200
        gateway.restart()
        answer = authenticate(gateway.client(), passkey)
        assert answer.status == 200 and answer.json["session"]["assurance"] == "aal3"


def test_where_it_is_wanted_other_passkeys_are_taken_and_count_for_less(tmp_path):
    maker = Maker()
    with Gateway.start(settings(tmp_path, maker, policy="wanted")) as gateway:
        plain, certified = Passkey(), CertifiedPasskey(maker)
        assert register(gateway.client(), plain).status == 200
        assert register(gateway.client(), certified).status == 200
        assert register(gateway.client(), CertifiedPasskey(Maker())).code == "attestation_untrusted"
        assert authenticate(gateway.client(), plain).json["session"]["assurance"] == "aal2"
        assert authenticate(gateway.client(), certified).json["session"]["assurance"] == "aal3"


@pytest.mark.parametrize(
    ("lists", "code"),
    [
        ({"allow_aaguids": ["00010203-0405-0607-0809-0a0b0c0d0e0f"]}, None),
        ({"allow_aaguids": ["2fc0579f-8113-47ea-b116-bb5a8db9202a"]}, "attestation_untrusted"),
        ({"deny_aaguids": ["00010203-0405-0607-0809-0A0B0C0D0E0F"]}, "attestation_untrusted"),
    ],
)
def test_models_are_taken_by_the_lists(tmp_path, lists, code):
    maker = Maker()
    with Gateway.start(settings(tmp_path, maker, policy="required", **lists)) as gateway:
        answer = register(gateway.client(), CertifiedPasskey(maker))
        assert answer.status == (200 if code is None else 401) and (code is None or answer.code == code)


def test_a_broken_statement_is_told_apart_from_an_untrusted_one(tmp_path):
    maker = Maker()
    other = Maker()
    maker.key, other.key = other.key, maker.key
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        answer = register(gateway.client(), CertifiedPasskey(maker))
        assert answer.status == 400 and answer.code == "attestation_invalid"


def test_synced_passkeys_are_refused_where_only_device_bound_ones_are_taken():
    with Gateway.start({"providers": {"passkey": {"device_bound_only": True}}}) as gateway:
        synced = Passkey()
        synced.flags |= 0x08
        assert register(gateway.client(), synced).code == "backup_state_invalid"
        assert register(gateway.client(), Passkey()).status == 200
