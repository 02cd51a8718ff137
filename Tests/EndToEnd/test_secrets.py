"""What opens something is in no log, no metric, no error and not in the database, whatever becomes of it."""

import base64
import json
import os
import re
import signal
import sqlite3

import pytest

import apple_web
from apple import Apple
from commands import check
from described import filled, routes
from device import Device
from documents import wait_until
from gateway import Gateway
from passkey import Passkey, register, step_up, unb64
from recovery_codes import enrol as enrol_codes
from recovery_codes import recover
from test_outages import locked

RULES = [
    {"host": "localhost", "paths": ["/scripts/**"], "require": {"machines": ["token", "basic"]}},
    {"host": "localhost", "paths": ["/public/**"], "allow": "anyone"},
    {"host": "localhost", "require": {}},
]
OWNED = "zx4-quite a long password 81"
GUESSED = "wq7-not the right password 92"
CHANGED = "kv2-another password of some length"


class Site(Gateway):
    """Keeps what went wrong, as clients were told."""

    def __init__(self, *arguments, **others):
        self.told: list[str] = []
        super().__init__(*arguments, **others)

    def request(self, *arguments, **others):
        answer = super().request(*arguments, **others)
        if answer.status >= 400:
            self.told.append(answer.body.decode("latin-1") + str(answer.headers))
        return answer


def check_request(site, path="/x", **headers):
    asked = {"X-Original-URL": f"{site.origin}{path}", "X-Original-Method": "GET", **headers}
    return site.request("GET", "/auth/nginx", headers=asked, listener="check")


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


