"""Files that are kept until they are read: encrypted, once, and gone afterwards."""

from datetime import timedelta

import pytest

from lineage.cases.errors import ScopeMissing
from lineage.formats.notice_files import TooLarge
from lineage.models import Blob, DataKey, Notice, NoticeImport, TaskOutbox
from lineage.notices import receiving, shelf
from lineage.notices.imports import import_view
from lineage.types import NotFound
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.notices.world import load, row, standing, table, viewer

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
TITLE = "A title that must not lie about in clear"
FILE = table(row(Title=TITLE))


def pieces(data: bytes, size: int = 100) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def kept(workspace: Workspace, data: bytes = FILE) -> NoticeImport:
    uid = receiving.receive(viewer(workspace), pieces(data), origin="upload")
    return NoticeImport.objects.get(uid=uid)


def test_readers_may_not_send_and_too_much_is_refused(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ScopeMissing):
        receiving.receive(viewer(workspace, "read"), pieces(FILE), origin="upload")
    monkeypatch.setattr("lineage.notices.receiving.MOST_BYTES", len(FILE) - 1)
    keys = DataKey.objects.count()
    with pytest.raises(TooLarge):
        receiving.receive(viewer(workspace), pieces(FILE), origin="upload")
    assert not NoticeImport.objects.exists()
    # Nothing of it is left, not even a key.
    assert (Blob.objects.count(), DataKey.objects.count()) == (0, keys)


def test_a_file_is_kept_encrypted_read_once_and_destroyed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage.notices.receiving.PIECE", 128)
    begun = kept(workspace)
    assert (begun.state, begun.size) == ("received", len(FILE))
    assert begun.pieces == -(-len(FILE) // 128)
    assert TITLE.encode() not in b"".join(
        bytes(b) for b in Blob.objects.values_list("ciphertext", flat=True)
    )
    (task,) = TaskOutbox.objects.filter(name="lineage.read_notices")
    assert task.arguments == {"import_id": begun.pk}
    receiving.read_kept(begun.pk)
    done = import_view(viewer(workspace), begun.uid)
    assert (done.state, done.counts["new"], done.share) == ("done", 1, 100)
    owners = set(Blob.objects.values_list("owner_id", flat=True))
    assert owners == {shelf.owner_of(workspace.pk)}
    before = standing(workspace)
    receiving.read_kept(begun.pk)
    assert standing(workspace) == before
    # The title is kept where it can be erased, and can be.
    notice = Notice.objects.get()
    (piece,) = notice.evidence
    place = (piece["block"], piece["at"])
    assert shelf.texts_at(workspace, workspace.pk, [place])[place]["title"] == TITLE
    shelf.forget(workspace, workspace.pk, [place])
    assert shelf.texts_at(workspace, workspace.pk, [place]) == {}


def test_one_that_stalled_is_taken_up_and_given_up_in_the_end(workspace: Workspace) -> None:
    begun = kept(workspace)
    late = clock.now() - timedelta(hours=1)
    NoticeImport.objects.filter(pk=begun.pk).update(state="running", lease_until=late, attempts=2)
    TaskOutbox.objects.all().delete()
    assert receiving.take_up_stalled() == 1
    assert TaskOutbox.objects.filter(name="lineage.read_notices").count() == 1
    NoticeImport.objects.filter(pk=begun.pk).update(attempts=receiving.MOST_ATTEMPTS)
    receiving.read_kept(begun.pk)
    done = NoticeImport.objects.get()
    assert (done.state, done.failure) == ("failed", "gave_up")
    assert receiving.take_up_stalled() == 0


def test_who_holds_it_is_not_disturbed(workspace: Workspace) -> None:
    begun = kept(workspace)
    soon = clock.now() + timedelta(minutes=1)
    NoticeImport.objects.filter(pk=begun.pk).update(state="running", lease_until=soon)
    receiving.read_kept(begun.pk)
    assert not Notice.objects.exists()


def test_the_same_file_by_command_and_by_upload_is_the_same(workspace: Workspace) -> None:
    load(workspace, FILE)
    begun = kept(workspace)
    receiving.read_kept(begun.pk)
    assert import_view(viewer(workspace), begun.uid).counts["unchanged"] == 1


def test_imports_of_others_are_unknown(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other-files", name="other")
    begun = kept(workspace)
    with pytest.raises(NotFound):
        import_view(viewer(other), begun.uid)
