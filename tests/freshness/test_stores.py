"""Sources in folders and object stores: which are reached, and what a look at them comes to."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from django.test import override_settings

from lineage.freshness.probe import Probed, Target, probe
from lineage.freshness.stores import is_stored, read_stored, stored_at
from lineage.models.freshness import Outcome
from lineage.outside import AddressRefused
from tests.project.deployment import manage

pytestmark = pytest.mark.engine_free

TEXT = "The text of the source, as it was.\n"


@pytest.fixture
def bucket() -> Iterator[Any]:
    """A store in memory with an object `papers/2024/a b.md`, which the workspace `here` may read."""
    store = fsspec.filesystem("memory")
    store.pipe("/papers/2024/a b.md", TEXT.encode())
    store.pipe("/papers/2024b/x.md", b"secret")
    with override_settings(
        FETCH_SCHEMES={"memory", "s3"}, FETCH_FOLDERS=["here=memory://papers/2024", "here=s3://b/c"]
    ):
        yield store
    store.rm("/papers", recursive=True)


def look(uri: str, workspace: str = "here", **known: str) -> Probed:
    return probe(Target(uri, workspace, **known))


@pytest.mark.parametrize(
    "uri, workspace",
    [
        ("memory://papers/2024b/x.md", "here"), ("memory://papers/2024/../2024b/x.md", "here"),
        ("memory://papers/2024", "here"), ("memory://", "here"), ("memory:papers/2024/a b.md", "here"),
        ("memory://papers/2024/a b.md", "there"), ("memory://papers/2024/\0", "here"),
        # Not switched on, or never: none of the library's other ways out.
        ("file:///papers/2024/a b.md", "here"), ("gs://papers/2024/a", "here"),
        ("ftp://papers/2024/a", "here"), ("sftp://papers/2024/a", "here"),
        ("github://papers/2024/a", "here"), ("ssh://papers/2024/a", "here"),
        ("simplecache::memory://papers/2024/a b.md", "here"), ("zip://a::memory://papers/2024/x", "here"),
        ("webhdfs://papers/2024/a", "here"), ("git://papers/2024/a", "here"), ("data:,x", "here"),
        ("local:///papers/2024/a b.md", "here"), ("reference://papers/2024/a", "here"),
    ],
)  # fmt: skip
def test_nothing_else_is_reached(bucket: Any, uri: str, workspace: str) -> None:
    seen = look(uri, workspace)
    assert (seen.outcome, seen.failure) == (Outcome.REFUSED, "address_refused")


def test_a_scheme_that_is_no_store_cannot_be_switched_on() -> None:
    done = manage("check", PROVEXPLORER_FETCH_SCHEMES="file,https,sftp")
    assert done.returncode != 0
    assert "https, sftp is no store" in done.stderr


def test_an_object_is_read_compared_and_gone(bucket: Any) -> None:
    uri = "memory://papers/2024/a b.md"
    seen = look(uri)
    assert (seen.outcome, seen.status, seen.text) == (Outcome.FIRST, 200, TEXT)
    assert (seen.media_type, seen.credential) == ("text/markdown", "")
    assert look(uri, etag=seen.etag).outcome is Outcome.UNCHANGED
    bucket.pipe("/papers/2024/a b.md", b"Another text.\n")
    again = look(uri, etag=seen.etag, digest=seen.digest)
    assert (again.outcome, again.text) == (Outcome.CHANGED, "Another text.\n")
    assert look("memory://papers/2024/none").outcome is Outcome.GONE


def test_what_is_too_large_is_not_read(bucket: Any) -> None:
    place = stored_at("memory://papers/2024/a b.md", "here")
    assert read_stored(place, most_bytes=len(TEXT)).body == TEXT.encode()
    assert read_stored(place, most_bytes=len(TEXT) - 1).failure == "too_large"


class _Hanging:
    """A store that says nothing until it is let go."""

    def __init__(self, let_go: threading.Event) -> None:
        self._let_go = let_go

    def info(self, path: str) -> dict[str, object]:
        self._let_go.wait(20)
        raise PermissionError(path)


def test_a_store_that_does_not_answer_is_left_behind(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()
    monkeypatch.setattr(fsspec, "get_filesystem_class", lambda _: lambda **__: _Hanging(let_go))
    place = stored_at("memory://papers/2024/a b.md", "here")
    began = time.monotonic()
    assert read_stored(place, seconds=0.1).failure == "too_slow"
    assert time.monotonic() - began < 5
    let_go.set()
    assert read_stored(place, seconds=5).status == 403


def test_secrets_are_named_and_given_to_their_bucket_alone(bucket: Any) -> None:
    said = {"LAB": 'here s3://b {"key": "k", "secret": "word"}', "BAD": "here s3://broken {"}
    with override_settings(FETCH_SECRETS=said, FETCH_FOLDERS=["here=s3://b/c", "here=s3://broken/c", "here=s3://open/c", "there=s3://b/c"]):  # fmt: skip
        mine = stored_at("s3://b/c/x.pdf", "here")
        assert (mine.credential, mine.options) == ("LAB", {"key": "k", "secret": "word"})
        assert "word" not in repr(mine)
        # Unsigned, not by what this machine may happen to be allowed.
        for uri, workspace in (("s3://open/c/x", "here"), ("s3://b/c/x", "there")):
            other = stored_at(uri, workspace)
            assert (other.credential, other.options) == ("", {"anon": True})
        with pytest.raises(AddressRefused):
            stored_at("s3://broken/c/x", "here")


def test_only_regular_files_of_a_folder_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.txt").write_text(TEXT)
    with override_settings(FETCH_SCHEMES={"file"}, FETCH_FOLDERS=[f"here={tmp_path}"]):
        for name in ("pipe", "folder", "a.txt/b", "none"):
            assert look(f"file://{tmp_path}/{name}").outcome is Outcome.GONE, name
        assert look(f"file://localhost{tmp_path}/a.txt").text == TEXT
        assert look(f"FILE://{tmp_path}/a.txt").text == TEXT


def test_addresses_of_stores_are_told_from_those_of_sites() -> None:
    assert [is_stored(uri) for uri in ("s3://b/c", "File:///x", "https://e.org", "ftp://e.org")] == [True, True, False, False]  # fmt: skip
