"""What people say of a notice: that it concerns a source, that it does not, that its case be opened."""

from django.db import transaction
from django.utils.translation import gettext as _

from lineage.cases.errors import DraftRefused, ScopeMissing
from lineage.cases.targets import MOST_TARGETS
from lineage.models import Notice, NoticeMatch
from lineage.nodes.visible import visible
from lineage.notices.drafting import REINSTATEMENT, file_by_hand, join_to_its_case
from lineage.notices.rows import UNMET
from lineage.notices.view import notice_of
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.models import Workspace

_State = NoticeMatch.State


def accept(viewer: Viewer, uid: str, source_uid: str) -> str | None:
    """Say that the notice concerns this source, which was suggested; the uid of the case, if one follows.

    Raises ScopeMissing, NotFound, DraftRefused. Twice is once.
    """
    notice, match = _decided(viewer, uid, source_uid, _State.MATCHED)
    Notice.objects.filter(pk=notice.pk).update(state=Notice.State.MATCHED)
    if notice.kind == REINSTATEMENT:
        join_to_its_case(Workspace.objects.get(pk=viewer.workspace_id), [match])
        return None
    return file_case(viewer, uid)


def reject(viewer: Viewer, uid: str, source_uid: str) -> str | None:
    """Say that the notice does not concern this source; it is not suggested again. No case follows.

    Raises ScopeMissing, NotFound; DraftRefused where its case was opened already.
    """
    notice, _match = _decided(viewer, uid, source_uid, _State.REJECTED)
    left = set(notice.matches.exclude(state=_State.REJECTED).values_list("state", flat=True))
    state = next(
        (each for each in (Notice.State.MATCHED, Notice.State.SUGGESTED) if each in left),
        Notice.State.UNMATCHED,
    )
    Notice.objects.filter(pk=notice.pk).update(state=state)
    if state == Notice.State.UNMATCHED:
        Notice.objects.filter(pk=notice.pk).update(answers=UNMET)
    return None


def file_case(viewer: Viewer, uid: str) -> str | None:
    """Open the case that a notice asks for, doubts or not; its uid, None where it asks for none.

    Raises ScopeMissing, NotFound, DraftRefused.
    """
    _require(viewer)
    notice = notice_of(viewer, uid)
    matches = list(
        notice.matches.filter(state=_State.MATCHED)
        .select_related("source", "case")
        .order_by("source__uid")[:MOST_TARGETS]
    )
    known = next((row.case for row in matches if row.case is not None), None)
    if known is not None:
        return known.uid
    with transaction.atomic():
        return file_by_hand(viewer, notice, matches)


def _decided(viewer: Viewer, uid: str, source_uid: str, state: str) -> tuple[Notice, NoticeMatch]:
    _require(viewer)
    notice = notice_of(viewer, uid)
    match = (
        NoticeMatch.objects.filter(notice=notice, source__uid=source_uid)
        .select_related("source")
        .first()
    )
    if match is None or not visible(viewer, [match.source])[match.source_id]:
        raise NotFound(source_uid)
    if state == _State.REJECTED and match.case_id is not None:
        raise DraftRefused("/source", _("Its case was opened already: cancel that instead."))
    if match.state != state:
        with transaction.atomic():
            match.state, match.by = state, NoticeMatch.By.PERSON
            match.decided_by_id, match.due = viewer.user_id, False
            match.save(update_fields=["state", "by", "decided_by", "due"])
            verb = "match.accepted" if state == _State.MATCHED else "match.rejected"
            record(verb, viewer, object_uid=uid, code="notice", details={"target": source_uid})
    return notice, match


def _require(viewer: Viewer) -> None:
    if "operate" not in viewer.scopes:
        raise ScopeMissing("operate")
