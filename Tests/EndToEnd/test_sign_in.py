"""The combined sign-in request over HTTP: what clients rely on."""

import concurrent.futures

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register, step_up


def begin(client, /, **body):
    return client.post("/sign-in/options", body).json


def verify(client, ceremony, **credential):
    return client.post("/sign-in/verify", {"ceremonyId": ceremony, "credential": credential})


def password(client, ceremony, name, word=PASSWORD):
    return verify(client, ceremony, kind="password", identifier=name, password=word)


def test_every_enabled_kind_is_asked_for_under_one_ceremony(gateway):
    answer = begin(gateway.client())
    assert [request["kind"] for request in answer["requests"]] == ["passkey", "password", "recovery-code"]
    assert "allowCredentials" not in answer["requests"][0]["options"]
    assert answer["requests"][0]["options"]["rpId"] == "localhost"
    assert answer["mediation"] == "modal" and answer["expiresAt"].endswith("Z")


def test_options_need_no_body_and_never_repeat_a_challenge(gateway):
    client = gateway.client()
    challenges = set()
    for _ in range(20):
        answer = client.request("POST", "/passkeys/authenticate/options")
        assert answer.status == 200 and set(answer.json) == {"ceremonyId", "options"}
        challenges.add(answer.json["options"]["challenge"])
    assert len(challenges) == 20


def test_the_clients_order_of_kinds_is_kept_and_unknown_kinds_are_left_out(gateway):
    answer = begin(gateway.client(), kinds=["password", "carrier-pigeon", "passkey"])
    assert [request["kind"] for request in answer["requests"]] == ["password", "passkey"]
    assert gateway.client().post("/sign-in/options", {"kinds": ["carrier-pigeon"]}).code == "unknown_kind"


def test_a_password_opens_a_session_in_a_cookie(gateway, lee):
    client = gateway.client()
    answer = client.sign_in(lee)
    assert answer.status == 200 and answer.json["status"] == "complete"
    assert answer.json["account"]["username"] == lee
    session = answer.json["session"]
    assert session["assurance"] == "aal1" and session["methods"] == ["password"] and "token" not in session
    (cookie,) = answer.all_headers("Set-Cookie")
    assert cookie.startswith("gatehouse=") and "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/" in cookie
    assert "Domain" not in cookie and "Secure" not in cookie and "Max-Age=86400" in cookie
    assert client.get("/session").json["account"]["username"] == lee


def test_an_app_gets_its_token_in_the_answer_and_no_cookie(gateway, lee):
    client = gateway.client()
    answer = client.sign_in(lee, client="native")
    assert answer.status == 200 and not answer.all_headers("Set-Cookie")
    bearer = {"Authorization": f"Bearer {answer.json['session']['token']}"}
    assert gateway.request("GET", "/session", headers=bearer).json["account"]["username"] == lee


def test_a_page_in_a_browser_can_neither_begin_nor_finish_an_apps_ceremony(gateway, lee):
    client = gateway.client()
    page = {"Origin": gateway.origin}
    assert client.post("/sign-in/options", {"client": "native"}, headers=page).code == "browser_context"
    begun = begin(client, client="native")
    body = {
        "ceremonyId": begun["ceremonyId"],
        "credential": {"kind": "password", "identifier": lee, "password": PASSWORD},
    }
    assert client.post("/sign-in/verify", body, headers=page).code == "browser_context"
    assert client.post("/sign-in/verify", body).status == 200


def test_wrong_unknown_and_disabled_are_one_answer(gateway, lee):
    gateway.account_add("disabled-one")
    gateway.cli("account", "disable", "disabled-one")
    gateway.account_add("without-password", None)
    answers = []
    for name, word in [
        (lee, "wrong horse battery staple"), ("nobody-at-all", PASSWORD), ("disabled-one", PASSWORD),
        ("without-password", PASSWORD), ("in valid", PASSWORD),
    ]:
        client = gateway.client()
        answer = client.sign_in(name, word)
        body = answer.json
        body.pop("requestId")
        answers.append((answer.status, body, [key for key, _ in answer.headers]))
        assert not client.cookies
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == 401 and answers[0][1]["code"] == "credential_rejected"
    assert gateway.client().sign_in(lee).status == 200


@pytest.mark.parametrize("word", ["", "\u0000", "x" * 1025])
def test_what_no_password_can_look_like_is_malformed_for_known_and_unknown_names(gateway, lee, word):
    for name in (lee, "nobody-at-all"):
        assert gateway.client().sign_in(name, word).code == "malformed_credential"


