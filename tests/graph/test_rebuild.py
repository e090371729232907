"""The graph can always be made anew, and says so when it cannot."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from lineage.graph.dump import DumpTooLarge, dump
from lineage.graph.projection import project
from lineage.graph.rebuild import rebuild
from lineage.models import GraphDirty
from lineage.vocabulary import Edge
from tests.graph.builder import Lineage


def test_command_refuses_an_unknown_workspace(lineage: Lineage) -> None:
    with pytest.raises(CommandError, match="no workspace 'nowhere'"):
        call_command("rebuild_graph", workspace="nowhere")


def test_command_says_that_the_graph_is_away(lineage: Lineage, settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    with pytest.raises(CommandError, match="does not answer"):
        call_command("rebuild_graph")


def test_command_writes_a_workspace_again(lineage: Lineage) -> None:
    lineage.chain("a")
    said = StringIO()
    call_command("rebuild_graph", workspace=lineage.workspace.slug, stdout=said)
    assert said.getvalue() == f"{lineage.workspace.slug}: 4 nodes\n"
    assert len(dump(lineage.workspace.pk)[0]) == 4


def test_dump_beyond_its_limit_is_refused(lineage: Lineage) -> None:
    lineage.chain("a")
    project(lineage.workspace.pk)
    with pytest.raises(DumpTooLarge):
        dump(lineage.workspace.pk, limit=3)


def test_rebuild_restores_what_was_lost_and_removes_what_is_too_much(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    whole = dump(lineage.workspace.pk)
    extra = lineage.node("chunk", "extra")
    lineage.edge(extra, Edge.WAS_DERIVED_FROM, chain["document"])
    project(lineage.workspace.pk)
    extra.delete()
    assert dump(lineage.workspace.pk) != whole
    assert rebuild(lineage.workspace.pk) == 4
    assert dump(lineage.workspace.pk) == whole
    assert GraphDirty.objects.count() == 0
