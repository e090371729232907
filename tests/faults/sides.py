"""A workspace of the random histories: what was sent to it and filed there, and what the records say of that."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from lineage.cases import propagate, workflow
from lineage.cases.register import states_of
from lineage.content.passages import texts_of
from lineage.erasure import run as erasing
from lineage.models import Case, ErasurePlace, Node
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import send, viewer
from tests.faults.erased import OF_A_SOURCE, Grave, Keyed, taken
from tests.faults.invariants import Filed, assert_invariants, expected_states, reached
from tests.impact.recorded import Record, Recorded

SENTENCE: Final = "Alpha is one."
TEXT: Final = f"{SENTENCE} Beta is two. Gamma is three."
PLACES: Final = ({"start": 0, "end": 13}, {"start": 14, "end": 26})
Target = tuple[str, str]


class Side:
    """One workspace. Whatever is done in it is compared with the oracle at once."""

    def __init__(self) -> None:
        count = Workspace.objects.count()
        self.workspace = Workspace.objects.create(slug=f"h{count}", name="h")
        self.records: list[Record] = []
        self.filed: list[Filed] = []
        self.made = 0
        self.chunks: list[str] = []
        self.answers: list[str] = []
        self.targets: list[Target] = [
            ("component", "parser"), ("component", "model"), ("run", "generate"),
        ]  # fmt: skip
        # What each erasure that stands has taken, and all ever taken.
        self.graves: dict[str, Grave] = {}
        self.gone: Keyed = set()
        self._expected: dict[str, str] = {}

    # -- records ----------------------------------------------------------------------------

    def number(self) -> int:
        self.made += 1
        return self.made

    def record(self, kind: str, key: str, **fields: Any) -> Record:
        minute, hour = self.number() % 60, self.made // 60
        at = f"2026-03-{1 + hour // 24:02d}T{hour % 24:02d}:{minute:02d}:00Z"
        return {"kind": kind, "key": key, "occurred_at": at, **fields}

    def send(self, *records: Record) -> list[Record]:
        """Send them; those that were let in, which are those that no erasure has taken."""
        let_in = []
        for record, outcome in zip(records, send(self.workspace, records), strict=True):
            name = (record["kind"], record["key"])
            grave = next((one for one in self.graves.values() if one.refuses(record)), None)
            expected = {"stored", "unchanged"} if grave is None else {"rejected"}
            assert outcome.status in expected, (record, outcome)
            if grave is not None:
                grave.barred |= {name} - grave.taken
                continue
            for one in self.graves.values():
                one.barred.discard(name)
            let_in.append(record)
            self.records += [record] if record not in self.records else []
        return let_in

    def work(self) -> tuple[str, Record]:
        """Send a work without its text; its name, and the document that has it."""
        name = f"w{self.number()}"
        text = f"{TEXT} Of {name}."
        self.send(
            self.record("source", name, title=name),
            self.record("source_version", f"{name}@1", source=name, text=text),
        )
        return name, self.record(
            "document", f"{name}-doc", source_version=f"{name}@1", text=text, run="parse"
        )

    def answer(self, included: Sequence[str], *, cites: Sequence[str], **fields: Any) -> None:
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

    # -- cases ------------------------------------------------------------------------------

    def approve(self, kind: str, targets: tuple[Target, ...], at: datetime | None = None) -> None:
        """A case from draft to approval, its numbers compared; of an erasure the keys are destroyed."""
        editor = viewer(self.workspace)
        drafted = workflow.draft(editor, workflow.NewCase(kind=kind, reason="r", effective_at=at, targets=[
            {"kind": kind_, "key": key} for kind_, key in targets
        ]))  # fmt: skip
        filed, world = Filed(drafted.uid, kind, targets, at=at), Recorded(self.records)
        counted = workflow.dry_run(editor, filed.uid).counts
        assert sum(counted.values()) == len(reached(world, filed))
        workflow.approve(editor, filed.uid)
        self.filed.append(filed)
        if kind == "erasure":
            self.graves[filed.uid] = Grave.dug(self.records, targets)
            self.gone |= self.graves[filed.uid].taken
            erasing.begin_now(editor, filed.uid)
        self.expect()

    def lift(self, case: Filed) -> None:
        """End it, or before its time cancel it; what an erasure took may be sent again."""
        if case.cancelled:
            return
        if case.due:
            workflow.reinstate(viewer(self.workspace), case.uid)
        else:
            workflow.cancel(viewer(self.workspace), case.uid)
            case.cancelled = True
        case.holds = False
        if self.graves.pop(case.uid, None):
            erasing.sweep()
        self.expect()

    def still_there(self) -> list[Target]:
        """What may be erased: of a source, and nothing of it erased before."""
        world = Recorded(self.records)
        return [
            one for one in self.targets
            if one[0] in OF_A_SOURCE and not taken(world, (one,)) & self.gone
        ]  # fmt: skip

    def run(self, case: Filed) -> None:
        """One message each for a case and its reinstatement; the lease of who died is over."""
        ids = list(Case.objects.filter(uid=case.uid).values_list("pk", flat=True))
        ids += Case.objects.filter(reinstates__in=ids).values_list("pk", flat=True)
        for case_id in ids:
            Case.objects.filter(pk=case_id).update(lease_until=None)
            propagate.propagate(case_id)

    def end(self) -> None:
        """Every case that is not paused or still to come, to its end."""
        for uid in self.graves:
            waiting = ErasurePlace.objects.filter(erasure__case__uid=uid, next_at__isnull=False)
            # Once more where an answer came meanwhile that repeats what goes.
            for _ in range(2):
                waiting.update(next_at=clock.now())
                erasing.erase(Case.objects.get(uid=uid).pk)
        for _ in range(20 * len(self.filed)):
            under_way = Case.objects.filter(workspace=self.workspace, state="propagating")
            uids = set(under_way.values_list("uid", flat=True))
            uids |= set(under_way.values_list("reinstates__uid", flat=True))
            if not uids:
                return
            for case in self.filed:
                if case.uid in uids:
                    self.run(case)

    # -- what holds -------------------------------------------------------------------------

    def expect(self) -> None:
        """Remember what the answers of a side that nobody touches are, from now on."""
        self._expected = expected_states(Recorded(self.records), self.filed)

    def assert_untouched(self) -> None:
        """I5: nothing that was done elsewhere since then shows here."""
        nodes = Node.objects.filter(workspace=self.workspace, kind="answer", resolved=True)
        keys = dict(nodes.values_list("pk", "key"))
        found = {keys[pk]: one.state.word for pk, one in states_of(self.workspace.pk, keys).items()}
        assert found == self._expected

    def assert_end(self) -> None:
        """All of the invariants, when every case has come to its end; and texts that nobody erased."""
        assert_invariants(self.workspace, self.records, self.filed)
        sent = {one["key"]: one["text"] for one in self.records if one["kind"] == "document"}
        living = Node.objects.filter(workspace=self.workspace, kind="document", resolved=True)
        cut = self.cut_out()
        kept = [
            one for one in living
            if ("document", one.key) not in self.gone and one.key not in cut
        ]  # fmt: skip
        texts = texts_of(kept)
        for one in kept:
            assert texts[one.pk] == sent[one.key]

    def cut_out(self) -> set[str]:
        """Keys of documents of which a passage was ever erased, and that stay."""
        held = {one["document"] for one in self.records
                if one["kind"] == "chunk" and ("chunk", one["key"]) in self.gone}  # fmt: skip
        return {one for one in held if ("document", one) not in self.gone}
