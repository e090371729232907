"""A citation as a Web Annotation: the claim, and what of the source supports it.

Source: https://www.w3.org/TR/annotation-model/ (REC). Whatever a reader may not see stays
out: of a hidden source there is only the citation itself, of a hidden passage no words and
no place.
"""

from typing import Final

from citations.card import Card
from citations.pointing import selected_by
from lineage.formats.selectors import CONTEXT, written
from lineage.formats.times import written as written_time
from lineage.types import JsonValue

MEDIA_TYPE: Final = 'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"'


def annotation_of(card: Card, base: str) -> dict[str, JsonValue]:
    """The annotation; `base` is the address of this installation, without a slash at its end.

    The body is the claim where the answer's page shows it, the target the source where it
    is on the web, as it was when it was fetched (else when the passage was retrieved).
    """
    answer = f"{base}/answers/{card.answer_uid}#{card.claim_uid}"
    return {
        "@context": CONTEXT,
        "id": f"{base}/api/v1/citations/{card.uid}/annotation",
        "type": "Annotation",
        "motivation": "linking",
        **({"body": answer} if card.answer_uid and card.claim_uid else {}),
        "target": _target(card, base),
    }


def _target(card: Card, base: str) -> JsonValue:
    source = card.source_address or (
        f"{base}/sources/{card.source_uid}" if card.source_uid and not card.hidden else None
    )
    if source is None:
        return f"{base}/citations/{card.uid}"
    at = card.fetched_at or card.retrieved_at
    target: dict[str, JsonValue] = {"type": "SpecificResource", "source": source}
    if at is not None:
        target["state"] = {"type": "TimeState", "sourceDate": written_time(at)}
    if card.passage is not None:
        page = card.passage.page
        selector = written(
            selected_by(
                card.passage.pointer,
                page_index=page.index if page is not None else None,
                paged=card.paged,
            )
        )
        if selector is not None:
            target["selector"] = selector
    return target
