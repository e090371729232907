"""The log as an administrator reads it: newest first, by who, what, on what and when."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from lineage.cases.errors import ScopeMissing
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import JsonValue, Viewer
from provexplorer.workspaces.audit.models import AuditEntry, AuditHead, AuditPlace
from provexplorer.workspaces.audit.recording import details_of
from provexplorer.workspaces.audit.verbs import VERBS
from provexplorer.workspaces.models import ApiKey, User, Workspace


class AuditQuestionInvalid(ValueError):
    """A filter that the log does not have; `parameter` names it."""

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail)
        self.parameter, self.detail = parameter, detail


@dataclass(frozen=True, slots=True)
class Question:
    """Which entries. `actor`: an account's name, a key's id, or `product` or `nobody`; `verb`: one,
    or what is before its dot; `since` and `until`: from and before.
    """

    actor: str = ""
    verb: str = ""
    object_uid: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry. `actor`: the account's name or the key's id, empty where it is gone or none;
    `account`: the name of the account that it was done to; `sequence`: its place in the chain, None while it waits for its seal.
    """

    uid: str
    at: datetime
    verb: str
    code: str
    actor_kind: str
    actor: str
    object_uid: str
    account: str
    sequence: int | None
    details: dict[str, JsonValue] | None
    erased: bool

    @property
    def told(self) -> list[tuple[str, str]]:
        """The details as they are read: a list by commas, anything deeper as JSON."""
        return [(name, _told(value)) for name, value in (self.details or {}).items()]


@dataclass(frozen=True, slots=True)
class EntryPage:
    """`sealed`: how many entries of the workspace have their place, under how many `seals`."""

    items: tuple[EntryView, ...]
    next: str | None
    sealed: int
    seals: int


def entries(
    viewer: Viewer,
    question: Question,
    *,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> EntryPage:
    """Entries of the workspace, newest first. Raises ScopeMissing, CursorInvalid, AuditQuestionInvalid."""
    require(viewer)
    size = bounded(limit)
    mine = AuditEntry.objects.filter(_asked(viewer, question), workspace_id=viewer.workspace_id)
    rows = list(mine.filter(before_id(cursor)).order_by("-id")[: size + 1])
    page = rows[:size]
    ids = [row.pk for row in page]
    places = dict(AuditPlace.objects.filter(entry_id__in=ids).values_list("entry_id", "sequence"))
    names, keys = _names(page)
    told = details_of(Workspace.objects.get(pk=viewer.workspace_id), ids)
    head = AuditHead.objects.filter(workspace_id=viewer.workspace_id).first()
    return EntryPage(
        items=tuple(
            EntryView(
                uid=row.uid,
                at=row.at,
                verb=row.verb,
                code=row.code,
                actor_kind=row.actor_kind,
                actor=(keys if row.actor_kind == "key" else names).get(row.actor_id or 0, ""),
                object_uid=row.object_uid,
                account=names.get(_account(row) or 0, ""),
                sequence=places.get(row.pk),
                details=told.get(row.pk),
                erased=bool(row.details_hash) and row.pk not in told,
            )
            for row in page
        ),
        next=write_cursor(page[-1].pk) if len(rows) > size else None,
        sealed=head.sequence if head else 0,
        seals=head.number if head else 0,
    )


def require(viewer: Viewer) -> None:
    """Let through administrators alone. Raises ScopeMissing."""
    if "admin" not in viewer.scopes:
        raise ScopeMissing("admin")


def _asked(viewer: Viewer, question: Question) -> Q:
    found = Q()
    if question.verb:
        group = tuple(verb for verb in VERBS if verb.startswith(f"{question.verb}."))
        if question.verb not in VERBS and not group:
            raise AuditQuestionInvalid("verb", "No such verb.")
        found &= Q(verb__in=group or (question.verb,))
    if question.object_uid:
        found &= Q(object_uid=question.object_uid[:64].replace("\0", ""))
    if question.since is not None:
        found &= Q(at__gte=question.since)
    if question.until is not None:
        found &= Q(at__lt=question.until)
    return found & _by(viewer, question.actor) if question.actor else found


def _by(viewer: Viewer, actor: str) -> Q:
    if actor in ("product", "nobody"):
        return Q(actor_kind=actor)
    if "\0" in actor:
        return Q(pk__in=[])
    key = ApiKey.objects.filter(workspace_id=viewer.workspace_id, public_id=actor).first()
    if key is not None:
        return Q(actor_kind="key", actor_id=key.pk)
    account = User.objects.filter(username=actor).first()
    return Q(pk__in=[]) if account is None else Q(actor_kind="member", actor_id=account.pk)


def _names(page: Collection[AuditEntry]) -> tuple[dict[int, str], dict[int, str]]:
    """The names of the accounts and the ids of the keys that are still there."""
    members = {row.actor_id for row in page if row.actor_kind == "member" and row.actor_id}
    members |= {account for row in page if (account := _account(row))}
    keys = {row.actor_id for row in page if row.actor_kind == "key" and row.actor_id}
    return (
        dict(User.objects.filter(pk__in=members).values_list("pk", "username")),
        dict(ApiKey.objects.filter(pk__in=keys).values_list("pk", "public_id")),
    )


def _told(value: JsonValue) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _account(row: AuditEntry) -> int | None:
    """The account that an entry about one is about."""
    about = row.verb.partition(".")[0] in ("session", "membership")
    return int(row.object_uid) if about and row.object_uid.isdecimal() else None
