"""The end state does not depend on order, split or repetition, whatever the records say."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record, send, standing_graph

pytestmark = pytest.mark.django_db(databases=["default", "keys"])

TIMES = [None, "2026-03-01T10:00:00Z", "2026-04-01T10:00:00Z", "2026-05-01T10:00:00Z"]
TEXTS = ["Alpha is one. Beta is two.", "Gamma is three. Delta is four.", "chunk chunk"]


@st.composite
def worlds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Small worlds with re-used keys, missing records, shared runs, caches and late times."""

    def pick(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    records: list[dict[str, Any]] = [
        record("source", f"s{n}", title=f"Source {n}", at=pick(*TIMES))
        for n in range(draw(st.integers(1, 2)))
    ]
    for _ in range(draw(st.integers(1, 3))):
        extra = pick({}, {"text": pick(*TEXTS)}, {"license": "CC0-1.0"}, {"run": "r0"})
        records.append(
            record(
                "source_version",
                pick("v0", "v1"),
                source=pick("s0", "s1"),
                at=pick(*TIMES),
                **extra,
            )
        )
    for _ in range(draw(st.integers(1, 4))):
        run = pick({}, {"run": "r0"})
        records.append(
            record(
                "document", pick("d0", "d1"), source_version=pick("v0", "v1"), text=pick(*TEXTS),
                at=pick(*TIMES), **run,
            )
        )  # fmt: skip
    records.append(
        record("run", "r0", run_kind="parse", component="c0", at=pick(*TIMES),
               used=[{"kind": "source_version", "key": pick("v0", "v1")}])
    )  # fmt: skip
    records.append(
        record("part", "p0", document="d0", part_kind="page", interval={"start": 0, "end": 10},
               at=pick(*TIMES))
    )  # fmt: skip
    for _ in range(draw(st.integers(1, 5))):
        start = pick(0, 6)
        records.append(
            record("chunk", pick("k0", "k1", "k2"), document=pick("d0", "d1"), at=pick(*TIMES),
                   interval={"start": start, "end": start + 5})
        )  # fmt: skip
    for n in range(draw(st.integers(1, 2))):
        chunks = draw(st.lists(st.sampled_from(["k0", "k1", "k2", "k9"]), min_size=1, max_size=3))
        records += [
            record("retrieval", f"t{n}", index_snapshot="i0", at=pick(*TIMES),
                   candidates=[{"chunk": key, "rank": i + 1} for i, key in enumerate(chunks)]),
            record("context", f"x{n}", retrieval=f"t{n}", at=pick(*TIMES),
                   items=[{"chunk": key, "position": i + 1} for i, key in enumerate(chunks[:2])]),
            record("answer", f"a{n}", context=f"x{n}", text="It is one. [1]", question="What?",
                   at=pick(*TIMES), **pick({}, {"served_from": "a0"})),
            record("claim", f"m{n}", answer=f"a{n}", interval={"start": 0, "end": 10}, at=pick(*TIMES)),
            record("citation", f"q{n}", claim=f"m{n}", marker="[1]", at=pick(*TIMES),
                   **pick({"position": 1}, {"chunk": pick("k0", "k1")}, {"position": 9})),
        ]  # fmt: skip
    missing = draw(st.sets(st.integers(0, len(records) - 1), max_size=2))
    return [one for index, one in enumerate(records) if index not in missing]


@given(world=worlds(), data=st.data())
@settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_shuffled_split_and_repeated_records_give_the_same_end_state(
    db: None, world: list[dict[str, Any]], data: st.DataObject
) -> None:
    key = "5e" * 32
    _forget()
    plain = Workspace.objects.create(slug="plain", name="plain", uid_key=key)
    send(plain, world)
    expected = standing_graph(plain)
    plain.delete()
    _forget()
    shuffled = Workspace.objects.create(slug="shuffled", name="shuffled", uid_key=key)
    order = data.draw(st.permutations(world))
    cut = data.draw(st.integers(0, len(order)))
    for some in (order[:cut], order[cut:], order[: cut // 2]):
        send(shuffled, some)
    assert standing_graph(shuffled) == expected
    shuffled.delete()


def _forget() -> None:
    """Both workspaces have the same key on purpose, so that one must be gone before the other."""
    Node.objects.all().delete()
    Workspace.objects.all().delete()
