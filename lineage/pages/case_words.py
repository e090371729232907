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

# Why who looks may not approve, though the role would allow it.
BARS: Final[Mapping[str, Text]] = {
    "another_person": _(
        "You drafted it. In this workspace another person approves: another editor can do this."
    ),
    "a_person": _("In this workspace a person approves cases, not a key."),
}
