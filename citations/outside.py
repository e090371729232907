"""Citations that lie outside a recorded context, by why they do: one definition for all who count or list them."""

from typing import Final

from citations.card import OUTSIDE, Card

# The context has no such position: nothing at all stands behind the marker.
NO_PLACE: Final = "no_place"
# The passage is known, but the model was not given it.
NOT_GIVEN: Final = "not_given"


def why_outside(card: Card) -> str:
    """A code of above; empty for what the model was given, and where nobody recorded what it was given."""
    if card.chunk_uid is None:
        return NO_PLACE if card.reason == OUTSIDE else ""
    return NOT_GIVEN if card.context_uid is not None and not card.in_context else ""
