"""The tables of mutations, and how a function gets into them.

A mutation takes a draft and a source of chance, and changes the draft in place. Those of `SIGNED` change it before it
is signed, so that nothing but the change itself is there to be found; those of `TAMPERED` afterwards.
"""

from responses import EDDSA, ES256, RS256

BOTH = ("registration", "authentication")
ALL = (ES256, EDDSA, RS256)
SIGNED, TAMPERED = {}, {}


def mutation(*ceremonies, algorithms=ALL):
    """Enters a function into `SIGNED` under its name."""
    def register(function):
        SIGNED[function.__name__.replace("_", "-")] = (ceremonies or BOTH, algorithms, function)
        return function
    return register
