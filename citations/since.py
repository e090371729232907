"""What has become of a cited passage: as it was retrieved, as it stands now, and the difference."""

from dataclasses import dataclass, replace
from typing import Final

from citations.card import Card
from citations.difference_pages import DifferencePage, laid_out
from citations.differences import Verdict, difference, verdict_on
from citations.marks import Piece, Span, pieces_of
from citations.observed_pages import page_at
from citations.passage import Page
from citations.place_now import AROUND, SEVERAL, Cited, place_now
from citations.versions import (
    Held,
    Version,
    VersionText,
    comparable,
    text_of,
    version_of,
    versions_of,
)
from lineage.content.locate import locate
from lineage.models import Node
from lineage.types import Viewer
from lineage.vocabulary import Anchor

# Code points of either side that are shown; the difference tells of all.
_MOST_SHOWN: Final = 6_000


@dataclass(frozen=True, slots=True)
class Since:
    """A cited passage then and now.

    `verdict` is None where the cited version is the newest that the viewer may read
    (`newest` None), or where the words stand at several places of the newest, of which none
    can be told to be it. `quoted` is that of the marked words alone, where they are marked.
    `retrieved` and `now` are the two texts, `cut` where they go on. `now_on`: the page of the
    newest version on which it stands, of a PDF that was read here.
    """

    citation_uid: str
    source_uid: str
    passage_uid: str | None
    cited: Version
    newest: Version | None
    verdict: Verdict | None
    quoted: Verdict | None
    retrieved: tuple[Piece, ...]
    now: tuple[Piece, ...]
    cut: bool
    page: DifferencePage | None
    now_on: Page | None = None


def since(viewer: Viewer, card: Card) -> Since | None:
    """What has become of the passage of a card; None without a passage that may be read.

    "Now" is the newest version of the same work that the viewer may see and whose text is
    held. One query where the work has one version.
    """
    if card.hidden or card.passage is None or card.version_uid is None or card.source_uid is None:
        return None
    nodes = {
        node.uid: node
        for node in Node.objects.filter(
            workspace_id=viewer.workspace_id, uid__in=[card.source_uid, card.chunk_uid or ""]
        ).order_by("pk")
    }
    source, chunk = nodes.get(card.source_uid), nodes.get(card.chunk_uid or "")
    if source is None:
        return None
    versions = versions_of(viewer, source)
    place = next((at for at, each in enumerate(versions) if each.uid == card.version_uid), None)
    if place is None:
        return None
    cited = version_of(versions[place])
    # The cited one too: its text tells apart what the passage alone does not.
    held = comparable(viewer, versions[: place + 1]) if place else []
    newer = next((each for each in held if each.version.uid != card.version_uid), None)
    after = text_of(viewer, newer) if newer is not None else None
    if newer is None or after is None:
        return _told(card, cited, None, None, None)
    own = next((each for each in held if each.version.uid == card.version_uid), None)
    found = _place(viewer, card, chunk, own, after)
    if found is None:
        return _told(card, cited, newer.told, Verdict.GONE, None)
    if found is SEVERAL:
        return _told(card, cited, newer.told, None, None)
    now = after.text[found.start : found.end]
    verdict = verdict_on(card.passage.text.strip(), now.strip())
    told = _told(card, cited, newer.told, verdict, now)
    return replace(told, now_on=page_at(newer.version, found.start))


def _place(
    viewer: Viewer, card: Card, chunk: Node | None, own: Held | None, after: VersionText
) -> Span | None:
    passage = card.passage
    if passage is None:
        return None
    before = text_of(viewer, own) if own is not None and chunk is not None else None
    place = before.place(chunk) if before is not None and chunk is not None else None
    return place_now(
        Cited(
            passage.text.strip(),
            passage.before[-AROUND:],
            passage.after[:AROUND],
            before.text if before is not None else None,
            place,
        ),
        after.text,
    )


def _told(
    card: Card, cited: Version, newest: Version | None, verdict: Verdict | None, now: str | None
) -> Since:
    text = card.passage.text.strip() if card.passage is not None else ""
    return Since(
        citation_uid=card.uid,
        source_uid=card.source_uid or "",
        passage_uid=card.chunk_uid,
        cited=cited,
        newest=newest,
        verdict=verdict,
        quoted=_quoted(card, now) if verdict is Verdict.CHANGED else None,
        retrieved=pieces_of(text[:_MOST_SHOWN]),
        now=pieces_of((now or "").strip()[:_MOST_SHOWN]),
        cut=max(len(text), len(now or "")) > _MOST_SHOWN,
        page=laid_out(difference(text, now.strip())) if now is not None else None,
    )


def _quoted(card: Card, now: str | None) -> Verdict | None:
    """What has become of the marked words; None where none are, or where they are marked beyond the passage."""
    passage = card.passage
    if passage is None or not passage.highlights or passage.cut or now is None:
        return None
    low = min(span.start for span in passage.highlights)
    high = max(span.end for span in passage.highlights)
    found = locate(now, passage.text[low:high]).anchor
    if found is Anchor.EXACT:
        return Verdict.UNCHANGED
    return Verdict.COSMETIC if found is Anchor.NORMALISED else Verdict.CHANGED
