"""Who made something: components, by their runs or by those of some time alone, or one run."""

from dataclasses import dataclass

from django.db.models import OuterRef, Q, QuerySet

from lineage.compiled import by_their_ids
from lineage.impact.question import RunTimes
from lineage.models import Node, Reference
from lineage.types import Viewer
from lineage.vocabulary import Edge


@dataclass(frozen=True, slots=True)
class Makers:
    """Components, or a run; nobody where both are empty. `when`: by their runs of this time alone."""

    components: tuple[int, ...] = ()
    run: int | None = None
    when: RunTimes | None = None

    @property
    def ids(self) -> tuple[int, ...]:
        """The nodes that they are, in order."""
        return self.components if self.run is None else (self.run,)


def runs_of_makers(viewer: Viewer, makers: Makers) -> "QuerySet[Node, Node]":
    """Their runs, of the time that counts where there is one; unordered."""
    runs = by_their_ids(Node.objects.filter(_in_time(makers.when), kind="run"), viewer.workspace_id)
    if makers.run is not None:
        return runs.filter(pk=makers.run)
    references = by_their_ids(Reference.objects.all(), viewer.workspace_id)
    doing = references.filter(
        edge=Edge.WAS_ASSOCIATED_WITH, to_node_id__in=makers.components, from_node__isnull=False
    )
    return runs.filter(pk__in=doing.values("from_node_id"))


def generated_by(viewer: Viewer, makers: Makers) -> "QuerySet[Reference, Reference]":
    """Within a condition on nodes: the references by which one says that these made it, in the time that counts."""
    references = by_their_ids(Reference.objects.all(), viewer.workspace_id)
    generated = references.filter(
        _in_time(makers.when, "to_node__"), edge=Edge.WAS_GENERATED_BY, from_node_id=OuterRef("pk")
    )
    if makers.run is not None:
        return generated.filter(to_node_id=makers.run)
    return generated.filter(
        to_node__edges_out__edge=Edge.WAS_ASSOCIATED_WITH,
        to_node__edges_out__to_node__in=makers.components,
    )


def _in_time(when: RunTimes | None, path: str = "") -> Q:
    """Runs, at this path, of the time; all of them where there is none."""
    if when is None:
        return Q()
    bounds = {"gte": when.since, "lt": when.until}
    given = {f"{path}occurred_at__{name}": at for name, at in bounds.items() if at is not None}
    found = Q(**given) if given else Q(**{f"{path}pk__in": []})
    return found | Q(**{f"{path}occurred_at__isnull": True}) if when.undated else found
