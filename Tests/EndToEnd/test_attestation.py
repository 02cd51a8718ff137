"""Attestation over HTTP: what a gateway that requires it takes, and what that is worth."""

import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from attestation import AAGUID, CertifiedPasskey, Maker, pem
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register


def settings(tmp_path, maker, **attestation):
    path = tmp_path / "root.pem"
    path.write_bytes(pem(maker.root))
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
    maker.attester = other.attester
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        answer = register(gateway.client(), CertifiedPasskey(maker))
        assert answer.status == 400 and answer.code == "attestation_invalid"


def test_synced_passkeys_are_refused_where_only_device_bound_ones_are_taken():
    with Gateway.start({"providers": {"passkey": {"device_bound_only": True}}}) as gateway:
        synced = Passkey()
        synced.flags |= 0x08
        assert register(gateway.client(), synced).code == "backup_state_invalid"
        assert register(gateway.client(), Passkey()).status == 200


def test_a_group_can_be_held_to_more_than_others(tmp_path):
    maker = Maker()
    rule = {"group": "admin", "policy": "required", "device_bound_only": True}
    with Gateway.start(settings(tmp_path, maker, policy="not-wanted", groups=[rule])) as gateway:
        for name, groups in (("ada", ("admin",)), ("lee", ("staff",))):
            gateway.account_add(name, PASSWORD, groups=groups)
        ada, lee = gateway.client(), gateway.client()
        assert ada.sign_in("ada", PASSWORD).status == lee.sign_in("lee", PASSWORD).status == 200
        assert register(lee, Passkey()).status == 200
        assert register(ada, Passkey()).code == "attestation_untrusted"
        assert register(ada, CertifiedPasskey(maker)).status == 200


def test_certificates_lead_to_the_root_that_is_configured_and_not_to_one_that_comes_along(tmp_path):
    maker, stranger = Maker(), Maker()
    with Gateway.start(settings(tmp_path, maker, policy="required")) as gateway:
        for chain in ([stranger.leaf, stranger.root], [stranger.root], [stranger.leaf], [stranger.leaf, maker.root]):
            stranger.chain = chain
            # A root in place of the leaf didn't make the signature.
            expected = (400, "attestation_invalid") if chain[0] is stranger.root else (401, "attestation_untrusted")
            answer = register(gateway.client(), CertifiedPasskey(stranger))
            assert (answer.status, answer.code) == expected
        stranger.chain, stranger.attester = [stranger.root], stranger.key
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
            "packed", {"alg": -7, "sig": signing_itself.key.sign(data + hashlib.sha256(client).digest())}
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
