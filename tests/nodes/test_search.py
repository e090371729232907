"""Search: nothing hidden or foreign is found; what is meant exactly comes first."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.models import UidAlias
from lineage.nodes import Found, search
from lineage.nodes.paging import CursorInvalid
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db


def keys(found: Found) -> list[str | None]:
    return [each.key for each in found.items]


@pytest.mark.parametrize(
    "q", ["", "   ", "…", "%", "_", "absent", "src_" + "a" * 26, "x" * 5_000, "\0"]
)
def test_nothing_is_found_of_nothing(workspace: Workspace, q: str) -> None:
    load(workspace, source("s", ALPHA))
    found = search(viewer(workspace), q)
    assert (found.items, found.next, found.total) == ((), None, 0)


def test_foreign_nodes_are_not_found(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    foreign = load(other, source("s", ALPHA, title="Photosynthesis", doi="10.1/a"))
    for q in ("photosynthesis", "10.1/a", "s", foreign["s"].uid):
        assert search(viewer(workspace), q).total == 0


def test_hidden_node_is_found_by_its_uid_alone(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, ["staff"], title="Photosynthesis", doi="10.1/a"))
    for q in ("photosynthesis", "photo", "10.1/a", "s", "s-doc"):
        assert search(viewer(workspace), q).total == 0
        assert search(viewer(workspace, "staff"), q).total > 0
    (found,) = search(viewer(workspace), nodes["s"].uid).items
    assert (found.uid, found.kind, found.key, found.label) == (nodes["s"].uid, "source", None, None)


def test_erased_node_has_no_key_and_label(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA))
    withdraw(workspace, nodes["s"], "erasure")
    (found,) = search(viewer(workspace), nodes["s"].uid).items
    assert (found.state, found.key, found.label) == ("erased", None, None)


def test_unknown_kind_has_nothing_and_a_kind_keeps_its_own(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA), [record("agent", "s", name="S")])
    assert search(viewer(workspace), "s", kind="cheese").total == 0
    assert {each.kind for each in search(viewer(workspace), "s").items} == {"source", "agent"}
    assert {each.kind for each in search(viewer(workspace), "s", kind="agent").items} == {"agent"}


@pytest.mark.parametrize(
    "q",
    [
        "fotossintese", "FOTOSSÍNTESE", "foto", "da foto", "fotossíntese história",
        "10.1371/journal.pbio.0000010", "https://doi.org/10.1371/JOURNAL.pbio.0000010", "s/1?%",
    ],
)  # fmt: skip
def test_source_is_found_by_words_doi_and_key(workspace: Workspace, q: str) -> None:
    title = "História da Fotossíntese"
    load(
        workspace,
        [record("source", "s/1?%", title=title, doi="10.1371/journal.pbio.0000010")],
        [record("source", "t", title="Historia natural", doi="10.1371/journal.pbio.0000011")],
    )
    (found,) = search(viewer(workspace), q).items
    assert (found.key, found.label, found.state) == ("s/1?%", title, "active")


@pytest.mark.parametrize(
    ("word", "least"), [("azaza", 3), ("a9a9a", 3), ("zzzzz", 3), ("ÿÿÿÿÿ", 3), ("源源源", 1)]
)
def test_start_of_a_word_ends_where_the_word_does(
    workspace: Workspace, word: str, least: int
) -> None:
    load(workspace, [record("source", "key", title=word)])
    totals = [search(viewer(workspace), word[:length]).total for length in range(1, len(word) + 1)]
    assert totals == [0] * (least - 1) + [1] * (len(word) - least + 1)
    assert search(viewer(workspace), word + "99").total == 0


def test_two_letters_are_a_whole_word(workspace: Workspace) -> None:
    load(workspace, [record("source", "s", title="An axin of old")])
    assert [search(viewer(workspace), q).total for q in ("of", "of axi", "ax")] == [1, 1, 0]


def test_question_is_found_by_beginnings_of_words_and_shown_as_label(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), answer("one", "s-c", question="Why is Álpha one?"))
    withdraw(workspace, nodes["s"])
    for q in ("alpha why", "ALP why", "álph"):
        (found,) = search(viewer(workspace), q).items
        assert (found.key, found.label, found.state) == ("a-one", "Why is Álpha one?", "stale")
    assert search(viewer(workspace), "alpha because").total == 0


def test_earlier_uid_finds_the_node(workspace: Workspace) -> None:
    node = load(workspace, source("s", ALPHA))["s"]
    UidAlias.objects.create(workspace=workspace, uid="src_" + "b" * 26, node=node)
    assert keys(search(viewer(workspace), "src_" + "b" * 26)) == ["s"]


def test_exact_comes_before_words_and_pages_join_up(workspace: Workspace) -> None:
    load(workspace, [record("source", "alpha", title="Other")])
    for n in range(4):
        load(workspace, [record("source", f"s{n}", title="alpha")])
    whole = search(viewer(workspace), "alpha")
    assert keys(whole) == ["alpha", "s3", "s2", "s1", "s0"]
    assert (whole.total, whole.next) == (5, None)
    pages, cursor = [], None
    while True:
        page = search(viewer(workspace), "alpha", limit=2, cursor=cursor)
        pages.append(keys(page))
        assert page.total == 5
        cursor = page.next
        if cursor is None:
            break
    assert pages == [["alpha", "s3"], ["s2", "s1"], ["s0"]]


def test_cursor_of_another_make_is_refused(workspace: Workspace) -> None:
    with pytest.raises(CursorInvalid):
        search(viewer(workspace), "alpha", cursor="nonsense")


def test_queries_do_not_grow_with_what_is_found(workspace: Workspace) -> None:
    load(workspace, [record("source", f"t{n}", title="alpha") for n in range(5)])
    with CaptureQueriesContext(connection) as few:
        search(viewer(workspace), "alpha")
    load(workspace, [record("source", f"s{n}", title="alpha") for n in range(1, 9)])
    with CaptureQueriesContext(connection) as many:
        assert search(viewer(workspace), "alpha").total == 13
    assert len(few) == len(many)
