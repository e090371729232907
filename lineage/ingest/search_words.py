"""The words by which a node is found, and its identifiers as keyed hashes; all but `write_words` is pure.

Words become numbers (search_tokens.py). What stands in the table of words is told apart by
its first character:

- `@`: an identifier (DOI, PMID, ORCID, ROR, address), exactly;
- `!`: no word anybody types: that a source is a notice, and the source that it concerns;
- `=`: the title of a source as a whole, by which notices about it are found.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from lineage import bulk_rows
from lineage.compiled import by_their_ids
from lineage.identifiers import keyed_hash
from lineage.models import SearchWord
from provexplorer.workspaces.models import Workspace

_LONGEST_WORD: Final = 64  # SearchTerm.word
# A title of a thousand words is not found better by its last eight hundred.
MOST_WORDS: Final = 200
_COLUMNS: Final = ("workspace_id", "node_id", "word")
WORD: Final = re.compile(r"[^\W_]+")
_DOI: Final = re.compile(r"^(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_SCHEME: Final = re.compile(
    r"^(?:(?:https?://)?(?:www\.)?(?:orcid\.org|ror\.org|pubmed\.ncbi\.nlm\.nih\.gov"
    r"|ncbi\.nlm\.nih\.gov/pubmed)/|orcid:|ror:|pmid:)\s*",
    re.IGNORECASE,
)
# What a sentence leaves at the end of an identifier that is copied out of it.
_AFTER: Final = "/.,;)]>\"'”’»"

# Fields whose words tell a node, and fields that identify it.
_TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("name",),
    "component": ("name", "version", "component_kind"),
    "source": ("title", "container_title"),
    "index_snapshot": ("collection",),
}
_IDENTIFYING: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("orcid", "ror"),
    "source": ("doi", "pmid", "uri"),
}
_CREDITED: Final = frozenset({"source", "source_version"})
# Kinds that are found by words of their metadata; answers are by those of their texts.
TOLD: Final = frozenset(_TELLING) | _CREDITED
WORDED: Final = TOLD | {"answer"}


def words_of(kind: str, fields: Mapping[str, Any]) -> list[str]:
    """The words of a node's metadata, each once, from its merged fields; at most 200."""
    words = [word for name in _TELLING.get(kind, ()) for word in folded_words(fields.get(name))]
    if kind in _CREDITED:
        for each in _people(fields):
            words += folded_words(each.get("name"))
    return list(dict.fromkeys(words))[:MOST_WORDS]


def identifiers_of(kind: str, fields: Mapping[str, Any], hash_key: bytes) -> set[str]:
    """The identifiers of a node and of those whom it credits, as they stand in the table."""
    found = [fields.get(name) for name in _IDENTIFYING.get(kind, ())]
    if kind in _CREDITED:
        found += [each.get(name) for each in _people(fields) for name in ("orcid", "ror")]
    return {identifier_word(str(value), hash_key) for value in found if value}


# What is put before the title of a work that was taken back.
_TAKEN_BACK: Final = re.compile(
    r"^\W*(?:retracted|retraction|withdrawn|withdrawal|removed|removal)"
    r"(?: (?:article|paper|chapter|notice))?\s*[:\]\u2013\u2014-]\s*",
    re.IGNORECASE,
)
# Titles of fewer words or letters ("Editorial", "Letter to the editor") tell no work.
_LEAST_WORDS: Final = 4
_LEAST_LETTERS: Final = 20


def title_word(title: Any, hash_key: bytes) -> str:
    """The word of a title as a whole, case, accents and punctuation aside; "" where it tells too little."""
    if not isinstance(title, str):
        return ""
    words = WORD.findall(folded(_TAKEN_BACK.sub("", title)))
    whole = " ".join(words)
    if len(words) < _LEAST_WORDS or len(whole) < _LEAST_LETTERS:
        return ""
    # Catalogues have tens of thousands: BLAKE2 with a key takes a fifth of the time of an HMAC.
    data = whole.encode("utf-8", "surrogatepass")
    return (
        "=" + hashlib.blake2b(data, key=hash_key[:64], person=b"title", digest_size=13).hexdigest()
    )


NOTICE: Final = "!notice"


def notice_words(
    fields: Mapping[str, Any], attributes: Mapping[str, Any], hash_key: bytes
) -> set[str]:
    """By which a notice is found, and found from the source it concerns; empty for other sources."""
    if fields.get("source_kind") != "notice":
        return set()
    concerned = attributes.get("concerns")
    return {NOTICE, concerning(concerned, hash_key)} if isinstance(concerned, str) else {NOTICE}


def concerning(source_key: str, hash_key: bytes) -> str:
    """The word of every notice that concerns the source with this key."""
    return f"!{keyed_hash(hash_key, 'concerns', source_key)}"


def folded(text: str) -> str:
    """A text without case and accents; compatible characters (ﬁ, ², ½) as what they stand for."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def folded_words(text: Any) -> list[str]:
    """The words of a text without case, accents and punctuation, in their order, each once.

    Letters and digits that stand together are one word, in any script; nothing is stemmed.
    """
    if not isinstance(text, str):
        return []
    found = (word[:_LONGEST_WORD] for word in WORD.findall(folded(text)))
    return list(dict.fromkeys(found))


def identifier_word(value: str, hash_key: bytes) -> str:
    """The word of an identifier: the same with or without its resolver or scheme, in any case."""
    return bare_identifier_word(_SCHEME.sub("", _DOI.sub("", value.strip())), hash_key)


def bare_identifier_word(bare: str, hash_key: bytes) -> str:
    """The word of an identifier without resolver or scheme."""
    return "@" + keyed_hash(hash_key, "identifier", bare.casefold().rstrip(_AFTER))


def write_words(
    workspace: Workspace,
    node_words: Mapping[int, Collection[str]],
    *,
    new: Collection[int] = frozenset(),
) -> None:
    """Make these the words of the nodes, by node id; the same again changes nothing.

    `new` are nodes made in the caller's transaction, which have no words yet. One look-up
    if there are others, one delete if any went, one or two inserts.
    """
    bulk_rows.insert(
        SearchWord,
        _COLUMNS,
        [
            (workspace.pk, node_id, word)
            for node_id in sorted(node_words.keys() & new)
            for word in sorted(node_words[node_id])
        ],
    )
    node_words = {pk: words for pk, words in node_words.items() if pk not in new}
    if not node_words:
        return
    wanted = {(node_id, word) for node_id, words in node_words.items() for word in words}
    rows = by_their_ids(SearchWord.objects.filter(node_id__in=list(node_words)), workspace.pk)
    known = {(node_id, word): pk for pk, node_id, word in rows.values_list("pk", "node_id", "word")}
    gone = [pk for place, pk in known.items() if place not in wanted]
    if gone:
        SearchWord.objects.filter(pk__in=gone).delete()
    bulk_rows.insert(
        SearchWord,
        _COLUMNS,
        [(workspace.pk, node_id, word) for node_id, word in sorted(wanted - known.keys())],
        unless_there=True,
    )


def _people(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Creators and publisher as the record states them."""
    creators = fields.get("creators")
    for each in creators if isinstance(creators, list) else ():
        if isinstance(each, Mapping):
            yield each
    publisher = fields.get("publisher")
    if isinstance(publisher, Mapping):
        yield publisher
