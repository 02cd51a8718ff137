"""Real proxies with the configuration that ships, in front of an application that tells what it was sent."""

import http.client
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

from gateway import ROOT, Answer, free_ports


class Proxy:
    """The files of `Config/` that a kind of proxy needs, with this test's ports and paths in them and nothing else."""

    files: tuple[str, ...]
    substitutions: tuple[tuple[str, str], ...] = ()
    command: tuple[str, ...]
    ready = 200  # what an open path gets once it runs

    def __init__(self, check: int, application: int):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-proxy-"))
        self.folder.chmod(0o755)  # it may give up root
        (self.port,) = free_ports(1)
        self.values = {"folder": self.folder, "port": self.port, "check": check, "application": application}
        self._write_files()
        self.prepare()
        with open(self.folder / "log", "wb") as log:
            command = [part.format(**self.values) for part in self.command]
            self.process = subprocess.Popen(
                [self.program(command[0]), *command[1:]], stdout=log, stderr=log, cwd=self.folder,
                env={"PATH": "/usr/bin:/usr/sbin", "HOME": str(self.folder)},
            )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    @staticmethod
    def program(name: str) -> str:
        """Of the virtual environment, or of Debian."""
        ours = pathlib.Path(sys.executable).parent / name
        return str(ours) if ours.exists() else shutil.which(name) or f"/usr/sbin/{name}"

    def _write_files(self):
        """Each substitution is of something that stands once in all the files."""
        texts = {name: (ROOT / "Config" / name).read_text() for name in self.files}
        for pattern, value in self.substitutions:
            counts = 0
            for name, text in texts.items():
                texts[name], count = re.subn(pattern, value.format(**self.values), text)
                counts += count
            assert counts == 1, (pattern, counts)
        for name, text in texts.items():
            (self.folder / name).write_text(text)

    def prepare(self):
        """Writes what else it needs to run."""

    def _wait(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                if self.request("GET", "/public/").status == self.ready:
                    return
            except (OSError, http.client.HTTPException):
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(self.log)
            time.sleep(0.02)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def request(self, method="GET", target="/", headers=None, body=None, timeout=20, source="127.0.0.1") -> Answer:
        """One request on a connection of its own, from this address; a list of values is so many headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            sent = {"Host": f"localhost:{self.port}", **(headers or {})}
            if body is not None:
                sent["Content-Length"] = str(len(body))
            for name, value in sent.items():
                for each in value if isinstance(value, list) else [value]:
                    connection.putheader(name, each)
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


CHECK = (r"127\.0\.0\.1:9092", "127.0.0.1:{check}")
APPLICATION = (r"127\.0\.0\.1:8081", "127.0.0.1:{application}")


class Nginx(Proxy):
    files = ("nginx.conf",)
    substitutions = (CHECK, APPLICATION, (r"listen 8080;", "listen 127.0.0.1:{port};"))
    command = ("nginx", "-p", "{folder}", "-c", "{folder}/main.conf")

    def prepare(self):
        temporary = " ".join(
            f"{name}_temp_path {self.folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (self.folder / "main.conf").write_text(
            f"daemon off; master_process off; pid {self.folder}/pid; error_log stderr;\n"
            f"events {{}}\nhttp {{ access_log off; {temporary}\ninclude {self.folder}/nginx.conf;\n}}\n"
        )


class Traefik(Proxy):
    files = ("traefik.yml", "traefik-dynamic.yml")
    substitutions = (
        CHECK, APPLICATION, (r'":8080"', '"127.0.0.1:{port}"'),
        (r"filename: traefik-dynamic\.yml", "filename: {folder}/traefik-dynamic.yml"),
    )
    command = ("traefik", "--configFile={folder}/traefik.yml")


class Caddy(Proxy):
    files = ("Caddyfile",)
    substitutions = (CHECK, APPLICATION, (r"http://localhost:8080", "http://localhost:{port}"))
    command = ("caddy", "run", "--config", "{folder}/Caddyfile", "--adapter", "caddyfile")


class Envoy(Proxy):
    files = ("envoy.yaml",)
    substitutions = (
        (r"127\.0\.0\.1, port_value: 9092", "127.0.0.1, port_value: {check}"),
        (r"127\.0\.0\.1, port_value: 8081", "127.0.0.1, port_value: {application}"),
        (r"0\.0\.0\.0, port_value: 8080", "127.0.0.1, port_value: {port}"),
    )
    command = ("envoy", "-c", "{folder}/envoy.yaml", "--disable-hot-restart", "--concurrency", "1")


class HAProxy(Proxy):
    files = ("haproxy.cfg", "haproxy-auth.lua")
    substitutions = (
        CHECK, APPLICATION, (r"bind :8080", "bind 127.0.0.1:{port}"),
        (r"lua-load haproxy-auth\.lua", "lua-load {folder}/haproxy-auth.lua"),
    )
    command = ("haproxy", "-db", "-f", "{folder}/haproxy.cfg")


class Apache(Proxy):
    files = ("apache.conf", "apache-auth.lua")
    substitutions = (
        CHECK, APPLICATION, (r"<VirtualHost \*:8080>", "<VirtualHost 127.0.0.1:{port}>"),
        (r"LuaHookAccessChecker apache-auth\.lua", "LuaHookAccessChecker {folder}/apache-auth.lua"),
    )
    command = ("apache2", "-d", "{folder}", "-f", "{folder}/main.conf", "-D", "FOREGROUND")
    modules = ("mpm_event", "authz_core", "headers", "lua", "proxy", "proxy_http")

    def prepare(self):
        loaded = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in self.modules)
        (self.folder / "main.conf").write_text(
            f"{loaded}\nListen 127.0.0.1:{self.port}\nPidFile {self.folder}/pid\nErrorLog /dev/stderr\n"
            f"DefaultRuntimeDir {self.folder}\nUser www-data\nGroup www-data\nServerName localhost\n"
            f"Include {self.folder}/apache.conf\n"
        )


ALL = (Nginx, Traefik, Caddy, Envoy, HAProxy, Apache)

# Each proxy at each run; and nginx at each run, the others in the long one.
each_proxy = pytest.mark.parametrize("proxy", ALL, ids=lambda kind: kind.__name__, indirect=True)
each_proxy_at_length = pytest.mark.parametrize(
    "proxy",
    [kind if kind is Nginx else pytest.param(kind, marks=pytest.mark.long) for kind in ALL],
    ids=lambda kind: kind.__name__,
    indirect=True,
)
