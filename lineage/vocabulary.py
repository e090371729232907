"""The words of the registry: kinds, stages, edges, grades, states.

One place names every label and relationship type of the graph, what impact may
cross, and which properties the graph may hold. Everything else imports from
here. PROV terms: W3C PROV-O; kinds and the edge table: docs/architecture.md.
"""

from enum import IntEnum, StrEnum
from typing import Final, Literal, LiteralString, NamedTuple

ProvClass = Literal["entity", "activity", "agent"]
# What readers of traces write where a component states no version.
UNSTATED: Final = "unstated"


class Kind(NamedTuple):
    """A kind of node.

    `label` is its only label in the graph, `prefix` starts its uid, `stage` is
    1–8 (0: beside the stages), `parent` names the field that holds its place
    (part of its identity), `own_digest` tells whether its content is part of
    its identity too.
    """

    name: str
    label: LiteralString
    prefix: str
    prov: ProvClass
    stage: int
    parent: str | None = None
    own_digest: bool = False


KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("agent", "Agent", "agt", "agent", 0),
        Kind("component", "Component", "cmp", "agent", 0, own_digest=True),
        Kind("run", "Run", "run", "activity", 0),
        Kind("case", "Case", "cas", "activity", 0),
        Kind("source", "Source", "src", "entity", 1),
        Kind("source_version", "SourceVersion", "srv", "entity", 1, "source", own_digest=True),
        Kind("acquisition", "Acquisition", "acq", "entity", 2),
        Kind("document", "Document", "doc", "entity", 3, "source_version", own_digest=True),
        Kind("part", "Part", "prt", "entity", 3, "document", own_digest=True),
        Kind("chunk", "Chunk", "chk", "entity", 4, "document", own_digest=True),
        Kind("fact", "Fact", "fct", "entity", 4, "subject_of", own_digest=True),
        Kind("embedding", "Embedding", "emb", "entity", 5, "of", own_digest=True),
        Kind("index_snapshot", "IndexSnapshot", "idx", "entity", 5),
        Kind("retrieval", "Retrieval", "ret", "entity", 6),
        Kind("context", "Context", "ctx", "entity", 7),
        Kind("answer", "Answer", "ans", "entity", 7, own_digest=True),
        Kind("claim", "Claim", "clm", "entity", 8, "answer", own_digest=True),
        Kind("citation", "Citation", "cit", "entity", 8, "claim"),
    )
}
KIND_BY_PREFIX: Final[dict[str, Kind]] = {kind.prefix: kind for kind in KINDS.values()}

# Kinds in the order in which one request is applied: what others rest on comes first.
APPLY_ORDER: Final[tuple[str, ...]] = tuple(name for name in KINDS if name != "case")

COMPONENT_KINDS: Final = (
    "connector", "parser", "ocr", "chunker", "extractor", "embedder", "indexer", "retriever",
    "reranker", "prompt", "model", "checker", "pipeline",
)  # fmt: skip
RUN_KINDS: Final = (
    "acquire", "parse", "chunk", "extract", "embed", "index", "retrieve", "rerank", "generate",
    "check", "pipeline",
)  # fmt: skip
CASE_KINDS: Final = (
    "correction", "supersession", "retraction", "concern", "revocation", "expiry",
    "license_change", "erasure", "defective_component",
)  # fmt: skip
REINSTATEMENT: Final = "reinstatement"

# What a case may name. An agent is expanded to its sources and versions.
CASE_TARGET_KINDS: Final = frozenset(
    {
        "source", "source_version", "acquisition", "document", "part", "chunk", "fact",
        "embedding", "component", "run", "index_snapshot", "agent",
    }
)  # fmt: skip


class Edge(StrEnum):
    """Relationship types of the graph; each points from effect to cause."""

    SPECIALIZATION_OF = "SPECIALIZATION_OF"
    WAS_REVISION_OF = "WAS_REVISION_OF"
    WAS_DERIVED_FROM = "WAS_DERIVED_FROM"
    WAS_ATTRIBUTED_TO = "WAS_ATTRIBUTED_TO"
    HAD_MEMBER = "HAD_MEMBER"
    RETRIEVED = "RETRIEVED"
    MATCHED = "MATCHED"
    USED_SNAPSHOT = "USED_SNAPSHOT"
    INCLUDED = "INCLUDED"
    SERVED_FROM = "SERVED_FROM"
    WAS_INFLUENCED_BY = "WAS_INFLUENCED_BY"
    WAS_QUOTED_FROM = "WAS_QUOTED_FROM"
    CITES = "CITES"
    STATED_IN = "STATED_IN"
    WAS_GENERATED_BY = "WAS_GENERATED_BY"
    USED = "USED"
    WAS_ASSOCIATED_WITH = "WAS_ASSOCIATED_WITH"
    WAS_INVALIDATED_BY = "WAS_INVALIDATED_BY"
    AFFECTED_BY = "AFFECTED_BY"


