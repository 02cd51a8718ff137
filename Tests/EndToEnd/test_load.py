"""What takes minutes: crashes under load, floods, and the memory they leave."""

import concurrent.futures
import http.client
import json
import os
import random
import signal
import sqlite3
import threading
import time

import pytest

from gateway import PASSWORD, Gateway
from passkey import Passkey, authenticate, register

pytestmark = pytest.mark.long


def resident(gateway):
    with open(f"/proc/{gateway.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_twenty_crashes_under_load_lose_nothing_and_leave_no_ceremony_to_use_twice():
    with Gateway.start() as gateway:
        kept, spent = [], []
        lock = threading.Lock()

        def visitor(stop):
            while not stop.is_set():
                passkey, client = Passkey(), gateway.client()
                try:
                    if register(client, passkey).status != 200:
                        continue
                    with lock:
                        kept.append(passkey)
                    begun = client.post("/passkeys/authenticate/options").json
                    body = {
                        "ceremonyId": begun["ceremonyId"], "response": passkey.get(begun["options"], gateway.origin),
                    }
                    if client.post("/passkeys/authenticate/verify", body).status == 200:
                        with lock:
                            spent.append((body, client.cookies["gatehouse"]))
                except (OSError, http.client.HTTPException, AttributeError):
                    pass  # it was killed

        for _ in range(20):
            stop = threading.Event()
            threads = [threading.Thread(target=visitor, args=(stop,)) for _ in range(8)]
            for thread in threads:
                thread.start()
            count = len(spent)
            deadline = time.monotonic() + 20
            wanted = count + random.randint(5, 40)
            while len(spent) < wanted and time.monotonic() < deadline:
                stop.wait(0.005)
            gateway.process.send_signal(signal.SIGKILL)
            gateway.process.wait(10)
            stop.set()
            for thread in threads:
                thread.join()
            gateway.end()
            database = sqlite3.connect(gateway.folder / "gatehouse.sqlite3")
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            database.close()
            gateway.serve()
        assert len(kept) > 100 and len(spent) > 100
        for passkey in random.sample(kept, 100):
            passkey.count += 10
            assert authenticate(gateway.client(), passkey).status == 200
        for body, token in random.sample(spent, 100):
            assert gateway.client().post("/passkeys/authenticate/verify", body).status in (400, 409, 410)
            assert gateway.request("GET", "/session", headers={"Cookie": f"gatehouse={token}"}).status == 200


def test_a_flood_of_passwords_is_answered_within_its_memory_and_checks_go_on():
    overrides = {"hashing": {"memory_kib": 19456, "passes": 2, "memory_budget_mib": 64}}
    with Gateway.start(overrides) as gateway:
        gateway.account_add("lee")
        client = gateway.client()
        client.sign_in("lee")
        check = {
            "X-Original-URL": "http://localhost/", "X-Original-Method": "GET",
            "Cookie": f"gatehouse={client.cookies['gatehouse']}",
        }
        before, peak, slowest, done = resident(gateway), 0, 0.0, threading.Event()

        def watch():
            nonlocal peak, slowest
            while not done.is_set():
                begun = time.monotonic()
                assert gateway.request("GET", "/auth/nginx", headers=check, listener="check").status == 200
                slowest = max(slowest, time.monotonic() - begun)
                peak = max(peak, resident(gateway))

        watcher = threading.Thread(target=watch)
        watcher.start()

        def guess(index):
            answer = gateway.client().sign_in(f"name{index}", "wrong horse battery staple")
            return answer.status, answer.header("Retry-After")

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(guess, range(600)))
        done.set()
        watcher.join()
        assert {status for status, _ in answers} <= {401, 429, 503}
        assert all(retry for status, retry in answers if status == 503)
        assert any(status == 401 for status, _ in answers)
        assert peak - before < (64 + 60) * 1_000_000
        assert client.get("/session").status == 200


def test_clients_that_go_away_leave_nothing_behind():
    import socket

    with Gateway.start() as gateway:
        gateway.account_add("lee")
        before = len(os.listdir(f"/proc/{gateway.process.pid}/fd"))
        body = json.dumps({"identifier": "lee"}).encode()
        request = b"POST /sign-in/options HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        request += f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        for _ in range(2_000):
            connection = socket.create_connection(("127.0.0.1", gateway.ports["public"]))
            connection.sendall(request)
            connection.close()
        deadline = time.monotonic() + 90
        while (status := gateway.client().sign_in("lee").status) != 200:
            assert status == 503 and time.monotonic() < deadline
        while len(os.listdir(f"/proc/{gateway.process.pid}/fd")) > before + 5:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_begun_and_abandoned_ceremonies_are_swept_and_stand_in_nobodys_way():
    with Gateway.start({"ceremonies": {"lifetime": "1s", "autofill_lifetime": "1s"}}) as gateway:
        gateway.account_add("lee")
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            statuses = list(pool.map(lambda _: gateway.client().post("/sign-in/options").status, range(5_000)))
        assert set(statuses) <= {200, 429}
        assert gateway.client().sign_in("lee").status == 200
        assert "forged" not in gateway.log


def test_sessions_signed_in_all_at_once_are_all_there():
    with Gateway.start({"hashing": {"memory_kib": 64, "passes": 1}}) as gateway:
        gateway.account_add("lee", PASSWORD)
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            clients = [gateway.client() for _ in range(300)]
            statuses = list(pool.map(lambda client: client.sign_in("lee").status, clients))
        signed_in = [client for client, status in zip(clients, statuses) if status == 200]
        assert len(signed_in) > 100
        gateway.restart()
        assert all(client.get("/session").status == 200 for client in signed_in)
