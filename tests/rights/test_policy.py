"""No creator or licence, no indexing: refused with what is missing, in any order, and never silently."""

from itertools import permutations
from typing import Any

import pytest

from lineage.cases.errors import ScopeMissing
from lineage.formats.records import parse_record
from lineage.ingest.apply import apply_records
from lineage.models import Node
from lineage.rights.known import Rules
from lineage.rights.policy import rules_of, set_rules
from lineage.types import Outcome, Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import codes, record, send

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

TEXT = "Alpha is one. Beta is two."
CREATOR = [{"name": "Ada", "role": "creator"}]
BOTH = Rules(creator=True, licence=True)


def admin(workspace: Workspace, *scopes: str) -> Viewer:
    return Viewer(workspace.pk, workspace.hash_key, workspace.slug, scopes=frozenset(scopes))


def demand(workspace: Workspace, rules: Rules = BOTH) -> None:
    set_rules(admin(workspace, "admin"), rules)


def described(
    key: str, *, creators: Any = None, licence: str | None = None
) -> list[dict[str, Any]]:
    return [
        record("source", key, title=key, creators=creators),
        record("source_version", f"{key}@1", source=key, license=licence),
        record("document", f"{key}-d", source_version=f"{key}@1", text=TEXT),
    ]


def indexed(key: str) -> list[dict[str, Any]]:
    return [
        record("chunk", f"{key}-c", document=f"{key}-d", interval={"start": 0, "end": 13}),
        record("fact", f"{key}-f", subject_of=f"{key}-c", subject="a", predicate="is", object=1),
        record("embedding", f"{key}-e", chunk=f"{key}-c", model="m", vector_digest=f"sha256:{'0' * 64}"),
        record("index_snapshot", f"{key}-i", collection="i", chunks=[f"{key}-c"]),
    ]  # fmt: skip


def standing(workspace: Workspace) -> list[tuple[str, str, bool]]:
    nodes = Node.objects.filter(workspace=workspace).order_by("kind", "key")
    return list(nodes.values_list("kind", "key", "resolved"))


def refused(outcomes: list[Outcome]) -> dict[str, tuple[str, int, str]]:
    return {
        each.key: (each.problem.slug, each.problem.status, each.problem.pointer)
        for each in outcomes
        if each.problem is not None
    }


def test_only_admins_set_it_and_without_it_nothing_is_demanded(workspace: Workspace) -> None:
    with pytest.raises(ScopeMissing):
        set_rules(admin(workspace, "edit"), BOTH)
    assert rules_of(workspace.pk) == Rules()
    assert refused(send(workspace, described("s") + indexed("s"))) == {}


def test_all_that_is_indexed_of_a_source_that_lacks_it_is_refused(workspace: Workspace) -> None:
    demand(workspace)
    outcomes = send(workspace, described("s") + indexed("s"))
    assert refused(outcomes) == {
        "s-c": ("rights-missing", 422, "/document"),
        "s-f": ("rights-missing", 422, "/subject_of"),
        "s-e": ("rights-missing", 422, "/chunk"),
        "s-i": ("rights-missing", 422, "/chunks/0"),
    }
    detail = next(each.problem.detail for each in outcomes if each.problem is not None)
    assert detail == (
        "Too little is stated to be indexed here: the source s names no creator; its version s@1 "
        "states no licence that is known."
    )
    # What is no index stands, nothing of the rest does.
    kinds = Node.objects.filter(workspace=workspace).order_by("kind").values_list("kind", flat=True)
    assert list(kinds) == ["document", "source", "source_version"]


@pytest.mark.parametrize(
    ("rules", "creators", "licence", "stored"),
    [
        (Rules(creator=True), CREATOR, None, True),
        (Rules(creator=True), None, "CC0-1.0", False),
        (Rules(licence=True), None, "CC BY 4.0", True),
        (Rules(licence=True), CREATOR, "All rights reserved", False),
        (BOTH, CREATOR, "LicenseRef-house", True),
    ],
)
def test_what_is_demanded_decides(
    workspace: Workspace, rules: Rules, creators: Any, licence: str | None, stored: bool
) -> None:
    demand(workspace, rules)
    outcomes = send(workspace, described("s", creators=creators, licence=licence) + indexed("s"))
    assert (refused(outcomes) == {}) is stored


def test_the_good_of_a_request_is_as_if_the_bad_had_not_been_sent(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    good = described("t", creators=CREATOR, licence="CC0-1.0") + indexed("t")
    demand(workspace)
    outcomes = send(workspace, [*indexed("s"), *good, *described("s")])
    assert set(refused(outcomes)) == {"s-c", "s-f", "s-e", "s-i"}
    assert [each.index for each in outcomes] == list(range(len(outcomes)))
    send(other, [*good, *described("s")])
    assert standing(workspace) == standing(other)


def test_within_a_request_the_order_does_not_matter(workspace: Workspace) -> None:
    demand(workspace)
    parts = (described("s")[:1], described("s")[1:], indexed("s"))
    for order in permutations(parts):
        outcomes = send(workspace, [each for part in order for each in part])
        assert set(refused(outcomes)) == {"s-c", "s-f", "s-e", "s-i"}


def test_what_comes_before_its_source_is_let_in_with_a_warning(workspace: Workspace) -> None:
    demand(workspace)
    outcomes = send(workspace, described("s")[2:] + indexed("s"))
    assert refused(outcomes) == {}
    assert [each.key for each in outcomes if "attribution_pending" in codes(each)] == [
        "s-c", "s-f", "s-e", "s-i",
    ]  # fmt: skip
    # Sent again when its source is described, it is judged.
    send(workspace, described("s"))
    assert set(refused(send(workspace, indexed("s")))) == {"s-c", "s-f", "s-e", "s-i"}
    send(workspace, described("s", creators=CREATOR, licence="CC0-1.0"))
    later = send(workspace, indexed("s"))
    assert refused(later) == {}
    assert all("attribution_pending" not in codes(each) for each in later)


def test_what_traces_tell_was_used_already_and_is_let_in(workspace: Workspace) -> None:
    demand(workspace)
    records = [parse_record(at, each) for at, each in enumerate(described("s") + indexed("s"))]
    assert refused(list(apply_records(workspace, records, origin="trace").outcomes)) == {}
