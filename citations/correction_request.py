"""What a reader asks to have corrected: the thing looked at, and what a case about it would name.

A case names what answers rest on. So what is wrong with a citation or a claim is asked of
the passage that it cites, of its version or of its work, as befits what is wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from citations.evidence import Evidence, gather
from citations.origins import cited_by, origin_of
from citations.stated import stated
from citations.upstream import Upstream, upstream_of
from lineage.cases import request
from lineage.cases.errors import DraftRefused
from lineage.models import Node
from lineage.nodes.find import find
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Erased, NotFound, Viewer

# What a request may start from; those of the second line through what they cite.
ABOUT_KINDS: Final = frozenset(
    {
        "agent", "source", "source_version", "document", "part", "chunk", "fact",
        "citation", "claim", "answer",
    }
)  # fmt: skip
# Claims of an answer to choose from, and citations of a claim that are looked at.
MOST_CLAIMS: Final = 100
MOST_CITATIONS: Final = 20
_OF_THE_VERSION: Final = frozenset({"outdated", "licence"})
_OF_THE_WORK: Final = frozenset({"attribution", "withdraw"})


@dataclass(frozen=True, slots=True)
class ClaimChoice:
    """A claim of an answer; `text` None where the reader may not see it."""

    uid: str
    text: str | None
    markers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class About:
    """What a request is about.

    `hidden`: the reader may not see it, and cannot ask. `cites`: whether a case could name
    anything. `claims` is what to choose from (of an answer) or the claim itself (of a claim
    or citation); `answer_uid` where they stand.
    """

    uid: str
    kind: str
    hidden: bool
    cites: bool
    answer_uid: str | None
    claims: tuple[ClaimChoice, ...]
    claims_total: int

    @property
    def chooses(self) -> bool:
        """Whether a claim must be chosen before it can be sent."""
        return self.kind == "answer"


def about(viewer: Viewer, uid: str) -> About:
    """What a reader asks about. Raises NotFound, Moved, and Erased with the tombstone."""
    node = find(viewer, uid)
    if node.kind not in ABOUT_KINDS:
        raise NotFound(uid)
    state = node_states(viewer.workspace_id, [node])[node.pk]
    if state.erasure is not None:
        raise Erased(node.uid, state.erasure.case_kind, state.erasure.at, state.erasure.case_uid)
    if not visible(viewer, [node])[node.pk]:
        return About(node.uid, node.kind, True, False, None, (), 0)
    if node.kind not in ("citation", "claim", "answer"):
        return About(node.uid, node.kind, False, True, None, (), 0)
    citations = _citations(viewer, node)
    claims = _cited_claims(viewer, node, citations)
    answer = _answer(viewer, node, claims)
    evidence = gather(viewer, [], claims[:MOST_CLAIMS], [answer] if answer is not None else [])
    return About(
        uid=node.uid,
        kind=node.kind,
        hidden=False,
        cites=bool(citations),
        answer_uid=answer.uid if answer is not None else None,
        claims=tuple(_choice(claim, citations, evidence) for claim in claims[:MOST_CLAIMS]),
        claims_total=len(claims),
    )


def ask(
    viewer: Viewer, uid: str, *, wrong: str, reason: str, evidence: str = "", claim: str = ""
) -> tuple[str, bool]:
    """Ask for a correction: the uid of the drafted case, and whether it is new.

    `claim`: of an answer, the claim that is wrong. Raises what `about` and
    lineage.cases.request.ask raise; DraftRefused where there is nothing that a case could name.
    """
    seen = about(viewer, uid)
    if seen.chooses:
        if claim not in {each.uid for each in seen.claims}:
            raise DraftRefused("/claim", _("Choose the statement that is wrong."))
        seen = about(viewer, claim)
    if seen.hidden:
        raise DraftRefused("/about", _("You can ask only about what is visible to you."))
    targets = _targets(viewer, find(viewer, seen.uid), wrong)
    if not targets:
        raise DraftRefused(
            "/about", _("It cites nothing that is known here, so there is nothing to correct.")
        )
    return request.ask(
        viewer, wrong=wrong, about_uid=seen.uid, targets=targets, reason=reason, evidence=evidence
    )


def _targets(viewer: Viewer, node: Node, wrong: str) -> list[str]:
    """What the case names, each once."""
    if node.kind in ("agent", "source"):
        return [node.uid]
    citing = node.kind in ("citation", "claim")
    seeds = _citations(viewer, node)[:MOST_CITATIONS] if citing else [node]
    upstream = upstream_of(viewer.workspace_id, seeds)
    found = [cited_by(upstream, seed) if citing else seed for seed in seeds]
    named = [_named(upstream, each, wrong) for each in found if each is not None]
    seen = visible(viewer, named)
    return list(dict.fromkeys(each.uid for each in named if seen[each.pk]))


def _named(upstream: Upstream, passage: Node, wrong: str) -> Node:
    """The passage, its version or its work; the nearest that is known."""
    if passage.kind in ("chunk", "fact"):
        origin = origin_of(passage, upstream)
        version, source = origin.version, origin.source
    else:
        is_version = passage.kind == "source_version"
        version = passage if is_version else upstream.nodes.get(passage.version_id or 0)
        source = upstream.parent(version, "source")
    if wrong in _OF_THE_WORK:
        return source or version or passage
    return (version if wrong in _OF_THE_VERSION else None) or passage


def _citations(viewer: Viewer, node: Node) -> list[Node]:
    """The citations of a citation, claim or answer, in the order in which they came."""
    if node.kind == "citation":
        return [node]
    place = "parent" if node.kind == "claim" else "parent__parent"
    rows = Node.objects.filter(
        workspace_id=viewer.workspace_id, kind="citation", **{place: node.pk}
    )
    return list(rows.order_by("pk")[: MOST_CLAIMS * MOST_CITATIONS])


def _cited_claims(viewer: Viewer, node: Node, citations: Sequence[Node]) -> list[Node]:
    """The claims that cite anything, in the order of the text; the claim itself, if it is one."""
    if node.kind == "claim":
        return [node]
    ids = {citation.parent_id for citation in citations if citation.parent_id is not None}
    claims = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=ids).order_by("pk")
    return sorted(claims, key=lambda each: (each.start is None, each.start or 0, each.pk))


def _answer(viewer: Viewer, node: Node, claims: Sequence[Node]) -> Node | None:
    if node.kind == "answer":
        return node
    parents = [claim.parent_id for claim in claims if claim.parent_id is not None]
    answers = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=parents, kind="answer")
    return answers.order_by("pk").first()


def _choice(claim: Node, citations: Sequence[Node], evidence: Evidence) -> ClaimChoice:
    mine = (stated(each.fields.get("marker")) for each in citations if each.parent_id == claim.pk)
    return ClaimChoice(
        uid=claim.uid,
        text=evidence.texts.get(claim.pk) if evidence.seen[claim.pk] else None,
        markers=tuple(marker for marker in mine if marker)[:MOST_CITATIONS],
    )
