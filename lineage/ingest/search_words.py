"""The words by which a node is found: metadata in clear, identifiers and questions as keyed hashes.

Three kinds of words share one column, told apart by their first character, so that
no prefix of a clear word can ever hit a hash:

- a letter or digit: a word of a title, name or collection, folded (no case, no accents);
- `@`: an identifier (DOI, PMID, ORCID, ROR, address), exactly;
- `#`: a word of a question, folded. Whole words only: a hash has no prefix;
- `!`: no word anybody types: that a source is a notice, and the source that it concerns.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from lineage import bulk_rows
from lineage.compiled import by_their_ids
from lineage.identifiers import keyed_hash
from lineage.models import SearchWord
from provexplorer.workspaces.models import Workspace

_LONGEST_WORD: Final = 64  # SearchWord.word
# A title of a thousand words is not found better by its last nine hundred.
MOST_WORDS: Final = 200
_COLUMNS: Final = ("workspace_id", "node_id", "word")
_WORD: Final = re.compile(r"[^\W_]+")
_DOI: Final = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_SCHEME: Final = re.compile(
    r"^(?:https?://(?:www\.)?(?:orcid\.org|ror\.org)/|orcid:|ror:|pmid:)", re.IGNORECASE
)

# Fields whose words are kept in clear, and fields that identify.
_CLEAR: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("name",),
    "component": ("name", "version", "component_kind"),
    "source": ("title", "container_title"),
    "index_snapshot": ("collection",),
}
_IDENTIFYING: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("orcid", "ror"),
    "source": ("doi", "pmid", "uri"),
}
# Texts whose words are kept as hashes.
_HASHED: Final[Mapping[str, str]] = {"answer": "question"}


def words_for(
    kind: str, fields: Mapping[str, Any], texts: Mapping[str, str], hash_key: bytes
) -> set[str] | None:
    """The search words of a node, from its merged fields; pure.

    `texts` are the texts of its fields, by field. None where the fields name a text that
    is not among them: the words kept before stand.
    """
    words: set[str] = set()
    for name in _CLEAR.get(kind, ()):
        words.update(folded_words(fields.get(name)))
    for name in _IDENTIFYING.get(kind, ()):
        if fields.get(name):
            words.add(identifier_word(str(fields[name]), hash_key))
    if kind in ("source", "source_version"):
        for each in _people(fields):
            words.update(folded_words(each.get("name")))
            for name in ("orcid", "ror"):
                if each.get(name):
                    words.add(identifier_word(str(each[name]), hash_key))
    hashed = _HASHED.get(kind)
    if hashed is not None and hashed in fields:
        if hashed not in texts:
            return None
        words.update(hashed_word(word, hash_key) for word in folded_words(texts[hashed]))
    return set(sorted(words)[:MOST_WORDS])


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


def folded_words(text: Any) -> list[str]:
    """The words of a text without case, accents and punctuation, in their order, each once."""
    if not isinstance(text, str):
        return []
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    found = (word[:_LONGEST_WORD] for word in _WORD.findall(plain))
    return list(dict.fromkeys(found))


def identifier_word(value: str, hash_key: bytes) -> str:
    """The word of an identifier: a DOI is the same with or without its resolver, in any case."""
    bare = _SCHEME.sub("", _DOI.sub("", value.strip()))
    return "@" + keyed_hash(hash_key, "identifier", bare.casefold().rstrip("/"))


def hashed_word(word: str, hash_key: bytes) -> str:
    """The word of a folded word that must not stand in clear."""
    return "#" + keyed_hash(hash_key, "word", word)


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
