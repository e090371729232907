"""Two versions of a parser whose runs made one document each, at four times, one of them unknown."""

from typing import Any

from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source

# Work → the version of the parser that read it, and when that run was.
READ: dict[str, tuple[str, str | None]] = {
    "one": ("3.1", "2026-01-10T23:59:59Z"),
    "two": ("3.1", "2026-02-01T00:00:00Z"),
    "three": ("3.2", "2026-02-15T12:00:00Z"),
    "four": ("3.2", None),
}


def read_by(name: str) -> list[dict[str, Any]]:
    """The work `name`, whose document the run `run-name` made, and the answer `a-name` that cites it."""
    version, at = READ[name]
    records = source(name, f"{ALPHA} Of {name}.")
    for each in records:
        if each["kind"] == "document":
            each["run"] = f"run-{name}"
    run = record("run", f"run-{name}", run_kind="parse", component=f"p{version}", at=at)
    return [run, *records, *answer(name, f"{name}-c", at="2026-03-05T00:00:00Z")]


def build(workspace: Workspace) -> dict[str, Node]:
    """The works of READ, each with its answer; nodes by key."""
    parsers = [
        record("component", f"p{version}", component_kind="parser", name="pdf", version=version)
        for version in ("3.1", "3.2")
    ]
    return load(workspace, parsers, *(read_by(name) for name in READ))
