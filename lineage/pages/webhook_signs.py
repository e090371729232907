"""The signs of what is told to others: events, deliveries and what came of them."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import Text, Word

DELIVERY_STATES: Final[Mapping[str, Word]] = {
    "pending": Word(pgettext_lazy("delivery", "To be sent"), "clock", "warn"),
    "delivered": Word(pgettext_lazy("delivery", "Delivered"), "check", "good"),
    "failed": Word(pgettext_lazy("delivery", "Given up"), "cross", "bad"),
}

EVENT_TYPES: Final[Mapping[str, Text]] = {
    "answer.stale": pgettext_lazy("event", "Answers became stale"),
    "answer.review": pgettext_lazy("event", "Answers came under review"),
    "answer.restored": pgettext_lazy("event", "Answers are current again"),
    "answer.regenerated": pgettext_lazy("event", "Answers were given anew"),
    "case.ready": pgettext_lazy("event", "Case ready for approval"),
    "case.approved": pgettext_lazy("event", "Case approved"),
    "case.verified": pgettext_lazy("event", "Case verified"),
    "case.incomplete": pgettext_lazy("event", "Case incomplete"),
    "case.reinstated": pgettext_lazy("event", "Case reinstated"),
    "incident.opened": pgettext_lazy("event", "Incident opened"),
    "incident.changed": pgettext_lazy("event", "Incident changed"),
    "incident.new_answers": pgettext_lazy("event", "New answers under an incident"),
    "webhook.test": pgettext_lazy("event", "Test"),
}

# What the events of one kind are about, for whoever chooses among them.
EVENT_GROUPS: Final[Mapping[str, Text]] = {
    "answer": pgettext_lazy("events", "Answers"),
    "case": pgettext_lazy("events", "Cases"),
    "incident": pgettext_lazy("events", "Incidents"),
}

# Why an attempt does not count (lineage.webhooks.sending.FAILURES).
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
