"""The words of the audit log for people."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Text = str | Promise

VERBS: Final[Mapping[str, Text]] = {
    "session.began": pgettext_lazy("audit", "signed in"),
    "session.ended": pgettext_lazy("audit", "signed out"),
    "session.refused": pgettext_lazy("audit", "was not let in"),
    "key.made": pgettext_lazy("audit", "made a key"),
    "key.revoked": pgettext_lazy("audit", "revoked a key"),
    "membership.added": pgettext_lazy("audit", "became a member"),
    "membership.changed": pgettext_lazy("audit", "changed a membership"),
    "membership.removed": pgettext_lazy("audit", "removed a member"),
    "case.drafted": pgettext_lazy("audit", "drafted a case"),
    "case.tried": pgettext_lazy("audit", "tried a case out"),
    "case.approved": pgettext_lazy("audit", "approved a case"),
    "case.started": pgettext_lazy("audit", "started a case"),
    "case.rejected": pgettext_lazy("audit", "rejected a case"),
    "case.cancelled": pgettext_lazy("audit", "cancelled a case"),
    "case.paused": pgettext_lazy("audit", "paused a case"),
    "case.resumed": pgettext_lazy("audit", "resumed a case"),
    "case.verified": pgettext_lazy("audit", "verified a case"),
    "case.incomplete": pgettext_lazy("audit", "left a case incomplete"),
    "case.lifted": pgettext_lazy("audit", "lifted a case"),
    "case.assigned": pgettext_lazy("audit", "assigned a case"),
    "case.comment": pgettext_lazy("audit", "commented on a case"),
    "case.file": pgettext_lazy("audit", "added a file to a case"),
    "erasure.key_destroyed": pgettext_lazy("audit", "destroyed a key of texts"),
    "erasure.place_cleared": pgettext_lazy("audit", "cleared a place of erased text"),
    "erasure.place_failed": pgettext_lazy("audit", "could not clear a place of erased text"),
    "erasure.probed": pgettext_lazy("audit", "probed an erasure"),
    "erasure.acknowledged": pgettext_lazy("audit", "acknowledged an erasure"),
    "erasure.reapplied": pgettext_lazy("audit", "applied erasures again"),
    "export.made": pgettext_lazy("audit", "made an export"),
    "capsule.made": pgettext_lazy("audit", "made a capsule"),
    "read.hidden": pgettext_lazy("audit", "asked for something hidden"),
    "read.erased": pgettext_lazy("audit", "asked for something erased"),
    "incident.opened": pgettext_lazy("audit", "opened an incident"),
    "incident.changed": pgettext_lazy("audit", "changed an incident"),
    "incident.noted": pgettext_lazy("audit", "added a note to an incident"),
    "incident.linked": pgettext_lazy("audit", "linked a case to an incident"),
    "incident.deleted": pgettext_lazy("audit", "deleted an incident"),
    "match.accepted": pgettext_lazy("audit", "accepted a match"),
    "match.undone": pgettext_lazy("audit", "took a match back"),
    "match.rejected": pgettext_lazy("audit", "rejected a match"),
    "webhook.made": pgettext_lazy("audit", "made a webhook"),
    "webhook.changed": pgettext_lazy("audit", "changed a webhook"),
    "webhook.switched_on": pgettext_lazy("audit", "switched a webhook on"),
    "webhook.replayed": pgettext_lazy("audit", "sent deliveries again"),
    "webhook.deleted": pgettext_lazy("audit", "deleted a webhook"),
    "policy.changed": pgettext_lazy("audit", "changed a rule of the workspace"),
    "source.checked": pgettext_lazy("audit", "asked for a look at a source"),
    "source.paused": pgettext_lazy("audit", "paused the looks at a source"),
    "source.resumed": pgettext_lazy("audit", "resumed the looks at a source"),
    "target.made": pgettext_lazy("audit", "named a system that erasures reach"),
    "target.removed": pgettext_lazy("audit", "removed a system that erasures reach"),
    "audit.exported": pgettext_lazy("audit", "exported the audit log"),
    "audit.details_erased": pgettext_lazy("audit", "erased details of the audit log"),
}

# What verbs before the dot are about, for whoever filters by them.
GROUPS: Final[Mapping[str, Text]] = {
    "session": pgettext_lazy("audit", "Signing in and out"),
    "key": pgettext_lazy("audit", "Keys"),
    "membership": pgettext_lazy("audit", "Members"),
    "case": pgettext_lazy("audit", "Cases"),
    "erasure": pgettext_lazy("audit", "Erasures"),
    "export": pgettext_lazy("audit", "Exports"),
    "capsule": pgettext_lazy("audit", "Capsules"),
    "read": pgettext_lazy("audit", "Reads of what is hidden or erased"),
    "incident": pgettext_lazy("audit", "Incidents"),
    "match": pgettext_lazy("audit", "Matches"),
    "webhook": pgettext_lazy("audit", "Webhooks"),
    "policy": pgettext_lazy("audit", "Rules"),
    "source": pgettext_lazy("audit", "Sources"),
    "target": pgettext_lazy("audit", "Systems that erasures reach"),
    "audit": pgettext_lazy("audit", "The audit log"),
}

ACTORS: Final[Mapping[str, Text]] = {
    "member": _("An account that is gone"),
    "key": _("A key that is gone"),
    "product": _("Provexplorer"),
    "nobody": _("Somebody unknown"),
}
