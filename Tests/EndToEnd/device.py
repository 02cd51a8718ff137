"""Trusted devices: a key, and the calls that an app makes with it."""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from passkey import b64

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class Device:
    """A key in the hand of an app, and what its gateway calls it."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = None

    def begin(self, client, **members):
        body = {"platform": "ios", "appId": "com.example.app", "publicKeyJwk": self.jwk, **members}
        return client.post("/trusted-devices/register/options", {k: v for k, v in body.items() if v is not None})

    def finish(self, client, begun, **members):
        self.id = begun.json["options"]["deviceId"]
        response = {"signature": self.sign(begun.json["options"]["clientData"]), **members}
        return client.post(
            "/trusted-devices/register/verify", {"ceremonyId": begun.json["ceremonyId"], "response": response}
        )

    @property
    def jwk(self):
        numbers = self.key.public_key().public_numbers()
        coordinate = lambda value: b64(value.to_bytes(32, "big"))
        return {"kty": "EC", "crv": "P-256", "x": coordinate(numbers.x), "y": coordinate(numbers.y), "alg": "ES256"}

    def sign(self, text, form="raw", high=False):
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        s = max(s, ORDER - s) if high else s
        return b64(encode_dss_signature(r, s) if form == "der" else r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def enrol(self, client, **members):
        """Both calls of an enrolment; the answer is the first that isn't 200, or that of the second."""
        begun = self.begin(client, **members)
        return self.finish(client, begun) if begun.status == 200 else begun

    def sign_in(self, client, /, form="raw", high=False, **options):
        begun = self.ask(client, **options)
        if begun.status != 200:
            return begun
        (request,) = begun.json["requests"]
        return self.answer(client, begun, self.sign(request["clientData"], form, high))

    def ask(self, client, /, **options):
        body = {"deviceId": self.id, "kinds": ["trusted-device"], "client": "native", **options}
        return client.post("/sign-in/options", body)

    def answer(self, client, begun, signature):
        credential = {"kind": "trusted-device", "deviceId": self.id, "signature": signature}
        return client.post("/sign-in/verify", {"ceremonyId": begun.json["ceremonyId"], "credential": credential})
