"""The files of the demo's data."""

import json
from pathlib import Path
from typing import Final

from lineage.types import JsonValue

FOLDER: Final = Path(__file__).parent
DATA: Final = FOLDER / "data"
BIBLIOGRAPHY: Final = FOLDER / "bibliography.json"


def read_json(path: Path) -> JsonValue:
    """The one JSON value of a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list[JsonValue]:
    """The JSON values of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def read_text(path: Path) -> str:
    """A text exactly as it is: line ends are part of it, and offsets count them."""
    return path.read_bytes().decode("utf-8")
