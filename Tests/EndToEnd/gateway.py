"""A real `gatehouse serve` for one test: its own configuration, database and ports.

    with Gateway.start({"throttle": {"free_failures": 100}}) as gateway:
        gateway.account_add("lee", PASSWORD)
        answer = gateway.client().sign_in("lee", PASSWORD)

The binary is the one that the environment variable GATEHOUSE names, or `.build/debug/gatehouse`.
"""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "correct horse battery staple"
READY = "Gatehouse is ready at "
SETUP = "Set up the first administrator"


def binary() -> str:
    return os.environ.get("GATEHOUSE") or str(ROOT / ".build/debug/gatehouse")


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now. All are held until the last is found, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def merged(base: dict, changes: dict) -> dict:
    """Like `base`, with `changes` laid over it at every depth; a `None` removes the key."""
    result = dict(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


class Answer:
    """What came back: `status`, `headers` as a list of pairs, `body` as bytes."""

    def __init__(self, status: int, headers: list[tuple[str, str]], body: bytes):
        self.status, self.headers, self.body = status, headers, body

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def all_headers(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The `code` of a problem document."""
        return self.json.get("code") if self.body else None

    def __repr__(self) -> str:
        return f"<{self.status} {self.body[:300]!r}>"


class Gateway:
    def __init__(self, overrides: dict | None = None, *, environment: dict | None = None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-"))
        self.ports = dict(zip(("public", "check", "operations"), free_ports(3)))
        self.origin = f"http://localhost:{self.ports['public']}"
        self.environment = environment or {}
        self.config = merged(
            {
                "public_url": self.origin,
                "listen": {name: f"127.0.0.1:{port}" for name, port in self.ports.items()},
                "storage": {"sqlite": {"path": str(self.folder / "gatehouse.sqlite3")}},
                # Cheap hashes and a wide throttle: tests come from one address.
                "hashing": {"memory_kib": 1024, "passes": 1},
                "throttle": {"per_address_per_minute": 100_000},
            },
            overrides or {},
        )
        self.config_path = self.folder / "gatehouse.yaml"
        self.write_config()
        self.process: subprocess.Popen | None = None
        self.output: list[str] = []
        self._news = threading.Condition()
        self._reader: threading.Thread | None = None

    @classmethod
    def start(cls, overrides: dict | None = None, **others) -> Gateway:
        gateway = cls(overrides, **others)
        try:
            gateway.serve()
        except BaseException:
            gateway.stop()
            raise
        return gateway

    def write_config(self) -> None:
        # JSON is YAML.
        self.config_path.write_text(json.dumps(self.config, indent=2))

    # The process

    @property
    def log_path(self) -> pathlib.Path:
        return self.folder / "stderr.log"

    @property
    def log(self) -> str:
        return self.log_path.read_text() if self.log_path.exists() else ""

    def serve(self, *arguments: str) -> None:
        """Starts the process and waits until it says that it is ready."""
        self.output = []
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [binary(), "serve", "--config", str(self.config_path), *arguments],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | self.environment,
                cwd=self.folder,
            )
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()
        self.line(READY, seconds=20)

    def _read(self, stream) -> None:
        for line in stream:
            with self._news:
                self.output.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._news.notify_all()

    def line(self, beginning: str, seconds: float = 5) -> str:
        """The line of output that begins so, once it is there."""
        deadline = time.monotonic() + seconds
        with self._news:
            while True:
                for line in self.output:
                    if line.startswith(beginning):
                        return line
                left = deadline - time.monotonic()
                ended = self.process.poll() is not None and not self._reader.is_alive()
                if left <= 0 or ended:
                    raise RuntimeError(f"no line {beginning!r}; output: {self.output}; log: {self.log[-2000:]}")
                self._news.wait(min(left, 0.2))

    @property
    def setup_link(self) -> str:
        """The link for the first administrator, printed by a first start."""
        return self.line(SETUP).rsplit(" ", 1)[1]

    def end(self, seconds: float = 20) -> int:
        """Asks the process to stop and waits for it; what it stored stays."""
        process, self.process = self.process, None
        if process is None:
            return 0
        process.terminate()
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        self._reader.join(5)
        process.stdout.close()
        return status

    def restart(self, *arguments: str) -> None:
        self.end()
        self.serve(*arguments)

    def stop(self) -> None:
        """Ends the process and removes all it left."""
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    # Commands

    def cli(self, *arguments: str, input: str = "", check: bool = True) -> subprocess.CompletedProcess:
        """Runs `gatehouse ARGUMENTS --config …`."""
        result = subprocess.run(
            [binary(), *arguments, "--config", str(self.config_path)],
            input=input,
            text=True,
            capture_output=True,
            timeout=30,
            env=os.environ | self.environment,
            cwd=self.folder,
        )
        if check and result.returncode != 0:
            raise RuntimeError(f"gatehouse {' '.join(arguments)}: {result.returncode}: {result.stderr}{result.stdout}")
        return result

    def account_add(
        self,
        name: str,
        password: str | None = PASSWORD,
        *,
        display_name: str | None = None,
        email: str | None = None,
        groups: tuple[str, ...] = (),
    ) -> None:
        arguments = ["account", "add", name]
        if display_name:
            arguments += ["--display-name", display_name]
        if email:
            arguments += ["--email", email]
        for group in groups:
            arguments += ["--group", group]
        if password is None:
            arguments.append("--no-password")
        self.cli(*arguments, input=f"{password}\n" if password else "")

    def recovery_link(self, name: str) -> str:
        return self.cli("account", "recover", name).stdout.split()[-1]

    # Requests

    def request(
        self,
        method: str,
        path: str,
        *,
        json_body=None,
        form: dict | None = None,
        body: bytes | None = None,
        headers: dict | None = None,
        listener: str = "public",
    ) -> Answer:
        """One request on a connection of its own; nothing is followed, and no header is added but what a body needs."""
        sent = dict(headers or {})
        if json_body is not None:
            body = json.dumps(json_body).encode()
            sent.setdefault("Content-Type", "application/json")
        elif form is not None:
            body = urllib.parse.urlencode(form).encode()
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        if listener == "public":
            sent.setdefault("Host", f"localhost:{self.ports['public']}")
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[listener], timeout=20)
        try:
            try:
                self._send(connection, method, path, sent, body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it may have answered before it read everything
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    @staticmethod
    def _send(connection, method, path, headers, body):
        """A header whose value is a list stands as many times."""
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        is_framed = "Content-Length" in headers or "Transfer-Encoding" in headers
        if not is_framed and (body is not None or method in ("POST", "PUT", "PATCH")):
            connection.putheader("Content-Length", str(len(body or b"")))
        for name, value in headers.items():
            for each in value if isinstance(value, list) else [value]:
                connection.putheader(name, each)
        connection.endheaders(body)

    def client(self) -> Client:
        return Client(self)


class Client:
    """A visitor who keeps the session cookie, without a browser's headers."""

    def __init__(self, gateway: Gateway):
        self.gateway = gateway
        self.cookies: dict[str, str] = {}

    def request(self, method: str, path: str, **others) -> Answer:
        headers = dict(others.pop("headers", None) or {})
        if self.cookies:
            headers.setdefault("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        answer = self.gateway.request(method, path, headers=headers, **others)
        for cookie in answer.all_headers("Set-Cookie"):
            name, _, rest = cookie.partition("=")
            value = rest.split(";", 1)[0]
            if "max-age=0" in cookie.lower():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def get(self, path: str, **others) -> Answer:
        return self.request("GET", path, **others)

    def post(self, path: str, json_body=None, **others) -> Answer:
        return self.request("POST", path, json_body={} if json_body is None else json_body, **others)

    def put(self, path: str, json_body, **others) -> Answer:
        return self.request("PUT", path, json_body=json_body, **others)

    def patch(self, path: str, json_body, **others) -> Answer:
        return self.request("PATCH", path, json_body=json_body, **others)

    def delete(self, path: str, **others) -> Answer:
        return self.request("DELETE", path, **others)

    def sign_in(self, identifier: str, password: str = PASSWORD, **options) -> Answer:
        """Both calls of a password sign-in; the answer is the first that isn't 200, or that of the second."""
        begun = self.post("/sign-in/options", {"identifier": identifier, "kinds": ["password"], **options})
        if begun.status != 200:
            return begun
        credential = {"kind": "password", "identifier": identifier, "password": password}
        return self.post("/sign-in/verify", {"ceremonyId": begun.json["ceremonyId"], "credential": credential})
