"""To Apple and back in a real browser, whose rules for cookies are what the way back has to get by."""

import html
import http.server
import threading
import urllib.parse

import pytest

from apple import APP, Apple

WEB = "com.example.web"


@pytest.fixture
def apple(tmp_path):
    with Apple(tmp_path) as started:
        yield started


@pytest.fixture
def overrides(apple):
    web = {"client_ids": [APP, WEB], "web_client_id": WEB, "authorize_url": f"{apple.url}/auth/authorize"}
    return apple.settings(web, accounts={"signup": "open"})


@pytest.fixture
def post_from_another_site(visitor):
    """Has the browser post a form from a page of another site, as Apple's page does."""
    pages = []

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages[-1].encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def post(fields):
        inputs = (f'<input name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
        form = f'<form method="post" action="{visitor.origin}/apple/callback">{"".join(inputs)}</form>'
        pages.append(f"<link rel=icon href=data:,>{form}<script>document.forms[0].submit()</script>")
        # Another name than the gateway's, and thereby another site.
        visitor.driver.get(f"http://127.0.0.1:{server.server_address[1]}/")

    yield post
    server.shutdown()
    server.server_close()


def leave(visitor, apple):
    """Goes to Apple by the button, and returns what it was asked for."""
    visitor.click("#apple-button")
    page = f"{apple.url}/auth/authorize?"
    visitor.wait_until(lambda: visitor.driver.current_url.startswith(page), "not at Apple's page")
    return dict(urllib.parse.parse_qsl(visitor.driver.current_url.removeprefix(page)))


def test_the_button_leads_to_apple_and_a_form_from_there_leads_back(gateway, visitor, apple, post_from_another_site):
    assert apple.enrol(gateway.client(), "001.lee", name="Lee Hart").status == 200
    visitor.go("/sign-in")
    asked = leave(visitor, apple)
    post_from_another_site({"state": asked["state"], "id_token": apple.token(asked["nonce"], "001.lee", aud=WEB)})
    visitor.wait_for("/account")
    assert visitor.read("#who") == "Lee Hart"


def test_who_comes_back_refused_reads_why_and_keeps_where_they_were_going(
    gateway, visitor, apple, post_from_another_site
):
    assert apple.enrol(gateway.client(), "001.lee").status == 200
    target = f"{gateway.origin}/account?from=here"
    visitor.go(f"/sign-in?return_to={urllib.parse.quote(target, safe='')}")
    asked = leave(visitor, apple)
    post_from_another_site({"state": asked["state"], "error": "user_cancelled_authorize"})
    assert visitor.read("#error") == "You cancelled at Apple. Try again, or sign in another way."
    asked = leave(visitor, apple)
    post_from_another_site({"state": asked["state"], "id_token": apple.token(asked["nonce"], "001.lee", aud=WEB)})
    visitor.wait_until(lambda: visitor.driver.current_url == target, "not where it began")
    # Once more, as by the browser's way back: the form is worth nothing any more.
    visitor.driver.delete_all_cookies()
    post_from_another_site({"state": asked["state"], "id_token": apple.token(asked["nonce"], "001.lee", aud=WEB)})
    assert "begun in another browser" in visitor.read("#error")


@pytest.mark.parametrize("overrides", [{}])
def test_there_is_no_button_where_apple_is_not_configured(visitor):
    visitor.go("/sign-in")
    visitor.see("#passkey-button")
    assert not visitor.find("#apple-button").is_displayed()
