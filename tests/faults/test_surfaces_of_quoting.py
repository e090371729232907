"""What an answer repeats of a passage is out of sight with it, from the approval on, whichever address is asked.

In its text, its question and its claims, and in whatever else the records of it say in words of
their own: attributes, parameters, queries. Also while an erasure has destroyed the keys and not cleared the answers yet.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest
from django.test import Client

from lineage.cases import workflow
from lineage.erasure.run import begin_now
from lineage.models import Node
from lineage.nodes import node
from provexplorer.workspaces.models import Role, Workspace
from tests.cases.world import answer, approved, record, send, viewer
from tests.flows.test_foreign_uids import addresses_read
from tests.pages.world import member
from tests.thorough import THOROUGH

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

# From 40 code points on, whoever has the same words repeats them.
WORDS: Final = "The keeper of Zanzibar wrote down every ship that passed by night."
TEXT: Final = f"Alpha is one. {WORDS} Delta is four."
AT: Final = {"start": 14, "end": 14 + len(WORDS)}
SAID: Final = {"said": {"by": [f"It says: {WORDS}"]}, "by": "hand"}
# Every day what machines ask, of what repeats it alone; tests/faults/test_surfaces.py asks of the rest.
_KINDS: Final = (
    ("ans", "clm", "cit", "ret", "chk", "doc") if THOROUGH else ("ans", "clm", "cit", "ret")
)


def quoting() -> list[dict[str, Any]]:
    """An answer that repeats the passage, wherever it can."""
    made = answer("b", retrieved=["q"], included=["q"], cites=["q"], sentence=f"As told: {WORDS}")
    retrieval, _, answered, claim, citation = made
    retrieval |= {"attributes": SAID, "query": f"Who wrote: {WORDS}"}
    answered |= {"attributes": SAID, "question": f"Is it so? {WORDS}"}
    answered |= {"parameters": {"prompt": WORDS, "n": 1}}
    claim |= {"attributes": SAID}
    citation |= {"attributes": SAID, "quote": WORDS}
    return made


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    send(workspace, [
        record("source", "s", title="Work"),
        record("source_version", "s@1", source="s", text=TEXT),
        record("document", "d", source_version="s@1", text=TEXT, attributes=SAID),
        record("chunk", "q", document="d", interval=AT, attributes=SAID),
        *quoting(),
    ])  # fmt: skip
    return workspace


def addresses(workspace: Workspace) -> Iterator[str]:
    by_kind = dict(Node.objects.filter(workspace=workspace).values_list("kind", "uid"))
    uids = {uid[:3]: [uid] for uid in by_kind.values() if uid[:3] in _KINDS}
    return addresses_read(uids, pages=THOROUGH)


def giving(reader: Client, asked: list[str]) -> list[str]:
    return [one for one in asked if WORDS.encode() in reader.get(one).getvalue()]


def test_no_surface_gives_what_an_answer_repeats(loaded: Workspace) -> None:
    reader = member(loaded, Role.ADMIN)
    before = giving(reader, list(addresses(loaded)))
    assert len(before) > 10, before
    case = approved(loaded, "revocation", ("source", "s"))
    assert giving(reader, before) == []
    workflow.reinstate(viewer(loaded), case.uid, reason="A mistake.")
    assert not THOROUGH or giving(reader, before) == before
    erasure = approved(loaded, "erasure", ("source", "s"))
    begin_now(viewer(loaded), erasure.uid)
    assert giving(reader, before) == []


def test_nor_does_a_node_give_what_access_groups_hide(workspace: Workspace) -> None:
    """What it says beside its texts: attributes and parameters, but what is too short to repeat anything."""
    send(workspace, [
        record("source", "s", title="Work"),
        record("source_version", "s@1", source="s", text=TEXT, acl=["them"]),
        record("document", "d", source_version="s@1", text=TEXT),
        record("chunk", "q", document="d", interval=AT),
        *quoting(),
    ])  # fmt: skip
    found = Node.objects.filter(workspace=workspace, kind__in=("answer", "retrieval"))
    for one in found.order_by("kind"):
        shown = node(viewer(workspace), one.uid)
        assert not shown.hidden
        assert WORDS not in repr((shown.fields, shown.attributes))
        assert shown.attributes == {"by": "hand"}
    them = replace(viewer(workspace), groups=frozenset({"them"}))
    assert node(them, found[0].uid).attributes == SAID
