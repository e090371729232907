"""Words and signs of the watch: what a look at a source came to, and why there was no usable reply."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import CHANGES, Word
from lineage.pages.words import Text

# lineage.models.freshness.Outcome.
LOOKS: Final[Mapping[str, Word]] = {
    "first": Word(
        pgettext_lazy("look", "Read for the first time"), "eye", "calm",
        _("There was nothing alike yet that it could have been compared with."),
    ),
    "unchanged": Word(
        pgettext_lazy("look", "Unchanged"), "check", "good", _("The site says that nothing has changed.")
    ),
    "same": Word(
        pgettext_lazy("look", "The same"), "check", "good", _("It was read, and is what it was.")
    ),
    "changed": Word(
        pgettext_lazy("look", "Changed"), "pencil", "warn", _("It is not what was last read.")
    ),
    "gone": Word(
        pgettext_lazy("look", "Gone"), "cross", "bad", _("The site says that there is nothing at this address.")
    ),
    "paywall": Word(
        pgettext_lazy("look", "Closed"), "lock", "warn",
        _("The site wants to know who asks, or to be paid; or the page looks like one to sign in."),
    ),
    "unreachable": Word(
        pgettext_lazy("look", "Unreachable"), "question", "warn", _("The site does not answer, or only with an error.")
    ),
    "unreadable": Word(
        pgettext_lazy("look", "Unreadable"), "question", "warn", _("What the site sent could not be read.")
    ),
    "robots": Word(
        pgettext_lazy("look", "Not to be read"), "dash", "calm", _("The site's robots.txt asks that it not be read.")
    ),
    "refused": Word(
        pgettext_lazy("look", "Not asked"), "dash", "calm", _("Nothing is fetched from such an address.")
    ),
    "no_address": Word(
        pgettext_lazy("look", "No address"), "dash", "calm", _("The source states no address.")
    ),
}  # fmt: skip

# What has become of a cited passage, as far as that can be told (lineage.models.freshness.Verdict).
PASSAGES: Final[Mapping[str, Word]] = {
    **CHANGES,
    "ambiguous": Word(
        pgettext_lazy("change", "At several places"), "question", "calm",
        _("Its words stand at several places, of which none can be told to be it."),
    ),
}  # fmt: skip

# lineage.freshness.fetch.FAILURES, and what a page looks like.
FETCH_FAILURES: Final[Mapping[str, Text]] = {
    "address_refused": _("not a public address"),
    "name_unknown": _("no such host"),
    "unreachable": _("no connection"),
    "tls": _("certificate not valid"),
    "too_slow": _("took too long"),
    "not_http": _("not HTTP"),
    "redirects": _("too many redirects"),
    "too_large": _("too large"),
    "encoding": _("packed in an unknown way"),
    "cut_short": _("cut short"),
    "sign_in_page": _("looks like a page to sign in"),
}
