"""The shape of every native record, declared once: which fields a kind has and what each holds.

Readers, the OpenAPI document and the tests take it from here. The words are those of the
public contract; `R` there is `required` here. `run` and `derived_from` on sources and their versions
and `engine` on runs are our own additions.
"""

from collections.abc import Mapping
from typing import Final

from lineage.formats.groups import CANDIDATES, CREATORS, ITEMS, PUBLISHER, TEMPLATE
from lineage.formats.holds import Field, Holds, Shape
from lineage.vocabulary import COMPONENT_KINDS, KINDS, RUN_KINDS

_STRING: Final = Field(Holds.STRING)
_NAME: Final = Field(Holds.STRING, required=True)
_JSON: Final = Field(Holds.JSON)
_OBJECT: Final = Field(Holds.OBJECT)
_INTEGER: Final = Field(Holds.INTEGER)
_NUMBER: Final = Field(Holds.NUMBER)
_INSTANT: Final = Field(Holds.INSTANT)
_DATE: Final = Field(Holds.DATE)
_TEXT: Final = Field(Holds.TEXT)
_TERM: Final = Field(Holds.TERM, required=True)
_INTERVAL: Final = Field(Holds.INTERVAL)


def _ref(*kinds: str, required: bool = False, relation: str = "") -> Field:
    return Field(Holds.REF, required=required, kinds=kinds, relation=relation)


def _refs(*kinds: str) -> Field:
    return Field(Holds.REFS, kinds=kinds)


_RUN: Final = _ref("run")
# What a work or a version says it was made from, where no passage says it more closely.
_MATERIAL: Final = _refs("source_version", "source", "document")
_ENTITIES: Final = tuple(kind.name for kind in KINDS.values() if kind.prov == "entity")

AGENT_KINDS: Final = ("person", "organization", "software")

# Fields that every kind has beside its own.
COMMON: Final[Mapping[str, Field]] = {
    "kind": Field(Holds.CHOICE, required=True, choices=tuple(k for k in KINDS if k != "case")),
    "key": _NAME,
    "namespace": _STRING,
    "digest": Field(Holds.DIGEST),
    "occurred_at": _INSTANT,
    "attributes": _OBJECT,
}

