"""A small world of records: two guarded versions, one open, and answers that rest on them."""

from typing import Any

from lineage.models import Case, Node, Withdrawal
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record, send

ALPHA = "Alpha is one. Beta is two. Gamma is three."


def viewer(workspace: Workspace, *groups: str, sees_all: bool = False) -> Viewer:
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        groups=frozenset(groups),
        sees_all=sees_all,
        scopes=frozenset({"read"}),
    )


def source(
    key: str, text: str, acl: list[str] | None = None, **fields: Any
) -> list[dict[str, Any]]:
    """A source with one version, its document and one chunk: the document's first sentence."""
    guarded: dict[str, Any] = {} if acl is None else {"acl": acl}
    title = fields.pop("title", f"On {key}")
    end = text.index(".") + 1
    return [
        record("source", key, title=title, **fields),
        record(
            "source_version", f"{key}@1", source=key, version="1", license="CC-BY-4.0", **guarded
        ),
        record("document", f"{key}-doc", source_version=f"{key}@1", text=text),
        record("chunk", f"{key}-c", document=f"{key}-doc", interval={"start": 0, "end": end}),
    ]


def answer(
    name: str,
    chunk: str,
    *,
    beside: tuple[str, ...] = (),
    dropped: tuple[str, ...] = (),
    question: str = "What?",
    **fields: Any,
) -> list[dict[str, Any]]:
    """An answer that cites `chunk`, has those `beside` it in its context, and retrieved and dropped others."""
    included = [chunk, *beside]
    candidates = [
        {"chunk": each, "rank": rank, "kept": each in included}
        for rank, each in enumerate([*included, *dropped], 1)
    ]
    items = [{"chunk": each, "position": place} for place, each in enumerate(included, 1)]
    return [
        record("retrieval", f"ret-{name}", query=question, candidates=candidates),
        record("context", f"ctx-{name}", retrieval=f"ret-{name}", items=items),
        record(
            "answer", f"a-{name}",
            context=f"ctx-{name}", question=question, text="Alpha is one. [1]", **fields,
        ),
        record("claim", f"k-{name}", answer=f"a-{name}", interval={"start": 0, "end": 13}),
        record(
            "citation", f"q-{name}",
            claim=f"k-{name}", marker="[1]", chunk=chunk, quote="Alpha is one.",
        ),
    ]  # fmt: skip


def load(workspace: Workspace, *records: list[dict[str, Any]]) -> dict[str, Node]:
    """Send the records in one request; the workspace's nodes by key."""
    outcomes = send(workspace, [each for some in records for each in some])
    assert [each for each in outcomes if each.status == "rejected"] == []
    return {node.key: node for node in Node.objects.filter(workspace=workspace)}


def withdraw(workspace: Workspace, node: Node, kind: str = "correction") -> Withdrawal:
    """A case on the node, approved: a row of the register, as reads obey it."""
    number = Case.objects.count()
    case = Case.objects.create(
        workspace=workspace,
        uid="cas_" + "abcdefgh"[number] * 26,
        kind=kind,
        state=Case.State.APPROVED,
        created_at=clock.now(),
    )
    return Withdrawal.objects.create(workspace=workspace, case=case, node=node, at=clock.now())
