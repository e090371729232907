"""The answer page: the text with its claims and markers, its state, and the evidence behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from citations.card import Candidate, Card, RunFact
from citations.marks import Piece
from citations.rights import Licence
from citations.status import Status
from lineage.types import JsonValue, Warned


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the answer's text printed alike.

    `claims` are the uids of the claims that cover it, the outermost first (claims may
    overlap or nest). `citations` are uids where the segment is a marker as printed; with
    `printed` False the answer does not print the marker and the page adds it here.
    `masked`: the text is hidden from this reader; the single piece then has an empty text.
    """

    pieces: tuple[Piece, ...]
    claims: tuple[str, ...]
    citations: tuple[str, ...]
    printed: bool = True
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the answer; `citations` are those whose markers stand in it, in order."""

    segments: tuple[Segment, ...]
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReasonOfState:
    """Why an answer is not current: which case reaches it, how strongly, since when."""

    case_uid: str
    case_kind: str
    grade: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim, in the order of the text; start and end are None where its place is unknown."""

    uid: str
    text: str | None
    start: int | None
    end: int | None
    verdict: str
    standing: str
    masked: bool
    citations: tuple[str, ...]
    flags: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class MarkerLink:
    marker: str
    citation_uid: str


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A document that the answer cites, once, with every marker that leads to it."""

    document_uid: str | None
    source_uid: str | None
    version_uid: str | None
    hidden: bool
    title: str | None
    publisher: str | None
    license: Licence | None
    status: Status
    markers: tuple[MarkerLink, ...]


@dataclass(frozen=True, slots=True)
class RailPassage:
    """A passage that the answer had before it or retrieved, without citing it."""

    chunk_uid: str
    document_uid: str | None
    source_uid: str | None
    version_uid: str | None
    hidden: bool
    title: str | None
    status: Status
    position: int | None
    truncated: bool
    candidate: Candidate | None


@dataclass(frozen=True, slots=True)
class Rail:
    """The evidence: cited, in the context but not cited, retrieved and dropped.

    `outside` are markers that lead to nothing the answer had before it. Lists are bounded;
    the totals are not.
    """

    cited: tuple[CitedDocument, ...]
    outside: tuple[MarkerLink, ...]
    in_context: tuple[RailPassage, ...]
    dropped: tuple[RailPassage, ...]
    in_context_total: int
    dropped_total: int


@dataclass(frozen=True, slots=True)
class Revision:
    """Another revision of this answer, or the answer that it was served from."""

    uid: str
    occurred_at: datetime | None
    state: str


@dataclass(frozen=True, slots=True)
class PromptFact:
    """The template the context was put into, as sent."""

    component_uid: str
    name: str | None
    version: str | None
    digest: str | None


@dataclass(frozen=True, slots=True)
class SnapshotFact:
    """An index build that the retrieval searched."""

    uid: str
    collection: str | None
    built_at: str | None


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """An answer as this reader may see it. `state` is current, review or stale."""

    uid: str
    question: str | None
    question_pieces: tuple[Piece, ...]
    text: str | None  # with masked stretches replaced by "█"
    paragraphs: tuple[Paragraph, ...]
    state: str
    reasons: tuple[ReasonOfState, ...]
    claims: tuple[ClaimView, ...]
    cards: tuple[Card, ...]  # of every citation, in the order of the markers
    rail: Rail
    occurred_at: datetime | None
    recorded_at: datetime
    resolved: bool
    abstained: bool | None
    model: str | None
    provider: str | None
    parameters: Mapping[str, JsonValue]
    session: str | None
    user: str | None
    unit: str | None
    prompt: PromptFact | None
    snapshots: tuple[SnapshotFact, ...]
    runs: tuple[RunFact, ...]
    context_uid: str | None
    retrieval_uids: tuple[str, ...]
    earlier: tuple[Revision, ...]
    later: tuple[Revision, ...]
    served_from: Revision | None
    flags: tuple[Warned, ...]
    attributes: Mapping[str, JsonValue]
