"""What operators have said that missing keys stand for, looked up in bulk as references bind."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from django.db.models import F

from lineage.ingest.relations import IDENTITY_RELATION
from lineage.ingest.revisions import RefRow
from lineage.models import Alias, Node, Reference
from provexplorer.workspaces.models import Workspace

# Below SQLite's limit of 32,766 variables in a statement.
_CHUNK: Final = 2_000
_T = TypeVar("_T")


def named_by(row: RefRow) -> str:
    """What a missing key is found by among the aliases: of any namespace, its hash; empty for a uid."""
    return str(row["anywhere"] or row["address"])


class Aliases:
    """The aliases in force in one workspace; without any, one query tells so and no other follows."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._rows = Alias.objects.filter(workspace=workspace)
        self._some: bool | None = None
        self._known: dict[str, Alias | None] = {}

    def load(self, rows: Iterable[RefRow]) -> set[str]:
        """Load the aliases of what the references name; the addresses of the keys meant."""
        if not self.any():
            return set()
        names = {name for row in rows if (name := named_by(row))}
        self._known |= dict.fromkeys(names - self._known.keys())
        for some in _in_chunks(names):
            in_force = self._rows.filter(named__in=some, ended_at__isnull=True)
            self._known |= {alias.named: alias for alias in in_force.order_by("pk")}
        return {alias.target_address for name in names if (alias := self._known[name]) is not None}

    def of(self, row: RefRow) -> Alias | None:
        """The alias of what a loaded reference names."""
        return None if row["uid"] else self._known.get(named_by(row))

    def leading_to(self, addresses: Collection[str]) -> set[str]:
        """What references name that come to mean these keys by an alias."""
        found: set[str] = set()
        if addresses and self.any():
            for some in _in_chunks(addresses):
                in_force = self._rows.filter(target_address__in=some, ended_at__isnull=True)
                found |= set(in_force.order_by("named").values_list("named", flat=True))
        return found

    def keys_named(self, names: Collection[str]) -> Mapping[str, tuple[str, str]]:
        """(namespace, key) of missing keys as they were named, whether or not the alias is still in force."""
        found: dict[str, tuple[str, str]] = {}
        if names and self.any():
            for some in _in_chunks(names):
                rows = self._rows.filter(named__in=some).order_by("pk")
                for name, namespace, key in rows.values_list("named", "namespace", "key"):
                    found[name] = (namespace, key)
        return found

    def any(self) -> bool:
        """Whether the workspace has, or had, an alias."""
        if self._some is None:
            self._some = self._rows.order_by("pk").values_list("pk", flat=True).first() is not None
        return self._some


def placed_by(workspace: Workspace, names: Collection[str]) -> dict[str, set[str]]:
    """The addresses, by kind, of the keys that have their place in what references name so."""
    found: dict[str, set[str]] = {}
    rows = Reference.objects.filter(
        workspace=workspace, relation__in=set(IDENTITY_RELATION.values())
    )
    for column in ("address", "anywhere"):
        for some in _in_chunks(names):
            placed = rows.filter(**{f"{column}__in": some}).order_by("pk")
            for kind, relation, address in placed.values_list(
                "holder__kind", "relation", "holder__address"
            ):
                if IDENTITY_RELATION.get(kind) == relation:
                    found.setdefault(kind, set()).add(address)
    return found


def heir_by_alias(placeholder: Node, *, whatever_namespace: bool) -> Node | None:
    """The node that an alias in force makes of a placeholder: the newest revision of the key meant."""
    named = placeholder.anywhere if whatever_namespace else placeholder.address
    rows = Alias.objects.filter(workspace_id=placeholder.workspace_id, ended_at__isnull=True)
    alias = rows.filter(named=named).order_by("pk").first()
    if alias is None:
        return None
    meant = Node.objects.filter(
        workspace_id=placeholder.workspace_id, address=alias.target_address, resolved=True
    )
    if alias.target_digest:
        meant = meant.filter(digest=alias.target_digest)
    return meant.order_by(F("occurred_at").desc(nulls_last=True), "uid").first()


def _in_chunks(values: Collection[_T]) -> Iterator[list[_T]]:
    every = list(values)
    for start in range(0, len(every), _CHUNK):
        yield every[start : start + _CHUNK]
