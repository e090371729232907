"""All that the cards of some citations need, in a number of queries that does not grow."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from citations.bibliography import Bibliography, bibliography_of
from citations.circumstances import NO_CIRCUMSTANCES, Circumstances, circumstances_of
from citations.freshness import NO_LOOKS, Looks, looks_at
from citations.hidden_parts import without_hidden_parts
from citations.masking import mask_claims, mask_each
from citations.origins import Origin, cited_by, origin_of
from citations.revisions import served_from
from citations.upstream import Upstream, upstream_of
from lineage.cases.register import Active, has_active, passage_hidden, withdrawals_of
from lineage.cases.standing import explained_claims
from lineage.content.passages import texts_and_fields, texts_of
from lineage.erasure.ledger import not_cleared
from lineage.models import Node
from lineage.nodes.visible import given_hidden, visible
from lineage.types import Viewer


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands behind some citations; every mapping is by node id."""

    upstream: Upstream
    seen: Mapping[int, bool]
    cases: Mapping[int, Sequence[Active]]  # on chunks and facts, or upstream of them
    standings: Mapping[int, str]  # of claims
    because: Mapping[int, str]  # of claims: why they stand so, a code of lineage.cases.standing
    texts: Mapping[int, str]
    quotes: Mapping[int, str]
    selectors: Mapping[int, str]  # of citations, as JSON
    questions: Mapping[int, str]
    # What answers were given and the viewer may not see, or a case has taken out of sight; texts of
    # claims and quotes are masked by it.
    withheld: Sequence[str]
    # Answers of which nothing can be told for now: what they may repeat is not known here any more.
    untold: Collection[int]
    # Whether any case was in effect in the workspace when the texts had been read.
    any_active: bool
    # What has been put together already, for the many citations of one answer or one work.
    _circumstances: dict[int, Circumstances]
    looks: Looks = NO_LOOKS
    _books: dict[tuple[int, int], Bibliography] = field(default_factory=dict)

    def origin(self, node: Node) -> Origin:
        """The origin of a chunk or fact."""
        return origin_of(node, self.upstream)

    def circumstances(self, answer: Node | None) -> Circumstances:
        """What an answer had before it; nothing of none."""
        if answer is None:
            return NO_CIRCUMSTANCES
        found = self._circumstances.get(answer.pk)
        if found is None:
            found = self._circumstances[answer.pk] = circumstances_of(self.upstream, answer)
        return found

    def book(self, origin: Origin) -> Bibliography:
        """What is stated of the version and work that a passage comes from."""
        version, source = origin.version, origin.source
        place = (version.pk if version else 0, source.pk if source else 0)
        found = self._books.get(place)
        if found is None:
            found = self._books[place] = bibliography_of(version, source, self.upstream)
        return found


