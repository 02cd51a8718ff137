"""One gateway under three names, and people who visit it at one of them."""

import base64
import json

from gateway import Client

MAIN, NET, ALONE = "login.example.test", "login.other.test", "desk.third.test"
PORTALS = {
    "public_url": f"https://{MAIN}", "sessions": {"cookie": {"domain": "example.test"}},
    "portals": [
        {"public_url": f"https://{NET}", "cookie_domain": "other.test"}, {"public_url": f"https://{ALONE}"},
    ],
}
RULES = [
    {"host": "app.example.test", "require": {}}, {"host": "other.test", "require": {}},
    {"host": "*.other.test", "require": {"machines": ["basic"]}}, {"host": ALONE, "require": {}},
    {"host": "www.nobodys.test", "allow": "anyone"},
]
#: An application of each portal, and the name of the cookie that browsers bring there.
APPS = {MAIN: "app.example.test", NET: "app.other.test", ALONE: ALONE}
COOKIES = {MAIN: "__Secure-gatehouse", NET: "__Secure-gatehouse", ALONE: "__Host-gatehouse"}
BROWSER = {"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate"}


class Visitor(Client):
    """Somebody at one of the names: `origin` is what pages there have."""

    def __init__(self, gateway, host):
        super().__init__(gateway)
        self.host, self.origin = host, f"https://{host}"
        # Where the helpers for passkeys look for it.
        self.gateway = type("At", (), {"origin": self.origin, "request": gateway.request})

    def request(self, method, path, **others):
        headers = {"Host": self.host, **(others.pop("headers", None) or {})}
        return super().request(method, path, headers=headers, **others)

    @property
    def token(self):
        return self.cookies[COOKIES[self.host]]

    @property
    def sets(self):
        """The header that carries its session, as the browser would bring it to a host of any name."""
        return {"Cookie": "; ".join(f"{name}={self.token}" for name in sorted(set(COOKIES.values())))}


def ask(gateway, host, path="/", **headers):
    """The check of a request to an application."""
    sent = {"X-Original-URL": f"https://{host}{path}", "X-Original-Method": "GET", **headers}
    return gateway.request("GET", "/auth/nginx", headers=sent, listener="check")


def claims(token):
    """What a JWT says, unverified."""
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
