"""Apple, played by a server of our own: an HTTPS host with its keys, whose tokens the gateway is given.

    with Apple(tmp_path) as apple, Gateway.start(apple.settings()) as gateway:
        answer = apple.sign_up(gateway.client(), "001.lee")

Everything that it is asked is counted in `apple.asked`, by path.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import http.server
import json
import pathlib
import ssl
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID

from attestation import Authority, pem
from gateway import Answer, Client, merged
from passkey import b64

ISSUER = "https://appleid.apple.com"
APP = "com.example.app"


def number(value: int) -> str:
    return b64(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class TokenKey:
    """An RSA key that tokens are signed with, under an ID."""

    def __init__(self, id: str):
        self.id = id
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def jwk(self, **changes) -> dict:
        public = self.key.public_key().public_numbers()
        jwk = {"kty": "RSA", "kid": self.id, "use": "sig", "alg": "RS256", "n": number(public.n), "e": number(public.e)}
        return {**jwk, **changes}

    def sign(self, claims: dict, **header) -> str:
        parts = ({"alg": "RS256", "kid": self.id, **header}, claims)
        text = ".".join(b64(json.dumps(part).encode()) for part in parts)
        return f"{text}.{b64(self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


class Host:
    """An HTTPS server of its own authority; `routes` answers a method and path with `(status, body)`."""

    def __init__(self, folder: pathlib.Path):
        authority, key = Authority("Web Root"), ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        certificate = authority.issue(subject, key.public_key(), host="localhost")
        self.authorities = folder / "authorities.pem"
        self.authorities.write_bytes(pem(authority.root))
        chain = folder / "host.pem"
        encoded = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        chain.write_bytes(encoded + pem(certificate))
        self.routes, self.asked = {}, collections.Counter()
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                host.asked[self.path] += 1
                status, content = host.routes.get((self.command, self.path), lambda _: (404, b""))(body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                with contextlib.suppress(ConnectionError, ssl.SSLError):
                    self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.url = f"https://localhost:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Apple(Host):
    def __init__(self, folder: pathlib.Path):
        super().__init__(folder)
        self.key = TokenKey("key-1")
        self.published = [self.key.jwk()]
        self.is_down = False
        self.routes[("GET", "/auth/keys")] = lambda _: self.answer_keys()

    def answer_keys(self):
        return (500, b"") if self.is_down else (200, json.dumps({"keys": self.published}).encode())

    @property
    def fetches(self) -> int:
        return self.asked["/auth/keys"]

    def settings(self, apple: dict | None = None, **others) -> dict:
        provider = {"enabled": True, "client_ids": [APP], "keys_url": f"{self.url}/auth/keys"}
        outgoing = {"authorities": str(self.authorities)}
        return merged({"providers": {"apple": merged(provider, apple or {})}, "outgoing": outgoing}, others)

    # Tokens

    def claims(self, nonce: str, subject: str, /, **changes) -> dict:
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": APP, "sub": subject, "iat": now, "exp": now + 600, "nonce": nonce, **changes}
        return {name: value for name, value in claims.items() if value is not ...}

    def token(self, nonce: str, subject: str, /, *, key: TokenKey | None = None, header: dict | None = None, **changes):
        return (key or self.key).sign(self.claims(nonce, subject, **changes), **(header or {}))

    # What a client does with them

    def sign_in(self, client: Client, subject: str, *, begin: dict | None = None, kind="apple", **token) -> Answer:
        begun = client.post("/sign-in/options", {"kinds": [kind], **(begin or {})})
        if begun.status != 200:
            return begun
        nonce = begun.json["requests"][0]["nonce"]
        credential = {"kind": kind, "identityToken": self.token(nonce, subject, **token)}
        return client.post("/sign-in/verify", {"ceremonyId": begun.json["ceremonyId"], "credential": credential})

    def enrol(
        self, client: Client, subject: str, *, begin=None, name=None, code=None, path="/apple-ids", **token
    ) -> Answer:
        """A sign-up without a session, a link with one."""
        begun = client.post(f"{path}/register/options", begin or {})
        if begun.status != 200:
            return begun
        response = {"identityToken": self.token(begun.json["options"]["nonce"], subject, **token)}
        if name is not None:
            response["user"] = {"name": name}
        if code is not None:
            response["authorizationCode"] = code
        body = {"ceremonyId": begun.json["ceremonyId"], "response": response}
        return client.post(f"{path}/register/verify", body)


def hashed(nonce: str) -> str:
    """As an app sends a nonce."""
    return hashlib.sha256(nonce.encode()).hexdigest()
