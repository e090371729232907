"""Tasks of workspaces."""

from celery import shared_task

from provexplorer.workspaces.audit import sealing


@shared_task(name="workspaces.seal_audit", acks_late=True, ignore_result=True)
def seal_audit(**_: object) -> None:
    """Seal what the audit log has gained."""
    sealing.seal()