class Visits:
    """Everything that people and scripts do, right and wrong; what is secret in it is in `secrets`, by what it is."""

    def __init__(self, site, apple):
        self.site, self.apple = site, apple
        self.secrets = {"a password": OWNED, "a wrong password": GUESSED, "a changed password": CHANGED}
        #: Good for a moment and for one attempt; a ceremony has to keep it.
        self.challenges = {}
        #: Names and texts, that are stored as such.
        self.texts = {}
        site.account_add("lee", OWNED, groups=("admin",))

    def run(self):
        self.passwords()
        self.links_and_codes()
        self.devices()
        self.scripts()
        self.issuers()
        self.garbage()

    def client(self, what):
        client = self.site.client()
        assert client.sign_in("lee", OWNED).status == 200
        self.secrets[what] = client.cookies["gatehouse"]
        return client

    def passwords(self):
        client, passkey = self.client("a cookie"), Passkey()
        assert register(client, passkey).status == 200
        assert step_up(client, passkey).status == 200
        self.secrets["a cookie after a step-up"] = client.cookies["gatehouse"]
        native = self.site.client().sign_in("lee", OWNED, client="native")
        self.secrets["an app's token"] = native.json["session"]["token"]
        assert self.site.client().sign_in("lee", GUESSED).status == 401
        form = {"identifier": "lee", "password": GUESSED}
        assert self.site.request("POST", "/sign-in", form=form, headers={"Origin": self.site.origin}).status == 401
        wrong = {"currentPassword": GUESSED, "newPassword": CHANGED}
        assert client.put("/password", wrong).status in (401, 204)
        self.site.account_add("kim", CHANGED)
        assert client.delete("/session").status == 204
        used = {"Cookie": f"gatehouse={self.secrets['a cookie after a step-up']}"}
        assert check_request(self.site, **used).status == 401

    def links_and_codes(self):
        owner = self.site.client()
        assert owner.sign_in("kim", CHANGED).status == 200
        codes = enrol_codes(owner)
        self.secrets |= {f"recovery code {index}": code for index, code in enumerate(codes)}
        assert recover(self.site.client(), "kim", codes[3]).status == 200
        assert recover(self.site.client(), "kim", codes[3]).status == 401
        for what in ("a link that was used", "a link"):
            self.secrets[what] = self.site.recovery_link("kim").split("#")[1]
            if what == "a link":
                break
            opened = self.site.client()
            assert opened.post("/recovery", {"token": self.secrets[what]}).status == 200
            self.secrets["a restricted cookie"] = opened.cookies["gatehouse"]
            assert self.site.client().post("/recovery", {"token": self.secrets[what]}).status == 409

    def devices(self):
        client, device = self.site.client(), Device()
        assert register(client, Passkey(), username="noor").status == 200
        begun = device.begin(client)
        self.challenges["a device's first nonce"] = re.findall(r"[\w-]{43}", begun.json["options"]["clientData"])[0]
        assert device.finish(client, begun).status == 200
        begun = device.ask(self.site.client())
        text = begun.json["requests"][0]["clientData"]
        self.challenges["a device's nonce"] = re.findall(r"[\w-]{43}", text)[0]
        self.secrets["a signature"] = device.sign(text)
        answer = device.answer(self.site.client(), begun, self.secrets["a signature"])
        self.secrets["a device's token"] = answer.json["session"]["token"]
        begun = device.ask(self.site.client())
        self.secrets["a signature of something else"] = device.sign("something else")
        assert device.answer(self.site.client(), begun, self.secrets["a signature of something else"]).status == 401

    def scripts(self):
        client = self.site.client()
        assert register(client, Passkey(), username="ci").status == 200
        made = client.post("/tokens", {"name": "ci", "hosts": ["localhost"], "expiresIn": 3600})
        token = self.secrets["an access token"] = made.json["token"]
        for headers in ({"Authorization": f"Bearer {token}"}, {"X-Gatehouse-Token": token}):
            assert check_request(self.site, "/scripts/x", **headers).status == 200
            assert check_request(self.site, "/x", **headers).status == 401
        assert check_request(self.site, "/scripts/x", Authorization=f"Bearer {token[:-1]}").status == 401
        assert self.site.request("GET", "/session", headers={"Authorization": f"Bearer {token}"}).status == 401
        for name, word in (("lee", OWNED), ("lee", GUESSED)):
            header = basic(name, word)
            self.secrets[f"a header with {word[:3]}"] = header.split()[1]
            check_request(self.site, "/scripts/x", Authorization=header)

    def issuers(self):
        client, code = self.site.client(), self.apple.code("001.lee")
        self.secrets["a code of Apple's"] = code
        begun = client.post("/apple-ids/register/options", {}).json
        token = self.apple.token(begun["options"]["nonce"], "001.lee")
        response = {"identityToken": token, "authorizationCode": code}
        body = {"ceremonyId": begun["ceremonyId"], "response": response}
        assert client.post("/apple-ids/register/verify", body).status == 200
        wrong = self.apple.token("another", "001.lee")
        body = {"ceremonyId": client.post("/sign-in/options", {"kinds": ["apple"]}).json["ceremonyId"]}
        assert client.post("/sign-in/verify", body | {"credential": {"kind": "apple", "identityToken": wrong}}).status == 401
        trip = apple_web.Site(self.apple, self.site).leave()
        fields = trip.fields("001.lee")
        self.site.post_from_apple(fields, trip.cookie)
        self.site.post_from_apple(fields, trip.cookie)
        for what, value in (("a token of Apple's", token), ("a wrong token", wrong), ("a token by form", fields["id_token"])):
            self.secrets |= {f"{what}, signature": value.split(".")[2], f"{what}, claims": value.split(".")[1][40:]}
        self.secrets |= {"a state": fields["state"], "a state's cookie": trip.cookie.split("=", 1)[1]}
        self.secrets |= {f"a secret for Apple {index}": each.split(".")[2] for index, each in enumerate(self.apple.secrets)}
        self.secrets |= {f"a refresh token {index}": each for index, each in enumerate(self.apple.refresh_tokens)}

    def garbage(self):
        """What is none of ours, where secrets go."""
        canary = self.secrets["a stranger's secret"] = "jy5canary81-of-a-stranger-that-is-long-enough"
        query = self.secrets["a query"] = "hd9secret77query"
        for headers in (
            {"Authorization": f"Bearer {canary}"}, {"Authorization": f"Basic {canary}"}, {"Authorization": canary},
            {"Cookie": f"gatehouse={canary}"}, {"Cookie": f"other={canary}"}, {"X-Gatehouse-Token": canary},
            {"X-Gatehouse-Token": [canary, canary]}, {"Authorization": [f"Bearer {canary}", canary]},
            {"Referer": f"https://x.test/?{query}"}, {"X-Request-ID": canary}, {"User-Agent": canary},
        ):
            self.site.request("GET", "/session", headers=headers)
            for path in ("/x", "/scripts/x", "/public/x"):
                check_request(self.site, path, **headers)
        for path in (f"/x?{query}", f"/%zz?{query}", f"/public/../x?{query}", f"/x?{query}#{query}", f"/\x7f?{query}"):
            check_request(self.site, path)
            check_request(self.site, path, Forwarded=f"host={canary}")
        text = self.texts["a text"] = "un6-text-of-a-visitor-that-is-long-enough"
        for route in routes():
            body = {name: filled(schema, text) for name, schema in route.members.items()} if route.content else None
            route.ask(self.site, body, query={name: f"http://localhost/?{query}" for name in route.query})
        return_to = f"http://localhost/?{query}"
        assert self.site.client().sign_in("lee", OWNED, returnTo=return_to).json["returnTo"] == return_to
        assert self.site.client().sign_in("lee", OWNED, returnTo=f"https://evil.test/?{query}").status == 422
        self.site.request("GET", f"/nothing?{query}")
        # A return address is kept with its ceremony.
        self.texts["a query"] = self.secrets.pop("a query")


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secrets")
    pepper = "pepper-" + os.urandom(24).hex()
    with Apple(folder) as apple:
        settings = apple_web.settings(
            apple, access={"rules": RULES}, throttle={"free_failures": 1_000_000}, hashing={"pepper": {"env": "PEPPER"}},
        )
        settings["providers"]["apple"] |= apple.team()
        settings["machines"] = {"basic": {"memory": "60s"}}
        with Site.start(settings, environment={"PEPPER": pepper}) as site:
            site.post_from_apple = apple_web.Site(apple, site).post
            visits = Visits(site, apple)
            visits.run()
            with locked(site):
                for _ in range(3):
                    assert site.client().sign_in("lee", OWNED).status == 503
                    check_request(site, "/scripts/x", Authorization=basic("kim", GUESSED))
                    site.client().post("/recovery", {"token": visits.secrets["a link"]})
            assert site.client().sign_in("lee", OWNED).status == 200
            visits.secrets["the pepper"] = pepper
            key = (folder / "AuthKey.p8").read_text().split("\n")[1]
            visits.secrets |= {"the team's key": key, "the sealing key": (folder / "sealing.key").read_text().strip()}
            yield visits


