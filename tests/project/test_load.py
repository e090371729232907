"""`load FILE…`: what is refused is told with its line, the rest is stored."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lineage.management.commands import load
from lineage.models import Node
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.progress_bar import ProgressBar
from provexplorer.workspaces.models import Workspace

pytestmark = pytest.mark.one_pair

SOURCE = {"kind": "source", "key": "s1", "title": "A title"}
VERSION = {"kind": "source_version", "key": "v1", "source": "s1", "text": "Hello world"}


def run(*files: str, workspace: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command("load", *files, workspace=workspace, stdout=out, stderr=err)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def lines(path: Path, *records: object) -> str:
    texts = (each if isinstance(each, str) else json.dumps(each) for each in records)
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return str(path)


def keys(workspace: Workspace) -> list[str]:
    return list(
        Node.objects.filter(workspace=workspace, resolved=True)
        .order_by("key")
        .values_list("key", flat=True)
    )


@pytest.mark.django_db
def test_unknown_workspace_is_told_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no workspace “nobody”"):
        run(lines(tmp_path / "x", SOURCE), workspace="nobody")
    assert not Workspace.objects.filter(slug="nobody").exists()


def test_file_that_is_not_there_is_told(workspace: Workspace) -> None:
    with pytest.raises(CommandError, match="No such file"):
        run("/no/such/file", workspace=workspace.slug)


def test_refused_lines_are_named_and_the_rest_is_stored(
    workspace: Workspace, graph: GraphAddress, tmp_path: Path
) -> None:
    file = lines(tmp_path / "x", SOURCE, "", {"kind": "nonsense", "key": "k"}, "no json", VERSION)
    status, out, err = run(file, workspace=workspace.slug)
    assert (status, out) == (1, "2 stored, 0 unchanged, 0 accepted, 2 rejected, 2 warnings\n")
    told = err.splitlines()
    assert told[0].startswith(f"{file}:3: nonsense k: ")
    assert "(/kind)" in told[0]
    assert told[1].startswith(f"{file}:4: ")
    assert keys(workspace) == ["s1", "v1"]


def test_line_beyond_the_limit_is_refused_and_its_neighbours_are_stored(
    workspace: Workspace,
    graph: GraphAddress,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load, "RECORD_BYTES", 200)
    file = lines(tmp_path / "x", SOURCE, VERSION | {"key": "v" * 1000}, VERSION)
    status, out, err = run(file, workspace=workspace.slug)
    assert (status, out[:9]) == (1, "2 stored,")
    assert err == f"{file}:2: Record too large: More than 8 MiB.\n"


def test_without_a_graph_records_are_kept_for_it(workspace: Workspace, tmp_path: Path) -> None:
    status, out, _ = run(lines(tmp_path / "x", SOURCE, VERSION), workspace=workspace.slug)
    assert (status, out) == (0, "0 stored, 0 unchanged, 2 accepted, 0 rejected, 2 warnings\n")
    assert keys(workspace) == ["s1", "v1"]


def test_loading_again_changes_nothing(workspace: Workspace, tmp_path: Path) -> None:
    file = lines(tmp_path / "x", SOURCE, VERSION)
    run(file, workspace=workspace.slug)
    status, out, _ = run(file, workspace=workspace.slug)
    assert (status, out) == (0, "0 stored, 2 unchanged, 0 accepted, 0 rejected, 2 warnings\n")


def test_small_batches_store_the_same(
    workspace: Workspace,
    graph: GraphAddress,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load, "_BATCH_RECORDS", 1)
    status, out, _ = run(lines(tmp_path / "x", VERSION, SOURCE), workspace=workspace.slug)
    assert (status, out[:9]) == (0, "2 stored,")
    assert keys(workspace) == ["s1", "v1"]


@pytest.mark.engine_free
def test_bar_tells_part_or_amount() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    with ProgressBar("x.jsonl", total=4, out=terminal) as bar:
        bar.advance(1)
        assert bar.words() == "x.jsonl [########                      ]  25%"
        bar.advance(3)
    assert terminal.getvalue().endswith("\rx.jsonl [##############################] 100%\n")
    unknown = ProgressBar("-", total=None, out=terminal)
    unknown.advance(3 * 2**20)
    assert unknown.words() == "-: 3.0 MiB"


@pytest.mark.engine_free
def test_bar_is_silent_where_nobody_looks() -> None:
    log = io.StringIO()
    with ProgressBar("x.jsonl", total=4, out=log) as bar:
        bar.advance(4)
    assert log.getvalue() == ""
