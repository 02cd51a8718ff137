"""Real nginx with the configuration that ships, in front of an application that tells what it was sent."""

import http.client
import http.server
import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from gateway import ROOT, Answer, free_ports


class Echo:
    """Answers every request with what it received, as JSON."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                sent = {"method": self.command, "target": self.path, "headers": self.headers.items()}
                sent["body"] = self.rfile.read(length).decode()
                body = json.dumps(sent).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Nginx:
    """The file `Config/nginx.conf`, with this test's ports in it."""

    def __init__(self, gateway):
        self.gateway = gateway
        self.application = Echo()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gatehouse-nginx-"))
        (self.port,) = free_ports(1)
        server = (ROOT / "Config/nginx.conf").read_text()
        for pattern, value in (
            (r"listen 8080;", f"listen 127.0.0.1:{self.port};"),
            (r"http://127\.0\.0\.1:9092/", f"http://127.0.0.1:{gateway.ports['check']}/"),
            (r"http://127\.0\.0\.1:8081;", f"http://127.0.0.1:{self.application.port};"),
        ):
            server, count = re.subn(pattern, value, server)
            assert count == 1, pattern
        temporary = "\n".join(
            f"{name}_temp_path {self.folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (self.folder / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {self.folder}/pid; error_log {self.folder}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off; {temporary}\n{server}\n}}\n"
        )
        self.process = subprocess.Popen(
            [shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")],
            stderr=subprocess.DEVNULL,
        )
        self._wait()

    def _wait(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "error.log").read_text())
                time.sleep(0.02)

    @property
    def log(self) -> str:
        return (self.folder / "error.log").read_text()

    def request(self, method="GET", target="/", headers=None, body=None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
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
        self.application.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
