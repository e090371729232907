"""What records say, read by the design alone: revisions, bindings and edges, without the product's code.

One half of the oracle of impact (the other: recorded_impact.py). It keeps to what the worlds of
the tests say: every document has a text, chunks and parts an interval, no two records one instant.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Record = dict[str, Any]

# What is known by its content and its place; all others by their key alone (a citation also by its claim).
WITH_CONTENT = {
    "source_version", "document", "part", "chunk", "fact", "embedding", "answer", "claim",
}  # fmt: skip
PLACE = {
    "source_version": "source", "document": "source_version", "part": "document",
    "chunk": "document", "fact": "subject_of", "claim": "answer", "citation": "claim",
}  # fmt: skip
ORDER = (
    "agent", "component", "run", "source", "source_version", "acquisition", "document", "part",
    "chunk", "fact", "embedding", "index_snapshot", "retrieval", "context", "answer", "claim",
    "citation",
)  # fmt: skip
STAGE = {
    "source": 1, "source_version": 1, "acquisition": 2, "document": 3, "part": 3, "chunk": 4,
    "fact": 4,
}  # fmt: skip
# From which reference what is made in answering takes its instant.
INSTANT_OF = {"context": "retrieval", "answer": "context", "claim": "answer", "citation": "claim"}
ANSWERING = ("retrieval", *INSTANT_OF)
ADDING_UP = {("run", "used"), ("document", "acquisition"), ("source", "derived_from")}


class Name(NamedTuple):
    """A node as this oracle and the product can both name it; `at`: its last record, "" for one nobody sent."""

    kind: str
    namespace: str
    key: str
    at: str | None = None


@dataclass
class Revision:
    """A node, and the records that make it, the oldest first."""

    kind: str
    key: tuple[str, str]
    content: str
    place: "Revision | None"
    records: list[Record] = field(default_factory=list)

    @property
    def name(self) -> Name:
        if self.kind not in WITH_CONTENT and self.kind != "citation":
            return Name(self.kind, *self.key)
        return Name(self.kind, *self.key, self.at if self.records else "")

    @property
    def at(self) -> str | None:
        at: str | None = max(self.records, key=_time).get("occurred_at") if self.records else None
        return at


def _time(record: Record) -> str:
    # All instants are written alike; none sorts first.
    return record.get("occurred_at") or ""


class Recorded:
    """All records of a workspace as nodes and edges: `out[edge][node]` and `into[edge][node]`, by name."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._of: dict[tuple[str, str, str], list[Revision]] = defaultdict(list)
        self._missing: dict[tuple[str, str, str], Revision] = {}
        self._instant: dict[int, str | None] = {}
        self._texts: dict[int, str] = {}
        self.nodes: set[Name] = set()
        # Of every node that was sent: the one in which it has its place, and when it was.
        self.place: dict[Name, Name] = {}
        self.at: dict[Name, str | None] = {}
        self.out: dict[str, dict[Name, set[Name]]] = defaultdict(lambda: defaultdict(set))
        self.into: dict[str, dict[Name, set[Name]]] = defaultdict(lambda: defaultdict(set))
        self.roles: dict[Name, set[tuple[Name, str]]] = defaultdict(set)
        self._matched: dict[Name, list[tuple[Revision, Revision | None]]] = defaultdict(list)
        self._items: dict[Name, list[tuple[int, Revision]]] = {}
        by_kind: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            by_kind[record["kind"]].append(record)
        every: list[Revision] = []
        for kind in ORDER:
            every += self._revisions(kind, by_kind[kind])
        for revision in every:
            self.nodes.add(revision.name)
            self.at[revision.name] = revision.at
            if revision.place is not None:
                self.place[revision.name] = revision.place.name
            self._say(revision)
        for missing in self._missing.values():
            self.nodes.add(missing.name)
        self._overlaps(every)
        self._matches(every)
        self._speak_for_outputs(every)

    # -- nodes ------------------------------------------------------------------------------

    def _revisions(self, kind: str, records: Iterable[Record]) -> list[Revision]:
        made: list[Revision] = []
        for record in sorted(records, key=_time):
            key = (record.get("namespace", ""), record["key"])
            place = None
            if kind in PLACE:
                place = self._bound(PLACE[kind], record[PLACE[kind]], record, _time(record) or None)
            elif kind == "embedding":
                of = "chunk" if "chunk" in record else "fact"
                place = self._bound(of, record[of], record, _time(record) or None)
            content = self._content(kind, record, place)
            there = self._of[kind, *key]
            found = next((r for r in there if r.content == content and r.place is place), None)
            if found is None:
                found = Revision(kind, key, content, place)
                there.append(found)
                made.append(found)
            found.records.append(record)
        return made

    def _content(self, kind: str, record: Record, place: Revision | None) -> str:
        if kind not in WITH_CONTENT:
            return ""
        if "text" in record and kind != "claim":
            return _digest(record["text"])
        if "interval" in record:
            assert place is not None
            whole = place.records[0]["text"]
            return _digest(whole[record["interval"]["start"] : record["interval"]["end"]])
        if kind == "fact":
            return repr((record["subject"], record["predicate"], record["object"]))
        # A version may be told without its text.
        return repr(record["vector_digest"]) if kind == "embedding" else ""

    def _bound(self, kind: str, ref: Any, holder: Record, at: str | None) -> Revision:
        """The revision that a reference means: the named content, the last one then, else the first."""
        kind = PLACE_KIND.get(kind, kind)
        named: Record = {"key": ref} if isinstance(ref, str) else ref
        namespace = str(named.get("namespace", holder.get("namespace", "")))
        where: tuple[str, str, str] = (named.get("kind", kind), namespace, named["key"])
        revisions = self._of[where]
        if "digest" in named:
            revisions = [one for one in revisions if one.content == named["digest"]]
        if len(revisions) == 1:
            return revisions[0]
        if not revisions or at is None:
            return self._missing.setdefault(where, Revision(where[0], where[1:], "", None))
        seen = sorted((_time(r), i) for i, one in enumerate(revisions) for r in one.records)
        before = [i for time, i in seen if time <= at]
        return revisions[before[-1] if before else seen[0][1]]

    # -- what a node says -------------------------------------------------------------------

    def _said(self, node: Revision, name: str) -> list[tuple[Any, Record]]:
        """The values of a list or a reference of the node, each with the record that says it."""
        stating = [record for record in node.records if name in record]
        if (node.kind, name) not in ADDING_UP:
            stating = stating[-1:]
        return [
            (value, record)
            for record in stating
            for value in (record[name] if isinstance(record[name], list) else [record[name]])
        ]

    def _say(self, node: Revision) -> None:
        kind = node.kind
        if kind in ANSWERING:
            self._instant[id(node)] = self._own_instant(node)
        for name, edge, to in REFERENCES.get(kind, ()):
            if PLACE.get(kind) == name or (kind == "embedding" and edge == "WAS_DERIVED_FROM"):
                continue
            for ref, record in self._said(node, name):
                self._link(node, edge, self._bound(to, ref, record, self._when(node, record)))
        if node.place is not None and kind == "citation":
            self._link(node.place, "CITES", node)
        elif node.place is not None:
            of_place = {"source_version": "SPECIALIZATION_OF", "claim": "STATED_IN"}
            self._link(node, of_place.get(kind, "WAS_DERIVED_FROM"), node.place)
        getattr(self, f"_say_{kind}", lambda _: None)(node)

    def _own_instant(self, node: Revision) -> str | None:
        """The retrieval's instant, else the context's, else the answer's."""
        if node.kind in PLACE:
            assert node.place is not None
            above = [node.place]
        elif relation := INSTANT_OF.get(node.kind):
            above = [
                self._bound(relation, ref, record, None)
                for ref, record in self._said(node, relation)
            ]
        else:
            above = []
        instants = [at for one in above if (at := self._instant.get(id(one)))]
        return max(instants) if instants else node.at

    def _when(self, node: Revision, record: Record) -> str | None:
        return self._instant[id(node)] if node.kind in ANSWERING else record.get("occurred_at")

    def _link(self, start: Revision, edge: str, end: Revision) -> None:
        self.out[edge][start.name].add(end.name)
        self.into[edge][end.name].add(start.name)

    def _credit(self, node: Revision, key: str, role: str, namespace: str) -> None:
        agent = Revision("agent", (namespace, key), "", None)
        self._missing.setdefault(("agent", namespace, key), agent)
        self._link(node, "WAS_ATTRIBUTED_TO", agent)
        self.roles[node.name].add((agent.name, role))

    def _say_source(self, node: Revision) -> None:
        for credit, record in self._said(node, "creators"):
            of = record["key"] if node.kind == "source" else record["source"]
            key = credit.get("agent") or f"name:{credit['name']}@{of}"
            self._credit(node, key, credit["role"], record.get("namespace", ""))
        for publisher, record in self._said(node, "publisher"):
            of = record["key"] if node.kind == "source" else record["source"]
            key = f"name:{publisher['name']}@{of}"
            self._credit(node, key, "publisher", record.get("namespace", ""))

    _say_source_version = _say_source

    def _item(self, value: Record, record: Record, at: str | None) -> Revision:
        kind = "chunk" if "chunk" in value else "fact"
        return self._bound(kind, value[kind], record, at)

    def _say_retrieval(self, node: Revision) -> None:
        for candidate, record in self._said(node, "candidates"):
            at = self._when(node, record)
            item = self._item(candidate, record, at)
            self._link(node, "RETRIEVED", item)
            embedding = None
            if "embedding" in candidate:
                embedding = self._bound("embedding", candidate["embedding"], record, at)
                self._link(node, "MATCHED", embedding)
            self._matched[node.name].append((item, embedding))

    def _say_context(self, node: Revision) -> None:
        items = []
        for value, record in self._said(node, "items"):
            item = self._item(value, record, self._when(node, record))
            items.append((value["position"], item))
            self._link(node, "INCLUDED", item)
        self._items[node.name] = items
        for template, record in self._said(node, "template"):
            key = f"prompt:{template['name']}@{template['version']}"
            prompt = Revision("component", (record.get("namespace", ""), key), "", None)
            self._missing.setdefault(("component", *prompt.key), prompt)
            self._link(node, "WAS_INFLUENCED_BY", prompt)

    def _say_citation(self, node: Revision) -> None:
        """A citation means first what its answer had in context."""
        assert node.place is not None
        answer = node.place.place
        assert answer is not None
        contexts = self.out["WAS_DERIVED_FROM"][answer.name]
        items = [item for context in contexts for item in self._items.get(context, ())]
        record = node.records[-1]
        if "position" in record:
            found = [item for position, item in items if position == record["position"]]
        else:
            kind = "chunk" if "chunk" in record else "fact"
            ref = {"key": record[kind]} if isinstance(record[kind], str) else record[kind]
            where = (ref.get("namespace", record.get("namespace", "")), ref["key"])
            found = [
                item for _, item in items
                if (item.kind, item.key) == (kind, where) and item.records
                and ref.get("digest", item.content) == item.content
            ] or [self._bound(kind, ref, record, self._instant[id(node)])]  # fmt: skip
        for item in found[:1]:
            self._link(node, "WAS_QUOTED_FROM", item)

    # -- what nobody says and follows -------------------------------------------------------

    def _overlaps(self, every: Sequence[Revision]) -> None:
        """A chunk derives from every part of its document that it overlaps."""
        parts = [one for one in every if one.kind == "part"]
        for chunk in [one for one in every if one.kind == "chunk"]:
            for part in [one for one in parts if one.place is chunk.place]:
                one, other = chunk.records[-1]["interval"], part.records[-1]["interval"]
                if one["start"] < other["end"] and other["start"] < one["end"]:
                    self._link(chunk, "WAS_DERIVED_FROM", part)

    def _matches(self, every: Sequence[Revision]) -> None:
        """Where a candidate does not say which embedding matched: its member of that snapshot."""
        embeddings = [one for one in every if one.kind == "embedding"]
        for retrieval in [one for one in every if one.kind == "retrieval"]:
            snapshots = self.out["USED_SNAPSHOT"][retrieval.name]
            members = {one for each in snapshots for one in self.out["HAD_MEMBER"][each]}
            for item, said in self._matched[retrieval.name]:
                for embedding in embeddings:
                    if said is None and embedding.place is item and embedding.name in members:
                        self._link(retrieval, "MATCHED", embedding)

    def _speak_for_outputs(self, every: Sequence[Revision]) -> None:
        """A run of one input or of one output yields derivations for what has none of its own."""
        by_name = {one.name: one for one in (*every, *self._missing.values())}
        lacking = [
            (node, run)
            for node in every if node.kind in STAGE and not self.out["WAS_DERIVED_FROM"][node.name]
            for run in self.out["WAS_GENERATED_BY"][node.name]
        ]  # fmt: skip
        for node, run in lacking:
            used = {one for one in self.out["USED"][run] if one.kind in STAGE}
            outputs = {one for one in self.into["WAS_GENERATED_BY"][run] if one.kind in STAGE}
            if len(used) == 1 or len(outputs) == 1:
                for cause in used - {node.name}:
                    if STAGE[cause.kind] <= STAGE[node.kind]:
                        self._link(node, "WAS_DERIVED_FROM", by_name[cause])