def test_all_of_a_long_password_counts(gateway):
    word = "long " * 40
    gateway.account_add("long-winded", word)
    assert gateway.client().sign_in("long-winded", word[:-1] + "X").status == 401
    assert gateway.client().sign_in("long-winded", word).status == 200
    gateway.account_add("emoji", "🔑" * 64)
    assert gateway.client().sign_in("emoji", "🔑" * 64).status == 200


def test_a_name_signs_in_however_its_case_and_width(gateway, lee):
    assert gateway.client().sign_in(lee.upper()).status == 200
    assert gateway.client().sign_in("".join(chr(ord(c) + 0xFEE0) for c in lee)).status == 200


def test_of_many_correct_responses_at_once_exactly_one_wins(gateway, lee):
    for _ in range(5):
        ceremony = begin(gateway.client())["ceremonyId"]
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            answers = list(pool.map(lambda _: password(gateway.client(), ceremony, lee), range(32)))
        assert [answer.status for answer in answers].count(200) == 1
        assert {answer.code for answer in answers if answer.status != 200} <= {
            "ceremony_consumed", "ceremony_exhausted", "overloaded",
        }


def test_a_ceremony_is_bound_to_its_name_its_kinds_and_its_attempts(gateway, lee):
    client = gateway.client()
    named = begin(client, identifier=lee)["ceremonyId"]
    assert password(client, named, "somebody-else").code == "identifier_mismatch"
    only_passkey = begin(client, kinds=["passkey"])["ceremonyId"]
    assert password(client, only_passkey, lee).code == "kind_not_requested"
    assert verify(client, only_passkey, kind="carrier-pigeon").code == "not_handled"
    assert password(client, "A" * 22, lee).code == "ceremony_unknown"
    tried = begin(client)["ceremonyId"]
    for _ in range(5):
        assert password(client, tried, lee, "wrong horse battery staple").code == "credential_rejected"
    answer = password(client, tried, lee)
    assert (answer.status, answer.code) == (410, "ceremony_exhausted")


def test_two_tabs_sign_in_side_by_side(gateway, lee):
    client = gateway.client()
    first, second = begin(client, identifier=lee)["ceremonyId"], begin(client, identifier=lee)["ceremonyId"]
    assert password(client, second, lee).status == 200
    before = dict(client.cookies)
    assert password(client, first, lee).status == 200
    assert client.cookies != before
    assert gateway.request("GET", "/session", headers={"Cookie": f"gatehouse={before['gatehouse']}"}).status == 401


def test_sessions_are_listed_and_ended(gateway, lee):
    phone, laptop = gateway.client(), gateway.client()
    phone.sign_in(lee)
    laptop.sign_in(lee)
    sessions = laptop.get("/sessions").json["sessions"]
    assert len(sessions) == 2 and [session["current"] for session in sessions].count(True) == 1
    assert set(sessions[0]) >= {"id", "current", "createdAt", "lastSeenAt", "methods", "assurance", "ipAddress"}
    other = next(session for session in sessions if not session["current"])
    assert laptop.delete(f"/sessions/{other['id']}").status == 204
    assert phone.get("/session").code == "session_required"
    phone.sign_in(lee)
    assert laptop.delete("/sessions").status == 204
    assert phone.get("/session").status == 401 and laptop.get("/session").status == 200


def test_somebody_elses_session_is_not_there(gateway, lee):
    gateway.account_add("mallory")
    mallory, victim = gateway.client(), gateway.client()
    mallory.sign_in("mallory")
    victim.sign_in(lee)
    theirs = victim.get("/session").json["id"]
    assert mallory.delete(f"/sessions/{theirs}").code == "not_found"
    assert victim.get("/session").status == 200


