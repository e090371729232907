"""What a question asks about: its nodes, the components that it names, and what those made."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from lineage.bulk_rows import slices
from lineage.identifiers import kind_of_uid
from lineage.impact.made_of import NotCombined, made_of
from lineage.impact.makers import Makers, runs_of_makers
from lineage.impact.question import THE_COMPONENT, ComponentRange, Question
from lineage.impact.question_values import QuestionInvalid
from lineage.impact.sets import SET_PREFIX, members_of
from lineage.impact.versions import within
from lineage.models import Node, UidAlias
from lineage.types import NotFound, Viewer

# Beyond, what the database finds is not told to it again as a list.
MOST_LISTED: Final = 2_000
# Components of one name; a name that more have is no name.
MOST_COMPONENTS: Final = 5_000
_SLICE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Targets:
    """The nodes that answers may rest on: by id, or as a query where there are too many to list.

    `ids` is None where `query` stands for them. `named`: how many the question names.
    """

    ids: tuple[int, ...] | None
    query: "QuerySet[Node, Any] | None"
    named: int

    def condition(self, path: str = "target_id") -> Q:
        """Rows whose id at this path is one of the targets."""
        if self.ids is None:
            return Q(**{f"{path}__in": self.query})
        if len(self.ids) == 1:
            return Q(**{path: self.ids[0]})
        return Q(**{f"{path}__in": self.ids})


def targets_of(viewer: Viewer, question: Question) -> Targets:
    """What the question asks about, in the viewer's workspace.

    Raises NotFound for a uid that is unknown there, another workspace's included;
    QuestionInvalid where `made_by` is neither component nor run, or a name is everybody's;
    NotCombined where it is to narrow components or runs, TooManyCombined where more than it can.
    """
    nodes = node_ids(viewer, question.nodes)
    makers = makers_of(viewer, question)
    if question.made_by and nodes:
        return _listed(made_of(viewer, makers, nodes), len(nodes))
    if question.made_by and _narrows(question):
        return Targets((), None, 0)
    if question.made is None:
        every = tuple(sorted({*nodes, *makers.ids}))
        return Targets(every, None, len(every))
    runs = runs_of_makers(viewer, makers)
    if nodes:
        every_node = Node.objects.filter(workspace_id=viewer.workspace_id)
        runs = every_node.filter(Q(pk__in=list(nodes)) | Q(pk__in=runs.values("pk")))
    return _listed(runs, len(nodes) + len(makers.ids))


def makers_of(viewer: Viewer, question: Question) -> Makers:
    """The components that the question names, or what `made_by` is; nobody where it says neither.

    Raises as `targets_of` does.
    """
    named = () if question.component is None else components_named(viewer, question.component)
    if question.made_by in ("", THE_COMPONENT):
        return Makers(tuple(named), when=question.made)
    maker = _maker(viewer, question.made_by)
    if named:
        raise NotCombined(
            "component", "Nothing is made of components: `made_by` narrows none of them."
        )
    if maker.kind == "run":
        return Makers(run=maker.pk, when=question.made)
    return Makers((maker.pk,), when=question.made)


def _narrows(question: Question) -> bool:
    """Whether `made_by` narrows something else that the question names, though that be nothing by now."""
    other = question.component is not None and question.made_by != THE_COMPONENT
    return bool(question.nodes) or other


def _listed(nodes: "QuerySet[Node, Node]", named: int) -> Targets:
    """These nodes, told one by one where they are few enough."""
    ids = sorted(nodes.values_list("pk", flat=True).order_by("pk")[: MOST_LISTED + 1])
    if len(ids) > MOST_LISTED:
        return Targets(None, nodes.values("pk").order_by(), named)
    return Targets(tuple(ids), None, named)


def node_ids(viewer: Viewer, uids: Collection[str]) -> dict[int, None]:
    """The ids of nodes and of the members of kept sets, each once; earlier uids lead on.

    Raises NotFound for one that is unknown in the viewer's workspace.
    """
    wanted = [uid for uid in uids if not uid.startswith(SET_PREFIX)]
    if any(kind_of_uid(uid) is None for uid in wanted):
        raise NotFound
    found = ids_by_uid(viewer, wanted)
    if len(found) < len(set(wanted)):
        raise NotFound
    for uid in uids:
        if uid.startswith(SET_PREFIX):
            # What was known when the set was made and is gone since affects nothing.
            found |= ids_by_uid(viewer, members_of(viewer, uid))
    return dict.fromkeys(found.values())


def ids_by_uid(viewer: Viewer, uids: Collection[str]) -> dict[str, int]:
    """The node id of each uid that the workspace knows, by its present or an earlier name."""
    found: dict[str, int] = {}
    for some in slices(sorted(set(uids)), _SLICE):
        rows = Node.objects.filter(workspace_id=viewer.workspace_id, uid__in=some)
        found |= dict(rows.values_list("uid", "pk"))
        if left := [uid for uid in some if uid not in found]:
            aliases = UidAlias.objects.filter(workspace_id=viewer.workspace_id, uid__in=left)
            found |= dict(aliases.values_list("uid", "node_id"))
    return found


def components_named(viewer: Viewer, wanted: ComponentRange) -> list[int]:
    """The components with this name, of this kind, version and configuration, by id.

    One that runs name and no record describes is taken by its key, where that has the form
    that keys have by default, `kind:name@version#configuration`. Raises QuestionInvalid
    where more than 5,000 have the name.
    """
    every = Node.objects.filter(workspace_id=viewer.workspace_id, kind="component")
    named = Q(resolved=True, fields__name=wanted.name)
    keyed = Q(resolved=False, key__contains=f":{wanted.name}@")
    rows = every.filter(named | keyed).order_by("pk").values_list("pk", "resolved", "key", "fields")
    found = list(rows[: MOST_COMPONENTS + 1])
    if len(found) > MOST_COMPONENTS:
        raise QuestionInvalid("component", f"More than {MOST_COMPONENTS:,} have this name.")
    return [
        pk
        for pk, resolved, key, fields in found
        if _fits(fields if resolved else _said_by_key(key), wanted)
    ]


def _fits(said: Mapping[str, Any], wanted: ComponentRange) -> bool:
    kind, digest = wanted.component_kind, wanted.config_digest
    return (
        said.get("name") == wanted.name
        and kind in ("", said.get("component_kind"))
        and digest in ("", said.get("config_digest"))
        and within(str(said.get("version") or ""), wanted.version_from, wanted.version_to)
    )


def _said_by_key(key: str) -> dict[str, str]:
    kind, _, rest = key.partition(":")
    identity, _, digest = rest.partition("#")
    name, _, version = identity.rpartition("@")
    return {"component_kind": kind, "name": name, "version": version, "config_digest": digest}


def _maker(viewer: Viewer, uid: str) -> Node:
    found = node_ids(viewer, [uid]) if not uid.startswith(SET_PREFIX) else {}
    maker = Node.objects.filter(workspace_id=viewer.workspace_id, pk__in=found).first()
    if maker is None:
        raise NotFound
    if maker.kind not in ("component", "run"):
        raise QuestionInvalid("made_by", "To be a component or a run.")
    return maker
