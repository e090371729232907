"""What must hold whatever failed, against an oracle that has read the records and nothing else.

I1 what a case hides no read gives; I2 states, effects and edges are those of a breadth-first search
over the records; I3 done once more nothing changes, and each step is told once; I5 no case touches
another workspace; I6 a case is verified exactly if all that it reaches is done. (I4, that no store holds
the text, is looked for in bytes: `places_of`, and within a process in rows: `erased.left_of`.)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.db.models import F

from citations.card import citation_card
from lineage.cases.propagate import propagate
from lineage.cases.register import states_of
from lineage.erasure.run import erase
from lineage.graph.projection import project, project_case
from lineage.models import AnswerEffect, Case, CaseEvent, Node, Sighting, Withdrawal
from lineage.vocabulary import Grade
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.faults import erased
from tests.flows.inside import case_edges
from tests.impact.recorded import Record, Recorded
from tests.impact.recorded_impact import reached_from

WORDS: Final = ("current", "review", "stale")
_WITHDRAWN: Final = {"cited": 2, "in_context": 1, "produced": 1, "retrieved": 0, "possible": 0}
# What a case of each kind makes of an answer, with no corrected text known: the guide's table.
TABLE: Final[Mapping[str, Mapping[str, int]]] = {
    **dict.fromkeys(
        (
            "correction",
            "supersession",
            "retraction",
            "revocation",
            "expiry",
            "license_change",
            "erasure",
        ),
        _WITHDRAWN,
    ),
    "concern": {**_WITHDRAWN, "cited": 1, "in_context": 0},
    "defective_component": {**_WITHDRAWN, "produced": 2},
}
HIDING: Final = ("revocation", "erasure")


@dataclass(slots=True)
class Filed:
    """A case as a test has filed it: targets by (kind, key).

    `holds` until it is lifted or, before its instant `at`, cancelled.
    """

    uid: str
    kind: str
    targets: tuple[tuple[str, str], ...]
    holds: bool = True
    at: datetime | None = None
    cancelled: bool = False

    @property
    def due(self) -> bool:
        """Whether its time has come."""
        return self.at is None or self.at <= clock.now()

    @property
    def in_effect(self) -> bool:
        return self.holds and self.due


Expected = dict[str, tuple[str, str | None]]


def reached(world: Recorded, case: Filed) -> Expected:
    """The answers that a case reaches, by key, each with its strongest grade and its origin's."""
    found: Expected = {}
    for kind, key in case.targets:
        for name in [one for one in world.nodes if (one.kind, one.key) == (kind, key)]:
            for answer, graded in reached_from(world, name).answers.items():
                found[answer.key] = max(found.get(answer.key, graded), graded, key=_strength)
    return found


def expected_states(world: Recorded, cases: Sequence[Filed]) -> dict[str, str]:
    """The state of every answer that was sent, by key: the gravest of what each target makes of it."""
    states = {one.key: 0 for one in world.nodes if one.kind == "answer" and one.at != ""}
    for case in cases:
        for target in case.targets if case.in_effect else ():
            for key, (grade, origin) in reached(world, Filed("", case.kind, (target,))).items():
                # Served from a cache: as its origin; of which nothing is known: as if it cited.
                acting = (origin or "cited") if grade == "served" else grade
                if key in states:
                    states[key] = max(states[key], TABLE[case.kind][acting])
    return {key: WORDS[state] for key, state in states.items()}


def assert_reads(workspace: Workspace, records: Sequence[Record], cases: Sequence[Filed]) -> None:
    """I1, I2 as far as reads go, I5: at any moment, whatever propagation has got to."""
    world = Recorded(records)
    nodes = Node.objects.filter(workspace=workspace, kind="answer", resolved=True)
    keys = dict(nodes.values_list("pk", "key"))
    assert len(keys) == len(set(keys.values())), "every answer is stored once"
    found = {keys[pk]: one.state.word for pk, one in states_of(workspace.pk, keys).items()}
    assert found == expected_states(world, cases)
    for passage in _hidden_passages(workspace, world, cases):
        assert passage is None, "what is withdrawn from sight is shown"
    assert not AnswerEffect.objects.exclude(case__workspace_id=F("answer__workspace_id")).exists()
    assert not Withdrawal.objects.exclude(case__workspace_id=F("node__workspace_id")).exists()


