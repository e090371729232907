"""`history FILE|FOLDER…`: versions stand as they were, old answers point at the version that they used."""

import io
import json
import os
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from demo.files import DATA
from lineage.management.git_history import GitUnreadable, read_rows
from lineage.models import Node, Reference
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record, send

pytestmark = pytest.mark.one_pair

DOCS = "https://github.com/OpenLineage/OpenLineage/blob/main/spec/"


def run(*places: object, **options: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command("history", *map(str, places), stdout=out, stderr=err, **options)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def test_a_folder_without_a_history_is_told(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no git repository, and no file \*\.jsonl"):
        run(tmp_path, workspace=workspace.slug)
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "absent", workspace=workspace.slug)


def test_a_published_history_is_loaded_and_old_chunks_stand_on_their_version(
    workspace: Workspace, graph: GraphAddress
) -> None:
    # What a pipeline has sent, before anybody loaded the history.
    chunks = {"2021-01-15": None, "2023-01-01": None}
    for day in chunks:
        made = record("chunk", f"c-{day}", at=f"{day}T00:00:00Z", document=f"{DOCS}OpenLineage.md",
                      interval={"start": 0, "end": 18})  # fmt: skip
        send(workspace, [made])
    folder = DATA / "histories"
    status, told, _ = run(folder, workspace=workspace.slug)
    assert (status, told.splitlines()[-1]) == (
        0,
        "63 versions, 5 deletions, 4 renames; records: 158 stored, 0 unchanged, 0 accepted, 0 rejected",
    )
    versions = Node.objects.filter(workspace=workspace, kind="source_version", resolved=True)
    assert versions.count() == 68
    assert Node.objects.filter(workspace=workspace, kind="source").count() == 22
    # By their times: the second version of five, and the fourth.
    stands = {
        day: Node.objects.select_related("version").get(workspace=workspace, key=f"c-{day}").version
        for day in chunks
    }
    assert {day: each and each.fields["version"] for day, each in stands.items()} == {
        "2021-01-15": "2",
        "2023-01-01": "4",
    }
    revised = Reference.objects.filter(workspace=workspace, edge="WAS_REVISION_OF")
    assert revised.exclude(to_node=None).count() == 50  # 63 less the first of each of 13
    again = run(folder, workspace=workspace.slug)
    assert again[1].endswith("records: 0 stored, 158 unchanged, 0 accepted, 0 rejected\n")


def test_rows_that_are_refused_are_named_and_the_rest_is_loaded(
    workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    good = {"path": "a.md", "committed": "2026-01-01T00:00:00Z", "text": "one"}
    file.write_text(f'{json.dumps(good)}\n{{"path": "b.md"}}\nnot JSON\n', encoding="utf-8")
    status, told, refused = run(file, workspace=workspace.slug)
    assert status == 1
    assert told.startswith("1 versions, 0 deletions, 0 renames;")
    assert f"{file}:2: The row has no time" in refused
    assert f"{file}:3: A row is a JSON object." in refused


def git(folder: Path, *arguments: str, at: str = "") -> None:
    when = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
    who = {
        "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
    }  # fmt: skip
    subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True, capture_output=True, env={**os.environ, **who, **when},
    )  # fmt: skip


@pytest.mark.engine_free
def test_a_git_repository_is_read_by_git_itself(tmp_path: Path) -> None:
    with pytest.raises(GitUnreadable):
        list(read_rows(tmp_path))
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "docs").mkdir()
    page, odd = tmp_path / "docs" / "page.md", tmp_path / "ÄÖ ü.md"
    page.write_text("# Page\n\n" + "A line.\n" * 20, encoding="utf-8")
    odd.write_text("odd", encoding="utf-8")
    (tmp_path / "code.py").write_text("x = 1", encoding="utf-8")
    (tmp_path / "binary.md").write_bytes(b"\0\1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first", at="2026-01-01T00:00:00Z")
    git(tmp_path, "mv", "docs/page.md", "moved.md")
    git(tmp_path, "commit", "-qm", "move", at="2026-02-01T00:00:00Z")
    git(tmp_path, "rm", "-q", "ÄÖ ü.md")
    git(tmp_path, "commit", "-qm", "gone", at="2026-03-01T00:00:00Z")
    rows = list(read_rows(tmp_path, address="https://example.org/", license_="CC0-1.0"))
    told = [(row.get("type", "version"), row.get("path") or row["to_path"], (row.get("committed") or row["at"])[:10]) for row in rows]  # fmt: skip
    assert sorted(told) == [
        ("deleted", "ÄÖ ü.md", "2026-03-01"),
        ("renamed", "moved.md", "2026-02-01"),
        ("version", "docs/page.md", "2026-01-01"),
        ("version", "moved.md", "2026-02-01"),
        ("version", "ÄÖ ü.md", "2026-01-01"),
    ]
    first = next(row for row in rows if row.get("path") == "docs/page.md")
    assert (first["author"], first["license"], first["source"]) == (
        "Ada", "CC0-1.0", "https://example.org/docs/page.md",
    )  # fmt: skip
    gone = next(row for row in rows if row.get("type") == "deleted")
    assert gone["last_text"] == "odd"


def test_a_repository_is_loaded_as_sources(workspace: Workspace, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.md").write_text("# One\n", encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first", at="2026-01-01T00:00:00Z")
    status, told, _ = run(tmp_path, workspace=workspace.slug, keys="path", namespace="handbook")
    assert (status, told.split(";")[0]) == (0, "1 versions, 0 deletions, 0 renames")
    document = Node.objects.get(workspace=workspace, kind="document")
    assert (document.key, document.namespace) == ("a.md", "handbook")
    source = Node.objects.get(workspace=workspace, kind="source")
    assert (source.label, source.namespace, source.resolved) == ("One", "", True)
