"""`load --format openinference`: a file of traces becomes the very records that the traces tell."""

import io
import json
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import CommandError, call_command

from demo.files import DATA
from lineage.management import trace_files
from lineage.models import Node
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.formats.otlp_bodies import protobuf

pytestmark = pytest.mark.one_pair

TRACE: Final = DATA / "traces" / "llamaindex_01.json"
# Of the LLM span of that trace that ends last (demo/data/traces).
CHUNK_NAMESPACE: Final = "articles"


def run(*files: Path, workspace: Workspace, **options: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command(
            "load", *map(str, files), workspace=workspace.slug, stdout=out, stderr=err,
            **({"format": "openinference"} | options),
        )  # fmt: skip
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, out.getvalue(), err.getvalue()


def trace() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(TRACE.read_text(encoding="utf-8"))
    return document


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def described(workspace: Workspace) -> set[tuple[str, str, str]]:
    """What records have described, by kind, namespace and key."""
    rows = Node.objects.filter(workspace=workspace, resolved=True).order_by("pk")
    return set(rows.values_list("kind", "namespace", "key"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON at line 1"),
        ('{"resourceSpans": [}', "not JSON at line 1"),
        ('{"resourceSpans": []}\n{"resour', "not JSON at line 2"),
        ("1" * 5_000, "not JSON at line 1"),
        ("[" * 100_000, "nested too deeply to be read"),
        ('{"kind": "source", "key": "s"}', "holds no resourceSpans"),
        ("[1, 2]", "holds no resourceSpans"),
    ],
)
def test_what_is_no_trace_is_told_and_nothing_is_stored(
    workspace: Workspace, tmp_path: Path, text: str, told: str
) -> None:
    file = written(tmp_path / "x", text)
    with pytest.raises(CommandError, match=told):
        run(file, workspace=workspace)
    assert not Node.objects.filter(workspace=workspace).exists()


@pytest.mark.django_db
def test_bytes_that_are_no_text_are_told(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(CommandError, match="not UTF-8 at byte 7"):
        run(file, workspace=workspace)


@pytest.mark.django_db
def test_file_beyond_the_limit_is_told(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_files, "FILE_BYTES", 10)
    with pytest.raises(CommandError, match="more than 64 MiB"):
        run(written(tmp_path / "x", '{"resourceSpans": []}'), workspace=workspace)


@pytest.mark.django_db
def test_namespace_without_traces_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path / "x", "{}")
    with pytest.raises(CommandError, match="--namespace is for traces"):
        call_command("load", str(file), workspace=workspace.slug, namespace="articles")


def test_span_that_cannot_be_used_is_told_and_the_others_are_stored(
    workspace: Workspace, graph: GraphAddress, tmp_path: Path
) -> None:
    document = trace()
    document["resourceSpans"][0]["scopeSpans"][0]["spans"].append({"traceId": "x"})
    last = len(document["resourceSpans"][0]["scopeSpans"][0]["spans"]) - 1
    file = written(tmp_path / "x", json.dumps(document))
    status, out, err = run(file, workspace=workspace)
    assert status == 1
    assert ", 1 rejected, " in out
    assert f"{file}: span /resourceSpans/0/scopeSpans/0/spans/{last}: traceId " in err
    assert [kind for kind, _, _ in described(workspace)].count("answer") == 1


def test_a_trace_over_several_lines_is_one_trace(
    workspace: Workspace, graph: GraphAddress, tmp_path: Path
) -> None:
    status, out, err = run(TRACE, workspace=workspace, namespace=CHUNK_NAMESPACE)
    assert (status, err) == (0, "")
    assert ", 0 rejected, " in out
    whole = described(workspace)
    assert {"retrieval", "context", "answer", "claim", "citation"} <= {k for k, _, _ in whole}
    assert Node.objects.filter(
        workspace=workspace, kind="chunk", namespace=CHUNK_NAMESPACE
    ).exists()

    lines = [
        json.dumps({"resourceSpans": [{"resource": r["resource"], "scopeSpans": [s | {"spans": [span]}]}]})
        for r in trace()["resourceSpans"]
        for s in r["scopeSpans"]
        for span in s["spans"]
    ]  # fmt: skip
    assert len(lines) > 1
    file = written(tmp_path / "x", "\n".join(lines) + "\n")
    status, out, _ = run(file, workspace=workspace, namespace=CHUNK_NAMESPACE)
    assert (status, out[:9]) == (0, "0 stored,")
    assert described(workspace) == whole


def test_traces_in_protobuf_and_exported_by_langfuse(
    workspace: Workspace, graph: GraphAddress, tmp_path: Path
) -> None:
    file = tmp_path / "x.pb"
    file.write_bytes(protobuf(trace()))
    assert run(file, workspace=workspace, format="otlp")[0] == 0
    exported = Path(__file__).parents[1] / "formats/langfuse/autogen-2025-06-06.trace.json"
    status, _, err = run(exported, workspace=workspace, format="langfuse")
    assert (status, err) == (0, "")
    answers = [key for kind, _, key in described(workspace) if kind == "answer"]
    assert len(answers) == 2
    assert "1b72c51fabed12ae7df83bfd4a09f545:83517f9062f5ada4" in answers


@pytest.mark.django_db
def test_what_langfuse_did_not_export_is_told(workspace: Workspace, tmp_path: Path) -> None:
    file = written(tmp_path / "x", '{"resourceSpans": []}')
    with pytest.raises(CommandError, match="as Langfuse exports them"):
        run(file, workspace=workspace, format="langfuse")
