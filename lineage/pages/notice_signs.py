"""The signs and words of notices about published works, of what they concern, of files of them."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import Text, Word

NOTICE_KINDS: Final[Mapping[str, Word]] = {
    "retraction": Word(pgettext_lazy("notice", "Retraction"), "cross", "bad"),
    "withdrawal": Word(pgettext_lazy("notice", "Withdrawal"), "cross", "bad"),
    "removal": Word(pgettext_lazy("notice", "Removal"), "cross", "bad"),
    "concern": Word(pgettext_lazy("notice", "Expression of concern"), "triangle", "warn"),
    "correction": Word(pgettext_lazy("notice", "Correction"), "pencil", "warn"),
    "reinstatement": Word(pgettext_lazy("notice", "Reinstatement"), "back", "good"),
    "other": Word(pgettext_lazy("notice", "Note"), "note", "calm"),
}

NOTICE_STATES: Final[Mapping[str, Word]] = {
    "matched": Word(
        pgettext_lazy("notice", "Concerns a source"), "check", "warn",
        _("What it is about is a source of this workspace."),
    ),
    "suggested": Word(
        pgettext_lazy("notice", "May concern a source"), "question", "calm",
        _("A source of this workspace may be what it is about: say whether it is."),
    ),
    "unmatched": Word(
        pgettext_lazy("notice", "Concerns nothing here"), "dash", "calm",
        _("What it is about is no source of this workspace; should it come, it is matched."),
    ),
    "contradictory": Word(
        pgettext_lazy("notice", "Contradictory"), "triangle", "warn",
        _("What is said of it cannot all be right. No case is drafted by itself."),
    ),
    "rejected": Word(pgettext_lazy("notice", "Does not concern it"), "dash", "calm"),
}  # fmt: skip

IMPORT_STATES: Final[Mapping[str, Word]] = {
    "received": Word(pgettext_lazy("file", "Waiting"), "clock", "calm"),
    "running": Word(pgettext_lazy("file", "Being read"), "clock", "calm"),
    "done": Word(pgettext_lazy("file", "Read"), "check", "good"),
    "failed": Word(pgettext_lazy("file", "Not read"), "cross", "bad"),
}

PROVIDERS: Final[Mapping[str, Text]] = {
    "publisher": _("the publisher"),
    "retraction-watch": "Retraction Watch",
    "open-retractions": "open-retractions",
}

FILE_FORMATS: Final[Mapping[str, Text]] = {
    "retraction-watch": _("Table of Retraction Watch"),
    "crossref": _("Works of Crossref"),
    "open-retractions": _("Records of open-retractions"),
    "": _("A file of no known format"),
}

THROUGH: Final[Mapping[str, Text]] = {
    "csv": _("a row of its table"),
    "updated-by": _("the record of the work"),
    "update-to": _("the record of the notice"),
    "updates": _("its list of updates"),
}

FILE_ORIGINS: Final[Mapping[str, Text]] = {
    "upload": _("uploaded"),
    "api": _("sent by a program"),
    "command": _("read by command"),
    "feed": _("fetched"),
}

MATCHED_BY: Final[Mapping[str, Text]] = {
    "doi": _("by its DOI"),
    "pmid": _("by its PMID"),
    "title": _("by its title"),
    "person": _("said by a person"),
}

MATCH_SIGNS: Final[Mapping[str, Text]] = {
    "doi_same": _("same DOI"),
    "doi_differs": _("another DOI"),
    "pmid_same": _("same PMID"),
    "pmid_differs": _("another PMID"),
    "title_same": _("same title"),
    "year_same": _("same year"),
    "year_differs": _("another year"),
    "creator_same": _("same first creator"),
    "creator_differs": _("another first creator"),
}

# Of a notice, or of a record of a file.
REMARKS: Final[Mapping[str, Text]] = {
    "own_notice": _("The work is named as its own notice."),
    "flag_contradicts": _("A flag beside it says otherwise than its kind."),
    "cycle": _("Works that update each other: which is the notice is not told."),
    "kinds_disagree": _("The same notice is said to be of several kinds."),
    "identifiers_disagree": _("Two providers give it different PMIDs."),
    "reinstated_later": _("A later notice says that the work stands again."),
    "kind_misspelt": _("Its kind is misspelt; it was taken for the only one it can mean."),
    "kind_unknown": _("Its kind is not known here."),
    "date_unreadable": _("A date in it cannot be read."),
    "identifier_unreadable": _("A DOI or PMID in it cannot be read."),
    "undecodable": _("Some characters could not be read and were replaced."),
    "evidence_full": _("Too many records tell of the same notice; further ones are not kept."),
    "no_notice": _("A work of which nothing is said."),
    "no_subject": _("Nothing tells which work it is about."),
    "record_unreadable": _("The record cannot be read."),
}

# What form of a work a licence is for (Crossref, content-version).
LICENSED: Final[Mapping[str, Text]] = {
    "vor": _("as published"),
    "am": _("accepted manuscript"),
    "tdm": _("for text and data mining"),
    "stm-asf": _("for sharing among researchers"),
    "unspecified": _("form not stated"),
}

FILE_FAILURES: Final[Mapping[str, Text]] = {
    "not_notices": _("This is no file of notices that is known here, or it is damaged."),
    "too_large": _("It is larger than 256 MiB, or unpacks to more than 1 GiB."),
    "gave_up": _("Reading it was begun too often without an end."),
}