def heads(secrets):
    """Each as it is, and its first characters behind what all of its kind begin with."""
    for what, secret in secrets.items():
        yield what, secret
        # What a key in PEM begins with is the same for all.
        start = 45 if what == "the team's key" else len("gh_pat_") if secret.startswith("gh_pat_") else 0
        yield what, secret[start:start + 8]


def found(secrets, text):
    return [what for what, head in heads(secrets) if head in text]


def test_no_log_metric_or_error_holds_a_secret_or_its_first_characters(visits):
    site = visits.site
    assert len(visits.secrets) > 30 and "request failed" in site.log and len(site.told) > 100
    metrics = "".join(site.request("GET", path, listener="operations").text for path in ("/metrics", "/healthz", "/readyz"))
    for place, text in (("the log", site.log), ("the metrics", metrics), ("an error", "\n".join(site.told))):
        # A form comes back with the name that was typed, and a device learns which one is unknown.
        texts = {} if place == "an error" else visits.texts
        assert found(visits.secrets | visits.challenges | texts, text) == [], place
    # Each would be found: what the search looks for is what there is.
    assert found({"a word": "request failed"}, site.log) and found({"a word": "gatehouse_"}, metrics)


def stored(site):
    return b"".join(path.read_bytes() for path in site.folder.glob("gatehouse.sqlite3*"))


def test_the_database_holds_no_secret_in_any_spelling(visits):
    content = stored(visits.site)
    assert b"lee" in content and any(path.name.endswith("-wal") for path in visits.site.folder.iterdir())
    for what, secret in visits.secrets.items():
        spellings = {secret.encode(), secret.encode().hex().encode(), base64.b64encode(secret.encode())}
        for decode in (unb64, bytes.fromhex, lambda text: text.replace("-", "").encode()):
            try:
                spellings.add(decode(secret))
            except ValueError:
                pass
        assert [each for each in spellings if len(each) >= 12 and each in content] == [], what


