"""The words of a case's history: what was done with it, and who drafted it."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.words import Text

STEPS: Final[Mapping[str, Text]] = {
    "drafted": pgettext_lazy("case step", "Drafted"),
    "tried": pgettext_lazy("case step", "Tried out"),
    "approved": pgettext_lazy("case step", "Approved"),
    "started": pgettext_lazy("case step", "Its time came: it took effect"),
    "rejected": pgettext_lazy("case step", "Rejected"),
    "cancelled": pgettext_lazy("case step", "Closed"),
    "paused": pgettext_lazy("case step", "Marking paused"),
    "resumed": pgettext_lazy("case step", "Marking goes on"),
    "verified": pgettext_lazy("case step", "Done and proved complete"),
    "incomplete": pgettext_lazy("case step", "In effect, but not complete"),
    "reproved": pgettext_lazy("case step", "To be proved again"),
    "lifted": pgettext_lazy("case step", "Lifted"),
    "assigned": pgettext_lazy("case step", "Given to somebody"),
    "comment": pgettext_lazy("case step", "Comment"),
    "file": pgettext_lazy("case step", "File added"),
}

ORIGINS: Final[Mapping[str, Text]] = {
    "member": pgettext_lazy("case origin", "drafted by a member"),
    "key": pgettext_lazy("case origin", "drafted with a key"),
    "feed": pgettext_lazy("case origin", "drafted by a feed"),
}

# Why a claim stands as it does under the cases that reach it (lineage.cases.standing.REASONS).
WHYS: Final[Mapping[str, Text]] = {
    "erased": _("What the claim cites was erased; nothing of it can be shown any more."),
    "no_source": _("What the claim cites was withdrawn, and no independent source for it remains."),
    "changed": _("The cited passage reads otherwise in the corrected text, or is gone from it."),
    "independent": _("A source of the claim was withdrawn; an independent one remains."),
    "concern": _("The source of the claim is in doubt; nothing is decided yet."),
    "uncompared": _("No corrected text is known here; the claim must be checked by hand."),
    "rights": _("The words hold; the right to use the source has ended or changed."),
    "unchanged": _("The cited passage is unchanged in the corrected text; the claim stands."),
}

# Why who looks may not approve, though the role would allow it.
BARS: Final[Mapping[str, Text]] = {
    "another_person": _(
        "You drafted it. In this workspace another person approves: another editor can do this."
    ),
    "a_person": _("In this workspace a person approves cases, not a key."),
}
