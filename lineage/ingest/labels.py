"""What a list shows for a node: a title, a name, a version; never text of a document or an answer."""

from collections.abc import Mapping
from typing import Any


def label_of(kind: str, fields: Mapping[str, Any]) -> str:
    """The label of a node of this kind, from its merged fields; "" where they name nothing."""
    match kind:
        case "agent":
            return _word(fields, "name")
        case "component":
            return f"{_word(fields, 'name')} {_word(fields, 'version')}".strip()
        case "run":
            return _word(fields, "run_kind")
        case "source":
            return _word(fields, "title")
        case "source_version":
            return _word(fields, "version")
        case "acquisition":
            return _word(fields, "final_uri") or _word(fields, "uri")
        case "part":
            return (
                _word(fields, "heading")
                or _word(fields, "page_label")
                or _word(fields, "part_kind")
            )
        case "chunk":
            path = fields.get("heading_path")
            return " › ".join(str(one) for one in path) if isinstance(path, list) else ""
        case "embedding":
            return _word(fields, "model")
        case "index_snapshot":
            return _word(fields, "collection")
        case "citation":
            return _word(fields, "marker")
        case _:
            return ""


def _word(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return str(value) if isinstance(value, (str, int, float)) else ""
