"""From passwords to passkeys: stages by cohort, what they demand, and what they take away."""

import json
import threading
import time

import pytest

from commands import check
from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register

SETTINGS = {
    "migration": {"cohorts": [{"name": "pilot", "groups": ["it"]}, {"name": "half", "groups": ["staff"], "percent": 50}],
                  "reminder": "1s", "asks": 2, "cooldown": "1s"},
    "throttle": {"free_failures": 1000},
}
_names = iter(range(1_000_000))


@pytest.fixture
def gateway():
    with Gateway.start(SETTINGS) as started:
        yield started


@pytest.fixture
def lee(gateway):
    gateway.account_add("lee", groups=("it",))
    return "lee"


def stage(gateway, name, *options, cohort="pilot"):
    return gateway.cli("migration", "stage", name, "--cohort", cohort, *options).stdout


def status(gateway, cohort="pilot"):
    everything = json.loads(gateway.cli("migration", "status", "--json").stdout)
    return next(each for each in everything["cohorts"] if each["name"] == cohort)


def in_use(gateway, name, passkeys=2):
    """Gives an account passkeys, the first of them used."""
    client, keys = gateway.client(), [Passkey() for _ in range(passkeys)]
    client.sign_in(name)
    for key in keys:
        assert register(client, key).status == 200
    assert authenticate(gateway.client(), keys[0]).status == 200
    return keys


def test_each_stage_asks_for_more(gateway, lee):
    assert gateway.client().sign_in(lee).json["offer"]["mode"] == "prompt"
    stage(gateway, "off")
    assert "offer" not in gateway.client().sign_in(lee).json
    stage(gateway, "encourage", "--deadline", "2100-01-01")
    offer = told(gateway, lee)
    assert offer["mode"] == "prompt" and offer["deadline"] == "2100-01-01T00:00:00.000Z"
    stage(gateway, "require", "--deadline", "2020-01-01", "--grace", "1")
    offer = told(gateway, lee)
    assert offer["mode"] == "required"
    client = gateway.client()
    assert client.sign_in(lee).json["status"] == "needs_enrollment"
    assert client.get("/sessions").code == "step_up_required"
    assert register(client, Passkey()).status == 200
    assert client.get("/sessions").status == 200
    assert gateway.client().sign_in(lee).json["status"] == "complete"


def told(gateway, name):
    """The offer of a sign-in; the reminder of before has to be over."""
    deadline = time.monotonic() + 10
    while "offer" not in (answer := gateway.client().sign_in(name).json):
        assert time.monotonic() < deadline, answer
    return answer["offer"]


def test_of_many_sign_ins_at_once_one_is_made_the_offer(gateway, lee):
    clients, answers = [gateway.client() for _ in range(12)], []
    begun = [client.post("/sign-in/options", {"kinds": ["password"]}).json["ceremonyId"] for client in clients]
    credential = {"kind": "password", "identifier": lee, "password": PASSWORD}

    def finish(client, ceremony):
        answers.append(client.post("/sign-in/verify", {"ceremonyId": ceremony, "credential": credential}).json)

    threads = [threading.Thread(target=finish, args=pair) for pair in zip(clients, begun)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer["status"] for answer in answers] == ["complete"] * 12
    assert sum("offer" in answer for answer in answers) == 1
    assert status(gateway)["funnel"]["offered"] == 1


def test_a_retired_password_is_gone_everywhere(gateway, lee, tmp_path):
    keys = in_use(gateway, lee)
    session = gateway.client()
    session.sign_in(lee)
    assert "Retired 1 passwords" in stage(gateway, "retire")
    wrong = gateway.client().sign_in(lee, password="not the password at all")
    right = gateway.client().sign_in(lee)
    assert right.status == wrong.status == 401 and right.code == wrong.code == "credential_rejected"
    assert session.get("/session").code == "session_required"
    # Nor by a link, nor by an import; and by whoever proves the account with a key it is told why.
    recovered = gateway.client()
    token = gateway.recovery_link(lee).split("#")[1]
    assert recovered.post("/recovery", {"token": token}).status == 200
    new = {"newPassword": "a brand new password"}
    assert recovered.request("PUT", "/password", json_body=new).code == "credential_rejected"
    source = tmp_path / "users.csv"
    source.write_text(f"username,password_hash\n{lee},$2y$05$abcdefghijklmnopqrstuuPT9VuaLl0BV2v0nzXlzMtEyhXTLxzYK\n")
    gateway.cli("import", str(source))
    assert gateway.client().sign_in(lee).code == "credential_rejected"
    proved = gateway.client()
    assert authenticate(proved, keys[0]).status == 200
    assert proved.request("PUT", "/password", json_body=new).code == "password_retired"


def test_nothing_is_kept_that_could_check_a_retired_password(gateway, lee):
    in_use(gateway, lee)
    assert hashes(gateway) == 1
    gateway.serve()
    stage(gateway, "retire")
    assert hashes(gateway) == 0


def hashes(gateway):
    """In the file and its log once nobody has it open, pages that nobody uses any more included."""
    gateway.end()
    return sum(path.read_bytes().count(b"$argon2id$") for path in gateway.folder.glob("*.sqlite3*"))


