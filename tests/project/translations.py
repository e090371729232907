"""Every word of the pages in Portuguese: no message missing, empty or fuzzy, compiled files current.

`--compile` writes the compiled files, which are kept beside their sources: no gettext is
needed to run the site.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Final

import polib

CHECKOUT: Final = Path(__file__).resolve().parents[2]
LOCALE: Final = CHECKOUT / "locale"
_PLACEHOLDER: Final = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")


def catalogues() -> list[Path]:
    return sorted(LOCALE.glob("*/LC_MESSAGES/*.po"))


def faults(file: Path) -> list[str]:
    """What is wrong with one catalogue."""
    catalogue = polib.pofile(str(file))
    found = [f"untranslated: {entry.msgid!r}" for entry in catalogue.untranslated_entries()]
    found += [f"fuzzy: {entry.msgid!r}" for entry in catalogue.fuzzy_entries()]
    for entry in catalogue.translated_entries():
        # One form of a plural may leave its number out ("uma fonte").
        wanted = set(_PLACEHOLDER.findall(entry.msgid_plural or entry.msgid))
        texts = [*entry.msgstr_plural.values()] or [entry.msgstr]
        if any(not set(_PLACEHOLDER.findall(text)) <= wanted for text in texts) or (
            not entry.msgid_plural and set(_PLACEHOLDER.findall(entry.msgstr)) != wanted
        ):
            found.append(f"other placeholders: {entry.msgid!r}")
    compiled = file.with_suffix(".mo")
    if not compiled.exists() or compiled.read_bytes() != catalogue.to_binary():
        found.append(f"{compiled.name} is not current: run `make format`")
    return found


def main() -> int:
    """0 if the catalogues are complete; with --compile, write their compiled files first."""
    parser = argparse.ArgumentParser(prog="python -m tests.project.translations")
    parser.add_argument("--compile", action="store_true")
    if parser.parse_args().compile:
        for file in catalogues():
            file.with_suffix(".mo").write_bytes(polib.pofile(str(file)).to_binary())
    found = [
        f"{file.relative_to(CHECKOUT)}: {one}" for file in catalogues() for one in faults(file)
    ]
    if not (LOCALE / "pt_BR" / "LC_MESSAGES" / "django.po").exists():
        found.append("locale/pt_BR is not there")
    print("\n".join(found) or f"translations: {len(catalogues())} complete")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
