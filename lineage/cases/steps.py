"""What the steps of a case's workflow share: the case, who may take a step, and what stands against it."""

import secrets

from lineage.cases.errors import CaseConflict, CaseNotFound, ScopeMissing
from lineage.identifiers import address_of
from lineage.models import Case
from lineage.types import JsonValue, Viewer
from provexplorer import clock

_State = Case.State
# In effect, whatever propagation has got to.
IN_EFFECT = (_State.APPROVED, _State.PROPAGATING, _State.PAUSED, _State.VERIFIED, _State.INCOMPLETE)
BEFORE_EFFECT = (_State.DRAFT, _State.READY, _State.SCHEDULED)
LONGEST_REASON = 10_000


def case_of(viewer: Viewer, uid: str) -> Case:
    """The case with this uid in the viewer's workspace. Raises CaseNotFound."""
    case = Case.objects.filter(workspace_id=viewer.workspace_id, uid=uid).first()
    if case is None:
        raise CaseNotFound(uid)
    return case


def require(viewer: Viewer, scope: str) -> None:
    """Let through whoever has this scope. Raises ScopeMissing."""
    if scope not in viewer.scopes:
        raise ScopeMissing(scope)


def conflict(case: Case, code: str, detail: str) -> CaseConflict:
    """What stands against a step in the state that the case is in."""
    return CaseConflict(code, detail, state=case.state)


def create(viewer: Viewer, **columns: JsonValue) -> Case:
    """A new case of the viewer's workspace."""
    return Case.objects.create(workspace_id=viewer.workspace_id, created_at=clock.now(), **columns)


def fresh_uid(viewer: Viewer, key: str = "") -> str:
    """The uid of a new case: without a key, two drafts of the same words are two cases."""
    return address_of(viewer.hash_key, "case", "", key or secrets.token_hex(16))
