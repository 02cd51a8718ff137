"""Scripts through each proxy: where a rule takes what they send, and without their secrets behind it."""

import base64

import pytest

from gateway import PASSWORD
from servers import each_proxy, each_proxy_at_length
from visits import seen

RIGHT = "Basic " + base64.b64encode(f"lee:{PASSWORD}".encode()).decode()
WRONG = "Basic " + base64.b64encode(b"lee:wrong").decode()


@pytest.fixture(scope="module")
def token(gateway):
    client = gateway.client()
    client.sign_in("lee")
    return client.post("/tokens", {"name": "ci", "hosts": ["localhost"], "expiresIn": 3600}).json["token"]


@each_proxy
def test_a_token_passes_where_a_rule_takes_it_and_goes_no_further(proxy, token):
    answer = proxy.request("GET", "/scripts/x", {"Authorization": f"Bearer {token}"})
    sent = seen(answer)
    assert answer.status == 200 and sent["remote-user"] == ["lee"] and sent["remote-methods"] == ["token"]
    assert len(sent["remote-token"][0].split(".")) == 3
    assert "authorization" not in sent and token not in answer.text
    assert proxy.request("GET", "/x", {"Authorization": f"Bearer {token}"}).status == 401
    assert proxy.request("GET", "/scripts/x", {"Authorization": f"Bearer {token}x"}).status == 401


@each_proxy_at_length
@pytest.mark.parametrize("theirs", ["Bearer theirs", "Digest a=b", None])
def test_a_token_in_a_header_of_its_own_leaves_authorization_alone(proxy, token, theirs):
    headers = {"X-Gatehouse-Token": token, **({"Authorization": theirs} if theirs else {})}
    answer = proxy.request("GET", "/scripts/x", headers)
    sent = seen(answer)
    assert answer.status == 200 and sent["remote-user"] == ["lee"]
    assert sent.get("authorization") == ([theirs] if theirs else None)
    assert "x-gatehouse-token" not in sent and token not in answer.text
    assert "x-gatehouse-token" not in seen(proxy.request("GET", "/public/x", headers))


@each_proxy_at_length
def test_a_password_passes_where_a_rule_takes_it(proxy):
    answer = proxy.request("GET", "/scripts/x", {"Authorization": RIGHT})
    sent = seen(answer)
    assert answer.status == 200 and sent["remote-user"] == ["lee"] and sent["remote-methods"] == ["basic"]
    assert "authorization" not in sent and RIGHT.split()[1] not in answer.text
    refused = proxy.request("GET", "/scripts/x", {"Authorization": WRONG})
    assert refused.status == 401 and "Bearer" in refused.header("WWW-Authenticate")
    # Elsewhere it is the application's own.
    assert proxy.request("GET", "/x", {"Authorization": RIGHT}).status == 401
    assert seen(proxy.request("GET", "/public/x", {"Authorization": RIGHT}))["authorization"] == [RIGHT]


@each_proxy_at_length
def test_a_password_alone_is_nothing_for_whom_policy_asks_for_more_and_without_one_there_is_none(proxy, gateway):
    basic = lambda name: {"Authorization": "Basic " + base64.b64encode(f"{name}:{PASSWORD}".encode()).decode()}
    for name in ("auditor", "keys-only"):
        for path in ("/scripts/x", "/x", "/vault/x"):
            answer = proxy.request("GET", path, basic(name))
            assert answer.status == 401 and not answer.header("Remote-User"), (name, path)
    assert proxy.request("GET", "/scripts/x", basic("lee")).status == 200
