"""What is changed about a good response, by name: see `registry`."""

from . import algorithms, answers, attestation, authenticator_data, client_data, keys, statements
from .registry import SIGNED, TAMPERED
