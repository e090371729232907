"""W3C PROV in and out: POST /prov, GET /nodes/UID/prov."""

from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Router, Schema, Status

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.nodes import Depth
from lineage.api.prov_lineage import Direction, Format, exported
from lineage.api.records import IdempotencyKey, OutcomeOut, described, received, rendered, sent
from lineage.formats.body import unpack
from lineage.formats.prov import MEDIA_TYPES
from lineage.inbox.apply_prov import kept_only

router = Router(tags=["prov"])

_TRUNCATED: Final = "Provexplorer-Truncated"
_BODY: Final = {
    "requestBody": {
        "required": True,
        "content": {
            media_type: {"schema": {"type": "object" if "json" in media_type else "string"}}
            for media_type in MEDIA_TYPES
        },
    }
}


def _document(declared: dict[str, Any]) -> dict[str, Any]:
    """The declared responses, and the types and the header of a document in RDF."""
    content = {
        "application/ld+json": {"schema": {"type": "object"}},
        **{one: {"schema": {"type": "string"}} for one in ("text/turtle", "application/trig")},
    }
    truncated = {
        "description": "`true` where a bound cut the walk.", "schema": {"type": "string"}
    }  # fmt: skip
    responses = {200: {"content": content, "headers": {_TRUNCATED: truncated}}}
    return {"responses": {**declared["responses"], **responses}}


class StatementOutcomes(Schema):
    """What became of a document: counts, and one outcome a statement in its order.

    `kind` is the kind of node for an entity, activity or agent, the relation's name for a
    relation; pointers are JSON pointers into PROV-JSON, subject and predicate of RDF.
    """

    received: int
    stored: int
    unchanged: int
    rejected: int
    outcomes: list[OutcomeOut]


@router.post(
    "/prov",
    auth=Needs("ingest:prov"),
    response={200: StatementOutcomes, 202: StatementOutcomes},
    operation_id="post_prov",
    summary="Send a PROV document: PROV-JSON, Turtle, TriG or JSON-LD",
    openapi_extra=problems(400, 413, 415, 422, 429, 503) | _BODY,
)
def post_prov(
    request: HttpRequest, response: HttpResponse, idempotency_key: IdempotencyKey = ""
) -> Status[dict[str, Any]]:
    """Every statement gets its outcome; those that PROV's constraints forbid are refused.

    202 while the graph does not answer: all is stored, and shown in the graph when it is back.
    """
    body = sent(request)
    receipt = received(request, response, body, format_name="prov", key=idempotency_key)
    if receipt.result is None:
        media_type, encoding = described(request)
        outcomes = kept_only(unpack(body, encoding), media_type)
        return Status(202, rendered(outcomes, projected=False, within=None))
    projected = receipt.result.projected
    told = rendered(receipt.result.outcomes, projected=projected, within=None)
    return Status(200 if projected else 202, told)


@router.get(
    "/nodes/{uid}/prov",
    auth=Needs("read"),
    response={200: dict[str, Any]},
    operation_id="get_prov",
    summary="What lies up- or downstream of a node, as PROV",
    openapi_extra=_document(problems(404, 410, 422, 503)),
)
def get_prov(
    request: HttpRequest,
    uid: str,
    direction: Direction = "upstream",
    depth: Depth = 10,
    format: Format = "json",  # noqa: A002 - the word of the API
    plain: Annotated[  # noqa: FBT002 - a parameter of the address
        bool, Query(description="Without the product's own words: cannot be read back.")
    ] = False,
) -> HttpResponse:
    """PROV-JSON, Turtle (`turtle`; TriG where there are bundles) or JSON-LD (`jsonld`).

    `trustgraph`: in TrustGraph's terms, as Turtle.

    The header `Provexplorer-Truncated: true` where a bound cut the walk.
    """
    found = exported(
        viewer_of(request),
        uid,
        direction,
        depth=depth,
        form=format,
        base=_base(request),
        plain=plain,
    )
    headers = {_TRUNCATED: "true"} if found.truncated else {}
    return HttpResponse(found.content, content_type=found.media_type, headers=headers)


def _base(request: HttpRequest) -> str:
    """The address below which every node has its page."""
    uid = "any"
    path = reverse("lineage", kwargs={"uid": uid})
    return request.build_absolute_uri(path.rpartition(uid)[0])
