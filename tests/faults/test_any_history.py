"""Any history of records, cases, deaths and restores ends as an oracle says that reads only the records.

Steps come in any order: works and answers arrive, in time and late, and again; cases are filed one over the
other, paused, lifted; whoever propagates them is killed in a batch; the graph is lost and made anew. After
each step reads are as the oracle says; in the end everything is.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lineage.cases import propagate, workflow
from lineage.cases.materialise import materialise
from lineage.graph import client
from lineage.graph.rebuild import rebuild
from lineage.graph.scope import scope_of
from lineage.models import Case
from provexplorer.workspaces.models import Workspace
from tests.cases.world import send, viewer
from tests.faults.invariants import TABLE, Filed, assert_invariants, assert_reads, reached
from tests.impact.recorded import Record, Recorded
from tests.thorough import THOROUGH

pytestmark = pytest.mark.one_pair

# A hundred steps each day, five hundred in the thorough run; the first history is always the
# dullest that there is.
_HISTORIES, _STEPS = (11, 50) if THOROUGH else (6, 20)
_AT_LEAST: Final = 500 if THOROUGH else 100
SENTENCE: Final = "Alpha is one."
TEXT: Final = f"{SENTENCE} Beta is two. Gamma is three."
PLACES: Final = ({"start": 0, "end": 13}, {"start": 14, "end": 26})


T = TypeVar("T")


class Killed(BaseException):
    """What a SIGKILL looks like from inside: nothing is cleaned up."""


class History(RuleBasedStateMachine):
    """One workspace, with another beside it that has the same works."""

    # Of all histories together: as often as was looked what holds, the beginnings not counted.
    looks, begun = 0, 0

    def __init__(self) -> None:
        super().__init__()
        History.begun += 1
        self.workspace = Workspace.objects.create(slug=f"h{Workspace.objects.count()}", name="h")
        self.records: list[Record] = []
        self.filed: list[Filed] = []
        self.made = 0
        self.chunks: list[str] = []
        self.answers: list[str] = []
        self.withheld: list[tuple[Record, Record]] = []
        self.targets = [("component", "parser"), ("component", "model"), ("run", "generate")]

    def any(self, data: st.DataObject, of: Sequence[T]) -> T:
        return of[data.draw(st.integers(0, len(of) - 1))]

    # -- records ----------------------------------------------------------------------------

    def number(self) -> int:
        self.made += 1
        return self.made

    def record(self, kind: str, key: str, **fields: Any) -> Record:
        minute, hour = self.number() % 60, self.made // 60
        at = f"2026-03-{1 + hour // 24:02d}T{hour % 24:02d}:{minute:02d}:00Z"
        return {"kind": kind, "key": key, "occurred_at": at, **fields}

    def send(self, *records: Record) -> None:
        outcomes = send(self.workspace, records)
        assert {one.status for one in outcomes} <= {"stored", "unchanged"}
        self.records += [one for one in records if one not in self.records]

    @initialize()
    def begin(self) -> None:
        """What no history is without: two works, answers from them, a case on one."""
        self.send(
            self.record("component", "parser", component_kind="parser", name="p", version="1"),
            self.record("component", "model", component_kind="model", name="m", version="1"),
            self.record("run", "parse", run_kind="parse", component="parser"),
            self.record("run", "generate", run_kind="generate", component="model"),
        )
        self.a_work_arrives()
        self.a_work_arrives()
        for n in range(4):
            self._answer(self.chunks[n % 3 :], cites=self.chunks[n:], run="generate")
        self._approve("retraction", (self.targets[3],))
        self.all_cases_come_to_their_end()

    @rule()
    def a_work_arrives(self) -> None:
        name, document = self._work()
        self.send(document, *[
            self.record("chunk", f"{name}-c{n}", document=f"{name}-doc", interval=place)
            for n, place in enumerate(PLACES)
        ])  # fmt: skip
        self.chunks += [f"{name}-c0", f"{name}-c1"]
        self.targets += [("source", name), ("document", f"{name}-doc"), ("chunk", f"{name}-c0"),
                         ("source_version", f"{name}@1")]  # fmt: skip

    def _work(self) -> tuple[str, Record]:
        """A work without its text, and the document that has it."""
        name = f"w{self.number()}"
        text = f"{TEXT} Of {name}."
        self.send(
            self.record("source", name, title=name),
            self.record("source_version", f"{name}@1", source=name, text=text),
        )
        return name, self.record(
            "document", f"{name}-doc", source_version=f"{name}@1", text=text, run="parse"
        )

    @rule()
    def an_answer_arrives_before_its_source_is_known(self) -> None:
        name, document = self._work()
        chunk = self.record("chunk", f"{name}-c0", document=f"{name}-doc", interval=PLACES[0])
        self._answer([f"{name}-c0"], cites=[f"{name}-c0"])
        self.targets.append(("source", name))
        self.withheld.append((document, chunk))

    @precondition(lambda self: self.withheld)
    @rule()
    def the_edge_between_arrives(self) -> None:
        document, chunk = self.withheld.pop()
        self.send(document, chunk)
        self.chunks.append(chunk["key"])

    def _answer(self, included: Sequence[str], *, cites: Sequence[str], **fields: Any) -> None:
        name = f"a{self.number()}"
        self.send(
            self.record("retrieval", f"r-{name}", candidates=[
                {"chunk": key, "rank": rank} for rank, key in enumerate(included, start=1)
            ]),
            self.record("context", f"x-{name}", retrieval=f"r-{name}", items=[
                {"chunk": key, "position": place}
                for place, key in enumerate(included[: max(1, len(cites))], start=1)
            ]),
            self.record("answer", name, context=f"x-{name}", text=f"{SENTENCE} [1] {name}", **fields),
            self.record("claim", f"k-{name}", answer=name, interval=PLACES[0]),
            *[self.record("citation", f"q-{name}-{n}", claim=f"k-{name}", marker="[1]", chunk=key)
              for n, key in enumerate(cites)],
        )  # fmt: skip
        self.answers.append(name)

    @rule(data=st.data(), cited=st.integers(0, 2), run=st.booleans())
    def an_answer_arrives(self, data: st.DataObject, cited: int, run: bool) -> None:
        included = list(dict.fromkeys(self.any(data, self.chunks) for _ in range(3)))
        self._answer(included, cites=included[:cited], **({"run": "generate"} if run else {}))

    @rule(data=st.data())
    def an_answer_is_served_again(self, data: st.DataObject) -> None:
        self.send(self.record("answer", f"s{self.number()}", text=f"Again {self.made}.",
                              served_from=self.any(data, self.answers)))  # fmt: skip

    @rule(data=st.data())
    def a_context_turns_out_to_be_another(self, data: st.DataObject) -> None:
        """Edges leave, and with them what rested on them."""
        answer, chunk = self.any(data, self.answers), self.any(data, self.chunks)
        found: Record = {"candidates": [{"chunk": chunk, "rank": 1}]}
        self.send(
            *([self.record("retrieval", f"r-{answer}", **found)] if data.draw(st.booleans()) else []),
            self.record("context", f"x-{answer}", retrieval=f"r-{answer}",
                        items=[{"chunk": chunk, "position": 1}]),
        )  # fmt: skip

    @rule(data=st.data())
    def records_arrive_again(self, data: st.DataObject) -> None:
        start = data.draw(st.integers(0, len(self.records) - 1))
        self.send(*reversed(self.records[start : start + 6]))

    # -- cases ------------------------------------------------------------------------------

    @precondition(lambda self: len(self.filed) < 8)
    @rule(data=st.data(), kind=st.sampled_from(sorted(TABLE)))
    def a_case_is_approved(self, data: st.DataObject, kind: str) -> None:
        one, other = self.any(data, self.targets), self.any(data, self.targets)
        self._approve(kind, tuple(dict.fromkeys((one, other))))

    def _approve(self, kind: str, targets: tuple[tuple[str, str], ...]) -> None:
        drafted = workflow.draft(viewer(self.workspace), kind=kind, reason="r", targets=[
            {"kind": kind_, "key": key} for kind_, key in targets
        ])  # fmt: skip
        filed = Filed(drafted.uid, kind, targets)
        counted = workflow.dry_run(viewer(self.workspace), filed.uid).counts
        assert sum(counted.values()) == len(reached(Recorded(self.records), filed))
        workflow.approve(viewer(self.workspace), filed.uid)
        self.filed.append(filed)

    @rule(data=st.data())
    def a_case_is_lifted(self, data: st.DataObject) -> None:
        case = self.any(data, self.filed)
        workflow.reinstate(viewer(self.workspace), case.uid)
        case.holds = False

    @rule(data=st.data())
    def a_case_is_paused_or_goes_on(self, data: st.DataObject) -> None:
        case = self.any(data, self.filed)
        state = Case.objects.get(uid=case.uid).state
        if state == Case.State.PROPAGATING:
            workflow.pause(viewer(self.workspace), case.uid)
        elif state == Case.State.PAUSED:
            workflow.resume(viewer(self.workspace), case.uid)

    # -- faults -----------------------------------------------------------------------------

    @rule(data=st.data(), runs=st.integers(1, 3))
    def somebody_propagates(self, data: st.DataObject, runs: int) -> None:
        case = self.any(data, self.filed)
        for _ in range(runs):
            self._run(case)

    @rule()
    def all_cases_come_to_their_end(self) -> None:
        for _ in range(20 * len(self.filed)):
            for case in self.filed:
                self._run(case)
            if not Case.objects.filter(workspace=self.workspace, state="propagating").exists():
                return

    @rule(data=st.data())
    def who_propagates_is_killed(self, data: st.DataObject) -> None:
        case = self.any(data, self.filed)

        def dies(*arguments: Any) -> set[int]:
            materialise(*arguments)
            raise Killed

        with patch("lineage.cases.propagate.materialise", dies), suppress(Killed):
            self._run(case)

    def _run(self, case: Filed) -> None:
        """One message each for a case and its reinstatement; the lease of who died is over."""
        ids = list(Case.objects.filter(uid=case.uid).values_list("pk", flat=True))
        ids += Case.objects.filter(reinstates__in=ids).values_list("pk", flat=True)
        for case_id in ids:
            Case.objects.filter(pk=case_id).update(lease_until=None)
            propagate.propagate(case_id)

    @rule()
    def the_graph_is_lost_and_made_anew(self) -> None:
        code = scope_of(self.workspace.pk).code
        client.write(
            lambda unit: unit.run("MATCH (n) WHERE n.workspace = $code DETACH DELETE n", code=code),
            name="tests.lose",
        )
        rebuild(self.workspace.pk)

    # -- what holds -------------------------------------------------------------------------

    @invariant()
    def reads_are_right_at_any_moment(self) -> None:
        History.looks += 1
        if self.filed:
            assert_reads(self.workspace, self.records, self.filed)

    def teardown(self) -> None:
        for case in self.filed:
            if Case.objects.get(uid=case.uid).state == Case.State.PAUSED:
                workflow.resume(viewer(self.workspace), case.uid)
        self.all_cases_come_to_their_end()
        assert_invariants(self.workspace, self.records, self.filed)


@pytest.mark.django_db
@pytest.mark.usefixtures("graph")
def test_any_history_ends_as_the_records_say(monkeypatch: pytest.MonkeyPatch) -> None:
    # Small enough that every case takes several batches, and several runs.
    monkeypatch.setattr(propagate, "BATCH", 2)
    monkeypatch.setattr(propagate, "BATCHES_A_RUN", 1)
    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=_HISTORIES,
            stateful_step_count=_STEPS,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
            if THOROUGH
            else (Phase.explicit, Phase.generate),
        ),
        _min_steps=_STEPS,
    )
    assert History.looks - History.begun >= _AT_LEAST
