"""A world of two parser versions, three sources and nine answers; what rests on what is plain to see."""

from typing import Any

from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source

ANSWERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "cached")


def parser(version: str, **fields: Any) -> list[dict[str, Any]]:
    """A version of the parser and its run."""
    key = f"p{version}"
    return [
        record("component", key, component_kind="parser", name="pdf", version=version, **fields),
        record("run", f"run{version}", run_kind="parse", component=key),
    ]


def parsed(key: str, version: str, language: str, acl: list[str] | None = None) -> list[Any]:
    """A source whose document the parser of this version made."""
    records = source(key, ALPHA, acl)
    for each in records:
        if each["kind"] == "document":
            each |= {"run": f"run{version}", "language": language}
    return records


def build(workspace: Workspace) -> dict[str, Node]:
    """By key: sources s (English, 3.1), t (Portuguese, 3.2), u (German, 3.10; for the group g alone).

    one … eight cite or were given their chunks, as below; cached was served from one.
    """
    return load(
        workspace,
        parser("3.1", config_digest="sha256:" + "1" * 64),
        parser("3.2"),
        parser("3.10"),
        parsed("s", "3.1", "en"),
        parsed("t", "3.2", "pt"),
        parsed("u", "3.10", "de", ["g"]),
        answer("one", "s-c", at="2026-01-05T00:00:00Z", model="m1", unit="north", user="ann"),
        answer("two", "s-c", beside=("t-c",), at="2026-01-31T23:59:59Z", model="m1", unit="north"),
        answer("three", "t-c", beside=("s-c",), at="2026-02-01T00:00:00Z", model="m2", user="ben"),
        answer("four", "t-c", dropped=("s-c",), at="2026-02-10T00:00:00Z", model="m2", user="ann"),
        answer("five", "u-c", dropped=("s-c", "t-c"), at="2026-02-10T00:00:00Z", unit="south"),
        answer("six", "u-c", beside=("t-c",), at="2026-03-01T00:00:00Z", model="m1"),
        answer("seven", "s-c", beside=("u-c",), at=None, model="m1", unit="south"),
        answer("eight", "t-c", at=None),
        [
            record(
                "answer", "a-cached", question="What?", text="Alpha.", served_from="a-one",
                at="2026-03-02T00:00:00Z", model="m2",
            )
        ],
    )  # fmt: skip
