"""An answer whose trace recorded no retrieval says so; one that did does not."""

from pathlib import Path

import pytest

from demo.files import read_json
from lineage.formats.langfuse import to_records
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import send as send_records
from tests.pages.world import member
from tests.traces.world import rag_trace, send

NOTE = "No retrieval was recorded for this answer."
EXPORTED = Path(__file__).parents[1] / "formats/langfuse/llamaindex-2025-06-05.trace.json"


def page(workspace: Workspace) -> str:
    answer = Node.objects.get(workspace=workspace, kind="answer")
    response = member(workspace).get(f"/answers/{answer.uid}", headers={"Accept-Language": "en"})
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.django_db(databases=["default", "keys"])
def test_a_trace_without_retrieval_is_shown_as_one(workspace: Workspace) -> None:
    send_records(workspace, to_records(read_json(EXPORTED)))
    shown = page(workspace)
    assert NOTE in shown
    assert "What is Langfuse?" in shown


@pytest.mark.django_db(databases=["default", "keys"])
def test_a_trace_with_retrieval_does_not_say_so(workspace: Workspace) -> None:
    send(workspace, *rag_trace())
    assert NOTE not in page(workspace)
