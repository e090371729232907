"""The answers that rest on a creator's works, with the claims that cite them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from citations.creator import agent_of
from citations.credit import CREDITS, Credited, answers_of, credited
from citations.evidence import gather
from citations.stated import stated
from citations.tally import tally
from lineage.cases.register import states_of
from lineage.models import Node, Reference, RestsOn
from lineage.nodes.find import find
from lineage.nodes.paging import CursorInvalid, read_cursor, write_cursor
from lineage.nodes.search_items import questions_of
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Moved, NotFound, Viewer
from lineage.vocabulary import Edge, Grade

ANSWERS_ON_A_PAGE: Final = 20
# Claims of one answer that are shown; its page has the others.
CLAIMS_SHOWN: Final = 5
_MOST_CITATIONS: Final = 4_000


@dataclass(frozen=True, slots=True)
class ClaimOfWork:
    """A claim that cites a work of the creator; `text` None where the reader may not see it."""

    uid: str
    text: str | None
    standing: str
    citation_uid: str
    marker: str | None


@dataclass(frozen=True, slots=True)
class AnswerOfCreator:
    """An answer that rests on the creator's works, as strongly as `grade` says."""

    uid: str
    question: str | None
    occurred_at: datetime | None
    state: str
    grade: str
    claims: tuple[ClaimOfWork, ...]
    claims_total: int

    @property
    def more(self) -> int:
        """Claims that are not among those shown."""
        return self.claims_total - len(self.claims)


@dataclass(frozen=True, slots=True)
class CreatorAnswers:
    """A page of answers, the newest first; `total` of this credit and work. Hidden: nothing of it."""

    uid: str
    hidden: bool
    name: str | None
    work_uid: str | None
    work_title: str | None
    items: tuple[AnswerOfCreator, ...]
    counts: Mapping[str, int]  # of each credit code, and under "" of all
    total: int
    next: str | None


def creator_answers(
    viewer: Viewer, uid: str, *, credit: str = "", work: str = "", cursor: str | None = None
) -> CreatorAnswers:
    """The answers of a credit code of citations.credit (any other word: of all), of one work.

    Raises lineage.types.NotFound for an unknown or foreign uid, also of the work, Moved for
    an alias, CursorInvalid.
    """
    agent = agent_of(viewer, uid)
    if not visible(viewer, [agent])[agent.pk]:
        return CreatorAnswers(agent.uid, True, None, None, None, (), {}, 0, None)
    theirs = credited(viewer, agent)
    source = _work(viewer, theirs, work)
    work_id = source.pk if source else None
    rows = answers_of(theirs, credit if credit in CREDITS else "", work_id)
    counts = tally(theirs, work_id).answers
    counts = {"": sum(counts.values()), **counts}
    found = list(
        rows.filter(_after(cursor))
        .select_related("answer")
        .order_by("-at", "answer__uid")[: ANSWERS_ON_A_PAGE + 1]
    )
    page = found[:ANSWERS_ON_A_PAGE]
    last = page[-1] if len(found) > ANSWERS_ON_A_PAGE else None
    return CreatorAnswers(
        uid=agent.uid,
        hidden=False,
        name=stated(agent.fields.get("name")),
        work_uid=source.uid if source else None,
        work_title=_title(viewer, source),
        items=_told(viewer, page, theirs.ids(source_id=work_id), of_work=source is not None),
        counts=counts,
        total=counts.get(credit, counts[""]),
        next=write_cursor(last.at, last.answer.uid) if last else None,
    )


def _work(viewer: Viewer, theirs: Credited, uid: str) -> Node | None:
    """The work that is asked for; one that is not theirs, or not visible, is not found."""
    if not uid:
        return None
    try:
        source = find(viewer, uid)
    except Moved as moved:
        # Not the page has moved, but what its address asks for besides.
        source = find(viewer, moved.uid)
    if not theirs.ids(source_id=source.pk):
        raise NotFound(uid)
    return source


def _title(viewer: Viewer, source: Node | None) -> str | None:
    """The title of the work; none of one that was erased."""
    if source is None or node_states(viewer.workspace_id, [source])[source.pk].erasure is not None:
        return None
    return stated(source.fields.get("title"))


def _after(cursor: str | None) -> Q:
    if cursor is None:
        return Q()
    at, uid = read_cursor(cursor, int, str)
    if at is None or uid is None:
        raise CursorInvalid
    return Q(at__lt=at) | Q(at=at, answer__uid__gt=uid)


def _told(
    viewer: Viewer, page: Sequence[RestsOn], version_ids: Collection[int], *, of_work: bool
) -> tuple[AnswerOfCreator, ...]:
    answers = [row.answer for row in page]
    citations = _citations(viewer, answers, version_ids)
    of_claim: dict[int, Node] = {}
    for citation in citations:
        of_claim.setdefault(citation.parent_id or 0, citation)
    claims = _claims(viewer, of_claim)
    evidence = gather(viewer, [], [claim for some in claims.values() for claim in some], answers)
    states = states_of(viewer.workspace_id, [answer.pk for answer in answers])
    questions = questions_of(viewer, answers)
    return tuple(
        AnswerOfCreator(
            uid=row.answer.uid,
            question=questions.get(row.answer_id),
            occurred_at=row.answer.occurred_at,
            state=states[row.answer_id].state.word,
            grade=(_of_work(claims[row.answer_id]) if of_work else Grade(row.grade)).word,
            claims=tuple(
                _claim(claim, of_claim[claim.pk], evidence.seen, evidence.texts, evidence.standings)
                for claim in claims[row.answer_id][:CLAIMS_SHOWN]
            ),
            claims_total=len(claims[row.answer_id]),
        )
        for row in page
    )


def _of_work(claims: Sequence[Node]) -> Grade:
    """How an answer rests on one work: whatever it cites of others."""
    return Grade.CITED if claims else Grade.IN_CONTEXT


def _claim(
    claim: Node,
    citation: Node,
    seen: Mapping[int, bool],
    texts: Mapping[int, str],
    standings: Mapping[int, str],
) -> ClaimOfWork:
    hidden = not seen[claim.pk]
    return ClaimOfWork(
        uid=claim.uid,
        text=None if hidden else texts.get(claim.pk),
        standing=standings.get(claim.pk, "stands"),
        citation_uid=citation.uid,
        marker=stated(citation.fields.get("marker")),
    )


def _citations(viewer: Viewer, answers: Sequence[Node], version_ids: Collection[int]) -> list[Node]:
    """Citations of these answers that quote one of the versions."""
    rows = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        edge=Edge.WAS_QUOTED_FROM,
        from_node__parent__parent_id__in=[answer.pk for answer in answers],
        to_node__version_id__in=version_ids,
    )
    citations = rows.select_related("from_node").order_by("from_node_id", "pk")[:_MOST_CITATIONS]
    found = {row.from_node.pk: row.from_node for row in citations if row.from_node is not None}
    return list(found.values())


def _claims(viewer: Viewer, claim_ids: Collection[int]) -> dict[int, list[Node]]:
    """The claims in the order of their answer's text, by answer."""
    claims = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=claim_ids).order_by("pk")
    found: dict[int, list[Node]] = defaultdict(list)
    for claim in sorted(claims, key=lambda each: (each.start is None, each.start or 0, each.pk)):
        found[claim.parent_id or 0].append(claim)
    return found
