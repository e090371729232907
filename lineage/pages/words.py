"""The words by which pages name kinds, stages, roles and codes of records; one place, translated.

What has an icon and a tone beside its word stands in lineage.pages.signs. A code that
is not listed is shown as it came.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

Text = str | Promise


# The order in which pages list grades: the strongest first, a cache's copies last.
GRADE_ORDER: Final = ("cited", "in_context", "produced", "retrieved", "possible", "served")

KINDS: Final[Mapping[str, Text]] = {
    "agent": pgettext_lazy("kind", "Creator"),
    "component": pgettext_lazy("kind", "Component"),
    "run": pgettext_lazy("kind", "Run"),
    "case": pgettext_lazy("kind", "Case"),
    "source": pgettext_lazy("kind", "Source"),
    "source_version": pgettext_lazy("kind", "Version"),
    "acquisition": pgettext_lazy("kind", "Acquisition"),
    "document": pgettext_lazy("kind", "Document"),
    "part": pgettext_lazy("kind", "Part"),
    "chunk": pgettext_lazy("kind", "Chunk"),
    "fact": pgettext_lazy("kind", "Fact"),
    "embedding": pgettext_lazy("kind", "Embedding"),
    "index_snapshot": pgettext_lazy("kind", "Index snapshot"),
    "retrieval": pgettext_lazy("kind", "Retrieval"),
    "context": pgettext_lazy("kind", "Context"),
    "answer": pgettext_lazy("kind", "Answer"),
    "claim": pgettext_lazy("kind", "Claim"),
    "citation": pgettext_lazy("kind", "Citation"),
}

STAGES: Final[tuple[Text, ...]] = (
    pgettext_lazy("stage", "Source"),
    pgettext_lazy("stage", "Acquisition"),
    pgettext_lazy("stage", "Document"),
    pgettext_lazy("stage", "Chunk"),
    pgettext_lazy("stage", "Index"),
    pgettext_lazy("stage", "Retrieval"),
    pgettext_lazy("stage", "Answer"),
    pgettext_lazy("stage", "Claim"),
)

COMPONENT_KINDS: Final[Mapping[str, Text]] = {
    "connector": pgettext_lazy("component", "connector"),
    "parser": pgettext_lazy("component", "parser"),
    "ocr": pgettext_lazy("component", "text recognition"),
    "chunker": pgettext_lazy("component", "chunker"),
    "extractor": pgettext_lazy("component", "extractor"),
    "embedder": pgettext_lazy("component", "embedder"),
    "indexer": pgettext_lazy("component", "indexer"),
    "retriever": pgettext_lazy("component", "retriever"),
    "reranker": pgettext_lazy("component", "reranker"),
    "prompt": pgettext_lazy("component", "prompt"),
    "model": pgettext_lazy("component", "model"),
    "checker": pgettext_lazy("component", "checker"),
    "pipeline": pgettext_lazy("component", "pipeline"),
}

RUN_KINDS: Final[Mapping[str, Text]] = {
    "acquire": pgettext_lazy("run", "acquire"),
    "parse": pgettext_lazy("run", "parse"),
    "chunk": pgettext_lazy("run", "chunk"),
    "extract": pgettext_lazy("run", "extract"),
    "embed": pgettext_lazy("run", "embed"),
    "index": pgettext_lazy("run", "index"),
    "retrieve": pgettext_lazy("run", "retrieve"),
    "rerank": pgettext_lazy("run", "rerank"),
    "generate": pgettext_lazy("run", "generate"),
    "check": pgettext_lazy("run", "check"),
    "pipeline": pgettext_lazy("run", "pipeline"),
}

ROLES: Final[Mapping[str, Text]] = {
    "reader": pgettext_lazy("role", "Reader"),
    "operator": pgettext_lazy("role", "Operator"),
    "editor": pgettext_lazy("role", "Editor"),
    "admin": pgettext_lazy("role", "Administrator"),
    # Who acted with a key and not as a member.
    "machine": pgettext_lazy("role", "API key"),
}

ANCHORS: Final[Mapping[str, Text]] = {
    "exact": _("found exactly"),
    "normalised": _("found; only spacing, hyphens or typography differ"),
    "relocated": _("found by its words, at another place or nearly as quoted"),
    "ambiguous": _("more than one place fits; none is marked"),
    "unverifiable": _("could not be located; nothing is marked"),
}

SCORE_KINDS: Final[Mapping[str, Text]] = {
    "similarity": _("similarity (higher is nearer)"),
    "distance": _("distance (lower is nearer)"),
    "logit": _("logit of a scorer (higher is better; no probability)"),
    "bm25": _("BM25 (term weight; higher is better; no upper bound)"),
    "unknown": _("score of unknown kind"),
}

SCORE_NAMES: Final[Mapping[str, Text]] = {
    "similarity": pgettext_lazy("score", "similarity"),
    "distance": pgettext_lazy("score", "distance"),
    "logit": pgettext_lazy("score", "logit"),
    "bm25": pgettext_lazy("score", "BM25"),
    "unknown": pgettext_lazy("score", "score"),
}

FLAGS: Final[Mapping[str, Text]] = {
    "unresolved_reference": _("It names something that nobody has sent yet."),
    "score_not_finite": _("A score was no number; it is kept as unknown."),
    "digest_mismatch": _("The digest that was sent does not fit the text."),
    "interval_converted": _("Its position was sent in another unit and converted."),
    "interval_relocated": _("Its position was wrong; it was found by its text."),
    "interval_ambiguous": _("Its position fits more than one place."),
    "interval_unverifiable": _("Its position could not be verified."),
    "key_reused": _("Its key was used before for something else."),
    "time_without_zone": _("Its time came without a time zone; UTC was assumed."),
    "time_ahead": _("Its time lies in the future."),
    "citation_outside_context": _("It cites something that the model was not given."),
    "license_unknown": _("No licence is stated that is known."),
    "license_normalized": _(
        "Its licence is spelt in its own way; it was read as the SPDX list has it."
    ),
    "creator_missing": _("No creator is stated."),
    "attribution_pending": _("Its source was not described when it was indexed."),
    "withdrawn_upstream": _("Something it rests on was withdrawn."),
    "selector_unusable": _("A selector in it cannot be resolved in a text; it is kept as sent."),
    "unknown_field": _("It came with a field that nobody knows."),
}

DROP_REASONS: Final[Mapping[str, Text]] = {
    "below_cutoff": _("below the cut-off"),
    "below_cut_off": _("below the cut-off"),
    "reranked_out": _("dropped by the reranker"),
    "rerank": _("dropped by the reranker"),
    "duplicate": _("duplicate of another passage"),
    "truncated": _("no room left in the context"),
    "budget": _("no room left in the context"),
    "filter": _("excluded by a filter"),
    "filtered": _("excluded by a filter"),
    "acl": _("not permitted for this reader"),
    "top_k": _("beyond the number asked for"),
    "not_in_context": _("not put into the context"),
    "not_in_prompt": _("not put into the prompt"),
    "passed_over": _("passed over by the retriever around it"),
}


ASKS: Final[Mapping[str, Text]] = {
    "attribution": _("credit the creators"),
    "changes": _("say what you changed"),
    "share_alike": _("share adaptations alike"),
    "no_derivatives": _("no adaptations"),
    "non_commercial": _("no commercial use"),
    "notice": _("keep the licence notice"),
    "source_code": _("offer the source code"),
    "network_use": _("also to users over a network"),
    "no_endorsement": _("imply no endorsement"),
}

CREATOR_ROLES: Final[Mapping[str, Text]] = {
    "creator": pgettext_lazy("creator", "creator"),
    "editor": pgettext_lazy("creator", "editor"),
    "translator": pgettext_lazy("creator", "translator"),
    "publisher": pgettext_lazy("creator", "publisher"),
}

SOURCE_KINDS: Final[Mapping[str, Text]] = {
    "article": pgettext_lazy("source", "Article"),
    "webpage": pgettext_lazy("source", "Web page"),
    "report": pgettext_lazy("source", "Report"),
    "dataset": pgettext_lazy("source", "Data set"),
    "code": pgettext_lazy("source", "Code"),
    "notice": pgettext_lazy("source", "Notice"),
    "speech": pgettext_lazy("source", "Speech"),
    "documentation": pgettext_lazy("source", "Documentation"),
}

SHORTFALLS: Final[Mapping[str, Text]] = {
    "text_not_erased": _(
        "Every passage is hidden, but the text is not gone from everywhere yet. What is left is "
        "tried again until it is done."
    ),
    "gave_up": _("Marking the answers failed too often. Reads obey the case all the same."),
    "reinstated": _("It was lifted before the marking was over."),
    "proof_differs": _("The graph and the marking do not agree; an operator should look into it."),
    "proof_truncated": _("The graph is too large for the proof; the marking itself went through."),
    "proof_out_of_time": _(
        "The proof takes longer than it is given; the marking itself went through."
    ),
}

FORMATS: Final[Mapping[str, Text]] = {
    "native": pgettext_lazy("format", "Native records"),
    "openlineage": "OpenLineage",
    "otlp": "OpenTelemetry",
    "prov": "PROV",
    "crossref": _("Works of Crossref"),
}

# Why a payload as a whole could not be applied, where no problem type says it.
FAILURES: Final[Mapping[str, Text]] = {
    "ProcessLost": _("Each process that tried to apply it ended without a word."),
    "BodyDestroyed": _("Its body was destroyed before it was applied."),
}

# What is compared of two versions (lineage.comparison.compare.STAGES), in this order.
COMPARED_STAGES: Final[Mapping[str, Text]] = {
    "documents": pgettext_lazy("compared", "Documents"),
    "chunks": pgettext_lazy("compared", "Chunks"),
    "facts": pgettext_lazy("compared", "Facts"),
    "retrieved": pgettext_lazy("compared", "Retrieved sets"),
    "answers": pgettext_lazy("compared", "Answers"),
}

# What the page of a kind shows beside its lineage; buttons and headings name it so.
OWN_PAGES: Final[Mapping[str, Text]] = {
    "agent": pgettext_lazy("page", "The creator"),
    "answer": pgettext_lazy("page", "The answer"),
    "case": pgettext_lazy("page", "The case"),
    "chunk": pgettext_lazy("page", "The passage"),
    "citation": pgettext_lazy("page", "The citation"),
    "component": pgettext_lazy("page", "The component"),
    "context": pgettext_lazy("page", "What the model was given"),
    "document": pgettext_lazy("page", "The text of the document"),
    "fact": pgettext_lazy("page", "The fact"),
    "part": pgettext_lazy("page", "The text of this part"),
    "run": pgettext_lazy("page", "The run"),
    "source": pgettext_lazy("page", "The source"),
}

HIDDEN_PASSAGES: Final[Mapping[str, Text]] = {
    "access": _("Your access groups do not reach the source of this passage."),
    "revocation": _("The passage is hidden: the permission to show it was revoked."),
    "erasure": _("The passage is gone: it was erased on request."),
    "unavailable": _("The text of this passage is not held here."),
}


def text(table: Mapping[str, Text], code: str) -> Text:
    """The label of a code; one that nobody listed is shown as it came."""
    return table.get(code, code.replace("_", " "))


def answers_by(grade: str, count: int) -> str:
    """What stands behind the number of answers of a grade: "answers cite it", and so on."""
    match grade:
        case "cited":
            return ngettext("answer cites it", "answers cite it", count)
        case "in_context":
            return ngettext("had it in context", "had it in context", count)
        case "produced":
            return ngettext("was made with it", "were made with it", count)
        case "retrieved":
            return ngettext("only retrieved it", "only retrieved it", count)
        case "possible":
            return ngettext("possibly rests on it", "possibly rest on it", count)
        case "served":
            return ngettext("was served from a cache", "were served from a cache", count)
        case _:
            return grade.replace("_", " ")
