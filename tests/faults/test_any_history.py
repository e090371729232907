"""Any history of records, cases, deaths and restores ends as an oracle says that reads only the records.

Steps come in any order: works and answers arrive, in time and late, and again; cases are filed one over the
other, for now or for later, paused, lifted; texts are erased, and sent again; whoever propagates or erases is
killed in the midst; the graph is lost and made anew; beside it another workspace has the same keys and cases
of its own. After each step reads are as the oracle says; in the end everything is.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
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

from lineage.cases import propagate, schedule, workflow
from lineage.cases.materialise import materialise
from lineage.erasure import places
from lineage.erasure.run import erase
from lineage.graph import client
from lineage.graph.rebuild import rebuild
from lineage.graph.scope import scope_of
from lineage.models import Case
from provexplorer import clock
from tests.cases.world import viewer
from tests.faults.invariants import TABLE, assert_reads
from tests.faults.sides import PLACES, Side
from tests.impact.recorded import Record
from tests.thorough import THOROUGH

pytestmark = pytest.mark.one_pair

# A hundred steps each day, five hundred in the thorough run; the first history is always the
# dullest that there is.
_HISTORIES, _STEPS = (11, 50) if THOROUGH else (6, 20)
_AT_LEAST: Final = 500 if THOROUGH else 100
_MOST_CASES: Final = 8
KINDS: Final = sorted(set(TABLE) - {"erasure"})

T = TypeVar("T")


class Killed(BaseException):
    """What a SIGKILL looks like from inside: nothing is cleaned up."""


class History(RuleBasedStateMachine):
    """One workspace, with another beside it that has the same works."""

    # Of all histories together: as often as was looked what holds, the beginnings not counted;
    # and how often what must not be missed was there.
    looks, begun = 0, 0
    there: Counter[str] = Counter()

    def __init__(self) -> None:
        super().__init__()
        History.begun += 1
        self.ahead = timedelta()
        clock.use(lambda: datetime.now(UTC) + self.ahead)
        self.here, self.beside = Side(), Side()
        self.withheld: list[tuple[Record, Record]] = []

    def any(self, data: st.DataObject, of: Sequence[T]) -> T:
        return of[data.draw(st.integers(0, len(of) - 1))]

    def may_file(self) -> bool:
        return len(self.here.filed) < _MOST_CASES

    # -- records ----------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        """What no history is without: two works, answers from them, a case on one; and the same beside it."""
        here = self.here
        here.send(
            here.record("component", "parser", component_kind="parser", name="p", version="1"),
            here.record("component", "model", component_kind="model", name="m", version="1"),
            here.record("run", "parse", run_kind="parse", component="parser"),
            here.record("run", "generate", run_kind="generate", component="model"),
        )
        self.a_work_arrives()
        self.a_work_arrives()
        for n in range(4):
            here.answer(here.chunks[n % 3 :], cites=here.chunks[n:], run="generate")
        self.beside.send(*here.records)
        self.beside.targets = list(here.targets)
        self.beside.expect()
        here.approve("retraction", (here.targets[3],))
        here.end()

    @rule()
    def a_work_arrives(self) -> None:
        name, document = self.here.work()
        self.here.send(document, *[
            self.here.record("chunk", f"{name}-c{n}", document=f"{name}-doc", interval=place)
            for n, place in enumerate(PLACES)
        ])  # fmt: skip
        self.here.chunks += [f"{name}-c0", f"{name}-c1"]
        self.here.targets += [("source", name), ("document", f"{name}-doc"), ("chunk", f"{name}-c0"),
                              ("source_version", f"{name}@1")]  # fmt: skip

    @rule()
    def an_answer_arrives_before_its_source_is_known(self) -> None:
        name, document = self.here.work()
        chunk = self.here.record("chunk", f"{name}-c0", document=f"{name}-doc", interval=PLACES[0])
        self.here.answer([f"{name}-c0"], cites=[f"{name}-c0"])
        self.here.targets.append(("source", name))
        self.withheld.append((document, chunk))

    @precondition(lambda self: self.withheld)
    @rule()
    def the_edge_between_arrives(self) -> None:
        """Unless its source was erased meanwhile."""
        document, chunk = self.withheld.pop()
        if self.here.send(document, chunk):
            self.here.chunks.append(chunk["key"])

    @rule(data=st.data(), cited=st.integers(0, 2), run=st.booleans())
    def an_answer_arrives(self, data: st.DataObject, cited: int, run: bool) -> None:
        included = list(dict.fromkeys(self.any(data, self.here.chunks) for _ in range(3)))
        self.here.answer(included, cites=included[:cited], **({"run": "generate"} if run else {}))

    @rule(data=st.data())
    def an_answer_is_served_again(self, data: st.DataObject) -> None:
        here = self.here
        here.send(here.record("answer", f"s{here.number()}", text=f"Again {here.made}.",
                              served_from=self.any(data, here.answers)))  # fmt: skip

    @rule(data=st.data())
    def a_context_turns_out_to_be_another(self, data: st.DataObject) -> None:
        """Edges leave, and with them what rested on them."""
        here = self.here
        answer, chunk = self.any(data, here.answers), self.any(data, here.chunks)
        found: Record = {"candidates": [{"chunk": chunk, "rank": 1}]}
        here.send(
            *([here.record("retrieval", f"r-{answer}", **found)] if data.draw(st.booleans()) else []),
            here.record("context", f"x-{answer}", retrieval=f"r-{answer}",
                        items=[{"chunk": chunk, "position": 1}]),
        )  # fmt: skip

    @rule(data=st.data())
    def records_arrive_again(self, data: st.DataObject) -> None:
        start = data.draw(st.integers(0, len(self.here.records) - 1))
        self.here.send(*reversed(self.here.records[start : start + 6]))

    # -- cases ------------------------------------------------------------------------------

    @precondition(may_file)
    @rule(data=st.data(), kind=st.sampled_from(KINDS))
    def a_case_is_approved(self, data: st.DataObject, kind: str) -> None:
        one, other = self.any(data, self.here.targets), self.any(data, self.here.targets)
        self.here.approve(kind, tuple(dict.fromkeys((one, other))))

    @precondition(may_file)
    @rule(data=st.data(), kind=st.sampled_from(KINDS), hours=st.integers(1, 3))
    def a_case_is_approved_for_later(self, data: st.DataObject, kind: str, hours: int) -> None:
        at = clock.now() + timedelta(hours=hours)
        self.here.approve(kind, (self.any(data, self.here.targets),), at)
        History.there["scheduled"] += 1

    @rule(hours=st.integers(1, 2), started=st.booleans())
    def time_passes(self, hours: int, started: bool) -> None:
        """Reads obey what is due, whether or not anybody has started it."""
        self.ahead += timedelta(hours=hours)
        if started:
            History.there["started"] += schedule.start_due()

    @precondition(may_file)
    @rule(data=st.data())
    def a_text_is_erased(self, data: st.DataObject) -> None:
        # Passages first, as the dullest choice: of them the rest stays.
        if left := sorted(self.here.still_there()):
            self.here.approve("erasure", (self.any(data, left),))
            History.there["erased"] += 1

    @precondition(lambda self: self.here.cut_out())
    @rule(data=st.data())
    def a_document_arrives_without_the_passage(self, data: st.DataObject) -> None:
        """A revision of its own, which no case that names the document by its key was about."""
        here, key = self.here, self.any(data, sorted(self.here.cut_out()))
        if any(("document", key) in case.targets for case in here.filed):
            return
        here.targets = [one for one in here.targets if one != ("document", key)]
        work = key.removesuffix("-doc")
        interval = {"start": 0, "end": 12}
        document = here.record(
            "document",
            key,
            source_version=f"{work}@1",
            text=f"Beta is two. Of {work}.",
            run="parse",
        )
        chunk = here.record("chunk", f"{work}-c{here.made}", document=key, interval=interval)
        if len(here.send(document, chunk)) == 2:
            here.chunks.append(chunk["key"])
            History.there["cut"] += 1

    @precondition(lambda self: len(self.beside.filed) < 2)
    @rule(data=st.data(), kind=st.sampled_from([*KINDS, "erasure"]))
    def a_case_is_approved_beside(self, data: st.DataObject, kind: str) -> None:
        targets = self.beside.still_there() if kind == "erasure" else self.beside.targets
        if targets:
            self.beside.approve(kind, (self.any(data, targets),))
            History.there["beside"] += 1

    @rule(data=st.data())
    def a_case_is_lifted(self, data: st.DataObject) -> None:
        self.here.lift(self.any(data, self.here.filed))

    @rule(data=st.data())
    def a_case_is_paused_or_goes_on(self, data: st.DataObject) -> None:
        case = self.any(data, self.here.filed)
        state = Case.objects.get(uid=case.uid).state
        if state == Case.State.PROPAGATING:
            workflow.pause(viewer(self.here.workspace), case.uid)
        elif state == Case.State.PAUSED:
            workflow.resume(viewer(self.here.workspace), case.uid)

    # -- faults -----------------------------------------------------------------------------

    @rule(data=st.data(), runs=st.integers(1, 3))
    def somebody_propagates(self, data: st.DataObject, runs: int) -> None:
        case = self.any(data, self.here.filed)
        for _ in range(runs):
            self.here.run(case)

    @rule()
    def all_cases_come_to_their_end(self) -> None:
        self.here.end()

    @rule(data=st.data())
    def who_propagates_is_killed(self, data: st.DataObject) -> None:
        case = self.any(data, self.here.filed)

        def dies(*arguments: Any) -> set[int]:
            materialise(*arguments)
            raise Killed

        with patch("lineage.cases.propagate.materialise", dies), suppress(Killed):
            self.here.run(case)

    @precondition(lambda self: self.here.graves)
    @rule(data=st.data(), place=st.sampled_from(list(places.WORK)))
    def who_erases_is_killed(self, data: st.DataObject, place: str) -> None:
        """What the place is about is done, and not yet written down."""
        uid, clear = self.any(data, list(self.here.graves)), places.WORK[place]

        def dies(work: Any) -> int:
            clear(work)
            raise Killed

        with patch.dict(places.WORK, {place: dies}), suppress(Killed):
            erase(Case.objects.get(uid=uid).pk)

    @rule()
    def the_graph_is_lost_and_made_anew(self) -> None:
        code = scope_of(self.here.workspace.pk).code
        client.write(
            lambda unit: unit.run("MATCH (n) WHERE n.workspace = $code DETACH DELETE n", code=code),
            name="tests.lose",
        )
        rebuild(self.here.workspace.pk)

    # -- what holds -------------------------------------------------------------------------

    @invariant()
    def reads_are_right_at_any_moment(self) -> None:
        History.looks += 1
        if self.here.filed:
            assert_reads(self.here.workspace, self.here.records, self.here.filed)
            self.beside.assert_untouched()

    def teardown(self) -> None:
        try:
            schedule.start_due()
            for case in self.here.filed:
                if Case.objects.get(uid=case.uid).state == Case.State.PAUSED:
                    workflow.resume(viewer(self.here.workspace), case.uid)
            for side in (self.here, self.beside):
                side.end()
                side.assert_end()
        finally:
            clock.use(None)


@pytest.mark.django_db
@pytest.mark.usefixtures("graph")
def test_any_history_ends_as_the_records_say(monkeypatch: pytest.MonkeyPatch) -> None:
    # Small enough that every case takes several batches, and several runs.
    monkeypatch.setattr(propagate, "BATCH", 2)
    monkeypatch.setattr(propagate, "BATCHES_A_RUN", 1)
    # Within a test's transaction no log of the database can be emptied.
    monkeypatch.setitem(places.WORK, "files", lambda _work: 0)
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
    assert all(History.there[word] for word in ("scheduled", "started", "erased", "beside"))
