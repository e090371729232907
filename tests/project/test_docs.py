"""The pages of docs/guide are true: their examples run, and name every setting and command."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import get_commands

from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from provexplorer.cli import _parser
from provexplorer.embedded.data_folder import DataFolder
from provexplorer.embedded.environment import site_environment
from tests.servers.product import Product

CHECKOUT = Path(__file__).resolve().parents[2]
GUIDE = CHECKOUT / "docs" / "guide"
PAGES = [CHECKOUT / "README.md", *sorted(GUIDE.glob("*.md"))]
# They would install, deploy or never end: only that they exist is checked.
NOT_RUN = ("make", "docker")
# What an example takes for granted, by page.
TRACE = CHECKOUT / "demo" / "data" / "traces"


class Snippet(NamedTuple):
    """A fenced block: where it is, its language, its text."""

    page: str
    line: int
    language: str
    text: str


def snippets(language: str) -> list[Any]:
    return [
        pytest.param(found, id=f"{found.page}:{found.line}")
        for page in PAGES
        if page.exists()
        for found in _blocks(page)
        if found.language == language
    ]


def _blocks(page: Path) -> Iterator[Snippet]:
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        yield Snippet(page.name, line, match[1], match[2])


@pytest.mark.engine_free
@pytest.mark.parametrize("snippet", snippets("json"))
def test_json_is_json_and_records_are_accepted(snippet: Snippet) -> None:
    document = json.loads(snippet.text)
    records = document.get("records", []) if isinstance(document, dict) else []
    parsed = [parse_record(index, record) for index, record in enumerate(records)]
    assert [one for one in parsed if not isinstance(one, NativeRecord)] == []


@pytest.mark.engine_free
@pytest.mark.parametrize("snippet", snippets("python"))
def test_python_runs(snippet: Snippet) -> None:
    first_trace = min(TRACE.rglob("*.json"))
    names = {"trace": json.loads(first_trace.read_text(encoding="utf-8"))}
    exec(compile(snippet.text, f"{snippet.page}:{snippet.line}", "exec"), names)


@pytest.mark.engine_free
@pytest.mark.parametrize("snippet", [*snippets("console"), *snippets("sh")])
def test_commands_run_and_say_what_the_page_shows(
    snippet: Snippet, demo_stack: Product, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Those of the tests themselves; the installation has its own.
    for name in ("PROVEXPLORER_MASTER_KEY", "PROVEXPLORER_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "manage.py").symlink_to(CHECKOUT / "manage.py")
    folder = DataFolder(demo_stack.folder)
    environment = os.environ | site_environment(folder) | folder.serving()
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment |= {"BASE": demo_stack.base_url, "KEY": demo_stack.api_key}
    environment["DJANGO_SETTINGS_MODULE"] = "provexplorer.settings"
    environment["PYTHONPATH"] = str(CHECKOUT)
    (tmp_path / "bin").mkdir()
    _as_command(tmp_path / "bin" / "provexplorer")
    environment["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}{environment['PATH']}"
    for command, shown in _commands(snippet):
        if command.startswith(NOT_RUN):
            _exists(command)
            continue
        done = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", command],
            cwd=tmp_path, env=environment, input="a passphrase of some length\n",
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        # `…` stands for anything; what a person is asked, nobody is asked here.
        expected = [line for line in shown if not line.endswith((":", ": "))]
        pattern = "\n".join(re.escape(line).replace("…", ".*") for line in expected)
        assert not expected or re.fullmatch(pattern, done.stdout.strip()), done.stdout


def _as_command(file: Path) -> None:
    """The command as an installation has it."""
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m provexplorer.cli "$@"\n')
    file.chmod(0o755)


def _commands(snippet: Snippet) -> list[tuple[str, list[str]]]:
    """Commands with the output that the page shows: in `console` after `$ `; `sh` is one script."""
    if snippet.language == "sh":
        return [(snippet.text, [])]
    found: list[tuple[str, list[str]]] = []
    for line in snippet.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def _exists(command: str) -> None:
    """A target of the Makefile, or a service of the compose file."""
    words = shlex.split(command)
    if words[0] == "make":
        makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE))
        assert words[1] in {name for line in targets for name in line.split()}


def _named_in_code() -> set[str]:
    """Environment variables that the product and its tests read."""
    pattern = re.compile(r"(?:environ\.get\(|environ\[|_flag\(|_list\()[\"']([A-Z_0-9]+)[\"']")
    files = [
        file
        for room in ("provexplorer", "lineage", "citations", "tests")
        for file in (CHECKOUT / room).rglob("*.py")
    ]
    return {name for file in files for name in pattern.findall(file.read_text(encoding="utf-8"))}


# Not ours: the terminal's, the interpreter's, Django's own.
FOREIGN = {
    "DISPLAY", "WAYLAND_DISPLAY", "PYTHONPATH", "PATH", "DJANGO_SETTINGS_MODULE",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
}  # fmt: skip


@pytest.mark.engine_free
def test_every_setting_is_documented_and_every_documented_one_exists() -> None:
    page = (GUIDE / "configuration.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`([A-Z][A-Z_0-9]{3,})`", page.replace("`INFO`", "")))
    documented |= {"CI"}
    assert _named_in_code() - FOREIGN == documented


@pytest.mark.engine_free
def test_every_command_is_documented() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in GUIDE.glob("*.md"))
    ours = {
        name
        for name, app in get_commands().items()
        if str(app).split(".")[0] in ("provexplorer", "lineage", "citations", "demo")
    }
    assert {name for name in ours if f"`{name}" not in pages} == set()
    subcommands = next(
        action.choices for action in _parser()._actions if isinstance(action.choices, dict)
    )
    assert {name for name in subcommands if f"`provexplorer {name}" not in pages} == set()


@pytest.mark.engine_free
def test_every_target_of_the_makefile_is_explained() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = {
        name
        for line in re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
        for name in line.split()
    }
    explained = "".join(page.read_text(encoding="utf-8") for page in PAGES if page.exists())
    explained += makefile.partition("\nSHELL")[0]
    assert {name for name in targets if f"make {name}" not in explained} == {"help"}


@pytest.mark.engine_free
def test_the_entry_points_of_the_architecture_are_those_of_the_code() -> None:
    page = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
    block = page.partition("```python\n")[2].partition("```")[0]
    file, wrong, found = "", [], 0
    for line in block.splitlines():
        if line.startswith("# "):
            file = line[2:]
            continue
        name, parameters = re.match(r"def (\w+)\((.*?)\) ->", line).groups()  # type: ignore[union-attr]
        # Splitting at commas is enough: their types hold none.
        told = [each.split(":")[0].split("=")[0].strip(" *") for each in parameters.split(", ")]
        found += 1
        if [each for each in told if each] != _parameters(CHECKOUT / file, name):
            wrong.append(f"{file}: {name}")
    assert (wrong, found > 20) == ([], True)


def _parameters(file: Path, function: str) -> list[str]:
    """The names of a function's parameters, in their order."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            own = node.args
            listed = [*own.posonlyargs, *own.args, own.vararg, *own.kwonlyargs, own.kwarg]
            return [each.arg for each in listed if each is not None]
    return []


@pytest.mark.engine_free
@pytest.mark.parametrize(
    "page", [*PAGES, CHECKOUT / "docs" / "architecture.md", CHECKOUT / "lineage" / "README.md"],
    ids=lambda page: str(page.relative_to(CHECKOUT)),
)  # fmt: skip
def test_what_a_page_links_to_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", text)
    broken = []
    for path, anchor in targets:
        if path.startswith(("http://", "https://", "/")):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor[1:] not in _anchors(target)):
            broken.append(path + anchor)
    assert broken == []


def _anchors(page: Path) -> set[str]:
    """The headings of a page as they are linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each).lower().replace(" ", "-") for each in headings}


@pytest.mark.engine_free
def test_the_files_that_the_architecture_names_exist() -> None:
    page = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py|(?:[a-z_]+/)+)`", page))
    there = {
        str(path.relative_to(CHECKOUT)) + ("/" if path.is_dir() else "")
        for room in ("provexplorer", "lineage", "citations")
        for path in [CHECKOUT / room, *(CHECKOUT / room).rglob("*")]
    }
    assert {
        name for name in named if not any(f"/{each}".endswith(f"/{name}") for each in there)
    } == set()
