"""The signs by which pages show states, kinds of cases and grades: a word, an icon, a tone.

Tones choose a colour in static/css; they never stand alone, so that nothing is told by
colour only. A code that is not listed is shown as it came.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Tone = Literal["good", "warn", "bad", "calm"]
Text = str | Promise


@dataclass(frozen=True, slots=True)
class Word:
    """Label, icon and tone of one code; `explains` is a sentence for those who ask."""

    label: Text
    icon: str
    tone: Tone
    explains: Text = ""


ANSWER_STATES: Final[Mapping[str, Word]] = {
    "current": Word(
        pgettext_lazy("answer", "Current"), "check", "good",
        _("No case touches what this answer rests on."),
    ),
    "review": Word(
        pgettext_lazy("answer", "Review"), "eye", "warn",
        _("Something behind this answer has changed; its claims may still hold."),
    ),
    "stale": Word(
        pgettext_lazy("answer", "Stale"), "cross", "bad",
        _("Something that this answer cites has been corrected or withdrawn."),
    ),
}  # fmt: skip

NODE_STATES: Final[Mapping[str, Word]] = {
    "active": Word(pgettext_lazy("node", "Active"), "check", "good"),
    "withdrawn": Word(pgettext_lazy("node", "Case in effect"), "triangle", "bad"),
    "erased": Word(pgettext_lazy("node", "Erased"), "cross", "bad"),
    "unresolved": Word(pgettext_lazy("node", "Unresolved"), "question", "calm"),
    "hidden": Word(pgettext_lazy("node", "Not visible to you"), "lock", "calm"),
    **ANSWER_STATES,
}

# What has become of a text since (citations.differences.Verdict).
CHANGES: Final[Mapping[str, Word]] = {
    "unchanged": Word(pgettext_lazy("change", "Unchanged"), "check", "good", _("It reads as it did, word for word.")),
    "cosmetic": Word(
        pgettext_lazy("change", "Cosmetic"), "dash", "calm",
        _("Only white space, line breaks or kinds of quotation marks and dashes differ."),
    ),
    "changed": Word(pgettext_lazy("change", "Changed"), "pencil", "warn", _("Its words have changed.")),
    "gone": Word(
        pgettext_lazy("change", "Gone"), "cross", "bad",
        _("Less than half of its words are left, and it stands nowhere else."),
    ),
}  # fmt: skip

# From one version to another (lineage.comparison.pairs.Change).
COMPARED: Final[Mapping[str, Word]] = {
    "gained": Word(
        pgettext_lazy("compared", "Gained"), "plus", "good", _("Only the new one has it.")
    ),
    "lost": Word(pgettext_lazy("compared", "Lost"), "dash", "bad", _("Only the old one has it.")),
    "changed": Word(
        pgettext_lazy("compared", "Changed"), "pencil", "warn", _("Both have it, but not alike.")
    ),
    "unchanged": Word(
        pgettext_lazy("compared", "Unchanged"), "check", "calm", _("Both have it alike.")
    ),
}

# How a run ended (lineage.nodes.run_outcomes.RunOutcome).
RUN_OUTCOMES: Final[Mapping[str, Word]] = {
    "completed": Word(pgettext_lazy("run", "Completed"), "check", "good"),
    "failed": Word(pgettext_lazy("run", "Failed"), "cross", "bad"),
    "running": Word(pgettext_lazy("run", "Not over"), "clock", "calm"),
    "other": Word(pgettext_lazy("run", "Other"), "question", "calm"),
    "unstated": Word(pgettext_lazy("run", "Not stated"), "question", "calm"),
}

# Status of a citation's source; the order of precedence is design's.
SOURCE_STATUSES: Final[Mapping[str, Word]] = {
    "erased": Word(_("Erased"), "cross", "bad", _("The text was erased on request.")),
    "revoked": Word(_("Revoked"), "cross", "bad", _("The permission to show it was revoked.")),
    "retracted": Word(_("Retracted"), "cross", "bad", _("The publisher withdrew the work.")),
    "expired": Word(_("Expired"), "clock", "warn", _("The right to use it has ended.")),
    "rights_changed": Word(_("Rights changed"), "scales", "warn", _("Its licence changed.")),
    "concern": Word(
        _("Expression of concern"), "triangle", "warn", _("The publisher has voiced doubts.")
    ),
    "corrected": Word(_("Corrected"), "triangle", "warn", _("A correction was published.")),
    "superseded": Word(_("Superseded"), "triangle", "warn", _("A newer version replaces it.")),
    "defective": Word(
        _("Made by a defective component"), "triangle", "warn",
        _("A component that produced this passage was found to be defective."),
    ),
    "drifted": Word(_("Drifted"), "triangle", "warn", _("The passage has changed at its source.")),
    "under_review": Word(_("Under review"), "eye", "warn", _("A case about it is open.")),
    "unreachable": Word(_("Unreachable"), "question", "calm", _("The source did not answer.")),
    "lapsed": Word(
        _("No longer valid"), "clock", "warn", _("The source itself states until when it was valid.")
    ),
    "not_checked": Word(
        _("Not checked"), "question", "calm",
        _("Nobody has compared it with its source since it was retrieved."),
    ),
    "current": Word(_("Current"), "check", "good", _("Checked against its source: it still holds.")),
    "hidden": Word(_("Not visible to you"), "lock", "calm"),
    "unknown": Word(_("Source unknown"), "question", "calm"),
}  # fmt: skip

STANDINGS: Final[Mapping[str, Word]] = {
    "stands": Word(
        pgettext_lazy("claim", "Stands"), "dash", "calm",
        _("No case stands against its source. Whether the source supports it was not checked."),
    ),
    "check": Word(
        pgettext_lazy("claim", "To check"), "eye", "warn",
        _("Its source was corrected; whether the claim still holds must be checked."),
    ),
    "weakened": Word(
        pgettext_lazy("claim", "Weakened"), "triangle", "warn",
        _("One of its sources fell; an independent one remains."),
    ),
    "fallen": Word(
        pgettext_lazy("claim", "Fallen"), "cross", "bad",
        _("The source that supported this claim no longer does."),
    ),
    "rights": Word(pgettext_lazy("claim", "Stands, rights in question"), "scales", "warn"),
    "uncited": Word(
        pgettext_lazy("claim", "No citation"), "question", "calm",
        _("The answer names no source for this sentence."),
    ),
    "outside": Word(
        pgettext_lazy("claim", "Cites nothing it was given"), "question", "warn",
        _("What it cites is not in the context of the answer: no such place, or left out of it."),
    ),
    "supported": Word(
        pgettext_lazy("claim", "Supported"), "check", "good",
        _("A check found that the source supports it."),
    ),
    "partly": Word(
        pgettext_lazy("claim", "Partly supported"), "triangle", "warn",
        _("A check found that the source supports only part of it."),
    ),
    "unsupported": Word(
        pgettext_lazy("claim", "Unsupported"), "cross", "bad",
        _("A check found that the source does not support it."),
    ),
    "contradicted": Word(
        pgettext_lazy("claim", "Contradicted"), "cross", "bad",
        _("A check found that the source says otherwise."),
    ),
}  # fmt: skip

VERDICTS: Final[Mapping[str, Word]] = {
    "not checked": Word(pgettext_lazy("verdict", "Not checked"), "question", "calm"),
    "supported": Word(pgettext_lazy("verdict", "Supported"), "check", "good"),
    "partly": Word(pgettext_lazy("verdict", "Partly supported"), "triangle", "warn"),
    "unsupported": Word(pgettext_lazy("verdict", "Unsupported"), "cross", "bad"),
    "contradicted": Word(pgettext_lazy("verdict", "Contradicted"), "cross", "bad"),
}

CASE_STATES: Final[Mapping[str, Word]] = {
    "draft": Word(pgettext_lazy("case", "Draft"), "pencil", "calm"),
    "ready": Word(pgettext_lazy("case", "Ready for approval"), "eye", "warn"),
    "approved": Word(pgettext_lazy("case", "Approved"), "check", "warn"),
    "scheduled": Word(pgettext_lazy("case", "Scheduled"), "clock", "calm"),
    "propagating": Word(pgettext_lazy("case", "Propagating"), "clock", "warn"),
    "paused": Word(pgettext_lazy("case", "Paused"), "pause", "warn"),
    "verified": Word(pgettext_lazy("case", "Verified"), "check", "good"),
    "incomplete": Word(pgettext_lazy("case", "Incomplete"), "triangle", "bad"),
    "rejected": Word(pgettext_lazy("case", "Rejected"), "cross", "calm"),
    "cancelled": Word(pgettext_lazy("case", "Cancelled"), "cross", "calm"),
    "reinstated": Word(pgettext_lazy("case", "Reinstated"), "back", "calm"),
}

INBOX_STATES: Final[Mapping[str, Word]] = {
    "received": Word(
        pgettext_lazy("inbox", "Waiting"), "clock", "warn",
        _("It is kept and acknowledged; it is applied as soon as can be."),
    ),
    "applied": Word(
        pgettext_lazy("inbox", "Applied"), "check", "good", _("Everything in it was stored.")
    ),
    "partly_applied": Word(
        pgettext_lazy("inbox", "Partly applied"), "triangle", "warn",
        _("Some of it was refused; the rest was stored."),
    ),
    "refused": Word(
        pgettext_lazy("inbox", "Refused"), "cross", "bad",
        _("Everything in it was refused. It is kept, so that it can be sent through again."),
    ),
    "empty": Word(
        pgettext_lazy("inbox", "Nothing in it"), "note", "calm",
        _("It held nothing that could be stored."),
    ),
    "quarantined": Word(
        pgettext_lazy("inbox", "Quarantined"), "cross", "bad",
        _("It could not be applied. It is kept until somebody sends it again, or its time is over."),
    ),
}  # fmt: skip

CASE_KINDS: Final[Mapping[str, Word]] = {
    "correction": Word(
        pgettext_lazy("case kind", "Correction"), "triangle", "warn",
        _("Something in the source was wrong and has been put right."),
    ),
    "supersession": Word(
        pgettext_lazy("case kind", "Supersession"), "triangle", "warn",
        _("A newer version replaces this one."),
    ),
    "retraction": Word(
        pgettext_lazy("case kind", "Retraction"), "cross", "bad",
        _("The publisher has withdrawn the work."),
    ),
    "concern": Word(
        pgettext_lazy("case kind", "Expression of concern"), "triangle", "warn",
        _("Doubts have been voiced; nothing is decided yet."),
    ),
    "revocation": Word(
        pgettext_lazy("case kind", "Revocation"), "cross", "bad",
        _("The permission to use it was taken back; its passages are hidden."),
    ),
    "expiry": Word(
        pgettext_lazy("case kind", "Expiry"), "clock", "warn", _("The right to use it has ended.")
    ),
    "license_change": Word(
        pgettext_lazy("case kind", "Licence change"), "scales", "warn",
        _("It is now under another licence."),
    ),
    "erasure": Word(
        pgettext_lazy("case kind", "Erasure"), "cross", "bad",
        _("Its text must go; its passages are hidden at once."),
    ),
    "defective_component": Word(
        pgettext_lazy("case kind", "Defective component"), "triangle", "bad",
        _("A parser, model or other component produced wrong output."),
    ),
    "reinstatement": Word(
        pgettext_lazy("case kind", "Reinstatement"), "back", "good",
        _("An earlier case is lifted."),
    ),
}  # fmt: skip

GRADES: Final[Mapping[str, Word]] = {
    "cited": Word(
        pgettext_lazy("grade", "cited"), "quote", "calm", _("A claim of the answer quotes it.")
    ),
    "in_context": Word(
        pgettext_lazy("grade", "in context"), "layers", "calm",
        _("The model read it before it answered."),
    ),
    "produced": Word(
        pgettext_lazy("grade", "produced"), "gear", "calm",
        _("It took part in making the answer: retriever, prompt, model, index."),
    ),
    "retrieved": Word(
        pgettext_lazy("grade", "retrieved"), "search", "calm",
        _("It was found, but not given to the model."),
    ),
    "possible": Word(
        pgettext_lazy("grade", "possible"), "question", "calm",
        _("A run read it among others; nothing says which output rests on it."),
    ),
    "served": Word(
        pgettext_lazy("grade", "served"), "layers", "calm",
        _("The answer was served again from a cache."),
    ),
}  # fmt: skip


def word(table: Mapping[str, Word], code: str) -> Word:
    """The word of a code; one that nobody listed is shown as it came, without judgement."""
    return table.get(code) or Word(code.replace("_", " "), "question", "calm")