def gather(
    viewer: Viewer, citations: Sequence[Node], claims: Sequence[Node], answers: Sequence[Node],
    *, whole: bool = False, read: Collection[str] | None = None, taken: Collection[int] = frozenset(),
) -> Evidence:  # fmt: skip
    """The evidence of these citations, with their claims and answers, which are loaded already.

    `whole`: also all that the answers had in context or retrieved. `read`: the citations whose
    passages are read, by uid (None: all of them). Of what the viewer may not
    see, or a case has taken out of sight, only words are taken that the answers repeat: to mask
    them. `taken`: answers of which it is known already that they rest on the latter.
    """
    repeating = given_hidden(viewer, answers) | set(taken)
    given_to = [*answers, *served_from(viewer.workspace_id, repeating)]
    seeds = [*citations, *claims, *given_to]
    upstream = upstream_of(viewer.workspace_id, seeds, all_given=whole or bool(repeating))
    cited = [node for each in citations if (node := cited_by(upstream, each)) is not None]
    passages = {node.pk: node for node in cited}
    circumstances: dict[int, Circumstances] = {}
    if whole or repeating:
        for answer in given_to:
            circumstances[answer.pk] = had = circumstances_of(upstream, answer)
            given = [*had.item_of, *had.candidates_of]
            passages |= {pk: upstream.nodes[pk] for pk in given if pk in upstream.nodes}
    chunks = {
        chunk.pk: chunk for node in cited if (chunk := origin_of(node, upstream).chunk) is not None
    }
    documents = {
        document.pk: document
        for chunk in chunks.values()
        if (document := upstream.parent(chunk, "document")) is not None
    }
    guarded = {
        node.pk: node
        for node in (*citations, *claims, *passages.values(), *chunks.values(), *documents.values())
    }
    seen = visible(viewer, list(guarded.values()))
    opened_chunks, opened_documents = list(chunks.values()), list(documents.values())
    if read is not None:
        opened = _passages(upstream, [each for each in citations if each.uid in read])
        opened_chunks = [chunk for chunk in opened_chunks if chunk.pk in opened]
        opened_documents = [document for document in opened_documents if document.pk in opened]
    readable = [
        node
        for node in (*answers, *claims, *opened_chunks, *opened_documents)
        if seen.get(node.pk, True)
    ]
    fields = {
        "quote": [each for each in citations if seen[each.pk]],
        "selector": [
            each for each in citations if seen[each.pk] and (read is None or each.uid in read)
        ],
        "question": list(answers) if whole else [],
    }
    texts, found = texts_and_fields(readable, fields, workspace=viewer)
    # Asked after the texts were read: whatever came into effect before then is obeyed.
    any_active = has_active(viewer.workspace_id)
    resting = _resting_on_hidden(viewer, answers) if any_active else {}
    if not resting.keys() <= set(taken):
        # What they repeat is among all that they were given.
        return gather(viewer, citations, claims, answers, whole=whole, read=read, taken=resting)
    cases = withdrawals_of(viewer.workspace_id, list(passages), any_active=any_active)
    if any_active:
        texts = without_hidden_parts(viewer, opened_documents, texts, opened_chunks)
    hidden = [
        node
        for node in passages.values()
        if not seen[node.pk] or passage_hidden(cases.get(node.pk, ())) is not None
    ]
    withheld = list(texts_of(hidden, workspace=viewer).values()) if repeating else []
    if withheld:
        texts |= mask_claims(claims, seen, texts, withheld)
        found["quote"] = mask_each(found["quote"], withheld)
    untold = {pk for pk, uids in resting.items() if uids & not_cleared(viewer.workspace_id, uids)}
    if untold:
        _leave_out(untold, claims, citations, texts, found)
    explained = explained_claims(
        viewer.workspace_id, [claim.pk for claim in claims], any_active=any_active
    )
    return Evidence(
        upstream=upstream,
        seen=seen,
        cases=cases,
        standings={claim_id: standing.word for claim_id, standing in explained.items()},
        because={claim_id: standing.because for claim_id, standing in explained.items()},
        texts=texts,
        quotes=found["quote"],
        selectors=found["selector"],
        questions=found["question"],
        withheld=withheld,
        untold=untold,
        any_active=any_active,
        _circumstances=circumstances,
        looks=_looks(viewer, upstream, list(passages.values())),
    )


def _resting_on_hidden(viewer: Viewer, answers: Sequence[Node]) -> dict[int, set[str]]:
    """The answers that rest on what cases have taken out of sight → the uids of these cases."""
    cases = withdrawals_of(viewer.workspace_id, [answer.pk for answer in answers], any_active=True)
    found = {
        pk: {one.case_uid for one in some if passage_hidden([one])} for pk, some in cases.items()
    }
    return {pk: uids for pk, uids in found.items() if uids}


def _leave_out(
    untold: Collection[int],
    claims: Sequence[Node],
    citations: Sequence[Node],
    texts: dict[int, str],
    fields: Mapping[str, dict[int, str]],
) -> None:
    """Take the words of these answers, their claims and citations out of what was read."""
    theirs = {claim.pk for claim in claims if claim.parent_id in untold}
    theirs |= {each.pk for each in citations if each.parent_id in theirs}
    for words in (texts, *fields.values()):
        for pk in theirs.union(untold):
            words.pop(pk, None)


def _looks(viewer: Viewer, upstream: Upstream, passages: Sequence[Node]) -> Looks:
    """What looking at the sources of these passages has told."""
    sources = {
        source.pk for each in passages if (source := origin_of(each, upstream).source) is not None
    }
    return looks_at(viewer.workspace_id, sources, [each.pk for each in passages])


def _passages(upstream: Upstream, citations: Sequence[Node]) -> set[int]:
    """The chunks that citations quote, and the documents those stand in, by id."""
    found = set()
    for citation in citations:
        cited = cited_by(upstream, citation)
        chunk = origin_of(cited, upstream).chunk if cited is not None else None
        if chunk is not None:
            found |= {chunk.pk, chunk.parent_id or 0}
    return found
