"""What crosses the layers of the registry: plain frozen values, never ORM objects or driver records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

JsonValue = Any  # JSON as parsed: dict, list, str, int, float, bool, None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something wrong with a record that was stored all the same.

    `pointer` is a JSON pointer relative to the record ("/interval", "/candidates/3/chunk").
    """

    code: str
    pointer: str
    detail: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a record was refused, as RFC 9457 has it; `pointer` relative to the record."""

    slug: str  # /problems/SLUG
    title: str
    status: int
    detail: str
    pointer: str = ""


class Ref(NamedTuple):
    """A reference as sent: by key (namespace None: any, if the key is unique) or by uid.

    `relation` is the field's path without indices ("document", "candidates.chunk"),
    `ordinal` the place in its list, `kind` the kind named, `pointer` where it stands.
    `properties` are those of the edge (lineage.vocabulary.EDGE_PROPERTIES).
    """

    relation: str
    kind: str
    key: str = ""
    namespace: str | None = ""
    digest: str = ""
    uid: str = ""
    ordinal: int = 0
    pointer: str = ""
    properties: Mapping[str, JsonValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Interval:
    """A half-open interval as sent; `unit` codepoint, utf16, utf8 or token; `within` document or chunk."""

    start: int
    end: int
    unit: str = "codepoint"
    within: str = "document"


@dataclass(frozen=True, slots=True)
class NativeRecord:
    """One validated record of the contract.

    `fields` holds every contracted field that is neither a reference nor a text, as JSON
    (an interval stays in it as sent, too); `texts` the texts by field name; `refs` every
    reference in the order of the record. `content_digest` is the digest that the record
    names or that follows from its text ("" where it says nothing of its content).
    `canonical` is the canonical JSON of the whole record as sent, of which the record
    digest is made.
    """

    index: int
    kind: str
    key: str
    namespace: str
    occurred_at: datetime | None
    content_digest: str
    fields: Mapping[str, JsonValue]
    texts: Mapping[str, str | list[str]]
    refs: tuple[Ref, ...]
    interval: Interval | None
    attributes: Mapping[str, JsonValue]
    warnings: tuple[Warned, ...]
    canonical: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that cannot be stored: which, and why."""

    index: int
    kind: str
    key: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one record of a request."""

    index: int
    status: Literal["stored", "unchanged", "rejected", "accepted"]
    kind: str
    key: str
    uid: str | None
    warnings: tuple[Warned, ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who reads: the workspace, the access groups and the role or scopes of a member or a key."""

    workspace_id: int
    hash_key: bytes
    slug: str
    groups: frozenset[str] = frozenset()
    sees_all: bool = False  # role or scope `admin`
    scopes: frozenset[str] = frozenset()  # read, ingest, ingest:FORMAT, operate, edit, admin
    user_id: int | None = None
    key_id: int | None = None  # of the API key, where one asks
    requests_per_minute: int | None = None  # the key's own limit; 0: none


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node as a reader may see it; a hidden one has no key, label, fields or attributes."""

    uid: str
    kind: str
    key: str | None
    namespace: str | None
    label: str | None
    # active, withdrawn, erased; of an answer: current, review, stale.
    state: str
    resolved: bool
    hidden: bool
    occurred_at: datetime | None
    recorded_at: datetime
    fields: Mapping[str, JsonValue]
    attributes: Mapping[str, JsonValue]
    withdrawn_by: tuple[str, ...]
    flags: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge of the graph between two nodes, by uid."""

    type: str
    from_uid: str
    to_uid: str
    properties: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class LineageView:
    """Nodes and edges around a node; `truncated` where a bound cut the walk."""

    root: str
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    truncated: bool


class NotFound(Exception):
    """Unknown in this workspace: foreign and never seen are the same."""


class Moved(Exception):
    """The uid was provisional or a placeholder's; the node now has another."""

    def __init__(self, uid: str) -> None:
        super().__init__(uid)
        self.uid = uid


class Erased(Exception):
    """The node was erased; what is left is its tombstone."""

    def __init__(self, uid: str, reason: str, at: datetime, case_uid: str) -> None:
        super().__init__(uid)
        self.uid, self.reason, self.at, self.case_uid = uid, reason, at, case_uid


class GraphAway(Exception):
    """The graph server does not answer; what depends on it must say so or wait."""
