"""Sign-ins in two steps, where the policy asks for more than a password."""


import pytest

from commands import check
from device import Device
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register, step_up

POLICY = {"policy": {"groups": [{"group": "admin", "assurance": "aal2"}]}, "throttle": {"free_failures": 1000}}
_names = iter(range(1_000_000))


@pytest.fixture(scope="module")
def gateway():
    with Gateway.start(POLICY) as started:
        yield started


@pytest.fixture
def kim(gateway):
    """An administrator with a password and a passkey."""
    name = f"kim{next(_names)}"
    gateway.account_add(name, display_name="Kim K.", email=f"{name}@example.test", groups=("admin",))
    client, passkey = gateway.client(), Passkey()
    assert client.sign_in(name).json["status"] == "needs_enrollment"
    assert register(client, passkey).status == 200
    return name, passkey


def second_step(client, answer, passkey):
    options = next(each["options"] for each in answer.json["requests"] if each["kind"] == "passkey")
    credential = {"kind": "passkey", "response": passkey.get(options, client.gateway.origin)}
    return client.post("/sign-in/verify", {"ceremonyId": answer.json["ceremonyId"], "credential": credential})


def test_a_password_opens_nothing_by_itself_and_goes_on_in_a_ceremony_of_its_own(gateway, kim):
    name, passkey = kim
    client = gateway.client()
    begun = client.post("/sign-in/options", {"identifier": name, "kinds": ["password"]}).json
    credential = {"kind": "password", "identifier": name, "password": PASSWORD}
    first = client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})
    assert first.status == 200 and first.json["status"] == "needs_second_factor"
    assert set(first.json) == {"status", "account", "ceremonyId", "expiresAt", "requests"}
    assert set(first.json["account"]) == {"id", "username", "displayName"}
    assert not first.header("Set-Cookie") and first.json["ceremonyId"] != begun["ceremonyId"]
    assert [each["kind"] for each in first.json["requests"]] == ["passkey"]
    assert len(first.json["requests"][0]["options"]["allowCredentials"]) == 1
    again = client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})
    assert again.code == "ceremony_consumed"
    second = second_step(client, first, passkey)
    assert second.status == 200 and second.json["status"] == "complete"
    assert second.json["session"]["assurance"] == "aal2"
    assert second.json["session"]["methods"] == ["password", "passkey"]
    assert client.get("/session").status == 200


def test_a_passkey_that_verifies_its_user_is_enough(gateway, kim):
    _, passkey = kim
    assert authenticate(gateway.client(), passkey).json["status"] == "complete"


def test_others_are_asked_for_nothing_more(gateway):
    gateway.account_add("staff-member", groups=("staff",))
    assert gateway.client().sign_in("staff-member").json["session"]["assurance"] == "aal1"


def test_a_wrong_password_says_nothing_of_a_second_factor(gateway, kim):
    name, _ = kim
    wrong = gateway.client().sign_in(name, "not the right password")
    unknown = gateway.client().sign_in("nobody-at-all", "not the right password")
    assert wrong.code == unknown.code == "credential_rejected"


def test_the_second_step_takes_a_passkey_of_that_account(gateway, kim):
    name, passkey = kim
    stranger = Passkey()
    assert register(gateway.client(), stranger).status == 200
    client = gateway.client()
    first = client.sign_in(name)
    assert second_step(client, first, stranger).code == "ceremony_account_mismatch"
    credential = {"kind": "password", "identifier": name, "password": PASSWORD}
    again = client.post("/sign-in/verify", {"ceremonyId": first.json["ceremonyId"], "credential": credential})
    assert again.code == "kind_not_requested"
    assert second_step(client, first, passkey).status == 200


def test_what_was_proved_ends_with_the_credential_and_with_all_sessions(gateway, kim):
    name, passkey = kim
    client, owner = gateway.client(), gateway.client()
    first = client.sign_in(name)
    authenticate(owner, passkey)
    assert owner.put("/password", {"newPassword": "a quite different password"}).status == 204
    assert second_step(client, first, passkey).code == "ceremony_unknown"
    first = client.sign_in(name, "a quite different password")
    assert owner.delete("/sessions").status == 204
    assert second_step(client, first, passkey).code == "ceremony_unknown"
    first = client.sign_in(name, "a quite different password")
    assert second_step(client, first, passkey).status == 200


