"""What a hit shows: its title or question, and beside it what else tells it or has the words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lineage.compiled import by_their_ids
from lineage.content.passages import field_text, texts_of
from lineage.models import Node
from lineage.nodes.search_marks import excerpt
from lineage.nodes.states import NodeState
from lineage.nodes.visible import LEAST_OVERLAP, given_hidden, visible
from lineage.types import Viewer
from lineage.vocabulary import UNSTATED

LABEL_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class FoundItem:
    """A node that was found; key, label and what stands beside it None where it is hidden or erased.

    `beside`: the creators of a source, the words of an answer around those that were found.
    """

    uid: str
    kind: str
    key: str | None
    label: str | None
    state: str
    beside: str | None = None
    hidden: bool = False


def items_of(
    viewer: Viewer,
    page: Sequence[Node],
    states: Mapping[int, NodeState],
    meanings: Sequence[Sequence[str]],
) -> tuple[FoundItem, ...]:
    """The hits of a page, in its order; those that have gone meanwhile are left out."""
    ids = [each.pk for each in page]
    nodes = by_their_ids(Node.objects.filter(pk__in=ids), viewer.workspace_id).in_bulk()
    loaded = [nodes[pk] for pk in ids if pk in nodes]
    seen = visible(viewer, loaded)
    answers = [node for node in loaded if node.kind == "answer"]
    withheld = given_hidden(viewer, answers)
    questions = _questions(viewer, answers, withheld)
    # While a case is in effect on an answer its page decides what of its text may be shown.
    open_ = [n for n in answers if n.pk not in withheld and not states[n.pk].cases]
    texts = texts_of(open_, workspace=viewer)
    items = []
    for node in loaded:
        state = states[node.pk]
        told = seen[node.pk] and state.erasure is None
        label = questions.get(node.pk, _label(node))[:LABEL_LENGTH]
        if node.kind == "answer":
            beside = excerpt(texts.get(node.pk, ""), meanings)
        else:
            beside = _people(node)
        items.append(
            FoundItem(
                node.uid,
                node.kind,
                node.key if told else None,
                label if told else None,
                state.word,
                beside if told else None,
                hidden=not seen[node.pk],
            )
        )
    return tuple(items)


def _label(node: Node) -> str:
    """The label; of a component without the word that readers of traces put for no version."""
    if node.kind == "component" and node.fields.get("version") == UNSTATED:
        return str(node.fields.get("name") or node.label)
    return node.label


def _people(node: Node) -> str | None:
    """The creators of a source or a version, and the publisher."""
    if node.kind not in ("source", "source_version"):
        return None
    creators, publisher = node.fields.get("creators"), node.fields.get("publisher")
    people = [*(creators if isinstance(creators, list) else ()), publisher]
    names = [str(each["name"]) for each in people if isinstance(each, Mapping) and each.get("name")]
    return "; ".join(names)[:LABEL_LENGTH] or None


def questions_of(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, str]:
    """The question of each answer, by node id; without those that may repeat what is hidden.

    A question of fewer than 40 code points repeats nothing; of a longer one the answer's page
    shows what may be shown.
    """
    answers = [node for node in nodes if node.kind == "answer"]
    return _questions(viewer, answers, None)


def _questions(
    viewer: Viewer, answers: Sequence[Node], withheld: set[int] | None
) -> dict[int, str]:
    questions = field_text(answers, "question", workspace=viewer)
    if withheld is None:
        long = [node for node in answers if len(questions.get(node.pk, "")) >= LEAST_OVERLAP]
        withheld = given_hidden(viewer, long) if long else set()
    return {
        pk: question
        for pk, question in questions.items()
        if pk not in withheld or len(question) < LEAST_OVERLAP
    }
