"""A walk upstream is read ahead by one statement, and finds exactly what a walk step by step finds."""

from typing import Any

import pytest

from lineage.graph import above, client
from lineage.graph.projection import project
from lineage.graph.reads.edges_above import CYPHER, LEVELS
from lineage.graph.walk import Walk, upstream
from lineage.models import Node
from lineage.vocabulary import Edge
from tests.graph.builder import Lineage

NESTED = 6
# More steps than one statement takes.
SUB_CHUNKS = LEVELS + 3


def build(lineage: Lineage) -> dict[str, Node]:
    """A served answer on one that cites a chunk at the end of a long line, in sections within sections.

    Every chunk of the line overlaps every section; two of the chunks are derived from each other.
    """
    chain = lineage.chain("a")
    agent = lineage.node("agent", "ada")
    for role in ("creator", "publisher"):
        lineage.edge(chain["source_version"], Edge.WAS_ATTRIBUTED_TO, agent, role=role)
    lineage.edge(chain["document"], Edge.WAS_GENERATED_BY, lineage.node("run", "parse"))
    parts = [lineage.node("part", f"part-{n}") for n in range(NESTED)]
    for outer, inner in zip([chain["document"], *parts], parts, strict=False):
        lineage.edge(inner, Edge.WAS_DERIVED_FROM, outer)
    before = chain["chunk"]
    for n in range(SUB_CHUNKS):
        chunk = lineage.node("chunk", f"sub-{n}")
        for cause in (before, chain["document"], *parts):
            lineage.edge(chunk, Edge.WAS_DERIVED_FROM, cause)
        before = chunk
    lineage.edge(
        lineage.node("chunk", "sub-0"), Edge.WAS_DERIVED_FROM, lineage.node("chunk", "sub-1")
    )
    answer = lineage.answer("q", retrieved=[before, chain["chunk"]], included=[chain["chunk"]])
    lineage.cite(answer["answer"], before)
    served = [lineage.node("answer", f"served-{n}") for n in range(3)]
    for cached, origin in zip(served, [answer["answer"], *served], strict=False):
        lineage.edge(cached, Edge.SERVED_FROM, origin)
    project(lineage.workspace.pk)
    names = ("answer", "served", "chunk", "source")
    return dict(zip(names, (answer["answer"], served[-1], before, chain["source"]), strict=True))


def by_steps(monkeypatch: pytest.MonkeyPatch, workspace_id: int, uid: str, **bounds: Any) -> Walk:
    """The walk where more lies above than may be read ahead."""
    with monkeypatch.context() as patch:
        patch.setattr(above, "edges_above", lambda *, limit, **_: [None] * limit)
        return upstream(workspace_id, uid, **bounds)


def test_reading_ahead_finds_what_steps_find(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, workspace = build(lineage), lineage.workspace.pk
    every: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in nodes]
    narrow = [("chunk", bounds) for bounds in ({"depth": 2}, {"depth": LEVELS + 2}, {"limit": 9})]
    for name, bounds in [*every, *narrow]:
        uid = nodes[name].uid
        walk = upstream(workspace, uid, **bounds)
        assert walk == by_steps(monkeypatch, workspace, uid, **bounds), (name, bounds)
    # The line is longer than what is read ahead.
    whole = upstream(workspace, nodes["chunk"].uid, depth=30)
    assert not whole.truncated
    assert len(whole.uids) == SUB_CHUNKS + 1 + NESTED + len(
        ["document", "version", "source", "agent", "run"]
    )
    assert upstream(workspace, nodes["chunk"].uid, limit=9).truncated


def test_answer_to_root_is_one_round_trip(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, workspace = build(lineage), lineage.workspace.pk
    # A server that has just started plans it first, and may be let off.
    upstream(workspace, nodes["answer"].uid)
    asked: list[str] = []
    read = client.read

    def counted(cypher: Any, *, name: str, **parameters: Any) -> Any:
        asked.append(name)
        return read(cypher, name=name, **parameters)

    monkeypatch.setattr(client, "read", counted)
    for name in ("answer", "served"):
        walk = upstream(workspace, nodes[name].uid)
        assert nodes["source"].uid in walk.uids
        assert len(asked) == 1, asked
        asked.clear()


def test_server_that_cannot_tell_all_at_once_is_asked_step_by_step(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def timed_out(**_: Any) -> None:
        raise client.QueryTimedOut

    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    walk = upstream(lineage.workspace.pk, chain["chunk"].uid)
    assert len(walk.uids) == len(chain)
    monkeypatch.setattr(above, "edges_above", timed_out)
    assert upstream(lineage.workspace.pk, chain["chunk"].uid) == walk


@pytest.mark.engine_free
def test_statement_takes_as_many_steps_as_it_says() -> None:
    assert 2 * CYPHER.count("*0..2]") == LEVELS
