"""Reads read, and find nodes by the index of their uid: checked for every module of reads/."""

import importlib
import pkgutil
import re
from itertools import product
from typing import LiteralString

import pytest
from neo4j import GraphDatabase

from lineage.graph import reads, writes
from lineage.graph.labels import for_label
from lineage.vocabulary import KINDS, Edge
from provexplorer.embedded.graph_server import GraphAddress

WRITE_CLAUSES = re.compile(
    r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP|CALL|LOAD|FOREACH)\b", re.IGNORECASE
)
VARIABLE = re.compile(r"\[\w*:?([\w|]*)\*([\d.]*)\]")
# Reads of a whole workspace, for dumps, rebuilds and migrations; no page or endpoint asks them.
WHOLE = {"nodes_of_workspace", "applied_migrations"}
PARAMETERS = {"uids": ["u"], "uid": "u", "workspace": "w", "limit": 1, "after": ""}


def modules(package: object) -> dict[str, LiteralString]:
    found = {}
    for module in pkgutil.iter_modules(package.__path__):  # type: ignore[attr-defined]
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")  # type: ignore[attr-defined]
        found[module.name] = loaded.CYPHER
    return found


def filled(statement: LiteralString) -> LiteralString:
    kind = "document" if ":Kind" in statement else ""
    edges = [Edge.WAS_DERIVED_FROM, Edge.RETRIEVED] if ":EDGES" in statement else []
    return for_label(statement, kind=kind, edges=edges)


@pytest.mark.engine_free
def test_every_module_holds_one_statement() -> None:
    statements = {**modules(reads), **modules(writes)}
    assert len(statements) == len(modules(reads)) + len(modules(writes))
    assert all(
        isinstance(statement, str) and statement.strip() for statement in statements.values()
    )


@pytest.mark.engine_free
@pytest.mark.parametrize(("name", "statement"), modules(reads).items())
def test_reads_do_not_write_and_are_bounded(name: str, statement: LiteralString) -> None:
    assert not WRITE_CLAUSES.search(statement)
    assert "ORDER BY" in statement
    assert "LIMIT $limit" in statement
    # Every traversal has an upper bound. Only answers served from answers have one way each.
    variable = VARIABLE.findall(statement)
    assert statement.count("*") == len(variable)
    for types, steps in variable:
        assert steps == "0..2" or (types, steps) == ("SERVED_FROM", "0..10")


def test_reads_use_the_index(graph: GraphAddress) -> None:
    """What EXPLAIN says on Neo4j; ArcadeDB gives no plan over Bolt, so there it must only parse."""
    with GraphDatabase.driver(graph.uri, auth=(graph.user, graph.password)) as driver:
        has_plans = "ArcadeDB" not in driver.get_server_info().agent
        for name, statement in modules(reads).items():
            explained = "EXPLAIN " + filled(statement)
            _, summary, _ = driver.execute_query(explained, PARAMETERS, database_=graph.database)
            if not has_plans:
                continue
            assert summary.query_type == "r", name
            operators = _operators(summary.plan)
            assert not any(operator.startswith("AllNodesScan") for operator in operators), name
            if name not in WHOLE:
                assert any("UniqueIndexSeek" in operator for operator in operators), name
                assert not any("Scan" in operator for operator in operators), name


def _operators(plan: object) -> list[str]:
    assert isinstance(plan, dict)
    return [plan["operatorType"]] + [
        operator for child in plan.get("children", []) for operator in _operators(child)
    ]


@pytest.mark.engine_free
def test_statements_for_every_pair_of_kinds_can_be_made() -> None:
    for from_kind, to_kind in product(KINDS, KINDS):
        statement = for_label(
            modules(writes)["merge_edges"],
            from_kind=from_kind,
            to_kind=to_kind,
            edges=[Edge.WAS_DERIVED_FROM],
        )
        assert ":FromKind" not in statement
        assert ":ToKind" not in statement
