"""Requests of readers that something be put right: each a draft of a case, and who asks for it."""

from django.conf import settings
from django.db import models

from lineage.models.cases import Case
from provexplorer.workspaces.models import Workspace


class CorrectionRequest(models.Model):
    """That somebody asks for the case; its reason, evidence and targets are the case's own."""

    # The index below starts with the workspace.
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, db_index=False)
    case = models.OneToOneField(Case, on_delete=models.CASCADE, related_name="request")
    # One of lineage.cases.request.WRONGS.
    wrong = models.CharField(max_length=16)
    # What it was asked about, as the reader saw it: a claim or a citation is no target of a case.
    about_uid = models.CharField(max_length=30)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    asked_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "asked_by", "-asked_at"], name="request_asked")
        ]
