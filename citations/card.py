"""The citation card: who made the source, under which licence, the exact passage in its place."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from citations.bibliography import Bibliography
from citations.marks import Piece, Span
from citations.status import Notice, Status
from lineage.types import JsonValue, NotFound, Viewer, Warned
from lineage.vocabulary import Anchor


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `index` from 0, `label` as printed ("411", "xii"); either may be unknown."""

    index: int | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    """The chunk's text with its neighbours in the document (at most 300 code points each).

    Highlights are relative to the text that they belong to; with an `anchor` that is not
    one of exact, normalised or relocated there are none. `cut` says that the support goes
    on beyond the passage: the highlights of the neighbours show the rest. The pieces are
    the same texts, ready to print: invisible characters as marks, highlights set.
    """

    text: str
    before: str
    after: str
    highlights: tuple[Span, ...]
    before_highlights: tuple[Span, ...]
    after_highlights: tuple[Span, ...]
    anchor: Anchor | None
    cut: bool
    heading_path: tuple[str, ...]
    page: Page | None
    language: str | None
    pieces: tuple[Piece, ...]
    before_pieces: tuple[Piece, ...]
    after_pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """How the passage was found and what became of it; numbers as sent, None where not sent.

    `score_kind` is similarity, distance, logit, bm25 or unknown: what the score is, and so
    whether more is better. It is never a percentage or a probability.
    """

    retrieval_uid: str
    rank: int | None
    score: float | None
    score_kind: str
    rerank_rank: int | None
    rerank_score: float | None
    kept: bool | None
    drop_reason: str | None


@dataclass(frozen=True, slots=True)
class RunFact:
    """A run on the way from the source to the answer, and the component that did it."""

    run_uid: str
    run_kind: str | None
    component_uid: str | None
    component_kind: str | None
    name: str | None
    version: str | None
    config_digest: str | None
    started_at: str | None
    ended_at: str | None
    status: str | None
    node_uid: str  # what the run made


@dataclass(frozen=True, slots=True)
class Card:
    """A citation with all that a reader may know of what stands behind it.

    `hidden`: the reader's groups do not reach the source; then the source's facts, passage,
    quote and machinery are absent. `passage_hidden` says why a passage that was cited is not shown:
    "access", "revocation", "erasure", "unavailable" (its text is not held), or None.
    `reason` is a code: the kind of the case behind the status, `citation_outside_context`,
    `unresolved_reference`, or None. `retrieved_at` is when the retrieval took the passage,
    `fetched_at` when the source was fetched, `checked_at` when the source was last checked
    against its origin (None: not checked). Uids are for links; None where there is no such node.
    """

    uid: str
    hidden: bool
    marker: str
    marker_pieces: tuple[Piece, ...]
    in_context: bool
    position: int | None
    confidence: float | None
    quote: str | None
    verdict: str
    standing: str | None
    status: Status
    reason: str | None
    notices: tuple[Notice, ...]
    flags: tuple[Warned, ...]
    bibliography: Bibliography | None
    retrieved_at: datetime | None
    fetched_at: datetime | None
    checked_at: datetime | None
    passage: Passage | None
    passage_hidden: str | None
    candidates: tuple[Candidate, ...]
    runs: tuple[RunFact, ...]
    claim_uid: str | None
    claim_text: str | None
    claim_pieces: tuple[Piece, ...]
    answer_uid: str | None
    source_uid: str | None
    version_uid: str | None
    document_uid: str | None
    chunk_uid: str | None  # the chunk or fact that is cited
    context_uid: str | None
    attributes: Mapping[str, JsonValue]


def citation_card(viewer: Viewer, uid: str) -> Card:
    """The card of one citation.

    Raises lineage.types.NotFound for an unknown or foreign uid, Moved for an alias.
    """
    raise NotFound(uid)