def test_a_reinstated_account_may_have_a_password_again(gateway, lee):
    keys = in_use(gateway, lee)
    stage(gateway, "retire")
    assert gateway.client().sign_in(lee).code == "credential_rejected"
    assert gateway.cli("migration", "reinstate", "--cohort", "pilot").stdout == "Reinstated 1.\n"
    client = gateway.client()
    assert authenticate(client, keys[0]).status == 200
    password = "a brand new password"
    assert client.request("PUT", "/password", json_body={"newPassword": password}).status == 204
    assert authenticate(gateway.client(), keys[0]).status == 200
    assert gateway.client().sign_in(lee, password=password).status == 200
    assert status(gateway)["funnel"]["reinstated"] == 1


def test_nobody_is_left_with_one_device(gateway, lee):
    (key,) = in_use(gateway, lee, passkeys=1)
    assert "Retired 0 passwords" in stage(gateway, "retire")
    assert gateway.client().sign_in(lee).json["status"] == "complete"
    client = gateway.client()
    assert authenticate(client, key).status == 200
    assert register(client, Passkey()).status == 200
    assert gateway.client().sign_in(lee).json["status"] == "complete"
    assert authenticate(gateway.client(), key).status == 200
    assert gateway.client().sign_in(lee).code == "credential_rejected"


def test_a_plan_counts_and_names_and_changes_nothing(gateway, lee):
    in_use(gateway, lee)
    gateway.account_add("kim", groups=("it",))
    plan = gateway.cli("migration", "plan", "--stage", "retire", "--cohort", "pilot", "--list").stdout
    assert "of 2 accounts" in plan and "lee (pilot): lose their password" in plan
    assert "kim (pilot): let in to enrol a passkey and for nothing else" in plan
    foreseen = json.loads(
        gateway.cli("migration", "plan", "--stage", "require", "--deadline", "2100-01-01", "--on", "2099-12-31", "--json").stdout
    )
    assert foreseen["counts"] == {"unchanged": 1, "pressed": 1}
    assert status(gateway)["stage"] == "offer" and gateway.client().sign_in("kim").json["status"] == "complete"


def test_the_funnel_adds_up(gateway, lee):
    for name in ("kim", "joe"):
        gateway.account_add(name, groups=("it",))
    offers = {name: told(gateway, name) for name in ("kim", "joe")}
    client = gateway.client()
    client.sign_in("joe")
    assert client.post(f"/offers/{offers['joe']['id']}", {"answer": "declined"}).status == 204
    assert client.post(f"/offers/{offers['joe']['id']}", {"answer": "accepted"}).status == 204
    in_use(gateway, lee)
    seen = status(gateway)
    assert seen["accounts"] == {"declined": 1, "offered": 1, "passkey_primary": 1}
    assert {key: seen["funnel"][key] for key in ("eligible", "offered", "enrolled", "first_used")} == {
        "eligible": 3, "offered": 3, "enrolled": 1, "first_used": 1,
    }
    assert seen["answers"] == {"declined": 1}
    text = gateway.cli("migration", "status").stdout
    assert "pilot: offer" in text and "median" in text and "recoveries: 0" in text


@pytest.mark.parametrize(
    "arguments, code, words",
    [(("stage", "retire"), 64, "--cohort"), (("stage", "forward", "--cohort", "pilot"), 64, "the stages are"),
     (("stage", "offer", "--cohort", "nobody"), 67, "no such cohort"), (("plan",), 64, "--stage"),
     (("plan", "--stage", "offer", "--on", "2027-02-30"), 64, "a day"), (("status", "--days", "0"), 64, "1 to 3650"),
     (("reinstate",), 64, "name accounts"), (("reinstate", "--account", "nobody"), 67, "")],
)
def test_commands_say_what_they_can_not_do(gateway, arguments, code, words):
    result = gateway.cli("migration", *arguments, check=False)
    assert result.returncode == code and words in result.stderr
    assert gateway.cli("migration", "stage", "offer", "--cohort", "everyone").returncode == 0


@pytest.mark.parametrize(
    "text, path",
    [("migration: { cohorts: [{ name: everyone }] }", "migration.cohorts[0].name"),
     ("migration: { cohorts: [{ groups: [it] }] }", "migration.cohorts[0].name"),
     ("migration: { cohorts: [{ name: a }, { name: a }] }", "migration.cohorts[1].name"),
     ("migration: { cohorts: [{ name: A }] }", "migration.cohorts[0].name"),
     ("migration: { cohorts: [{ name: a, percent: 0 }] }", "migration.cohorts[0].percent"),
     ("migration: { asks: 0 }", "migration.asks")],
)
def test_settings_that_mean_nothing_are_refused(tmp_path, text, path):
    assert check(tmp_path, "migration: { cohorts: [{ name: a, percent: 5 }] }").returncode == 0
    result = check(tmp_path, text)
    assert result.returncode == 78 and path in result.stderr


def test_switched_off_no_stage_can_be_set():
    with Gateway.start({"migration": {"offer": "off"}}) as gateway:
        result = gateway.cli("migration", "stage", "require", "--cohort", "everyone", check=False)
        assert result.returncode == 78 and "migration.offer is off" in result.stderr
