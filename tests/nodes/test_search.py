"""Search: nothing hidden or foreign is found; what is meant exactly comes first."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.ingest.search_due import index_due
from lineage.models import UidAlias
from lineage.nodes import Found, search, search_matches
from lineage.nodes.paging import CursorInvalid
from lineage.nodes.search import search_by_kind
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


@pytest.mark.parametrize(
    "q",
    ["ftossintese", "fotosintese", "otossintese", "fotossinetse", "fotozzintese"],
)
def test_typing_error_in_a_title_is_seen_through(workspace: Workspace, q: str) -> None:
    load(workspace, [record("source", "s", title="História da Fotossíntese")])
    for asked in (q, f"historia {q}"):
        found = search(viewer(workspace), asked)
        assert keys(found) == ["s"]
        assert found.words[-1] == (q, "fotossintese")


@pytest.mark.parametrize("q", ["hst", "2005", "fitessintose", "ab9d"])
def test_another_word_is_no_typing_error(workspace: Workspace, q: str) -> None:
    load(workspace, [record("source", "s", title="His 2004 fotossintese abcd")])
    assert search(viewer(workspace), q).total == 0


def test_typing_errors_are_not_looked_for_where_enough_is_found(workspace: Workspace) -> None:
    load(workspace, [record("source", f"s{n}", title="marsh") for n in range(5)])
    load(workspace, [record("source", "t", title="marshy marsk")])
    assert search(viewer(workspace), "marsh").total == 6
    load(workspace, [record("source", "u", title="marsk")])
    assert "u" not in keys(search(viewer(workspace), "marsh"))


def test_best_found_comes_first(workspace: Workspace) -> None:
    load(
        workspace,
        [record("source", "elsewhere", title="Other", container_title="Axin Tide")],
        [record("source", "mistyped", title="Axon tide")],
        [record("source", "beginning", title="Tides of axins")],
        [record("source", "title", title="Axin in the tide")],
        [record("agent", "axin tide", name="Somebody")],
    )
    assert keys(search(viewer(workspace), "axin tide")) == [
        "axin tide", "title", "beginning", "elsewhere", "mistyped",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "q", ["PMID: 15024409", "15024409", "https://pubmed.ncbi.nlm.nih.gov/15024409/", "10.1/A."]
)
def test_source_is_found_by_its_identifiers_however_written(workspace: Workspace, q: str) -> None:
    load(workspace, [record("source", "s", title="T", doi="10.1/a", pmid="15024409")])
    assert keys(search(viewer(workspace), q)) == ["s"]


def test_beginning_of_a_uid_as_pages_print_it_finds_what_is_visible(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA, ["staff"]), [record("agent", "a", name="A")])
    printed = {key: f"{nodes[key].uid[:12]}…" for key in ("s", "a")}
    assert keys(search(viewer(workspace), printed["a"])) == ["a"]
    assert search(viewer(workspace), printed["s"]).total == 0
    assert keys(search(viewer(workspace, "staff"), printed["s"])) == ["s"]
    assert search(viewer(workspace), nodes["a"].uid[:11]).total == 0


def test_words_may_stand_in_the_question_and_in_the_answer(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA), answer("one", "s-c", question="Which letter?"))
    index_due()
    (found,) = search(viewer(workspace), "letter alph").items
    assert (found.key, found.beside) == ("a-one", "Alpha is one. [1]")
    (found,) = search(viewer(workspace), "letter").items
    assert found.beside is None


def test_text_that_may_repeat_what_is_hidden_is_not_searched(workspace: Workspace) -> None:
    long = "Is it not so that alpha is one, as the handbook says on its first page?"
    load(
        workspace,
        source("s", ALPHA, ["staff"]),
        answer("short", "s-c", question="Which alpha?"),
        answer("long", "s-c", question=long),
    )
    index_due()
    assert keys(search(viewer(workspace), "alpha")) == ["a-short"]
    assert search(viewer(workspace), "alpha one").total == 0
    assert sorted(map(str, keys(search(viewer(workspace, "staff"), "alpha one")))) == [
        "a-long",
        "a-short",
    ]


@pytest.mark.parametrize("kind", ["erasure", "revocation"])
def test_text_that_was_taken_out_of_sight_is_searched_by_nobody(
    workspace: Workspace, kind: str
) -> None:
    nodes = load(workspace, source("s", ALPHA), answer("one", "s-c", question="Which letter?"))
    index_due()
    withdraw(workspace, nodes["s"], kind)
    admin = viewer(workspace, sees_all=True)
    assert search(admin, "alpha", kind="answer").total == 0
    assert keys(search(admin, "letter", kind="answer")) == ["a-one"]
    assert search(admin, "on", kind="source").total == (kind == "revocation")


def test_state_keeps_its_own_and_numbers_tell_the_others(workspace: Workspace) -> None:
    nodes = load(workspace, [record("source", key, title="Marsh") for key in ("one", "two")])
    load(workspace, [record("agent", "marsh", name="Marsh")])
    withdraw(workspace, nodes["one"])
    found = search(viewer(workspace), "marsh", kind="source", state="withdrawn", facets=True)
    assert (keys(found), found.total) == (["one"], 1)
    assert (found.kinds, found.states) == ({"source": 1}, {"withdrawn": 1, "active": 1})
    assert search(viewer(workspace), "marsh", state="erased").total == 0


def test_common_words_are_read_in_windows_and_none_is_missed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Postings of a size that a test can make: the bounds are lowered instead."""
    titles = {
        f"s{n}": f"alpha {'beta' if n % 2 else 'gamma'} {'delta' if n % 3 else 'omega'}"
        for n in range(24)
    }
    load(workspace, [record("source", key, title=title) for key, title in titles.items()])
    monkeypatch.setattr(search_matches, "_READ_WHOLE", 4)
    monkeypatch.setattr(search_matches, "_HAVING", search_matches._newest(4))
    monkeypatch.setattr(search_matches, "_CHUNK", 3)
    for q in ("beta delta", "alpha beta omega", "gamma omega", "alpha absent"):
        expected = {k for k, title in titles.items() if all(word in title for word in q.split())}
        assert set(keys(search(viewer(workspace), q, kind="source"))) == expected


@pytest.mark.parametrize(
    "q", ["alpha wha", "a-one", "10.1/a", "ans_aaaaaaaa", "alphx", "ans_" + "a" * 26]
)
def test_every_look_up_is_by_an_index_that_leads_to_few_rows(workspace: Workspace, q: str) -> None:
    """Without statistics a planner may prefer an index that leads through the whole workspace."""
    if connection.vendor != "sqlite":
        pytest.skip("asks SQLite how it would read")
    load(
        workspace,
        source("s", ALPHA, title="Alpha", doi="10.1/a"),
        answer("one", "s-c", question="What alpha?"),
    )
    index_due()
    with CaptureQueriesContext(connection) as captured:
        search_by_kind(viewer(workspace), q, each=3)
    plans = []
    with connection.cursor() as cursor:
        for query in captured.captured_queries:
            if query["sql"].startswith("SELECT"):
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql'].replace('%', '%%')}")
                plans += [row[-1] for row in cursor.fetchall()]
    assert [plan for plan in plans if "SCAN lineage_" in plan] == []
    # Led by (workspace, kind), or by the workspace alone, it would read what was not asked for.
    wide = re.compile(
        r"SEARCH lineage_(node|searchtoken|searchword|searchnear)\b.*\(workspace_id=\?(?: AND kind=\?)?\)"
    )
    assert [plan for plan in plans if wide.search(plan)] == []
    assert any("lineage_node" in plan for plan in plans)
