"""A case that reaches thousands of answers: bounded batches, flat memory, resumed wherever it was killed.

3,000 each day, 50,000 in the thorough run, as many as FAULTS_ANSWERS says (a million takes hours).
"""

import os
import random
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings as configured
from django.db import connection
from neo4j import GraphDatabase

from bench.impact_rows import Writer, write_graph
from bench.impact_world import EdgeOf, NodeOf, RestOf, World, key, uid
from lineage.cases import lease, propagate, workflow
from lineage.cases.materialise import materialise
from lineage.cases.register import states_of
from lineage.models import AnswerEffect, Case, Node
from lineage.vocabulary import Edge, Grade
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.faults.invariants import Filed, assert_invariants
from tests.impact.recorded import Record
from tests.thorough import THOROUGH

pytestmark = pytest.mark.one_pair

ANSWERS: Final = int(os.environ.get("FAULTS_ANSWERS") or (50_000 if THOROUGH else 3_000))
# MiB by which the process may grow over a case, however many answers it reaches.
MOST: Final = 100
# Answers up to which the oracle is asked.
_MOST_RECORDED: Final = 50_000


class OnOneSource(World):
    """Answers that each had the one passage of the one source in context."""

    def given(self, answer: int) -> list[int]:
        return [0]

    def shared(self) -> Iterator[tuple[NodeOf, list[EdgeOf]]]:
        source, version, document, chunk = (
            NodeOf(kind, 0) for kind in ("source", "source_version", "document", "chunk")
        )
        yield source, []
        yield version, [EdgeOf(version, Edge.SPECIALIZATION_OF, source, "source", version)]
        yield (
            document,
            [EdgeOf(document, Edge.WAS_DERIVED_FROM, version, "source_version", document)],
        )
        yield chunk, [EdgeOf(chunk, Edge.WAS_DERIVED_FROM, document, "document", chunk)]

    def answered(self, number: int) -> Iterator[tuple[NodeOf, list[EdgeOf]]]:
        context, answer = NodeOf("context", number), NodeOf("answer", number)
        chunk = NodeOf("chunk", 0)
        yield context, [EdgeOf(context, Edge.INCLUDED, chunk, "items.chunk", context)]
        yield answer, [EdgeOf(answer, Edge.WAS_DERIVED_FROM, context, "context", answer)]

    def rests(self, number: int) -> list[RestOf]:
        answer, context = NodeOf("answer", number), NodeOf("context", number)
        chain = [
            context,
            *(NodeOf(k, 0) for k in ("chunk", "document", "source_version", "source")),
        ]
        grades = [Grade.PRODUCED, *[Grade.IN_CONTEXT] * 4]
        vias = [answer, *chain[:-1]]
        return [RestOf(*one) for one in zip(chain, grades, vias, strict=True)]


class Killed(BaseException):
    """A SIGKILL, seen from within."""


def resident(name: str) -> float:
    """MiB of this process, by the kernel's account."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


@pytest.mark.django_db
@pytest.mark.usefixtures("graph")
def test_it_is_resumed_wherever_it_was_killed_in_little_memory(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = OnOneSource(ANSWERS)
    Writer(workspace, world).write()
    with connection.cursor() as cursor:
        # As a database in service does by itself: rows of this transaction are in no statistics.
        cursor.execute("ANALYZE")
    login = (configured.NEO4J_USER, configured.NEO4J_PASSWORD)
    with GraphDatabase.driver(configured.NEO4J_URI, auth=login) as driver:
        write_graph(driver, configured.NEO4J_DATABASE, workspace, world)
    source = {"kind": "source", "uid": uid(workspace.hash_key, NodeOf("source", 0))}
    drafted = workflow.draft(
        viewer(workspace), workflow.NewCase(kind="retraction", targets=[source], reason="r")
    )
    counts = workflow.dry_run(viewer(workspace), drafted.uid).counts
    assert counts["in_context"] == ANSWERS
    workflow.approve(viewer(workspace), drafted.uid)

    chance, deaths, sizes = random.Random(20), 0, []

    def dies_now_and_then(workspace_id: int, ids: Any, case_id: int) -> set[int]:
        nonlocal deaths
        sizes.append(len(ids))
        changed = materialise(workspace_id, ids, case_id)
        if len(sizes) % 4 == 3:
            deaths += 1
            raise Killed
        return changed

    monkeypatch.setattr(propagate, "materialise", dies_now_and_then)
    # Whose lease holds is the question here, not how fast this machine is: beside other runs a
    # batch may take longer than a lease lasts.
    monkeypatch.setattr(lease, "LEASE", timedelta(hours=1))
    monkeypatch.setattr(lease, "NO_LEASE", timedelta(hours=2))
    Path("/proc/self/clear_refs").write_text("5")
    at_rest = resident("VmRSS")
    case = Case.objects.get(uid=drafted.uid)
    seen = 0
    for _ in range(20 + ANSWERS // 100):
        case.refresh_from_db()
        if case.state != Case.State.PROPAGATING:
            break
        assert case.done >= seen, "what was counted as done is done"
        seen = case.done
        if case.cursor:
            assert AnswerEffect.objects.filter(case=case).count() == case.done
        Case.objects.filter(pk=case.pk).update(lease_until=None)
        try:
            propagate.propagate(case.pk)
        except Killed:
            # Reads obey all the while.
            number = chance.randrange(ANSWERS)
            answer = Node.objects.get(workspace=workspace, key=key("answer", number))
            assert states_of(workspace.pk, [answer.pk])[answer.pk].state.word == "review"
            assert lease.take(case.pk) is None, "the lease of who died is waited for"
    assert (case.state, case.done, case.total) == (Case.State.VERIFIED, ANSWERS, ANSWERS)
    assert deaths >= (ANSWERS // propagate.BATCH) // 4 > 0
    assert max(sizes) <= propagate.BATCH
    rows = AnswerEffect.objects.filter(case=case, ended_at__isnull=True)
    assert rows.filter(grade=Grade.IN_CONTEXT, state=1).count() == rows.count() == ANSWERS
    assert (case.certificate or {})["proof"]["answers"] == ANSWERS
    # Names of answers are held once more for the proof and the certificate: a few hundred bytes each.
    assert resident("VmHWM") - at_rest < MOST + ANSWERS / 1_000
    # By then: the oracle holds every record in memory.
    if ANSWERS <= _MOST_RECORDED:
        filed = Filed(case.uid, "retraction", (("source", key("source", 0)),))
        assert_invariants(workspace, list(recorded()), [filed])


def recorded() -> Iterator[Record]:
    """The world as records would tell it."""
    one = {kind: key(kind, 0) for kind in ("source", "source_version", "document", "chunk")}
    yield {"kind": "source", "key": one["source"]}
    yield {"kind": "source_version", "key": one["source_version"], "source": one["source"]}
    yield {"kind": "document", "key": one["document"], "source_version": one["source_version"]}
    yield {"kind": "chunk", "key": one["chunk"], "document": one["document"]}
    for number in range(ANSWERS):
        context = key("context", number)
        items = [{"chunk": one["chunk"], "position": 1}]
        yield {"kind": "context", "key": context, "items": items}
        yield {"kind": "answer", "key": key("answer", number), "context": context}
