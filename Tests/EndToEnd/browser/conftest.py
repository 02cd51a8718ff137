"""Chromium with a virtual authenticator, before a gateway of the test's own."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from gateway import Gateway  # noqa: E402
from visitor import Visitor  # noqa: E402


@pytest.fixture
def overrides():
    """Changes to the configuration; a test that wants some parametrizes it."""
    return {}


@pytest.fixture
def gateway(overrides):
    with Gateway.start(overrides) as gateway:
        yield gateway


@pytest.fixture
def visitor(gateway):
    visitor = Visitor(gateway.origin)
    try:
        yield visitor
    finally:
        visitor.close()
