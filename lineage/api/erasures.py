"""/cases/UID/erasure, /external-targets, /erasures/acknowledge: what an erasure clears, and who else is told."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import Field

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.schemas import Instant
from lineage.cases.errors import DraftRefused
from lineage.erasure import external
from lineage.erasure.acknowledging import acknowledge
from lineage.erasure.ledger import ErasureView, choose, erasure_view

router = Router(tags=["erasure"])

TargetKind = Literal["vector_store", "cache", "trace_store", "rag_app", "other"]


class Choice(Schema):
    """Whether titles, names, addresses and keys go as well: what describes the content."""

    describing: bool | None = None


class PlaceOut(Schema):
    """One place of the ledger. `target`: of an external one; `error`: of the last attempt."""

    place: str
    target: str | None
    state: Literal["pending", "failed", "waiting", "done"]
    attempts: int
    error: str
    cleared: int
    unread: int
    tried_at: Instant | None
    next_at: Instant | None
    done_at: Instant | None


class ProbeOut(Schema):
    """A question asked afterwards: of how many things it looked at how many still held the text."""

    probe: str
    looked_at: int
    found: int
    asked_at: Instant


class ErasureOut(Schema):
    """An erasure. `again`: applied again after a restore; `lifted_at`: may be sent again since."""

    case: str
    state: Literal["chosen", "running", "done"]
    describing: bool
    begun_at: Instant | None
    destroyed_at: Instant | None
    done_at: Instant | None
    lifted_at: Instant | None
    again: bool
    tombstones: int
    places: list[PlaceOut]
    probes: list[ProbeOut]


class NewTarget(Schema):
    """A system outside that holds copies, and where it is told of erasures."""

    name: Annotated[str, Field(max_length=200)]
    target_kind: TargetKind
    url: Annotated[str, Field(max_length=2_000)]


class TargetOut(Schema):
    """A system that is told. `waiting`: erasures that it has not acknowledged."""

    uid: str
    name: str
    target_kind: TargetKind
    url: str
    created_at: Instant
    waiting: int


class TargetMade(TargetOut):
    """A new system with its secret, which nothing can give again."""

    secret: str


class Targets(Schema):
    """Every system of the workspace."""

    items: list[TargetOut]


class Acknowledgement(Schema):
    """What was taken."""

    erasure: str


@router.get(
    "/cases/{uid}/erasure",
    auth=Needs("read"),
    response=ErasureOut,
    operation_id="get_erasure",
    summary="The ledger of an erasure: every place, and what probes found",
    openapi_extra=problems(404),
)
def get_erasure(request: HttpRequest, uid: str) -> dict[str, Any]:
    """404 for a case that is no erasure."""
    return _erasure(erasure_view(viewer_of(request), uid))


@router.put(
    "/cases/{uid}/erasure",
    auth=Needs("operate"),
    response=ErasureOut,
    operation_id="choose_erasure",
    summary="Decide whether what describes it goes as well",
    openapi_extra=problems(404, 409, 422),
)
def choose_erasure(request: HttpRequest, uid: str, payload: Choice) -> dict[str, Any]:
    """Until the case takes effect; then what goes is fixed."""
    viewer = viewer_of(request)
    erasure_view(viewer, uid)  # which case is unknown is told before what is missing
    if payload.describing is None:
        raise DraftRefused("/describing", _("Say true or false."))
    return _erasure(choose(viewer, uid, describing=payload.describing))


@router.get(
    "/external-targets",
    auth=Needs("admin"),
    response=Targets,
    operation_id="list_external_targets",
    summary="Systems that are told of erasures; at most 20",
    openapi_extra=problems(),
)
def list_external_targets(request: HttpRequest) -> dict[str, Any]:
    """Newest first."""
    return {"items": [_target(one) for one in external.targets(viewer_of(request))]}


@router.post(
    "/external-targets",
    auth=Needs("admin"),
    response={201: TargetMade},
    operation_id="make_external_target",
    summary="Tell a system of erasures",
    openapi_extra=problems(422),
)
def make_external_target(request: HttpRequest, payload: NewTarget) -> Status[dict[str, Any]]:
    """The reply alone has the secret that messages and acknowledgements are signed with."""
    viewer = viewer_of(request)
    uid, secret = external.make(
        viewer, name=payload.name, target_kind=payload.target_kind, url=payload.url
    )
    made = next(one for one in external.targets(viewer) if one.uid == uid)
    return Status(201, _target(made) | {"secret": secret})


@router.delete(
    "/external-targets/{uid}",
    auth=Needs("admin"),
    response={204: None},
    operation_id="remove_external_target",
    summary="Tell a system nothing any more",
    openapi_extra=problems(404),
)
def remove_external_target(request: HttpRequest, uid: str) -> Status[None]:
    """Ledgers that wait for it say that it was removed."""
    external.remove(viewer_of(request), uid)
    return Status(204, None)


@router.post(
    "/erasures/acknowledge",
    auth=None,
    response=Acknowledgement,
    # Of no use to whoever has a key: it is signed with a system's secret (docs/guide/erasure.md).
    include_in_schema=False,
)
def acknowledge_erasure(request: HttpRequest) -> dict[str, str]:
    """Signed with the system's secret; without a key. Taken twice, it counts once."""
    headers = request.headers
    case_uid = acknowledge(
        request.body,
        message_id=headers.get("webhook-id", ""),
        timestamp=headers.get("webhook-timestamp", ""),
        signatures=headers.get("webhook-signature", ""),
    )
    return {"erasure": case_uid}


def _erasure(view: ErasureView) -> dict[str, Any]:
    return {
        "case": view.case_uid,
        "state": view.state,
        "describing": view.describing,
        "begun_at": view.begun_at,
        "destroyed_at": view.destroyed_at,
        "done_at": view.done_at,
        "lifted_at": view.lifted_at,
        "again": view.again,
        "tombstones": view.tombstones,
        "places": [
            {
                "place": one.name,
                "target": one.target_uid,
                "state": one.state,
                "attempts": one.attempts,
                "error": one.error,
                "cleared": one.cleared,
                "unread": one.unread,
                "tried_at": one.tried_at,
                "next_at": one.next_at,
                "done_at": one.done_at,
            }
            for one in view.places
        ],
        "probes": [
            {
                "probe": one.name,
                "looked_at": one.looked_at,
                "found": one.found,
                "asked_at": one.asked_at,
            }
            for one in view.probes
        ],
    }


def _target(view: external.TargetView) -> dict[str, Any]:
    return {
        "uid": view.uid,
        "name": view.name,
        "target_kind": view.target_kind,
        "url": view.url,
        "created_at": view.created_at,
        "waiting": view.waiting,
    }
