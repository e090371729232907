"""Which format is applied by what: one line per format."""

from collections.abc import Mapping
from typing import Final

from lineage.inbox import apply_crossref, apply_native, apply_openlineage, apply_otlp, apply_prov
from lineage.inbox.result import Applier

APPLIERS: Final[Mapping[str, Applier]] = {
    "native": apply_native.apply,
    "openlineage": apply_openlineage.apply,
    "otlp": apply_otlp.apply,
    "prov": apply_prov.apply,
    "crossref": apply_crossref.apply,
}
