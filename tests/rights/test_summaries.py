"""Sources in numbers, and the draft cases that follow: prepared behind ingestion, once each."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lineage.models import Case, Node, SourceDue, SourceOpen, SourceRights
from lineage.models.turns import turn
from lineage.rights import due
from lineage.rights.summarise import group_key, keep_up
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import ALPHA, answer, load, source, withdraw

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def prepared(workspace: Workspace, key: str = "s") -> SourceRights:
    return SourceRights.objects.get(workspace=workspace, source__key=key)


def drafts(workspace: Workspace) -> list[tuple[str, str, str]]:
    """(kind, key of the target, what changed or ended) of every draft."""
    found = Case.objects.filter(workspace=workspace, state="draft").order_by("kind", "pk")
    return [
        (
            case.kind,
            case.targets.get().node.key,
            case.evidence[0].get("ended") or f"{case.evidence[0]['old']} > {case.evidence[0]['new']}",
        )
        for case in found
    ]  # fmt: skip


def version(key: str, number: int, **fields: Any) -> dict[str, Any]:
    return record("source_version", f"{key}@{number}", source=key, version=str(number), **fields)


def test_a_source_is_summed_up_from_its_versions(workspace: Workspace) -> None:
    load(
        workspace,
        source("s", ALPHA, source_kind="article", language="EN", creators=[{"name": "A"}]),
        [version("s", 2, published_at="2026-05-01", license="CC BY-SA 4.0", valid_until="2999")],
        [version("s", 3, published_at="2026-01-01")],
        answer("one", "s-c"),
        answer("two", "s-c"),
        source("t", ALPHA),
    )
    assert keep_up() == 2
    row = prepared(workspace)
    assert (row.licence, row.family, row.kind, row.language) == ("CC-BY-SA-4.0", "copyleft", "article", "en")  # fmt: skip
    assert (row.described, row.has_creator, row.versions, row.unlicensed) == (True, True, 3, 1)
    assert (row.chunks, row.answers) == (1, 2)
    assert row.ends_at == datetime(3000, 1, 1, tzinfo=UTC)
    other = prepared(workspace, "t")
    assert (other.has_creator, other.answers, other.ends_at) == (False, 0, None)
    # Nothing is due any more.
    assert keep_up() == 0


def test_new_answers_and_new_versions_make_a_source_due(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA))
    keep_up()
    load(workspace, answer("one", "s-c"))
    assert not SourceDue.objects.exists()
    assert keep_up() == 1
    assert prepared(workspace).answers == 1
    load(workspace, [version("s", 2)])
    assert keep_up() == 1
    assert (prepared(workspace).versions, prepared(workspace).unlicensed) == (2, 1)


def test_what_stood_there_before_is_taken_up(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA))
    SourceDue.objects.all().delete()
    assert keep_up() == 1
    assert prepared(workspace).versions == 1


def test_an_old_row_is_looked_at_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(workspace, source("s", ALPHA))
    keep_up()
    later = clock.now() + timedelta(days=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert keep_up() == 1


def test_who_may_see_a_source_is_prepared_with_it(workspace: Workspace) -> None:
    long = "g" * 300
    load(
        workspace,
        source("s", ALPHA, acl=["board", long]),
        source("t", ALPHA, acl=["board"]),
        [version("t", 2)],
        source("none", ALPHA, acl=[]),
        [record("source", "bare", title="Bare")],
    )
    keep_up()
    found: dict[str, set[str]] = {}
    for key, group in SourceOpen.objects.values_list("source__key", "group"):
        found.setdefault(key, set()).add(group)
    assert found == {"s": {"board", group_key(long)}, "t": {""}, "bare": {""}}
    assert len(group_key(long)) < 200
    assert group_key(long) != group_key(long + "g")


def test_what_has_ended_is_drafted_once(workspace: Workspace) -> None:
    past, ahead = "2026-01-31", "2999-01-01"
    load(
        workspace,
        source("s", ALPHA),
        [version("s", 1, valid_until=past, retention_until=past, consent={"expires": ahead})],
        source("quiet", ALPHA),
        [version("quiet", 1, valid_until=past, consent={"until": past})],
        answer("one", "s-c"),
    )
    keep_up()
    # On `quiet` nothing rests: that it is over matters to no answer yet.
    assert drafts(workspace) == [("erasure", "s@1", "retention"), ("expiry", "s@1", "validity")]
    SourceRights.objects.update(summarised_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert keep_up() == 2
    assert len(drafts(workspace)) == 2
    load(workspace, answer("two", "quiet-c"))
    keep_up()
    assert [each for each in drafts(workspace) if each[1] == "quiet@1"] == [
        ("expiry", "quiet@1", "validity"),
        ("expiry", "quiet@1", "consent"),
    ]


def test_what_ended_on_the_first_day_of_the_calendar_keeps_nothing_else_from_being_drafted(
    workspace: Workspace,
) -> None:
    """Clients write so that they know no time."""
    load(
        workspace,
        source("s", ALPHA),
        [version("s", 1, valid_until="0001-01-01T00:00:00Z")],
        source("t", ALPHA),
        [version("t", 1, valid_until="2026-01-31")],
        answer("one", "s-c"),
        answer("two", "t-c"),
    )
    keep_up()
    assert set(drafts(workspace)) == {("expiry", f"{key}@1", "validity") for key in "st"}


def test_the_passing_of_a_day_is_noticed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = clock.now() + timedelta(hours=1)
    load(workspace, source("s", ALPHA), [version("s", 1, valid_until=soon.isoformat())], answer("a", "s-c"))  # fmt: skip
    keep_up()
    assert drafts(workspace) == []
    later = soon + timedelta(seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    keep_up()
    assert drafts(workspace) == [("expiry", "s@1", "validity")]
    assert prepared(workspace).ends_at is None


def test_an_end_that_somebody_has_filed_already_is_not_drafted(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), [version("s", 1, valid_until="2026-01")], answer("a", "s-c"))  # fmt: skip
    withdraw(workspace, nodes["s"], "expiry")
    keep_up()
    assert drafts(workspace) == []


def test_another_licence_of_the_same_version_is_drafted_with_old_and_new(
    workspace: Workspace,
) -> None:
    load(workspace, source("s", ALPHA), answer("a", "s-c"))
    keep_up()
    assert drafts(workspace) == []
    # The same licence in another spelling is no change.
    load(workspace, [version("s", 1, at="2026-04-01T00:00:00Z", license="CC BY 4.0")])
    keep_up()
    assert drafts(workspace) == []
    load(workspace, [version("s", 1, at="2026-05-01T00:00:00Z", license="LicenseRef-house")])
    keep_up()
    keep_up()
    assert drafts(workspace) == [("license_change", "s@1", "CC-BY-4.0 > LicenseRef-house")]
    assert Case.objects.get().reason == (
        "Its licence was CC-BY-4.0; now it is stated to be LicenseRef-house."
    )


def test_another_licence_of_the_next_version_concerns_the_one_before(workspace: Workspace) -> None:
    load(
        workspace,
        source("s", ALPHA),
        [version("s", 1, published_at="2026-01-01", license="CC-BY-4.0")],
        [version("s", 2, published_at="2026-02-01", license="CC-BY-NC-4.0")],
        [version("s", 3, published_at="2026-03-01")],
        answer("a", "s-c"),
    )
    keep_up()
    assert drafts(workspace) == [("license_change", "s@1", "CC-BY-4.0 > CC-BY-NC-4.0")]


def test_a_draft_of_the_product_names_nobody(workspace: Workspace) -> None:
    load(workspace, source("s", ALPHA), [version("s", 1, retention_until="2020")])
    keep_up()
    case = Case.objects.get()
    assert (case.drafted_by, case.state) == (None, "draft")
    assert Node.objects.filter(pk=case.targets.get().node_id, key="s@1").exists()


def test_what_is_prepared_of_something_erased_is_forgotten(workspace: Workspace) -> None:
    nodes = load(workspace, source("s", ALPHA), source("t", ALPHA))
    keep_up()
    with turn(workspace.pk):
        due.forget(workspace.pk, [nodes["s"].pk, nodes["t@1"].pk])
    assert list(SourceRights.objects.values_list("source__key", flat=True)) == ["t"]
    # Of the other only a version has gone: it is counted again.
    assert SourceDue.objects.filter(source=nodes["t"]).exists()
