"""A software authenticator, and the calls of a client around it."""

import base64
import hashlib
import json
import os
import struct

from fido2 import cbor

from keys import Key


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Passkey:
    """One discoverable credential; user-verified unless told otherwise."""

    PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40

    def __init__(self, verifies: bool = True, algorithm: str = "ES256"):
        self.key = Key(algorithm)
        self.id = os.urandom(32)
        self.flags = self.PRESENT | (self.VERIFIED if verifies else 0)
        self.count = 0
        self.handle = b""
        # What stands in the client data besides the usual.
        self.client = {}
        self.aaguid = bytes(16)

    def _client_data(self, kind: str, options: dict, origin: str) -> bytes:
        data = {"type": kind, "challenge": options["challenge"], "origin": origin, "crossOrigin": False, **self.client}
        return json.dumps(data).encode()

    def _data(self, rp_id: str, flags: int) -> bytes:
        return hashlib.sha256(rp_id.encode()).digest() + struct.pack(">BI", flags, self.count)

    def create(self, options: dict, origin: str) -> dict:
        self.handle = unb64(options["user"]["id"])
        cose = cbor.encode(self.key.cose)
        data = self._data(options["rp"]["id"], self.flags | self.ATTESTED)
        data += self.aaguid + struct.pack(">H", len(self.id)) + self.id + cose
        return self._response(
            clientDataJSON=self._client_data("webauthn.create", options, origin),
            attestationObject=cbor.encode({"fmt": "none", "attStmt": {}, "authData": data}),
        )

    def get(self, options: dict, origin: str) -> dict:
        self.count += 1
        client = self._client_data("webauthn.get", options, origin)
        data = self._data(options["rpId"], self.flags)
        signature = self.key.sign(data + hashlib.sha256(client).digest())
        return self._response(
            clientDataJSON=client, authenticatorData=data, signature=signature, userHandle=self.handle
        )

    def _response(self, **members: bytes) -> dict:
        return {
            "id": b64(self.id), "rawId": b64(self.id), "type": "public-key", "clientExtensionResults": {},
            "response": {name: b64(value) for name, value in members.items()},
        }


def register(client, passkey, **body):
    """Both calls of a registration; the answer is the first that isn't 200, or that of the second."""
    begun = client.post("/passkeys/register/options", body)
    if begun.status != 200:
        return begun
    response = passkey.create(begun.json["options"], client.gateway.origin)
    return client.post("/passkeys/register/verify", {"ceremonyId": begun.json["ceremonyId"], "response": response})


def authenticate(client, passkey, **body):
    """Both calls of the passkey-only sign-in."""
    begun = client.post("/passkeys/authenticate/options", body)
    if begun.status != 200:
        return begun
    response = passkey.get(begun.json["options"], client.gateway.origin)
    return client.post("/passkeys/authenticate/verify", {"ceremonyId": begun.json["ceremonyId"], "response": response})


def step_up(client, passkey, **body):
    """Both calls of a step-up of the client's session by passkey."""
    begun = client.post("/sign-in/options", {"stepUp": True, "kinds": ["passkey"], **body})
    if begun.status != 200:
        return begun
    response = passkey.get(begun.json["requests"][0]["options"], client.gateway.origin)
    return client.post(
        "/sign-in/verify",
        {"ceremonyId": begun.json["ceremonyId"], "credential": {"kind": "passkey", "response": response}},
    )
