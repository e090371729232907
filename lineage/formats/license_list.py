"""The SPDX License List: identifiers whatever their letters' case, names, and what replaces the deprecated."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).parent / "schemas" / "spdx" / "list.json"
# Deprecated identifier → the expression that says the same. Others have no successor that says the same.
SUCCESSORS: Final[dict[str, str]] = {
    **{
        f"{family}-{version}": f"{family}-{version}-only"
        for family, versions in {
            "AGPL": ("1.0", "3.0"),
            "GFDL": ("1.1", "1.2", "1.3"),
            "GPL": ("1.0", "2.0", "3.0"),
            "LGPL": ("2.0", "2.1", "3.0"),
        }.items()
        for version in versions
    },
    "BSD-2-Clause-FreeBSD": "BSD-2-Clause",
    "BSD-2-Clause-NetBSD": "BSD-2-Clause",
    "bzip2-1.0.5": "bzip2-1.0.6",
    "eCos-2.0": "GPL-2.0-or-later WITH eCos-exception-2.0",
    "GPL-2.0-with-autoconf-exception": "GPL-2.0-only WITH Autoconf-exception-2.0",
    "GPL-2.0-with-bison-exception": "GPL-2.0-or-later WITH Bison-exception-2.2",
    "GPL-2.0-with-classpath-exception": "GPL-2.0-only WITH Classpath-exception-2.0",
    "GPL-2.0-with-font-exception": "GPL-2.0-only WITH Font-exception-2.0",
    "GPL-2.0-with-GCC-exception": "GPL-2.0-or-later WITH GCC-exception-2.0",
    "GPL-3.0-with-autoconf-exception": "GPL-3.0-only WITH Autoconf-exception-3.0",
    "GPL-3.0-with-GCC-exception": "GPL-3.0-only WITH GCC-exception-3.1",
    "StandardML-NJ": "SMLNJ",
    "wxWindows": "LGPL-2.0-or-later WITH WxWindows-exception-3.1",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of the list, spelt as the list spells it."""

    id: str
    name: str
    deprecated: bool


@cache
def _tables() -> tuple[dict[str, Listed], dict[str, Listed]]:
    read = json.loads(_FILE.read_text(encoding="utf-8"))
    licenses, exceptions = (
        {id_.lower(): Listed(id_, name, gone) for id_, (name, gone) in read[part].items()}
        for part in ("licenses", "exceptions")
    )
    return licenses, exceptions


def license_listed(id_: str) -> Listed | None:
    """The licence with this identifier, in whatever case; None where the list has none."""
    return _tables()[0].get(id_.lower())


def exception_listed(id_: str) -> Listed | None:
    """The exception with this identifier, in whatever case; None where the list has none."""
    return _tables()[1].get(id_.lower())


@cache
def ids_by_name() -> dict[str, str]:
    """Names of licences in small letters → identifier; a name that two licences share means neither."""
    found: dict[str, str] = {}
    shared: set[str] = set()
    for listed in _tables()[0].values():
        name = " ".join(listed.name.lower().split())
        if listed.deprecated:
            continue
        if name in found:
            shared.add(name)
        found[name] = listed.id
    return {name: id_ for name, id_ in found.items() if name not in shared}
