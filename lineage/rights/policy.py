"""The policy "no creator or licence, no indexing": set by admins, obeyed where records are applied.

It is judged by what the store says once a request is applied, so that it does not matter in
which order its records come. What is indexed of a version that states too little is refused;
what comes before its version is described is let in with a warning, and listed until it is.
Records put together from traces tell what was used already; they are evidence and let in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from lineage.cases.errors import ScopeMissing
from lineage.formats.refusals import record_problem
from lineage.ingest.keys import in_chunks
from lineage.models import Node, Reference, RightsPolicy
from lineage.rights.known import Lacking, Rules, lacking
from lineage.types import NativeRecord, Outcome, Refused, Viewer, Warned
from lineage.vocabulary import Edge
from provexplorer import clock
from provexplorer.workspaces.audit import recording as audit
from provexplorer.workspaces.models import Workspace

PENDING: Final = "attribution_pending"
_Followed = TypeVar("_Followed")
Apply = Callable[[Sequence[NativeRecord]], tuple[dict[int, Outcome], _Followed]]

# What is indexed → where its record names what it was made of.
_INDEXED: Final[Mapping[str, tuple[str, ...]]] = {
    "chunk": ("/document",),
    "fact": ("/subject_of",),
    "embedding": ("/chunk", "/fact"),
    "index_snapshot": (),
}


@dataclass(frozen=True, slots=True)
class Admitted(Generic[_Followed]):
    """What came of a request under the policy: outcomes by index, what followed, and what is refused."""

    outcomes: dict[int, Outcome]
    followed: _Followed
    refused: tuple[Refused, ...] = ()


def rules_of(workspace_id: int) -> Rules:
    """What the workspace demands; without a policy, nothing."""
    row = (
        RightsPolicy.objects.filter(pk=workspace_id)
        .values_list("demands_creator", "demands_licence")
        .first()
    )
    return Rules(*row) if row else Rules()


def set_rules(viewer: Viewer, rules: Rules) -> None:
    """Set what is demanded from now on; what is there already stays, and is listed. Raises ScopeMissing."""
    if "admin" not in viewer.scopes:
        raise ScopeMissing("admin")
    with transaction.atomic():
        RightsPolicy.objects.update_or_create(
            workspace_id=viewer.workspace_id,
            defaults={
                "demands_creator": rules.creator,
                "demands_licence": rules.licence,
                "set_at": clock.now(),
                "set_by_id": viewer.user_id,
            },
        )
        demanded = ("creator" if rules.creator else "", "licence" if rules.licence else "")
        audit.record("policy.changed", viewer, code="_".join(filter(None, demanded)) or "nothing")


def admit(
    workspace: Workspace,
    records: Sequence[NativeRecord],
    apply: "Apply[_Followed]",
    *,
    derived: bool,
) -> "Admitted[_Followed]":
    """Apply the records that the policy lets in, as part of the transaction at hand.

    All are applied first and judged by what they have become; where some are refused, that is
    undone and the others are applied. `derived`: they were put together from traces.
    """
    indexed = {record.index: record for record in records if record.kind in _INDEXED}
    rules = rules_of(workspace.pk) if indexed and not derived else Rules()
    if not rules:
        return Admitted(*apply(records))
    try:
        with transaction.atomic():
            outcomes, followed = apply(records)
            judged = _Judged(workspace, rules, indexed, outcomes)
            if judged.refused:
                raise _Undone(judged)
    except _Undone as undone:
        judged = undone.judged
        outcomes, followed = apply([each for each in records if each.index not in judged.refused])
    for index in judged.pending & outcomes.keys():
        outcomes[index] = _warned(outcomes[index], indexed[index])
    return Admitted(outcomes, followed, tuple(judged.refused.values()))


class _Undone(Exception):
    """What was applied is undone, since some of it may not be."""

    def __init__(self, judged: "_Judged") -> None:
        super().__init__("refused")
        self.judged = judged


class _Judged:
    """The records that may not be indexed, and those of which it is not known yet."""

    def __init__(
        self,
        workspace: Workspace,
        rules: Rules,
        indexed: Mapping[int, NativeRecord],
        outcomes: Mapping[int, Outcome],
    ) -> None:
        self._workspace, self._rules = workspace, rules
        self.refused: dict[int, Refused] = {}
        self.pending: set[int] = set()
        self._versions: dict[int, Node] = {}
        nodes = self._nodes(outcomes[index].uid for index in indexed)
        members = self._members(node for node in nodes.values() if node.kind == "index_snapshot")
        behind: dict[int, list[tuple[int | None, str]]] = {}
        for index, record in indexed.items():
            node = nodes.get(outcomes[index].uid or "")
            if node is None:
                continue
            if node.kind == "index_snapshot":
                behind[index] = members.get(node.pk, [])
            else:
                behind[index] = [(node.version_id, _pointer(record))]
        self._load({pk for several in behind.values() for pk, _ in several if pk is not None})
        for index, several in behind.items():
            self._judge(indexed[index], several)

    def _judge(self, record: NativeRecord, behind: Sequence[tuple[int | None, str]]) -> None:
        for version_id, pointer in behind:
            version = self._versions.get(version_id or 0)
            source = version.parent if version is not None else None
            if version is None or source is None or not (version.resolved and source.resolved):
                self.pending.add(record.index)
                continue
            missing = lacking(self._rules, source.fields, version.fields)
            if missing:
                problem = record_problem(
                    "rights-missing", _detail(missing, source, version), pointer
                )
                self.refused[record.index] = Refused(record.index, record.kind, record.key, problem)
                return

    def _nodes(self, uids: Iterable[str | None]) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for chunk in in_chunks({uid for uid in uids if uid}):
            rows = Node.objects.filter(workspace=self._workspace, uid__in=chunk)
            found |= {node.uid: node for node in rows.only("uid", "kind", "version_id")}
        return found

    def _members(self, snapshots: Iterable[Node]) -> dict[int, list[tuple[int | None, str]]]:
        """(version, pointer) of each member of the snapshots, one for each version."""
        found: dict[int, dict[int | None, str]] = {}
        for chunk in in_chunks({node.pk for node in snapshots}):
            rows = Reference.objects.filter(
                workspace=self._workspace, edge=Edge.HAD_MEMBER, from_node_id__in=chunk
            ).order_by("from_node_id", "relation", "ordinal", "pk")
            for snapshot, version, pointer in rows.values_list(
                "from_node_id", "to_node__version_id", "pointer"
            ).iterator():
                found.setdefault(snapshot or 0, {}).setdefault(version, pointer)
        return {pk: list(several.items()) for pk, several in found.items()}

    def _load(self, version_ids: set[int]) -> None:
        for chunk in in_chunks(version_ids):
            rows = Node.objects.filter(workspace=self._workspace, pk__in=chunk)
            self._versions |= {node.pk: node for node in rows.select_related("parent")}


def _pointer(record: NativeRecord) -> str:
    """Where the record names what it was made of."""
    named = {ref.pointer for ref in record.refs}
    places = _INDEXED[record.kind]
    return next((place for place in places if place in named), places[0])


def _detail(missing: Sequence[Lacking], source: Node, version: Node) -> str:
    said = []
    if "creator" in missing:
        said.append(_("the source %(key)s names no creator") % {"key": source.key})
    if "licence" in missing:
        said.append(_("its version %(key)s states no licence that is known") % {"key": version.key})
    return _("Too little is stated to be indexed here: %(missing)s.") % {"missing": "; ".join(said)}


def _warned(outcome: Outcome, record: NativeRecord) -> Outcome:
    pointers = _INDEXED[record.kind]
    warning = Warned(
        PENDING,
        _pointer(record) if pointers else "",
        "Its source is not described yet; without a creator and a licence as this workspace "
        "demands, it must not stay indexed.",
    )
    return replace(outcome, warnings=(*outcome.warnings, warning))
