"""What a link stands for at Apple's: got with an authorization code, and ended there when the link goes."""

import json
import pathlib
import sqlite3
import time

import pytest

from apple import APP
from commands import check
from gateway import Gateway

OPEN = {"accounts": {"signup": "open"}}


@pytest.fixture
def gateway(apple):
    with Gateway.start(apple.settings(apple.team(), **OPEN)) as started:
        yield started


def wait_for(is_so, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def actions(gateway) -> list[tuple]:
    path = pathlib.Path(gateway.config["storage"]["sqlite"]["path"])
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return database.execute("SELECT action, kind FROM audit_event").fetchall()


def linked(apple, gateway, name="lee"):
    """A client signed in with a password, whose account has an Apple ID as well."""
    gateway.account_add(name)
    client = gateway.client()
    client.sign_in(name)
    answer = apple.enrol(client, f"001.{name}", code=apple.code(f"001.{name}"))
    assert answer.status == 200, answer
    return client, answer.json["appleId"]["id"]


def test_a_removed_link_is_ended_at_apple_s_too(apple, gateway):
    client, link = linked(apple, gateway)
    assert apple.asked["/auth/token"] == 1 and apple.revoked == []
    assert client.delete(f"/apple-ids/{link}").status == 200
    wait_for(lambda: apple.revoked == list(apple.refresh_tokens))
    wait_for(lambda: ("credential_revoked", "apple") in actions(gateway))
    assert apple.asked["/auth/revoke"] == 1


def test_an_outage_keeps_nothing_alive_and_is_outlived(apple, gateway):
    client, link = linked(apple, gateway)
    apple.revocation_is_down = True
    assert client.delete(f"/apple-ids/{link}").status == 200
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"
    wait_for(lambda: apple.asked["/auth/revoke"] >= 1)
    gateway.restart()
    assert apple.revoked == []
    apple.revocation_is_down = False
    wait_for(lambda: apple.revoked == list(apple.refresh_tokens))
    wait_for(lambda: ("credential_revoked", "apple") in actions(gateway))


def test_a_token_that_can_not_be_unsealed_is_given_up_and_said_so(apple, gateway, tmp_path):
    client, link = linked(apple, gateway)
    (tmp_path / "sealing.key").write_text("00" * 32)
    gateway.restart()
    assert client.delete(f"/apple-ids/{link}").status == 200
    wait_for(lambda: ("revocation_failed", "apple") in actions(gateway))
    assert apple.revoked == [] and "was not revoked" in gateway.log


def test_the_refresh_token_is_nowhere_in_clear(apple, gateway):
    linked(apple, gateway)
    token = next(iter(apple.refresh_tokens))
    gateway.end()
    files = [path for path in gateway.folder.iterdir() if path.is_file()]
    assert any(path.suffix == ".sqlite3" for path in files)
    for path in files:
        content = path.read_bytes()
        assert token.encode() not in content and apple.secrets[0].encode() not in content, path


@pytest.mark.parametrize("code", ["unknown", "somebody else's"])
def test_a_code_that_is_not_this_person_s_links_nothing(apple, gateway, code):
    text = apple.code("001.eve") if code == "somebody else's" else "c.0"
    refused = apple.enrol(gateway.client(), "001.lee", code=text)
    assert refused.status == 401 and refused.code == "token_invalid"
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"
    assert apple.enrol(gateway.client(), "001.lee", code=apple.code("001.lee")).status == 200


def test_an_outage_at_the_exchange_is_an_outage(apple, gateway):
    apple.enrol(gateway.client(), "001.kim")
    apple.is_down = True
    down = apple.enrol(gateway.client(), "001.lee", code=apple.code("001.lee"))
    assert down.status == 503 and down.code == "dependency_unavailable"
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"
    assert apple.sign_in(gateway.client(), "001.kim").status == 200


@pytest.mark.parametrize("answer", [{"refresh_token": None}, {"id_token": None}, {"refresh_token": 7}, {"id_token": "x"}])
def test_an_answer_without_its_parts_links_nothing(apple, gateway, answer):
    assert apple.enrol(gateway.client(), "001.lee", code=apple.code("001.lee", **answer)).status in (401, 503)
    assert apple.sign_in(gateway.client(), "001.lee").code == "credential_unknown"


def test_a_key_that_apple_does_not_know_is_our_own_fault(apple):
    with Gateway.start(apple.settings({**apple.team(), "key_id": "OTHER12345"}, **OPEN)) as gateway:
        down = apple.enrol(gateway.client(), "001.lee", code=apple.code("001.lee"))
        assert down.status == 503 and "does not know the team's key" in gateway.log


def test_without_a_key_a_code_is_left_alone(apple):
    with Gateway.start(apple.settings(**OPEN)) as gateway:
        assert apple.enrol(gateway.client(), "001.lee", code=apple.code("001.lee")).status == 200
        assert apple.asked["/auth/token"] == 0


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"team_id": None}, "team_id"), ({"sealing_key": None}, "sealing_key"), ({"team_id": "abc"}, "team_id"),
        ({"private_key": {"file": "/nowhere"}}, "private_key.file"), ({"private_key": {}}, "private_key.file"),
        ({"private_key": {"env": "NOT_SET_ANYWHERE"}}, "private_key.env"), ({"private_key": "text"}, "private_key"),
        ({"private_key": {"file": __file__}}, "private_key"), ({"sealing_key": {"file": __file__}}, "sealing_key"),
        ({"revoke_url": "http://a.test/"}, "revoke_url"),
    ],
    ids=str,
)
def test_a_key_is_whole_or_there_is_no_start(apple, tmp_path, change, key):
    settings = {"enabled": True, "client_ids": [APP], **apple.team()}
    good = check(tmp_path, json.dumps({"providers": {"apple": settings}}))
    assert good.returncode == 0, good.stderr
    settings = {name: value for name, value in {**settings, **change}.items() if value is not None}
    wrong = check(tmp_path, json.dumps({"providers": {"apple": settings}}, indent=1))
    assert wrong.returncode == 78 and f"providers.apple.{key}: " in wrong.stderr, wrong.stderr


def test_a_key_may_stand_in_the_environment(apple, tmp_path):
    team = apple.team()
    text = pathlib.Path(team["private_key"]["file"]).read_text()
    team["private_key"] = {"env": "APPLE_KEY"}
    settings = json.dumps({"providers": {"apple": {"enabled": True, "client_ids": [APP], **team}}})
    assert check(tmp_path, settings, APPLE_KEY=text).returncode == 0


@pytest.mark.parametrize("key", ["team_id", "key_id", "private_key", "sealing_key"])
def test_a_part_of_a_key_that_is_left_empty_is_missed(apple, tmp_path, key):
    settings = {"enabled": True, "client_ids": [APP], **apple.team(), key: None}
    wrong = check(tmp_path, json.dumps({"providers": {"apple": settings}}))
    assert wrong.returncode == 78 and f"providers.apple.{key}: is missing" in wrong.stderr, wrong.stderr
    assert wrong.stderr.count("gatehouse.yaml:") == 1
