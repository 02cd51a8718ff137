"""Authenticator data, attested credential data apart from its key."""

import struct

from responses import ATTESTED, BACKED_UP, ELIGIBLE, EXTENDED, ORIGIN, PRESENT, VERIFIED, canonical

from .registry import mutation


@mutation()
def rp_id_of_another(draft, rng):
    draft.rp_id = rng.choice(("example.com", "EXAMPLE.ORG", "auth.example.org", "org", "", ORIGIN))


@mutation()
def user_not_present(draft, rng):
    draft.flags &= ~PRESENT


@mutation()
def user_not_verified(draft, rng):
    draft.flags &= ~VERIFIED
    draft.requires_verification = True


@mutation()
def user_not_verified_where_not_asked(draft, rng):
    draft.flags &= ~VERIFIED
    draft.requires_verification = False


@mutation()
def backed_up_yet_not_eligible(draft, rng):
    draft.flags = draft.flags & ~ELIGIBLE | BACKED_UP
    draft.registered_eligible = False


@mutation("authentication")
def eligibility_changed(draft, rng):
    draft.flags = draft.flags & ~BACKED_UP ^ ELIGIBLE


@mutation()
def reserved_flags(draft, rng):
    draft.flags |= rng.choice((0x02, 0x20, 0x22))


@mutation("authentication")
def count_not_risen(draft, rng):
    draft.count = rng.randrange(1, 1 << 31)
    draft.last_count = draft.count + rng.choice((0, 1, 1_000))


@mutation("authentication")
def count_back_to_zero(draft, rng):
    draft.count, draft.last_count = 0, rng.randrange(1, 1 << 31)


@mutation()
def data_cut(draft, rng):
    draft.data_bytes = lambda data: data[:rng.randrange(len(data))]


@mutation()
def data_with_bytes_behind(draft, rng):
    draft.tail = rng.choice((b"\x00", b"\xa0", rng.randbytes(8)))


@mutation()
def extensions_flag_without_extensions(draft, rng):
    draft.flags |= EXTENDED


@mutation()
def extensions_without_flag(draft, rng):
    draft.extensions = canonical({"credProtect": 2})


@mutation()
def extensions_well_formed(draft, rng):
    draft.flags |= EXTENDED
    draft.extensions = canonical(rng.choice((
        {"credProtect": 2}, {"hmac-secret": True}, {"uvm": [[2, 4, 2]]}, {"minPinLength": 4}, {"credBlob": b"\x01"}, {},
    )))


@mutation()
def extensions_not_a_map(draft, rng):
    draft.flags |= EXTENDED
    draft.extensions = canonical(rng.choice(([], 1, "x", None, b"x")))


@mutation()
def extensions_with_other_keys(draft, rng):
    draft.flags |= EXTENDED
    draft.extensions = canonical({rng.choice((1, -1, b"x")): True})


@mutation()
def extensions_not_canonical(draft, rng):
    draft.flags |= EXTENDED
    draft.extensions = rng.choice((
        b"\xbf\x61a\x01\xff", b"\xa1\x61a\x18\x01", b"\xa2\x61b\x01\x61a\x01", b"\xb8\x01\x61a\x01",
        b"\xa1\x78\x01a\x01",
    ))


@mutation()
def extensions_with_a_key_twice(draft, rng):
    draft.flags |= EXTENDED
    draft.extensions = b"\xa2\x61a\x01\x61a\x02"


@mutation()
def extensions_with_tag(draft, rng):
    draft.flags |= EXTENDED
    draft.extensions = b"\xa1\x61a\xc0\x61x"


@mutation()
def extensions_nested(draft, rng):
    draft.flags |= EXTENDED
    depth = rng.choice((2, 5, 40, 900))
    draft.extensions = b"\xa1\x61a" + b"\x81" * depth + b"\x01"


@mutation("authentication")
def attested_data_in_authentication(draft, rng):
    draft.flags |= ATTESTED


@mutation("registration")
def attested_data_missing(draft, rng):
    draft.flags &= ~ATTESTED


@mutation("registration")
def attested_flag_missing(draft, rng):
    draft.flags &= ~ATTESTED
    draft.tail = draft.aaguid + struct.pack(">H", len(draft.credential_id)) + draft.credential_id + draft.cose


@mutation("registration")
def credential_id_of_another(draft, rng):
    draft.attested_id = rng.randbytes(len(draft.credential_id))


@mutation("registration")
def credential_id_empty(draft, rng):
    draft.credential_id = b""


@mutation("registration")
def credential_id_long(draft, rng):
    draft.credential_id = rng.randbytes(rng.choice((1_023, 1_024, 4_096)))


@mutation("registration")
def credential_id_shorter_than_stated(draft, rng):
    stated = struct.pack(">H", len(draft.credential_id))
    draft.data_bytes = lambda data: data.replace(stated + draft.credential_id, b"\xff\xff" + draft.credential_id)
