"""What clients and people call the erased pieces: kept under a key for as long as the erasure runs.

Systems outside know them by keys alone; what people have written names them by what describes them.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from lineage.cases.ancestry import sliced
from lineage.content import sealed
from lineage.content.apart import new_owner
from lineage.erasure.scope import Scope
from lineage.models import Erasure, Node
from lineage.types import JsonValue
from provexplorer.workspaces.models import Workspace

KEYS: Final = "erasure:keys"
NAMES: Final = "erasure:names"
_DESCRIBING: Final = frozenset(
    {"title", "name", "uri", "final_uri", "doi", "heading", "heading_path"}
)


def names_of(erasure: Erasure) -> list[dict[str, str]]:
    """Uid, kind, namespace and key of each, in one order for good; none once the erasure is over.

    Raises MasterKeyError.
    """
    owner_id = erasure.working_owner
    key = sealed.key_of(owner_id) if owner_id is not None else None
    if owner_id is None or key is None:
        return []
    data = sealed.unseal(erasure.workspace, owner_id, key, KEYS)
    return [] if data is None else list(json.loads(data))


def names_in(scope: Scope) -> Sequence[dict[str, str]]:
    """What clients call the pieces: other systems know them by these alone."""
    names: list[dict[str, str]] = []
    for ids in sliced(scope.nodes):
        rows = Node.objects.filter(pk__in=ids, resolved=True).order_by("kind", "uid")
        names += [
            {"uid": uid, "kind": kind, "namespace": namespace, "key": key}
            for uid, kind, namespace, key in rows.values_list("uid", "kind", "namespace", "key")
        ]
    return names


def keep_names(workspace: Workspace, scope: Scope) -> int:
    """Put aside what describes these nodes, for an erasure that has nothing else left; the owner it lies under."""
    working = new_owner()
    key = sealed.key_of(working)
    assert key is not None  # made a moment ago
    named = {NAMES: json.dumps(described_in(scope)).encode("ascii")}
    sealed.seal(workspace, working, key, named)
    return working


def described_in(scope: Scope) -> list[str]:
    """Titles, names, addresses, headings and keys, by which people may have named it elsewhere."""
    found: dict[str, None] = {}
    for ids in sliced(scope.nodes):
        rows = Node.objects.filter(pk__in=ids, resolved=True).order_by("pk")
        for key, fields in rows.values_list("key", "fields"):
            told = [key, *(value for name, value in fields.items() if name in _DESCRIBING)]
            told += [one.get("name") for one in fields.get("creators") or () if isinstance(one, dict)]  # fmt: skip
            found |= dict.fromkeys(_strings(told))
    return list(found)


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
