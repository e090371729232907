"""The running product as its clients meet it: HTTP, a key, a namespace of one's own."""

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from tests.servers.product import Product

GOOD: Final = (200, 201, 202)


@dataclass(slots=True)
class ContractClient:
    """Sends and reads within one fresh namespace."""

    product: Product
    key: str
    namespace: str = field(default_factory=lambda: f"contract-{secrets.token_hex(4)}")

    def get(self, path: str, **query: object) -> Any:
        """The body of a GET that succeeds."""
        asked = f"?{urlencode(query, doseq=True)}" if query else ""
        answer = self.product.request("GET", f"/api/v1{path}{asked}", key=self.key)
        assert answer.status in GOOD, (path, answer)
        return answer.json()

    def post(self, path: str, body: object = None) -> Any:
        """The body of a POST that succeeds."""
        status, answered = self.try_post(path, body)
        assert status in GOOD, (path, answered)
        return answered

    def try_post(self, path: str, body: object = None) -> tuple[int, Any]:
        """Status and body of any POST."""
        sent = {} if body is None else body
        answer = self.product.request("POST", f"/api/v1{path}", body=sent, key=self.key)
        return answer.status, json.loads(answer.body or b"null")

    def send(self, records: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
        """Outcomes by (kind, key); each record goes into this client's namespace."""
        named = [{"namespace": self.namespace, **each} for each in records]
        outcomes = self.post("/records", {"records": named})["outcomes"]
        return {(outcome["kind"], outcome["key"]): outcome for outcome in outcomes}

    def uid(self, kind: str, key: str) -> str:
        """The newest uid of a key of this namespace."""
        found = self.get("/resolve", kind=kind, key=key, namespace=self.namespace)
        assert found["items"], (kind, key)
        uid: str = found["items"][0]["uid"]
        return uid

    def grades(self, kind: str, key: str) -> dict[str, str]:
        """Affected answers of a node with their grades."""
        report = self.get(f"/nodes/{self.uid(kind, key)}/impact", limit=200)
        assert report["total"] == len(report["items"]) == sum(report["counts"].values())
        return {item["key"]: item["grade"] for item in report["items"]}

    def states(self, *keys: str) -> dict[str, str]:
        """The state of each answer."""
        return {key: self.get(f"/answers/{self.uid('answer', key)}")["state"] for key in keys}

    def take_effect(self, kind: str, *targets: dict[str, Any]) -> str:
        """Draft, try out and approve a case; the path to it."""
        case = self.post(
            "/cases", {"kind": kind, "targets": list(targets), "reason": "a test of the contract"}
        )
        assert case["state"] == "draft"
        path = f"/cases/{case['uid']}"
        self.post(f"{path}/dry-run")
        self.post(f"{path}/approve")
        return path
