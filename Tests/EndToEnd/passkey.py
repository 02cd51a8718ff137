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


def unchanged(part):
    return part


class Passkey:
    """One discoverable credential; user-verified unless told otherwise, and every part of an answer open to change."""

    PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED, EXTENDED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80

    def __init__(self, verifies: bool = True, algorithm: str = "ES256"):
        self.key = Key(algorithm)
        self.cose = cbor.encode(self.key.cose)
        self.id = os.urandom(32)
        self.flags = self.PRESENT | (self.VERIFIED if verifies else 0)
        self.count = 0
        self.counts = True
        self.handle = b""
        self.aaguid = bytes(16)
        self.extensions = b""
        #: What stands in the client data besides the usual, or in place of it.
        self.client: dict = {}
        self.transports: dict = {}
        #: From the members or the bytes that would be made to those that are, before anything is signed.
        self.change_data = self.change_object = self.change_signature = unchanged

    def _client_data(self, kind: str, options: dict, origin: str) -> bytes:
        data = {"type": kind, "challenge": options["challenge"], "origin": origin, "crossOrigin": False, **self.client}
        return json.dumps(data).encode()

    def _data(self, rp_id: str, flags: int, attested: bytes = b"") -> bytes:
        head = hashlib.sha256(rp_id.encode()).digest() + struct.pack(">BI", flags, self.count)
        return self.change_data(head + attested + self.extensions)

    def statement(self, data: bytes, client: bytes) -> tuple[str, dict]:
        """The format of the attestation, and the statement."""
        return "none", {}

    def create(self, options: dict, origin: str) -> dict:
        self.handle = unb64(options["user"]["id"])
        client = self._client_data("webauthn.create", options, origin)
        attested = self.aaguid + struct.pack(">H", len(self.id)) + self.id + self.cose
        data = self._data(options["rp"]["id"], self.flags | self.ATTESTED, attested)
        form, statement = self.statement(data, client)
        made = self.change_object(cbor.encode({"fmt": form, "attStmt": statement, "authData": data}))
        response = self._response(clientDataJSON=client, attestationObject=made)
        response["response"].update(self.transports)
        return response

    def get(self, options: dict, origin: str) -> dict:
        self.count += self.counts
        client = self._client_data("webauthn.get", options, origin)
        data = self._data(options["rpId"], self.flags)
        signature = self.change_signature(self.key.sign(data + hashlib.sha256(client).digest()))
        return self._response(
            clientDataJSON=client, authenticatorData=data, signature=signature, userHandle=self.handle
        )

    def _response(self, **members: bytes) -> dict:
        return {
            "id": b64(self.id), "rawId": b64(self.id), "type": "public-key", "clientExtensionResults": {},
            "response": {name: b64(value) for name, value in members.items()},
        }


def register(client, passkey, /, **body):
    """Both calls of a registration; the answer is the first that isn't 200, or that of the second."""
    begun = client.post("/passkeys/register/options", body)
    if begun.status != 200:
        return begun
    response = passkey.create(begun.json["options"], client.gateway.origin)
    return client.post("/passkeys/register/verify", {"ceremonyId": begun.json["ceremonyId"], "response": response})


def authenticate(client, passkey, /, **body):
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
