"""A small world for cases: two works, four answers that rest on the first in different ways, one that does not."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from lineage.cases import workflow
from lineage.cases.propagate import propagate
from lineage.cases.register import states_of
from lineage.cases.view import CaseView
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.models import Case, Node
from lineage.types import Outcome, Viewer
from provexplorer.workspaces.models import Workspace

T = "2026-03-01T10:00:00Z"
TEXT = "Alpha is one. Beta is two. Gamma is three. Delta is four."
OTHER_TEXT = "Epsilon is five. Zeta is six."


def record(kind: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, "occurred_at": T, **fields}


def send(workspace: Workspace, records: Sequence[dict[str, Any]]) -> list[Outcome]:
    """Apply the records as one request."""
    parsed = [parse_record(index, one) for index, one in enumerate(records)]
    return list(apply_records(workspace, parsed).outcomes)


def work(name: str, text: str, chunks: dict[str, tuple[int, int]]) -> list[dict[str, Any]]:
    """A source `name` with version `name@1`, document `name-doc` and these chunks."""
    return [
        record("source", name, title=f"Work {name}"),
        record("source_version", f"{name}@1", source=name, published_at="2025-01-01"),
        record("document", f"{name}-doc", source_version=f"{name}@1", text=text, run="parse"),
        *[
            record("chunk", key, document=f"{name}-doc", interval={"start": start, "end": end})
            for key, (start, end) in chunks.items()
        ],
    ]


def answer(
    name: str,
    *,
    retrieved: Sequence[str],
    included: Sequence[str],
    cites: Sequence[str],
    sentence: str = "Alpha is one.",
    run: str | None = None,
) -> list[dict[str, Any]]:
    """An answer with one claim, and a citation of it for each chunk cited."""
    return [
        record("retrieval", f"ret-{name}", candidates=[
            {"chunk": key, "rank": rank, "kept": key in included}
            for rank, key in enumerate(retrieved, start=1)
        ]),
        record("context", f"ctx-{name}", retrieval=f"ret-{name}", items=[
            {"chunk": key, "position": place} for place, key in enumerate(included, start=1)
        ]),
        record("answer", name, context=f"ctx-{name}", question="What?", text=sentence + " [1]",
               **({"run": run} if run else {})),
        record("claim", f"claim-{name}", answer=name, interval={"start": 0, "end": len(sentence)}),
        *[
            record("citation", f"cit-{name}-{key}", claim=f"claim-{name}", marker="[1]", chunk=key)
            for key in cites
        ],
    ]  # fmt: skip


def world() -> list[dict[str, Any]]:
    """Of s1: `cites` cites it, `context` has it in context, `drops` retrieved it only, `other` never saw it."""
    return [
        record("component", "parser", component_kind="parser", name="parser", version="1"),
        record("component", "model", component_kind="model", name="model", version="9"),
        record("run", "parse", run_kind="parse", component="parser"),
        record("run", "generate", run_kind="generate", component="model"),
        *work("s1", TEXT, {"c1": (0, 13), "c1b": (14, 26)}),
        *work("s2", OTHER_TEXT, {"c2": (0, 16)}),
        *answer(
            "cites", retrieved=["c1", "c2"], included=["c1", "c2"], cites=["c1"], run="generate"
        ),
        *answer("context", retrieved=["c1", "c2"], included=["c1", "c2"], cites=["c2"]),
        *answer("drops", retrieved=["c1", "c2"], included=["c2"], cites=["c2"]),
        *answer("other", retrieved=["c2"], included=["c2"], cites=["c2"]),
    ]


def viewer(workspace: Workspace, *scopes: str) -> Viewer:
    """A member with these scopes; with none named, those of an editor."""
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        scopes=frozenset(scopes or ("read", "operate", "edit")),
    )


def node(workspace: Workspace, kind: str, key: str) -> Node:
    return Node.objects.get(workspace=workspace, kind=kind, key=key)


def states(workspace: Workspace, *keys: str) -> dict[str, str]:
    """The state of each answer, by key; of all answers with none named."""
    nodes = Node.objects.filter(workspace=workspace, kind="answer", resolved=True)
    ids = {one.pk: one.key for one in (nodes.filter(key__in=keys) if keys else nodes)}
    return {ids[pk]: one.state.word for pk, one in states_of(workspace.pk, ids).items()}


def drafted(workspace: Workspace, kind: str, *targets: tuple[str, str], **more: Any) -> CaseView:
    """A draft on targets given as (kind, key)."""
    refs = [{"kind": kind_, "key": key} for kind_, key in targets]
    return workflow.draft(
        viewer(workspace), workflow.NewCase(kind=kind, targets=refs, reason="test", **more)
    )


def approved(workspace: Workspace, kind: str, *targets: tuple[str, str], **more: Any) -> CaseView:
    """A case from draft to approval."""
    case = drafted(workspace, kind, *targets, **more)
    workflow.dry_run(viewer(workspace), case.uid)
    return workflow.approve(viewer(workspace), case.uid)


@contextmanager
def undone() -> Iterator[None]:
    """What is done within is rolled back: tables of cases share one world."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def row(case: CaseView) -> Case:
    return Case.objects.get(uid=case.uid)


def run_to_end(case: CaseView, runs: int = 20) -> Case:
    """Deliver the case's task until it has ended or has to wait for something."""
    for _ in range(runs):
        before = row(case)
        Case.objects.filter(pk=before.pk).update(lease_until=None)
        propagate(before.pk)
        after = row(case)
        if after.state != Case.State.PROPAGATING:
            return after
    return row(case)
