"""What the audit log tells. A word that is written is never given another meaning."""

from typing import Final

VERBS: Final = (
    "session.began", "session.ended", "session.refused",
    "key.made", "key.revoked",
    "membership.added", "membership.changed", "membership.removed",
    "case.drafted", "case.tried", "case.approved", "case.started", "case.rejected",
    "case.cancelled", "case.paused", "case.resumed", "case.verified", "case.incomplete",
    "case.lifted", "case.assigned", "case.comment", "case.file",
    "erasure.key_destroyed", "erasure.place_cleared", "erasure.place_failed", "erasure.probed",
    "erasure.acknowledged", "erasure.reapplied",
    "export.made", "capsule.made",
    "read.hidden", "read.erased",
    "incident.opened", "incident.changed", "incident.noted", "incident.linked", "incident.deleted",
    "match.accepted", "match.undone", "match.rejected",
    "webhook.made", "webhook.changed", "webhook.switched_on", "webhook.replayed", "webhook.deleted",
    "policy.changed",
    "target.made", "target.removed",
    "source.checked", "source.paused", "source.resumed",
    "audit.exported", "audit.details_erased",
)  # fmt: skip
