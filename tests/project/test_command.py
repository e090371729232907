"""The command `provexplorer` where nothing runs: one sentence, no traceback, nothing made."""

from pathlib import Path

import pytest

from provexplorer.cli import _load_arguments, _parser, main

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    "command",
    [
        ["load", "--data-dir", "{folder}", "x.jsonl"],
        ["manage", "--data-dir", "{folder}", "create_workspace", "library"],
        ["manage", "--data-dir", "{folder}", "list_keys"],
    ],
)
def test_folder_that_never_was_started_is_told_and_not_made(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    folder = tmp_path / "none"
    assert main([part.replace("{folder}", str(folder)) for part in command]) == 1
    told = capsys.readouterr().err
    assert told == (
        f"Nothing was ever started in {folder}: start it with "
        f"`provexplorer up --data-dir {folder}`, or name another folder with --data-dir.\n"
    )
    assert not folder.exists()


def test_options_of_load_reach_its_command() -> None:
    given = _parser().parse_args(
        ["load", "a.json", "-", "--workspace", "w", "--format", "openinference", "--namespace=-n"]
    )
    assert _load_arguments(given) == [
        "load", "--workspace=w", "--format=openinference", "--namespace=-n", "--", "a.json", "-",
    ]  # fmt: skip
    assert _load_arguments(_parser().parse_args(["load", "a"])) == ["load", "--", "a"]
