"""The configuration file and the environment."""

import pathlib

import pytest

from commands import ENVIRONMENT, check, run

RULES = "access: {rules: [{host: login.example.com, require: {}}]}\n"


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
     "providers: {passkey: {attestation: {policy: required, groups: [{group: admin, policy: required}]}}}",
     "providers: {passkey: {attestation: {groups: [{policy: wanted}]}}}",
     "providers: {passkey: {attestation: {groups: [{group: admin, certification: l1}]}}}",
     "providers: {passkey: {metadata: {file: mds.jwt}, attestation: {certification: l1}}}",
     "providers: {passkey: {metadata: {file: mds.jwt}, attestation: {policy: required, certification: l9}}}",
     "providers: {passkey: {metadata: {url: 'https://mds.example.test/'}}}",
     "providers: {passkey: {metadata: {file: mds.jwt, url: 'http://mds.example.test/'}}}",
     "providers: {passkey: {metadata: {file: mds.jwt, host: mds.example.test}}}",
     "providers: {passkey: {metadata: {file: mds.jwt, roots: [missing.pem]}}}",
     "providers: {passkey: {metadata: {file: mds.jwt, refuse: [revoke]}}}", "outgoing: {authorities: missing.pem}",
     "providers: {passkey: {attestation: {root: []}}}", "providers: {passkey: {device_bound_only: sometimes}}",
     "public_url: https://192.0.2.1", "listen: {public: '127.0.0.1:9092'}", "storage: {sqlite: {path: x}, postgres: {url: y}}"],
)
def test_settings_that_contradict_each_other_stop_the_start(tmp_path, text):
    assert check(tmp_path, text).returncode == 78
    good = "public_url: https://a.example.test\nsessions: {cookie: {domain: example.test}}\n"
    good += "access: {rules: [{host: '*.example.test', require: {}}]}\ncors_origins: [https://b.example.test]\n"
    good += "providers: {passkey: {metadata: {file: mds.jwt, url: 'https://mds.example.test/', refuse: [revoked]}, "
    good += "attestation: {groups: [{group: admin, policy: required, certification: l1}]}}}\n"
    assert check(tmp_path, good).returncode == 0


def test_related_origins_have_five_names_at_most(tmp_path):
    def checked(*hosts):
        origins = ", ".join(f"https://{host}" for host in hosts)
        rules = "access: {rules: [{host: a.example.test, require: {}}]}"
        return check(tmp_path, f"public_url: https://a.example.test\nrelated_origins: [{origins}]\n{rules}")

    five = ("one.test", "two.test", "three.test", "four.test")
    # The name before the suffix counts, once: another host of it, or the same under another suffix, is no sixth.
    assert checked(*five, "www.one.test", "one.co.uk", "b.example.test").returncode == 0
    result = checked(*five, "five.test")
    assert result.returncode == 78 and "related_origins: browsers look at five different names" in result.stderr
    assert "here are 6" in result.stderr


@pytest.mark.parametrize(
    "url,rp_id",
    [("https://auth.example.test:8443/", "auth.example.test"), ("https://AUTH.example.test", "auth.example.test"),
     ("https://bücher.example", "xn--bcher-kva.example"), ("https://xn--bcher-kva.example", "xn--bcher-kva.example")],
)
def test_a_public_url_is_put_in_its_one_spelling(tmp_path, url, rp_id):
    result = check(tmp_path, f"public_url: {url}\naccess: {{rules: []}}")
    assert result.returncode == 0 and f"RP ID            {rp_id}\n" in result.stdout


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


def test_a_file_of_something_else_is_not_listed_key_by_key(tmp_path):
    lines = check(tmp_path, "".join(f"key{number}: 1\n" for number in range(150))).stderr.splitlines()
    assert sum("unknown key" in line for line in lines) == 101
    assert ":101: key100: and 50 more unknown keys" in lines[-1]


@pytest.mark.parametrize(
    "require, reason",
    [("{machines: []}", "must not be empty"), ("{machines: [tokens]}", "each must be one of token, basic"),
     ("{machines: [oidc:ci]}", "each must be one of"), ("{machines: [basic], assurance: aal2}", "one factor"),
     ("{machines: [basic], kinds: [password]}", "one factor"),
     ("{machines: [token, basic], authenticated_within: 10m}", "one factor")],
)
def test_what_a_rule_takes_from_machines_has_to_make_sense(tmp_path, require, reason):
    rules = "access: {rules: [{host: localhost, require: %s}]}\n"
    assert check(tmp_path, rules % "{machines: [token, basic]}").returncode == 0
    assert check(tmp_path, rules % "{machines: [token], assurance: aal2}").returncode == 0
    result = check(tmp_path, rules % require)
    assert result.returncode == 78 and "access.rules[0].require.machines" in result.stderr and reason in result.stderr


def test_basic_needs_passwords(tmp_path):
    text = "access: {rules: [{host: localhost, require: {machines: [basic]}}]}\nproviders: {password: {enabled: false}}\n"
    result = check(tmp_path, text)
    assert result.returncode == 78 and "basic needs providers.password" in result.stderr


@pytest.mark.parametrize(
    "text, path",
    [("machines: {tokens: {longest_life: 1s}}", "machines.tokens.longest_life"),
     ("machines: {tokens: {quota: 0}}", "machines.tokens.quota"), ("machines: {basic: {memory: 1d}}", "machines.basic.memory"),
     ("machines: {token: {}}", "machines.token"), ("identity: {key_rotation: 9m}", "identity.key_rotation"),
     ("identity: {tokens: true}", "identity.tokens")],
)
def test_limits_of_machines_and_keys_are_checked(tmp_path, text, path):
    assert check(tmp_path, "machines: {tokens: {longest_life: 365d}}\nidentity: {token: true, key_rotation: 10m}").returncode == 0
    result = check(tmp_path, text)
    assert result.returncode == 78 and f": {path}" in result.stderr
