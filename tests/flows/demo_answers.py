"""The demo's answers as its API tells them, by the name of the trace that each came from."""

import re
from typing import Any, Final
from urllib.parse import urlencode

from demo.files import DATA
from tests.servers.product import Product

_TRACE_ID: Final = re.compile(r'"traceId": ?"([0-9a-f]{32})"')
# Every answer of the demo searched this build of the index.
_SNAPSHOT: Final = {
    "kind": "index_snapshot",
    "key": "bm25-dev-900-150-dcb0ec333d23",
    "namespace": "bm25-dev-900-150",
}


def get(product: Product, path: str, **query: object) -> Any:
    """The body of a GET that succeeds."""
    asked = f"?{urlencode(query)}" if query else ""
    answer = product.request("GET", f"/api/v1{path}{asked}")
    assert answer.status == 200, (path, answer)
    return answer.json()


def post(product: Product, path: str, body: object = None) -> Any:
    """The body of a POST that succeeds."""
    answer = product.request("POST", f"/api/v1{path}", body={} if body is None else body)
    assert answer.status in (200, 201), (path, answer)
    return answer.json()


def trace_names() -> dict[str, str]:
    """Trace id → name of the file that holds it."""
    found = {}
    for file in sorted((DATA / "traces").glob("*.json")):
        (trace_id,) = set(_TRACE_ID.findall(file.read_text(encoding="utf-8")))
        found[trace_id] = file.stem
    return found


def answer_uids(product: Product) -> dict[str, str]:
    """Name of the trace → uid of its answer, of all eighteen."""
    (snapshot,) = get(product, "/resolve", **_SNAPSHOT)["items"]
    report = get(product, f"/nodes/{snapshot['uid']}/impact", limit=200)
    names = trace_names()
    uids = {names[item["key"].partition(":")[0]]: item["uid"] for item in report["items"]}
    assert len(uids) == len(names) == report["total"] == 18
    return uids


def read_answers(product: Product) -> dict[str, Any]:
    """Name of the trace → its answer, whole, with the cards of its citations under `cards`."""
    read = {}
    for name, uid in answer_uids(product).items():
        answer = get(product, f"/answers/{uid}")
        cited = [each for claim in answer["claims"] for each in claim["citations"]]
        read[name] = answer | {
            "cards": {each: get(product, f"/citations/{each}") for each in cited}
        }
    return read


def states(read: dict[str, Any]) -> dict[str, str]:
    """Name of the trace → state of its answer."""
    return {name: answer["state"] for name, answer in read.items()}