# Edges that stand beside the lineage and are never walked upstream.
BESIDE_LINEAGE: Final = frozenset(
    {
        Edge.HAD_MEMBER, Edge.USED, Edge.STATED_IN, Edge.WAS_REVISION_OF,
        Edge.WAS_INVALIDATED_BY, Edge.AFFECTED_BY,
    }
)  # fmt: skip
UPSTREAM_EDGES: Final = tuple(edge for edge in Edge if edge not in BESIDE_LINEAGE)

# Edges that impact crosses from cause to effect, whatever it starts from.
IMPACT_EDGES: Final = (
    Edge.SPECIALIZATION_OF, Edge.WAS_DERIVED_FROM, Edge.RETRIEVED, Edge.MATCHED,
    Edge.USED_SNAPSHOT, Edge.INCLUDED, Edge.SERVED_FROM, Edge.WAS_QUOTED_FROM, Edge.CITES,
)  # fmt: skip
# Edges that impact crosses only as its first steps, from the kind of node it starts at.
IMPACT_START_EDGES: Final[dict[str, tuple[Edge, ...]]] = {
    "agent": (Edge.WAS_ATTRIBUTED_TO,),
    "component": (Edge.WAS_ASSOCIATED_WITH, Edge.WAS_INFLUENCED_BY),
    "run": (Edge.WAS_GENERATED_BY,),
}
CASE_EDGES: Final = (Edge.WAS_INVALIDATED_BY, Edge.AFFECTED_BY)


class Grade(IntEnum):
    """How strongly an answer depends on something; the greatest wins.

    The order is that of the impact report: cited first, `served` (reached
    through a cache alone) last.
    """

    SERVED = 1
    POSSIBLE = 2
    RETRIEVED = 3
    PRODUCED = 4
    IN_CONTEXT = 5
    CITED = 6

    @property
    def word(self) -> str:
        return self.name.lower()


# The namespace of versions that were made by looking at a source: they have its text and state nothing of it.
OBSERVED: Final = "provexplorer:observed"

GRADE_BY_WORD: Final[dict[str, Grade]] = {grade.word: grade for grade in Grade}


class AnswerState(IntEnum):
    """What a reader may make of an answer; the greatest of its reasons wins."""

    CURRENT = 0
    REVIEW = 1
    STALE = 2

    @property
    def word(self) -> str:
        return self.name.lower()


class Anchor(StrEnum):
    """How an interval was verified against its text. Only the first three are highlighted."""

    EXACT = "exact"
    NORMALISED = "normalised"
    RELOCATED = "relocated"
    AMBIGUOUS = "ambiguous"
    UNVERIFIABLE = "unverifiable"


HIGHLIGHTED: Final = frozenset({Anchor.EXACT, Anchor.NORMALISED, Anchor.RELOCATED})

# What a node of the graph may hold, per kind, beside the common properties. Names, titles,
# URIs, keys, headings, reasons and text stay in the relational store, where they can be erased.
GRAPH_COMMON: Final = frozenset(
    {"uid", "workspace", "resolved", "provisional", "occurred_at", "recorded_at", "digest", "batch"}
)
GRAPH_PROPERTIES: Final[dict[str, frozenset[str]]] = {
    "agent": frozenset({"agent_kind"}),
    "component": frozenset({"component_kind", "version"}),
    "run": frozenset({"run_kind", "started_at", "ended_at", "status"}),
    "case": frozenset({"case_kind", "state", "effective_at"}),
    "source": frozenset({"source_kind", "language", "jurisdiction"}),
    "source_version": frozenset(
        {"version", "license", "published_at", "modified_at", "valid_from", "valid_until"}
    ),
    "acquisition": frozenset({"http_status", "fetched_at"}),
    "document": frozenset({"language"}),
    "part": frozenset({"part_kind", "start", "end", "page_index"}),
    "chunk": frozenset({"start", "end", "index"}),
    "fact": frozenset({"confidence"}),
    "embedding": frozenset({"dimensions"}),
    "index_snapshot": frozenset({"built_at"}),
    "retrieval": frozenset({"top_k"}),
    "context": frozenset(),
    "answer": frozenset({"abstained"}),
    "claim": frozenset({"start", "end"}),
    "citation": frozenset({"position"}),
}
EDGE_PROPERTIES: Final[dict[Edge, frozenset[str]]] = {
    Edge.WAS_ATTRIBUTED_TO: frozenset({"role"}),
    Edge.RETRIEVED: frozenset(
        {"rank", "score", "score_kind", "rerank_rank", "rerank_score", "kept", "drop_reason"}
    ),
    Edge.INCLUDED: frozenset({"position", "start", "end", "truncated"}),
    Edge.SERVED_FROM: frozenset({"at"}),
    Edge.WAS_DERIVED_FROM: frozenset({"computed"}),
    Edge.MATCHED: frozenset({"computed"}),
    Edge.WAS_INFLUENCED_BY: frozenset({"role"}),
    Edge.WAS_INVALIDATED_BY: frozenset({"at"}),
    Edge.AFFECTED_BY: frozenset({"grade", "at", "ended_at"}),
}


def stated_version(version: str | None) -> str | None:
    """The version of a component, None where it states none."""
    return None if version == UNSTATED else version
