"""Reads a PDF in a process of its own, which ends where it takes too much; run as a script.

The PDF comes in by standard input; out goes JSON: `pages`, `[[label, text], …]` in their order (a
label is "" where none is printed), and `rights`, `[[name, value], …]` of what it says of text and
data mining in its metadata (W3C TDMRep, XMP). Exit status 0 then, 1 where it cannot be read as a whole,
2 where it is larger than is read. Nothing of the product is imported here, and no secret is in
its environment: a library that reads strangers' files needs neither.
"""

import io
import json
import logging
import resource
import sys
import warnings
from typing import Final

from lxml import etree
from pypdf import PdfReader
from pypdf.generic import StreamObject

CPU_SECONDS: Final = 15
MEMORY_BYTES: Final = 1 << 30
MOST_PAGES: Final = 2_000
# Code points of all pages together.
MOST_TEXT: Final = 6 << 20
_LABEL: Final = 40
_MOST_XMP: Final = 1 << 20
_TDM: Final = "http://www.w3.org/ns/tdmrep"
_RIGHTS: Final = {"reservation": "tdm-reservation", "policy": "tdm-policy"}
UNREADABLE: Final = 1
TOO_LARGE: Final = 2


def main() -> int:
    """Read standard input; see the module."""
    _limit(resource.RLIMIT_CPU, CPU_SECONDS)
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    _limit(resource.RLIMIT_CORE, 0)
    # It may write to nothing that it was not given.
    _limit(resource.RLIMIT_FSIZE, 0)
    logging.disable()
    warnings.simplefilter("ignore")
    try:
        return _read(io.BytesIO(sys.stdin.buffer.read()))
    except (Exception, RecursionError, MemoryError):  # noqa: BLE001 - whatever a hostile file leads to
        return UNREADABLE


def _read(file: io.BytesIO) -> int:
    reader = PdfReader(file)
    if reader.is_encrypted and not reader.decrypt(""):
        return UNREADABLE
    if len(reader.pages) > MOST_PAGES:
        return TOO_LARGE
    labels = _labels(reader)
    pages: list[tuple[str, str]] = []
    size = 0
    for page, label in zip(reader.pages, labels, strict=True):
        # A page that cannot be read makes the whole unreadable: what is missing from a part of
        # the words is not missing from the document.
        text = page.extract_text()
        size += len(text)
        if size > MOST_TEXT:
            return TOO_LARGE
        pages.append((label, text))
    sys.stdout.write(json.dumps({"pages": pages, "rights": _rights(reader)}))
    sys.stdout.flush()
    return 0


def _labels(reader: PdfReader) -> list[str]:
    """What is printed on each page; a broken list of labels labels nothing."""
    count = len(reader.pages)
    if "/PageLabels" not in reader.root_object:
        return [""] * count
    try:
        found = [label[:_LABEL] for label in reader.page_labels]
    except Exception:  # noqa: BLE001 - the words count without it
        return [""] * count
    return found if len(found) == count else [""] * count


def _rights(reader: PdfReader) -> list[tuple[str, str]]:
    """What the metadata say of text and data mining, each once; broken metadata say nothing."""
    try:
        held = reader.root_object["/Metadata"].get_object()
        data = held.get_data() if isinstance(held, StreamObject) else b""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        root = etree.fromstring(data[:_MOST_XMP], parser)
    except Exception:  # noqa: BLE001 - none, or none that can be read
        return []
    found: list[tuple[str, str]] = []
    for element in root.iter(etree.Element):
        said = [(element.tag, element.text or ""), *element.attrib.items()]
        for tag, value in said:
            name = etree.QName(tag)
            if (name.namespace or "").rstrip("/#") == _TDM and name.localname in _RIGHTS:
                found.append((_RIGHTS[name.localname], value.strip()))
    return list(dict.fromkeys(found))


def _limit(what: int, most: int) -> None:
    """Lower a limit, never raise it."""
    _, hard = resource.getrlimit(what)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (bound, bound))


if __name__ == "__main__":
    sys.exit(main())
