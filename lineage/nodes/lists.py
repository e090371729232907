"""The lists that pages show: answers, sources, components; a page at a time, newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Q, QuerySet

from lineage.cases.register import has_active, in_state
from lineage.models import Node, RestsOn
from lineage.nodes.by_title import page_by_title
from lineage.nodes.credits import Credit, Credits, credits_of
from lineage.nodes.paging import DEFAULT_LIMIT, after_newest, bounded, cursor_of, newest_first
from lineage.nodes.search import having_words
from lineage.nodes.search_items import questions_of
from lineage.nodes.states import NodeState, node_states
from lineage.nodes.visible import visible
from lineage.types import Viewer
from lineage.vocabulary import COMPONENT_KINDS, OBSERVED, AnswerState

# Versions of the sources of one page that are looked at for the latest one.
_MOST_VERSIONS: Final = 10_000


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An answer in a list; `question` None where it was not sent, is erased, or may repeat what is hidden."""

    uid: str
    key: str
    question: str | None
    model: str | None
    provider: str | None
    occurred_at: datetime | None
    state: str
    abstained: bool


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source in a list.

    `title`, `doi`, `creators`, `publisher` are None or empty where the source does not
    state them; of a hidden or erased source all of them, its versions too. `licence`,
    `published_at` and `valid_until` are those of the latest version, which also names the
    creators and the publisher where the source itself does not. `cases`: kinds of the cases in effect.
    """

    uid: str
    hidden: bool
    title: str | None
    source_kind: str | None
    container_title: str | None
    doi: str | None
    creators: tuple[Credit, ...]
    publisher: Credit | None
    versions: int
    licence: str | None
    published_at: str | None
    valid_until: str | None
    state: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComponentRow:
    """A component in a list; `answers` is how many answers rest on it, whatever their grade."""

    uid: str
    key: str
    component_kind: str | None
    name: str | None
    version: str | None
    config_digest: str | None
    answers: int
    state: str


@dataclass(frozen=True, slots=True)
class AnswerPage:
    items: tuple[AnswerRow, ...]
    next: str | None
    total: int


@dataclass(frozen=True, slots=True)
class SourcePage:
    items: tuple[SourceRow, ...]
    next: str | None
    total: int


@dataclass(frozen=True, slots=True)
class ComponentPage:
    items: tuple[ComponentRow, ...]
    next: str | None
    total: int


def answers(
    viewer: Viewer,
    *,
    state: str | None = None,
    q: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> AnswerPage:
    """Answers, by state and by words of their questions; an unknown state has none.

    Raises CursorInvalid.
    """
    rows = _of_kind(viewer, "answer", q)
    if state:
        rows = rows.filter(_in_state(viewer, state))
    page, following, total = _page(rows, limit, cursor)
    states = node_states(viewer.workspace_id, page)
    questions = questions_of(viewer, page)
    items = tuple(
        AnswerRow(
            uid=node.uid,
            key=node.key,
            question=questions.get(node.pk),
            model=_word(node.fields, "model"),
            provider=_word(node.fields, "provider"),
            occurred_at=node.occurred_at,
            state=states[node.pk].word,
            abstained=node.fields.get("abstained") is True,
        )
        for node in page
    )
    return AnswerPage(items, following, total)


def sources(
    viewer: Viewer, *, q: str = "", limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> SourcePage:
    """Sources by title, newest first where there are more than 1,000.

    With words, only those that the viewer may see. Raises CursorInvalid.
    """
    rows = _of_kind(viewer, "source", q)
    sorted_page = page_by_title(viewer, rows, limit, cursor)
    page, following, total = sorted_page or _page(rows, limit, cursor)
    return SourcePage(source_rows(viewer, page), following, total)


def source_rows(viewer: Viewer, page: Sequence[Node]) -> tuple[SourceRow, ...]:
    """What a list shows of these sources, in their order; the queries do not grow with them."""
    states = node_states(viewer.workspace_id, page)
    seen = visible(viewer, page)
    shown = [node for node in page if seen[node.pk] and states[node.pk].erasure is None]
    versions = _versions_of(viewer, shown)
    latest = [several[0] for several in versions.values()]
    credited = credits_of(viewer, [*shown, *latest])
    return tuple(
        _source(node, states[node.pk], versions.get(node.pk, ()), credited)
        if node.pk in credited
        else _bare_source(node, states[node.pk], hidden=not seen[node.pk])
        for node in page
    )


def components(
    viewer: Viewer,
    *,
    component_kind: str | None = None,
    q: str = "",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> ComponentPage:
    """Components, by kind and words of their name and version; an unknown kind has none.

    Raises CursorInvalid.
    """
    rows = _of_kind(viewer, "component", q)
    if component_kind:
        known = component_kind in COMPONENT_KINDS
        rows = rows.filter(fields__component_kind=component_kind) if known else rows.none()
    page, following, total = _page(rows, limit, cursor)
    states = node_states(viewer.workspace_id, page)
    resting: dict[int, int] = dict(
        RestsOn.objects.filter(target__in=page, answer__workspace_id=viewer.workspace_id)
        .values("target_id")
        .annotate(number=Count("pk"))
        .values_list("target_id", "number")
        .order_by()
    )
    items = tuple(
        ComponentRow(
            uid=node.uid,
            key=node.key,
            component_kind=_word(node.fields, "component_kind"),
            name=_word(node.fields, "name"),
            version=_word(node.fields, "version"),
            config_digest=_word(node.fields, "config_digest"),
            answers=resting.get(node.pk, 0),
            state=states[node.pk].word,
        )
        for node in page
    )
    return ComponentPage(items, following, total)


def _in_state(viewer: Viewer, word: str) -> Q:
    known = {each.word: each for each in AnswerState}
    if word not in known:
        return Q(pk__in=[])
    if has_active(viewer.workspace_id):
        return in_state(known[word])
    return Q() if known[word] is AnswerState.CURRENT else Q(pk__in=[])


def _of_kind(viewer: Viewer, kind: str, q: str) -> QuerySet[Node]:
    rows = Node.objects.filter(workspace_id=viewer.workspace_id, kind=kind)
    # Narrowed to what the viewer may find: a hidden title must not be guessed by its words.
    return rows.filter(having_words(viewer, q, kind)) if q.strip() else rows


def _page(
    rows: QuerySet[Node], limit: int, cursor: str | None
) -> tuple[list[Node], str | None, int]:
    """The page after the cursor, the next cursor, and how many rows there are in all."""
    size = bounded(limit)
    found = list(rows.filter(after_newest(cursor)).order_by(*newest_first())[: size + 1])
    page = found[:size]
    more = len(found) > size
    following = cursor_of(page[-1].occurred_at, page[-1].uid) if more else None
    return page, following, rows.count()


def _versions_of(viewer: Viewer, shown: Sequence[Node]) -> dict[int, list[Node]]:
    """Versions of each source that the viewer may see, the latest first."""
    rows = Node.objects.filter(
        workspace_id=viewer.workspace_id,
        kind="source_version",
        parent_id__in=[node.pk for node in shown],
    ).order_by(*newest_first())[:_MOST_VERSIONS]
    versions = list(rows)
    seen = visible(viewer, versions)
    found: dict[int, list[Node]] = {}
    for version in versions:
        if seen[version.pk] and version.parent_id is not None:
            found.setdefault(version.parent_id, []).append(version)
    for several in found.values():
        # Stable: versions without a date of publication stay newest first, at the end; and behind
        # all of them those that were made by looking, which state nothing.
        several.sort(
            key=lambda each: (
                each.namespace != OBSERVED, str(each.fields.get("published_at") or "")
            ),
            reverse=True,
        )  # fmt: skip
    return found


def _source(
    node: Node,
    state: NodeState,
    versions: Sequence[Node],
    credited: Mapping[int, Credits],
) -> SourceRow:
    latest: Mapping[str, Any] = versions[0].fields if versions else {}
    creators, publisher = credited[node.pk]
    if versions:
        creators = creators or credited[versions[0].pk][0]
        publisher = publisher or credited[versions[0].pk][1]
    return SourceRow(
        uid=node.uid,
        hidden=False,
        title=_word(node.fields, "title"),
        source_kind=_word(node.fields, "source_kind"),
        container_title=_word(node.fields, "container_title"),
        doi=_word(node.fields, "doi"),
        creators=creators,
        publisher=publisher,
        versions=len(versions),
        licence=_word(latest, "license"),
        published_at=_word(latest, "published_at"),
        valid_until=_word(latest, "valid_until"),
        state=state.word,
        cases=_case_kinds(state),
    )


def _bare_source(node: Node, state: NodeState, *, hidden: bool) -> SourceRow:
    return SourceRow(
        uid=node.uid, hidden=hidden, title=None, source_kind=None, container_title=None, doi=None, creators=(),
        publisher=None, versions=0, licence=None, published_at=None, valid_until=None, state=state.word,
        cases=_case_kinds(state),
    )  # fmt: skip


def _case_kinds(state: NodeState) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.case_kind for case in state.cases))


def _word(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None
