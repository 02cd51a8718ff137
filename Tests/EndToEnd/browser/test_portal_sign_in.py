"""Signing in: by password, by passkey, without scripts, and what is said when it fails."""

import http.server
import threading
import urllib.parse

import pytest
from selenium.webdriver.common.keys import Keys

from gateway import PASSWORD
from visitor import Visitor


@pytest.fixture
def lee(gateway):
    gateway.account_add("lee", display_name="Lee Hart")
    return "lee"


@pytest.fixture
def application():
    """A site of its own origin on this host, which the default rules cover."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>application</title><link rel=icon href=data:,>the application")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/start?a=1&b=2"
    server.shutdown()
    server.server_close()


def enrol(visitor, name):
    """Signs in by password and takes the offer."""
    visitor.go("/sign-in")
    visitor.sign_in(name, PASSWORD)
    visitor.click("#offer-accept")
    visitor.wait_for("/account")
    visitor.see("#sessions")


def test_password_then_offer_then_passkey_by_button_and_by_autofill(gateway, visitor, lee):
    visitor.add_authenticator()
    visitor.go("/")
    visitor.wait_for("/sign-in")
    enrol(visitor, lee)
    assert visitor.read("#who") == "Lee Hart"
    assert len(visitor.all("#passkeys .name")) == 1
    assert len(visitor.passkeys) == 1

    visitor.touch(False)
    visitor.sign_out()
    assert visitor.read("#notice") == "You are signed out."
    visitor.see("#passkey-button")
    visitor.touch(True)
    visitor.click("#passkey-button")
    visitor.wait_for("/account")
    visitor.see("#sessions")

    # Nothing is clicked: the request that waits in the user name field is answered.
    visitor.driver.delete_all_cookies()
    visitor.go("/sign-in")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    assert visitor.complaints() == []
    assert visitor.strangers() == []


def test_offer_is_put_once(gateway, visitor, lee):
    visitor.add_authenticator(consents=False)
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    assert visitor.read("#offer-title") == "Sign in faster next time with a passkey?"
    assert visitor.focused == "offer-title"
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    visitor.sign_out()
    visitor.sign_in(lee, PASSWORD)
    visitor.wait_for("/account")
    assert "No passkeys" in visitor.read("#passkeys ul") or "no passkeys" in visitor.read("#passkeys ul")


def test_cancelled_creation_is_no_error_and_can_be_tried_again(gateway, visitor, lee):
    visitor.add_authenticator(consents=False)
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    visitor.see("#offer-accept")
    visitor.driver.execute_script(
        """
        const create = navigator.credentials.create.bind(navigator.credentials);
        let failures = 1;
        navigator.credentials.create = (options) =>
            failures-- > 0 ? Promise.reject(new DOMException("cancelled", "NotAllowedError")) : create(options);
        """
    )
    visitor.click("#offer-accept")
    visitor.wait_until(lambda: not visitor.find("#offer-accept").get_attribute("aria-disabled"), "still busy")
    assert visitor.find("#offer-error").text == ""
    visitor.touch(True)
    visitor.click("#offer-accept")
    visitor.wait_for("/account")


@pytest.mark.parametrize(
    "name, words", [("InvalidStateError", "already holds"), ("AbortError", ""), ("SecurityError", "usual one")]
)
def test_only_a_duplicate_is_called_one(gateway, visitor, lee, name, words):
    visitor.add_authenticator(consents=False)
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    visitor.see("#offer-accept")
    visitor.driver.execute_script(
        "const name = arguments[0]; navigator.credentials.create = () => Promise.reject(new DOMException('', name));", name
    )
    visitor.click("#offer-accept")
    visitor.wait_until(lambda: not visitor.find("#offer-accept").get_attribute("aria-disabled"), "still busy")
    assert words in visitor.find("#offer-error").text
    assert words or visitor.find("#offer-error").text == ""


@pytest.mark.parametrize("overrides", [{"migration": {"offer": "automatic"}}])
def test_automatic_offer_makes_a_passkey_quietly(gateway, visitor, lee):
    visitor.add_authenticator()
    visitor.go("/sign-in")
    # What the browser's password manager would do, by the authenticator.
    visitor.driver.execute_script(
        """
        PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
        const create = navigator.credentials.create.bind(navigator.credentials);
        navigator.credentials.create = ({ mediation, ...options }) => {
            if (mediation !== "conditional") throw new Error("not conditional");
            return create(options);
        };
        """
    )
    visitor.sign_in(lee, PASSWORD)
    visitor.wait_for("/account")
    visitor.see("#passkeys .name")
    assert "accepted" in gateway.cli("account", "show", lee, "--json").stdout


@pytest.mark.parametrize("overrides", [{"migration": {"offer": "automatic"}}])
def test_automatic_offer_asks_the_next_time_where_it_did_not_work(gateway, visitor, lee):
    visitor.add_authenticator(consents=False)
    visitor.go("/sign-in")
    visitor.driver.execute_script(
        """
        PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
        navigator.credentials.create = () => Promise.reject(new DOMException("", "NotAllowedError"));
        """
    )
    visitor.sign_in(lee, PASSWORD)
    visitor.wait_for("/account")
    assert "failed" in gateway.cli("account", "show", lee, "--json").stdout
    visitor.driver.delete_all_cookies()
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    assert "snoozed" in gateway.cli("account", "show", lee, "--json").stdout


def test_the_offer_says_until_when_a_password_will_do(gateway, visitor, lee):
    gateway.cli("migration", "stage", "encourage", "--cohort", "everyone", "--deadline", "2100-03-01")
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    assert visitor.read("#offer-pressing") == "From March 1, 2100 on you need a passkey to sign in here."
    gateway.cli("migration", "stage", "require", "--cohort", "everyone", "--grace", "1")
    visitor.driver.delete_all_cookies()
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    assert visitor.read("#offer-pressing") == "Soon a password alone won’t sign you in here any more."
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.driver.delete_all_cookies()
    visitor.add_authenticator()
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    visitor.wait_for("/account")
    assert visitor.complaints() == []


def test_wrong_password_is_said_and_the_field_is_ready(gateway, visitor, lee):
    visitor.go("/sign-in")
    visitor.sign_in(lee, "not the right password")
    assert visitor.read("#error") == "That user name and password don’t match. Check both, and try again."
    assert visitor.find("#error").get_attribute("role") == "alert"
    assert visitor.focused == "password"
    assert visitor.find("#password").get_attribute("aria-invalid") == "true"
    visitor.fill("#password", PASSWORD)
    visitor.click("#submit")
    visitor.wait_until(lambda: visitor.path == "/account" or visitor.all("#offer:not([hidden])"), "not signed in")
    assert visitor.complaints(but=("401",)) == []


@pytest.mark.parametrize("overrides", [{"throttle": {"free_failures": 1}}])
def test_too_many_attempts_say_how_long_to_wait(gateway, visitor, lee):
    visitor.go("/sign-in")
    for _ in range(3):
        visitor.sign_in(lee, "not the right password")
        visitor.see("#error")
        visitor.wait_until(lambda: not visitor.find("#submit").get_attribute("aria-disabled"), "still busy")
        if "Too many attempts. Wait" in visitor.read("#error"):
            return
    raise AssertionError(visitor.read("#error"))


def test_deleted_passkey_is_said_to_be_unknown(gateway, visitor, lee):
    visitor.add_authenticator()
    enrol(visitor, lee)
    visitor.touch(False)
    identifier = gateway.client()
    assert identifier.sign_in(lee).status == 200
    [passkey] = identifier.get("/passkeys").json["passkeys"]
    assert identifier.delete(f"/passkeys/{passkey['id']}").status == 200
    visitor.sign_out()
    visitor.driver.execute_script(
        "window.signals = []; PublicKeyCredential.signalUnknownCredential = async (it) => void window.signals.push(it);"
    )
    visitor.touch(True)
    visitor.click("#passkey-button")
    visitor.wait_until(lambda: "isn’t known here any more" in visitor.texts("#error")[0], "nothing was said")
    visitor.touch(False)
    [signal, *_] = visitor.driver.execute_script("return window.signals")
    assert signal["rpId"] == "localhost" and signal["credentialId"]


SHORT = {"ceremonies": {"lifetime": "1s", "autofill_lifetime": "30m"}}


@pytest.mark.parametrize("overrides", [SHORT])
def test_expired_passkey_ceremony_is_renewed_in_place(gateway, visitor, lee):
    visitor.add_authenticator()
    enrol(visitor, lee)
    visitor.touch(False)
    visitor.sign_out()
    visitor.answer_late(2.2)
    visitor.touch(True)
    visitor.click("#passkey-button")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    assert visitor.complaints(but=("410",)) == []


@pytest.mark.parametrize("overrides", [SHORT])
def test_expired_offer_is_renewed_in_place(gateway, visitor, lee):
    visitor.add_authenticator()
    visitor.go("/sign-in")
    visitor.answer_late(2.2, "create")
    visitor.sign_in(lee, PASSWORD)
    visitor.click("#offer-accept")
    visitor.wait_for("/account")
    visitor.see("#passkeys .name")
    assert visitor.complaints(but=("410",)) == []


@pytest.mark.parametrize("overrides", [{"ceremonies": {"lifetime": "30s", "autofill_lifetime": "2s"}}])
def test_passkey_picked_too_late_is_asked_for_once_more(gateway, visitor, lee):
    visitor.add_authenticator()
    enrol(visitor, lee)
    visitor.touch(False)
    visitor.sign_out()
    visitor.see("#passkey-button")
    visitor.answer_late(4)
    visitor.touch(True)
    visitor.wait_for("/account")
    assert visitor.complaints(but=("410",)) == []


@pytest.mark.parametrize("overrides", [{"ceremonies": {"lifetime": "30s", "autofill_lifetime": "2s"}}])
def test_autofill_outlives_its_challenge(gateway, visitor, lee):
    visitor.add_authenticator()
    enrol(visitor, lee)
    visitor.touch(False)
    visitor.sign_out()
    visitor.see("#passkey-button")
    before = visitor.asked("/sign-in/options")
    visitor.wait_until(lambda: visitor.asked("/sign-in/options") >= before + 2, "the challenge is not renewed")
    visitor.touch(True)
    visitor.wait_for("/account")


def test_return_address_is_honoured(gateway, visitor, lee, application):
    visitor.go("/sign-in?return_to=" + urllib.parse.quote(application, safe=""))
    visitor.sign_in(lee, PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for(application)
    # Who is signed in already is sent on at once.
    visitor.go("/sign-in?return_to=" + urllib.parse.quote(application, safe=""))
    visitor.wait_for(application)


@pytest.mark.parametrize(
    "evil",
    [
        "https://evil.example/",
        "javascript:alert(1)",
        "//evil.example",
        "http://localhost@evil.example/",
        "/\\evil.example",
        "\"><script>document.title='broken'</script>",
    ],
)
def test_evil_return_address_is_dropped(gateway, visitor, lee, evil):
    visitor.go("/sign-in?return_to=" + urllib.parse.quote(evil, safe=""))
    assert visitor.see("#submit") and visitor.driver.title == "Sign in · Gatehouse"
    assert visitor.find("[name=return_to]").get_attribute("value") == ""
    visitor.sign_in(lee, PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")


def test_without_scripts_a_password_signs_in(gateway, lee, application):
    visitor = Visitor(gateway.origin, scripts=False)
    try:
        visitor.go("/sign-in?return_to=" + urllib.parse.quote(application, safe=""))
        assert not visitor.find("#passkey-button").is_displayed()
        visitor.sign_in('<b>"lee', "not the right password")
        assert "don’t match" in visitor.read("#error")
        assert visitor.path == "/sign-in"
        assert visitor.find("#identifier").get_attribute("value") == '<b>"lee'
        visitor.sign_in(lee, PASSWORD)
        visitor.wait_for(application)
        assert visitor.complaints(but=("401",)) == []
        visitor.go("/account")
        assert "needs JavaScript" in visitor.read("main")
    finally:
        visitor.close()


def test_step_up_asks_who_is_signed_in_for_a_passkey(gateway, visitor, lee, application):
    visitor.add_authenticator()
    enrol(visitor, lee)
    visitor.touch(False)
    back = urllib.parse.quote(application, safe="")
    visitor.go(f"/sign-in?return_to={back}&assurance=aal2&kinds=passkey&max_age=0")
    assert "Lee Hart" in visitor.read("#step-up")
    assert not visitor.all("#step-up input[type=password]")
    visitor.touch(True)
    visitor.click("#step-up .primary")
    visitor.wait_for(application)


def test_impossible_step_up_shows_a_way_out(gateway, visitor, lee):
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.go("/sign-in?assurance=aal2")
    assert "nothing that is strong enough" in visitor.read("#step-up [role=alert]")
    visitor.click("#step-up .primary")
    visitor.wait_for("/account")


def test_keyboard_alone_signs_in(gateway, visitor, lee):
    visitor.go("/sign-in")
    visitor.see("#identifier")
    assert visitor.focused == "identifier"
    visitor.type("lee", Keys.TAB, PASSWORD, Keys.ENTER)
    visitor.see("#offer-accept")
    assert visitor.focused == "offer-title"
    visitor.type(Keys.TAB)
    assert visitor.focused == "offer-accept"
    visitor.type(Keys.TAB, Keys.ENTER)
    visitor.wait_for("/account")
    visitor.see("#sessions")
    visitor.wait_until(lambda: visitor.focused == "who", "the heading has no focus")


def test_form_is_marked_for_browsers_and_password_managers(gateway, visitor, lee):
    visitor.go("/sign-in")
    identifier, password = visitor.see("#identifier"), visitor.see("#password")
    assert identifier.get_attribute("autocomplete") == "username webauthn"
    assert password.get_attribute("autocomplete") == "current-password"
    for field in (identifier, password):
        assert field.get_dom_attribute("spellcheck") == "false"
        assert field.get_dom_attribute("autocapitalize") == "none"


def test_back_after_signing_out_shows_no_account(gateway, visitor, lee):
    visitor.go("/sign-in")
    visitor.sign_in(lee, PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    visitor.go("/nothing-here")
    visitor.go("/account")
    visitor.see("#sessions")
    visitor.sign_out()
    visitor.driver.back()
    visitor.wait_until(lambda: "account" not in visitor.path, "the account page came back")
    visitor.go("/account")
    visitor.wait_for("/sign-in")
