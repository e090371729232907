"""Published notices about what an answer cites, of which no case is in effect."""

from collections.abc import Sequence

from citations.card import Card
from lineage.pages.notices import TouchingNotice, notices_on
from lineage.types import Viewer


def on_record(viewer: Viewer, cards: Sequence[Card]) -> list[TouchingNotice]:
    """The notices about the sources of these cards that no status tells of yet."""
    sources = [card.source_uid for card in cards if not card.hidden]
    return [notice for notice in notices_on(viewer, sources) if not notice.in_effect]
