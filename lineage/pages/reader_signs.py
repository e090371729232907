"""The signs of what concerns creators and those who ask for corrections: credit, and what is wrong."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import Text, Word

# How the answers that rest on a creator's works credit them (citations.credit.CREDITS).
CREDITS: Final[Mapping[str, Word]] = {
    "named": Word(
        pgettext_lazy("credit", "Named"), "check", "good",
        _("A citation names them among those who made the work."),
    ),
    "published": Word(
        pgettext_lazy("credit", "Named as publisher"), "book", "calm",
        _("A citation names them as the publisher; others made the work."),
    ),
    "unstated": Word(
        pgettext_lazy("credit", "Creator not stated"), "question", "warn",
        _("The work is cited, but nobody has stated who made it."),
    ),
    "beyond": Word(
        pgettext_lazy("credit", "Not visible to you"), "lock", "calm",
        _("The citation is of a version that you may not see, or of one too old to be counted."),
    ),
    "uncredited": Word(
        pgettext_lazy("credit", "Used without credit"), "cross", "bad",
        _("The model was given their work; the answer cites nothing of it."),
    ),
}  # fmt: skip

# The works of a creator, by the role in which they name them.
AS_ROLE: Final[Mapping[str, Text]] = {
    "creator": pgettext_lazy("works", "As creator"),
    "editor": pgettext_lazy("works", "As editor"),
    "translator": pgettext_lazy("works", "As translator"),
    "publisher": pgettext_lazy("works", "As publisher"),
}

# What is wrong, as a request says it (lineage.cases.request.WRONGS).
WRONGS: Final[Mapping[str, Word]] = {
    "attribution": Word(
        pgettext_lazy("wrong", "Wrong attribution"), "pencil", "warn",
        _("Somebody else made it, or a name is missing or misspelt."),
    ),
    "misquoted": Word(
        pgettext_lazy("wrong", "Misquoted"), "quote", "warn",
        _("The source does not say what the answer makes of it."),
    ),
    "outdated": Word(
        pgettext_lazy("wrong", "Outdated version"), "clock", "warn",
        _("There is a newer version that says it differently."),
    ),
    "licence": Word(
        pgettext_lazy("wrong", "Wrong licence"), "scales", "warn",
        _("It is under another licence, or was never licensed for this use."),
    ),
    "withdraw": Word(
        pgettext_lazy("wrong", "Please withdraw it"), "cross", "bad",
        _("Those who hold the rights no longer allow its use."),
    ),
    "other": Word(
        pgettext_lazy("wrong", "Something else"), "note", "calm", _("Say below what it is.")
    ),
}  # fmt: skip

# What becomes of a request, by the state of its case.
BECOMES: Final[Mapping[str, Text]] = {
    "draft": _("It waits for an operator to try it out; then an editor decides."),
    "ready": _("It has been tried out; an editor decides."),
    "scheduled": _("An editor has approved it; it takes effect later."),
    "approved": _("An editor has approved it; it is in effect."),
    "propagating": _("An editor has approved it; it is in effect."),
    "paused": _("An editor has approved it; it is in effect."),
    "verified": _("An editor has approved it; it is in effect."),
    "incomplete": _("An editor has approved it; it is in effect."),
    "rejected": _("It was closed without effect."),
    "cancelled": _("It was closed without effect."),
    "reinstated": _("It was in effect and has been lifted since."),
}
