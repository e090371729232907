"""Words about licences and rights: families, what conflicts, what is missing, signals of origins."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.words import Text

# What licences of a family have in common, gravest last.
FAMILIES: Final[Mapping[str, Text]] = {
    "open": pgettext_lazy("licence family", "Free of conditions"),
    "attribution": pgettext_lazy("licence family", "Credit or notice"),
    "copyleft": pgettext_lazy("licence family", "Share alike"),
    "non_commercial": pgettext_lazy("licence family", "No commercial use"),
    "no_derivatives": pgettext_lazy("licence family", "No adaptations"),
    "own": pgettext_lazy("licence family", "Own terms"),
    "unclear": pgettext_lazy("licence family", "Unclear"),
    "none": pgettext_lazy("licence family", "Not stated"),
}

CLASHES: Final[Mapping[str, Text]] = {
    "share_alike": _(
        "Each wants adaptations under its own terms: text of both cannot go into one adaptation."
    ),
    "share_alike_non_commercial": _(
        "One lets nobody add conditions, the other forbids commercial use: text of both cannot go "
        "into one adaptation."
    ),
}

# What licences ask, where all sources of an answer are looked at together.
TOGETHER: Final[Mapping[str, Text]] = {
    "attribution": _("Credit the creators of these sources wherever the answer is shown."),
    "notice": _("Keep the licence notice where text of these sources is passed on."),
    "changes": _("Say where text of these sources was changed."),
    "non_commercial": _("Text of these sources is not for commercial use."),
    "no_derivatives": _("Quote these sources as they are; their text must not be adapted."),
    "share_alike": _("An adaptation of these sources has to be under their terms."),
    "source_code": _("Who passes these on has to offer the source code, too."),
    "network_use": _("Their terms also hold where they are used over a network."),
    "no_endorsement": _("Do not let the answer look as if their authors endorsed it."),
}

MISSING: Final[Mapping[str, Text]] = {
    "title": pgettext_lazy("missing", "title"),
    "creator": pgettext_lazy("missing", "creator"),
    "licence": pgettext_lazy("missing", "licence"),
    "source": pgettext_lazy("missing", "source"),
}

# What signals of origins mean (citations.rights_signals).
SIGNALS: Final[Mapping[str, Text]] = {
    "reserved": _("Rights to text and data mining are reserved."),
    "not_reserved": _("Rights to text and data mining are not reserved."),
    "not_to_be_read": _("Programs are asked not to read it."),
    "no_training": _("It is not to be used to train models."),
    "training": _("It may be used to train models."),
    "no_search": _("It is not to be found by searches."),
}
