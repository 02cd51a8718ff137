"""Chromium with a virtual authenticator, before a gateway of the test's own."""

import pytest
from visitor import Visitor

from gateway import Gateway


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
