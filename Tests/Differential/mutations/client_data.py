"""The client data."""

import json

from responses import Draft, ORIGIN, b64

from .registry import mutation


def member(draft: Draft, name: str, value: str):
    """Replaces a member of the client data, or adds it."""
    names = [known for known, _ in draft.client]
    if name in names:
        draft.client[names.index(name)] = (name, value)
    else:
        draft.client.append((name, value))


def without(draft: Draft, name: str):
    draft.client = [pair for pair in draft.client if pair[0] != name]


@mutation()
def nothing(draft, rng):
    pass


@mutation()
def members_unknown(draft, rng):
    member(draft, "other_keys_can_be_added_here", json.dumps("x" * rng.randrange(40)))


@mutation()
def members_in_another_order(draft, rng):
    rng.shuffle(draft.client)


@mutation()
def members_with_escapes(draft, rng):
    member(draft, "origin", json.dumps(ORIGIN).replace("/", "\\/").replace("a", "\\u0061"))


@mutation()
def members_with_white_space(draft, rng):
    draft.client_bytes = lambda data: data.replace(b",", rng.choice((b" ,\n", b"\t,\r\n")))


@mutation()
def type_of_the_other_ceremony(draft, rng):
    kinds = {"registration": "webauthn.get", "authentication": "webauthn.create"}
    member(draft, "type", json.dumps(kinds[draft.ceremony]))


@mutation()
def type_unknown(draft, rng):
    member(draft, "type", rng.choice(('"payment.get"', '""', '"Webauthn.get"', '"webauthn.create "')))


@mutation()
def type_not_text(draft, rng):
    member(draft, "type", rng.choice(("null", "1", "[]", "{}", "true")))


@mutation()
def type_missing(draft, rng):
    without(draft, "type")


@mutation()
def challenge_of_another(draft, rng):
    member(draft, "challenge", json.dumps(b64(rng.randbytes(len(draft.challenge)))))


@mutation()
def challenge_cut(draft, rng):
    member(draft, "challenge", json.dumps(b64(draft.challenge[:rng.randrange(len(draft.challenge))])))


@mutation()
def challenge_padded(draft, rng):
    member(draft, "challenge", json.dumps(b64(draft.challenge) + "=" * (-len(b64(draft.challenge)) % 4 or 4)))


@mutation()
def challenge_missing(draft, rng):
    without(draft, "challenge")


@mutation()
def challenge_not_text(draft, rng):
    member(draft, "challenge", rng.choice(("null", "1", "[]", "false")))


@mutation()
def origin_of_another(draft, rng):
    member(draft, "origin", json.dumps(rng.choice((
        "https://example.com", "http://auth.example.org", ORIGIN + "/", ORIGIN + ":443", ORIGIN + ":8443",
        ORIGIN.upper(), "https://auth.example.org.evil.test", "https://evil-example.org", "null", "", ORIGIN + "\u0000",
        "https://www.example.org",
    ))))


@mutation()
def origin_missing(draft, rng):
    without(draft, "origin")


@mutation()
def origin_not_text(draft, rng):
    member(draft, "origin", rng.choice(("null", "1", json.dumps([ORIGIN]), "{}")))


@mutation()
def cross_origin(draft, rng):
    member(draft, "crossOrigin", "true")


@mutation()
def cross_origin_not_boolean(draft, rng):
    member(draft, "crossOrigin", rng.choice(("null", '"true"', "1", "0", "[]")))


@mutation()
def top_origin(draft, rng):
    member(draft, "crossOrigin", "true")
    member(draft, "topOrigin", json.dumps("https://embedder.test"))


@mutation()
def top_origin_alone(draft, rng):
    member(draft, "topOrigin", json.dumps(ORIGIN))


@mutation()
def token_binding(draft, rng):
    member(draft, "tokenBinding", rng.choice(('{"status":"supported"}', '{"status":"present","id":"aWQ"}')))


@mutation()
def token_binding_odd(draft, rng):
    member(draft, "tokenBinding", rng.choice(('{"status":"odd"}', '"present"', "{}", "null", "[]")))


@mutation()
def client_data_twice_a_member(draft, rng):
    name, value = rng.choice(draft.client)
    draft.client.insert(rng.choice((0, len(draft.client))), (name, rng.choice((value, '"evil"'))))


@mutation()
def client_data_with_byte_order_mark(draft, rng):
    draft.client_bytes = lambda data: b"\xef\xbb\xbf" + data


@mutation()
def client_data_with_two_byte_order_marks(draft, rng):
    draft.client_bytes = lambda data: b"\xef\xbb\xbf\xef\xbb\xbf" + data


@mutation()
def client_data_not_utf8(draft, rng):
    member(draft, "other", '"X"')
    bad = rng.choice((b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82"))
    draft.client_bytes = lambda data: data.replace(b'"X"', b'"' + bad + b'"')


@mutation()
def client_data_in_another_encoding(draft, rng):
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32-be"))
    draft.client_bytes = lambda data: data.decode().encode(encoding)


@mutation()
def client_data_with_bytes_behind(draft, rng):
    behind = rng.choice((b"x", b"{}", b"\x00", b",", b"//"))
    draft.client_bytes = lambda data: data + behind


@mutation()
def client_data_with_white_space_behind(draft, rng):
    draft.client_bytes = lambda data: b" " + data + b"\n"


@mutation()
def client_data_not_an_object(draft, rng):
    other = rng.choice((b"[]", b"null", b'"{}"', b"", b"1", b"{", b"{}"))
    draft.client_bytes = lambda data: other


@mutation()
def client_data_in_a_list(draft, rng):
    draft.client_bytes = lambda data: b"[" + data + b"]"


@mutation()
def client_data_not_json(draft, rng):
    member(draft, "other", rng.choice(("NaN", "Infinity", "01", "1.", "'x'", "undefined", '"\t"', "+1", "tru")))


@mutation()
def client_data_with_a_comma_too_many(draft, rng):
    draft.client_bytes = lambda data: data[:-1] + b",}"


@mutation()
def client_data_nested(draft, rng):
    depth = rng.choice((3, 60, 200, 5_000))
    member(draft, "other", "[" * depth + "]" * depth)


@mutation()
def client_data_with_lone_surrogate(draft, rng):
    member(draft, "other", '"\\ud800"')
