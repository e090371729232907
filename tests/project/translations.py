"""Every word of the pages in Portuguese: no message missing, empty, fuzzy or said nowhere.

What the code and the templates say is found without gettext, which need not be installed.

`--compile` writes the compiled files, which are kept beside their sources.
"""

import argparse
import ast
import re
import sys
from pathlib import Path
from typing import Final

import polib
from django.utils.translation.template import templatize

CHECKOUT: Final = Path(__file__).resolve().parents[2]
LOCALE: Final = CHECKOUT / "locale"
ROOMS: Final = ("provexplorer", "lineage", "citations")
_LITERAL: Final = re.compile(r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_CALL: Final = re.compile(
    rf"""\b(_|gettext|ngettext|pgettext|npgettext)\(((?:{_LITERAL.pattern}[,\s]*)+)""".replace(
        "u?('", "u?(?:'"
    )
)
_PLACEHOLDER: Final = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")


def messages_of_code() -> set[tuple[str, str]]:
    """(context, message) of every call of a gettext function with constant words."""
    found: set[tuple[str, str]] = set()
    for room in ROOMS:
        for file in sorted((CHECKOUT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    words = [
                        argument.value
                        for argument in node.args
                        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                    ]
                    found |= _message(node.func.id, words)
    return found


def messages_of_templates() -> set[tuple[str, str]]:
    """(context, message) of every translated string and block of the templates."""
    found: set[tuple[str, str]] = set()
    for file in sorted((CHECKOUT / "templates").rglob("*.*")):
        code = templatize(file.read_text(encoding="utf-8"), origin=str(file))
        for function, arguments in _CALL.findall(code):
            words = [ast.literal_eval(literal) for literal in _LITERAL.findall(arguments)]
            found |= _message(function, words)
    return found


def _message(function: str, words: list[str]) -> set[tuple[str, str]]:
    name = function.removesuffix("_lazy").removesuffix("_noop")
    if name in ("_", "gettext", "ngettext") and words:
        return {("", words[0])}
    if name in ("pgettext", "npgettext") and len(words) > 1:
        return {(words[0], words[1])}
    return set()


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
    known = {(entry.msgctxt or "", entry.msgid) for entry in catalogue if not entry.obsolete}
    wanted = messages_of_code() | messages_of_templates()
    found += [f"not in the catalogue: {message!r}" for _, message in sorted(wanted - known)]
    found += [f"said nowhere: {message!r}" for _, message in sorted(known - wanted)]
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
