"""A corrected text that arrives after its case asks for the claims that waited for it to be compared."""

import pytest

from lineage.cases import workflow
from lineage.cases.propagate import propagate
from lineage.models import Case, TaskOutbox
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record, send

pytestmark = [
    pytest.mark.django_db(databases=["default", "keys"]),
    pytest.mark.usefixtures("graph"),
]

TEXT = "Alpha is one. Beta is two."


def test_corrected_text_that_arrives_late_is_compared(workspace: Workspace) -> None:
    send(workspace, [
        record("source", "s", title="S"),
        record("source_version", "v1", source="s", text=TEXT),
        record("document", "d1", source_version="v1", text=TEXT),
        record("chunk", "k", document="d1", interval={"start": 0, "end": 13}),
        record("context", "x", items=[{"chunk": "k", "position": 1}]),
        record("answer", "a", context="x", text="Alpha is one. [1]"),
        record("claim", "c", answer="a", interval={"start": 0, "end": 13}),
        record("citation", "q", claim="c", marker="[1]", position=1),
    ])  # fmt: skip
    editor = Viewer(
        workspace_id=workspace.pk, hash_key=workspace.hash_key, slug=workspace.slug,
        scopes=frozenset({"read", "operate", "edit"}),
    )  # fmt: skip
    case = workflow.draft(
        editor,
        workflow.NewCase(
            kind="correction", targets=[{"kind": "source", "key": "s", "namespace": ""}]
        ),
    )
    workflow.dry_run(editor, case.uid)
    workflow.approve(editor, case.uid)
    propagate(Case.objects.get(uid=case.uid).pk)
    send(workspace, [record("answer", "b", text="Nothing cited.")])
    asked = TaskOutbox.objects.filter(name="lineage.compare_again")
    assert asked.count() == 0
    send(workspace, [record("source_version", "v2", source="s", text=TEXT + " Corrected.",
                            revision_of="v1", at=LATER)])  # fmt: skip
    assert asked.count() == 1
