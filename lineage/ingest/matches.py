"""An operator says what a missing key stands for, that it does not stand for something, or takes it back."""

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from lineage.cases.errors import ScopeMissing
from lineage.identifiers import kind_of_uid
from lineage.ingest.apply import bind_again
from lineage.ingest.placeholders import ANY_NAMESPACE
from lineage.models import Alias, CaseTarget, Node, Reference, RejectedMatch, Withdrawal
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.models import Workspace

SCOPE: Final = "operate"


class MatchRefused(Exception):
    """The key cannot stand for that; `detail` says why."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def accept(viewer: Viewer, placeholder_uid: str, target_uid: str) -> bool:
    """From now on references to the missing key mean the target's key; whether the graph has it, too.

    It holds until it is undone or a record of the missing key itself arrives. A reference that
    names a digest keeps to it. Raises NotFound for a uid that is no placeholder here, MatchRefused.
    """
    workspace = _workspace(viewer)

    def decide() -> Collection[str]:
        placeholder = _placeholder(viewer, placeholder_uid)
        target = _target(viewer, placeholder, target_uid)
        named = placeholder.address
        if placeholder.namespace == ANY_NAMESPACE:
            named = placeholder.anywhere
        now = clock.now()
        in_force = Alias.objects.filter(workspace=workspace, named=named, ended_at__isnull=True)
        in_force.update(ended_at=now, ended_by_id=viewer.user_id)
        Alias.objects.create(
            workspace=workspace, kind=placeholder.kind, namespace=placeholder.namespace,
            key=placeholder.key, named=named, placeholder_uid=placeholder.uid,
            target_namespace=target.namespace, target_key=target.key,
            target_address=target.address, target_digest=_pinned(target),
            made_by_id=viewer.user_id, made_at=now,
        )  # fmt: skip
        _rejections(viewer, placeholder.uid).filter(target_address=target.address).delete()
        record("match.accepted", viewer, object_uid=placeholder.uid, details={"target": target.uid})
        return {named}

    return bind_again(workspace, decide)


def undo(viewer: Viewer, placeholder_uid: str) -> bool:
    """The missing key stands for nothing again; whether the graph has it, too. Raises NotFound."""
    workspace = _workspace(viewer)

    def decide() -> Collection[str]:
        in_force = Alias.objects.filter(
            workspace=workspace, placeholder_uid=placeholder_uid, ended_at__isnull=True
        )
        names = set(in_force.order_by("pk").values_list("named", flat=True))
        if not names:
            raise NotFound
        in_force.update(ended_at=clock.now(), ended_by_id=viewer.user_id)
        record("match.undone", viewer, object_uid=placeholder_uid)
        return names

    return bind_again(workspace, decide)


def reject(viewer: Viewer, placeholder_uid: str, target_uid: str) -> None:
    """Do not suggest the target's key for the missing key again. Raises NotFound."""
    workspace = _workspace(viewer)
    placeholder = _placeholder(viewer, placeholder_uid)
    target = _sent(viewer, target_uid)
    if target is None:
        raise NotFound
    with transaction.atomic():
        _row, fresh = RejectedMatch.objects.get_or_create(
            workspace=workspace,
            placeholder_uid=placeholder.uid,
            target_address=target.address,
            defaults={"rejected_by_id": viewer.user_id, "rejected_at": clock.now()},
        )
        if fresh:
            record("match.rejected", viewer, object_uid=placeholder.uid)


def suggest_again(viewer: Viewer, placeholder_uid: str) -> None:
    """Forget what was rejected for the missing key. Raises NotFound."""
    _workspace(viewer)
    rejected = _rejections(viewer, _placeholder(viewer, placeholder_uid).uid)
    with transaction.atomic():
        if rejected.delete()[0]:
            record("match.suggested_again", viewer, object_uid=placeholder_uid)


def _workspace(viewer: Viewer) -> Workspace:
    """The viewer's workspace. Raises ScopeMissing where the viewer may not decide."""
    if SCOPE not in viewer.scopes:
        raise ScopeMissing(SCOPE)
    return Workspace.objects.get(pk=viewer.workspace_id)


def _placeholder(viewer: Viewer, uid: str) -> Node:
    found = Node.objects.filter(workspace_id=viewer.workspace_id, uid=uid, resolved=False).first()
    if found is None or not visible(viewer, [found])[found.pk]:
        raise NotFound
    return found


def _target(viewer: Viewer, placeholder: Node, uid: str) -> Node:
    """The node that the placeholder is to stand for. Raises MatchRefused."""
    target = _sent(viewer, uid)
    if target is None or target.kind != placeholder.kind:
        raise MatchRefused(_("Nothing of this kind that was sent has this id."))
    if node_states(viewer.workspace_id, [target])[target.pk].erasure is not None:
        raise MatchRefused(_("It was erased."))
    if _under_a_case(placeholder):
        # Undone, the case would stay with the other key and let go of this one.
        raise MatchRefused(
            _("A case names the missing key. File it for what it stands for instead.")
        )
    names_it = Reference.objects.filter(holder=target, to_node=placeholder)
    if names_it.order_by("pk").exists():
        raise MatchRefused(_("It names the missing key itself, and cannot be it."))
    return target


def _sent(viewer: Viewer, uid: str) -> Node | None:
    """The node with this uid, if it was sent and the viewer may see it."""
    if kind_of_uid(uid) is None:
        return None
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, uid=uid, resolved=True)
    found = rows.first()
    return found if found is not None and visible(viewer, [found])[found.pk] else None


def _under_a_case(node: Node) -> bool:
    return (
        CaseTarget.objects.filter(node=node).exists()
        or Withdrawal.objects.filter(node=node).exists()
    )


def _pinned(target: Node) -> str:
    """The digest that tells the target from other revisions of its key; empty where it has none."""
    revisions = Node.objects.filter(
        workspace_id=target.workspace_id, address=target.address, resolved=True
    )
    return target.digest if revisions.exclude(pk=target.pk).exists() else ""


def _rejections(viewer: Viewer, placeholder_uid: str) -> QuerySet[RejectedMatch]:
    return RejectedMatch.objects.filter(
        workspace_id=viewer.workspace_id, placeholder_uid=placeholder_uid
    )
