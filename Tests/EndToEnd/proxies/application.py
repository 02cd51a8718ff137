"""An application behind a proxy that tells what it was sent."""

import base64
import hashlib
import http.server
import json
import threading

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455 §1.3


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """A proxy may reset a connection that it keeps no longer."""


class Application:
    """Answers every request with what it received, as JSON; `/events` is a stream, and an upgrade an echo."""

    def __init__(self, headers=()):
        """Adds `headers` to each answer, as a check would."""
        self.may_go_on = threading.Event()
        self.received = 0
        self.last = {}
        application = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                application.received += 1
                if self.headers.get("Upgrade", "").lower() == "websocket":
                    self.echo()
                elif self.path.startswith("/events"):
                    self.stream()
                else:
                    self.tell()

            def __getattr__(self, name):
                if name.startswith("do_"):
                    return self.answer
                raise AttributeError(name)

            def tell(self):
                length = int(self.headers.get("Content-Length") or 0)
                sent = {"method": self.command, "target": self.path, "headers": self.headers.items()}
                sent["body"] = self.rfile.read(length).decode()
                application.last = sent
                body = json.dumps(sent).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def stream(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.chunk(b"data: first\n\n")
                application.may_go_on.wait(20)
                self.chunk(b"data: second\n\n")
                self.chunk(b"")

            def chunk(self, part):
                self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                self.wfile.flush()

            def echo(self):
                key = self.headers["Sec-WebSocket-Key"].encode()
                self.send_response(101)
                self.send_header("Upgrade", "websocket")
                self.send_header("Connection", "Upgrade")
                self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key + GUID).digest()).decode())
                self.end_headers()
                self.close_connection = True
                # One short frame, masked as those of a client are (RFC 6455 §5.2).
                size = self.rfile.read(2)[1] & 0x7F
                mask, text = self.rfile.read(4), self.rfile.read(size)
                text = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
                text = f"{self.headers['Remote-User']}, {self.headers['Cookie']}: ".encode() + text
                self.wfile.write(bytes([0x81, len(text)]) + text)
                self.wfile.flush()
                self.rfile.read(2)

            def log_message(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
