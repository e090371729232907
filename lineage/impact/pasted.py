"""A pasted list to nodes: one uid, key, DOI, other identifier or address a line; what each was found to be.

Only exact names count; words are for the search. What the viewer may not see is found by
its uid alone, as everywhere.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from lineage.bulk_rows import slices
from lineage.formats.storable import is_storable
from lineage.identifiers import UID_PATTERN, anywhere_of, kind_of_uid
from lineage.impact.question import MOST_NODES
from lineage.impact.question_values import QuestionInvalid
from lineage.impact.targets import ids_by_uid
from lineage.ingest.search_words import identifier_word
from lineage.models import Node, SearchWord
from lineage.nodes.visible import visible
from lineage.types import Viewer
from lineage.vocabulary import KINDS

MOST_LINES: Final = MOST_NODES
# Longer lines are no names of anything.
_LONGEST: Final = 2_000
# Nodes that are listed of a line that may mean several things; of one that means one thing all count.
_MOST_MEANT: Final = 100
# Nodes of all lines together.
_MOST_READ: Final = 20 * MOST_NODES
_SLICE: Final = 500
_UID_IN_PATH: Final = re.compile(r"(?<![a-z])[a-z]{3}_[a-z2-7]{26}(?![a-z2-7])")
# Kinds whose keys people paste; the key of a claim means nothing to anybody.
_KEYED: Final = tuple(name for name in KINDS if name not in ("case", "claim", "citation"))

Verdict = Literal["found", "ambiguous", "unknown"]


@dataclass(frozen=True, slots=True)
class Meant:
    """A node that a line means, or may mean."""

    uid: str
    kind: str


@dataclass(frozen=True, slots=True)
class PastedLine:
    """What became of a line; `number` from 1.

    `found`: it means one thing, in `nodes` with all the revisions that are known of it;
    `ambiguous`: it may mean each of several things, of which the first are in `nodes` and
    `more` are not; `unknown`: nothing bears that name.
    """

    number: int
    text: str
    verdict: Verdict
    nodes: tuple[Meant, ...]
    more: int = 0


def read_lines(text: str) -> list[str]:
    """The lines of a pasted text without blank ones and those that repeat another.

    Spaces, quotes, commas and semicolons around them are dropped: lists come out of tables.
    Raises QuestionInvalid where more than 5,000 are left.
    """
    lines = (line.strip().strip(",;").strip().strip("\"'").strip() for line in text.splitlines())
    kept = list(dict.fromkeys(line for line in lines if line))
    if len(kept) > MOST_LINES:
        raise QuestionInvalid("lines", f"At most {MOST_LINES:,} lines.")
    return kept


def resolve_lines(viewer: Viewer, lines: Sequence[str]) -> list[PastedLine]:
    """What each line means, in their order.

    A uid, or an address of this site that holds one, means its node. Else a key means what
    bears it, whatever its kind and namespace; a DOI, PMID, ORCID, ROR or other address what
    states it, a creator before the works that name him. Raises QuestionInvalid where the
    lines mean more nodes than can be read.
    """
    usable = [line for line in lines if len(line) <= _LONGEST and is_storable(line)]
    uid_of = {line: uid for line in usable if (uid := _uid_of(line))}
    ids = ids_by_uid(viewer, list(uid_of.values()))
    meant = {line: {ids[uid]} for line, uid in uid_of.items() if uid in ids}
    by_name = _by_name(viewer, [line for line in usable if line not in meant])
    nodes = _loaded(
        viewer, {pk for some in (meant, by_name) for ids_ in some.values() for pk in ids_}
    )
    seen = _visible(viewer, [nodes[pk] for pk in {pk for some in by_name.values() for pk in some}])
    found = {line: [nodes[pk] for pk in some] for line, some in meant.items()}
    found |= {line: [nodes[pk] for pk in some if seen[pk]] for line, some in by_name.items()}
    return [_line(number, line, found.get(line, [])) for number, line in enumerate(lines, 1)]


def _line(number: int, text: str, nodes: Iterable[Node]) -> PastedLine:
    things: dict[str, list[Node]] = defaultdict(list)
    for node in sorted(nodes, key=lambda each: (each.kind, each.uid)):
        things[node.address].append(node)
    meant = tuple(Meant(node.uid, node.kind) for some in things.values() for node in some)
    verdict: Verdict = "unknown" if not things else "found" if len(things) == 1 else "ambiguous"
    listed = meant[:_MOST_MEANT] if verdict == "ambiguous" else meant
    return PastedLine(number, text, verdict, listed, len(meant) - len(listed))


def _uid_of(line: str) -> str:
    """The uid that a line is, or that the path of an address in it holds; empty where there is none."""
    if UID_PATTERN.match(line):
        return line
    if "://" not in line and not line.startswith("/"):
        return ""
    try:
        path = urlsplit(line).path
    except ValueError:
        return ""
    return next((uid for uid in _UID_IN_PATH.findall(path) if kind_of_uid(uid)), "")


def _by_name(viewer: Viewer, lines: Sequence[str]) -> dict[str, set[int]]:
    """Nodes by their key, else by an identifier that they state."""
    found: dict[str, set[int]] = defaultdict(set)
    left = _MOST_READ
    keyed = {anywhere_of(viewer.hash_key, kind, line): line for line in lines for kind in _KEYED}
    for hashes in slices(list(keyed), _SLICE):
        rows = Node.objects.filter(workspace_id=viewer.workspace_id, anywhere__in=hashes)
        bearing = rows.order_by("pk").values_list("pk", "anywhere")[: left + 1]
        for pk, anywhere in bearing:
            found[keyed[anywhere]].add(pk)
        left = _less(left, len(bearing))
    identified: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if line not in found:
            identified[identifier_word(line, viewer.hash_key)].append(line)
    for words in slices(list(identified), _SLICE):
        stating = SearchWord.objects.filter(workspace_id=viewer.workspace_id, word__in=words)
        by_word: dict[str, dict[int, str]] = defaultdict(dict)
        said = stating.order_by("pk").values_list("node_id", "word", "node__kind")[: left + 1]
        for pk, word, kind in said:
            by_word[word][pk] = kind
        left = _less(left, len(said))
        for word, kinds in by_word.items():
            for line in identified[word]:
                found[line] |= _nearest(kinds)
    return found


def _less(left: int, read: int) -> int:
    """How many nodes may still be read; of more nothing can be said, as any line may mean the rest."""
    if read > left:
        raise QuestionInvalid("lines", f"They mean more than {_MOST_READ:,} things: name fewer.")
    return left - read


def _nearest(kinds: Mapping[int, str]) -> set[int]:
    """Of nodes that state an identifier those whose own it is: works state those of their creators, too."""
    for kind in ("agent", "source"):
        if own := {pk for pk, each in kinds.items() if each == kind}:
            return own
    return set(kinds)


def _loaded(viewer: Viewer, ids: Collection[int]) -> dict[int, Node]:
    found: dict[int, Node] = {}
    for some in slices(sorted(ids), _SLICE):
        rows = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=some)
        rows = rows.only("pk", "uid", "kind", "key", "address", "version_id")
        found |= {node.pk: node for node in rows}
    return found


def _visible(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, bool]:
    seen: dict[int, bool] = {}
    for some in slices(nodes, _SLICE):
        seen |= visible(viewer, some)
    return seen
