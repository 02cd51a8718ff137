"""What openapi.json says, for tests that go through all of it: a new route can't be forgotten there."""

from __future__ import annotations

import dataclasses
import json
import urllib.parse

from gateway import ROOT, Answer, Gateway

OPENAPI = json.loads((ROOT / "Sources/HTTPFront/API/openapi.json").read_text())
ID = "A" * 22


@dataclasses.dataclass
class Route:
    method: str
    path: str
    operation: dict

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def needs_session(self) -> bool:
        return bool(self.operation.get("security")) and {} not in self.operation["security"]

    @property
    def reads_session(self) -> bool:
        return bool(self.operation.get("security"))

    @property
    def query(self) -> list[str]:
        return [each["name"] for each in self.operation.get("parameters", []) if each["in"] == "query"]

    @property
    def content(self) -> str | None:
        return next(iter(self.operation.get("requestBody", {}).get("content", {})), None)

    @property
    def members(self) -> dict:
        """The body's, at its first level, each with its schema."""
        return resolved(self.operation["requestBody"]["content"][self.content]["schema"])["properties"]

    def ask(self, gateway: Gateway, body=None, *, id=ID, query=None, headers=None) -> Answer:
        """A body is a form where the route takes one, which comes with our origin."""
        target = self.path
        for name in ("{id}", "{version}", "{file}"):
            target = target.replace(name, id)
        if query:
            target += "?" + urllib.parse.urlencode(query)
        headers = dict(headers or {})
        if self.content is None:
            return gateway.request(self.method, target, headers=headers)
        if self.content == "application/json":
            return gateway.request(self.method, target, json_body=body or {}, headers=headers)
        form = {name: value for name, value in (body or {}).items() if isinstance(value, str)}
        return gateway.request(self.method, target, form=form, headers={"Origin": gateway.origin, **headers})


def resolved(schema: dict) -> dict:
    while "$ref" in schema:
        schema = OPENAPI["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return {"properties": {}, **schema}


def routes() -> list[Route]:
    return [
        Route(method.upper(), path, operation)
        for path, operations in OPENAPI["paths"].items()
        for method, operation in operations.items()
    ]


def filled(schema: dict, text: str):
    """What a schema describes, with this text wherever a text stands."""
    schema = resolved(schema)
    if "oneOf" in schema:
        return [filled(each, text) for each in schema["oneOf"]][0]
    kind = schema.get("type")
    if kind == "array":
        return [filled(schema.get("items", {}), text)]
    if kind == "object" or schema["properties"]:
        return {name: filled(each, text) for name, each in schema["properties"].items()}
    return {"boolean": True, "integer": 3_600}.get(kind, text)
