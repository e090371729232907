"""Find nodes by uid, key, identifier or words; what is hidden is not found by its hidden words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from lineage.content.passages import field_text
from lineage.identifiers import UID_PATTERN, anywhere_of
from lineage.ingest.search_words import folded_words, hashed_word, identifier_word
from lineage.models import Node, SearchWord, UidAlias
from lineage.nodes.paging import DEFAULT_LIMIT, bounded, read_cursor, write_cursor
from lineage.nodes.states import node_states
from lineage.nodes.visible import LEAST_OVERLAP, given_hidden, visible
from lineage.types import Viewer
from lineage.vocabulary import KINDS

# Beyond these, more precise words help more than more pages.
MOST_FOUND: Final = 1_000
_LONGEST_QUERY: Final = 2_000  # of a key
_MOST_WORDS: Final = 8
# Letters after which the next one is the same in every collation: an upper bound for a prefix.
_STEPPED: Final = frozenset("abcdefghijklmnopqrstuvwxy012345678")
_LABEL_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class FoundItem:
    """A node that was found; key and label None where it is hidden from the viewer."""

    uid: str
    kind: str
    key: str | None
    label: str | None
    state: str


@dataclass(frozen=True, slots=True)
class Found:
    """A page of what was found; `total` counts at most a thousand."""

    items: tuple[FoundItem, ...]
    next: str | None
    total: int


def search(
    viewer: Viewer,
    q: str,
    kind: str | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> Found:
    """Nodes with this uid, key or identifier, then those with all the words; the latest first.

    The start of a word suffices for words of titles, names and collections; words of
    questions count whole. A node that is hidden from the viewer is found by its uid only.
    Raises CursorInvalid.
    """
    after = None if cursor is None else read_cursor(cursor, str)[0]
    wanted = q.strip()[:_LONGEST_QUERY]
    if not wanted or (kind is not None and kind not in KINDS):
        return Found((), None, 0)
    matches = _matches(viewer, wanted, kind)
    seen = visible(viewer, matches)
    kept = [each for each in matches if seen[each.pk] or each.uid == wanted]
    # What the cursor names may be gone meanwhile: then nothing follows it.
    uids = [None, *(each.uid for each in kept)]
    start = uids.index(after) if after in uids else len(kept)
    page = kept[start : start + bounded(limit)]
    more = bool(page) and page[-1].pk != kept[-1].pk
    following = write_cursor(page[-1].uid) if more else None
    return Found(_items(viewer, page, seen), following, len(kept))


def having_words(viewer: Viewer, q: str) -> Q:
    """Nodes that have all the words of `q`; none if it has no words."""
    words = folded_words(q)[:_MOST_WORDS]
    if not words:
        return Q(pk__in=[])
    every = Q()
    rows = SearchWord.objects.filter(workspace_id=viewer.workspace_id)
    for word in words:
        # Two look-ups in the index of words; joined by OR, SQLite would read all words.
        clear = rows.filter(_starting(word)).values("node_id")
        hashed = rows.filter(word=hashed_word(word, viewer.hash_key)).values("node_id")
        every &= Q(pk__in=clear) | Q(pk__in=hashed)
    return every


def _matches(viewer: Viewer, wanted: str, kind: str | None) -> list[Node]:
    """What is meant exactly, then what has the words; each the latest recorded first.

    One indexed look-up a way of finding, rather than one condition that no index serves.
    """
    nodes = Node.objects.filter(workspace_id=viewer.workspace_id)
    # Not by id alone: to be spared a sort, SQLite would read every node of the workspace.
    nodes = nodes.order_by("-recorded_at", "-pk")
    if kind is not None:
        nodes = nodes.filter(kind=kind)
    nodes = nodes.only("pk", "uid", "kind", "key", "version_id")
    kinds = KINDS if kind is None else (kind,)
    keyed = [anywhere_of(viewer.hash_key, each, wanted) for each in kinds]
    identified = SearchWord.objects.filter(
        workspace_id=viewer.workspace_id, word=identifier_word(wanted, viewer.hash_key)
    )
    ways = [
        Q(anywhere__in=keyed),
        Q(pk__in=identified.values("node_id")),
        having_words(viewer, wanted),
    ]
    if UID_PATTERN.match(wanted):
        ways = [Q(uid=wanted), Q(pk__in=UidAlias.objects.filter(uid=wanted).values("node_id"))]
    found = {node.pk: node for way in ways for node in nodes.filter(way)[:MOST_FOUND]}
    return list(found.values())[:MOST_FOUND]


def _starting(word: str) -> Q:
    """Clear words that start so; the bounds let an index help, the comparison decides."""
    bounds = Q(word__gte=word, word__startswith=word)
    last = word[-1]
    if last in _STEPPED:
        bounds &= Q(word__lt=word[:-1] + chr(ord(last) + 1))
    return bounds


def _items(viewer: Viewer, page: Sequence[Node], seen: Mapping[int, bool]) -> tuple[FoundItem, ...]:
    ids = [each.pk for each in page]
    nodes = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=ids).in_bulk()
    loaded = [nodes[pk] for pk in ids if pk in nodes]
    states = node_states(viewer.workspace_id, loaded)
    questions = question_labels(viewer, loaded)
    items = []
    for node in loaded:
        state = states[node.pk]
        told = seen[node.pk] and state.erasure is None
        label = questions.get(node.pk, node.label)
        items.append(
            FoundItem(
                node.uid, node.kind, node.key if told else None, label if told else None, state.word
            )
        )
    return tuple(items)


def question_labels(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, str]:
    """The question of each answer, at most 200 code points of it, by node id."""
    return {pk: question[:_LABEL_LENGTH] for pk, question in questions_of(viewer, nodes).items()}


def questions_of(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, str]:
    """The question of each answer, by node id; without those that may repeat what is hidden.

    A question of fewer than 40 code points repeats nothing; of a longer one the answer's page
    shows what may be shown.
    """
    answers = [node for node in nodes if node.kind == "answer"]
    questions = field_text(answers, "question", workspace=viewer)
    long = [node for node in answers if len(questions.get(node.pk, "")) >= LEAST_OVERLAP]
    withheld = given_hidden(viewer, long) if long else set()
    return {pk: question for pk, question in questions.items() if pk not in withheld}
