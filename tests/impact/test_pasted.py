"""Pasted lists: what each line was found to be, and what it was not."""

import pytest

from lineage.impact import pasted
from lineage.impact.pasted import MOST_LINES, read_lines, resolve_lines
from lineage.impact.question_values import QuestionInvalid
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record
from tests.nodes.world import ALPHA, load, source, viewer


@pytest.mark.engine_free
def test_lines_are_freed_of_what_tables_put_around_them() -> None:
    text = " a \r\n\r\n\"b\",\n'c';\na\n\t10.1/x\t\n"
    assert read_lines(text) == ["a", "b", "c", "10.1/x"]
    with pytest.raises(QuestionInvalid, match="5,000"):
        read_lines("\n".join(str(n) for n in range(MOST_LINES + 1)))


@pytest.mark.django_db
def test_each_line_is_found_ambiguous_or_unknown(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    foreign = load(other, source("f", ALPHA))["f"]
    nodes = load(
        workspace,
        source("s", ALPHA, doi="10.1234/Abc", uri="https://example.org/a", pmid="123"),
        source("hid", ALPHA, ["secret"], doi="10.1234/hidden"),
        [
            record("source", "twice", title="A"),
            record("document", "twice", source_version="s@1", text="Another."),
            record("agent", "ana", name="Ana", orcid="0000-0002-1825-0097"),
            record("source", "w", title="W", creators=[{"agent": "ana", "role": "creator"}]),
            record("chunk", "re", document="s-doc", interval={"start": 0, "end": 5}),
            record("chunk", "re", document="s-doc", interval={"start": 0, "end": 9}, at=LATER),
            record("chunk", "spaced", namespace="ns", document="missing", text="Alpha"),
        ],
    )  # fmt: skip
    s = nodes["s"].uid
    lines = {
        s: ("found", {s}),
        f"https://site.example/sources/{s}?page=2": ("found", {s}),
        f"/lineage/{nodes['s-c'].uid}/impact": ("found", {nodes["s-c"].uid}),
        "s": ("found", {s}),
        "10.1234/abc": ("found", {s}),
        "https://doi.org/10.1234/ABC": ("found", {s}),
        "doi:10.1234/abc": ("found", {s}),
        "https://example.org/a/": ("found", {s}),
        "pmid:123": ("found", {s}),
        "https://orcid.org/0000-0002-1825-0097": ("found", {nodes["ana"].uid}),
        "spaced": ("found", {nodes["spaced"].uid}),
        "twice": ("ambiguous", None),
        "nobody": ("unknown", set()),
        "hid": ("unknown", set()),
        "10.1234/hidden": ("unknown", set()),
        nodes["hid"].uid: ("found", {nodes["hid"].uid}),
        foreign.uid: ("unknown", set()),
        "f": ("unknown", set()),
        f"https://site.example/sources/{foreign.uid}": ("unknown", set()),
        "src_" + "a" * 26: ("unknown", set()),
        "http://[": ("unknown", set()),
        "x" * 2_001: ("unknown", set()),
        "nul\0": ("unknown", set()),
    }
    found = resolve_lines(viewer(workspace), list(lines))
    assert [each.text for each in found] == list(lines)
    assert [each.number for each in found] == list(range(1, len(lines) + 1))
    for each in found:
        verdict, uids = lines[each.text]
        assert each.verdict == verdict, each
        if uids is not None:
            assert {node.uid for node in each.nodes} == uids
    twice = next(each for each in found if each.text == "twice")
    assert {node.kind for node in twice.nodes} == {"source", "document"}
    # Revisions of one key are one thing, and all of them count.
    both = resolve_lines(viewer(workspace), ["re"])[0]
    assert (both.verdict, len(both.nodes)) == ("found", 2)
    allowed = resolve_lines(viewer(workspace, "secret"), ["hid", "10.1234/hidden"])
    assert [each.verdict for each in allowed] == ["found", "found"]


@pytest.mark.django_db
def test_every_revision_of_what_was_found_counts_and_meanings_not_listed_are_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pasted, "_MOST_MEANT", 2)
    ends = (5, 9, 12)
    load(
        workspace,
        source("s", ALPHA),
        [
            record("chunk", "re", document="s-doc", interval={"start": 0, "end": end}, at=f"2026-01-0{at}T00:00:00Z")
            for at, end in enumerate(ends, 1)
        ],
        [record("chunk", "re", namespace="ns", document="s-doc", interval={"start": 0, "end": 2})],
        [record("chunk", "one", document="s-doc", interval={"start": 0, "end": end}, at=f"2026-01-0{at}T00:00:00Z")
         for at, end in enumerate(ends, 1)],
    )  # fmt: skip
    lines = resolve_lines(viewer(workspace), ["one", "re"])
    assert [(each.verdict, len(each.nodes), each.more) for each in lines] == [
        ("found", 3, 0),
        ("ambiguous", 2, 2),
    ]
    # Seven nodes bear these names; where fewer may be read, nothing is said of any.
    monkeypatch.setattr(pasted, "_MOST_READ", 7)
    assert len(resolve_lines(viewer(workspace), ["one", "re"])) == 2
    monkeypatch.setattr(pasted, "_MOST_READ", 6)
    with pytest.raises(QuestionInvalid, match="more than 6 things"):
        resolve_lines(viewer(workspace), ["one", "re"])
