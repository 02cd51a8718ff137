"""The account page, and the one-time links that lead to it."""

import base64

import pytest
from attestation import Maker, Publisher, entry, pem
from gateway import PASSWORD
from passkey import Passkey, authenticate, register

NEW_PASSWORD = "another long enough password"


@pytest.fixture
def lee(gateway, visitor):
    """Signed in by password, with an authenticator that consents."""
    gateway.account_add("lee", display_name="Lee Hart")
    visitor.add_authenticator()
    visitor.go("/sign-in")
    visitor.sign_in("lee", PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    return "lee"


def passkeys(visitor):
    return visitor.texts("#passkeys .name")


def add_passkey(visitor):
    count = len(passkeys(visitor))
    visitor.click("#add-passkey")
    visitor.wait_until(lambda: len(passkeys(visitor)) == count + 1, "no passkey was added")


def test_passkey_is_added_renamed_and_deleted(gateway, visitor, lee):
    add_passkey(visitor)
    assert visitor.read("#status") == "Your passkey is ready."
    visitor.click("#passkeys .actions button:first-child")
    visitor.fill("#rename-name", "Blue <b>key</b>\n")
    visitor.wait_until(lambda: passkeys(visitor) == ["Blue <b>key</b>"], "not renamed")

    visitor.click("#passkeys .danger")
    assert "Blue <b>key</b>" in visitor.read("#confirm-title")
    visitor.click("#confirm button[value=cancel]")
    assert passkeys(visitor)
    visitor.click("#passkeys .danger")
    visitor.click("#confirm-ok")
    visitor.wait_until(lambda: not passkeys(visitor), "not deleted")
    assert visitor.complaints() == []
    assert visitor.strangers() == []


CHROMIUM = "01020304-0506-0708-0102-030405060708"
PICTURE = "data:image/svg+xml;base64," + base64.b64encode(
    b'<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><circle cx="24" cy="24" r="20"/></svg>'
).decode()


@pytest.fixture
def named_by_metadata(tmp_path):
    """Metadata that knows the browser's authenticator."""
    publisher = Publisher()
    (tmp_path / "publisher.pem").write_bytes(pem(publisher.root))
    model = entry(Maker(), aaguid=CHROMIUM, description="Virtual Key", icon=PICTURE)
    (tmp_path / "mds.jwt").write_bytes(publisher.issue_of(model))
    metadata = {"file": str(tmp_path / "mds.jwt"), "roots": [str(tmp_path / "publisher.pem")], "host": Publisher.HOST}
    return {"providers": {"passkey": {"metadata": metadata}}}


class TestKeeper:
    @pytest.fixture
    def overrides(self, named_by_metadata):
        return named_by_metadata

    def test_passkey_shows_who_keeps_it(self, gateway, visitor, lee):
        add_passkey(visitor)
        assert passkeys(visitor) == ["Virtual Key"]
        size = "return document.querySelector('#passkeys .keeper').naturalWidth"
        visitor.wait_until(lambda: visitor.driver.execute_script(size) == 48, "no picture")
        visitor.click("#passkeys .actions button:first-child")
        visitor.fill("#rename-name", "Mine\n")
        visitor.wait_until(lambda: passkeys(visitor) == ["Mine"], "not renamed")
        assert "In Virtual Key" in visitor.read("#passkeys .what .hint")
        assert visitor.complaints() == []


@pytest.mark.parametrize("overrides", [{"policy": {"fresh": "30s", "settling": "0s"}}])
def test_change_that_needs_a_fresh_session_asks_in_place(gateway, visitor, lee):
    add_passkey(visitor)
    # The passkey counts at once here, and this session proved a password only.
    visitor.touch(False)
    visitor.fill("#new-password", NEW_PASSWORD)
    visitor.click("#password-form .secondary")
    assert "Lee Hart" in visitor.read("#step-up")
    visitor.click("#step-up button:last-child")
    visitor.wait_until(lambda: not visitor.all("#step-up[open]"), "the dialog stays open")
    assert visitor.find("#password-error").text == ""

    collect = "window.accepted = []; PublicKeyCredential.signalAllAcceptedCredentials = async (it) => void accepted.push(it);"
    visitor.driver.execute_script(collect)
    visitor.click("#password-form .secondary")
    visitor.touch(True)
    visitor.click("#step-up .primary")
    visitor.wait_until(lambda: visitor.find("#status").text == "Your password is saved.", "not saved")
    [signal] = visitor.driver.execute_script("return window.accepted")
    assert signal["rpId"] == "localhost" and len(signal["allAcceptedCredentialIds"]) == 1
    assert gateway.client().sign_in(lee, NEW_PASSWORD).status == 200
    assert visitor.complaints(but=("403",)) == []

    # The one passkey proves its own deletion, and the session ends with it.
    visitor.click("#passkeys .danger")
    visitor.click("#confirm-ok")
    visitor.wait_for("/sign-in?notice=sessions-ended")


def test_owner_is_told_what_looked_wrong_with_a_passkey(gateway, visitor, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    register(client, passkey)
    visitor.driver.refresh()
    visitor.wait_until(lambda: passkeys(visitor), "no passkey is listed")
    assert visitor.all("#passkeys .error") == []
    passkey.count = 5
    assert authenticate(gateway.client(), passkey).status == 200
    passkey.count = 1
    assert authenticate(gateway.client(), passkey).code == "counter_regressed"
    visitor.driver.refresh()
    visitor.wait_until(lambda: passkeys(visitor), "no passkey is listed")
    assert "may have been copied" in visitor.read("#passkeys .error")


def test_owner_is_told_that_a_passkey_needs_the_user_name(gateway, visitor, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    begun = client.post("/passkeys/register/options").json
    response = passkey.create(begun["options"], gateway.origin)
    response["clientExtensionResults"] = {"credProps": {"rk": False}}
    client.post("/passkeys/register/verify", {"ceremonyId": begun["ceremonyId"], "response": response})
    visitor.driver.refresh()
    visitor.wait_until(lambda: passkeys(visitor), "no passkey is listed")
    assert any("without your user name" in text for text in visitor.texts("#passkeys li .hint"))


def test_weak_password_is_refused_with_words(gateway, visitor, lee):
    visitor.fill("#new-password", "short")
    visitor.click("#password-form .secondary")
    assert "too short" in visitor.read("#password-error")


def test_sessions_are_listed_and_ended(gateway, visitor, lee):
    other = gateway.client()
    assert other.sign_in(lee).status == 200
    third = gateway.client()
    assert third.sign_in(lee).status == 200
    visitor.driver.refresh()
    visitor.wait_until(lambda: len(visitor.all("#sessions li")) == 3, "not three sessions")
    assert "This browser" in visitor.read("#sessions li")
    visitor.click("#sessions .actions button")
    visitor.wait_until(lambda: len(visitor.all("#sessions li")) == 2, "not ended")
    visitor.click("#end-others")
    visitor.click("#confirm-ok")
    visitor.wait_until(lambda: len(visitor.all("#sessions li")) == 1, "others not ended")
    assert {other.get("/session").status, third.get("/session").status} == {401}
    visitor.sign_out()
    visitor.go("/account")
    visitor.wait_for("/sign-in")


def test_session_that_ended_elsewhere_leads_to_sign_in(gateway, visitor, lee):
    other = gateway.client()
    other.sign_in(lee)
    other.delete("/sessions")
    visitor.click("#add-passkey")
    visitor.wait_until(lambda: visitor.path.startswith("/sign-in"), "still there")
    visitor.sign_in(lee, PASSWORD)
    visitor.wait_for("/account")


def test_setup_link_leads_to_an_administrator_with_a_passkey(gateway, visitor):
    visitor.add_authenticator()
    link = gateway.setup_link
    visitor.go(link)
    visitor.fill("#username", "root")
    visitor.fill("#display-name", "Robin Root")
    visitor.click("#link-form button")
    visitor.wait_for("/account")
    visitor.see("#restricted")
    assert not visitor.find("#sessions").is_displayed()
    assert visitor.read("#who") == "Robin Root"
    visitor.click("#add-passkey")
    visitor.see("#sessions")
    assert passkeys(visitor)
    assert '"admin"' in gateway.cli("account", "show", "root", "--json").stdout
    assert not any("#" in url and link.rsplit("#", 1)[1] in url.split("#")[0] for url in visitor.requests)

    visitor.touch(False)
    visitor.sign_out()
    visitor.see("#passkey-button")
    visitor.touch(True)
    visitor.click("#passkey-button")
    visitor.wait_for("/account")
    assert visitor.complaints() == []

    visitor.go(link)
    visitor.fill("#username", "mallory")
    visitor.click("#link-form button")
    assert "used already" in visitor.read("#error")


def test_setup_link_leads_to_an_administrator_with_a_password(gateway, visitor):
    visitor.go(gateway.setup_link)
    visitor.fill("#username", "root")
    visitor.click("#link-form button")
    visitor.wait_for("/account")
    visitor.fill("#new-password", PASSWORD)
    visitor.click("#password-form .secondary")
    visitor.wait_for("/sign-in?notice=password-set")
    assert "Sign in with it" in visitor.read("#notice")
    visitor.sign_in("root", PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.see("#sessions")


def test_recovery_link_works_once(gateway, visitor):
    gateway.account_add("lee", None)
    visitor.add_authenticator()
    link = gateway.recovery_link("lee")
    visitor.go(link)
    visitor.click("#link-form button")
    visitor.wait_for("/account")
    visitor.see("#restricted")
    visitor.click("#add-passkey")
    visitor.see("#sessions")
    visitor.go(link)
    visitor.click("#link-form button")
    assert "used already" in visitor.read("#error")
    visitor.go("/recover")
    assert "incomplete" in visitor.read("#error")
