"""ID tokens of other issuers, sent with each request: where a rule takes them, and for nothing else."""

import time

import pytest

from apple import Apple
from commands import check as check_configuration
from gateway import Gateway

HOST = "api.example.test"
ISSUER = "https://id.example.test"
AUDIENCE = "https://gatehouse.example.test"
RULES = [
    {"host": HOST, "paths": ["/admin/**"], "require": {"groups": ["admin"], "machines": ["oidc:ci"]}},
    {"host": HOST, "paths": ["/people/**"], "require": {}},
    {"host": HOST, "require": {"machines": ["oidc:ci", "token"]}},
]


@pytest.fixture(scope="module")
def issuer(tmp_path_factory):
    with Apple(tmp_path_factory.mktemp("issuer")) as started:
        yield started


@pytest.fixture(scope="module")
def gateway(issuer):
    entry = {
        "name": "ci", "issuers": [ISSUER], "client_ids": ["client"], "keys_url": f"{issuer.url}/auth/keys",
        "machine_audiences": [AUDIENCE], "keys_cooldown": "1s",
    }
    overrides = {
        "public_url": "https://login.example.test", "sessions": {"cookie": {"domain": "example.test"}},
        "access": {"rules": RULES}, "providers": {"oidc": [entry]}, "accounts": {"signup": "open"},
        "outgoing": {"authorities": str(issuer.authorities)}, "identity": {"token": True},
    }
    with Gateway.start(overrides) as started:
        started.origin = "https://login.example.test"
        started.account_add("builder", None, groups=("staff",))
        started.cli("account", "link", "builder", "repo:main", "--issuer", "ci")
        yield started


def token(issuer, header=None, **changes):
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "repo:main", "iat": now, "exp": now + 300, **changes}
    return issuer.key.sign({key: value for key, value in claims.items() if value is not None}, **(header or {}))


def ask(gateway, text=None, path="/", dialect="nginx", **headers):
    if dialect == "nginx":
        sent = {"X-Original-URL": f"https://{HOST}{path}", "X-Original-Method": "GET"}
    else:
        sent = {
            "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https", "X-Forwarded-Host": HOST, "X-Forwarded-Uri": path,
        }
    if text:
        sent["Authorization"] = f"Bearer {text}"
    return gateway.request("GET", f"/auth/{dialect}", headers={**sent, **headers}, listener="check")


@pytest.mark.parametrize("dialect", ["nginx", "forward"])
def test_a_linked_subject_passes_where_a_rule_takes_its_issuer(issuer, gateway, dialect):
    answer = ask(gateway, token(issuer, azp="somebody"), dialect=dialect)
    assert answer.status == 200 and answer.header("Remote-User") == "builder"
    assert answer.header("Remote-Methods") == "oidc:ci" and answer.header("Remote-Assurance") == "aal1"
    assert answer.header("Authorization").strip() == "" and answer.header("Remote-Token").count(".") == 2
    assert ask(gateway, token(issuer), "/admin/x", dialect).status == 403
    assert ask(gateway, token(issuer), "/people/x", dialect).status == 401


@pytest.mark.parametrize(
    "changes",
    [{"aud": "client"}, {"aud": [AUDIENCE, "client"]}, {"aud": AUDIENCE + "/"}, {"aud": None}, {"iss": "https://evil.test"},
     {"iss": None}, {"sub": "repo:other"}, {"sub": None}, {"exp": int(time.time()) - 120}, {"exp": None},
     {"iat": int(time.time()) + 600}, {"nbf": int(time.time()) + 600}, {"header": {"alg": "none"}},
     {"header": {"alg": "HS256"}}, {"header": {"typ": "logout+jwt"}}, {"header": {"crit": ["x"]}}],
)
def test_any_other_token_is_as_good_as_none(issuer, gateway, changes):
    assert ask(gateway, token(issuer)).status == 200
    assert ask(gateway, token(issuer, **changes)).status == 401


