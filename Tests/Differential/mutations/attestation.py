"""Attestation objects and their statements."""

import cbor2

from responses import canonical

from .registry import mutation


@mutation("registration")
def self_attestation(draft, rng):
    draft.format = "packed"


@mutation("registration")
def self_attestation_with_bad_signature(draft, rng):
    draft.format = "packed"
    draft.signature_bytes = lambda signature: signature[:-1] + bytes([signature[-1] ^ 1])


@mutation("registration")
def self_attestation_for_another_algorithm(draft, rng):
    draft.format, draft.statement = "packed", {"alg": -36, "sig": b"\x00"}


@mutation("registration")
def statement_beside_none(draft, rng):
    draft.statement = rng.choice(({"alg": -7}, {"sig": b"x"}, {"x5c": []}, {"odd": 1}))


@mutation("registration")
def statement_not_a_map(draft, rng):
    draft.statement = rng.choice(([], 1, "x", b"", None))
    draft.encode_object = lambda members: canonical({**members, "attStmt": draft.statement})


@mutation("registration")
def format_unknown(draft, rng):
    draft.format, draft.statement = rng.choice(("", "None", "x-vendor", "packed ")), {}


@mutation("registration")
def format_not_text(draft, rng):
    draft.encode_object = lambda members: canonical({**members, "fmt": rng.choice((None, 1, b"none"))})


@mutation("registration")
def object_in_another_order(draft, rng):
    draft.encode_object = lambda members: cbor2.dumps({name: members[name] for name in ("fmt", "authData", "attStmt")})


@mutation("registration")
def object_with_unknown_member(draft, rng):
    draft.encode_object = lambda members: canonical({**members, "epAtt": True})


@mutation("registration")
def object_without_a_member(draft, rng):
    gone = rng.choice(("fmt", "attStmt", "authData"))
    draft.encode_object = lambda members: canonical({name: part for name, part in members.items() if name != gone})


@mutation("registration")
def object_with_a_member_twice(draft, rng):
    draft.encode_object = lambda members: b"\xa4\x63fmt\x64none" + canonical(members)[1:]


@mutation("registration")
def object_of_indefinite_length(draft, rng):
    draft.encode_object = lambda members: b"\xbf" + canonical(members)[1:] + b"\xff"


@mutation("registration")
def object_with_long_lengths(draft, rng):
    draft.encode_object = lambda members: b"\xb8\x03" + canonical(members)[1:]


@mutation("registration")
def object_with_bytes_behind(draft, rng):
    draft.encode_object = lambda members: canonical(members) + rng.choice((b"\x00", b"\xff", b"\xa0"))


@mutation("registration")
def object_with_authenticator_data_as_text(draft, rng):
    draft.encode_object = lambda members: canonical({**members, "authData": "data"})


@mutation("registration")
def object_with_tag(draft, rng):
    draft.encode_object = lambda members: b"\xd9\xd9\xf7" + canonical(members)


@mutation("registration")
def object_of_declared_size(draft, rng):
    heads = b"\xbb\x7f" + b"\xff" * 7, b"\x9a\xff\xff\xff\xff", b"\x5b\x80" + bytes(7)
    draft.encode_object = lambda members: rng.choice(heads)
