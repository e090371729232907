"""What bringing nodes in line has changed, for the steps after it."""

from dataclasses import dataclass, field
from datetime import datetime

from lineage.ingest.named_by_uid import WaitingForUids
from lineage.ingest.revisions import Merged
from lineage.models import Node
from provexplorer.clock import BEFORE_ALL


@dataclass(slots=True)
class Touched:
    """What bringing nodes in line has changed, for the steps after it."""

    waiting: WaitingForUids
    nodes: dict[int, Node] = field(default_factory=dict)
    merged: dict[int, Merged] = field(default_factory=dict)
    # Of those in `merged`: nodes whose references before this request are not among it.
    gone_on: set[int] = field(default_factory=set)
    # Keys whose revisions came, went or moved → from which event on references to them bind again.
    addresses: dict[str, datetime] = field(default_factory=dict)
    anywhere: dict[str, datetime] = field(default_factory=dict)
    # Nodes whose own row changed: the graph must learn of them.
    changed: set[int] = field(default_factory=set)
    # Those of `changed` that are new, or of which their records say something else than when.
    said_anew: set[int] = field(default_factory=set)
    # Nodes that have another uid now: the edges that lead to them are others.
    moved: set[int] = field(default_factory=set)
    # Nodes that no sighting makes any more → their uid, and the node that has their sightings now.
    left_over: dict[int, tuple[str, Node | None]] = field(default_factory=dict)
    # (kind, parent, start, end) of intervals that a chunk or a part had and has no more.
    vacated: set[tuple[str, int, int, int]] = field(default_factory=set)
    # Nodes of keys that nobody speaks of any more: placeholders now, until nothing names them.
    unsaid: set[int] = field(default_factory=set)
    # Nodes made by this request: nothing stands in the store about them yet.
    new: set[int] = field(default_factory=set)
    # Address → the only node of its key, where this request made it.
    only: dict[str, Node] = field(default_factory=dict)

    def binds_again(self, node: Node, since: datetime = BEFORE_ALL) -> None:
        """Note that references to the node's key bind again, those of events from `since` on."""
        for names, name in ((self.addresses, node.address), (self.anywhere, node.anywhere)):
            names[name] = min(since, names.get(name, since))
