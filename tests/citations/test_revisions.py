"""Earlier and later revisions of an answer, and the answer that it was served from."""

import pytest

from citations.answer import answer_page
from provexplorer.workspaces.models import Workspace
from tests.citations.test_answer import CITATIONS, CLAIMS, TEXT, told
from tests.citations.world import corals, load, reader, reef, rivers, shown_answer
from tests.ingest.sending import record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_revisions_and_the_origin_of_a_cached_answer_are_linked(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        corals(),
        rivers(),
        reef(TEXT, CLAIMS, CITATIONS, revision_of="a-old", served_from="a-first"),
        [
            record("answer", "a-first", at="2026-01-01T00:00:00Z", text="First."),
            record("answer", "a-older", at="2026-01-02T00:00:00Z", text="Older."),
            record(
                "answer", "a-old", at="2026-01-03T00:00:00Z", text="Old.", revision_of="a-older"
            ),
            record("answer", "a-new", at="2026-05-01T00:00:00Z", text="New.", revision_of="a"),
        ],
    )
    page = shown_answer(workspace, nodes)
    assert [each.uid for each in page.earlier] == [nodes["a-old"].uid, nodes["a-older"].uid]
    assert [each.uid for each in page.later] == [nodes["a-new"].uid]
    assert page.served_from is not None
    assert (page.served_from.uid, page.served_from.state) == (nodes["a-first"].uid, "current")


def test_a_key_used_again_is_another_revision(workspace: Workspace) -> None:
    nodes = told(workspace)
    load(workspace, [record("answer", "a", at="2026-04-01T00:00:00Z", text="Another answer.")])
    (later,) = answer_page(reader(workspace), nodes["a"].uid).later
    assert later.uid != nodes["a"].uid
    (earlier,) = answer_page(reader(workspace), later.uid).earlier
    assert earlier.uid == nodes["a"].uid