def test_the_session_of_before_ends_with_the_second_step_and_not_with_the_first(gateway, kim, lee):
    name, passkey = kim
    client = gateway.client()
    client.sign_in(lee)
    old = dict(client.cookies)
    first = client.sign_in(name)
    assert client.cookies == old and client.get("/session").json["account"]["username"] == lee
    assert second_step(client, first, passkey).status == 200
    client.cookies = old
    assert client.get("/session").status == 401


def test_an_app_goes_on_as_an_app_and_gets_its_token_in_the_end(gateway, kim):
    name, passkey = kim
    client = gateway.client()
    first = client.sign_in(name, client="native")
    page = {"Origin": gateway.origin}
    options = first.json["requests"][0]["options"]
    credential = {"kind": "passkey", "response": passkey.get(options, gateway.origin)}
    body = {"ceremonyId": first.json["ceremonyId"], "credential": credential}
    assert client.post("/sign-in/verify", body, headers=page).code == "browser_context"
    second = client.post("/sign-in/verify", body)
    assert second.status == 200 and second.json["session"]["token"] and not second.header("Set-Cookie")


def test_a_trusted_device_takes_a_password_beside_it(gateway):
    with Gateway.start(POLICY | {"policy": {"assurance": "aal2"}, "accounts": {"signup": "open"}}) as strict:
        owner, passkey, device = strict.client(), Passkey(), Device()
        assert register(owner, passkey, username="noor").status == 200
        assert owner.put("/password", {"newPassword": PASSWORD}).status == 204
        assert device.enrol(owner).status == 200
        client = strict.client()
        first = device.sign_in(client)
        assert first.json["status"] == "needs_second_factor"
        assert {each["kind"] for each in first.json["requests"]} == {"passkey", "password"}
        credential = {"kind": "password", "identifier": "noor", "password": PASSWORD}
        second = client.post("/sign-in/verify", {"ceremonyId": first.json["ceremonyId"], "credential": credential})
        assert second.json["session"]["methods"] == ["trusted-device", "password"]
        assert second.json["session"]["assurance"] == "aal2"


# Nothing to ask for


def test_who_has_no_second_factor_may_enrol_a_passkey_and_nothing_else(gateway):
    name = f"kim{next(_names)}"
    gateway.account_add(name, groups=("admin",))
    client = gateway.client()
    answer = client.sign_in(name)
    assert answer.json["status"] == "needs_enrollment" and "offer" not in answer.json and "signals" not in answer.json
    assert answer.json["session"]["restricted"] and answer.json["session"]["scope"] == "first-passkey"
    assert client.get("/session").status == 200
    for method, path in (("GET", "/passkeys"), ("GET", "/sessions"), ("DELETE", "/sessions"), ("GET", "/trusted-devices")):
        assert client.request(method, path).code == "step_up_required"
    assert client.put("/password", {"newPassword": "a quite different password"}).code == "step_up_required"
    assert client.post("/recovery-codes/register/options").code == "step_up_required"
    asked = {"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET"}
    cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert gateway.request("GET", "/auth/nginx", headers=asked | cookie, listener="check").status == 401
    enrolled = register(client, Passkey())
    assert enrolled.status == 200 and enrolled.json["session"]["assurance"] == "aal2"
    assert gateway.request(
        "GET", "/auth/nginx", headers=asked | {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}, listener="check"
    ).status == 200


def test_two_such_sessions_enrol_one_passkey_between_them(gateway):
    name = f"kim{next(_names)}"
    gateway.account_add(name, groups=("admin",))
    thief, owner = gateway.client(), gateway.client()
    thief.sign_in(name)
    owner.sign_in(name)
    assert register(owner, Passkey()).status == 200
    assert register(thief, Passkey()).code == "fresh_session_required"


