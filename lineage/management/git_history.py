"""The history of a git repository's documents as rows of lineage.formats.history, read by git itself."""

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lineage.types import JsonValue

# What documents are called, where nobody says otherwise.
DOCUMENTS: Final = ("*.md", "*.mdx", "*.rst", "*.txt", "*.adoc", "*.html")
# Texts that are kept in memory, all together; and one of them.
MOST_BYTES: Final = 256 * 1024 * 1024
_ONE_TEXT: Final = 8 * 1024 * 1024
_TIMEOUT: Final = 600
_COMMIT: Final = "\x01"
_PARTS: Final = "\x02"


class GitUnreadable(Exception):
    """The folder is no repository that git can read, or holds too much; the text says which."""


@dataclass(frozen=True, slots=True)
class _Commit:
    sha: str
    author: str
    at: str
    message: str


def is_repository(folder: Path) -> bool:
    """Whether the folder is the root of a working tree or a bare repository."""
    return (folder / ".git").exists() or (
        (folder / "HEAD").is_file() and (folder / "objects").is_dir()
    )


def read_rows(
    folder: Path, *, patterns: Sequence[str] = DOCUMENTS, address: str = "", license_: str = ""
) -> Iterator[JsonValue]:
    """Every version, deletion and rename of the documents on the current branch, oldest first.

    `address`: what a path follows to be the address of its document. What is no UTF-8 text is
    left out. Raises GitUnreadable.
    """
    read = 0
    common = {"license": license_} if license_ else {}
    for commit, status, paths in _changes(folder, patterns):
        about = {"commit": commit.sha, "author": commit.author, "message": commit.message}
        if status == "D":
            text = _text(folder, f"{commit.sha}^", paths[0])
            event = {"type": "deleted", "path": paths[0], "at": commit.at, **about}
            yield event if text is None else event | {"last_text": text}
            continue
        if status == "R":
            yield {
                "type": "renamed", "from_path": paths[0], "to_path": paths[1], "at": commit.at, **about,
            }  # fmt: skip
        text = _text(folder, commit.sha, paths[-1])
        if text is None:
            continue
        read += len(text)
        if read > MOST_BYTES:
            raise GitUnreadable("The texts of its history are more than 256 MiB: narrow it down.")
        yield {
            "path": paths[-1],
            "committed": commit.at,
            "text": text,
            **about,
            **common,
            **({"source": f"{address}{paths[-1]}"} if address else {}),
        }


def _changes(folder: Path, patterns: Sequence[str]) -> Iterator[tuple[_Commit, str, list[str]]]:
    """(commit, letter of the change, its one or two paths), the oldest first."""
    out = _git(
        folder, "log", "--reverse", "--first-parent", "-m", "--find-renames", "--name-status", "-z",
        f"--format={_COMMIT}%H{_PARTS}%an{_PARTS}%cI{_PARTS}%s", "HEAD", "--", *(f":(glob)**/{p}" for p in patterns),
    )  # fmt: skip
    commit: _Commit | None = None
    fields = iter(out.decode("utf-8", "replace").split("\0"))
    for field in fields:
        text = field.lstrip("\n")
        if text.startswith(_COMMIT):
            commit = _Commit(*text.removeprefix(_COMMIT).split(_PARTS, 3))
        elif text and commit is not None:
            status = text[0]
            paths = [next(fields) for _ in range(2 if status in "RC" else 1)]
            yield commit, status, paths


def _text(folder: Path, revision: str, path: str) -> str | None:
    """The text of a file at a revision; None of what is no text."""
    try:
        data = _git(folder, "cat-file", "blob", f"{revision}:{path}")
        return None if len(data) > _ONE_TEXT or b"\0" in data else data.decode("utf-8")
    except (GitUnreadable, UnicodeDecodeError):
        return None


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "--no-pager", "-c", "core.quotepath=off", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=_TIMEOUT)  # noqa: S603 - git, with our own arguments
    except FileNotFoundError as error:
        raise GitUnreadable("git is not installed here.") from error
    except subprocess.TimeoutExpired as error:
        raise GitUnreadable("git did not answer in time.") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitUnreadable(said[-1] if said else "git refused.") from error
    return done.stdout
