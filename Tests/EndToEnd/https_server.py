"""Another host on the web, for what the gateway asks elsewhere."""

import collections
import contextlib
import http.server
import pathlib
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from attestation import Authority, pem


Question = collections.namedtuple("Question", "method path headers body")


class HTTPSServer:
    """An HTTPS server with an authority of its own.

    `answer` is the status and body for every question, and headers if it isn't JSON, or a function of the question that says
    them.
    """

    def __init__(self, folder: pathlib.Path):
        authority, key = Authority("Web Root"), ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        certificate = authority.issue(subject, key.public_key(), host="localhost")
        self.authorities = folder / "web.pem"
        self.authorities.write_bytes(pem(authority.root))
        chain = folder / "server.pem"
        encoded = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        chain.write_bytes(encoded + pem(certificate))
        self.answer = (200, b"")
        self.asked = 0
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, body, *headers = server.take(Question(self.command, self.path, self.headers, sent))
                self.send_response(status)
                for name, value in headers or [("Content-Type", "application/json")]:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(ConnectionError, ssl.SSLError):
                    self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.url = f"https://localhost:{self.http.server_address[1]}/"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def take(self, question):
        self.asked += 1
        return self.answer(question) if callable(self.answer) else self.answer

    def close(self):
        self.http.shutdown()
        self.http.server_close()