def assert_invariants(
    workspace: Workspace, records: Sequence[Record], cases: Sequence[Filed]
) -> None:
    """All of them, when nothing is under way any more; with a graph that answers."""
    assert_reads(workspace, records, cases)
    world = Recorded(records)
    project(workspace.pk)
    before = _told(workspace)
    for filed in cases:
        case = Case.objects.get(uid=filed.uid)
        expected = reached(world, filed) if filed.in_effect else {}
        assert _effects(case) == expected
        ending = Case.objects.filter(reinstates=case).first()
        assert (ending is None) == (filed.holds or filed.cancelled)
        if filed.in_effect:
            _assert_verified(workspace, case, len(expected))
        elif filed.holds or filed.cancelled:
            waits = Case.State.SCHEDULED if filed.holds else Case.State.CANCELLED
            assert (case.state, case.done) == (waits, 0)
        if filed.in_effect and filed.kind == "erasure":
            erased.assert_gone(workspace, filed.uid, erased.taken(world, filed.targets))
        _assert_edges(workspace, case, expected)
        for one in (case, ending):
            if one is not None:
                erase(one.pk)
                propagate(one.pk)
    assert _told(workspace) == before
    approvals = CaseEvent.objects.filter(case__workspace=workspace, what="approved")
    assert approvals.count() == approvals.values("case").distinct().count()


def _assert_verified(workspace: Workspace, case: Case, reaching: int) -> None:
    assert case.state == Case.State.VERIFIED, (case.state, case.counts.get("shortfall"))
    # As it was certified; what has arrived or changed since came with the case's effect, or lost it.
    certified = (case.certificate or {})["answers"]
    assert case.done == case.total == certified
    newer = Sighting.objects.filter(workspace=workspace, recorded_at__gt=case.verified_at)
    if not newer.exists():
        assert certified == reaching


def _assert_edges(workspace: Workspace, case: Case, expected: Expected) -> None:
    project_case(case.pk)
    edges = case_edges(case.uid)
    assert len(edges) == len({edge["from"] for edge in edges}), "one edge an answer"
    open_ends = {edge["from"]: edge["grade"] for edge in edges if not edge["ended"]}
    uids = dict(Node.objects.filter(workspace=workspace, kind="answer").values_list("key", "uid"))
    assert open_ends == {uids[key]: grade for key, (grade, _) in expected.items()}


def places_of(sentinel: bytes, *roots: Path) -> list[str]:
    """I4: the files under these folders that hold the bytes."""
    every = (path for root in roots for path in sorted(root.rglob("*")) if path.is_file())
    return [str(path) for path in every if sentinel in path.read_bytes()]


def _strength(graded: tuple[str, str | None]) -> tuple[int, int]:
    grade, origin = graded
    words = [one.word for one in sorted(Grade)]
    return words.index(grade), words.index(origin) if origin else -1


def _effects(case: Case) -> Expected:
    rows = AnswerEffect.objects.filter(case=case, ended_at__isnull=True)
    return {
        key: (Grade(grade).word, Grade(origin).word if origin else None)
        for key, grade, origin in rows.values_list("answer__key", "grade", "origin_grade")
    }


def _hidden_passages(
    workspace: Workspace, world: Recorded, cases: Sequence[Filed]
) -> Iterator[object]:
    """What is shown of passages that rest on what a case hides."""
    hidden = {
        made
        for case in cases if case.in_effect and case.kind in HIDING
        for kind, key in case.targets
        for name in world.nodes if (name.kind, name.key) == (kind, key)
        for made in {name} | reached_from(world, name).nodes if made.kind == "chunk"
    }  # fmt: skip
    quoted = world.out["WAS_QUOTED_FROM"]
    for citation in [one for one in world.nodes if one.kind == "citation"]:
        if quoted[citation] & hidden:
            node = Node.objects.get(workspace=workspace, kind="citation", key=citation.key)
            yield citation_card(viewer(workspace), node.uid).passage


def _told(workspace: Workspace) -> dict[str, Any]:
    """Everything that must not change when a finished case's task comes again."""
    cases = Case.objects.filter(workspace=workspace).order_by("pk")
    effects = AnswerEffect.objects.filter(case__workspace=workspace).order_by("pk")
    events = CaseEvent.objects.filter(case__workspace=workspace).order_by("pk")
    return {
        "cases": list(cases.values("uid", "state", "done", "total", "verified_at", "certificate")),
        "effects": list(effects.values()),
        "events": list(events.values_list("case", "what")),
        **erased.told(workspace),
    }
