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

DELIVERY_STATES: Final[Mapping[str, Word]] = {
    "pending": Word(pgettext_lazy("delivery", "To be sent"), "clock", "warn"),
    "delivered": Word(pgettext_lazy("delivery", "Delivered"), "check", "good"),
    "failed": Word(pgettext_lazy("delivery", "Given up"), "cross", "bad"),
}

EVENT_TYPES: Final[Mapping[str, Text]] = {
    "incident.opened": pgettext_lazy("event", "Incident opened"),
    "incident.changed": pgettext_lazy("event", "Incident changed"),
    "incident.new_answers": pgettext_lazy("event", "New answers"),
    "webhook.test": pgettext_lazy("event", "Test"),
}

# Why an attempt does not count (lineage.incidents.sending.FAILURES).
DELIVERY_FAILURES: Final[Mapping[str, Text]] = {
    "address_refused": _("The address is not public; nothing is sent there."),
    "name_unknown": _("The name of the host is not known."),
    "unreachable": _("The host does not answer."),
    "tls": _("The certificate of the host is not valid."),
    "too_slow": _("The host took too long."),
    "not_http": _("The host answered with something that is not HTTP."),
    "redirected": _("The host sent on to another address, which is not followed."),
    "refused": _("The host refused it."),
    "switched_off": _("The address was switched off before it was sent."),
}
