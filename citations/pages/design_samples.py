"""What the design page shows each component with: every state, in words that say what would stand there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal

from django.contrib.messages.constants import ERROR, SUCCESS
from django.contrib.messages.storage.base import Message
from django.utils.translation import gettext as _

from citations.bibliography import Bibliography, Creator, Publisher
from citations.card import Card
from citations.circumstances import Candidate
from citations.difference_pages import DifferencePage, laid_out
from citations.differences import difference
from citations.licence_terms import terms_of
from citations.machinery import RunFact
from citations.marks import Span, pieces_of
from citations.passage import Page, Passage
from citations.rights import licence_of
from citations.status import HIDDEN, UNKNOWN, Notice, Status
from citations.versions import Version
from lineage.nodes.lists import AnswerRow
from lineage.pages.notices import TouchingNotice
from lineage.types import Warned
from lineage.vocabulary import Anchor
from provexplorer import clock

AT: Final = datetime(2026, 5, 3, 14, 3, tzinfo=UTC)
_END: Final = "_" + "a" * 26
ANSWER, CITATION, CLAIM, SOURCE, VERSION, AGENT, CASE, COMPONENT, RUN = (
    prefix + _END for prefix in ("ans", "cit", "clm", "src", "srv", "agt", "cas", "cmp", "run")
)


@dataclass(frozen=True, slots=True)
class Specimen:
    """A component in one state; `wrap` is the element that it stands in on real pages."""

    component: str
    state: str
    context: Mapping[str, Any]
    wrap: Literal["", "list", "paragraph", "sheet"] = ""


def specimens() -> Iterator[Specimen]:
    """Every component of templates/components in each of its states."""
    yield from _rows()
    yield from _facts()
    yield from _notices()
    yield from _cards()
    yield from _differences()
    yield from _empty()


def _rows() -> Iterator[Specimen]:
    answer = AnswerRow(
        ANSWER, "key", _("The question that was asked"), _("model"), None, AT, "current", False
    )
    for row, state in (
        (answer, "current"),
        (replace(answer, state="review"), "review"),
        (replace(answer, state="stale"), "stale"),
        (replace(answer, question=None, model=None, occurred_at=None), "question=None"),
        (replace(answer, abstained=True), "abstained"),
    ):
        yield Specimen("answer_row", state, {"answer": row}, "list")


def _facts() -> Iterator[Specimen]:
    for licence, state in (
        (licence_of("CC-BY-4.0"), "spdx"),
        (licence_of("CC BY 4.0"), "another spelling"),
        (licence_of("CC0-1.0"), "asks nothing"),
        (licence_of("AAL"), "not known"),
        (licence_of("MIT OR Apache-2.0"), "a choice"),
        (licence_of("CC-BY-4.0 AND LicenseRef-House"), "several"),
        (licence_of("LicenseRef-House", None, _("words of the source")), "as stated"),
        (None, "None"),
    ):
        yield Specimen("licence", state, {"licence": licence})
    listed = [
        {"url": "https://creativecommons.org/licenses/by/4.0", "license": "CC-BY-4.0",
         "applies_to": "vor", "from": "2020-03-01"},
        {"url": "https://example.org/mining", "applies_to": "tdm", "from": "2020-01"},
        {"url": "https://example.org/later", "applies_to": "am", "from": "9999-01-01"},
    ]  # fmt: skip
    terms = terms_of({"licenses": listed}, clock.now().date())
    yield Specimen("licence_terms", "each form from its day", {"terms": terms})
    makers = _makers()
    yield Specimen("byline", "creators", {"creators": makers}, "paragraph")
    yield Specimen("byline", "brief", {"creators": makers[:1] * 9, "brief": True}, "paragraph")
    yield Specimen("byline", "()", {"creators": ()}, "paragraph")
    for agent, state in (
        (makers[0], "orcid"),
        (Publisher(_("Name of a publisher"), "https://ror.org/02mhbdp94", None), "ror"),
        (replace(makers[0], orcid=_("no ORCID")), "no ORCID"),
    ):
        yield Specimen("identifiers", state, {"agent": agent}, "paragraph")
    yield Specimen("runs", "runs", {"runs": _runs()})
    for page in (Page(4, "v"), Page(4, None), Page(None, "v")):
        state = ", ".join(name for name in ("index", "label") if getattr(page, name) is not None)
        yield Specimen("page_of", state, {"page": page}, "paragraph")
    flags = (Warned("interval_relocated", "/interval", ""), Warned("license_unknown", "", ""))
    attributes = {"collection": _("a word of the client"), "tags": ["a", 1]}
    yield Specimen("attributes", "flags, attributes", {"flags": flags, "attributes": attributes})
    for scopes, state in ((frozenset({"read"}), "reader"), (frozenset({"operate"}), "operator")):
        yield Specimen("ask", state, {"uid": SOURCE, "scopes": scopes}, "paragraph")


def _notices() -> Iterator[Specimen]:
    touching = TouchingNotice(
        SOURCE, _("Title of a notice"), "10.1234/notice", "correction", "2026-05-03",
        _("who collected it"), SOURCE, _("Title of a work"), False, None,
    )  # fmt: skip
    yield Specimen("recorded", "by", {"notice": touching}, "paragraph")
    yield Specimen(
        "recorded", "by nobody", {"notice": replace(touching, recorded_by=None)}, "paragraph"
    )
    for notice, state in (
        (touching, "no case"),
        (replace(touching, case_uid=CASE), "case_uid"),
        (replace(touching, case_uid=CASE, lifted_at=AT), "lifted_at"),
        (replace(touching, in_effect=True), "in_effect"),
        (
            replace(touching, told_by=("publisher", "retraction-watch"), published_on=AT.date()),
            "told_by",
        ),
    ):
        context = {"notice": notice, "names_source": state == "no case"}
        yield Specimen("on_record", state, context, "paragraph")
    for kind, code in (("retraction", "retracted"), ("concern", "concern")):
        context = {"notices": [Notice(CASE, kind, AT, SOURCE)], "status": Status(code)}
        yield Specimen("notices", code, context)


def _cards() -> Iterator[Specimen]:
    card = _card()
    for each, state in (
        (card, "not_checked"),
        (replace(card, status=Status("retracted", AT, CASE, "retraction"), notices=(Notice(CASE, "retraction", AT, SOURCE),)), "retracted"),
        (replace(card, passage=None, passage_hidden="revocation", status=Status("revoked")), "passage_hidden"),
        (replace(card, hidden=True, bibliography=None, passage=None, status=HIDDEN, candidates=(), runs=(), source_address=None), "hidden"),
        (replace(card, reason="citation_outside_context", bibliography=None, passage=None, status=UNKNOWN, position=9, candidates=(), runs=(), chunk_uid=None, version_uid=None, source_uid=None, source_address=None), "outside"),
    ):  # fmt: skip
        # Each has a heading of its own.
        own = replace(each, uid=f"cit_{state.replace('_', '')[:26]:a<26}")
        yield Specimen("card", state, {"card": own, "in_place": False, "since": True})


def _differences() -> Iterator[Specimen]:
    old = _("Two words stand here. A sentence that goes was here. The end stays as it is.")
    new = _("Three words stand here. The end stays as it is.")
    found = difference(old, new)
    page = laid_out(found)
    yield Specimen("difference", "rows", {"page": page, "documents": ()})
    for verdict in ("unchanged", "cosmetic", "changed", "gone"):
        yield Specimen("difference_counts", verdict, {"verdict": verdict, "found": found})
    yield Specimen("difference_pages", "2 of 3", {"page": DifferencePage(page.rows, 2, 3)})
    versions = [Version(f"srv_{'ab'[at] * 26}", f"{2 - at}", "2026-05-03") for at in range(2)]
    context = {
        "versions": versions,
        "source_uid": SOURCE,
        "old": versions[1].uid,
        "new": versions[0].uid,
    }
    yield Specimen("compare", "versions", context)


def _empty() -> Iterator[Specimen]:
    empty = {
        "icon_name": "search",
        "title": _("Your filters hide every answer"),
        "text": _("There are answers, but none in this state with these words."),
    }
    yield Specimen("empty", "text", empty)
    action = {"action": _("Show all answers"), "action_url": "#empty"}
    yield Specimen("empty", "action", empty | action)
    for scopes, state in ((frozenset({"read"}), "reader"), (frozenset({"operate"}), "operator")):
        yield Specimen("nothing", state, {"scopes": scopes})
    for level, said in ((SUCCESS, _("Saved.")), (ERROR, _("Choose a file."))):
        message = Message(level, said, extra_tags="here")
        yield Specimen("told", message.level_tag, {"messages": [message], "place": "here"})


def _makers() -> tuple[Creator, ...]:
    return (
        Creator(_("Name of a creator"), "creator", "0000-0002-1825-0097", AGENT),
        Creator(_("Name of an editor"), "editor", None, None),
    )


def _runs() -> tuple[RunFact, ...]:
    run = RunFact(
        RUN, "parse", COMPONENT, "parser", _("name of a parser"), "2.1", f"sha256:{'0' * 64}",
        None, "2026-02-01T08:00:00Z", "ok", VERSION,
    )  # fmt: skip
    return (
        run,
        replace(run, run_kind="generate", component_uid=None, name=None, config_digest=None),
    )


def _passage() -> Passage:
    text = _("The chunk that was retrieved, with the words that support the claim marked.")
    marked = _("the words that support the claim")
    start = max(0, text.find(marked))
    span = Span(start, start + len(marked))
    before, after = _("What stands before it in the document. "), _(" What stands after it.")
    return Passage(
        text=text, before=before, after=after, highlights=(span,), before_highlights=(),
        after_highlights=(), anchor=Anchor.EXACT, cut=False, heading_path=(_("Heading"),),
        page=Page(6, "411"), language=None, pieces=pieces_of(text, [span]), before_pieces=pieces_of(before),
        after_pieces=pieces_of(after + "\u202e"), more_before=True, more_after=True, grade=None, pointer=None,
    )  # fmt: skip


def _bibliography() -> Bibliography:
    return Bibliography(
        source_uid=SOURCE, version_uid=VERSION, resolved=True, title=_("Title of a work"),
        source_kind="article", container_title=_("Name of a journal"), creators=_makers(),
        publisher=Publisher(_("Name of a publisher"), None, None), version="2",
        published_at="2003-10-17", modified_at=None, valid_from=None, valid_until=None,
        license=licence_of("CC-BY-4.0"), rights=None, uri="https://example.org/work", doi="10.1234/work",
        pmid=None, language="en", jurisdiction=None, consent=None,
    )  # fmt: skip


def _card() -> Card:
    candidate = Candidate(RUN, 3, 0.8125, "similarity", 1, 4.2, True, None)
    claim = _("A claim of an answer.")
    return Card(
        uid=CITATION, hidden=False, marker="[1]", marker_pieces=pieces_of("[1]"), in_context=True,
        position=1, confidence=None, quote=None, verdict="not checked", standing="stands",
        status=Status("not_checked"), reason=None, notices=(),
        flags=(Warned("interval_relocated", "", ""),), bibliography=_bibliography(), retrieved_at=AT,
        fetched_at=AT, checked_at=None, passage=_passage(), passage_hidden=None,
        candidates=(candidate,), runs=_runs(), claim_uid=CLAIM, claim_text=claim,
        claim_pieces=pieces_of(claim), answer_uid=ANSWER, source_uid=SOURCE, version_uid=VERSION,
        document_uid=None, chunk_uid=f"chk{_END}", context_uid=None,
        source_address="https://example.org/work", deep_link="https://example.org/work", paged=False,
        attributes={},
    )  # fmt: skip
