"""What pages call the places of an erasure's ledger, their states and errors, probes, and what remains."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from lineage.pages.signs import Word
from lineage.pages.words import Text

PLACES: Final[Mapping[str, Text]] = {
    "key": _("Keys of the texts"),
    "blobs": _("Encrypted texts"),
    "records": _("Records and what describes them"),
    "search": _("Words for searching"),
    "answers": _("Answers that repeat it"),
    "inbox": _("Payloads as they were sent"),
    "notes": _("Notes, reasons and titles"),
    "notices": _("Published notices about it"),
    "evidence": _("Files and links of cases about it"),
    "audit": _("Details of the audit log that name it"),
    "reports": _("Prepared reports"),
    "graph": _("Graph"),
    "files": _("Files of the databases"),
    "probes": _("Probes"),
    "external": _("System outside"),
}
STATES: Final[Mapping[str, Word]] = {
    "pending": Word(pgettext_lazy("place", "To be done"), "clock", "calm"),
    "failed": Word(pgettext_lazy("place", "Failed, tried again"), "triangle", "bad"),
    "waiting": Word(pgettext_lazy("place", "Told, not acknowledged yet"), "clock", "warn"),
    "done": Word(pgettext_lazy("place", "Done"), "check", "good"),
}
ERRORS: Final[Mapping[str, Text]] = {
    "graph_away": _("The graph does not answer."),
    "store_busy": _("The database was busy."),
    "master_key": _("The master key cannot be read."),
    "not_acknowledged": _("It has the message and has not said that it is done."),
    "text_found": _("A probe still found something."),
    "files_in_use": _("Others were reading what had been there before."),
    "payloads_waiting": _("What was sent before is yet to be applied."),
    "removed": _("The system was removed before it acknowledged."),
    "address_refused": _("Its address may not be reached."),
    "name_unknown": _("Its name is not known."),
    "unreachable": _("It cannot be reached."),
    "tls": _("Its certificate is not valid."),
    "too_slow": _("It did not answer in time."),
    "not_http": _("What it answered is not HTTP."),
    "redirected": _("It answered with another address."),
    "refused": _("It refused the message."),
    "switched_off": _("It was switched off."),
}
PROBES: Final[Mapping[str, Text]] = {
    "by_id": _("Every address shows a tombstone"),
    "by_key": _("No key opens it"),
    "by_digest": _("No digest tells of it, no ciphertext is left"),
    "by_window": _("No answer repeats it"),
    "by_notice": _("No notice about it can be read"),
    "by_file": _("No file of a case about it is left that may hold it"),
    "by_table": _("No table of the databases has bytes of the rows that went"),
}
REMAINS: Final[Mapping[str, Text]] = {
    "descriptions": _("Titles, names and keys: only the content was to go."),
    "uids": _("The ids of its pieces: hashes under this workspace's key."),
    "sizes": _("Lengths and places, times and counts."),
    "keyed_digests": _("Digests under the master key, by which it is refused if it is sent again."),
    "edges": _("Its place in the lineage, so that what rested on it is still found."),
    "server_logs": _("Logs of servers: addresses and ids, never texts."),
    "evidence": _(
        "What this case says of itself: its reason, links, comments and files, for those who work "
        "on cases; an editor can destroy each file."
    ),
    "files_unread": _(
        "Files of cases of erasure that nobody here can read: the evidence that it was asked for. "
        "They may hold the text; an editor can destroy each of them."
    ),
    "notices_in_backups": _(
        "What catalogues had published about it, in backups of the main database."
    ),
    "backups": _("Backups of both databases together, until this day at the latest."),
    "old_rows": _(
        "Bytes of rows that went, in the files of tables that were too large to be written anew, "
        "until that is done: no query reads them, who has the files can."
    ),
    "dead_rows": _(
        "Where the databases are PostgreSQL: what they wrote in their own logs, until these are used "
        "again. Texts are encrypted there; their keys, wrapped by the master key, stand in the "
        "log of the other database."
    ),
}
TARGET_KINDS: Final[Mapping[str, Text]] = {
    "vector_store": _("Vector store"),
    "cache": _("Cache"),
    "trace_store": _("Trace store"),
    "rag_app": _("RAG application"),
    "other": _("Another system"),
}
