"""SIGHUP: other access rules while requests are under way, and a configuration with mistakes that changes nothing."""

import base64
import os
import signal
import subprocess
import threading
import time

import pytest

from documents import wait_until
from gateway import PASSWORD, Gateway, binary
from passkey import Passkey, register, step_up

BASIC = "Basic " + base64.b64encode(f"lee:{PASSWORD}".encode()).decode()
RELOADED = 'event="access rules reloaded"'
OPEN = [
    {"host": "localhost", "paths": ["/toggled/**"], "allow": "anyone"},
    {"host": "localhost", "paths": ["/mixed/**"], "allow": "anyone"},
    {"host": "localhost", "require": {}},
]
SHUT = [
    {"host": "localhost", "paths": ["/toggled/**"], "require": {"groups": ["admin"]}},
    {"host": "localhost", "paths": ["/mixed/**"], "require": {"machines": ["basic"]}},
    {"host": "localhost", "require": {}},
]


def reload(gateway, rules=None, **changes):
    """Asks for it; the number of the log's lines before is for finding what it says."""
    before = len(gateway.log)
    if rules is not None:
        gateway.config["access"]["rules"] = rules
    gateway.config.update(changes)
    gateway.write_config()
    gateway.process.send_signal(signal.SIGHUP)
    return before


def reloaded(gateway, rules=None, **changes):
    before = reload(gateway, rules, **changes)
    wait_until(gateway, lambda: RELOADED in gateway.log[before:])
    return gateway.log[before:]


def check(gateway, path, **headers):
    asked = {"X-Original-URL": f"{gateway.origin}{path}", "X-Original-Method": "GET", **headers}
    return gateway.request("GET", "/auth/nginx", headers=asked, listener="check")


@pytest.fixture
def gateway():
    settings = {"access": {"rules": OPEN}, "throttle": {"free_failures": 1000}, "machines": {"basic": {"memory": "0s"}}}
    with Gateway.start(settings) as started:
        started.account_add("lee", groups=("staff",))
        yield started


def test_fifty_reloads_under_load_fail_no_request_and_hold_at_once(gateway):
    gateway.account_add("kim")
    lee, stop, wrong, count = gateway.client(), threading.Event(), [], [0]
    lee.sign_in("lee")
    cookie = {"Cookie": f"gatehouse={lee.cookies['gatehouse']}"}

    def mixed():
        """One set takes the password and keeps it, the other passes on what it doesn't look at."""
        answer = check(gateway, "/mixed/x", Authorization=BASIC)
        seen = (answer.status, answer.header("Remote-User").strip(), answer.header("Authorization").strip())
        return seen in ((200, "lee", ""), (200, "", BASIC)), seen

    def toggled():
        answer = check(gateway, "/toggled/x", **cookie)
        return answer.status in (200, 403), answer.status

    def untouched():
        answer = check(gateway, "/x", **cookie)
        return answer.status == 200 and answer.header("Remote-User") == "lee", answer.status

    def signing_in():
        answer = gateway.client().sign_in("lee")
        return answer.status == 200, answer

    def visitor(ask):
        while not stop.is_set():
            try:
                is_right, seen = ask()
            except Exception as error:
                is_right, seen = False, error
            count[0] += 1
            if not is_right:
                wrong.append((ask.__name__, seen))

    threads = [threading.Thread(target=visitor, args=(ask,)) for ask in (mixed, mixed, toggled, untouched, signing_in)]
    for thread in threads:
        thread.start()
    try:
        kim = gateway.client()
        for index in range(50):
            is_shut = index % 2 == 0
            reloaded(gateway, SHUT if is_shut else OPEN)
            assert check(gateway, "/toggled/x").status == (401 if is_shut else 200), index
            assert check(gateway, "/toggled/x", **cookie).status == (403 if is_shut else 200), index
            if is_shut:
                assert kim.sign_in("kim").status == 200
                theirs = {"Cookie": f"gatehouse={kim.cookies['gatehouse']}"}
                assert check(gateway, "/x", **theirs).status == 200
                gateway.cli("account", "disable", "kim")
                # A running gateway notices within a second what a command changed.
                deadline = time.monotonic() + 1
                while check(gateway, "/x", **theirs).status == 200:
                    assert time.monotonic() < deadline
                assert kim.sign_in("kim").code == "credential_rejected"
            else:
                gateway.cli("account", "enable", "kim")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == [] and count[0] > 500
    assert gateway.log.count(RELOADED) == 50 and gateway.process.poll() is None


