"""What the audit log tells. A word that is written is never given another meaning."""

from typing import Final

VERBS: Final = (
    "session.began", "session.ended", "session.refused",
    "key.made", "key.revoked",
    "account.password_changed",
    "invitation.made", "invitation.withdrawn",
    "membership.added", "membership.changed", "membership.removed",
    "case.drafted", "case.tried", "case.approved", "case.started", "case.rejected",
    "case.cancelled", "case.paused", "case.resumed", "case.verified", "case.incomplete",
    "case.reproved", "case.lifted", "case.assigned", "case.comment", "case.file",
    "erasure.chosen", "erasure.key_destroyed", "erasure.place_cleared", "erasure.place_failed", "erasure.probed",
    "erasure.acknowledged", "erasure.reapplied",
    "export.made", "capsule.made",
    "read.hidden", "read.erased",
    "incident.opened", "incident.changed", "incident.noted", "incident.linked", "incident.deleted",
    "match.accepted", "match.undone", "match.rejected", "match.suggested_again",
    "notice.received", "feed.made", "feed.asked", "feed.deleted",
    "payload.replayed",
    "view.saved", "view.changed", "view.deleted",
    "webhook.made", "webhook.changed", "webhook.switched_on", "webhook.tested", "webhook.replayed",
    "webhook.deleted",
    "policy.changed",
    "target.made", "target.removed",
    "source.authority", "source.checked", "source.paused", "source.resumed",
    "audit.exported", "audit.details_erased",
)  # fmt: skip