def test_a_passkey_that_verifies_nobody_takes_a_password_beside_it(gateway):
    name, weak = f"kim{next(_names)}", Passkey(verifies=False)
    gateway.account_add(name, groups=("admin",))
    client = gateway.client()
    client.sign_in(name)
    enrolled = register(client, weak)
    assert enrolled.json["session"]["assurance"] == "aal2", "with the password before it"
    first = authenticate(gateway.client(), weak)
    assert first.json["status"] == "needs_second_factor"
    assert [each["kind"] for each in first.json["requests"]] == ["password"]


def test_a_passkey_that_verifies_nobody_is_no_sign_up_where_two_factors_are_asked_for():
    with Gateway.start({"policy": {"assurance": "aal2"}}) as strict:
        assert register(strict.client(), Passkey(verifies=False)).code == "user_verification_required"
        assert register(strict.client(), Passkey()).json["session"]["assurance"] == "aal2"


# Sessions from before


def test_a_session_from_before_the_policy_has_to_step_up_everywhere():
    with Gateway.start() as gateway:
        gateway.account_add("noor")
        client, passkey = gateway.client(), Passkey()
        client.sign_in("noor")
        register(client, passkey)
        client.sign_in("noor")
        asked = {"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET"}

        def passes():
            cookie = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
            return gateway.request("GET", "/auth/nginx", headers=asked | cookie, listener="check")

        assert passes().status == 200
        gateway.config["policy"] = {"assurance": "aal2"}
        gateway.write_config()
        gateway.restart()
        assert passes().status == 401 and 'acr_values="aal2"' in passes().header("WWW-Authenticate")
        problem = client.get("/passkeys")
        assert problem.code == "step_up_required" and problem.json["assurance"] == "aal2"
        assert client.get("/session").status == 200
        assert step_up(client, passkey, assurance="aal2").status == 200
        assert passes().status == 200 and client.get("/passkeys").status == 200


def test_a_password_that_never_signs_in_alone_may_be_shorter():
    with Gateway.start(POLICY | {"accounts": {"signup": "open"}}) as strict:
        strict.account_add("kim", groups=("admin",))
        strict.account_add("lee")
        kim, lee = strict.client(), strict.client()
        kim.sign_in("kim")
        assert register(kim, Passkey()).status == 200
        lee.sign_in("lee")
        assert lee.put("/password", {"newPassword": "zebrafog"}).code == "password_too_weak"
        assert kim.put("/password", {"newPassword": "zebrafo"}).code == "password_too_weak"
        assert kim.put("/password", {"newPassword": "zebrafog"}).status == 204
        assert strict.client().sign_in("kim", "zebrafog").json["status"] == "needs_second_factor"


# The second step after a form


def test_a_form_without_scripts_is_told_what_is_missing(gateway, kim):
    import urllib.parse

    name, _ = kim
    body = urllib.parse.urlencode({"identifier": name, "password": PASSWORD}).encode()
    headers = {"Origin": gateway.origin, "Content-Type": "application/x-www-form-urlencoded"}
    answer = gateway.request("POST", "/sign-in", body=body, headers=headers)
    assert answer.status == 200 and not answer.header("Set-Cookie")
    assert "needs a second step" in answer.text and "needs_second_factor" in answer.text
    assert PASSWORD not in answer.text


@pytest.mark.parametrize(
    "text, path",
    [
        ("policy: {assurance: aal4}", "policy.assurance"),
        ("policy: {groups: [{assurance: aal2}]}", "policy.groups[0].group"),
        ("policy: {groups: [{group: a, assurance: aal2}, {group: a}]}", "policy.groups[1].group"),
        ("policy: {groups: [{group: a, asurance: aal2}]}", "policy.groups[0].asurance"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, text, path):
    result = check(tmp_path, text + "\n")
    assert result.returncode == 78 and f"gatehouse.yaml:1: {path}" in result.stderr
    assert check(tmp_path, "policy: {assurance: aal2, groups: [{group: a, assurance: aal3}]}\n").returncode == 0
