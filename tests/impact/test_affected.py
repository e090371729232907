"""One definition: numbers, list, facets, the walk of all and the watch agree, whatever is asked."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from django.http import QueryDict

from lineage.impact import list_page, targets
from lineage.impact.facets import FACETS, bounds_of
from lineage.impact.question import SORTS, ComponentRange, Question, read_question, write_question
from lineage.impact.question_values import QuestionInvalid, UnknownWord
from lineage.impact.report import affected, impact, listed, report, total_of
from lineage.impact.sets import keep_set
from lineage.models import Node, NodeSet
from lineage.nodes.paging import CursorInvalid
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import build
from tests.nodes.world import ALPHA, answer, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db

JANUARY: Final = datetime(2026, 1, 1, tzinfo=UTC)
FEBRUARY: Final = datetime(2026, 2, 1, tzinfo=UTC)
MARCH: Final = datetime(2026, 3, 1, tzinfo=UTC)
PARSER: Final = ComponentRange("pdf")


def shown(viewer: Viewer, question: Question) -> dict[str, str]:
    """Key → grade of the whole list, read three at a time; every other way of asking says the same."""
    found = affected(viewer, question)
    items: list[Any] = []
    cursor: str | None = None
    while True:
        page, cursor = listed(found, limit=3, cursor=cursor)
        items += page
        if cursor is None:
            break
    rows = [(row.uid, row.grade) for row in found.every()]
    assert [item.uid for item in items] == [uid for uid, _ in rows]
    assert len({item.uid for item in items}) == len(items) == found.count()
    whole, following = listed(found, limit=200, cursor=None)
    assert (list(whole), following) == (items, None)
    assert total_of(found, found.counts()) == len(items)
    every = Node.objects.filter(workspace_id=viewer.workspace_id, kind="answer")
    ids = dict(every.values_list("pk", "uid"))
    assert {ids[pk] for pk in found.among(list(ids))} == {item.uid for item in items}
    return {item.key.removeprefix("a-"): item.grade for item in items}


def test_what_the_workspace_does_not_have_is_not_found(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    foreign = load(other, source("s", ALPHA))["s"].uid
    kept = keep_set(viewer(other), [foreign])
    me = viewer(workspace)
    for uid in (foreign, kept, "src_" + "a" * 26, "set_" + "a" * 26, "s", "cas_" + "a" * 26):
        for question in (Question(nodes=(uid,)), Question(made_by=uid)):
            with pytest.raises(NotFound):
                report(me, question)


def test_what_nothing_rests_on_has_zero_of_everything(workspace: Workspace) -> None:
    node = load(workspace, source("s", ALPHA))["s"]
    for question in (
        Question(nodes=(node.uid,)),
        Question(component=ComponentRange("nobody")),
        Question(nodes=(node.uid,), component=ComponentRange("nobody")),
        Question(),
    ):
        assert shown(viewer(workspace), question) == {}
        found = report(viewer(workspace), question)
        assert set(found.counts.values()) == {0}
        assert {value.count for facet in found.facets for value in facet.values} <= {0}


def test_words_that_do_not_exist_are_refused(workspace: Workspace) -> None:
    for question in (Question(grades=("cheese",)), Question(states=("stale", "cheese"))):
        with pytest.raises(UnknownWord, match=r"^cheese$"):
            report(viewer(workspace), question)


@pytest.mark.parametrize("cursor", ["", "nonsense", "WzFd", "WzEsbnVsbF0"])
def test_cursor_of_another_make_is_refused(workspace: Workspace, cursor: str) -> None:
    node = load(workspace, source("s", ALPHA))["s"]
    for sort in SORTS:
        with pytest.raises(CursorInvalid):
            report(viewer(workspace), Question(nodes=(node.uid,), sort=sort), cursor=cursor)


def test_several_nodes_are_a_union_each_answer_once_with_its_strongest_grade(
    workspace: Workspace,
) -> None:
    nodes, me = build(workspace), viewer(workspace)
    s, t, u = (nodes[key].uid for key in "stu")
    alone = {
        "cached": "served", "three": "in_context", "two": "cited", "one": "cited",
        "five": "retrieved", "four": "retrieved", "seven": "cited",
    }  # fmt: skip
    assert shown(me, Question(nodes=(s,))) == alone
    both = shown(me, Question(nodes=(s, t)))
    assert both == alone | {
        "three": "cited", "four": "cited", "six": "in_context", "eight": "cited",
    }  # fmt: skip
    every = shown(me, Question(nodes=(s, t, u)))
    assert every == both | {"five": "cited", "six": "cited"}
    # The grade that counts is the strongest of all ways; the weaker ones are no other answer.
    assert shown(me, Question(nodes=(s, t), grades=("retrieved",))) == {"five": "retrieved"}
    assert shown(me, Question(nodes=(s, t, u), grades=("retrieved",))) == {}
    kept = keep_set(me, [s, t, u])
    assert kept == keep_set(me, [u, s, t, s])
    assert shown(me, Question(nodes=(kept,))) == every
    assert shown(me, Question(nodes=(kept, s))) == every


def test_order_is_by_time_or_by_grade_and_unknown_times_come_last(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = tuple(nodes[key].uid for key in "st")
    timeless = sorted(("seven", "eight"), key=lambda name: nodes[f"a-{name}"].uid)
    same = sorted(("four", "five"), key=lambda name: nodes[f"a-{name}"].uid)

    def order(sort: Any) -> list[str]:
        return list(shown(me, Question(nodes=uids, sort=sort)))

    assert order("newest") == ["cached", "six", *same, "three", "two", "one", *timeless]
    assert order("oldest") == ["one", "two", "three", *same, "six", "cached", *timeless]
    cited = [name for name in order("newest") if name not in ("six", "five", "cached")]
    assert order("strongest") == [*cited, "six", "five", "cached"]


def test_a_clock_that_was_never_set_is_told_from_no_time_at_all(workspace: Workspace) -> None:
    ancient = ("0001-01-01T00:00:00Z", "1969-06-01T00:00:00Z", "1969-12-31T23:59:59.999999Z")
    at = dict(zip(("zero", "old", "edge"), ancient, strict=True))
    nodes = load(
        workspace,
        source("s", ALPHA),
        *[answer(name, "s-c", at=when) for name, when in at.items()],
        answer("now", "s-c", at="2026-01-05T00:00:00Z"),
        answer("none", "s-c", at=None),
    )
    me, asked = viewer(workspace), Question(nodes=(nodes["s"].uid,))
    last = sorted(at, key=lambda name: nodes[f"a-{name}"].uid)
    assert list(shown(me, asked)) == ["now", *last, "none"]
    assert list(shown(me, replace(asked, sort="oldest"))) == [*last, "now", "none"]
    month = next(each for each in report(me, asked).facets if each.name == "month")
    counted = {each.value: each.count for each in month.values}
    assert counted == {"2026-01": 1, "1970-01": 3, "": 1}
    since, until = bounds_of("1970-01")
    assert sorted(shown(me, replace(asked, since=since, until=until))) == sorted(at)


def test_component_is_named_by_versions_in_their_order(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)

    def asked(**fields: str) -> set[str]:
        return set(shown(me, Question(component=replace(PARSER, **fields))))

    of = {
        key: set(shown(me, Question(nodes=(nodes[key].uid,)))) for key in ("p3.1", "p3.2", "p3.10")
    }
    assert asked() == of["p3.1"] | of["p3.2"] | of["p3.10"]
    assert asked(version_from="3.2") == of["p3.2"] | of["p3.10"]
    assert asked(version_to="v3.2.0") == of["p3.1"] | of["p3.2"]
    assert asked(version_from="3.3") == of["p3.10"]
    assert asked(config_digest="sha256:" + "1" * 64) == of["p3.1"]
    assert asked(component_kind="ocr") == asked(name="PDF") == asked(version_from="4") == set()


def test_component_that_nobody_described_is_known_by_its_key(workspace: Workspace) -> None:
    me = viewer(workspace)
    records = source("s", ALPHA)
    records[2] |= {"run": "r"}
    run = {"kind": "run", "key": "r", "run_kind": "parse", "component": "parser:x@2.0#sha256:ab"}
    nodes = load(workspace, records, [run])
    found = affected(me, Question(component=ComponentRange("x", "parser", "1", "2")))
    assert found.targets.ids == (nodes["parser:x@2.0#sha256:ab"].pk,)
    for wanted in (ComponentRange("x", version_from="3"), ComponentRange("x", "ocr")):
        assert affected(me, Question(component=wanted)).targets.ids == ()


def test_of_some_nodes_only_what_a_component_or_run_made(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    s, t = nodes["s"].uid, nodes["t"].uid
    by = {key: nodes[key].uid for key in ("p3.1", "p3.2", "run3.1")}
    every = shown(me, Question(nodes=(s,)))
    for maker in (by["p3.1"], by["run3.1"]):
        for key in ("s", "s@1", "s-doc"):
            assert shown(me, Question(nodes=(nodes[key].uid,), made_by=maker)) == every
        assert shown(me, Question(nodes=(s, t), made_by=maker)) == every
        assert shown(me, Question(nodes=(t,), made_by=maker)) == {}
        # Alone it stands for all that it made.
        assert shown(me, Question(made_by=maker)) == every
    assert shown(me, Question(nodes=(nodes["s-c"].uid,), made_by=by["p3.1"])) == {}
    assert shown(me, Question(component=ComponentRange("nobody"), made_by=by["p3.1"])) == {}
    with pytest.raises(QuestionInvalid) as raised:
        report(me, Question(nodes=(t,), made_by=s))
    assert raised.value.parameter == "made_by"


def test_filters_narrow_and_leave_the_counts_alone(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace, sees_all=True)
    asked = Question(nodes=(nodes["s"].uid,))
    counts = report(me, asked).counts
    assert counts == {
        "cited": 3, "in_context": 1, "produced": 0, "retrieved": 2, "possible": 0, "served": 1,
    }  # fmt: skip
    for filters, names in (
        ({"models": ("m1",)}, {"one", "two", "seven"}),
        ({"models": ("m1", "m2")}, {"one", "two", "seven", "three", "four", "cached"}),
        ({"units": ("south",)}, {"five", "seven"}),
        ({"units": ("south",), "models": ("m1",)}, {"seven"}),
        ({"since": FEBRUARY}, {"three", "four", "five", "cached"}),
        ({"until": FEBRUARY}, {"one", "two"}),
        ({"since": FEBRUARY, "until": MARCH}, {"three", "four", "five"}),
        ({"sources": (nodes["t"].uid,)}, {"two", "three", "four"}),
        ({"sources": (nodes["u"].uid, nodes["t"].uid)}, {"two", "three", "four", "five", "seven"}),
        ({"sources": ("src_" + "a" * 26,)}, set()),
        ({"languages": ("en",)}, {"one", "two", "three", "seven", "cached"}),
        ({"languages": ("pt", "de")}, {"two", "three", "four", "five", "seven"}),
        ({"states": ("current",)}, {"one", "two", "three", "four", "five", "seven", "cached"}),
        ({"states": ("stale",)}, set()),
    ):
        question = replace(asked, **filters)
        assert set(shown(me, question)) == names, filters
        assert affected(me, question).counts() == counts


def facets_of(viewer: Viewer, question: Question) -> dict[str, dict[str, int]]:
    facets = report(viewer, question).facets
    assert [facet.name for facet in facets] == list(FACETS)
    return {facet.name: {v.value: v.count for v in facet.values} for facet in facets}


def with_value(question: Question, name: str, value: str) -> Question:
    """The question that a value of a facet opens."""
    if name == "month":
        since, until = bounds_of(value)
        return replace(question, since=since, until=until)
    values: dict[str, Any] = {f"{name}s": (value,)}
    return replace(question, **values)


def test_facets_by_hand(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace, sees_all=True)
    s, t, u = (nodes[key].uid for key in "stu")
    assert facets_of(me, Question(nodes=(s,))) == {
        "grade": {"cited": 3, "in_context": 1, "retrieved": 2, "served": 1},
        "state": {"current": 7},
        "month": {"2026-03": 1, "2026-02": 3, "2026-01": 2, "": 1},
        "model": {"m1": 3, "m2": 3, "": 1},
        "unit": {"north": 2, "south": 2, "": 3},
        "source": {s: 5, t: 3, u: 2},
        "language": {"en": 5, "pt": 3, "de": 2},
    }


def test_each_facet_value_counts_the_list_that_it_opens(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    withdraw(workspace, nodes["t"], "retraction")
    s, t, u = (nodes[key].uid for key in "stu")
    filters: list[dict[str, Any]] = [
        {},
        {"models": ("m1",), "since": JANUARY, "until": FEBRUARY},
        {"states": ("stale", "review"), "units": ("north",)},
        {"grades": ("cited",), "sources": (t,), "languages": ("pt",)},
    ]
    compared: Counter[str] = Counter()
    for uids, more in zip([(s, t, u), (s, t, u), (s,), (s, t)], filters, strict=True):
        question = Question(nodes=uids, **more)
        for name, values in facets_of(me, question).items():
            for value, count in values.items():
                if value:
                    opened = with_value(question, name, value)
                    assert count == affected(me, opened).count(), (question, name, value)
                    compared[name] += count > 0
    assert [name for name in FACETS if not compared[name]] == []


def test_white_space_of_what_clients_say_is_theirs_and_nothing_is_said_by_nothing(
    workspace: Workspace,
) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA),
        answer("plain", "s-c", model="m", unit="x"),
        answer("spaced", "s-c", model=" m", unit=" "),
        answer("empty", "s-c", model="", unit=""),
        answer("silent", "s-c"),
    )
    me, asked = viewer(workspace), Question(nodes=(nodes["s"].uid,))
    facets = {each.name: each.values for each in report(me, asked).facets}
    counts = {
        name: [(each.value, each.count) for each in facets[name]] for name in ("model", "unit")
    }
    assert counts == {
        "model": [("", 2), (" m", 1), ("m", 1)],
        "unit": [("", 2), (" ", 1), ("x", 1)],
    }
    for chosen, only in (
        (replace(asked, models=(" m",)), "spaced"),
        (replace(asked, models=("m",)), "plain"),
        (replace(asked, units=(" ",)), "spaced"),
        (replace(asked, units=("x",)), "plain"),
    ):
        # As the link beside the number has it.
        read = read_question(QueryDict(write_question(chosen)))
        assert read == chosen
        assert list(shown(me, read)) == [only]


def test_the_ends_of_the_calendar_are_months_like_others(workspace: Workspace) -> None:
    """Clients write so that they know no time."""
    first, last = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"
    nodes = load(
        workspace,
        source("s", ALPHA),
        answer("first", "s-c", at=first),
        answer("last", "s-c", at=last),
    )
    me, question = viewer(workspace), Question(nodes=(nodes["s"].uid,))
    assert facets_of(me, question)["month"] == {"9999-12": 1, "1970-01": 1}
    assert shown(me, with_value(question, "month", "1970-01")) == {"first": "cited"}
    opened = with_value(question, "month", "9999-12")
    assert shown(me, opened) == {"last": "cited"}
    chosen = next(each for each in report(me, opened).facets if each.name == "month")
    assert [value.value for value in chosen.values if value.chosen] == ["9999-12"]
    early = replace(
        question, since=datetime(1, 1, 1, tzinfo=UTC), until=datetime(2, 1, 1, tzinfo=UTC)
    )
    assert shown(me, early) == {}
    assert facets_of(me, early)["month"] == {"9999-12": 1, "1970-01": 1}


def test_language_of_hidden_documents_is_not_told(workspace: Workspace) -> None:
    nodes = build(workspace)
    asked = Question(nodes=(nodes["u"].uid,))
    assert facets_of(viewer(workspace, "g"), asked)["language"] == {"de": 3, "pt": 1, "en": 1}
    assert facets_of(viewer(workspace), asked)["language"] == {"pt": 1, "en": 1}
    german = replace(asked, languages=("de",))
    assert set(shown(viewer(workspace, "g"), german)) == {"five", "six", "seven"}
    assert shown(viewer(workspace), german) == {}


def test_states_are_those_of_the_register(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    withdraw(workspace, nodes["s"], "retraction")
    asked = Question(nodes=(nodes["s"].uid, nodes["t"].uid))
    by_state: dict[str, set[str]] = {"current": set(), "review": set(), "stale": set()}
    for item in report(me, asked).items:
        by_state[item.state].add(item.key.removeprefix("a-"))
    assert by_state == {
        "stale": {"one", "two", "seven", "cached"},
        "review": {"three"},
        "current": {"four", "five", "six", "eight"},
    }
    for state, names in by_state.items():
        assert set(shown(me, replace(asked, states=(state,)))) == names
    assert facets_of(me, asked)["state"] == {"stale": 4, "review": 1, "current": 4}


def test_chain_begins_at_the_node_by_which_the_answer_is_strongest(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    found = report(me, Question(nodes=(nodes["s"].uid, nodes["t"].uid)))
    first = {item.key.removeprefix("a-"): item.because[0] for item in found.items}
    s, t = nodes["s"].uid, nodes["t"].uid
    assert {first[name] for name in ("one", "two", "seven")} == {s}
    assert {first[name] for name in ("three", "four", "six", "eight")} == {t}


def test_node_asked_alone_says_what_its_own_report_says(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    for key in ("s", "t-c", "p3.2", "run3.1", "u@1", "a-one"):
        uid = nodes[key].uid
        one, other = impact(me, uid), report(me, Question(nodes=(uid,)))
        assert (one.counts, one.items, one.total) == (other.counts, other.items, other.total)


def test_set_that_is_used_is_kept(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uid = keep_set(me, [nodes["s"].uid])
    NodeSet.objects.update(used_at=JANUARY)
    assert affected(me, Question(nodes=(uid,))).count() == 7
    assert NodeSet.objects.get(uid=uid).used_at > JANUARY
    for nothing in ([], [f"src_{n}" for n in range(5_001)]):
        with pytest.raises(QuestionInvalid):
            keep_set(me, nothing)


def test_many_nodes_and_few_are_listed_alike(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More nodes than are told to the database as a list, or than have their streams merged."""
    nodes, me = build(workspace), viewer(workspace)
    s, t, maker = nodes["s"].uid, nodes["t"].uid, nodes["p3.1"].uid
    asked = [
        Question(nodes=(s, t), made_by=maker),
        Question(nodes=(s, t), grades=("retrieved", "cited")),
    ]
    few = {
        (n, sort): shown(me, replace(q, sort=sort)) for n, q in enumerate(asked) for sort in SORTS
    }
    monkeypatch.setattr(targets, "MOST_LISTED", 0)
    monkeypatch.setattr(list_page, "_MOST_MERGED", 0)
    assert affected(me, asked[0]).targets.ids is None
    for (n, sort), items in few.items():
        many = shown(me, replace(asked[n], sort=sort))
        assert list(many.items()) == list(items.items())
        assert items
    assert report(me, asked[0]).facets == report(me, Question(made_by=maker)).facets
