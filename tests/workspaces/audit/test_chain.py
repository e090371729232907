"""The audit log: append-only, sealed in a chain, and whatever is done to it behind its back is found."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction

from citations.exports.signing import signing_key
from lineage.models import Blob, DataKey
from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.audit import guards
from provexplorer.workspaces.audit.export import lines
from provexplorer.workspaces.audit.models import (
    AuditDetail,
    AuditEntry,
    AuditHead,
    AuditPlace,
    AuditSeal,
    AuditWaiting,
)
from provexplorer.workspaces.audit.recording import details_of, erase_details, record
from provexplorer.workspaces.audit.sealing import seal_some
from provexplorer.workspaces.audit.verifying import Mark, verify
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.workspaces.audit.independent import first_fault

pytestmark = pytest.mark.django_db


@pytest.fixture
def by(workspace: Workspace) -> Viewer:
    return viewer(workspace)


@pytest.fixture
def open_to_all() -> Iterator[None]:
    """Somebody who may change the schema has lifted the guard."""
    guards.lift(connection)
    yield
    guards.install(connection, ("UPDATE",))


def written(by: Viewer, number: int) -> None:
    for each in range(number):
        record("case.drafted", by, object_uid=f"cas_{each}")


def sealed(by: Viewer, *numbers: int) -> None:
    """So many entries under each seal."""
    for number in numbers:
        written(by, number)
        assert seal_some(by.workspace_id) == number


def exported(workspace: Workspace) -> list[str]:
    return list(lines(workspace))


def entry_at(workspace: Workspace, sequence: int) -> AuditEntry:
    place = AuditPlace.objects.get(workspace_id=workspace.pk, sequence=sequence)
    return AuditEntry.objects.get(pk=place.entry_id)


# --- append-only ------------------------------------------------------------------------


@pytest.mark.parametrize("table", guards.TABLES)
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_the_database_refuses_to_change_what_was_written(by: Viewer, table: str, statement: str) -> None:  # fmt: skip
    guards.install(connection)
    try:
        sealed(by, 1)
        statement = statement.replace("id = id", "workspace_id = 1")
        with pytest.raises(DatabaseError, match=guards.REFUSAL), transaction.atomic():
            connection.cursor().execute(statement.format(table))
    finally:
        guards.lift(connection, ("DELETE", "TRUNCATE"))
    assert AuditEntry.objects.filter(workspace_id=by.workspace_id).count() == 1


def test_what_is_rolled_back_was_not_done(by: Viewer) -> None:
    with transaction.atomic():
        record("case.drafted", by, object_uid="cas_x", details={"name": "Ada"})
        transaction.set_rollback(True)
    assert (AuditEntry.objects.count(), AuditWaiting.objects.count(), AuditDetail.objects.count()) == (0, 0, 0)  # fmt: skip


def test_what_is_told_once_is_one_entry(by: Viewer) -> None:
    assert record("erasure.key_destroyed", by, object_uid="src_x", once="erasure:1:key") is True
    assert record("erasure.key_destroyed", by, object_uid="src_x", once="erasure:1:key") is False
    assert AuditEntry.objects.filter(workspace_id=by.workspace_id).count() == 1


def test_a_verb_that_there_is_not_is_a_mistake_of_ours(by: Viewer) -> None:
    with pytest.raises(ValueError, match="no verb"):
        record("case.guessed", by)


def test_who_did_it_is_told_apart(workspace: Workspace) -> None:
    member = Viewer(workspace.pk, workspace.hash_key, workspace.slug, user_id=7)
    key = Viewer(workspace.pk, workspace.hash_key, workspace.slug, user_id=7, key_id=9)
    record("export.made", member)
    record("export.made", key)
    record("case.started", None, workspace_id=workspace.pk)
    record("session.refused", "nobody", workspace_id=workspace.pk)
    rows = AuditEntry.objects.filter(workspace_id=workspace.pk).order_by("pk")
    assert list(rows.values_list("actor_kind", "actor_id")) == [
        ("member", 7), ("key", 9), ("product", None), ("nobody", None),
    ]  # fmt: skip


# --- details ----------------------------------------------------------------------------


def test_details_are_erased_and_the_chain_stays(workspace: Workspace, by: Viewer) -> None:
    record("key.made", by, object_uid="k1", details={"label": "Ada's laptop"})
    record("key.made", by, object_uid="k2", details={"label": "server"})
    seal_some(workspace.pk)
    first, second = AuditEntry.objects.filter(workspace_id=workspace.pk).order_by("pk")
    assert details_of(workspace, [first.pk]) == {first.pk: {"label": "Ada's laptop"}}
    assert "Ada" not in "".join(exported(workspace))
    assert '"label":"server"' in "".join(lines(workspace, details=True))
    owner = AuditDetail.objects.get(entry_id=first.pk).owner_id
    assert erase_details(workspace.pk, "k1") == 1
    assert details_of(workspace, [first.pk, second.pk]) == {second.pk: {"label": "server"}}
    assert not DataKey.objects.filter(owner_id=owner).exists()
    assert not Blob.objects.filter(owner_id=owner).exists()
    assert verify(workspace.pk).broken is None


def test_the_hash_of_details_is_keyed(workspace: Workspace, by: Viewer) -> None:
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    record("key.made", by, details={"label": "x"})
    record("key.made", viewer(elsewhere), details={"label": "x"})
    hashes = set(AuditEntry.objects.values_list("details_hash", flat=True))
    assert len(hashes) == 2
    assert {len(each) for each in hashes} == {64}


# --- sealing ----------------------------------------------------------------------------


def test_an_independent_verifier_comes_to_the_same_chain(workspace: Workspace, by: Viewer) -> None:
    sealed(by, 3, 1, 5)
    public = signing_key().public_key().public_bytes_raw()
    told = exported(workspace)
    assert len(told) == 1 + 9 + 3
    assert first_fault(told, public) == ""
    assert first_fault(told[:2] + told[3:], public) == "entry 2"
    assert first_fault(told, bytes(32)) == "seal 1"
    found = verify(workspace.pk)
    assert (found.entries, found.seals, found.waiting, found.broken) == (9, 3, 0, None)


def test_an_entry_that_commits_late_comes_later(workspace: Workspace, by: Viewer) -> None:
    written(by, 2)
    early, late = AuditEntry.objects.filter(workspace_id=workspace.pk).order_by("pk")
    # As if its transaction had not committed yet.
    AuditWaiting.objects.filter(entry_id=early.pk).delete()
    assert seal_some(workspace.pk) == 1
    AuditWaiting.objects.create(entry_id=early.pk, workspace_id=workspace.pk)
    assert seal_some(workspace.pk) == 1
    assert [entry_at(workspace, each).pk for each in (1, 2)] == [late.pk, early.pk]
    assert verify(workspace.pk).broken is None


def test_of_two_sealers_one_seals(workspace: Workspace, by: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    from provexplorer.workspaces.audit import sealing

    written(by, 2)
    real = sealing._seal

    def overtaken(head: AuditHead) -> int:
        # Another has sealed between the look at the head and the seal.
        monkeypatch.setattr(sealing, "_seal", real)
        assert seal_some(workspace.pk) == 2
        return real(head)

    monkeypatch.setattr(sealing, "_seal", overtaken)
    assert seal_some(workspace.pk) == 0
    found = verify(workspace.pk)
    assert (found.entries, found.seals, found.broken) == (2, 1, None)


def test_workspaces_have_chains_of_their_own(workspace: Workspace, by: Viewer) -> None:
    elsewhere = Workspace.objects.create(slug=f"{workspace.slug}-2", name="other")
    sealed(by, 2)
    sealed(viewer(elsewhere), 1)
    assert [json.loads(each)["entry"]["sequence"] for each in exported(elsewhere)[1:2]] == [1]
    assert verify(workspace.pk).entries == 2
    assert verify(elsewhere.pk).entries == 1


# --- behind its back --------------------------------------------------------------------


def change(workspace: Workspace) -> None:
    AuditEntry.objects.filter(pk=entry_at(workspace, 4).pk).update(verb="case.cancelled")


def change_time(workspace: Workspace) -> None:
    entry = entry_at(workspace, 4)
    AuditEntry.objects.filter(pk=entry.pk).update(at=entry.at + timedelta(microseconds=1))


def drop(workspace: Workspace) -> None:
    entry_at(workspace, 4).delete()


def drop_with_place(workspace: Workspace) -> None:
    entry_at(workspace, 4).delete()
    AuditPlace.objects.filter(workspace_id=workspace.pk, sequence=4).delete()


def swap(workspace: Workspace) -> None:
    fourth, fifth = entry_at(workspace, 4), entry_at(workspace, 5)
    for one, other in ((fourth, fifth), (fifth, fourth)):
        AuditEntry.objects.filter(pk=one.pk).update(object_uid=other.object_uid)


def rehash(workspace: Workspace) -> None:
    """Changed with its hash put right: the next one does not follow on it."""
    from provexplorer.workspaces.audit import chain

    change(workspace)
    before = AuditPlace.objects.get(workspace_id=workspace.pk, sequence=3).hash
    made = chain.link(before, chain.entry_line(entry_at(workspace, 4), 4))
    AuditPlace.objects.filter(workspace_id=workspace.pk, sequence=4).update(hash=made)


def drop_seal(workspace: Workspace) -> None:
    AuditSeal.objects.filter(workspace_id=workspace.pk, number=2).delete()


def forge_seal(workspace: Workspace) -> None:
    AuditSeal.objects.filter(workspace_id=workspace.pk, number=2).update(signature="00" * 64)


def cut(workspace: Workspace) -> None:
    """The last seal with all it closes."""
    for sequence in (6, 7):
        entry_at(workspace, sequence).delete()
    AuditPlace.objects.filter(workspace_id=workspace.pk, sequence__gte=6).delete()
    AuditSeal.objects.filter(workspace_id=workspace.pk, number=3).delete()


def hide(workspace: Workspace) -> None:
    """An entry that is kept from being sealed."""
    record("case.drafted", viewer(workspace))
    AuditWaiting.objects.all().delete()


def lose(workspace: Workspace) -> None:
    record("case.drafted", viewer(workspace))
    AuditEntry.objects.order_by("-pk")[0].delete()
    # Sealing what comes does not cover it up.
    written(viewer(workspace), 1)
    assert seal_some(workspace.pk) == 1


DONE: list[tuple[Callable[[Workspace], None], str, int | None, int | None]] = [
    (change, "entry_changed", 4, 2),
    (change_time, "entry_changed", 4, 2),
    (drop, "entry_missing", 4, 2),
    (drop_with_place, "place_missing", 4, 2),
    (swap, "entry_changed", 4, 2),
    (rehash, "entry_changed", 5, 2),
    (drop_seal, "seal_missing", None, 2),
    (forge_seal, "signature_invalid", None, 2),
    (cut, "tail_missing", 6, 3),
    (hide, "entry_unsealed", None, None),
    (lose, "waiting_lost", None, None),
]


@pytest.mark.usefixtures("open_to_all")
@pytest.mark.parametrize(("deed", "what", "sequence", "seal"), DONE, ids=lambda each: getattr(each, "__name__", None))  # fmt: skip
def test_what_was_done_behind_its_back_is_named(
    workspace: Workspace,
    by: Viewer,
    deed: Callable[[Workspace], None],
    what: str,
    sequence: int | None,
    seal: int | None,
) -> None:
    sealed(by, 2, 3, 2)
    deed(workspace)
    broken = verify(workspace.pk).broken
    assert broken is not None
    assert (broken.what, broken.sequence, broken.seal) == (what, sequence, seal)


@pytest.mark.usefixtures("open_to_all")
def test_a_tail_cut_with_its_head_is_found_by_the_last_export(workspace: Workspace, by: Viewer, tmp_path: Path) -> None:  # fmt: skip
    sealed(by, 2, 3, 2)
    file = tmp_path / "audit.jsonl"
    file.write_text("".join(exported(workspace)), encoding="ascii")
    call_command("verify_audit", workspace=workspace.slug, against=file, stdout=StringIO())
    cut(workspace)
    second = AuditSeal.objects.get(workspace_id=workspace.pk, number=2)
    AuditHead.objects.filter(workspace_id=workspace.pk).update(
        number=2, sequence=5, chain=second.chain, hash=second.hash
    )
    # By itself it looks whole: nothing in it says that there was more.
    assert verify(workspace.pk).broken is None
    said = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("verify_audit", workspace=workspace.slug, against=file, stderr=said)
    assert failed.value.returncode == 1
    assert "entry 6, seal 3: the chain ends here" in said.getvalue()
    # And whoever writes it anew has another seal than the one that was exported.
    sealed(by, 2)
    broken = verify(workspace.pk, (Mark(3, json.loads(file.read_text().splitlines()[-1])["hash"]),)).broken  # fmt: skip
    assert broken is not None
    assert (broken.what, broken.seal) == ("seal_differs", 3)


def test_the_command_says_what_is_whole(workspace: Workspace, by: Viewer) -> None:
    sealed(by, 2)
    written(by, 1)
    said = StringIO()
    call_command("verify_audit", workspace=workspace.slug, stdout=said)
    assert said.getvalue() == f"{workspace.slug}: whole. 2 entries under 1 seals, 1 waiting.\n"
    for wrong in ({"workspace": "nowhere"}, {"against": Path(__file__)}):
        with pytest.raises(CommandError):
            call_command("verify_audit", **wrong)


def test_an_export_goes_on_after_a_seal_and_is_told(workspace: Workspace, by: Viewer) -> None:
    sealed(by, 2, 1)
    said = StringIO()
    call_command("export_audit", workspace=workspace.slug, after=1, stdout=said)
    read: list[dict[str, Any]] = [json.loads(line) for line in said.getvalue().splitlines()]
    assert [min(each) for each in read] == ["after", "entry", "hash"]
    assert read[1]["entry"]["sequence"] == 3
    assert AuditEntry.objects.filter(workspace_id=workspace.pk, verb="audit.exported").count() == 1
    assert clock.now() - AuditEntry.objects.latest("pk").at < timedelta(minutes=1)
