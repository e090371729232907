"""What is hidden decides nothing of what is found: the same is found whatever the hidden words are."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lineage.ingest.search_due import index_due
from lineage.models import Node
from lineage.nodes import lists, search
from lineage.nodes.search import search_by_kind
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import load, viewer, withdraw

pytestmark = pytest.mark.django_db

OPEN: Final = ("photon", "meadow", "river", "granite")
# What stands hidden in the one world and in the other; some are one letter from an open word.
HIDDEN: Final = ("protons", "meadows", "quasar", "basalt")
OTHERS: Final = ("lantern", "thimble", "walrus", "saffron")
QUERIES: Final = (
    "river", "granite", "pho", "meado", "phothon", "quasar", "quasr", "river quasar", "10.1/hidden",
)  # fmt: skip
Work = tuple[bool, Sequence[str]]


def records(
    works: Sequence[Work], answers: Sequence[tuple[int, bool]], hidden: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Works with their creators, and answers on some; hidden words as `hidden` has them."""
    sent: list[dict[str, Any]] = []
    for number, (is_hidden, words) in enumerate(works):
        said = " ".join(hidden[word] for word in words) if is_hidden else " ".join(words)
        key = f"hidden{said.replace(' ', '')}{number}" if is_hidden else f"s{number}"
        guarded: dict[str, Any] = {"acl": ["staff"]} if is_hidden else {}
        text = f"{said} stands here for as long as it takes to repeat it word by word."
        sent += [
            record("source", key, title=said, doi=f"10.1/{key}", creators=[{"name": said}]),
            record(
                "source_version",
                f"{key}@1",
                source=key,
                version="1",
                publisher={"name": said},
                **guarded,
            ),
            record("document", f"{key}-doc", source_version=f"{key}@1", text=text),
            record(
                "chunk",
                f"c{number}",
                document=f"{key}-doc",
                interval={"start": 0, "end": len(text)},
            ),
        ]
    for number, (work, is_long) in enumerate(answers):
        is_hidden, words = works[work % len(works)]
        # Of something hidden an answer may repeat the words; a short question is the reader's own.
        said = " ".join(hidden[word] for word in words) if is_hidden else " ".join(words)
        asked = f"{said}, as it is written over there, is it?" if is_long else f"river {number}?"
        sent += [
            record(
                "context", f"x{number}", items=[{"chunk": f"c{work % len(works)}", "position": 1}]
            ),
            record(
                "answer",
                f"a{number}",
                context=f"x{number}",
                question=asked,
                text=f"It says {said}.",
            ),
        ]
    return sent


def seen(by: Viewer, names: Mapping[str, str]) -> list[object]:
    """All that a viewer can tell from searching and from a narrowed list, without uids."""
    told: list[object] = []
    for q in QUERIES:
        found, groups = search_by_kind(by, q, each=3)
        items = [*found.items, *(item for group in groups for item in group.items)]
        told += [
            (q, found.total, dict(found.kinds), dict(found.states), found.words),
            sorted((names[i.uid], i.kind, str(i.label), str(i.beside), i.state) for i in items),
            lists.answers(by, q=q).total,
        ]
    return told


_EXAMPLES = settings.default.max_examples if settings.default else 100


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    # Each example fills two workspaces.
    max_examples=max(3, _EXAMPLES // 5),
)
@given(data=st.data())
def test_hidden_words_change_nothing_of_what_is_found(
    data: st.DataObject, workspace: Workspace
) -> None:
    word = st.sampled_from(range(len(OPEN)))
    shape = data.draw(
        st.lists(
            st.tuples(st.booleans(), st.lists(word, min_size=1, max_size=3, unique=True)),
            min_size=2,
            max_size=4,
        )
    )
    answers = data.draw(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=3))
    erased = data.draw(st.booleans())
    told, total = [], 0
    for name, words in (("one", HIDDEN), ("two", OTHERS)):
        world = Workspace.objects.create(
            slug=f"{workspace.slug}-{name}-{Workspace.objects.count()}", name=name
        )
        works = [
            (is_hidden, [(words if is_hidden else OPEN)[n] for n in numbers])
            for is_hidden, numbers in shape
        ]
        nodes = load(world, records(works, answers, {each: each for each in words}))
        index_due()
        if erased:
            # An erasure in effect hides the first work's words from everybody, whoever sees all.
            first = next(n for n in nodes.values() if n.kind == "chunk" and n.key == "c0")
            withdraw(world, Node.objects.get(pk=first.owner_id or 0), "erasure")
        names = {
            node.uid: node.key if node.kind == "answer" else node.label for node in nodes.values()
        }
        told.append(seen(viewer(world), names))
        staff = viewer(world, "staff")
        total += sum(search(staff, q).total for q in words)
    assert told[0] == told[1]
    if any(is_hidden for is_hidden, _ in shape[1:]):
        assert total > 0, "whoever has the group finds them"
