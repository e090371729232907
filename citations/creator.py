"""The page of a person or organisation: who they are, their works by role, the credit they get."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Case, Count, F, QuerySet, When

from citations.coverage import Coverage, coverage
from citations.credit import credited
from citations.rights import Licence, licence_of
from citations.stated import stated
from citations.status import HIDDEN, Notice, Status, notices_of, status_of
from citations.timeline import grounded
from lineage.cases.register import withdrawals_of
from lineage.models import Node, Reference
from lineage.nodes.find import find
from lineage.nodes.paging import after_newest, bounded, cursor_of, newest_first
from lineage.nodes.states import NodeState, node_states
from lineage.nodes.visible import visible
from lineage.types import JsonValue, NotFound, Viewer
from lineage.vocabulary import Edge
from provexplorer.workspaces.audit.reads import note_hidden

WORKS_ON_A_PAGE: Final = 20
ROLES: Final = ("creator", "editor", "translator", "publisher")
# Versions of the works of one page that are looked at for the latest one.
_MOST_VERSIONS: Final = 2_000


@dataclass(frozen=True, slots=True)
class WorkOfCreator:
    """A work attributed to an agent; hidden and erased works keep their place without a title.

    `roles`: those in which the work, or a version of it, names the agent; `version_uid` where
    only one version does. `licence` and `published_at` are those of the latest version.
    `answers` by grade, `claims` that cite it: none of what is hidden.
    """

    source_uid: str
    hidden: bool
    erased: bool
    title: str | None
    source_kind: str | None
    roles: tuple[str, ...]
    version_uid: str | None
    published_at: str | None
    licence: Licence | None
    status: Status
    answers: Mapping[str, int]
    claims: int


@dataclass(frozen=True, slots=True)
class CreatorPage:
    """An agent as this reader may see it; hidden where every work that names it is.

    `works` are a page of those of one role, the newest first, or of all; `works_total` how
    many there are of it, `works_by_role` of each. `answers` by grade, as the impact report counts them.
    """

    uid: str
    hidden: bool
    resolved: bool
    name: str | None
    agent_kind: str | None
    orcid: str | None
    ror: str | None
    status: Status
    notices: tuple[Notice, ...]
    answers: Mapping[str, int]
    credit: Coverage | None
    works: tuple[WorkOfCreator, ...]
    works_total: int
    works_by_role: Mapping[str, int]
    next: str | None
    attributes: Mapping[str, JsonValue]


def creator_page(
    viewer: Viewer, uid: str, *, role: str = "", cursor: str | None = None
) -> CreatorPage:
    """The page of one agent, with the works of a role (another word than a role: of all).

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias,
    CursorInvalid.
    """
    agent = agent_of(viewer, uid)
    hidden = not visible(viewer, [agent])[agent.pk]
    if hidden:
        note_hidden(viewer, agent.uid)
    role = role if role in ROLES else ""
    by_role = _by_role(viewer, agent)
    works, following = _works(viewer, agent, role, cursor)
    said = {} if hidden else agent.fields
    cases = withdrawals_of(viewer.workspace_id, [agent.pk]).get(agent.pk, ())
    return CreatorPage(
        uid=agent.uid,
        hidden=hidden,
        resolved=agent.resolved,
        name=stated(said.get("name")),
        agent_kind=stated(said.get("agent_kind")),
        orcid=stated(said.get("orcid")),
        ror=stated(said.get("ror")),
        status=HIDDEN if hidden else status_of(cases),
        notices=() if hidden else notices_of(cases),
        answers={} if hidden else grounded([agent.pk]).get(agent.pk, {}),
        credit=None if hidden else coverage(viewer, credited(viewer, agent)),
        works=works,
        works_total=by_role.get(role, 0),
        works_by_role=by_role,
        next=following,
        attributes={} if hidden else agent.attributes,
    )


def agent_of(viewer: Viewer, uid: str) -> Node:
    """The row of an agent. Raises NotFound for anything else that has this uid, and Moved."""
    agent = find(viewer, uid)
    if agent.kind != "agent":
        raise NotFound(uid)
    return agent


def _credits(viewer: Viewer, agent: Node, role: str = "") -> "QuerySet[Any, Any]":
    """Attributions to the agent, each with the work that it is of (`work`)."""
    rows = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        to_node_id=agent.pk,
        edge=Edge.WAS_ATTRIBUTED_TO,
        from_node__isnull=False,
    )
    if role:
        rows = rows.filter(properties__role=role)
    of_version = When(from_node__kind="source_version", then=F("from_node__parent_id"))
    return rows.annotate(work=Case(of_version, default=F("from_node_id")))


def _by_role(viewer: Viewer, agent: Node) -> dict[str, int]:
    """How many works name the agent in each role, and (under "") in any."""
    rows = _credits(viewer, agent).filter(work__isnull=False).order_by()
    counted = rows.values("properties__role").annotate(works=Count("work", distinct=True))
    found = {str(role): works for role, works in counted.values_list("properties__role", "works")}
    every = rows.aggregate(works=Count("work", distinct=True))["works"]
    return {"": every} | {role: found[role] for role in ROLES if role in found}


def _works(
    viewer: Viewer, agent: Node, role: str, cursor: str | None
) -> tuple[tuple[WorkOfCreator, ...], str | None]:
    """A page of works, newest first."""
    mine = _credits(viewer, agent, role).filter(work__isnull=False).order_by().values("work")
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, kind="source", pk__in=mine)
    size = bounded(WORKS_ON_A_PAGE)
    found = list(rows.filter(after_newest(cursor)).order_by(*newest_first())[: size + 1])
    page = found[:size]
    following = cursor_of(page[-1].occurred_at, page[-1].uid) if len(found) > size else None
    return _told(viewer, agent, page), following


def _told(viewer: Viewer, agent: Node, page: Sequence[Node]) -> tuple[WorkOfCreator, ...]:
    """The works of a page; the queries do not grow with them."""
    ids = [node.pk for node in page]
    named: dict[int, list[tuple[str, str | None]]] = defaultdict(list)
    credits_ = _credits(viewer, agent).filter(work__in=ids).order_by("relation", "ordinal", "pk")
    for work, kind, uid, given in credits_.values_list(
        "work", "from_node__kind", "from_node__uid", "properties__role"
    ):
        named[work].append((str(given or "creator"), uid if kind == "source_version" else None))
    states = node_states(viewer.workspace_id, page)
    latest = _latest(viewer, ids)
    seen = visible(viewer, page)
    shown = [pk for pk in ids if seen[pk]]
    answers, claims = grounded(shown), _claims(viewer, shown)
    return tuple(
        _work(
            node,
            named[node.pk],
            states[node.pk],
            latest.get(node.pk, {}),
            answers.get(node.pk, {}),
            claims.get(node.pk, 0),
        )
        if seen[node.pk]
        else _hidden_work(node, named[node.pk])
        for node in page
    )


def _roles(named: Sequence[tuple[str, str | None]]) -> tuple[str, ...]:
    given = {role for role, _ in named}
    return tuple(role for role in ROLES if role in given) + tuple(sorted(given - set(ROLES)))


def _work(
    node: Node,
    named: Sequence[tuple[str, str | None]],
    state: NodeState,
    latest: Mapping[str, Any],
    answers: Mapping[str, int],
    claims: int,
) -> WorkOfCreator:
    erased = state.erasure is not None
    versions = {uid for _, uid in named}
    (only,) = versions if len(versions) == 1 else (None,)
    return WorkOfCreator(
        source_uid=node.uid,
        hidden=False,
        erased=erased,
        title=None if erased else stated(node.fields.get("title")),
        source_kind=None if erased else stated(node.fields.get("source_kind")),
        roles=_roles(named),
        version_uid=only,
        published_at=None if erased else stated(latest.get("published_at")),
        licence=None
        if erased
        else licence_of(
            stated(latest.get("license")),
            stated(latest.get("license_uri")),
            stated(latest.get("rights")),
        ),
        status=status_of(state.cases),
        answers=answers,
        claims=claims,
    )


def _hidden_work(node: Node, named: Sequence[tuple[str, str | None]]) -> WorkOfCreator:
    return WorkOfCreator(
        source_uid=node.uid,
        hidden=True,
        erased=False,
        title=None,
        source_kind=None,
        roles=_roles(named),
        version_uid=None,
        published_at=None,
        licence=None,
        status=HIDDEN,
        answers={},
        claims=0,
    )


def _latest(viewer: Viewer, source_ids: Collection[int]) -> dict[int, Mapping[str, Any]]:
    """What the latest version of each work states, of those that the viewer may see."""
    rows = Node.objects.filter(
        workspace_id=viewer.workspace_id, kind="source_version", parent_id__in=source_ids
    ).order_by(*newest_first())[:_MOST_VERSIONS]
    versions = list(rows)
    seen = visible(viewer, versions)
    found: dict[int, Mapping[str, Any]] = {}
    for version in versions:
        if seen[version.pk] and version.parent_id is not None:
            found.setdefault(version.parent_id, version.fields)
    return found


def _claims(viewer: Viewer, source_ids: Collection[int]) -> dict[int, int]:
    """How many claims cite each work."""
    rows = (
        Reference.objects.filter(
            workspace_id=viewer.workspace_id,
            edge=Edge.WAS_QUOTED_FROM,
            to_node__version__parent_id__in=source_ids,
            from_node__parent_id__isnull=False,
        )
        .values("to_node__version__parent_id")
        .annotate(claims=Count("from_node__parent_id", distinct=True))
        .order_by("to_node__version__parent_id")
    )
    counted = rows.values_list("to_node__version__parent_id", "claims")
    return {work: claims for work, claims in counted if work is not None}
