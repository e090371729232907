"""Impact from every node equals that of an oracle that has seen nothing but the records.

The oracle (recorded.py, recorded_impact.py) reads the design; the prepared closure, the report,
the numbers of the stages and the graph's own search must all say the same.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lineage.graph.answers import answers_downstream
from lineage.impact.question import THE_COMPONENT, ComponentRange, Question, RunTimes
from lineage.impact.report import report
from lineage.impact.stages import downstream_counts
from lineage.models import Node, RestsOn
from lineage.vocabulary import Grade
from provexplorer.workspaces.models import Workspace
from tests.impact.recorded import WITH_CONTENT, Name, Record, Recorded
from tests.impact.recorded_impact import GRADES, Reached, reached_from
from tests.impact.recorded_made import When, made_of, runs_of
from tests.impact.recorded_worlds import NAMED, worlds
from tests.ingest.sending import send
from tests.nodes.world import viewer

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

# From so many nodes of a world the graph is walked each day, from all in the thorough run.
SOME = 6 if settings().max_examples < 100 else 1_000
# Questions of what was made, for each world.
ASKED = 3 if SOME < 20 else 20
# Kinds of which something can be made.
STARTS = (
    "source",
    "source_version",
    "acquisition",
    "document",
    "part",
    "chunk",
    "fact",
    "embedding",
)
# Both ends of a range of versions, in order or open; and some time in which runs were, or none said.
RANGE = (st.sampled_from(("", "1", "1.5")), st.sampled_from(("", "2", "1.9")))
_INSTANTS = st.integers(0, 70).map(
    lambda minute: (
        f"{datetime(2026, 3, 1, 10, tzinfo=UTC) + timedelta(minutes=minute):%Y-%m-%dT%H:%M:%SZ}"
    )
)
WHENS = st.builds(
    lambda bounds, undated: When(min(bounds), max(bounds), undated),
    st.lists(_INSTANTS, min_size=2, max_size=2, unique=True),
    st.booleans(),
)

Graded = dict[Name, dict[Name, tuple[str, str | None]]]


def named(workspace: Workspace) -> dict[Name, Node]:
    """The nodes of the workspace by the oracle's names, which no two of them share."""
    found: dict[Name, Node] = {}
    for node in Node.objects.filter(workspace=workspace).order_by("pk"):
        at = None
        if node.kind in WITH_CONTENT or node.kind == "citation":
            at = (
                f"{node.occurred_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
                if node.occurred_at
                else None
            )
            at = at if node.resolved else ""
        name = Name(node.kind, node.namespace, node.key, at)
        assert name not in found
        found[name] = node
    return found


def prepared(workspace: Workspace, nodes: Mapping[Name, Node]) -> Graded:
    """Cause → answer → grade and origin's grade, of the rows that are kept."""
    name_of = {node.pk: name for name, node in nodes.items()}
    found: Graded = defaultdict(dict)
    for row in RestsOn.objects.filter(answer__workspace=workspace):
        origin = Grade(row.origin_grade).word if row.origin_grade else None
        found[name_of[row.target_id]][name_of[row.answer_id]] = (Grade(row.grade).word, origin)
    return found


def reported(workspace: Workspace, question: Question, names: Mapping[str, Name]) -> Any:
    """Each answer with its grades, page by page, and the counts; they must agree with each other."""
    first = report(viewer(workspace), question, limit=4)
    items, after = list(first.items), first.next
    while after:
        page = report(viewer(workspace), question, limit=4, cursor=after)
        items, after = [*items, *page.items], page.next
    graded = {names[item.uid]: (item.grade, item.origin_grade) for item in items}
    assert len(graded) == len(items) == first.total
    return graded, {word: n for word, n in first.counts.items() if n}


def together(some: Sequence[Reached]) -> dict[Name, tuple[str, str | None]]:
    """The answers of several causes, each once with its strongest grade."""
    found: dict[Name, tuple[str, str | None]] = {}
    for answer, graded in [pair for one in some for pair in one.answers.items()]:
        found[answer] = max(found.get(answer, graded), graded, key=_strength)
    return found


def _strength(graded: tuple[str, str | None]) -> tuple[int, int]:
    grade, origin = graded
    return GRADES.index(grade), GRADES.index(origin) if origin else -1


def _made(when: When | None) -> RunTimes | None:
    if when is None:
        return None
    since, until = (datetime.fromisoformat(at) for at in (when.since, when.until))
    return RunTimes(since, until, when.undated)


def check(
    workspace: Workspace,
    records: Sequence[Record],
    chosen: Sequence[int],
    asked: Sequence[tuple[str, str, When | None]],
) -> None:
    world = Recorded(records)
    nodes = named(workspace)
    assert world.nodes <= nodes.keys()
    expected: dict[Name, Reached] = {name: reached_from(world, name) for name in nodes}
    graded = prepared(workspace, nodes)
    assert {name: graded[name] for name in nodes} == {
        name: r.answers for name, r in expected.items()
    }
    names = {node.uid: name for name, node in nodes.items()}
    every = sorted(nodes)
    several = [every[place % len(every)] for place in chosen[:3]]
    of_several = together([expected[name] for name in several])
    question = Question(nodes=tuple(nodes[name].uid for name in several))
    counts = Counter(grade for grade, _ in of_several.values())
    assert reported(workspace, question, names) == (of_several, counts), several
    starts = [name for name in every if name.kind in STARTS]
    for place, (first, last, when) in zip(chosen, asked, strict=False):
        components = {
            Name("component", "", key)
            for key, (called, version) in NAMED.items()
            if called == "parser" and first <= version and (not last or version <= last)
        }
        runs = runs_of(world, components, when)
        question = Question(component=ComponentRange("parser", "", first, last), made=_made(when))
        if when is not None:
            of_runs = together([expected[run] for run in runs])
            assert reported(workspace, question, names)[0] == of_runs, (first, last, when)
        start = starts[place % len(starts)]
        narrowed = replace(question, nodes=(nodes[start].uid,), made_by=THE_COMPONENT)
        of_made = together([expected[name] for name in made_of(world, start, runs)])
        assert reported(workspace, narrowed, names)[0] == of_made, (start, first, last, when)
    for name in {every[place % len(every)] for place in chosen}:
        node, answers = nodes[name], expected[name].answers
        walked = answers_downstream(workspace.pk, node.uid)
        assert not walked.truncated
        assert {names[uid]: grade.word for uid, grade in walked.grades.items()} == {
            answer: grade for answer, (grade, _) in answers.items()
        }, name
        counts = Counter(grade for grade, _ in answers.values())
        assert reported(workspace, Question(nodes=(node.uid,)), names) == (answers, counts), name
        below = downstream_counts(viewer(workspace), node.uid)
        assert not below.truncated
        assert below.counts == Counter(one.kind for one in expected[name].nodes), name


@given(world=worlds(), data=st.data())
@settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    max_examples=max(3, settings().max_examples // 3 - 2),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow,
                           HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip
def test_all_that_tell_of_impact_agree_with_the_records(
    db: None, world: list[Record], data: st.DataObject
) -> None:
    workspace = Workspace.objects.create(slug=f"w{Workspace.objects.count()}x", name="w")
    cut = data.draw(st.integers(0, len(world)))
    send(workspace, world[:cut])
    send(workspace, world[cut:])
    # Places among the nodes, of which there are more than records.
    chosen = data.draw(st.permutations(range(2 * len(world))))
    asked = data.draw(
        st.lists(st.tuples(*RANGE, st.none() | WHENS), min_size=ASKED, max_size=ASKED)
    )
    check(workspace, world, chosen[:SOME], asked)
