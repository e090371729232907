"""The prepared closure equals a plain walk from every node, in worlds of every shape."""

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lineage.models import RestsOn
from lineage.vocabulary import Grade
from provexplorer.workspaces.models import Workspace
from tests.impact.plain_walk import PlainWalk
from tests.ingest.sending import record, send

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

TEXT = "Alpha is one. Beta is two. Gamma is three. Delta is four."


@st.composite
def worlds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Shared and chained runs, nested chunks and parts, embeddings, caches, cycles, credits."""

    def some(values: list[str], most: int = 3) -> list[str]:
        return draw(st.lists(st.sampled_from(values), min_size=1, max_size=most, unique=True))

    def one(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    records: list[dict[str, Any]] = [
        record("component", "parser", component_kind="parser", name="parser", version="1"),
        record("component", "model", component_kind="model", name="model", version="1"),
    ]
    versions = ["v0", "v1", "v2"]
    for n in range(2):
        credit = one([], [{"name": "Ann", "role": "creator"}], [{"agent": "bob", "role": "editor"}])
        records.append(record("source", f"s{n}", title=f"Source {n}", creators=credit))
    for version in versions:
        extra = one({}, {"creators": [{"agent": "bob", "role": one("creator", "editor")}]})
        run = one({}, {"run": "clean"}, {"run": "merge"}, {"run": "merge"})
        records.append(
            record("source_version", version, source=one("s0", "s1"), text=version, **extra, **run)
        )
    for run in ("clean", "merge"):
        used = [{"kind": "source_version", "key": key} for key in some(versions)]
        used += draw(st.sampled_from([[], [{"kind": "source", "key": "s0"}]]))
        records.append(record("run", run, run_kind="pipeline", component="parser", used=used))
    records += [
        record(
            "document", f"d{n}", source_version=one(*versions), text=TEXT, run=one("clean", "parse")
        )
        for n in range(2)
    ]
    records.append(
        record("part", "p0", document="d0", part_kind="page", interval={"start": 0, "end": 20})
    )
    chunks = ["k0", "k1", "k2", "k3"]
    for n, key in enumerate(chunks):
        parent = one({}, {"parent": {"kind": "chunk", "key": one(*chunks)}})
        records.append(
            record(
                "chunk",
                key,
                document=one("d0", "d1"),
                interval={"start": n, "end": n + 9},
                **parent,
            )
        )
        if draw(st.booleans()):
            records.append(
                record(
                    "embedding",
                    f"e{n}",
                    chunk=key,
                    model="m",
                    vector_digest=f"sha256:{n:064d}",
                    run="embed",
                )
            )
    records.append(record("run", "embed", run_kind="embed", component="embedder"))
    members = one({"chunks": chunks}, {"embeddings": ["e0", "e1", "e2"]})
    records.append(record("index_snapshot", "i0", collection="c", embedder="embedder", **members))
    for n in range(3):
        pool = some([*chunks, "k9"], 4)
        kept = pool[: draw(st.integers(0, len(pool)))]
        run = one({}, {"run": "generate"})
        cached = one({}, {}, {"served_from": one("a0", "a1", "a2")})
        records += [
            record("retrieval", f"r{n}", index_snapshot="i0",
                   candidates=[{"chunk": key, "rank": i} for i, key in enumerate(pool)]),
            record("context", f"x{n}", retrieval=f"r{n}", template={"name": "t", "version": "1"},
                   items=[{"chunk": key, "position": i + 1} for i, key in enumerate(kept)]),
            record("answer", f"a{n}", context=f"x{n}", text=f"It is {n}. [1]", **run, **cached),
            record("claim", f"c{n}", answer=f"a{n}", interval={"start": 0, "end": 8}),
            record("citation", f"q{n}", claim=f"c{n}", marker="[1]",
                   **one({"position": 1}, {"chunk": one(*chunks)})),
        ]  # fmt: skip
    records.append(record("run", "generate", run_kind="generate", component="model"))
    return draw(st.permutations(records))


@given(world=worlds(), data=st.data())
@settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_closure_equals_a_plain_walk_from_every_node(
    db: None, world: list[dict[str, Any]], data: st.DataObject
) -> None:
    workspace = Workspace.objects.create(slug=f"w{Workspace.objects.count()}x", name="w")
    cut = data.draw(st.integers(0, len(world)))
    send(workspace, world[:cut])
    send(workspace, world[cut:])
    prepared: dict[int, dict[int, str]] = defaultdict(dict)
    for row in RestsOn.objects.filter(answer__workspace=workspace):
        prepared[row.target_id][row.answer_id] = Grade(row.grade).word
    walk = PlainWalk(workspace)
    named = {
        (walk.kind[pk], walk.key[pk]): {walk.key[a]: g for a, g in prepared[pk].items()}
        for pk in walk.kind
    }
    expected = {
        (walk.kind[pk], walk.key[pk]): {walk.key[a]: g for a, g in walk.answers_of(pk).items()}
        for pk in walk.kind
    }
    assert named == expected
