"""What visitors send, and what an application gets of it."""

BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate"}
WEBSOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}
PREFLIGHT = {"Origin": "https://x.test", "Access-Control-Request-Method": "PUT"}


def is_served(answer):
    """Whether it comes from the application: Caddy has an empty 200 for hosts that it doesn't know."""
    return answer.status == 200 and answer.body != b""


def seen(answer):
    """The headers that the application was sent, with empty ones left out; a name twice is a list."""
    headers = {}
    for name, value in answer.json["headers"]:
        if value:
            headers.setdefault(name.lower(), []).append(value)
    return headers


def folded(answer):
    """The same as an application knows them that folds names, as CGI does (RFC 3875 §4.1.18)."""
    headers = {}
    for name, values in seen(answer).items():
        headers.setdefault("".join(letter if letter.isalnum() else "-" for letter in name), []).extend(values)
    return headers
