"""Trusted devices on the account page: shown, and forgotten with a changed password unless they are to be kept."""

import pytest
from device import Device
from gateway import PASSWORD


@pytest.fixture
def device(gateway, visitor):
    """Lee's, who is signed in by password."""
    gateway.account_add("lee")
    client, device = gateway.client(), Device()
    client.sign_in("lee")
    assert device.enrol(client, name="Lee's phone").status == 200
    visitor.go("/sign-in")
    visitor.sign_in("lee", PASSWORD)
    visitor.wait_for("/account")
    visitor.see("#devices")
    return device


def save(visitor, password):
    visitor.fill("#new-password", password)
    visitor.click("#password-form .secondary")
    visitor.wait_until(lambda: visitor.find("#status").text == "Your password is saved.", "not saved")


def test_a_changed_password_forgets_devices_unless_they_are_to_be_kept(gateway, visitor, device):
    names = lambda: visitor.texts("#devices .name")
    assert names() == ["Lee's phone"]
    visitor.click("#keep-devices input")
    save(visitor, "another long enough password")
    assert names() == ["Lee's phone"] and device.sign_in(gateway.client()).status == 200
    save(visitor, "one more long enough password")
    visitor.wait_until(lambda: not visitor.find("#devices").is_displayed(), "still shown")
    assert not visitor.find("#keep-devices").is_displayed()
    assert device.sign_in(gateway.client()).code == "trusted_device_unknown"
    assert visitor.complaints() == []


@pytest.mark.parametrize("overrides", [{"providers": {"trusted-device": {"idle": "1s"}}}])
def test_a_device_that_expired_is_shown_as_such_and_can_be_removed(gateway, visitor, device):
    def badge():
        visitor.go("/account")
        visitor.see("#devices")
        return visitor.texts("#devices .badge")

    visitor.wait_until(lambda: badge() == ["Unused for too long"], "not expired")
    visitor.click("#devices .danger")
    visitor.click("#confirm-ok")
    visitor.wait_until(lambda: not visitor.find("#devices").is_displayed(), "still shown")
