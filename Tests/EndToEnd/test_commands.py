"""The command line and the configuration, as operators meet them."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess

import pytest

from gateway import PASSWORD, Gateway, binary
from passkey import Passkey, authenticate, register


def run(*arguments, environment=None, cwd=None, input=""):
    return subprocess.run(
        [binary(), *arguments], input=input, text=True, capture_output=True, timeout=30, cwd=cwd,
        env={"PATH": os.environ["PATH"], **(environment or {})},
    )


def check(tmp_path, text, **environment):
    path = tmp_path / "gatehouse.yaml"
    path.write_text(text)
    return run("config", "check", "--config", str(path), environment=environment)


# Help


@pytest.mark.parametrize(
    "arguments",
    [[], ["--help"], ["-h"], ["account"], ["account", "add", "--help"], ["serve", "--help"], ["config", "check", "--help"],
     ["account", "recover", "--help"], ["version", "--help"]],
)
def test_help_is_everywhere(arguments):
    result = run(*arguments)
    assert result.returncode == 0 and "Usage: gatehouse" in result.stdout and not result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["fly"], ["account", "fly"], ["account", "add"], ["account", "add", "a", "b"], ["serve", "--fly"],
     ["serve", "--config"], ["version", "x"]],
)
def test_a_wrong_command_is_a_usage_error(arguments):
    result = run(*arguments)
    assert result.returncode == 64 and "--help" in result.stderr and not result.stdout


def test_the_version_is_printed():
    assert run("version").stdout.startswith("gatehouse ") and run("--version").returncode == 0


# Configuration


def test_the_shipped_configuration_is_the_defaults(tmp_path):
    shipped = pathlib.Path(__file__).resolve().parents[2] / "Config/gatehouse.yaml"
    with_file = run("config", "check", "--config", str(shipped))
    without = run("config", "check", cwd=tmp_path)
    assert with_file.returncode == 0 and with_file.stdout == without.stdout


def test_every_mistake_is_reported_at_once_with_its_line(tmp_path):
    result = check(
        tmp_path,
        "public_url: https://x.test/path\nlisten:\n  publik: 127.0.0.1:1\nsessions:\n  idle: 5\n"
        "  cookie: {same_sit: strict}\nthrottle: {free_failures: lots}\nrate_limit: {requests_per_minut: 1}\n"
        "access:\n  rules:\n    - {host: a.test, polcy: x}\n    - {host: 'bad host', allow: anyone}\n",
    )
    assert result.returncode == 78
    lines = result.stderr.splitlines()
    for line, path in (
        (1, "public_url"), (3, "listen.publik"), (5, "sessions.idle"), (6, "sessions.cookie.same_sit"),
        (7, "throttle.free_failures"), (8, "rate_limit"), (11, "access.rules[0].polcy"), (12, "access.rules[1].host"),
    ):
        assert any(f"gatehouse.yaml:{line}: {path}" in text for text in lines), (line, path, lines)
    assert "did you mean public?" in result.stderr


@pytest.mark.parametrize(
    "text",
    ["a: [", "a: 1\na: 2", "{", "- 1", "x", "sessions: [1]", "sessions: {idle: [1]}", "a: &a [*a]", "\x00", "\t:",
     "name: {a: &x {b: *x}}", "sessions: 7", "[" * 100_000],
)
def test_what_is_no_configuration_is_refused_with_a_reason(tmp_path, text):
    result = check(tmp_path, text)
    assert result.returncode == 78 and "gatehouse.yaml" in result.stderr


@pytest.mark.parametrize("value", ["5", "1M", "-1s", "0s", "1e9s", "99999999999999999999s", "5 m", "s", "", "m5", "9999d"])
def test_a_duration_has_a_number_and_a_unit(tmp_path, value):
    if value:
        assert check(tmp_path, f"sessions: {{idle: '{value}'}}").returncode == 78
    assert check(tmp_path, "sessions: {idle: 5m, absolute: 1d}").returncode == 0


def test_idle_can_not_outlast_absolute(tmp_path):
    result = check(tmp_path, "sessions: {idle: 2h, absolute: 1h}")
    assert result.returncode == 78 and "sessions.idle" in result.stderr


ENVIRONMENT = {
    "PASSKEY_RP_ID": "example.com", "PASSKEY_ORIGIN": "https://login.example.com", "PASSKEY_RP_NAME": "Example",
    "PASSKEY_CHALLENGE_TTL_MS": "300000", "APPLE_TEAM_ID": "ABCDE12345", "IOS_BUNDLE_IDENTIFIER": "com.example.app",
    "ANDROID_PACKAGE_NAME": "com.example.app",
    "ANDROID_SHA256_CERT_FINGERPRINTS": ":".join(["12:34:56:78:90:AB:CD:EF"] * 4),
}
RULES = "access: {rules: [{host: login.example.com, require: {}}]}\n"


@pytest.mark.parametrize(
    "origin",
    ["https://login.example.com/", "https://login.example.com/x", "https://login.example.com?x", "http://login.example.com",
     "HTTPS://login.example.com", "https://LOGIN.example.com", "login.example.com", "https://login.example.com:443",
     "https://u@login.example.com", "http://localhost:9091", ""],
)
def test_the_passkey_origin_is_exactly_an_https_origin(tmp_path, origin):
    result = check(tmp_path, RULES, **{**ENVIRONMENT, "PASSKEY_ORIGIN": origin})
    assert result.returncode == 78 and "PASSKEY_ORIGIN" in result.stderr
    assert check(tmp_path, RULES, **ENVIRONMENT).returncode == 0


BYTES = "12:34:56:78:90:AB:CD:EF"


@pytest.mark.parametrize(
    "fingerprints",
    [":".join([BYTES] * 4)[:-3], ":".join([BYTES] * 4) + ":00", ":".join([BYTES] * 4).replace("AB", "GG"),
     ":".join([BYTES] * 4).replace(":", ""), ":".join([BYTES] * 4) + ",", "", "+1" + ":".join([BYTES] * 4)[2:]],
)
def test_a_certificate_fingerprint_is_thirty_two_bytes_with_colons(tmp_path, fingerprints):
    result = check(tmp_path, RULES, **{**ENVIRONMENT, "ANDROID_SHA256_CERT_FINGERPRINTS": fingerprints})
    assert result.returncode == 78 and "fingerprint" in result.stderr


@pytest.mark.parametrize(
    "change", [{"PASSKEY_RP_ID": "other.com"}, {"PASSKEY_RP_ID": "https://example.com"}, {"PASSKEY_RP_ID": "Example.com"},
               {"PASSKEY_CHALLENGE_TTL_MS": "5m"}, {"PASSKEY_CHALLENGE_TTL_MS": "-1"}, {"APPLE_TEAM_ID": "abc"},
               {"PASSKEY_CHALLENGE_TTL": "1"}, {"PASSKEY_RP_NAME": ""}, {"PASSKEY_RP_NAME": "a\nb"}, {"PASSKEY_RP_ID": "com"}, {"GATEHOUSE_PORT": "1"}, {"PASSKEY_RP_ID": "ample.com"}],
)
def test_a_wrong_or_unknown_variable_stops_the_start(tmp_path, change):
    result = check(tmp_path, RULES, **{**ENVIRONMENT, **change})
    assert result.returncode == 78 and result.stderr.startswith("gatehouse: ")


@pytest.mark.parametrize(
    "text",
    ["sessions: {cookie: {domain: localhost}}", "sessions: {cookie: {domain: 127.0.0.1}}",
     "public_url: https://a.example.test\nsessions: {cookie: {domain: .example.test}}",
     "public_url: https://a.example.test\nsessions: {cookie: {domain: example.test.}}",
     "public_url: https://a.example.test\nsessions: {cookie: {domain: other.test}}",
     "public_url: https://a.example.test\nsessions: {cookie: {domain: test}}",
     "public_url: https://a.example.test\naccess: {rules: [{host: b.example.test, require: {}}]}",
     "public_url: https://a.example.test\naccess: {rules: [{host: '*.example.test', require: {}}]}",
     "public_url: https://a.example.test\ncors_origins: [https://evil.test]",
     "public_url: https://a.example.test\ncors_origins: [https://evilexample.test]",
     "providers: {passkey: {enabled: false}, password: {enabled: false}, trusted-device: {enabled: false}}",
     "access: {rules: [{host: localhost, paths: [], allow: anyone}]}", "access: {rules: [{host: localhost, paths: , allow: anyone}]}",
     "access: {rules: [{host: localhost, require: {groups: []}}]}", "access: {rules: [{host: localhost, require: {assurance: aal3}}]}",
     "access: {rules: [{host: localhost, require: {kinds: [passkey]}}]}\nproviders: {passkey: {enabled: false}}",
     "access: {trusted_proxies: [0.0.0.0/0]}", "hashing: {memory_kib: 19456, memory_budget_mib: 1}",
     "public_url: https://login.foo.co.uk\nsessions: {cookie: {domain: co.uk}}", "public_url: https://login.foo.co.uk\npasskeys: {rp_id: co.uk}",
     "public_url: https://login.foo.co.uk\ncors_origins: [https://evil.co.uk]", "public_url: https://x.duckdns.org\nsessions: {cookie: {domain: duckdns.org}}",
     "providers: {passkey: {attestation: {policy: required}}}", "providers: {passkey: {attestation: {policy: always}}}",
     "providers: {passkey: {attestation: {policy: wanted, roots: [missing.pem]}}}",
     "providers: {passkey: {attestation: {allow_aaguids: [2fc0579f-8113-47ea-b116-bb5a8db9202a]}}}",
     "providers: {passkey: {attestation: {policy: wanted, deny_aaguids: [2fc0579f-8113-47ea-b116-bb5a8db9202a]}}}",
     "providers: {passkey: {attestation: {policy: wanted, allow_aaguids: [2fc0579f]}}}",
     "providers: {passkey: {attestation: {root: []}}}", "providers: {passkey: {device_bound_only: sometimes}}",
     "public_url: https://192.0.2.1", "listen: {public: '127.0.0.1:9092'}", "storage: {sqlite: {path: x}, postgres: {url: y}}"],
)
def test_settings_that_contradict_each_other_stop_the_start(tmp_path, text):
    assert check(tmp_path, text).returncode == 78
    good = "public_url: https://a.example.test\nsessions: {cookie: {domain: example.test}}\n"
    good += "access: {rules: [{host: '*.example.test', require: {}}]}\ncors_origins: [https://b.example.test]\n"
    assert check(tmp_path, good).returncode == 0


@pytest.mark.parametrize(
    "url,rp_id",
    [("https://auth.example.test:8443/", "auth.example.test"), ("https://AUTH.example.test", "auth.example.test"),
     ("https://bücher.example", "xn--bcher-kva.example"), ("https://xn--bcher-kva.example", "xn--bcher-kva.example")],
)
def test_a_public_url_is_put_in_its_one_spelling(tmp_path, url, rp_id):
    result = check(tmp_path, f"public_url: {url}\naccess: {{rules: []}}")
    assert result.returncode == 0 and f"RP ID            {rp_id}\n" in result.stdout


# Serving


def test_a_busy_port_is_one_clear_line():
    with Gateway.start() as gateway:
        other = Gateway({"listen": {"public": f"127.0.0.1:{gateway.ports['public']}"}})
        try:
            result = run("serve", "--config", str(other.config_path), cwd=other.folder)
            assert result.returncode == 69
            (line,) = result.stderr.splitlines()
            assert f"127.0.0.1:{gateway.ports['public']} is in use" in line
        finally:
            other.stop()


def test_a_second_gateway_on_one_database_is_refused_and_the_first_goes_on():
    with Gateway.start() as gateway:
        other = Gateway({"storage": gateway.config["storage"]})
        try:
            result = run("serve", "--config", str(other.config_path), cwd=other.folder)
            assert result.returncode == 69 and "in use by another gateway" in result.stderr
        finally:
            other.stop()
        assert gateway.request("GET", "/readyz").status == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(number):
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        gateway.process.send_signal(number)
        assert gateway.process.wait(15) == 0
        gateway.end()
        gateway.serve()
        assert client.get("/session").status == 200


def test_passkeys_of_another_rp_id_stop_the_start():
    with Gateway.start() as gateway:
        register(gateway.client(), Passkey(), username="lee")
        gateway.end()
        gateway.config["public_url"] = "https://login.example.test"
        gateway.config["access"] = {"rules": []}
        gateway.write_config()
        result = run("serve", "--config", str(gateway.config_path), cwd=gateway.folder)
        assert result.returncode == 78 and "localhost" in result.stderr and "--accept-rp-id-change" in result.stderr
        gateway.serve("--accept-rp-id-change")
        assert gateway.request("GET", "/healthz").status == 200
        gateway.end()
        gateway.serve()


def test_the_shipped_file_with_a_public_url_has_sign_up_closed(tmp_path):
    shipped = (pathlib.Path(__file__).resolve().parents[2] / "Config/gatehouse.yaml").read_text()
    for old, new in (("http://localhost:9091", "https://a.test"), ("rp_id: localhost", "rp_id: a.test"), ("host: localhost", "host: a.test")):
        assert old in shipped
        shipped = shipped.replace(old, new)
    assert "sign-up          closed" in check(tmp_path, shipped).stdout


def test_sign_up_is_open_on_localhost_alone(tmp_path):
    for text, state in (
        ("", "open"), ("listen: {public: '0.0.0.0:9091'}", "closed"), ("accounts: {signup: closed}", "closed"),
        ("public_url: https://a.test\naccess: {rules: []}", "closed"),
    ):
        assert f"sign-up          {state}" in check(tmp_path, text).stdout


def test_the_association_files_say_what_the_environment_says():
    with Gateway.start(
        {"public_url": None, "access": {"rules": []}}, environment=ENVIRONMENT
    ) as gateway:
        apple = gateway.request("GET", "/.well-known/apple-app-site-association").json
        assert apple == {"webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}
        (link,) = gateway.request("GET", "/.well-known/assetlinks.json").json
        assert link["target"]["package_name"] == "com.example.app" and link["target"]["namespace"] == "android_app"
        assert link["target"]["sha256_cert_fingerprints"] == [ENVIRONMENT["ANDROID_SHA256_CERT_FINGERPRINTS"]]
        assert set(link["relation"]) == {
            "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
        }
        options = gateway.request("POST", "/passkeys/authenticate/options").json["options"]
        assert options["rpId"] == "example.com"


def test_an_android_app_signs_in_by_its_certificate_and_no_other():
    environment = {key: value for key, value in ENVIRONMENT.items() if not key.startswith("PASSKEY")}
    with Gateway.start(environment=environment) as gateway:
        app = "android:apk-key-hash:EjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8"
        passkey, client = Passkey(), gateway.client()
        client.gateway = type("Site", (), {"origin": app, "request": gateway.request})
        assert register(client, passkey, username="app").status == 200
        assert authenticate(client, passkey).status == 200
        for wrong in (app + "=", app.replace("Ej", "ej"), app.replace("-", "_") + "x", "android:apk-key-hash:AAAA"):
            client.gateway.origin = wrong
            assert authenticate(client, passkey).code == "origin_mismatch"


def test_a_related_page_of_the_same_site_gets_cors_with_its_exact_origin():
    overrides = {
        "public_url": "https://login.example.test", "cors_origins": ["https://app.example.test"], "access": {"rules": []},
    }
    with Gateway.start(overrides) as gateway:
        page = {"Origin": "https://app.example.test"}
        answer = gateway.request(
            "OPTIONS", "/sign-in/options", headers={**page, "Access-Control-Request-Method": "POST"}
        )
        assert answer.status == 204 and answer.header("Access-Control-Allow-Origin") == page["Origin"]
        assert answer.header("Access-Control-Allow-Credentials") == "true"
        answer = gateway.request("POST", "/sign-in/options", json_body={}, headers=page)
        assert answer.status == 200 and answer.header("Access-Control-Allow-Origin") == page["Origin"]
        assert "Origin" in answer.header("Vary")
        for evil in ("https://evilapp.example.test", "http://app.example.test", "https://app.example.test:8443", "null"):
            answer = gateway.request("POST", "/sign-in/options", json_body={}, headers={"Origin": evil})
            assert answer.code == "cross_site_request" and not answer.header("Access-Control-Allow-Origin")


# Accounts


def test_accounts_are_added_listed_shown_switched_and_recovered():
    with Gateway.start() as gateway:
        gateway.account_add("Lee", display_name="Lee L.", email="lee@example.test", groups=("staff", "admin"))
        assert gateway.cli("account", "list").stdout == "Lee [staff, admin]\n"
        listed = json.loads(gateway.cli("account", "list", "--json").stdout)
        assert listed["username"] == "Lee" and listed["groups"] == ["staff", "admin"] and not listed["disabled"]
        gateway.client().sign_in("lee")
        shown = json.loads(gateway.cli("account", "show", "LEE", "--json").stdout)
        assert [credential["kind"] for credential in shown["credentials"]] == ["password"]
        assert shown["sessions"] and "signed_in" in [event["action"] for event in shown["events"]]
        assert "password since" in gateway.cli("account", "show", "lee").stdout
        gateway.cli("account", "disable", "lee")
        assert gateway.cli("account", "list").stdout == "Lee [staff, admin] disabled\n"
        assert gateway.client().sign_in("lee").status == 401
        gateway.cli("account", "enable", "lee")
        assert gateway.client().sign_in("lee").status == 200


@pytest.mark.parametrize(
    "name", ["", "a b", "ad\u200bmin", "\ufeffadmin", "admin\u2060", "ad\u00admin", "ad\u202emin", "\u3164", "x" * 255],
)
def test_names_that_deceive_are_refused(gateway, name):
    assert gateway.cli("account", "add", name, input=PASSWORD + "\n", check=False).returncode == 65


def test_a_name_is_taken_in_every_spelling(gateway):
    gateway.account_add("Alice@Example.test")
    for name in ("alice@example.test", "ALICE@EXAMPLE.TEST", "ａlice@example.test"):
        result = gateway.cli("account", "add", name, input=PASSWORD + "\n", check=False)
        assert result.returncode == 65 and "taken" in result.stderr
    gateway.account_add("ALİCE@example.test")


def test_passwords_come_from_standard_input_and_must_be_long(gateway):
    for word in ("", "short", "fourteen chars"):
        assert gateway.cli("account", "add", "weak", input=word + "\n", check=False).returncode == 65
    assert gateway.cli("account", "add", "weak", "--password", "x", check=False).returncode == 64
    assert gateway.cli("account", "show", "weak", check=False).returncode == 67
    assert gateway.cli("account", "disable", "nobody", check=False).returncode == 67


def test_more_groups_than_a_header_holds_are_refused(gateway):
    groups = [f"--group={'g' * 60}{index}" for index in range(500)]
    result = gateway.cli("account", "add", "popular", *groups, input=PASSWORD + "\n", check=False)
    assert result.returncode == 65 and "2048" in result.stderr


def test_a_recovery_link_lets_its_owner_set_a_password_or_enrol_a_passkey():
    with Gateway.start() as gateway:
        gateway.account_add("lee", None)
        client = gateway.client()
        link = gateway.recovery_link("lee")
        assert link.startswith(gateway.origin + "/recover#")
        assert client.post("/recovery", {"token": link.split("#")[1]}).status == 200
        assert client.put("/password", {"newPassword": "short"}).code == "password_too_weak"
        assert client.put("/password", {"newPassword": PASSWORD}).status == 204
        assert gateway.client().sign_in("lee").status == 200
        client, passkey = gateway.client(), Passkey()
        client.post("/recovery", {"token": gateway.recovery_link("lee").split("#")[1]})
        answer = register(client, passkey)
        assert answer.status == 200 and not answer.json["session"]["restricted"]
        assert client.get("/sessions").status == 200
        assert authenticate(gateway.client(), passkey).status == 200


def test_the_first_start_prints_a_link_that_makes_one_administrator():
    import concurrent.futures

    with Gateway.start({"accounts": {"signup": "closed"}}) as gateway:
        token = gateway.setup_link.split("#")[1]
        body = lambda index: {"token": token, "username": f"admin{index}"}
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda index: gateway.client().post("/setup", body(index)), range(20)))
        assert sorted(answer.status for answer in answers) == [200] + [409] * 19
        (made,) = [answer for answer in answers if answer.status == 200]
        assert made.json["account"]["groups"] == ["admin"]
        gateway.restart()
        assert not any("administrator" in line for line in gateway.output)
        assert gateway.client().post("/setup", body(99)).status == 409


def test_the_password_changes_with_the_old_one_and_takes_the_other_sessions_along(gateway):
    gateway.account_add("changer")
    mine, other = gateway.client(), gateway.client()
    mine.sign_in("changer")
    other.sign_in("changer")
    change = lambda old: mine.put("/password", {"currentPassword": old, "newPassword": "another horse battery staple"})
    assert change("wrong horse battery staple").code == "credential_rejected"
    assert change(PASSWORD).status == 204
    assert mine.get("/session").status == 200 and other.get("/session").status == 401
    assert gateway.client().sign_in("changer").status == 401
    assert gateway.client().sign_in("changer", "another horse battery staple").status == 200
    assert mine.delete("/password").code == "last_credential"
    assert gateway.client().put("/password", {"newPassword": PASSWORD}).code == "session_required"


def test_nothing_in_the_database_is_a_usable_secret():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        link = gateway.recovery_link("lee").split("#")[1]
        gateway.end()
        database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3")
        texts = set()
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            for row in database.execute(f"SELECT * FROM {table}"):
                texts |= {value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in row}
        database.close()
        assert client.cookies["gatehouse"] not in texts and link not in texts
        gateway.serve()
        for text in texts:
            if text.isascii() and text.isprintable() and ";" not in text:
                headers = {"Cookie": f"gatehouse={text}"}
                assert gateway.request("GET", "/session", headers=headers).status == 401


def test_deleting_rows_by_hand_harms_nobody_else():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        gateway.account_add("kim")
        lee, kim = gateway.client(), gateway.client()
        lee.sign_in("lee")
        kim.sign_in("kim")
        database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", timeout=10)
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("DELETE FROM account WHERE identifier = 'lee'")
        database.commit()
        (left,) = database.execute("SELECT count(*) FROM session").fetchone()
        database.close()
        assert left == 1
        while lee.get("/session").status == 200:
            pass
        assert kim.get("/session").status == 200
