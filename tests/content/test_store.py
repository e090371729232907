"""The content store on a real relational server: encrypted per owner, erased by its key."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from lineage.content import keys
from lineage.content.keys import MasterKeyError, OwnerErased
from lineage.content.store import (
    OwnedText,
    blob_id,
    destroy_key,
    erased_owners,
    read_texts,
    rehome,
    store_texts,
)
from lineage.identifiers import text_digest
from lineage.models import Blob, DataKey
from provexplorer.workspaces.models import Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def master_key_file(settings: Settings, tmp_path: Path) -> Path:
    settings.MASTER_KEY = ""
    settings.MASTER_KEY_FILE = str(tmp_path / "data" / "master.key")
    return tmp_path / "data" / "master.key"


def owned(owner_id: int, text: str) -> OwnedText:
    return OwnedText(owner_id=owner_id, digest=text_digest(text), text=text)


def test_unknown_text_is_missing(workspace: Workspace) -> None:
    assert read_texts(workspace, [(1, text_digest("never stored"))]) == {}
    assert read_texts(workspace, []) == {}
    store_texts(workspace, [])
    assert Blob.objects.count() == 0


def test_malformed_master_key_is_refused_precisely(
    workspace: Workspace, settings: Settings, master_key_file: Path
) -> None:
    settings.MASTER_KEY = "abc"
    with pytest.raises(
        MasterKeyError, match="PROVEXPLORER_MASTER_KEY must hold 64 hexadecimal digits, not 3"
    ):
        store_texts(workspace, [owned(1, "text")])
    settings.MASTER_KEY = "g" * 64
    with pytest.raises(MasterKeyError, match="hexadecimal digits only"):
        store_texts(workspace, [owned(1, "text")])
    settings.MASTER_KEY = ""
    master_key_file.parent.mkdir()
    master_key_file.write_bytes(b"\xff" * 64)
    with pytest.raises(MasterKeyError, match="cannot be read"):
        store_texts(workspace, [owned(1, "text")])
    master_key_file.write_text("0" * 63)
    with pytest.raises(
        MasterKeyError, match=r"master\.key must hold 64 hexadecimal digits, not 63"
    ):
        store_texts(workspace, [owned(1, "text")])


def test_a_lost_master_key_file_is_not_silently_replaced(
    workspace: Workspace, master_key_file: Path
) -> None:
    store_texts(workspace, [owned(1, "text")])
    master_key_file.unlink()
    with pytest.raises(MasterKeyError, match="is missing, but data keys wrapped by it exist"):
        read_texts(workspace, [(1, text_digest("text"))])
    assert not master_key_file.exists()


def test_another_master_key_is_named_as_the_fault(workspace: Workspace, settings: Settings) -> None:
    store_texts(workspace, [owned(7, "text")])
    settings.MASTER_KEY = "1" * 64
    with pytest.raises(
        MasterKeyError, match="data key of owner 7 was not wrapped by this master key"
    ):
        read_texts(workspace, [(7, text_digest("text"))])


def test_master_key_file_is_made_once_with_mode_600(
    workspace: Workspace, master_key_file: Path
) -> None:
    store_texts(workspace, [owned(1, "one")])
    first = master_key_file.read_text()
    assert stat.S_IMODE(master_key_file.stat().st_mode) == 0o600
    store_texts(workspace, [owned(2, "two")])
    assert master_key_file.read_text() == first
    assert [path.name for path in master_key_file.parent.iterdir()] == ["master.key"]
    assert keys.master_key() == bytes.fromhex(first.strip())


def test_processes_that_start_together_agree_on_one_master_key(master_key_file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(keys._create, master_key_file) for _ in range(8)]:
            done.result()
    assert len(keys.master_key()) == 32
    assert [path.name for path in master_key_file.parent.iterdir()] == ["master.key"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "a\r\nb\x00c",
        "🤔 é e\u0301",
        "lone \ud83d surrogate",
        "\u202eevil",
        "x" * 200_000,
    ],
)
def test_text_comes_back_as_it_was(workspace: Workspace, text: str) -> None:
    each = owned(3, text)
    store_texts(workspace, [each])
    assert read_texts(workspace, [(3, each.digest)]) == {(3, each.digest): text}


def test_storing_twice_changes_nothing(workspace: Workspace) -> None:
    texts = [owned(1, "one"), owned(1, "two"), owned(2, "one"), owned(1, "one")]
    store_texts(workspace, texts)
    before = list(Blob.objects.order_by("id").values_list("id", "owner_id", "ciphertext"))
    assert len(before) == 3
    store_texts(workspace, list(reversed(texts)))
    assert list(Blob.objects.order_by("id").values_list("id", "owner_id", "ciphertext")) == before
    assert DataKey.objects.count() == 2


def test_neither_store_holds_the_text_or_its_plain_digest(workspace: Workspace) -> None:
    each = owned(1, "a sentinel that nobody may find")
    store_texts(workspace, [each])
    (blob,) = Blob.objects.all()
    (key,) = DataKey.objects.all()
    for held in (bytes(blob.ciphertext), blob.id.encode(), bytes(key.wrapped)):
        assert b"sentinel" not in held
        assert each.digest.removeprefix("sha256:").encode() not in held


def test_equal_texts_of_two_owners_and_two_workspaces_share_nothing(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    each = owned(1, "same")
    store_texts(workspace, [each, owned(2, "same")])
    assert len({bytes(blob.ciphertext) for blob in Blob.objects.all()}) == 2
    assert blob_id(workspace, 1, each.digest) != blob_id(other, 1, each.digest)
    assert read_texts(other, [(1, each.digest)]) == {}


def test_a_blob_cannot_pass_for_another(workspace: Workspace) -> None:
    first, second = owned(1, "first"), owned(1, "second")
    store_texts(workspace, [first, second])
    swapped = Blob.objects.get(id=blob_id(workspace, 1, first.digest)).ciphertext
    Blob.objects.filter(id=blob_id(workspace, 1, second.digest)).update(ciphertext=swapped)
    wanted = [(1, first.digest), (1, second.digest)]
    assert read_texts(workspace, wanted) == {(1, first.digest): "first"}


def test_a_cut_blob_is_unreadable_and_does_not_hide_the_others(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = owned(1, "first"), owned(1, "second")
    store_texts(workspace, [first, second])
    Blob.objects.filter(id=blob_id(workspace, 1, first.digest)).update(ciphertext=b"short")
    wanted = [(1, first.digest), (1, second.digest)]
    assert read_texts(workspace, wanted) == {(1, second.digest): "second"}
    assert caplog.messages == [
        f"blob {blob_id(workspace, 1, first.digest)} is damaged and cannot be read"
    ]


def test_a_key_cannot_be_moved_to_another_owner(workspace: Workspace) -> None:
    store_texts(workspace, [owned(1, "one"), owned(2, "two")])
    DataKey.objects.filter(owner_id=2).update(wrapped=DataKey.objects.get(owner_id=1).wrapped)
    with pytest.raises(MasterKeyError, match="data key of owner 2"):
        read_texts(workspace, [(2, text_digest("two"))])


def test_a_destroyed_key_erases_its_owner_alone(workspace: Workspace) -> None:
    store_texts(workspace, [owned(1, "gone"), owned(2, "stays")])
    destroy_key(1)
    destroy_key(1)
    wanted = [(1, text_digest("gone")), (2, text_digest("stays"))]
    assert read_texts(workspace, wanted) == {(2, text_digest("stays")): "stays"}
    assert bytes(DataKey.objects.get(owner_id=1).wrapped) == b""
    assert erased_owners([1, 2, 3]) == frozenset({1})


def test_nothing_is_stored_for_an_erased_owner(workspace: Workspace) -> None:
    destroy_key(1)  # before any text: the owner may arrive later
    with pytest.raises(OwnerErased) as raised:
        store_texts(workspace, [owned(2, "two"), owned(1, "one")])
    assert raised.value.owner_ids == frozenset({1})
    assert Blob.objects.count() == 0


def test_rehome_moves_texts_and_may_run_twice(workspace: Workspace) -> None:
    store_texts(workspace, [owned(1, "moved"), owned(1, "stays"), owned(3, "erased")])
    destroy_key(3)
    moves = [
        (1, 2, text_digest("moved")),
        (1, 2, text_digest("unknown")),
        (3, 2, text_digest("erased")),
        (1, 1, text_digest("stays")),
    ]
    rehome(workspace, moves)
    rehome(workspace, moves)
    wanted = [
        (owner, text_digest(text)) for owner in (1, 2) for text in ("moved", "stays", "erased")
    ]
    assert read_texts(workspace, wanted) == {
        (2, text_digest("moved")): "moved",
        (1, text_digest("stays")): "stays",
    }


def test_a_batch_costs_the_same_statements_whatever_its_size(
    workspace: Workspace,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    keys.master_key()  # makes the file, which looks once whether keys exist
    for size in (3, 300):
        texts = [owned(1 + at % 5 + size, f"{size} {at}") for at in range(size)]
        # Keys: the live ones, the destroyed ones, the new ones written and read back.
        with django_assert_num_queries(2), django_assert_num_queries(4, using="keys"):
            store_texts(workspace, texts)
        with django_assert_num_queries(1), django_assert_num_queries(0, using="keys"):
            store_texts(workspace, texts)
        with django_assert_num_queries(1), django_assert_num_queries(1, using="keys"):
            assert len(read_texts(workspace, [(t.owner_id, t.digest) for t in texts])) == size
