"""The signs of incidents and of what is told to others: a word, an icon, a tone."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import Text, Word

INCIDENT_STATES: Final[Mapping[str, Word]] = {
    "open": Word(
        pgettext_lazy("incident", "Open"), "flag", "bad", _("Nobody has looked into it yet.")
    ),
    "investigating": Word(
        pgettext_lazy("incident", "Investigating"), "eye", "warn", _("Somebody looks into it.")
    ),
    "mitigated": Word(
        pgettext_lazy("incident", "Mitigated"), "check", "good",
        _("It does no more harm; what is left is to be cleared up."),
    ),
    "closed": Word(
        pgettext_lazy("incident", "Closed"), "dash", "calm", _("Nothing is left to be done.")
    ),
}  # fmt: skip

# What a button that leads to a state says.
MOVES: Final[Mapping[str, Text]] = {
    "open": pgettext_lazy("incident", "Put back to open"),
    "investigating": pgettext_lazy("incident", "Investigate"),
    "mitigated": pgettext_lazy("incident", "Mark as mitigated"),
    "closed": pgettext_lazy("incident", "Close"),
}
