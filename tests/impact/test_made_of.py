"""Of creators, fetched documents and parts only what a component or run made; the sets are told by hand."""

from typing import Any

import pytest

from lineage.impact import made_of
from lineage.impact.affected import affected
from lineage.impact.made_of import NotCombined, TooManyCombined
from lineage.impact.question import ComponentRange, Question
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, load, viewer

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def interval(start: int, end: int) -> dict[str, Any]:
    return {"interval": {"start": start, "end": end}}


def build(workspace: Workspace) -> dict[str, Node]:
    """Ana's work s, whose second version names Bob instead; what four components made of both versions.

    Of d1 the part outer holds inner, and inner the chunk c1; c2 is outside of both.
    """
    makers = [
        one
        for name, kind, run_kind in (
            ("connector", "connector", "acquire"), ("parser", "parser", "parse"),
            ("chunker", "chunker", "chunk"), ("extractor", "extractor", "extract"),
        )
        for one in (
            record("component", name, component_kind=kind, name=name, version="1"),
            record("run", f"run-{name}", run_kind=run_kind, component=name),
        )
    ]  # fmt: skip
    return load(
        workspace,
        makers,
        [
            record("agent", "ana", name="Ana"),
            record("agent", "bob", name="Bob"),
            record("source", "s", title="S", creators=[{"agent": "ana", "role": "creator"}]),
            record("source_version", "s@1", source="s", version="1"),
            record("source_version", "s@2", source="s", version="2",
                   creators=[{"agent": "bob", "role": "creator"}]),
            record("acquisition", "got", source_version="s@1", run="run-connector"),
            record("document", "d1", source_version="s@1", acquisition="got", text=ALPHA,
                   run="run-parser"),
            record("document", "other", source_version="s@1", text=ALPHA + " More.",
                   run="run-parser"),
            record("part", "outer", document="d1", part_kind="section", run="run-parser",
                   **interval(0, 26)),
            record("part", "inner", document="d1", parent="outer", part_kind="paragraph",
                   run="run-parser", **interval(0, 13)),
            record("chunk", "c1", document="d1", run="run-chunker", **interval(0, 13)),
            record("chunk", "c2", document="d1", run="run-chunker", **interval(27, 42)),
            record("fact", "f1", subject_of="c1", subject="Alpha", predicate="is", object="one",
                   run="run-extractor"),
            record("document", "d2", source_version="s@2", text=ALPHA, run="run-parser"),
            record("chunk", "e", document="d2", run="run-chunker", **interval(0, 13)),
        ],
    )  # fmt: skip


def test_each_kind_is_followed_down_to_what_was_made_of_it(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    keys = {node.pk: key for key, node in nodes.items()}
    by_maker: dict[str, dict[str, set[str]]] = {
        "ana": {"parser": {"d1", "other", "outer", "inner"}, "chunker": {"c1", "c2"},
                "extractor": {"f1"}, "connector": {"got"}},
        "bob": {"parser": {"d2"}, "chunker": {"e"}, "extractor": set()},
        "s": {"parser": {"d1", "other", "d2", "outer", "inner"}, "chunker": {"c1", "c2", "e"}},
        "got": {"connector": {"got"}, "parser": {"d1", "outer", "inner"}, "chunker": {"c1", "c2"},
                "extractor": {"f1"}},
        "outer": {"parser": {"outer", "inner"}, "chunker": {"c1"}, "extractor": {"f1"}},
        "inner": {"parser": {"inner"}, "chunker": {"c1"}, "extractor": {"f1"}},
        "c1": {"chunker": {"c1"}, "extractor": {"f1"}},
        "f1": {"extractor": {"f1"}, "chunker": set()},
    }  # fmt: skip
    for start, makers in by_maker.items():
        for maker, made in makers.items():
            for by in (maker, f"run-{maker}"):
                question = Question(nodes=(nodes[start].uid,), made_by=nodes[by].uid)
                ids = affected(me, question).targets.ids
                assert ids is not None
                assert {keys[pk] for pk in ids} == made, (start, by)


def test_what_cannot_be_narrowed_is_refused_and_says_which(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, me = build(workspace), viewer(workspace)
    uids = {key: node.uid for key, node in nodes.items()}
    for start in ("parser", "run-parser"):
        with pytest.raises(NotCombined) as raised:
            affected(me, Question(nodes=(uids["s"], uids[start]), made_by=uids["chunker"]))
        assert raised.value.parameter == "node"
    with pytest.raises(NotCombined) as raised:
        affected(me, Question(component=ComponentRange("parser"), made_by=uids["chunker"]))
    assert raised.value.parameter == "component"
    # Within outer lie inner and c1; to Ana two works and versions are credited.
    for bound, start, enough in (("MOST_WITHIN", "outer", 2), ("MOST_CREDITED", "ana", 2)):
        question = Question(nodes=(uids[start],), made_by=uids["chunker"])
        monkeypatch.setattr(made_of, bound, enough)
        assert affected(me, question).targets.ids
        monkeypatch.setattr(made_of, bound, enough - 1)
        with pytest.raises(TooManyCombined):
            affected(me, question)
