"""Attestation statements that are asked for, by certificates of the tests' own roots."""

import datetime
import random

from certificates import AAGUID, ROOT, STRANGER, elliptic_key, other_extension
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from responses import ES256, RS256
from statements import ALL_APPLICATIONS, AIK, FORMATS, MAKER, TPM_NAME, Parts, origin, purpose, statement

from .registry import mutation

#: The keys that each format can speak of.
KEYS = {
    "fido-u2f": (ES256,), "android-key": (ES256,), "apple": (ES256,), "packed": (ES256, RS256), "tpm": (ES256, RS256),
}


def attested(*forms):
    """Enters a change of the parts for each of the formats, under the name of the format and its own."""
    def register(change):
        for form in forms or FORMATS:
            enter(form, change)
        return change
    return register


def enter(form: str, change):
    def function(draft, rng):
        parts = Parts(random.Random(rng.getrandbits(64)))
        draft.format, draft.anchors = form, [ROOT.certificate]
        if form == "fido-u2f":
            draft.aaguid = bytes(16)
        change(parts, draft)
        draft.attest = lambda data, client: statement(parts, form, draft, data, client)
    function.__name__ = f"{form}-{change.__name__}"
    mutation("registration", algorithms=KEYS[form])(function)


@attested()
def well(parts, draft):
    pass


@attested()
def by_stranger(parts, draft):
    parts.issuer = STRANGER


@attested("packed", "tpm", "android-key", "apple")
def with_root_of_its_own(parts, draft):
    parts.issuer = STRANGER
    parts.change_chain = lambda chain: chain + [STRANGER.certificate]


@attested("packed", "tpm", "apple")
def with_root(parts, draft):
    parts.change_chain = lambda chain: chain + [ROOT.certificate]


@attested()
def expired(parts, draft):
    def change(leaf):
        leaf.end = datetime.datetime(2025, 1, 1)
    parts.change_leaf = change


@attested()
def for_another_challenge(parts, draft):
    parts.change_hash = lambda hash: hash[::-1]


@attested("packed", "fido-u2f", "tpm", "android-key")
def with_other_signature(parts, draft):
    def change(members):
        members["sig"] = members["sig"][:-1] + bytes([members["sig"][-1] ^ 1])
    parts.change_members = change


@attested("tpm", "android-key", "apple")
def for_another_key(parts, draft):
    parts.attested_key = elliptic_key(parts.rng).public_key()


@attested("packed", "fido-u2f", "tpm", "android-key", "apple")
def without_certificates(parts, draft):
    parts.change_members = lambda members: members.update(x5c=[])


@attested("fido-u2f", "tpm", "android-key", "apple")
def without_a_list_of_certificates(parts, draft):
    parts.change_members = lambda members: members.pop("x5c")


@attested()
def with_odd_certificates(parts, draft):
    odd = parts.rng.choice(("text", [1], [b""], [b"\x30\x00"], [None]))
    parts.change_members = lambda members: members.update(x5c=odd)


@attested("packed", "tpm")
def by_an_authority(parts, draft):
    def change(leaf):
        leaf.is_authority = True
    parts.change_leaf = change


@attested("packed", "tpm")
def without_constraints(parts, draft):
    def change(leaf):
        leaf.is_authority = None
    parts.change_leaf = change


@attested("packed", "fido-u2f")
def by_a_key_on_another_curve(parts, draft):
    parts.curve, parts.algorithm = ec.SECP384R1(), -35


@attested("packed", "tpm")
def with_another_algorithm(parts, draft):
    parts.change_members = lambda members: members.update(alg=parts.rng.choice((-35, -257, -8, -9, 0)))


@attested("packed")
def without_an_attribute(parts, draft):
    gone = parts.rng.randrange(4)
    parts.subject = MAKER[:gone] + MAKER[gone + 1:]


@attested("packed")
def of_another_unit(parts, draft):
    parts.subject = [(kind, "Authenticators" if value == MAKER[2][1] else value) for kind, value in MAKER]


@attested("packed", "tpm")
def with_its_aaguid(parts, draft):
    parts.extensions = [(other_extension(AAGUID.dotted_string, b"\x04\x10" + draft.aaguid), False)]


@attested("packed", "tpm")
def with_another_aaguid(parts, draft):
    parts.extensions = [(other_extension(AAGUID.dotted_string, b"\x04\x10" + bytes(15) + b"\x01"), False)]


@attested("packed")
def with_a_critical_aaguid(parts, draft):
    parts.extensions = [(other_extension(AAGUID.dotted_string, b"\x04\x10" + draft.aaguid), True)]


@attested("packed")
def with_an_odd_aaguid(parts, draft):
    odd = parts.rng.choice((draft.aaguid, b"\x04\x0f" + draft.aaguid[1:], b"\x0c\x10" + draft.aaguid))
    parts.extensions = [(other_extension(AAGUID.dotted_string, odd), False)]


@attested("packed", "tpm")
def with_ecdaa(parts, draft):
    parts.change_members = lambda members: members.update(ecdaaKeyId=b"key")


@attested("fido-u2f")
def with_an_aaguid(parts, draft):
    draft.aaguid = parts.rng.randbytes(16)


@attested("tpm")
def of_another_version(parts, draft):
    parts.version = parts.rng.choice(("1.2", "", "2"))


@attested("tpm")
def of_another_magic(parts, draft):
    parts.magic = 0xFF544348


@attested("tpm")
def of_another_type(parts, draft):
    parts.type = parts.rng.choice((0x8014, 0x8018))


@attested("tpm")
def of_another_name(parts, draft):
    parts.change_tpm_name = lambda digest: digest[::-1]


@attested("tpm")
def with_a_subject(parts, draft):
    parts.subject = MAKER


@attested("tpm")
def without_alternative_name(parts, draft):
    parts.alternative_name = []


@attested("tpm")
def with_alternative_name_not_critical(parts, draft):
    parts.alternative_name_is_critical = False


@attested("tpm")
def of_no_vendor(parts, draft):
    parts.alternative_name[0] = (TPM_NAME[0][0], parts.rng.choice(("id:00000000", "494E5443", "nobody")))


@attested("tpm")
def without_a_model(parts, draft):
    del parts.alternative_name[1]


@attested("tpm")
def without_usage(parts, draft):
    parts.usage = None


@attested("tpm")
def with_another_usage(parts, draft):
    parts.usage = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CLIENT_AUTH])


@attested("tpm")
def with_two_usages(parts, draft):
    parts.usage = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.CLIENT_AUTH, *AIK])


@attested("tpm")
def with_bytes_behind(parts, draft):
    member = parts.rng.choice(("certInfo", "pubArea"))
    parts.change_members = lambda members: members.update({member: members[member] + b"\x00"})


@attested("android-key", "apple")
def without_its_extension(parts, draft):
    parts.has_own_extension = False


@attested("android-key")
def for_all_applications(parts, draft):
    if parts.rng.random() < 0.5:
        parts.software = ALL_APPLICATIONS
    else:
        parts.hardware = purpose(2) + ALL_APPLICATIONS + origin(0)


@attested("android-key")
def of_an_imported_key(parts, draft):
    parts.hardware = purpose(2) + origin(2)


@attested("android-key")
def of_a_key_for_another_purpose(parts, draft):
    parts.hardware = purpose(1) + origin(0)


@attested("android-key")
def of_software(parts, draft):
    parts.software, parts.hardware = parts.hardware, b""


@attested("packed")
def not_given(parts, draft):
    """Asked for, and "none" came."""
    draft.format = "none"
    parts.change_members = lambda members: members.clear()
