"""Which of a trace's documents are the same chunk: by collection and key, else by content.

Retrievers of several collections give the same keys, rerankers pass documents on without their
collection, and clients use one key for several chunks (that of their file, or a number within it).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from lineage.formats.openinference_documents import FoundDocument, Identity
from lineage.formats.openinference_spans import shortened
from lineage.identifiers import text_digest

_SAME: Final = 100  # documents of one name between which is chosen


class Known:
    """Documents by the names that their client gave them, and by their content."""

    def __init__(self, documents: Iterable[FoundDocument]) -> None:
        self._named: dict[str, dict[Identity, FoundDocument]] = defaultdict(dict)
        self._alike: dict[tuple[str, str], dict[Identity, FoundDocument]] = defaultdict(dict)
        for each in documents:
            self._named[each.named or each.key].setdefault(each.identity, each)
            if each.content is not None:
                for name in {each.named, ""}:
                    self._alike[name, each.content].setdefault(each.identity, each)

    def match(
        self, document: FoundDocument, taken: Collection[Identity] = ()
    ) -> FoundDocument | None:
        """Which known one a document is: of its collection, of its content, else the first not taken.

        Of several of its name it is none where it says a content, or a digest, that none of them has.
        """
        same = self._of_its_collection(document, self._named.get(document.named, {}))
        if len(same) == 1:
            return same[0]
        alike = self._of_its_collection(document, self._alike.get(_text(document), {}))
        if not alike and document.digest:
            alike = [each for each in same if _digest(each) == document.digest]
        if len(same) > 1 and (document.content is not None or document.digest):
            same = [each for each in same if each.content is None]
        same = alike or same
        free = (each for each in same if each.identity not in taken)
        return next(free, same[0] if same else None)

    def _of_its_collection(
        self, document: FoundDocument, same: Mapping[Identity, FoundDocument]
    ) -> list[FoundDocument]:
        mine = document.collection
        some = list(islice(same.values(), _SAME))
        if mine is None:
            return some
        own = [each for each in some if each.collection == mine]
        return own or [each for each in some if each.collection is None]


def _text(document: FoundDocument) -> tuple[str, str]:
    return document.named, document.content or ""


def _digest(document: FoundDocument) -> str:
    if document.digest or document.content is None:
        return document.digest
    return text_digest(document.content)


def adopted(documents: Iterable[FoundDocument], known: Known) -> list[FoundDocument]:
    """The documents in the collection, and under the key, of the known ones that they are."""
    taken: set[Identity] = set()
    found: list[FoundDocument] = []
    for document in documents:
        chosen = known.match(document, taken)
        if chosen is not None:
            taken.add(chosen.identity)
        found.append(document if chosen is None else _as(document, chosen))
    return found


def _as(document: FoundDocument, known: FoundDocument) -> FoundDocument:
    source = document.source or known.source
    if (document.identity, document.source) == (known.identity, source):
        return document
    return replace(document, collection=known.collection, key=known.key, source=source)


def collisions_in(documents: Sequence[FoundDocument]) -> set[Identity]:
    """The identities that one list gives to several chunks; so those made by `behind_source`."""
    collided = _collided(documents)
    if not collided:
        return collided
    behind = [
        replace(each, key=behind_source(each))
        for each in documents
        if each.source is not None and each.identity in collided
    ]
    return collided | _collided(behind)


def _collided(documents: Iterable[FoundDocument]) -> set[Identity]:
    """Those of several contents, or, where no content is told, of several sources."""
    contents: dict[Identity, set[str]] = defaultdict(set)
    sources: dict[Identity, set[str]] = defaultdict(set)
    untold: set[Identity] = set()
    for each in documents:
        if each.content is None:
            untold.add(each.identity)
        else:
            contents[each.identity].add(each.content)
        if each.source is not None:
            sources[each.identity].add(each.source)
    several = {identity for identity, told in contents.items() if len(told) > 1}
    return several | {identity for identity in untold if len(sources[identity]) > 1}


def told_apart(
    documents: Iterable[FoundDocument], collided: Collection[Identity]
) -> list[FoundDocument]:
    """The documents under keys that tell them apart, each once.

    A key that stands for several chunks is put behind its source; where that does not help, the
    digest of the content takes its place. The same for every list, whatever else is in it.
    """
    found: dict[Identity, FoundDocument] = {}
    again: dict[Identity, list[int]] = defaultdict(list)
    for each in documents:
        key = key_apart(each, collided)
        document = each if key == each.key else replace(each, key=key)
        if found.setdefault(document.identity, document) is not document:
            again[document.identity].append(document.index)
    for identity, places in again.items():
        found[identity] = replace(found[identity], again=tuple(places))
    return list(found.values())


def key_apart(document: FoundDocument, collided: Collection[Identity]) -> str:
    """The document's key, unless that stands for several chunks."""
    if document.identity not in collided:
        return document.key
    if document.source is not None:
        key = behind_source(document)
        if (document.collection, key) not in collided:
            return key
    return text_digest(document.content) if document.content is not None else document.key


def behind_source(document: FoundDocument) -> str:
    """A key that its source gives it: that of a number within a file."""
    return shortened(f"{document.source}-{document.key}")
