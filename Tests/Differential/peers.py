"""The same question to three implementations: ours, PyPI `fido2` and PyPI `webauthn`."""

import json
import subprocess
import warnings

from cryptography import x509
from fido2 import cbor
from fido2.attestation import AttestationVerifier
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity, UserVerificationRequirement
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.structs import AttestationFormat

from certificates import pem
from responses import unb64

#: Those that PyPI `webauthn` knows.
KNOWN = {int(algorithm) for algorithm in COSEAlgorithmIdentifier}


def ours(binary: str, questions: list) -> list:
    """`accepted`, or the reason of the refusal, for each question."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([binary], input=lines, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{binary} stopped with {done.returncode}: {done.stderr[-2000:]}")
    verdicts = done.stdout.splitlines()
    if len(verdicts) != len(questions) or "unreadable question" in verdicts:
        raise RuntimeError(f"{binary} answered {len(verdicts)} of {len(questions)} questions")
    return verdicts


def accepts(verify, question: dict) -> bool:
    """Whatever a Python library raises, it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            verify(question)
        except Exception:
            return False
    return True


class Anchored(AttestationVerifier):
    """Looks for a root by the name of the issuer, as its documentation advises."""

    def __init__(self, anchors: list):
        super().__init__()
        self.anchors = {x509.load_der_x509_certificate(anchor).subject: anchor for anchor in anchors}

    def ca_lookup(self, attestation_result, auth_data):
        if not attestation_result.trust_path:
            return None
        last = x509.load_der_x509_certificate(attestation_result.trust_path[-1])
        return self.anchors.get(last.issuer)


def fido2(question: dict):
    anchors = [unb64(anchor) for anchor in question.get("anchors", [])]
    server = Fido2Server(
        PublicKeyCredentialRpEntity(name="Example", id=question["rpId"]),
        attestation="direct" if anchors else "none",
        verify_origin=lambda origin: origin == question["origin"],
        verify_attestation=Anchored(anchors) if anchors else None,
    )
    verification = UserVerificationRequirement.REQUIRED if question["requiresUserVerification"] else None
    state = {"challenge": question["challenge"], "user_verification": verification}
    stored = question.get("stored")
    if stored is None:
        return server.register_complete(state, question["response"])
    key = CoseKey.parse(cbor.decode(unb64(stored["publicKey"])))
    credential = AttestedCredentialData.create(bytes(16), unb64(stored["id"]), key)
    return server.authenticate_complete(state, [credential], question["response"])


def webauthn(question: dict):
    common = {
        "credential": question["response"], "expected_challenge": unb64(question["challenge"]),
        "expected_rp_id": question["rpId"], "expected_origin": question["origin"],
        "require_user_verification": question["requiresUserVerification"],
    }
    stored = question.get("stored")
    if stored is None:
        offered = [COSEAlgorithmIdentifier(number) for number in question["algorithms"] if number in KNOWN]
        roots = [pem(unb64(anchor)) for anchor in question.get("anchors", [])]
        by_format = {form: list(roots) for form in AttestationFormat} if roots else None
        return verify_registration_response(
            **common, supported_pub_key_algs=offered, pem_root_certs_bytes_by_fmt=by_format
        )
    return verify_authentication_response(
        **common, credential_public_key=unb64(stored["publicKey"]), credential_current_sign_count=stored["signCount"]
    )
