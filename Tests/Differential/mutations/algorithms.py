"""Keys of the algorithms that are verified, and not offered unless somebody asks."""

from responses import EXTRA, Key, canonical

from .registry import mutation

NAMES = {
    -35: "es384", -36: "es512", -37: "ps256", -47: "es256k", -53: "ed448", -9: "esp256", -51: "esp384", -52: "esp512",
    -19: "ed25519",
}


def of_each(change, *ceremonies):
    """Enters a change for each of the algorithms, under its name and the algorithm's."""
    for algorithm in EXTRA:
        enter(algorithm, change, ceremonies)


def enter(algorithm: int, change, ceremonies):
    def function(draft, rng):
        change(draft, rng)
    function.__name__ = f"{NAMES[algorithm]}-{change.__name__}"
    mutation(*ceremonies, algorithms=(algorithm,))(function)


def well(draft, rng):
    pass


def with_other_signature(draft, rng):
    draft.signature_bytes = lambda signature: signature[:-1] + bytes([signature[-1] ^ 1])


def with_a_parameter_too_many(draft, rng):
    draft.cose = canonical({**draft.key.cose, -70: b"\x01"})


def with_a_parameter_cut(draft, rng):
    draft.cose = canonical({**draft.key.cose, -2: draft.key.cose[-2][:-1]})


def not_offered(draft, rng):
    draft.offered = [algorithm for algorithm in draft.offered if algorithm != draft.key.algorithm]


def for_another_curve(draft, rng):
    others = [curve for curve in (1, 2, 3, 6, 7, 8) if curve != draft.key.cose[-1]]
    draft.cose = canonical({**draft.key.cose, -1: rng.choice(others)})


def attesting_itself(draft, rng):
    draft.format = "packed"


of_each(well)
of_each(with_other_signature, "authentication")
of_each(with_a_parameter_too_many, "registration")
of_each(with_a_parameter_cut, "registration")
of_each(not_offered, "registration")
of_each(for_another_curve, "registration")
of_each(attesting_itself, "registration")
