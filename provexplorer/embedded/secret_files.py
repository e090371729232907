"""Secrets made once per data folder, readable by their owner alone."""

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

_MODE: Final = 0o600


def private_folder(path: Path) -> Path:
    """The folder, made with mode 700 where it is not there."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def secret(path: Path) -> str:
    """The secret in the file: 32 random bytes as hex, made at the first call.

    Two processes that ask at once get the same one; a crash never leaves half of one.
    Raises ValueError where the file is empty.
    """
    if not path.exists():
        write_private(path, secrets.token_hex(32) + "\n", replace=False)
    text = path.read_text(encoding="ascii").strip()
    if not text:
        message = f"{path} is empty: restore it from its backup"
        raise ValueError(message)
    return text


def write_private(path: Path, text: str, *, replace: bool = True) -> None:
    """Write a file of mode 600, whole or not at all; without `replace` the first writer wins.

    One that is the same already is left as it is: that needs no room on a disk that is full.
    """
    private_folder(path.parent)
    if _is_already(path, text):
        return
    scratch = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            scratch.replace(path)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def _is_already(path: Path, text: str) -> bool:
    try:
        return path.stat().st_mode & 0o777 == _MODE and path.read_text(encoding="utf-8") == text
    except FileNotFoundError:
        return False
