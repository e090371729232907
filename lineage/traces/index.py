"""The index of traces: which payloads hold spans of which, and which are derived together."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import transaction

from lineage import bulk_rows
from lineage.identifiers import keyed_hash
from lineage.ingest.keys import in_chunks
from lineage.models import TraceHome, TracePayload
from provexplorer.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class Together:
    """Traces whose records stand under one origin, each with the payloads that hold its spans.

    Traces that one payload was the first to hold share it: a batch of fifty traces is applied
    in one go, and derived anew as a whole when a later payload goes on with one of them.
    """

    home: int
    payloads: Mapping[str, frozenset[int]]

    def origin(self, workspace: Workspace) -> str:
        """Under which the records of these traces stand: opaque, 26 characters."""
        return keyed_hash(workspace.hash_key, "traces", str(self.home))


def hash_of(workspace: Workspace, trace_id: str) -> str:
    """A trace as the index knows it."""
    return keyed_hash(workspace.hash_key, "trace", trace_id)


def register(workspace: Workspace, payload_id: int, traces: Collection[str]) -> None:
    """Note that the payload holds spans of these traces (hashes); again changes nothing."""
    names = sorted(set(traces))
    with transaction.atomic():
        # In the order of their names: two payloads of the same traces never wait in a circle.
        bulk_rows.insert(
            TraceHome,
            ("workspace_id", "trace", "home_id"),
            [(workspace.pk, name, payload_id) for name in names],
            unless_there=True,
        )
        ids: list[int] = []
        for chunk in in_chunks(names):
            held = TraceHome.objects.filter(workspace=workspace, trace__in=chunk)
            ids += held.values_list("pk", flat=True)
        bulk_rows.insert(
            TracePayload,
            ("trace_id", "payload_id"),
            [(pk, payload_id) for pk in sorted(ids)],
            unless_there=True,
        )


def together(workspace: Workspace, traces: Collection[str]) -> list[Together]:
    """These traces (hashes) with all that stand under the same origins, the oldest home first."""
    homes: set[int] = set()
    for chunk in in_chunks(traces):
        rows = TraceHome.objects.filter(workspace=workspace, trace__in=chunk)
        homes |= set(rows.values_list("home_id", flat=True))
    found: dict[int, dict[str, set[int]]] = {home: {} for home in homes}
    for some in in_chunks(homes):
        held = TracePayload.objects.filter(trace__workspace=workspace, trace__home_id__in=some)
        for home, trace, payload in held.order_by("pk").values_list(
            "trace__home_id", "trace__trace", "payload_id"
        ):
            found[home].setdefault(trace, set()).add(payload)
    return [
        Together(home, {trace: frozenset(ids) for trace, ids in payloads.items()})
        for home, payloads in sorted(found.items())
    ]
