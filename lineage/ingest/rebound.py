"""What changed while the references of a request were bound: causes of all that is made again."""

from dataclasses import dataclass, field

from lineage.impact.made import Made


@dataclass(slots=True)
class Rebound:
    """What binding has changed: the ends of edges that came or went."""

    # The edges of nodes that the request itself made.
    made: Made
    # Causes of recomputation: nodes whose outgoing edges changed.
    from_nodes: set[int] = field(default_factory=set)
    # Answers that gained or lost a claim.
    answers: set[int] = field(default_factory=set)
    # Runs whose inputs or outputs changed.
    runs: set[int] = field(default_factory=set)
    # Of revisions: the node that says so, and the one that it revises.
    revisions: set[tuple[int, int]] = field(default_factory=set)
    # Nodes that were pointed at and may now be placeholders without a name.
    let_go: set[int] = field(default_factory=set)
    # Nodes whose flags, version or event time changed.
    nodes: set[int] = field(default_factory=set)
