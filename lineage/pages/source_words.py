"""Words of the list of sources: orders, freshness, ends, what is missing."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import Word
from lineage.pages.words import Text

ORDER_NAMES: Final[Mapping[str, Text]] = {
    "title": pgettext_lazy("order", "By title"),
    "grounded": pgettext_lazy("order", "Most answers"),
    "drifting": pgettext_lazy("order", "Most drifting"),
    "ending": pgettext_lazy("order", "Ending soonest"),
    "unchecked": pgettext_lazy("order", "Unchecked longest"),
}

# What a look at a source came to, in a few words.
FRESH: Final[Mapping[str, Word]] = {
    "current": Word(pgettext_lazy("freshness", "Unchanged"), "check", "good"),
    "changed": Word(pgettext_lazy("freshness", "Changed"), "triangle", "warn"),
    "gone": Word(pgettext_lazy("freshness", "Gone"), "cross", "bad"),
    "unreachable": Word(pgettext_lazy("freshness", "Could not be read"), "question", "warn"),
    "never": Word(pgettext_lazy("freshness", "Never checked"), "question", "calm"),
}

ENDINGS: Final[Mapping[str, Text]] = {
    "30": pgettext_lazy("ending", "Within 30 days"),
    "90": pgettext_lazy("ending", "Within 90 days"),
    "later": pgettext_lazy("ending", "Later"),
    "never": pgettext_lazy("ending", "No end stated"),
}

LACKS: Final[Mapping[str, Text]] = {
    "creator": pgettext_lazy("missing", "Creator"),
    "licence": pgettext_lazy("missing", "Licence that is known"),
    "any": pgettext_lazy("missing", "Creator or licence"),
    "description": pgettext_lazy("missing", "Any description"),
}

STATE_WORDS: Final[Mapping[str, Text]] = {
    "active": pgettext_lazy("sources", "Without a case in effect"),
    "withdrawn": pgettext_lazy("sources", "With a case in effect"),
}

PLOT_NAMES: Final[Mapping[str, Text]] = {
    "family": _("What licences ask"),
    "freshness": _("At the last look"),
    "ending": _("When rights end"),
}
FILTER_NAMES: Final[Mapping[str, Text]] = {
    "missing": pgettext_lazy("filter", "Missing"),
    "state": pgettext_lazy("filter", "State"),
    "family": pgettext_lazy("filter", "Licence"),
    "freshness": pgettext_lazy("filter", "Freshness"),
    "ending": pgettext_lazy("filter", "Rights end"),
    "kind": pgettext_lazy("filter", "Kind"),
    "language": pgettext_lazy("filter", "Language"),
}
