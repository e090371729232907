"""The lineage of an answer as PROV-JSON, for a file that leaves the site."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lineage.api.prov_lineage import exported
from lineage.types import JsonValue, Viewer

# Steps from the answer towards its sources: more than any chain of nested passages has.
_DEPTH: Final = 20
_ELEMENTS: Final = ("entity", "activity", "agent")
_HIDDEN: Final = "pvx:hidden"


@dataclass(frozen=True, slots=True)
class Provenance:
    """The document, how many records are not told in it, and whether a bound cut it."""

    document: dict[str, JsonValue]
    hidden: int
    cut: bool


def provenance(viewer: Viewer, uid: str, base: str) -> Provenance:
    """What lies upstream of the answer; hidden nodes have their shape alone.

    A person or body may be visible for other works. Where all that is attributed to them
    here is hidden or erased, the file must not say whose it is: they are left out.
    Raises what lineage.api.prov_lineage.exported raises.
    """
    found = exported(viewer, uid, "upstream", depth=_DEPTH, form="json", base=f"{base}/lineage/")
    document: dict[str, JsonValue] = json.loads(found.content)
    makers = _of_untold_works_alone(document)
    for section in [name for name in document if name not in ("prefix", "bundle")]:
        kept = {
            name: element
            for name, element in document[section].items()
            if name not in makers and not makers & set(_names_in(element))
        }
        document[section] = kept
    bare = sum(_HIDDEN in each for kind in _ELEMENTS for each in document.get(kind, {}).values())
    return Provenance(document, bare + len(makers), found.truncated)


def _of_untold_works_alone(document: dict[str, JsonValue]) -> set[str]:
    """The agents to whom nothing is attributed that is told, and something that is not."""
    entities, agents = document.get("entity", {}), document.get("agent", {})
    seen: set[str] = set()
    unseen: set[str] = set()
    for relation in document.get("wasAttributedTo", {}).values():
        for each in relation if isinstance(relation, list) else [relation]:
            work = entities.get(each.get("prov:entity"), {})
            untold = _HIDDEN in work or work.get("pvx:state") == "erased"
            (unseen if untold else seen).add(str(each.get("prov:agent")))
    return {name for name in unseen - seen if _HIDDEN not in agents.get(name, {})}


def _names_in(element: JsonValue) -> Iterator[str]:
    """What a relation joins."""
    for each in element if isinstance(element, list) else [element]:
        yield from (value for value in each.values() if isinstance(value, str))
