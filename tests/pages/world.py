"""A small world for pages: one work, two answers on it, and members of each role."""

from collections.abc import Sequence
from typing import Any

from django.test import Client

from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.models import Node
from provexplorer.workspaces.models import Membership, User, Workspace

T = "2026-03-01T10:00:00Z"
# Bug case D16: markup in a passage, in its quote and in a title.
PASSAGE = "<script>alert(1)</script><img src=x onerror=alert(2)> revenue <b>rose</b> &amp; fell"
QUOTE = "revenue <b>rose</b>"
TITLE = '"><svg onload=alert(3)>'
TEXT = f"Before. {PASSAGE} After."
# A right-to-left override in what an answer says.
ANSWER = "Revenue \u202erose. [1]\n\nNobody knows why. [9]"


def record(kind: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, "occurred_at": T, **fields}


def world(*, acl: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Of source `s`: `cites` cites its chunk (and a position outside its context), `drops` dropped it."""
    guarded = {"acl": list(acl)} if acl is not None else {}
    start = TEXT.index(PASSAGE)
    return [
        record(
            "source", "s", title=TITLE, source_kind="report", creators=[{"name": "<i>Ada</i>"}],
            uri="javascript:alert(9)",
        ),
        record(
            "source_version", "s@1", source="s", license="CC-BY-4.0",
            license_uri="javascript:alert(10)", **guarded,
        ),
        record("document", "d", source_version="s@1", text=TEXT, language="en"),
        record(
            "chunk", "c", document="d", interval={"start": start, "end": start + len(PASSAGE)}
        ),
        record("retrieval", "r1", candidates=[{"chunk": "c", "rank": 1, "score": 0.5, "kept": True}]),
        record("context", "x1", retrieval="r1", items=[{"chunk": "c", "position": 1}]),
        record("answer", "cites", context="x1", question="<b>What</b> happened?", text=ANSWER),
        record("claim", "k1", answer="cites", interval={"start": 0, "end": 14}),
        record("claim", "k2", answer="cites", text="Nobody knows why."),
        record("citation", "q1", claim="k1", marker="[1]", position=1, quote=QUOTE),
        record("citation", "q2", claim="k2", marker="[9]", position=9),
        record(
            "retrieval", "r2",
            candidates=[{"chunk": "c", "rank": 7, "kept": False, "drop_reason": "reranked_out"}],
        ),
        record("answer", "drops", context="x2", question="And then?", text="Nothing."),
        record("context", "x2", retrieval="r2", items=[]),
    ]  # fmt: skip


def send(workspace: Workspace, records: Sequence[dict[str, Any]]) -> None:
    """Apply the records; none may be refused."""
    parsed = [parse_record(index, one) for index, one in enumerate(records)]
    outcomes = apply_records(workspace, parsed).outcomes
    assert [outcome.problem for outcome in outcomes if outcome.problem] == []


def uid(workspace: Workspace, kind: str, key: str) -> str:
    """The uid of the only node of that key."""
    return Node.objects.get(workspace=workspace, kind=kind, key=key).uid


def member(workspace: Workspace, role: str = "reader", groups: Sequence[str] = ()) -> Client:
    """A signed-in member of the workspace with this role."""
    user = User.objects.create_user(username=f"{workspace.slug}-{role}-{User.objects.count()}")
    Membership.objects.create(user=user, workspace=workspace, role=role, groups=list(groups))
    client = Client()
    client.force_login(user)
    return client


def htmx(target: str) -> dict[str, str]:
    """Headers of a request by htmx for this element."""
    return {"HX-Request": "true", "HX-Target": target}
