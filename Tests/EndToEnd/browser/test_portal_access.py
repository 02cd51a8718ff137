"""The page on which administrators ask which rule decides."""

from gateway import PASSWORD


def test_an_administrator_proves_a_second_factor_and_reads_which_rule_decides(gateway, visitor):
    gateway.account_add("kim", display_name="Kim Kay", groups=("admin",))
    visitor.add_authenticator()
    visitor.go("/sign-in")
    visitor.sign_in("kim", PASSWORD)
    visitor.click("#offer-accept")
    visitor.wait_for("/account")
    visitor.see("#sessions")
    visitor.touch(False)
    visitor.sign_out()
    visitor.sign_in("kim", PASSWORD)
    visitor.wait_for("/account")
    visitor.touch(True)
    visitor.go("/admin/access")
    visitor.fill("#url", "http://localhost:8080/start?a=1")
    visitor.fill("#account", "kim")
    visitor.click("#access-form .primary")
    visitor.click("#step-up .primary")
    assert visitor.read("#answer-title") == "Open to whoever proves enough"
    assert "rule 1 asks for assurance aal1" in visitor.read("#compared")
    assert "passes" in visitor.read("#sessions")
    assert visitor.focused == "answer-title"
    visitor.fill("#url", "http://elsewhere.test/")
    visitor.click("#access-form .primary")
    visitor.wait_until(lambda: visitor.find("#answer-title").text == "Closed to everyone", "not closed")
    assert "is for another host" in visitor.read("#rules")
    visitor.fill("#account", "nobody")
    visitor.click("#access-form .primary")
    visitor.wait_until(lambda: "no account of that name" in visitor.find("#error").text, "no word of it")
    assert visitor.complaints(but=("403", "404")) == []


def test_nobody_else_is_told(gateway, visitor):
    gateway.account_add("noor")
    visitor.go("/admin/access")
    visitor.wait_for("/sign-in")
    visitor.sign_in("noor", PASSWORD)
    visitor.click("#offer-later")
    visitor.wait_for("/account")
    visitor.go("/admin/access")
    visitor.fill("#url", "http://localhost:8080/")
    visitor.click("#access-form .primary")
    visitor.wait_until(lambda: "Only members of the group admin" in visitor.find("#error").text, "no word of it")
