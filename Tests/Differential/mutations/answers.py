"""Signatures, the form of the answer, and parts that are broken after signing."""

import random

from responses import ES256, b64, unb64

from .registry import ALL, BOTH, SIGNED, TAMPERED, mutation


@mutation("authentication")
def signature_empty(draft, rng):
    draft.signature_bytes = lambda signature: b""


@mutation("authentication")
def signature_with_bytes_behind(draft, rng):
    draft.signature_bytes = lambda signature: signature + b"\x00"


@mutation("authentication", algorithms=(ES256,))
def signature_not_canonical_der(draft, rng):
    draft.signature_bytes = lambda signature: b"\x30\x81" + signature[1:]


@mutation("authentication", algorithms=(ES256,))
def signature_raw(draft, rng):
    draft.signature_bytes = lambda signature: bytes(64)


@mutation("authentication", algorithms=(ES256,))
def signature_of_zeros(draft, rng):
    draft.signature_bytes = lambda signature: b"\x30\x06\x02\x01\x00\x02\x01\x00"


@mutation("authentication")
def user_handle_missing(draft, rng):
    draft.user_handle = None


@mutation("authentication")
def user_handle_of_another(draft, rng):
    draft.user_handle = rng.choice((b"user-handle-0002", b"user-handle", b""))


@mutation()
def answer_with_unknown_members(draft, rng):
    def change(answer):
        answer["odd"], answer["response"]["odd"] = 1, [1]
        answer["authenticatorAttachment"] = rng.choice(("platform", "cross-platform"))
    draft.answer = change


@mutation()
def answer_with_odd_attachment(draft, rng):
    draft.answer = lambda answer: answer.update(authenticatorAttachment=rng.choice(("", "odd", 1, None)))


@mutation()
def answer_of_other_type(draft, rng):
    draft.answer = lambda answer: answer.update(type=rng.choice(("", "public_key", "password", None, 1)))


@mutation()
def answer_with_two_ids(draft, rng):
    draft.answer = lambda answer: answer.update(rawId=b64(b"another credential"))


@mutation()
def answer_by_another_credential(draft, rng):
    draft.answer = lambda answer: answer.update(id=b64(b"another credential"), rawId=b64(b"another credential"))


@mutation()
def answer_without_a_member(draft, rng):
    def change(answer):
        if rng.random() < 0.5:
            del answer[rng.choice(("id", "rawId", "type", "response"))]
        else:
            del answer["response"][rng.choice([name for name in answer["response"] if name != "userHandle"])]
    draft.answer = change


@mutation()
def answer_without_extension_results(draft, rng):
    draft.answer = lambda answer: answer.pop("clientExtensionResults")


def recoded(change):
    def mutate(draft, rng):
        def answer(answer):
            name = rng.choice([name for name in answer["response"]])
            answer["response"][name] = change(answer["response"][name])
        draft.answer = answer
    return mutate


for _name, _change in {
    "answer-in-padded-base64": lambda text: text + "=" * (-len(text) % 4 or 4),
    "answer-with-white-space-in-base64": lambda text: text[:4] + "\n" + text[4:],
    "answer-with-strange-characters-in-base64": lambda text: text[:4] + "!" + text[4:],
    "answer-with-number-for-text": lambda text: 1,
}.items():
    SIGNED[_name] = (BOTH, ALL, recoded(_change))


def tampered(part: str, change):
    def mutate(draft, rng):
        def answer(answer):
            answer["response"][part] = b64(change(unb64(answer["response"][part]), rng))
        draft.answer = answer
    return mutate


def flip(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[:rng.randrange(len(data))]


def insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice((1, 1, 2, 8))) + data[at:]


def delete(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 1, 4)):]


for _part, _ceremonies in {
    "clientDataJSON": BOTH, "attestationObject": ("registration",), "authenticatorData": ("authentication",),
    "signature": ("authentication",),
}.items():
    for _change in (flip, cut, insert, delete):
        TAMPERED[f"{_change.__name__}-{_part}"] = (_ceremonies, ALL, tampered(_part, _change))
