"""Gateways that tests share: one for each file, with sign-up open and nothing in it."""

import pytest

from apple import Apple
from gateway import PASSWORD, Gateway


@pytest.fixture(scope="module")
def gateway():
    with Gateway.start({"throttle": {"free_failures": 1000}}) as started:
        yield started


_names = iter(range(1_000_000))


@pytest.fixture
def lee(gateway):
    """The name of an account of its own, with a password."""
    name = f"lee{next(_names)}"
    gateway.account_add(name, PASSWORD, display_name="Lee L.", email=f"{name}@example.test", groups=("staff",))
    return name


@pytest.fixture
def apple(tmp_path):
    """Apple, as a host of its own authority."""
    with Apple(tmp_path) as started:
        yield started
