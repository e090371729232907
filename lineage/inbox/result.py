"""What an applier is given and gives: plain values, the same for every format."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lineage.types import Outcome
from provexplorer.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class Payload:
    """One request as it was sent; `body` unpacked, `media_type` the Content-Type with its parameters."""

    pk: int
    uid: str
    format: str
    media_type: str
    body: bytes
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome per item as the format counts items (record, event, span, PROV element).

    `projected`: the graph has it, too. Where it is away, what was stored is safe and
    follows later.
    """

    outcomes: tuple[Outcome, ...]
    projected: bool


# Idempotent: a payload may be applied again, by the sweeper or on request. Raises BodyRefused
# where the body as a whole is unusable.
Applier = Callable[[Workspace, Payload], Result]
