"""The rig itself: fixtures give what they promise."""

from django.db import connections

from lineage.models import DataKey
from provexplorer import clock
from provexplorer.embedded.graph_server import GraphAddress, bolt_answers
from provexplorer.workspaces.models import Workspace


def test_workspaces_of_two_calls_share_nothing(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    assert workspace.hash_key != other.hash_key


def test_both_databases_are_open_to_a_database_test(workspace: Workspace) -> None:
    DataKey.objects.create(owner_id=1, wrapped=b"\0", created_at=clock.now())
    with connections["default"].cursor() as cursor:
        assert "lineage_datakey" not in connections["default"].introspection.table_names(cursor)


def test_graph_fixture_points_settings_at_a_server_that_answers(
    graph: GraphAddress, settings: object
) -> None:
    host, _, port = graph.uri.removeprefix("bolt://").partition(":")
    assert settings.NEO4J_URI == graph.uri  # type: ignore[attr-defined]
    assert bolt_answers(host, int(port))