PLACE_KIND = {"subject_of": "chunk"}
# Field, edge, and the kind that the field means where the reference does not say.
_RUN = ("run", "WAS_GENERATED_BY", "run")
REFERENCES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "run": (("component", "WAS_ASSOCIATED_WITH", "component"), ("used", "USED", "")),
    "source": (_RUN, ("derived_from", "WAS_DERIVED_FROM", "")),
    "source_version": (_RUN, ("derived_from", "WAS_DERIVED_FROM", ""), ("revision_of", "WAS_REVISION_OF", "source_version")),
    "acquisition": (_RUN, ("source_version", "WAS_DERIVED_FROM", "source_version")),
    "document": (_RUN, ("acquisition", "WAS_DERIVED_FROM", "acquisition")),
    "part": (_RUN, ("parent", "WAS_DERIVED_FROM", "part")),
    "chunk": (_RUN, ("parent", "WAS_DERIVED_FROM", "chunk")),
    "fact": (_RUN,),
    "embedding": (_RUN,),
    "index_snapshot": (
        _RUN, ("embeddings", "HAD_MEMBER", "embedding"), ("chunks", "HAD_MEMBER", "chunk"),
        ("embedder", "WAS_INFLUENCED_BY", "component"), ("chunker", "WAS_INFLUENCED_BY", "component"),
        ("indexer", "WAS_INFLUENCED_BY", "component"),
    ),
    "retrieval": (
        _RUN, ("rerank_run", "WAS_GENERATED_BY", "run"),
        ("index_snapshot", "USED_SNAPSHOT", "index_snapshot"),
    ),
    "context": (_RUN, ("retrieval", "WAS_DERIVED_FROM", "retrieval"), ("prompt", "WAS_INFLUENCED_BY", "component")),
    "answer": (
        _RUN, ("context", "WAS_DERIVED_FROM", "context"), ("served_from", "SERVED_FROM", "answer"),
        ("revision_of", "WAS_REVISION_OF", "answer"),
    ),
}  # fmt: skip


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
