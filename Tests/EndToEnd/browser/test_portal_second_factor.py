"""The second step of a sign-in, in a browser."""

import pytest

from gateway import PASSWORD
from visitor import Visitor

TWO = {"policy": {"groups": [{"group": "admin", "assurance": "aal2"}]}}
pytestmark = pytest.mark.parametrize("overrides", [TWO])


@pytest.fixture
def kim(gateway, visitor):
    """An administrator who enrolled a passkey at the first sign-in, as there was nothing else to go on with."""
    gateway.account_add("kim", display_name="Kim Kay", groups=("admin",))
    visitor.add_authenticator()
    visitor.go("/sign-in")
    visitor.sign_in("kim", PASSWORD)
    visitor.wait_for("/account")
    assert not visitor.find("#password").is_displayed()
    visitor.click("#add-passkey")
    visitor.see("#sessions")
    visitor.touch(False)
    visitor.sign_out()
    return "kim"


def test_a_password_and_then_the_passkey(gateway, visitor, kim):
    visitor.sign_in(kim, PASSWORD)
    assert visitor.read("#step-up h1") == "One more step"
    assert "Kim Kay" in visitor.read("#step-up") and visitor.focused == "second-factor-title"
    visitor.touch(True)
    visitor.click("#step-up .primary")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    assert visitor.complaints() == []


def test_a_second_step_that_is_over_leads_back_to_the_first(gateway, visitor, kim):
    visitor.sign_in(kim, PASSWORD)
    visitor.see("#step-up .primary")
    gateway.cli("account", "disable", "kim")
    gateway.cli("account", "enable", "kim")
    # The authenticator would answer the form's autofill by itself.
    visitor.driver.execute_script(
        """
        const get = navigator.credentials.get.bind(navigator.credentials);
        navigator.credentials.get = (options) =>
            options.mediation === "conditional" ? new Promise(() => {}) : get(options);
        """
    )
    visitor.touch(True)
    visitor.click("#step-up .primary")
    visitor.wait_until(lambda: "took too long" in visitor.find("#error").text, "no way back")
    visitor.sign_in(kim, PASSWORD)
    visitor.click("#step-up .primary")
    visitor.wait_for("/account")


def test_without_scripts_the_page_says_what_is_missing(gateway, visitor, kim):
    plain = Visitor(gateway.origin, scripts=False)
    try:
        plain.go("/sign-in")
        plain.sign_in(kim, PASSWORD)
        assert "needs JavaScript" in plain.read("#error")
    finally:
        plain.close()
