"""Which format is applied by what: one line per format."""

from collections.abc import Mapping
from typing import Final

from lineage.inbox import apply_native
from lineage.inbox.result import Applier

APPLIERS: Final[Mapping[str, Applier]] = {
    "native": apply_native.apply,
}
