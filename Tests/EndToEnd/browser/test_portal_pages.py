"""What holds for every page."""

import re

import pytest
from gateway import PASSWORD

PAGES = ["/sign-in", "/setup", "/recover"]


@pytest.fixture
def signed_in(gateway, visitor):
    gateway.account_add("lee", display_name="Lee " + "Hart" * 25)
    visitor.add_authenticator()
    visitor.go("/sign-in")
    visitor.sign_in("lee", PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.see("#sessions")


def test_pages_carry_their_policy_and_are_not_kept(gateway):
    for path in PAGES:
        page = gateway.request("GET", path)
        assert page.status == 200
        assert page.header("Cache-Control") == "no-store"
        policy = page.header("Content-Security-Policy")
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy
        # Pictures alone may come with the data they belong to.
        others = policy.replace("img-src 'self' data:;", "")
        assert "unsafe" not in policy and "data:" not in others and "*" not in policy
        assert not re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|<style|\son\w+=", page.text)


def test_assets_are_kept_for_ever_under_their_digest(gateway):
    page = gateway.request("GET", "/sign-in").text
    paths = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', page))
    assert paths
    for path in paths:
        asset = gateway.request("GET", path)
        assert asset.status == 200 and "immutable" in asset.header("Cache-Control")
        assert asset.header("X-Content-Type-Options") == "nosniff"
    assert gateway.request("GET", "/assets/another/portal.css").status == 404


def test_each_page_with_all_it_loads_stays_small(gateway):
    for path in [*PAGES, "/account"]:
        page = gateway.request("GET", path, headers={"Cookie": "gatehouse=" + "A" * 43})
        assert page.status == 200
        folder = re.search(r"/assets/[^/]+/", page.text).group()
        todo = {name for name in re.findall(r'"/assets/[^/]+/([^"]+)"', page.text)}
        size, done = len(page.body), set()
        while todo:
            name = todo.pop()
            done.add(name)
            asset = gateway.request("GET", folder + name)
            size += len(asset.body)
            if name.endswith(".js"):
                todo |= set(re.findall(r'from "\./([^"]+)"', asset.text)) - done
        assert size < 60_000, (path, size)


def test_unknown_address_is_a_page_for_people_and_a_problem_for_programs(gateway):
    page = gateway.request("GET", "/nothing", headers={"Accept": "text/html,*/*"})
    assert page.status == 404 and page.header("Content-Type").startswith("text/html")
    problem = gateway.request("GET", "/nothing")
    assert problem.status == 404 and problem.code == "not_found"


def test_nothing_scrolls_sideways_on_a_small_phone(gateway, visitor, signed_in):
    visitor.narrow(320)
    for path in ["/account", "/sign-in?max_age=0", "/setup#x", "/recover#x", "/nothing"]:
        visitor.go(path)
        visitor.see("h1")
        width = visitor.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= 320, (path, width)
    visitor.go("/account")
    visitor.see("#sessions")
    visitor.sign_out()
    visitor.see("#submit")
    assert visitor.driver.execute_script("return document.documentElement.scrollWidth") <= 320


def test_every_control_has_a_name_and_every_page_its_landmarks(gateway, visitor, signed_in):
    for path in ["/account", "/sign-in?max_age=0", "/setup#x", "/recover#x"]:
        visitor.go(path)
        visitor.see("h1")
        for control in visitor.all("input:not([type=hidden]), button, a"):
            if control.is_displayed():
                assert control.accessible_name, (path, control.get_attribute("outerHTML"))
        assert len(visitor.all("main")) == 1 and len(visitor.all("header")) == 1
        assert len([each for each in visitor.all("h1") if each.is_displayed()]) == 1
        assert visitor.find("html").get_attribute("lang") == "en"
        assert visitor.complaints() == []
    assert visitor.strangers() == []


def test_form_of_another_site_is_refused(gateway):
    gateway.account_add("lee")
    form = {"identifier": "lee", "password": PASSWORD}
    for origin in (None, "https://evil.example", "null"):
        headers = {"Origin": origin} if origin else {}
        answer = gateway.request("POST", "/sign-in", form=form, headers=headers)
        assert answer.status == 403 and not answer.header("Set-Cookie"), origin
    answer = gateway.request("POST", "/sign-in", form=form, headers={"Origin": gateway.origin})
    assert answer.status == 303 and answer.header("Set-Cookie")
    assert answer.header("Location") == f"{gateway.origin}/account"


def test_text_from_a_form_is_only_text(gateway):
    form = {"identifier": '"><img src=x onerror=alert(1)>', "password": "x" * 20, "return_to": '"><script>'}
    page = gateway.request("POST", "/sign-in", form=form, headers={"Origin": gateway.origin})
    assert page.status == 401
    assert "<img src=x" not in page.text and "<script>" not in page.text
    assert "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" in page.text
