"""The COSE key."""

from responses import EDDSA, ES256, RS256, canonical

from .registry import ALL, mutation


@mutation("registration")
def key_with_parameter_too_many(draft, rng):
    draft.cose = canonical({**draft.key.cose, rng.choice((2, 4, 5, -70)): b"\x01"})


@mutation("registration")
def key_without_a_parameter(draft, rng):
    cose = dict(draft.key.cose)
    del cose[rng.choice(list(cose))]
    draft.cose = canonical(cose)


@mutation("registration")
def key_with_parameter_of_other_type(draft, rng):
    cose = dict(draft.key.cose)
    cose[rng.choice(list(cose))] = rng.choice((None, "x", b"", [], True, 1.5))
    draft.cose = canonical(cose)


@mutation("registration")
def key_of_other_type(draft, rng):
    others = [kind for kind in (0, 1, 2, 3, 4) if kind != draft.key.cose[1]]
    draft.cose = canonical({**draft.key.cose, 1: rng.choice(others)})


@mutation("registration", algorithms=(ES256, EDDSA))
def key_of_other_curve(draft, rng):
    others = [curve for curve in (1, 2, 3, 6, 7, 8) if curve != draft.key.cose[-1]]
    draft.cose = canonical({**draft.key.cose, -1: rng.choice(others)})


@mutation("registration")
def key_for_algorithm_not_offered(draft, rng):
    draft.cose = canonical({**draft.key.cose, 3: rng.choice((-35, -36, -37, -47, -65535, -9, -19, 1))})


@mutation("registration")
def key_for_another_algorithm(draft, rng):
    others = [algorithm for algorithm in ALL if algorithm != draft.key.algorithm]
    draft.cose = canonical({**draft.key.cose, 3: rng.choice(others)})


@mutation("registration")
def key_in_another_order(draft, rng):
    pairs = list(draft.key.cose.items())
    rng.shuffle(pairs)
    draft.cose = bytes([0xA0 | len(pairs)]) + b"".join(canonical(part) for pair in pairs for part in pair)


@mutation("registration")
def key_with_a_label_twice(draft, rng):
    pairs = list(draft.key.cose.items())
    pairs.append(rng.choice(pairs))
    draft.cose = bytes([0xA0 | len(pairs)]) + b"".join(canonical(part) for pair in pairs for part in pair)


@mutation("registration")
def key_not_a_map(draft, rng):
    draft.cose = canonical(rng.choice(([], 1, "key", b"key", None)))


@mutation("registration", algorithms=(ES256,))
def key_not_on_the_curve(draft, rng):
    y = bytearray(draft.key.cose[-3])
    y[rng.randrange(32)] ^= 1 << rng.randrange(8)
    draft.cose = canonical({**draft.key.cose, -3: bytes(y)})


@mutation("registration", algorithms=(ES256,))
def key_with_zero_coordinates(draft, rng):
    draft.cose = canonical({**draft.key.cose, -2: bytes(32), -3: bytes(32)})


@mutation("registration", algorithms=(ES256,))
def key_with_coordinate_of_other_length(draft, rng):
    draft.cose = canonical({**draft.key.cose, -2: rng.choice((b"\x00" + draft.key.cose[-2], draft.key.cose[-2][:31]))})


@mutation("registration", algorithms=(ES256,))
def key_with_compressed_point(draft, rng):
    draft.cose = canonical({**draft.key.cose, -3: bool(draft.key.cose[-3][-1] & 1)})


@mutation("registration", algorithms=(EDDSA,))
def key_of_small_order(draft, rng):
    points = b"\x01" + bytes(31), bytes(32), b"\xec" + b"\xff" * 30 + b"\x7f"
    draft.cose = canonical({**draft.key.cose, -2: rng.choice(points)})


@mutation("registration", algorithms=(EDDSA,))
def key_of_other_length(draft, rng):
    draft.cose = canonical({**draft.key.cose, -2: rng.choice((bytes(31), bytes(33), b""))})


@mutation("registration", algorithms=(RS256,))
def key_of_few_bits(draft, rng):
    draft.cose = canonical({**draft.key.cose, -1: rng.randbytes(rng.choice((64, 128))) + b"\x01"})


@mutation("registration", algorithms=(RS256,))
def key_with_odd_exponent(draft, rng):
    draft.cose = canonical({**draft.key.cose, -2: rng.choice((b"\x01", b"\x02", b"", b"\x00\x01\x00\x01", b"\x04"))})


@mutation("registration", algorithms=(RS256,))
def key_with_even_modulus(draft, rng):
    draft.cose = canonical({**draft.key.cose, -1: draft.key.cose[-1][:-1] + b"\x02"})
