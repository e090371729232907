"""The step that makes a dependency possible: across a run, where nothing else speaks for its output.

A run that read and wrote many things does not make each output depend on each
input (no false blame). But where an output says nothing of its own origin, any
input of its run may be it (no false innocence). This holds for outputs of stages
1 to 4, from inputs of the same or an earlier stage, never itself.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from lineage.graph.stepping import Stepper, stage_of
from lineage.types import EdgeView
from lineage.vocabulary import Edge

SPOKEN_FOR: Final = range(1, 5)


def across_runs(stepper: Stepper, inputs: Collection[str]) -> tuple[list[EdgeView], set[str]]:
    """The edges crossed from these inputs (USED and WAS_GENERATED_BY), and the outputs reached."""
    used = stepper.arriving([uid for uid in inputs if stage_of(uid) in SPOKEN_FOR], [Edge.USED])
    inputs_of: dict[str, list[EdgeView]] = defaultdict(list)
    for edge in used:
        inputs_of[edge.from_uid].append(edge)
    crossed: dict[tuple[str, str], EdgeView] = {}
    outputs: set[str] = set()
    for generated in stepper.unspoken(inputs_of):
        output = generated.from_uid
        if stage_of(output) not in SPOKEN_FOR:
            continue
        for edge in inputs_of[generated.to_uid]:
            if edge.to_uid != output and stage_of(edge.to_uid) <= stage_of(output):
                crossed[edge.from_uid, edge.to_uid] = edge
                crossed[output, generated.to_uid] = generated
                outputs.add(output)
    return [crossed[key] for key in sorted(crossed)], outputs