def strings(site):
    """Every value of the database, in each way that it could be written."""
    database = sqlite3.connect(f"file:{site.folder}/gatehouse.sqlite3?mode=ro", uri=True)
    values = set()
    for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for row in database.execute(f'SELECT * FROM "{table}"'):
            values |= {value for value in row if isinstance(value, (str, bytes))}
    database.close()
    for value in values:
        data = value.encode() if isinstance(value, str) else value
        yield from {data.decode("latin-1"), base64.urlsafe_b64encode(data).decode().rstrip("="), data.hex()}


def test_nothing_in_the_database_opens_anything(visits):
    site = visits.site
    texts = {text for text in strings(site) if 8 <= len(text) <= 300 and re.fullmatch(r"[!-~]+", text)}
    assert len(texts) > 200
    sure = re.compile(r"[^;,\"\\]+").fullmatch

    def opens(text, token):
        yield site.request("GET", "/session", headers={"Authorization": f"Bearer {text}"})
        yield site.request("POST", "/recovery", json_body={"token": text})
        for header in ("Authorization", "X-Gatehouse-Token"):
            value = f"Bearer {token}" if header == "Authorization" else token
            yield check_request(site, "/scripts/x", **{header: value})
        if sure(text):
            yield site.request("GET", "/session", headers={"Cookie": f"gatehouse={text}"})
            yield check_request(site, "/x", Cookie=f"gatehouse={text}")

    for text in texts:
        for token in (text, f"gh_pat_{text}"):
            assert [answer for answer in opens(text, token) if answer.status == 200] == [], text
    # The same calls open with what a client got.
    client = site.client()
    client.sign_in("lee", OWNED)
    mine, token = client.cookies["gatehouse"], visits.secrets["an access token"]
    assert site.request("GET", "/session", headers={"Cookie": f"gatehouse={mine}"}).status == 200
    assert check_request(site, "/x", Cookie=f"gatehouse={mine}").status == 200
    assert check_request(site, "/scripts/x", Authorization=f"Bearer {token}").status == 200
    assert site.request("POST", "/recovery", json_body={"token": visits.secrets["a link"]}).status == 200


def test_a_stored_hash_is_no_password_and_a_stored_digest_no_code(visits):
    site = visits.site
    hashes = {text for text in strings(site) if "$argon2id$" in text or re.fullmatch(r"[0-9A-Za-z_-]{43}|[0-9a-f]{64}", text)}
    assert any("$argon2id$" in text for text in hashes)
    for text in hashes:
        assert site.client().sign_in("lee", text).status == 401
        assert recover(site.client(), "kim", text).status in (400, 401)
    assert site.client().sign_in("lee", OWNED).status == 200


def test_a_crash_says_nothing_of_what_was_in_memory(visits):
    site = visits.site
    client = site.client()
    assert client.sign_in("lee", OWNED).status == 200
    site.process.send_signal(signal.SIGABRT)
    assert site.process.wait(20) == -signal.SIGABRT
    assert found(visits.secrets | {"a cookie": client.cookies["gatehouse"]}, site.log) == []
    site.serve()


@pytest.mark.parametrize(
    "text",
    ["hashing: {pepper: SECRET}", "hashing: {pepper: {value: SECRET}}", "hashing: {pepper: {file: x, SECRET: y}}",
     "hashing: {former_peppers: [SECRET]}", "providers: {apple: {enabled: true, private_key: SECRET}}",
     "providers: {apple: {enabled: true, sealing_key: {value: SECRET}}}"],
)
def test_a_secret_that_stands_in_the_configuration_is_refused_and_not_repeated(tmp_path, text):
    secret = "bn3f8-secret-of-an-operator-that-is-long-enough"
    result = check(tmp_path, text.replace("SECRET", secret))
    assert result.returncode == 78 and result.stderr.startswith("gatehouse: ")
    if "file: x" not in text:  # a key is no value
        assert secret[:8] not in result.stdout + result.stderr


def test_a_reload_repeats_no_secret_that_stands_in_the_configuration():
    with Gateway.start() as gateway:
        gateway.config["hashing"]["pepper"] = "bn3f8-secret-of-an-operator-that-is-long-enough"
        gateway.write_config()
        gateway.process.send_signal(signal.SIGHUP)
        wait_until(gateway, lambda: "configuration not reloaded" in gateway.log)
        assert "hashing.pepper" in gateway.log and "bn3f8" not in gateway.log
