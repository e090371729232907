"""Fields of native records that hold objects of their own: creators, candidates, context items."""

from typing import Final

from lineage.formats.holds import Field, Holds, Shape

CREATOR_ROLES: Final = ("creator", "editor", "translator")
SCORE_KINDS: Final = ("similarity", "distance", "logit", "bm25", "unknown")

_STRING: Final = Field(Holds.STRING)
_CHUNK: Final = Field(Holds.REF, kinds=("chunk",))
_FACT: Final = Field(Holds.REF, kinds=("fact",))
_AGENT: Final = Field(Holds.REF, kinds=("agent",))

CREATORS: Final = Field(
    Holds.GROUPS,
    members=Shape(
        {
            "agent": _AGENT,
            "name": _STRING,
            "orcid": _STRING,
            "ror": _STRING,
            "role": Field(Holds.CHOICE, choices=CREATOR_ROLES, edge=True),
        },
        any_of=(("agent", "name", "orcid", "ror"),),
    ),
)
PUBLISHER: Final = Field(
    Holds.GROUP,
    members=Shape(
        {"agent": _AGENT, "name": _STRING, "ror": _STRING},
        any_of=(("agent", "name", "ror"),),
    ),
)
TEMPLATE: Final = Field(
    Holds.GROUP,
    members=Shape(
        {"name": Field(Holds.STRING, required=True), "version": _STRING, "digest": _STRING}
    ),
)
CANDIDATES: Final = Field(
    Holds.GROUPS,
    required=True,
    members=Shape(
        {
            "chunk": _CHUNK,
            "fact": _FACT,
            "embedding": Field(Holds.REF, kinds=("embedding",)),
            "rank": Field(Holds.INTEGER, edge=True),
            "score": Field(Holds.NUMBER, edge=True),
            "score_kind": Field(Holds.CHOICE, choices=SCORE_KINDS, edge=True),
            "rerank_rank": Field(Holds.INTEGER, edge=True),
            "rerank_score": Field(Holds.NUMBER, edge=True),
            "kept": Field(Holds.BOOLEAN, edge=True),
            "drop_reason": Field(Holds.STRING, edge=True),
        },
        any_of=(("chunk", "fact"),),
        at_most_one=(("chunk", "fact"),),
    ),
)
ITEMS: Final = Field(
    Holds.GROUPS,
    required=True,
    members=Shape(
        {
            "chunk": _CHUNK,
            "fact": _FACT,
            "position": Field(Holds.INTEGER, edge=True),
            "interval": Field(Holds.INTERVAL),
            "truncated": Field(Holds.BOOLEAN, edge=True),
        },
        any_of=(("chunk", "fact"),),
        at_most_one=(("chunk", "fact"),),
    ),
)
