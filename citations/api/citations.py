"""GET /citations/UID: who made the source, under which licence, and the exact passage."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema

from citations.annotation import MEDIA_TYPE, annotation_of
from citations.bibliography import Bibliography
from citations.card import Card, Passage, citation_card
from lineage.api.access import Needs, problems, viewer_of
from lineage.api.schemas import Instant, WarningOut, warning

_ANNOTATION: dict[str, Any] = {
    "responses": problems(404, 410)["responses"]
    | {
        200: {
            "description": "https://www.w3.org/TR/annotation-model/",
            "content": {"application/ld+json": {"schema": {"type": "object"}}},
        }
    }
}

router = Router(tags=["reading"], auth=Needs("read"))


class CreatorOut(Schema):
    """Who made the work, as the source states it."""

    name: str | None
    role: str
    orcid: str | None
    uid: str | None


class PublisherOut(Schema):
    """Who published the work."""

    name: str | None
    ror: str | None
    uid: str | None


class PageOut(Schema):
    """`index` counts from 0, `label` is the number as printed."""

    index: int | None
    label: str | None


class SpanOut(Schema):
    """Code points relative to the passage's text, end exclusive."""

    start: int
    end: int


class PassageOut(Schema):
    """The passage as retrieved, with its neighbours (at most 300 code points each).

    `grade`: `exact`, `normalised`, `relocated`, `page` (nothing highlighted, the page is
    known), `not_located`; null where the citation says nothing of a place.
    """

    text: str
    before: str
    after: str
    heading_path: list[str]
    page: PageOut | None
    highlights: list[SpanOut]
    anchor: str | None
    grade: str | None


class Citation(Schema):
    """A citation. What the source does not state is null; so is all of a source that is hidden."""

    uid: str
    hidden: bool
    marker: str
    claim: str | None
    answer: str | None
    creators: list[CreatorOut] | None
    publisher: PublisherOut | None
    title: str | None
    version: str | None
    license: str | None
    source: str | None
    source_version: str | None
    document: str | None
    chunk: str | None
    retrieved_at: Instant | None
    checked_at: Instant | None
    status: str
    status_at: Instant | None
    case: str | None
    reason: str | None
    passage: PassageOut | None
    passage_hidden: str | None
    quote: str | None
    in_context: bool
    position: int | None
    source_address: str | None
    deep_link: str | None
    verdict: str
    standing: str | None
    flags: list[WarningOut]


@router.get(
    "/citations/{uid}",
    response=Citation,
    operation_id="get_citation",
    summary="A citation with its source, licence, passage and status",
    openapi_extra=problems(404, 410),
)
def get_citation(request: HttpRequest, uid: str) -> dict[str, Any]:
    """Always the passage of that document of that version, whatever the key means today."""
    return _citation(citation_card(viewer_of(request), uid))


@router.get(
    "/citations/{uid}/annotation",
    response={200: dict[str, Any]},
    operation_id="get_citation_annotation",
    summary="A citation as a Web Annotation",
    openapi_extra=_ANNOTATION,
)
def get_annotation(request: HttpRequest, uid: str) -> HttpResponse:
    """The claim, and the words and place in the source that support it, as far as they may be read."""
    base = request.build_absolute_uri("/").rstrip("/")
    found = annotation_of(citation_card(viewer_of(request), uid), base)
    return HttpResponse(json.dumps(found, ensure_ascii=False), content_type=MEDIA_TYPE)


def _citation(card: Card) -> dict[str, Any]:
    return {
        "uid": card.uid,
        "hidden": card.hidden,
        "marker": card.marker,
        "claim": card.claim_uid,
        "answer": card.answer_uid,
        **_facts(card.bibliography),
        "source": card.source_uid,
        "source_version": card.version_uid,
        "document": card.document_uid,
        "chunk": card.chunk_uid,
        "retrieved_at": card.retrieved_at,
        "checked_at": card.checked_at,
        "status": card.status.code,
        "status_at": card.status.at,
        "case": card.status.case_uid,
        "reason": card.reason,
        "passage": None if card.passage is None else _passage(card.passage),
        "passage_hidden": card.passage_hidden,
        "quote": card.quote,
        "in_context": card.in_context,
        "position": card.position,
        "source_address": card.source_address,
        "deep_link": card.deep_link,
        "verdict": card.verdict,
        "standing": card.standing,
        "flags": [warning(flag) for flag in card.flags],
    }


def _facts(stated: Bibliography | None) -> dict[str, Any]:
    if stated is None:
        return dict.fromkeys(("creators", "publisher", "title", "version", "license"))
    publisher = stated.publisher
    return {
        "creators": [
            {"name": c.name, "role": c.role, "orcid": c.orcid, "uid": c.agent_uid}
            for c in stated.creators
        ],
        "publisher": publisher
        and {"name": publisher.name, "ror": publisher.ror, "uid": publisher.agent_uid},
        "title": stated.title,
        "version": stated.version,
        "license": stated.license and (stated.license.expression or stated.license.as_stated),
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "text": passage.text,
        "before": passage.before,
        "after": passage.after,
        "heading_path": list(passage.heading_path),
        "page": passage.page and {"index": passage.page.index, "label": passage.page.label},
        "highlights": [{"start": span.start, "end": span.end} for span in passage.highlights],
        "anchor": passage.anchor,
        "grade": passage.grade,
    }