def test_a_changed_token_is_none(issuer, gateway):
    good = token(issuer)
    head, body, signature = good.split(".")
    for text in (f"{head}.{body}.{signature[:-4]}AAAA", f"{head}.{body}.", f"{head}.{body}", f"{head}.{signature}.{body}"):
        assert ask(gateway, text).status == 401
    assert ask(gateway, **{"X-Gatehouse-Token": good}).status == 401


def test_a_token_for_machines_signs_nobody_in(issuer, gateway):
    client = gateway.client()
    assert ask(gateway, token(issuer)).status == 200
    begun = client.post("/sign-in/options", {"kinds": ["oidc:ci"]}).json
    nonce = begun["requests"][0]["nonce"]
    for text in (token(issuer), token(issuer, nonce=nonce)):
        credential = {"kind": "oidc:ci", "identityToken": text}
        answer = client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential})
        assert answer.code == "token_invalid"
    # With the audience of a sign-in it does: what was refused was the audience.
    text = token(issuer, aud="client", nonce=nonce)
    credential = {"kind": "oidc:ci", "identityToken": text}
    assert client.post("/sign-in/verify", {"ceremonyId": begun["ceremonyId"], "credential": credential}).status == 200
    for method, path in (("GET", "/session"), ("POST", "/passkeys/register/options"), ("POST", "/tokens")):
        headers = {"Authorization": f"Bearer {token(issuer)}"}
        assert gateway.request(method, path, json_body={}, headers=headers).code == "session_required"


def test_a_disabled_account_is_out_at_once(issuer, gateway):
    gateway.account_add("other", None)
    gateway.cli("account", "link", "other", "repo:second", "--issuer", "ci")
    text = token(issuer, sub="repo:second")
    assert ask(gateway, text).header("Remote-User") == "other"
    gateway.cli("account", "disable", "other")
    assert ask(gateway, text).status == 401


def test_a_subject_belongs_to_one_account(gateway):
    again = gateway.cli("account", "link", "builder", "repo:main", "--issuer", "ci", check=False)
    assert again.returncode == 65 and "linked to an account" in again.stderr
    for arguments in (("builder", "x", "--issuer", "nobody"), ("builder", "x"), ("builder", "", "--issuer", "ci")):
        assert gateway.cli("account", "link", *arguments, check=False).returncode in (64, 65)


def test_keys_that_can_not_be_fetched_are_an_outage_and_known_ones_go_on(issuer, gateway):
    assert ask(gateway, token(issuer)).status == 200
    issuer.is_down = True
    try:
        deadline = time.monotonic() + 20
        while (answer := ask(gateway, token(issuer, {"kid": "unknown"}))).status == 401:
            assert time.monotonic() < deadline
        assert answer.status == 503 and ask(gateway, token(issuer)).status == 200
    finally:
        issuer.is_down = False


@pytest.mark.parametrize(
    "changes, path",
    [({"machine_audiences": []}, "machine_audiences"), ({"machine_audiences": ["client"]}, "machine_audiences"),
     ({"machine_audiences": None}, "access.rules[0].require.machines")],
)
def test_settings_that_make_no_sense_stop_the_start(tmp_path, changes, path):
    import json

    entry = {
        "name": "ci", "issuers": [ISSUER], "client_ids": ["client"], "keys_url": "https://id.example.test/keys",
        "machine_audiences": [AUDIENCE],
    }
    def settings(changes):
        changed = {key: value for key, value in {**entry, **changes}.items() if value is not None}
        rule = {"host": "localhost", "require": {"machines": ["oidc:ci"]}}
        return json.dumps({"providers": {"oidc": [changed]}, "access": {"rules": [rule]}})

    assert check_configuration(tmp_path, settings({})).returncode == 0
    result = check_configuration(tmp_path, settings(changes))
    assert result.returncode == 78 and path in result.stderr
