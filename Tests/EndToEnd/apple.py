"""Apple, played by a server of our own: an HTTPS host with its keys, whose tokens the gateway is given.

    with Apple(tmp_path) as apple, Gateway.start(apple.settings()) as gateway:
        answer = apple.sign_up(gateway.client(), "001.lee")

Everything that it is asked is counted in `apple.asked`, by path.
"""

from __future__ import annotations

import collections
import hashlib
import json
import os
import pathlib
import secrets
import threading
import time
import urllib.parse

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

from gateway import Answer, Client, merged
from https_server import HTTPSServer
from passkey import b64, unb64

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


class Host(HTTPSServer):
    """`routes` answers a method and path with `(status, body)`."""

    def __init__(self, folder: pathlib.Path):
        super().__init__(folder)
        self.url = self.url.rstrip("/")
        self.routes, self.asked = {}, collections.Counter()

    def take(self, question):
        self.asked[question.path] += 1
        return self.routes.get((question.method, question.path), lambda _: (404, b""))(question.body)

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
        # Cleared, its keys are asked for and not given.
        self.answers_keys = threading.Event()
        self.answers_keys.set()
        self.routes[("GET", "/auth/keys")] = lambda _: self.answer_keys()
        self.routes[("POST", "/auth/token")] = self.answer_token
        self.routes[("POST", "/auth/revoke")] = self.answer_revocation
        self.folder = folder
        self.codes, self.refresh_tokens, self.secrets = {}, {}, []
        self.revoked: list[str] = []
        self.revocation_is_down = False
        self.told_at = 0

    def answer_keys(self):
        self.answers_keys.wait(30)
        return (500, b"") if self.is_down else (200, json.dumps({"keys": self.published}).encode())

    # What a team's key is good for

    def team(self) -> dict:
        """Settings with a key of the team ABCDE12345."""
        self.team_key = ec.generate_private_key(ec.SECP256R1())
        path = self.folder / "AuthKey.p8"
        path.write_bytes(
            self.team_key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        sealing = self.folder / "sealing.key"
        sealing.write_text(os.urandom(32).hex() + "\n")
        return {
            "team_id": "ABCDE12345", "key_id": "KEY1234567", "private_key": {"file": str(path)},
            "sealing_key": {"file": str(sealing)}, "token_url": f"{self.url}/auth/token",
            "revoke_url": f"{self.url}/auth/revoke",
        }

    def code(self, subject: str, **answer) -> str:
        """A code for a person; the answer to it can be changed."""
        code = f"c.{secrets.token_hex(8)}"
        self.codes[code] = (subject, answer)
        return code

    def client(self, body: bytes) -> dict | None:
        """The fields of a form, if it comes from the team: RFC 7523 with ES256."""
        fields = dict(urllib.parse.parse_qsl(body.decode()))
        self.secrets.append(fields["client_secret"])
        header, claims, signature = (unb64(part) for part in fields["client_secret"].split("."))
        r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
        text = fields["client_secret"].rpartition(".")[0].encode()
        try:
            public = self.team_key.public_key()
            public.verify(utils.encode_dss_signature(r, s), text, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return None
        header, claims = json.loads(header), json.loads(claims)
        expected = {"iss": "ABCDE12345", "sub": fields["client_id"], "aud": ISSUER}
        now = time.time()
        fits = header == {"alg": "ES256", "kid": "KEY1234567"} and expected.items() <= claims.items()
        timely = claims["iat"] <= now + 1 and now < claims["exp"] <= claims["iat"] + 300
        return fields if fits and timely and fields["client_id"] == APP else None

    def answer_token(self, body: bytes):
        fields = self.client(body)
        if fields is None:
            return 400, b'{"error":"invalid_client"}'
        if self.is_down:
            return 500, b""
        subject, changes = self.codes.pop(fields["code"], (None, {}))
        if subject is None or fields["grant_type"] != "authorization_code":
            return 400, b'{"error":"invalid_grant"}'
        token = f"r.{secrets.token_hex(16)}"
        self.refresh_tokens[token] = subject
        answer = {
            "access_token": "a", "token_type": "Bearer", "expires_in": 3600, "refresh_token": token,
            "id_token": self.token("", subject), **changes,
        }
        return 200, json.dumps(answer).encode()

    def answer_revocation(self, body: bytes):
        if self.revocation_is_down:
            return 500, b""
        fields = self.client(body)
        if fields is None or fields["token_type_hint"] != "refresh_token":
            return 400, b'{"error":"invalid_client"}'
        self.revoked.append(fields["token"])
        return 200, b""

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

    def notification(self, type: str, subject: str, *, key: TokenKey | None = None, header=None, event=None, **changes):
        """A notification's token; `event` changes what is told, `changes` the claims around it."""
        now = int(time.time())
        while int(time.time() * 1_000) == self.told_at:
            pass
        self.told_at = int(time.time() * 1_000)
        told = {"type": type, "sub": subject, "event_time": self.told_at, **(event or {})}
        claims = {
            "iss": ISSUER, "aud": APP, "iat": now, "exp": now + 600, "jti": secrets.token_hex(8),
            "events": json.dumps(told), **changes,
        }
        claims = {name: value for name, value in claims.items() if value is not ...}
        return (key or self.key).sign(claims, **(header or {}))

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
