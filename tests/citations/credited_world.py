"""Works of two creators and a publisher, and answers that credit them, or do not."""

from typing import Any

from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source

# What is stated later holds.
LATER = "2026-03-02T00:00:00Z"
ORCID = "0000-0002-1825-0097"


def works() -> list[list[dict[str, Any]]]:
    """Of Ann: w1, w4 (of staff only) and w5 (as its editor, under MIT); of the press: w1, w2 and w3."""
    ann, press = {"agent": "ann"}, {"agent": "press"}
    return [
        [
            record("agent", "ann", name="Ann Author", agent_kind="person", orcid=ORCID),
            record("agent", "press", name="Open Press", agent_kind="organization"),
            record("agent", "bob", name="Bob"),
        ],
        source("w1", ALPHA, creators=[ann], publisher=press),
        # Nobody made it.
        source("w2", ALPHA, publisher=press),
        # The work names Ann, its only version names Bob in that role instead.
        source("w3", ALPHA, creators=[ann], publisher=press),
        [
            record(
                "source_version", "w3@1", at=LATER,
                source="w3", version="1", creators=[{"agent": "bob"}],
            )
        ],
        source("w4", ALPHA, acl=["staff"], creators=[ann]),
        source("w5", ALPHA),
        [
            record(
                "source_version", "w5@1", at=LATER, source="w5", version="1", license="MIT",
                published_at="2020-05-01", creators=[{"agent": "ann", "role": "editor"}],
            )
        ],
    ]  # fmt: skip


def answers() -> list[list[dict[str, Any]]]:
    """Answers "one" to "six", a day apart."""
    return [
        answered("one", "w1-c", day=1),  # credits Ann
        answered("two", "w2-c", day=2, beside=("w1-c",)),  # does not
        answered("three", "w4-c", day=3),  # credits her, to staff
        answered("four", "w2-c", day=4, dropped=("w1-c",)),
        answered("five", "w3-c", day=5),  # credits Bob
        answered("six", "w2-c", day=6, beside=("w5-c",)),
    ]


def answered(name: str, chunk: str, *, day: int, **fields: Any) -> list[dict[str, Any]]:
    at = f"2026-03-{day:02}T10:00:00Z"
    return [
        {**each, "occurred_at": at} if each["kind"] == "answer" else each
        for each in answer(name, chunk, **fields)
    ]


def credited_world(workspace: Workspace) -> dict[str, Node]:
    return load(workspace, *works(), *answers())