def test_whoever_asks_about_rules_is_told_of_the_new_ones(gateway):
    gateway.account_add("root", groups=("admin",))
    client, passkey = gateway.client(), Passkey()
    client.sign_in("root")
    assert register(client, passkey).status == 200
    assert step_up(client, passkey).json["session"]["assurance"] == "aal2"
    returning = lambda: client.post("/sign-in/options", {"returnTo": "http://api.localhost/x"})
    explain = lambda: client.post("/access/explain", {"url": "http://api.localhost/x"}).json.get("rule")
    assert explain() is None and returning().code == "return_url_not_allowed"
    added = [{"host": "api.localhost", "paths": ["/x"], "allow": "anyone"}, *OPEN]
    said = reloaded(gateway, added)
    assert "rules=4" in said and "restart" not in said
    assert explain() == 1 and returning().status == 200
    commanded = gateway.cli("access", "explain", "--url", "http://api.localhost/x").stdout
    assert "rule 1  matches" in commanded
    reloaded(gateway, OPEN)
    assert explain() is None and returning().code == "return_url_not_allowed"


def test_tokens_are_made_where_a_rule_takes_them_now(gateway):
    client = gateway.client()
    client.sign_in("lee")
    make = lambda: client.post("/tokens", {"name": "ci", "hosts": ["localhost"], "expiresIn": 3600})
    assert make().code == "invalid_value"
    reloaded(gateway, [{"host": "localhost", "require": {"machines": ["token"]}}])
    token = make().json["token"]
    assert check(gateway, "/x", Authorization=f"Bearer {token}").status == 200
    reloaded(gateway, OPEN)
    assert check(gateway, "/x", Authorization=f"Bearer {token}").status == 401 and make().code == "invalid_value"


@pytest.mark.parametrize(
    "rules",
    [
        [{"host": "localhost", "paths": ["/toggled/**"], "polcy": "x"}, {"host": "bad host", "allow": "anyone"}],
        [{"host": "localhost", "require": {"assurance": "aal3"}}],
        [{"host": "localhost", "allow": "anyone"}, {"host": "localhost", "require": {}}],
        # The cookie would not reach it.
        [{"host": "app.example.test", "require": {}}],
    ],
)
def test_a_configuration_with_mistakes_changes_nothing_and_is_said_in_the_same_words(gateway, rules):
    before = reload(gateway, rules)
    wait_until(gateway, lambda: 'event="configuration not reloaded"' in gateway.log[before:])
    checked = gateway.cli("config", "check", check=False)
    assert checked.returncode == 78
    lines = [line.removeprefix("gatehouse: ") for line in checked.stderr.splitlines()]
    wait_until(gateway, lambda: gateway.log[before:].count("configuration not reloaded") == len(lines))
    said = gateway.log[before:].replace("\\'", "'").replace('\\"', '"')
    assert lines and all(f'problem="{line}"' in said for line in lines), (lines, said)
    assert RELOADED not in said and check(gateway, "/toggled/x").status == 200
    reloaded(gateway, SHUT)
    assert check(gateway, "/toggled/x").status == 401


def test_a_file_that_is_gone_or_no_yaml_changes_nothing(gateway):
    for spoil in (gateway.config_path.unlink, lambda: gateway.config_path.write_text("access: [")):
        before = len(gateway.log)
        spoil()
        gateway.process.send_signal(signal.SIGHUP)
        wait_until(gateway, lambda: 'event="configuration not reloaded"' in gateway.log[before:])
        assert check(gateway, "/toggled/x").status == 200
    reloaded(gateway, SHUT)
    assert check(gateway, "/toggled/x").status == 401


def test_what_takes_a_restart_is_said_and_waits_for_one(gateway):
    said = reloaded(gateway, SHUT, name="Another", sessions={"idle": "7m"})
    settings = [line.rsplit("setting=", 1)[1] for line in said.splitlines() if "takes a restart" in line]
    assert settings == ["name", "sessions.idle"]
    assert check(gateway, "/toggled/x").status == 401
    assert "Another" not in gateway.request("GET", "/sign-in").text
    del gateway.config["sessions"]
    assert "sessions.idle" not in reloaded(gateway, OPEN)
    gateway.restart()
    assert "Another" in gateway.request("GET", "/sign-in").text


def test_rules_have_to_hold_along_with_what_does_not_change(gateway):
    """The file is right by itself; the cookie of the running gateway would not reach the new host."""
    site = {"public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}}}
    before = reload(gateway, [{"host": "app.example.test", "require": {}}], **site)
    wait_until(gateway, lambda: 'event="configuration not reloaded"' in gateway.log[before:])
    assert gateway.cli("config", "check").returncode == 0
    said = gateway.log[before:]
    assert "no session cookie reaches app.example.test" in said and "setting=public_url" in said
    assert check(gateway, "/toggled/x").status == 200


def test_without_a_file_a_closed_terminal_ends_it(tmp_path):
    """In a network of its own: without a file the ports are fixed."""
    alone = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$0" serve']
    if subprocess.run([*alone[:5], "ip link set lo up"], capture_output=True).returncode != 0:
        pytest.skip("networks of one's own are not allowed here")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("GATEHOUSE", "PASSKEY"))}
    process = subprocess.Popen(
        [*alone, binary()], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    while not process.stdout.readline().startswith("Gatehouse is ready"):
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGHUP)
    assert process.wait(20) == 0 and 'event="stopped"' in process.stderr.read()
