"""Incidents in the small world of cases: of work s1 three answers rest on it, `other` does not."""

from datetime import datetime
from typing import Any

from django.test import override_settings

from lineage.impact.question import Question
from lineage.incidents import workflow
from lineage.models import Incident, WebhookDelivery
from provexplorer.workspaces.models import Membership, User, Workspace
from tests.cases.world import answer, node, send, viewer, world

__all__ = ["about", "answer", "deliveries", "member_named", "node", "opened", "row", "send", "viewer", "world"]  # fmt: skip

to_this_machine = override_settings(WEBHOOKS_TO_LOOPBACK=True)


def about(workspace: Workspace, kind: str, key: str, **more: Any) -> Question:
    """The question which answers rest on the node of this key."""
    return Question(nodes=(node(workspace, kind, key).uid,), **more)


def opened(workspace: Workspace, question: Question | None = None, **more: Any) -> str:
    """An incident about source s1, by an operator."""
    asked = question or about(workspace, "source", "s1")
    return workflow.open_incident(
        viewer(workspace, "read", "operate"), title="Signs lost", question=asked, **more
    )


def row(uid: str) -> Incident:
    return Incident.objects.get(uid=uid)


def deliveries(uid: str) -> list[tuple[str, dict[str, Any]]]:
    """Type and data of what a webhook was to be told, in order."""
    rows = WebhookDelivery.objects.filter(webhook__uid=uid).order_by("pk")
    return [(each.type, each.body["data"]) for each in rows]


def member_named(workspace: Workspace, name: str, role: str = "operator") -> User:
    user = User.objects.create_user(username=name)
    Membership.objects.create(user=user, workspace=workspace, role=role)
    return user


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
