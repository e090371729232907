"""/webhooks: addresses outside that are told what happens."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router, Schema, Status
from pydantic import Field

from lineage.api.access import Needs, problems, viewer_of
from lineage.api.paging import LIMIT, Cursor, Limit
from lineage.api.schemas import Instant, Page
from lineage.erasure import external
from lineage.types import NotFound
from lineage.webhooks import addresses, events, log

router = Router(tags=["webhooks"])

Address = Annotated[str, Field(max_length=2_000)]
EventType = Annotated[str, Field(max_length=40)]


class NewWebhook(Schema):
    """An address to tell; of one incident, or of the workspace where none is named.

    `events`: the types that it is told; without it all that there are.
    """

    url: Address
    incident: str = ""
    events: list[EventType] | None = None


class WebhookChange(Schema):
    """What an address is told from now on; what is not given stays."""

    events: list[EventType] | None = None


class WebhookOut(Schema):
    """An address that is told; `deliveries` of the last 30 days by state."""

    uid: str
    url: str
    incident: str | None
    events: list[str]
    created_at: Instant
    disabled_at: Instant | None
    deliveries: dict[str, int]


class WebhookMade(WebhookOut):
    """A new address with its secret, which nothing can give again."""

    secret: str


class Webhooks(Schema):
    """Every address of the workspace."""

    items: list[WebhookOut]


class DeliveryOut(Schema):
    """One event for one address; `failure`: why the last attempt does not count.

    `subject`: the uid of what it tells (`incident` the same where it is one); `replays`: how
    often it was sent again by hand.
    """

    uid: str
    type: str
    state: Literal["pending", "delivered", "failed"]
    subject: str
    incident: str
    created_at: Instant
    delivered_at: Instant | None
    next_at: Instant | None
    attempts: int
    replays: int
    status: int | None
    failure: str


class Replay(Schema):
    """Which delivery to send again; without one, all that were given up."""

    delivery: str = ""


class Replayed(Schema):
    """How many deliveries are sent again."""

    replayed: int


@router.get(
    "/webhooks",
    auth=Needs("operate"),
    response=Webhooks,
    operation_id="list_webhooks",
    summary="Addresses that are told what happens; at most 50",
    openapi_extra=problems(),
)
def list_webhooks(request: HttpRequest) -> dict[str, Any]:
    """Newest first."""
    return {"items": [_webhook(each) for each in addresses.webhooks(viewer_of(request))]}


@router.post(
    "/webhooks",
    auth=Needs("operate"),
    response={201: WebhookMade},
    operation_id="make_webhook",
    summary="Tell an address what happens",
    openapi_extra=problems(404, 422),
)
def make_webhook(request: HttpRequest, payload: NewWebhook) -> Status[dict[str, Any]]:
    """The reply alone has the secret that events are signed with."""
    viewer = viewer_of(request)
    uid, secret = addresses.make(
        viewer, url=payload.url, incident=payload.incident, types=payload.events
    )
    return Status(201, _webhook(addresses.webhook(viewer, uid)) | {"secret": secret})


@router.get("/webhooks/schemas/{type_}.json", auth=None, include_in_schema=False)
def get_event_schema(request: HttpRequest, type_: str) -> HttpResponse:
    """The JSON Schema of an event's body, as docs/webhooks has it."""
    if type_ not in (*events.TYPES, events.TEST, external.TYPE):
        raise NotFound
    file = Path(settings.BASE_DIR) / "docs" / "webhooks" / f"{type_}.schema.json"
    schema = json.loads(file.read_text("utf-8"))
    named = {"$schema": schema["$schema"], "$id": request.build_absolute_uri(), **schema}
    return JsonResponse(named, content_type="application/schema+json")


