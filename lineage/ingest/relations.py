"""What a reference of a record means in the graph: one row per (kind, relation).

The relation is the field's path in the contract, without indices.
"""

from typing import Final, NamedTuple

from lineage.vocabulary import Edge


class Relation(NamedTuple):
    """The edge that a reference makes.

    `reverse`: the edge points from the node referred to towards the holder.
    `identity`: the reference names the holder's place (Kind.parent).
    `adds_up`: references of all sightings count, not only those of the latest.
    """

    edge: Edge
    reverse: bool = False
    identity: bool = False
    adds_up: bool = False


_GENERATED: Final = Relation(Edge.WAS_GENERATED_BY)
_DERIVED: Final = Relation(Edge.WAS_DERIVED_FROM)
# Several may say it, each of another thing.
_MADE_FROM: Final = Relation(Edge.WAS_DERIVED_FROM, adds_up=True)
_ATTRIBUTED: Final = Relation(Edge.WAS_ATTRIBUTED_TO)
_REVISION: Final = Relation(Edge.WAS_REVISION_OF)
_MEMBER: Final = Relation(Edge.HAD_MEMBER)
_INFLUENCED: Final = Relation(Edge.WAS_INFLUENCED_BY)
_QUOTED: Final = Relation(Edge.WAS_QUOTED_FROM)

_CREDIT: Final = {"creators.agent": _ATTRIBUTED, "publisher.agent": _ATTRIBUTED}

RELATIONS: Final[dict[str, dict[str, Relation]]] = {
    "agent": {},
    "component": {},
    "run": {
        "component": Relation(Edge.WAS_ASSOCIATED_WITH),
        "engine": Relation(Edge.WAS_ASSOCIATED_WITH),
        "used": Relation(Edge.USED, adds_up=True),
    },
    "source": {**_CREDIT, "derived_from": _MADE_FROM, "run": _GENERATED},
    "source_version": {
        "source": Relation(Edge.SPECIALIZATION_OF, identity=True),
        "revision_of": _REVISION,
        "derived_from": _DERIVED,
        **_CREDIT,
        "run": _GENERATED,
    },
    "acquisition": {"source_version": _DERIVED, "run": _GENERATED},
    "document": {
        "source_version": Relation(Edge.WAS_DERIVED_FROM, identity=True),
        "acquisition": Relation(Edge.WAS_DERIVED_FROM, adds_up=True),
        "run": _GENERATED,
    },
    "part": {
        "document": Relation(Edge.WAS_DERIVED_FROM, identity=True),
        "parent": _DERIVED,
        "run": _GENERATED,
    },
    "chunk": {
        "document": Relation(Edge.WAS_DERIVED_FROM, identity=True),
        "parent": _DERIVED,
        "run": _GENERATED,
    },
    "fact": {
        "subject_of": Relation(Edge.WAS_DERIVED_FROM, identity=True),
        "run": _GENERATED,
    },
    "embedding": {
        "of": Relation(Edge.WAS_DERIVED_FROM, identity=True),
        "run": _GENERATED,
    },
    "index_snapshot": {
        "embeddings": _MEMBER,
        "chunks": _MEMBER,
        "embedder": _INFLUENCED,
        "chunker": _INFLUENCED,
        "indexer": _INFLUENCED,
        "run": _GENERATED,
    },
    "retrieval": {
        "index_snapshot": Relation(Edge.USED_SNAPSHOT),
        "candidates.chunk": Relation(Edge.RETRIEVED),
        "candidates.fact": Relation(Edge.RETRIEVED),
        "candidates.embedding": Relation(Edge.MATCHED),
        "run": _GENERATED,
        "rerank_run": _GENERATED,
    },
    "context": {
        "retrieval": _DERIVED,
        "items.chunk": Relation(Edge.INCLUDED),
        "items.fact": Relation(Edge.INCLUDED),
        "prompt": _INFLUENCED,
        "run": _GENERATED,
    },
    "answer": {
        "context": _DERIVED,
        "revision_of": _REVISION,
        "served_from": Relation(Edge.SERVED_FROM),
        "run": _GENERATED,
    },
    "claim": {"answer": Relation(Edge.STATED_IN, identity=True), "run": _GENERATED},
    "citation": {
        "claim": Relation(Edge.CITES, reverse=True, identity=True),
        "chunk": _QUOTED,
        "fact": _QUOTED,
        "position": _QUOTED,
        "run": _GENERATED,
    },
}

# Relations of edges that nobody states (lineage.ingest.computed).
COMPUTED: Final[dict[str, Relation]] = {
    "computed.run": _DERIVED,
    "computed.part": _DERIVED,
    "computed.matched": Relation(Edge.MATCHED),
}

IDENTITY_RELATION: Final[dict[str, str]] = {
    kind: relation
    for kind, relations in RELATIONS.items()
    for relation, row in relations.items()
    if row.identity
}

# The references through which the instant of a retrieval reaches what was made from it.
EVENT_RELATIONS: Final[dict[str, str]] = {
    "context": "retrieval",
    "answer": "context",
    "claim": "answer",
    "citation": "claim",
}


def field_of(relation: str) -> str:
    """The top-level field of a record that a relation belongs to ("candidates.chunk" → "candidates")."""
    return relation.split(".", 1)[0]
