"""One-time recovery codes, by the calls that a client makes."""

from __future__ import annotations


def enrol(client) -> list[str]:
    """Makes a list and confirms it with its first code."""
    begun = client.post("/recovery-codes/register/options").json
    codes = begun["options"]["codes"]
    confirmed = confirm(client, begun["ceremonyId"], codes[0])
    assert confirmed.status == 200, confirmed
    return codes


def confirm(client, ceremony: str, code: str):
    return client.post("/recovery-codes/register/verify", {"ceremonyId": ceremony, "response": {"code": code}})


def recover(client, name: str, code: str, **options):
    """Both calls of a sign-in; the answer is the first that isn't 200, or that of the second."""
    begun = client.post("/sign-in/options", options)
    if begun.status != 200:
        return begun
    credential = {"kind": "recovery-code", "identifier": name, "code": code}
    return client.post("/sign-in/verify", {"ceremonyId": begun.json["ceremonyId"], "credential": credential})
