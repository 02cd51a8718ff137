"""What happens when storage does not answer: 503, nothing half-written, and recovery without a restart."""

import contextlib
import os
import resource
import sqlite3

import pytest

from gateway import Gateway
from passkey import Passkey, authenticate, register


def check(gateway, client):
    headers = {
        "X-Original-URL": "http://localhost/", "X-Original-Method": "GET",
        "Cookie": f"gatehouse={client.cookies['gatehouse']}",
    }
    return gateway.request("GET", "/auth/nginx", headers=headers, listener="check").status


@contextlib.contextmanager
def locked(gateway):
    database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3", isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        database.execute("ROLLBACK")
        database.close()


@contextlib.contextmanager
def full(gateway):
    """No file of the process may grow."""
    pid, before = gateway.process.pid, resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("outage", [locked, full])
def test_an_outage_is_503_for_writers_and_nothing_for_checks(outage):
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client, passkey = gateway.client(), Passkey()
        client.sign_in("lee")
        assert register(client, passkey).status == 200
        assert check(gateway, client) == 200
        begun = gateway.client().post("/sign-in/options", {}).json
        begun_passkey = gateway.client().post("/passkeys/authenticate/options").json
        with outage(gateway):
            answer = gateway.client().post("/sign-in/options", {})
            assert (answer.status, answer.code) == (503, "storage_unavailable")
            credential = {"kind": "password", "identifier": "lee", "password": "wrong horse battery staple"}
            body = {"ceremonyId": begun["ceremonyId"], "credential": credential}
            answer = gateway.client().post("/sign-in/verify", body)
            assert (answer.status, answer.code) == (503, "storage_unavailable"), "an outage is no refusal"
            response = passkey.get(begun_passkey["options"], gateway.origin)
            body = {"ceremonyId": begun_passkey["ceremonyId"], "response": response}
            answer = gateway.client().post("/passkeys/authenticate/verify", body)
            assert (answer.status, answer.code) == (503, "storage_unavailable")
            assert check(gateway, client) == 200 and gateway.request("GET", "/healthz").status == 200
        assert gateway.client().post("/passkeys/authenticate/verify", body).status == 200, "nothing was used up"
        assert gateway.client().sign_in("lee").status == 200
        assert authenticate(gateway.client(), passkey).status == 200
        metrics = gateway.request("GET", "/metrics", listener="operations").text
        assert 'gatehouse_outages_total{code="storage_unavailable"}' in metrics
        assert 'gatehouse_refusals_total{code="storage_unavailable"}' not in metrics


def test_a_damaged_file_lets_nobody_in():
    with Gateway.start() as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        gateway.end()
        path = gateway.folder / "gatehouse.sqlite3"
        with open(path, "r+b") as file:
            file.seek(4096)
            file.write(os.urandom(path.stat().st_size - 4096))
        try:
            gateway.serve()
        except RuntimeError as error:
            assert "gatehouse: " in str(error)
            return
        assert check(gateway, client) in (401, 503)
        assert gateway.client().sign_in("lee").status in (401, 503)
