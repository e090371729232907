"""Worlds of records: shared runs, keys used again, nesting, cycles, caches, facts, embeddings, credits."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hypothesis import strategies as st

from tests.impact.recorded import Record

_BEGUN: Final = datetime(2026, 3, 1, 10, tzinfo=UTC)
# Every text begins like this, so that intervals mean the same in all of them.
TEXT: Final = "Alpha is one. Beta is two. Gamma is three. Delta is four."
VERSIONS: Final = ("v0", "v1", "v2")
CHUNKS: Final = ("k0", "k1", "k2", "k3")
ANSWERS: Final = ("a0", "a1", "a2")
RUNS: Final = ("clean", "merge", "parse", "embed", "generate")
COMPONENTS: Final = {
    "clean": "parser", "merge": "parser-2", "parse": "parser", "embed": "embedder",
    "generate": "model",
}  # fmt: skip
# Component → its name and version; the parser has two.
NAMED: Final = {
    "parser": ("parser", "1"), "parser-2": ("parser", "2"), "embedder": ("embedder", "1"),
    "model": ("model", "1"),
}  # fmt: skip


class _World:
    """Draws the records; each has an instant of its own, drawn with the order in the end."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.records: list[Record] = []

    def one(self, *values: Any) -> Any:
        return self.draw(st.sampled_from(values))

    def some(self, values: tuple[str, ...], most: int = 3) -> list[str]:
        return self.draw(st.lists(st.sampled_from(values), min_size=1, max_size=most, unique=True))

    def add(self, kind: str, key: str, **fields: Any) -> None:
        self.records.append({"kind": kind, "key": key, **fields})

    def maybe(self, **fields: Any) -> Record:
        """All of the fields, or none."""
        return fields if self.one(0, 1) else {}

    def again(self) -> range:
        """Most keys are sent once, some twice: another revision, or the same once more."""
        return range(self.one(1, 1, 2))

    def texts(self) -> str:
        return f"{TEXT}{self.one('', ' Epsilon.', ' Zeta.')}"

    def interval(self) -> Record:
        start = self.draw(st.integers(0, 5))
        return {"start": start * 7, "end": start * 7 + self.one(9, 20)}

    def item(self, chunks: tuple[str, ...] = (*CHUNKS, "k9")) -> Record:
        """A chunk or a fact, one of them never sent; now and then with the content that is meant."""
        kind, key = self.one(*(("chunk", each) for each in chunks), ("fact", "f0"))
        if kind == "chunk" and self.one(0, 0, 0, 1):
            content = TEXT[7:16]
            return {kind: {"key": key, "digest": "sha256:" + _sha256(content)}}
        return {kind: key}

    def build(self) -> list[Record]:
        self.doers()
        self.works()
        self.passages()
        self.index()
        for answer in ANSWERS:
            self.answer(answer)
        times = self.draw(st.permutations(range(len(self.records))))
        # Of two that tell no time the digest decides, which is the workspace's own: never here.
        untimed: set[tuple[str, str]] = set()
        for record, minute in zip(self.records, times, strict=True):
            record["occurred_at"] = f"{_BEGUN + timedelta(minutes=minute):%Y-%m-%dT%H:%M:%SZ}"
            name = record["kind"], record["key"]
            if name[0] in ("retrieval", "run") and name not in untimed and self.one(0, 0, 0, 1):
                untimed.add(name)
                del record["occurred_at"]
        return self.draw(st.permutations(self.records))

    def doers(self) -> None:
        for key, (name, version) in NAMED.items():
            self.add("component", key, component_kind=name, name=name, version=version)
        for run in RUNS:
            # What a run names twice is one thing, whichever revision it was then: never here.
            left = [*self.draw(st.permutations(VERSIONS))]
            for again in self.again() if run in ("clean", "merge") else range(1):
                used = [
                    {"kind": "source_version", "key": left.pop()}
                    for _ in range(self.one(1, 1, 2))
                    if left
                ]
                if not again:
                    used += self.one(
                        [],
                        [],
                        [{"kind": "source", "key": "s0"}],
                        [{"kind": "document", "key": "d0"}],
                    )
                self.add("run", run, run_kind="pipeline", component=COMPONENTS[run],
                         **({"used": used} if run in ("clean", "merge", "parse") else {}))  # fmt: skip

    def works(self) -> None:
        for key in ("s0", "s1"):
            credit = self.one([], [{"name": "Ann", "role": "creator"}], [{"agent": "bob", "role": "editor"}],
                              [{"agent": "bob", "role": "creator"}, {"agent": "eve", "role": "editor"}])  # fmt: skip
            self.add("source", key, title=key, creators=credit, **self.maybe(publisher={"name": "Press"}),
                     **self.one({}, {}, {"run": "clean"},
                                {"derived_from": [self.one({"kind": "source_version", "key": "v1"},
                                                           {"kind": "source", "key": "s1"})]}))  # fmt: skip
        for key in VERSIONS:
            for _ in self.again():
                self.add(
                    "source_version", key, source=self.one("s0", "s1", "s1", "s9"), text=key + self.texts(),
                    **self.maybe(creators=[{"agent": "bob", "role": self.one("creator", "editor")}]),
                    **self.one({}, {"run": "clean"}, {"run": "merge"}, {"run": "merge"}),
                    **self.one({}, {}, {"revision_of": "v0"},
                               {"derived_from": [{"kind": "source_version", "key": self.one(*VERSIONS)}]}),
                )  # fmt: skip
        self.add("acquisition", "q0", source_version=self.one(*VERSIONS), **self.maybe(run="clean"))

    def passages(self) -> None:
        for key in ("d0", "d1"):
            for _ in self.again():
                self.add("document", key, source_version=self.one(*VERSIONS), text=self.texts(),
                         run=self.one("clean", "parse"), **self.maybe(acquisition="q0"))  # fmt: skip
        for key in ("p0", "p1"):
            self.add("part", key, document="d0", part_kind="page", interval=self.interval(),
                     **self.maybe(parent=self.one("p0", "p1")))  # fmt: skip
        for key in CHUNKS:
            for _ in self.again():
                self.add("chunk", key, document=self.one("d0", "d1"), interval=self.interval(),
                         **self.one({}, {"run": "parse"}, {"parent": {"kind": "chunk", "key": self.one(*CHUNKS)}},
                                    {"parent": {"kind": "part", "key": "p0"}}))  # fmt: skip
        self.add(
            "fact",
            "f0",
            subject_of=self.one(*CHUNKS),
            subject="Alpha",
            predicate="is",
            object="one",
        )

    def index(self) -> None:
        embeddings = ("e0", "e1", "e2", "e3")
        for n, key in enumerate(embeddings):
            of = {"chunk": CHUNKS[n]} if n < 3 else {"fact": "f0", "entity": "Alpha"}
            self.add(
                "embedding",
                key,
                **of,
                model="m",
                vector_digest=f"sha256:{n:064d}",
                **self.maybe(run="embed"),
            )
        members = self.one(
            {"chunks": list(CHUNKS)}, {"embeddings": list(embeddings)}, {"embeddings": ["e0", "e3"]}
        )
        self.add(
            "index_snapshot",
            "i0",
            collection="c",
            embedder="embedder",
            **members,
            **self.maybe(run="embed"),
        )

    def answer(self, key: str) -> None:
        n = key[1:]
        for _ in self.again():
            candidates: list[Record] = [
                {**self.item(), "rank": rank, **self.one({}, {}, {"embedding": "e1"})}
                for rank in range(self.draw(st.integers(1, 4)))
            ]
            self.add("retrieval", f"r{n}", candidates=candidates, **self.one({"index_snapshot": "i0"}, {}),
                     **self.one({}, {}, {"rerank_run": "generate"}))  # fmt: skip
        kept = [one for one in candidates if self.one(0, 1)]
        items: list[Record] = [
            {name: one[name] for name in ("chunk", "fact") if name in one} for one in kept
        ]
        items += [self.item()] if self.one(0, 0, 1) else []
        self.add("context", f"x{n}", retrieval=self.one(f"r{n}", f"r{n}", "r0"),
                 items=[{**item, "position": i + 1} for i, item in enumerate(items)],
                 **self.maybe(template={"name": "t", "version": "1"}))  # fmt: skip
        for _ in self.again():
            self.add("answer", key, context=f"x{n}", text="It is one. [1]" + self.one("", " Or so."),
                     **self.maybe(run="generate"), **self.one({}, {}, {"served_from": self.one(*ANSWERS)}),
                     **self.one({}, {}, {"revision_of": self.one(*ANSWERS)}))  # fmt: skip
        self.add("claim", f"c{n}", answer=key, interval={"start": 0, "end": 10})
        self.add(
            "citation",
            f"z{n}",
            claim=f"c{n}",
            marker="[1]",
            **self.one({"position": 1}, {"position": 3}, self.item()),
        )


@st.composite
def worlds(draw: st.DrawFn) -> list[Record]:
    """Records in the order in which they are sent."""
    return _World(draw).build()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
