"""GET /resolve, /search and /nodes/UID with what lies upstream and downstream of it."""

from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.neighbourhood import Neighbourhood, around
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import FreeJson, Instant, LastInstant, Node, NodeOutline, Page, outline
from lineage.formats.values import KEY_LENGTH
from lineage.graph import walk
from lineage.nodes import node, resolve, search
from lineage.types import NodeView

# No store can look for U+0000.
STORABLE: Final = "^[^\\x00]*$"

router = Router(tags=["reading"], auth=Needs("read"))

# The words of lineage.vocabulary.KINDS, spelled out: types cannot be computed.
Kind = Literal[
    "agent", "component", "run", "case", "source", "source_version", "acquisition", "document",
    "part", "chunk", "fact", "embedding", "index_snapshot", "retrieval", "context", "answer",
    "claim", "citation",
]  # fmt: skip
FoundState = Literal["active", "withdrawn", "erased", "current", "review", "stale"]
Key = Annotated[
    str, Query(description="The client's own key.", max_length=KEY_LENGTH, pattern=STORABLE)
]
Words = Annotated[
    str,
    Query(
        description="Words, a DOI or other identifier, a key or a uid.",
        max_length=KEY_LENGTH,
        pattern=STORABLE,
    ),
]
Namespace = Annotated[str, Query(max_length=KEY_LENGTH, pattern=STORABLE)]
AsOf = Annotated[
    LastInstant | None,
    Query(
        description="A date or an instant: without what began later, by the times that records state; "
        "what states none stays.",
    ),
]
Depth = Annotated[int, Query(description="Edges from the node.", ge=1, le=100)]


class Resolved(Schema):
    """One node of a key; `resolved` is false while only others have named it."""

    uid: str
    digest: str | None
    occurred_at: Instant | None
    resolved: bool


class FoundNode(Schema):
    """A node that a search found."""

    uid: str
    kind: str
    key: str | None
    label: str | None
    state: str


class EdgeOut(Schema):
    """An edge, from effect to cause."""

    type: str
    from_: Annotated[str, Field(alias="from", serialization_alias="from")]
    to: str
    properties: FreeJson


class Lineage(Schema):
    """What lies around a node; `truncated` where a bound cut the walk."""

    nodes: list[NodeOutline]
    edges: list[EdgeOut]
    truncated: bool


@router.get(
    "/resolve",
    response=Page[Resolved],
    operation_id="resolve",
    summary="From your key to uids, the newest sighting first",
    openapi_extra=problems(422),
)
def resolve_key(
    request: HttpRequest, kind: Kind, key: Key, namespace: Namespace = ""
) -> dict[str, Any]:
    """An unknown key is an empty list. Placeholders are listed with `resolved: false`."""
    found = resolve(viewer_of(request), kind, key, namespace)
    items = [
        {"uid": f.uid, "digest": f.digest, "occurred_at": f.occurred_at, "resolved": f.resolved}
        for f in found
    ]
    return {"items": items, "next": None, "total": len(items)}


@router.get(
    "/search",
    response=Page[FoundNode],
    operation_id="search",
    summary="Find nodes by words, DOI, key or uid",
    openapi_extra=problems(400, 422),
)
def search_nodes(
    request: HttpRequest,
    q: Words,
    kind: Kind | None = None,
    state: FoundState | None = None,
    limit: Limit = LIMIT,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """Words of titles, names, questions and answers, from three letters on; sources' texts are not searched.

    What is named exactly comes first, then what has all words in its title, the beginnings of
    them, has them elsewhere, and where little is found, what has similar words. At most 200 of
    a kind are found.
    """
    found = search(viewer_of(request), q, kind=kind, limit=limit, cursor=cursor, state=state)
    items = [
        {"uid": i.uid, "kind": i.kind, "key": i.key, "label": i.label, "state": i.state}
        for i in found.items
    ]
    return {"items": items, "next": found.next, "total": found.total}


@router.get(
    "/nodes/{uid}",
    response=Node,
    operation_id="get_node",
    summary="A node with its contracted fields",
    openapi_extra=problems(404, 410),
)
def get_node(request: HttpRequest, uid: str) -> dict[str, Any]:
    """A provisional or a placeholder's uid leads on with 301 once it is settled."""
    return _whole(node(viewer_of(request), uid))


@router.get(
    "/nodes/{uid}/upstream",
    response=Lineage,
    by_alias=True,
    operation_id="get_upstream",
    summary="What a node rests on, towards the sources",
    openapi_extra=problems(404, 410, 422, 503),
)
def get_upstream(
    request: HttpRequest, uid: str, depth: Depth = 10, as_of: AsOf = None
) -> dict[str, Any]:
    """Breadth first; from an answer also through what its claims cite."""
    return _lineage(around(viewer_of(request), uid, walk.upstream, depth, as_of))


@router.get(
    "/nodes/{uid}/downstream",
    response=Lineage,
    by_alias=True,
    operation_id="get_downstream",
    summary="What rests on a node, towards the answers",
    openapi_extra=problems(404, 410, 422, 503),
)
def get_downstream(
    request: HttpRequest, uid: str, depth: Depth = 10, as_of: AsOf = None
) -> dict[str, Any]:
    """Breadth first, by the rules of impact."""
    return _lineage(around(viewer_of(request), uid, walk.downstream, depth, as_of))


def _whole(view: NodeView) -> dict[str, Any]:
    return outline(view) | {"attributes": dict(view.attributes)}


def _lineage(found: Neighbourhood) -> dict[str, Any]:
    edges = [
        {"type": e.type, "from": e.from_uid, "to": e.to_uid, "properties": dict(e.properties)}
        for e in found.edges
    ]
    return {
        "nodes": [outline(view) for view in found.nodes],
        "edges": edges,
        "truncated": found.truncated,
    }
