"""What a request is told of its records when all that follows from them is written."""

from collections.abc import Mapping, Sequence

from lineage.compiled import by_their_ids
from lineage.ingest.keys import in_chunks
from lineage.ingest.sightings import Recorded
from lineage.models import Node, Sighting
from lineage.types import NativeRecord, Outcome, Warned
from provexplorer.workspaces.models import Workspace


def outcomes_of(
    workspace: Workspace,
    records: Sequence[NativeRecord],
    recorded: Recorded,
    only: Mapping[str, Node],
) -> dict[int, Outcome]:
    """The uid and the warnings of each record's node as they stand at the end of the request.

    `only`: nodes in memory as they are in the store, by address, where the key has no other.
    """
    nodes = _nodes_of(workspace, recorded, only)
    outcomes: dict[int, Outcome] = {}
    for record in records:
        place = (recorded.address_of_index[record.index], recorded.digest_of_index[record.index])
        uid, flags = nodes[place]
        warnings = {
            (flag["code"], flag["pointer"]): Warned(flag["code"], flag["pointer"], flag["detail"])
            for flag in flags
        }
        outcomes[record.index] = Outcome(
            index=record.index,
            status="unchanged" if record.index in recorded.known else "stored",
            kind=record.kind,
            key=record.key,
            uid=uid,
            warnings=tuple(warnings.values()),
        )
    return outcomes


def _nodes_of(
    workspace: Workspace, recorded: Recorded, only: Mapping[str, Node]
) -> Mapping[tuple[str, str], tuple[str, list[dict[str, str]]]]:
    found: dict[tuple[str, str], tuple[str, list[dict[str, str]]]] = {}
    wanted = {
        (recorded.address_of_index[index], digest)
        for index, digest in recorded.digest_of_index.items()
    }
    for address, digest in wanted:
        if address in only:
            found[address, digest] = (only[address].uid, only[address].flags)
    others = {recorded.ids[place]: place for place in wanted if place[0] not in only}
    for chunk in in_chunks(others):
        rows = by_their_ids(Sighting.objects.filter(pk__in=chunk), workspace.pk).order_by("pk")
        for pk, uid, flags in rows.values_list("pk", "node__uid", "node__flags"):
            found[others[pk]] = (uid, flags or [])
    return found
