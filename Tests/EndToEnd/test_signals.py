"""What the answers tell a client of its passkeys (WebAuthn Level 3 §5.1.10, editor's draft of 2026-07-30)."""

from passkey import Passkey, authenticate, b64, register, step_up

from gateway import PASSWORD


def accepted(signals: dict) -> set[str]:
    assert set(signals) == {"rpId", "userId", "allAcceptedCredentialIds", "name", "displayName"}
    return set(signals["allAcceptedCredentialIds"])


def test_every_answer_to_the_owner_says_what_is_accepted_and_what_the_account_is_called(gateway, lee):
    client, first, second = gateway.client(), Passkey(), Passkey()
    answers = [(client.sign_in(lee), set())]
    answers.append((register(client, first), {b64(first.id)}))
    answers.append((step_up(client, first), {b64(first.id)}))
    both = {b64(first.id), b64(second.id)}
    answers.append((register(client, second), both))
    answers.append((authenticate(gateway.client(), second), both))
    answers.append((authenticate(gateway.client(), second, identifier=lee), both))
    answers.append((gateway.client().sign_in(lee), both))
    removed = client.get("/passkeys").json["passkeys"][0]
    answers.append((client.delete(f"/passkeys/{removed['id']}"), {b64(second.id)}))
    for answer, expected in answers:
        signals = answer.json["signals"]
        assert answer.status == 200 and accepted(signals) == expected
        assert signals["rpId"] == "localhost" and signals["userId"] == b64(first.handle)
        assert (signals["name"], signals["displayName"]) == (lee, "Lee L.")


def test_a_passkey_without_an_account_yet_is_told_what_it_signed_up_for(gateway):
    client, passkey = gateway.client(), Passkey()
    answer = register(client, passkey, username="signs-up", displayName="Signs Up")
    assert accepted(answer.json["signals"]) == {b64(passkey.id)}
    assert answer.json["signals"]["displayName"] == "Signs Up"


def test_an_unknown_passkey_is_named_where_it_was_not_asked_for_by_a_name(gateway, lee):
    client, known, gone = gateway.client(), Passkey(), Passkey()
    client.sign_in(lee)
    register(client, known)
    step_up(client, known)
    register(client, gone)
    listed = client.get("/passkeys").json["passkeys"][1]
    client.delete(f"/passkeys/{listed['id']}")
    for refused in (authenticate(gateway.client(), gone), step_up(client, gone)):
        assert (refused.status, refused.code) == (401, "credential_unknown")
        assert refused.json["signals"] == {"unknownCredentialId": b64(gone.id)}
    named = authenticate(gateway.client(), gone, identifier=lee)
    assert named.code == "credential_rejected" and "signals" not in named.json


def test_a_refusal_tells_nobody_what_is_accepted(gateway, lee):
    client, passkey = gateway.client(), Passkey()
    client.sign_in(lee)
    register(client, passkey)
    passkey.count = 5
    authenticate(gateway.client(), passkey)
    passkey.count = 1
    refused = authenticate(gateway.client(), passkey)
    assert refused.code == "counter_regressed" and "signals" not in refused.json
    wrong = gateway.client().sign_in(lee, PASSWORD + "?")
    assert wrong.code == "credential_rejected" and "signals" not in wrong.json
