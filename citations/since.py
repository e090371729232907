"""What has become of a cited passage: as it was retrieved, as it stands now, and the difference."""

from dataclasses import dataclass
from typing import Final

from citations.card import Card
from citations.difference_pages import DifferencePage, laid_out
from citations.differences import Comparison, Verdict, difference, verdict_on
from citations.marks import Piece, Span, pieces_of
from citations.nearby import nearby
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
# Words around a passage by which equal places are told apart (code points).
_AROUND: Final = 60
_SURE: Final = frozenset({Anchor.EXACT, Anchor.NORMALISED})


@dataclass(frozen=True, slots=True)
class Since:
    """A cited passage then and now.

    `verdict` is None where the cited version is the newest that the viewer may read
    (`newest` None), or where the words stand at several places of the newest, of which none
    can be told to be it. `quoted` is that of the marked words alone, where they are marked.
    `retrieved` and `now` are the two texts, `cut` where they go on.
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
    if found.end < 0:
        return _told(card, cited, newer.told, None, None)
    now = after.text[found.start : found.end]
    return _told(card, cited, newer.told, verdict_on(card.passage.text.strip(), now.strip()), now)


_SEVERAL: Final = Span(0, -1)


def _place(
    viewer: Viewer, card: Card, chunk: Node | None, own: Held | None, after: VersionText
) -> Span | None:
    """Where the passage stands now; _SEVERAL where that may be here or there, None where nowhere.

    The anchoring engine finds words that stayed, wherever they went. Words that changed are
    found by what stayed around them, which needs the text of the cited version.
    """
    passage = card.passage
    if passage is None:
        return None
    words = passage.text.strip()
    before = text_of(viewer, own) if own is not None and chunk is not None else None
    place = before.place(chunk) if before is not None and chunk is not None else None
    if before is not None and place is not None and words not in after.text:
        continued = _near_by(before.text, after.text, place)
        if continued is not None:
            return continued
    found = locate(
        after.text, words, prefix=passage.before[-_AROUND:], suffix=passage.after[:_AROUND]
    )
    if found.start is not None and found.end is not None and found.anchor in _SURE:
        return Span(found.start, found.end)
    if before is not None and place is not None:
        continued = Comparison(before.text, after.text).continued(place)
        if continued is not None:
            return continued
    if found.start is not None and found.end is not None:
        return Span(found.start, found.end)
    return _SEVERAL if found.anchor is Anchor.AMBIGUOUS else None


def _near_by(old: str, new: str, passage: Span) -> Span | None:
    """Where the new text goes on with the passage between words that stayed around it; None if it does not."""
    found = nearby(old, new, passage)
    if found is None:
        return None
    here, there = found
    compared = Comparison(old[here.start : here.end], new[there.start : there.end])
    inside = Span(passage.start - here.start, passage.end - here.start)
    continued = compared.continued(inside)
    if continued is None:
        return None
    return Span(there.start + continued.start, there.start + continued.end)


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
