"""What is changed about a good response, by name: see `registry`."""

from . import answers, attestation, authenticator_data, client_data, keys
from .registry import SIGNED, TAMPERED