SHAPES: Final[Mapping[str, Shape]] = {
    "agent": Shape(
        {
            "name": _NAME,
            "agent_kind": Field(Holds.CHOICE, choices=AGENT_KINDS),
            "orcid": _STRING,
            "ror": _STRING,
            "email": _STRING,
        }
    ),
    "component": Shape(
        {
            "component_kind": Field(Holds.CHOICE, required=True, choices=COMPONENT_KINDS),
            "name": _NAME,
            "version": _NAME,
            "config_digest": _STRING,
            "config": _JSON,
        }
    ),
    "run": Shape(
        {
            "run_kind": Field(Holds.CHOICE, required=True, choices=RUN_KINDS),
            "component": _ref("component"),
            # The engine that the component ran on, where the two are known apart.
            "engine": _ref("component"),
            "started_at": _INSTANT,
            "ended_at": _INSTANT,
            "status": _STRING,
            "used": _refs(*_ENTITIES),
            "parameters": _JSON,
        }
    ),
    "source": Shape(
        {
            "title": _NAME,
            "source_kind": _STRING,
            "uri": _STRING,
            "doi": _STRING,
            "pmid": _STRING,
            "creators": CREATORS,
            "publisher": PUBLISHER,
            "container_title": _STRING,
            "jurisdiction": _STRING,
            "language": _STRING,
            "derived_from": _MATERIAL,
            "run": _RUN,
        }
    ),
    "source_version": Shape(
        {
            "source": _ref("source", required=True),
            "version": _STRING,
            "published_at": _DATE,
            "modified_at": _DATE,
            "license": _STRING,
            "license_uri": _STRING,
            "rights": _STRING,
            "text": _TEXT,
            "media_type": _STRING,
            "valid_from": _DATE,
            "valid_until": _DATE,
            "retention_until": _DATE,
            "consent": _JSON,
            # Null must not be read as "absent", which opens the version to the whole workspace.
            "acl": Field(Holds.STRINGS, nullable=False),
            "revision_of": _ref("source_version"),
            # What its content was made from; without it, the run that generated it speaks for it.
            "derived_from": _MATERIAL,
            "creators": CREATORS,
            "publisher": PUBLISHER,
            "run": _RUN,
        }
    ),
    "acquisition": Shape(
        {
            "source_version": _ref("source_version", required=True),
            "uri": _STRING,
            "final_uri": _STRING,
            "http_status": _INTEGER,
            "etag": _STRING,
            "last_modified": _STRING,
            "fetched_at": _INSTANT,
            "media_type": _STRING,
            "signature": _JSON,
            "credential_ref": _STRING,
            "rights_signals": _JSON,
            "run": _RUN,
        }
    ),
    "document": Shape(
        {
            "source_version": _ref("source_version", required=True),
            "acquisition": _ref("acquisition"),
            "text": _TEXT,
            "language": _STRING,
            "normalization": _JSON,
            "quality": _OBJECT,
            "run": _RUN,
        }
    ),
    "part": Shape(
        {
            "document": _ref("document", required=True),
            "parent": _ref("part"),
            "part_kind": _NAME,
            "interval": _INTERVAL,
            "page_index": _INTEGER,
            "page_label": _STRING,
            "heading": _STRING,
            "run": _RUN,
        }
    ),
    "chunk": Shape(
        {
            "document": _ref("document", required=True),
            "parent": _ref("part", "chunk"),
            "interval": _INTERVAL,
            "text": _TEXT,
            "heading_path": Field(Holds.STRINGS),
            "index": _INTEGER,
            "run": _RUN,
        }
    ),
    "fact": Shape(
        {
            "subject_of": _ref("chunk", required=True),
            "subject": _TERM,
            "predicate": _TERM,
            "object": _TERM,
            "confidence": _NUMBER,
            "run": _RUN,
        }
    ),
    "embedding": Shape(
        {
            "chunk": _ref("chunk", relation="of"),
            "fact": _ref("fact", relation="of"),
            "entity": _TEXT,
            "model": _NAME,
            "dimensions": _INTEGER,
            "vector_digest": _STRING,
            "run": _RUN,
        },
        any_of=(("chunk", "fact"), ("chunk", "entity")),
        at_most_one=(("chunk", "fact"),),
    ),
    "index_snapshot": Shape(
        {
            "collection": _NAME,
            "embeddings": _refs("embedding"),
            "chunks": _refs("chunk"),
            "embedder": _ref("component"),
            "chunker": _ref("component"),
            "indexer": _ref("component"),
            "retriever_kind": _STRING,
            "filters": _JSON,
            "built_at": _INSTANT,
            "run": _RUN,
        }
    ),
    "retrieval": Shape(
        {
            "index_snapshot": _ref("index_snapshot"),
            "query": _TEXT,
            "query_variants": Field(Holds.TEXTS),
            "user": _STRING,
            "unit": _STRING,
            "filters": _JSON,
            "top_k": _INTEGER,
            "candidates": CANDIDATES,
            "run": _RUN,
            "rerank_run": _RUN,
        }
    ),
    "context": Shape(
        {
            "retrieval": Field(Holds.REF_OR_REFS, kinds=("retrieval",)),
            "items": ITEMS,
            "prompt": _ref("component"),
            "template": TEMPLATE,
            "tools": _JSON,
            "run": _RUN,
        },
        at_most_one=(("prompt", "template"),),
    ),
    "answer": Shape(
        {
            "context": _ref("context"),
            "question": _TEXT,
            "text": Field(Holds.TEXT, required=True),
            "model": _STRING,
            "provider": _STRING,
            "parameters": _JSON,
            "session": _STRING,
            "user": _STRING,
            "unit": _STRING,
            "revision_of": _ref("answer"),
            "served_from": _ref("answer"),
            "abstained": Field(Holds.BOOLEAN),
            "run": _RUN,
        }
    ),
    "claim": Shape(
        {
            "answer": _ref("answer", required=True),
            "interval": _INTERVAL,
            "text": _TEXT,
        },
        any_of=(("interval", "text"),),
    ),
    "citation": Shape(
        {
            "claim": _ref("claim", required=True),
            "marker": _NAME,
            "chunk": _ref("chunk"),
            "fact": _ref("fact"),
            "position": _INTEGER,
            "quote": _TEXT,
            "support": _INTERVAL,
            "confidence": _NUMBER,
            "selector": Field(Holds.QUOTING),
        },
        any_of=(("chunk", "fact", "position"),),
        at_most_one=(("chunk", "fact"),),
    ),
}