@router.get(
    "/webhooks/{uid}",
    auth=Needs("operate"),
    response=WebhookOut,
    operation_id="get_webhook",
    summary="An address that is told",
    openapi_extra=problems(404),
)
def get_webhook(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Never with its secret."""
    return _webhook(addresses.webhook(viewer_of(request), uid))


@router.delete(
    "/webhooks/{uid}",
    auth=Needs("operate"),
    response={204: None},
    operation_id="delete_webhook",
    summary="Tell it nothing more",
    openapi_extra=problems(404),
)
def delete_webhook(request: HttpRequest, uid: str) -> Status[None]:
    """With its log; its secret is destroyed."""
    addresses.delete(viewer_of(request), uid)
    return Status(204, None)


@router.get(
    "/webhooks/{uid}/deliveries",
    auth=Needs("operate"),
    response=Page[DeliveryOut],
    operation_id="list_deliveries",
    summary="What was sent to it in the last 30 days, newest first",
    openapi_extra=problems(400, 404, 422),
)
def list_deliveries(
    request: HttpRequest, uid: str, state: str = "", limit: Limit = LIMIT, cursor: Cursor = None
) -> dict[str, Any]:
    """With what came of the last attempt."""
    found = log.deliveries(viewer_of(request), uid, state=state, limit=limit, cursor=cursor)
    items = [
        {
            "uid": each.uid,
            "type": each.type,
            "state": each.state,
            "subject": each.about,
            "incident": each.about if each.about.startswith("inc_") else "",
            "created_at": each.created_at,
            "delivered_at": each.delivered_at,
            "next_at": each.next_at,
            "attempts": each.attempts,
            "replays": each.replays,
            "status": each.status,
            "failure": each.failure,
        }
        for each in found.items
    ]
    return {"items": items, "next": found.next, "total": found.total}


@router.post(
    "/webhooks/{uid}/test",
    auth=Needs("operate"),
    response={202: None},
    operation_id="test_webhook",
    summary="Send it an event that means nothing",
    openapi_extra=problems(404, 422),
)
def test_webhook(request: HttpRequest, uid: str) -> Status[None]:
    """What came of it is in its deliveries."""
    addresses.test(viewer_of(request), uid)
    return Status(202, None)


@router.post(
    "/webhooks/{uid}/switch-on",
    auth=Needs("operate"),
    response={204: None},
    operation_id="switch_on_webhook",
    summary="Send to it again after it was switched off",
    openapi_extra=problems(404),
)
def switch_on_webhook(request: HttpRequest, uid: str) -> Status[None]:
    """What was given up in between is sent again when it is replayed."""
    addresses.switch_on(viewer_of(request), uid)
    return Status(204, None)


@router.patch(
    "/webhooks/{uid}",
    auth=Needs("operate"),
    response=WebhookOut,
    operation_id="change_webhook",
    summary="Choose what an address is told",
    openapi_extra=problems(404, 422),
)
def change_webhook(request: HttpRequest, uid: str, payload: WebhookChange) -> dict[str, Any]:
    """From now on; what was to be told before is told still."""
    viewer = viewer_of(request)
    if payload.events is not None:
        addresses.choose(viewer, uid, payload.events)
    return _webhook(addresses.webhook(viewer, uid))


@router.post(
    "/webhooks/{uid}/replay",
    auth=Needs("operate"),
    response={202: Replayed},
    operation_id="replay_deliveries",
    summary="Send again what was given up, or one delivery that is over",
    openapi_extra=problems(404, 422),
)
def replay_deliveries(request: HttpRequest, uid: str, payload: Replay) -> Status[dict[str, int]]:
    """With the same `webhook-id`, so that nothing is taken twice."""
    viewer = viewer_of(request)
    if payload.delivery:
        replayed = int(log.replay(viewer, uid, payload.delivery))
    else:
        replayed = log.replay_failed(viewer, uid)
    return Status(202, {"replayed": replayed})


def _webhook(found: addresses.WebhookView) -> dict[str, Any]:
    return {
        "uid": found.uid,
        "url": found.url,
        "incident": found.incident,
        "events": list(found.types),
        "created_at": found.created_at,
        "disabled_at": found.disabled_at,
        "deliveries": dict(found.by_state),
    }
