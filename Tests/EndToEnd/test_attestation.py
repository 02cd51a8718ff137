"""Attestation over HTTP: what a gateway that requires it takes, and what that is worth."""

import datetime
import hashlib

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gateway import Gateway
from passkey import Passkey, authenticate, register

AAGUID = bytes(range(16))


class Maker:
    """A root and one attestation certificate under it."""

    def __init__(self, curve=ec.SECP256R1(), expired: bool = False, aaguid: bytes | None = None):
        self.root_key, self.key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(curve)
        self.end = datetime.timedelta(hours=-1 if expired else 24)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Maker Root")])
        model = x509.Name([
            x509.NameAttribute(NameOID.COUNTRY_NAME, "SE"), x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Maker"),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
            x509.NameAttribute(NameOID.COMMON_NAME, "Model"),
        ])
        self.root = self._issue(name, name, self.root_key, is_authority=True)
        self.leaf = self._issue(model, name, self.key, is_authority=False, aaguid=aaguid)
        self.chain = [self.leaf]

    def _issue(self, subject, issuer, key, is_authority, aaguid=None):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + (datetime.timedelta(days=1) if is_authority else self.end))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if aaguid is not None:
            identifier = x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")
            builder = builder.add_extension(x509.UnrecognizedExtension(identifier, b"\x04\x10" + aaguid), critical=False)
        return builder.sign(self.root_key, hashes.SHA256())

    @property
    def pem(self) -> bytes:
        return self.root.public_bytes(serialization.Encoding.PEM)

    def statement(self, data: bytes, client: bytes) -> tuple[str, dict]:
        alg, hash = (-35, hashes.SHA384()) if self.key.curve.name == "secp384r1" else (-7, hashes.SHA256())
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hash))
        chain = [certificate.public_bytes(serialization.Encoding.DER) for certificate in self.chain]
        return "packed", {"alg": alg, "sig": signature, "x5c": chain}


class CertifiedPasskey(Passkey):
    """A passkey whose authenticator has an attestation certificate."""

    def __init__(self, maker: Maker):
        super().__init__()
        self.aaguid = AAGUID
        self.statement = maker.statement


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


def test_certificates_lead_to_the_root_that_is_configured_and_not_to_one_that_comes_along(tmp_path):
    maker, stranger = Maker(), Maker()
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        for chain in ([stranger.leaf, stranger.root], [stranger.root], [stranger.leaf], [stranger.leaf, maker.root]):
            stranger.chain = chain
            # A root in place of the leaf didn't make the signature.
            expected = (400, "attestation_invalid") if chain[0] is stranger.root else (401, "attestation_untrusted")
            answer = register(gateway.client(), CertifiedPasskey(stranger))
            assert (answer.status, answer.code) == expected
        stranger.chain, stranger.key = [stranger.root], stranger.root_key
        assert 400 <= register(gateway.client(), CertifiedPasskey(stranger)).status < 500
        maker.chain = [maker.leaf, maker.root]
        assert register(gateway.client(), CertifiedPasskey(maker)).status == 200


def test_an_expired_certificate_is_untrusted(tmp_path):
    maker = Maker(expired=True)
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        answer = register(gateway.client(), CertifiedPasskey(maker))
        assert (answer.status, answer.code) == (401, "attestation_untrusted")


def test_a_model_that_nobody_vouches_for_is_not_on_the_list(tmp_path):
    maker = Maker()
    lists = {"allow_aaguids": ["00010203-0405-0607-0809-0a0b0c0d0e0f"]}
    with Gateway.start(settings(tmp_path, maker, policy="required", **lists)) as gateway:
        claiming = Passkey()
        claiming.aaguid = AAGUID
        assert register(gateway.client(), claiming).code == "attestation_untrusted"
        signing_itself = Passkey()
        signing_itself.aaguid = AAGUID
        signing_itself.statement = lambda data, client: (
            "packed", {"alg": -7, "sig": signing_itself.sign(data + hashlib.sha256(client).digest())}
        )
        assert register(gateway.client(), signing_itself).code == "attestation_untrusted"
        assert register(gateway.client(), CertifiedPasskey(maker)).status == 200


def test_a_certificate_of_another_model_is_invalid(tmp_path):
    maker, other = Maker(aaguid=AAGUID), Maker(aaguid=AAGUID[::-1])
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        assert register(gateway.client(), CertifiedPasskey(maker)).status == 200
        answer = register(gateway.client(), CertifiedPasskey(other))
        assert (answer.status, answer.code) == (400, "attestation_invalid")


def test_the_attestation_key_has_an_algorithm_of_its_own(tmp_path):
    maker = Maker(curve=ec.SECP384R1())
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        passkey = CertifiedPasskey(maker)
        assert register(gateway.client(), passkey).status == 200
        assert authenticate(gateway.client(), passkey).json["session"]["assurance"] == "aal3"