def test_signing_out_kills_the_session_and_clears_the_cookie_and_may_be_repeated(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    token = client.cookies["gatehouse"]
    answer = client.delete("/session")
    (cleared,) = answer.all_headers("Set-Cookie")
    assert answer.status == 204 and cleared.startswith("gatehouse=;") and "Max-Age=0" in cleared and "Path=/" in cleared
    replay = gateway.request("GET", "/session", headers={"Cookie": f"gatehouse={token}"})
    assert replay.status == 401 and "Max-Age=0" in replay.header("Set-Cookie")
    assert client.delete("/session").status == 204
    assert gateway.request("GET", "/session").status == 401
    client.sign_in(lee)
    assert client.request("GET", "/session/end").status == 404


@pytest.mark.parametrize(
    "cookie", ["gatehouse=", "gatehouse=%00", 'gatehouse="x', "gatehouse=../../x", "gatehouse=" + "A" * 8000]
)
def test_a_malformed_cookie_is_no_session(gateway, cookie):
    assert gateway.request("GET", "/session", headers={"Cookie": cookie}).code == "session_required"


def test_two_cookies_of_our_name_are_no_session(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    token = client.cookies["gatehouse"]
    for header in (f"gatehouse={token}; gatehouse={'B' * 43}", f"gatehouse={'B' * 43}; x=1; gatehouse={token}"):
        assert gateway.request("GET", "/session", headers={"Cookie": header}).status == 401
    assert gateway.request("GET", "/session", headers={"Cookie": f"_ga=x; gatehouse={token}"}).status == 200


def test_an_invalid_session_is_never_taken_for_a_sign_up(gateway):
    answer = gateway.request(
        "POST", "/passkeys/register/options", json_body={}, headers={"Cookie": "gatehouse=" + "A" * 43}
    )
    assert answer.code == "session_required" and "Max-Age=0" in answer.header("Set-Cookie")


def test_return_addresses_are_those_of_our_applications(gateway, lee):
    client = gateway.client()
    good = "http://localhost:8080/p?a=1&b=2&next=https%3A%2F%2Fx.test%2F%3Fq%3D1"
    assert client.sign_in(lee, returnTo=good).json["returnTo"] == good
    for bad in [
        "//evil.test", "/\\evil.test", "/%09/evil.test", "https:evil.test", "https:///evil.test", "https://evil.test/",
        "https://localhost.evil.test", "https://localhost@evil.test", "javascript:alert(1)", "data:text/html,x",
        "http://evil.test/?localhost", "http://localhost%2eevil.test", "http://localhost:8080/\n", "",
    ]:
        assert client.post("/sign-in/options", {"returnTo": bad}).code == "return_url_not_allowed", bad


def test_a_session_steps_up_by_passkey_and_returns_a_new_token(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    passkey = Passkey()
    assert register(client, passkey).status == 200
    client.delete("/session")
    client.sign_in(lee)
    before = client.cookies["gatehouse"]
    answer = step_up(client, passkey, assurance="aal2", maxAge=600)
    assert answer.status == 200 and answer.json["session"]["assurance"] == "aal2"
    assert answer.json["session"]["methods"] == ["password", "passkey"] and client.cookies["gatehouse"] != before
    assert gateway.request("GET", "/session", headers={"Cookie": f"gatehouse={before}"}).status == 401


def test_a_step_up_takes_only_the_accounts_own_passkey(gateway, lee):
    stranger = Passkey()
    assert register(gateway.client(), stranger, username=f"stranger-{lee}").status == 200
    client = gateway.client()
    client.sign_in(lee)
    assert client.post("/sign-in/options", {"stepUp": True, "kinds": ["passkey"]}).code == "step_up_impossible"
    assert register(client, Passkey()).status == 200
    assert step_up(client, stranger).code == "ceremony_account_mismatch"
    assert gateway.client().post("/sign-in/options", {"stepUp": True}).code == "session_required"


def test_guessing_is_slowed_down_for_known_and_unknown_names_and_survives_a_restart():
    with Gateway.start({"throttle": {"free_failures": 3}}) as gateway:
        gateway.account_add("lee")
        passkey = Passkey()
        client = gateway.client()
        client.sign_in("lee")
        assert register(client, passkey).status == 200
        for name in ("lee", "nobody"):
            answers = [gateway.client().sign_in(name, "wrong horse battery staple") for _ in range(20)]
            answer = answers[-1]
            assert answer.code == "too_many_attempts" and int(answer.header("Retry-After")) >= 1
            assert answer.status == 429 and answer.json["retryAfter"] >= 1
        gateway.restart()
        # Once the wait is over one more failure is one too many; a gateway that forgot would allow three.
        guess = lambda: gateway.client().sign_in("lee", "wrong horse battery staple").code
        while guess() == "too_many_attempts":
            pass
        assert guess() == "too_many_attempts"
        assert authenticate(gateway.client(), passkey).status == 200


def test_an_address_has_only_so_many_attempts_even_on_loopback():
    with Gateway.start({"throttle": {"per_address_per_minute": 20}}) as gateway:
        statuses = [gateway.client().post("/sign-in/options").status for _ in range(40)]
        assert statuses[:20] == [200] * 20 and 429 in statuses
        spoofed = gateway.request(
            "POST", "/sign-in/options", json_body={}, headers={"X-Forwarded-For": "203.0.113.9"}
        )
        assert spoofed.status == 200, "a trusted proxy's visitor has attempts of its own"
        assert gateway.request("GET", "/healthz").status == 200


def test_ten_thousand_junk_names_lock_nobody_out():
    with Gateway.start({"hashing": {"memory_kib": 64, "passes": 1}}) as gateway:
        gateway.account_add("alice")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda i: gateway.client().sign_in(f"junk{i}", "wrong horse battery"), range(1_000)))
        assert gateway.client().sign_in("alice").status == 200
