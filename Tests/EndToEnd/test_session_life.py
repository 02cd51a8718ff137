"""How long sessions last, how many there are, and what becomes of their tokens."""

import json
import re

import pytest

from commands import check
from gateway import Gateway
from passkey import Passkey, register, step_up


def age(answer):
    found = re.search(r"Max-Age=(\d+)", answer.header("Set-Cookie") or "")
    return int(found[1]) if found else None


REMEMBER = {"sessions": {"absolute": "10h", "remember": {"absolute": "30d", "idle": "7d"}}}


@pytest.fixture(scope="module")
def remembering():
    with Gateway.start(REMEMBER | {"policy": {"fresh": "10m"}}) as gateway:
        gateway.account_add("lee")
        yield gateway


def test_without_asking_the_cookie_ends_with_the_browser(remembering):
    answer = remembering.client().sign_in("lee")
    assert age(answer) is None and "Expires" not in answer.header("Set-Cookie")
    assert answer.json["session"]["expiresAt"]


def test_who_asks_stays_signed_in_also_after_a_step_up(remembering):
    client, passkey = remembering.client(), Passkey()
    assert age(client.sign_in("lee", remember=True)) == 30 * 86_400
    assert register(client, passkey).status == 200
    stepped = step_up(client, passkey)
    assert stepped.status == 200 and 29 * 86_400 < age(stepped) <= 30 * 86_400


def test_the_form_and_the_page_ask_where_it_is_offered(remembering):
    import urllib.parse

    page = remembering.request("GET", "/sign-in")
    assert 'data-remember="yes"' in page.text
    headers = {"Origin": remembering.origin, "Content-Type": "application/x-www-form-urlencoded"}
    fields = {"identifier": "lee", "password": "correct horse battery staple"}
    for extra, expected in (({}, None), ({"remember": "yes"}, 30 * 86_400)):
        body = urllib.parse.urlencode(fields | extra).encode()
        answer = remembering.request("POST", "/sign-in", body=body, headers=headers)
        assert answer.status == 303 and age(answer) == expected


def test_where_it_is_not_offered_asking_changes_nothing(gateway, lee):
    assert 'data-remember="no"' in gateway.request("GET", "/sign-in").text
    assert age(gateway.client().sign_in(lee, remember=True)) == age(gateway.client().sign_in(lee)) == 86_400


def test_of_group_and_kind_the_strictest_lifetime_counts():
    overrides = {"sessions": {"lifetimes": {"password": {"absolute": "5h"}}, "groups": [{"group": "admin", "absolute": "2h"}]}}
    with Gateway.start(overrides) as gateway:
        gateway.account_add("lee")
        gateway.account_add("kim", groups=("staff", "admin"))
        assert age(gateway.client().sign_in("lee")) == 5 * 3_600
        assert age(gateway.client().sign_in("kim")) == 2 * 3_600


def test_beyond_the_limit_the_session_unused_for_longest_ends():
    with Gateway.start({"sessions": {"limit": 2}}) as gateway:
        gateway.account_add("lee")
        gateway.account_add("kim")
        clients = [gateway.client() for _ in range(3)]
        other = gateway.client()
        other.sign_in("kim")
        for client in clients:
            assert client.sign_in("lee").status == 200
        assert [client.get("/session").status for client in clients] == [401, 200, 200]
        assert other.get("/session").status == 200
        assert len(clients[1].get("/sessions").json["sessions"]) == 2


def test_an_ended_token_that_comes_again_is_refused_and_noted_once(gateway, lee):
    client = gateway.client()
    client.sign_in(lee)
    stolen = {"Cookie": f"gatehouse={client.cookies['gatehouse']}"}
    assert client.delete("/session").status == 204
    asked = {"X-Original-URL": f"{gateway.origin}/", "X-Original-Method": "GET", **stolen}
    for _ in range(2):
        assert gateway.request("GET", "/session", headers=stolen).status == 401
        assert gateway.request("GET", "/auth/nginx", headers=asked, listener="check").status == 401
    events = json.loads(gateway.cli("account", "show", lee, "--json").stdout)["events"]
    assert [event["action"] for event in events].count("ended_session_used") == 1


@pytest.mark.parametrize(
    "text, path",
    [
        ("sessions: {limit: 0}", "sessions.limit"),
        ("sessions: {remember: {absolute: 1h, idle: 2h}}", "sessions.remember.idle"),
        ("sessions: {remember: {absolut: 1h}}", "sessions.remember.absolut"),
        ("sessions: {groups: [{absolute: 1h}]}", "sessions.groups[0].group"),
    ],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, text, path):
    result = check(tmp_path, text + "\n")
    assert result.returncode == 78 and f"gatehouse.yaml:1: {path}" in result.stderr
    assert check(tmp_path, "sessions: {limit: 3, remember: {absolute: 9d, idle: 9d}}\n").returncode == 0
