r"""Builds demo/bibliography.json: what each article says of itself, and where it says so.

Run `python -m demo.bibliography` to build it again. No value is typed in: each is cut out of
the article's front matter by the rules below, with its interval (code points, end exclusive),
and a test compares every value with the text at its interval. What an article does not state
is absent. For the one source whose text has no front matter, a speech, the values are those
of articles/sources.json, named by JSON pointer.

The front matter runs fields together without separators ("…Plasmodium falciparum\n P.
falciparum IDC TranscriptomeBozdech Zbynek \n1\n"), so the rules lean on what else is printed:
subject headings follow the article type without spaces; a title ends where the same words end
elsewhere (a companion article, the notice of its correction) or where its running head, which
the text repeats on a line of its own, begins; lines of digits are footnote signs; the first
affiliation starts with its number.
"""

import json
import re
import sys
from collections.abc import Iterator
from typing import Final

from demo.files import BIBLIOGRAPHY, DATA, read_json, read_lines, read_text
from lineage.types import JsonValue

_TYPES: Final = ("Research Article", "Synopsis", "Community Page")
# Subject and organism headings as PLoS Biology printed them in 2003.
_HEADINGS: Final = (
    "Bioinformatics/Computational Biology", "Cancer Biology", "Cell Biology", "Development",
    "Ecology", "Evolution", "Genetics/Genomics/Gene Therapy", "Immunology", "Infectious Diseases",
    "Microbiology", "Molecular Biology/Structural Biology", "Neuroscience", "Physiology",
    "Science Policy", "Zoology", "Drosophila", "Eubacteria", "Homo (Human)", "Mammals",
    "Mus (Mouse)", "Plasmodium", "Xenopus",
)  # fmt: skip
_HEADER: Final = {
    "pmid": re.compile(r"^PMID: ([1-9][0-9]*)$", re.MULTILINE),  # 0 means none
    "accession": re.compile(r"^Accession ID: (\S+)$", re.MULTILINE),
    "license": re.compile(r"^License: (.+)$", re.MULTILINE),
    "last_updated": re.compile(r"^Last Updated: (.+)$", re.MULTILINE),
    "retracted": re.compile(r"^Retracted: (.+)$", re.MULTILINE),
    "citation": re.compile(r"^Citation: (.+)$", re.MULTILINE),
}
_DOI: Final = re.compile(r"(10\.[0-9]{4,9}/[a-z0-9.-]*?[0-9])(?=[A-Z\n])")
_LICENSE_NAME: Final = re.compile(
    r"Creative Commons Attribution(?: [0-9.]+ International)? License"
)
_LICENSE_URI: Final = re.compile(r"https?://creativecommons\.org/licenses/by/[0-9.]+/")
_DAY: Final = r"[0-9]{1,2} [0-9]{1,2} [0-9]{4}"
_PLOS_JOURNAL: Final = re.compile(r"plosbiol(PLoS [A-Z][a-z]+)[0-9]{4}-[0-9]{3}[0-9X]")
_PLOS_PUBLISHER: Final = re.compile(r"[0-9]{4}-[0-9]{3}[0-9X]([A-Z][A-Za-z ]+?) San Francisco, ")
# "10 2003 18 8 2003 18 8 2003 1 1 e5": month of the issue, day in print, day online, place.
_PLOS_DATE: Final = re.compile(rf" ?[0-9]{{1,2}} [0-9]{{4}} ({_DAY}) {_DAY} 1 1 e")
_BMC: Final = re.compile(
    r"==== Front\n.+\n.+\n(?P<journal>.+)\n[0-9X-]+\n(?P<publisher>[A-Z]\w+ \w+) London\n[\s\S]*?"
    rf"\nResearch Article\n(?P<title>.+)\n(?P<authors>[\s\S]+?)\n(?=1 grid)[\s\S]*?\n(?P<date>{_DAY})\n"
)
_EMAIL: Final = re.compile(r"\s+\S+@\S+")

Span = tuple[int, int]


def build() -> dict[str, JsonValue]:
    """The bibliography of all sources, by source id."""
    sources = read_json(DATA / "articles" / "sources.json")
    texts = {
        row["source_id"]: read_text(DATA / "articles" / row["file"].rpartition("/")[2])
        for row in sources
    }
    return {
        row["source_id"]: _entry(texts[row["source_id"]], _titles_told(texts, row["source_id"]))
        if texts[row["source_id"]].startswith("PMID: ")
        else _entry_of_row(index, row)
        for index, row in enumerate(sources)
    }


def _entry(text: str, told: frozenset[str]) -> JsonValue:
    """What an article states, each value with its interval."""
    spans: dict[str, Span] = {}
    front_ends = text.index("==== Body")
    for name, pattern in _HEADER.items():
        if match := pattern.search(text, 0, front_ends):
            spans[name] = match.span(1)
    for name, pattern in (("license_name", _LICENSE_NAME), ("license_uri", _LICENSE_URI)):
        if match := pattern.search(text, 0, front_ends):
            spans[name] = match.span()
    if match := _DOI.search(text, 0, front_ends):
        spans["doi"] = match.span(1)
    creators: list[Span]
    if match := _BMC.search(text, 0, front_ends):
        spans |= {name: match.span(name) for name in ("journal", "publisher", "title", "date")}
        creators = list(_names(text, *match.span("authors")))
    else:
        spans["journal"] = _required(_PLOS_JOURNAL, text, front_ends)
        spans["publisher"] = _required(_PLOS_PUBLISHER, text, front_ends)
        spans["date"] = _required(_PLOS_DATE, text, front_ends)
        spans["title"], creators = _plos_title_and_creators(text, spans["doi"][1], told)
    entry: dict[str, JsonValue] = {
        name: _stated(text, span) for name, span in sorted(spans.items())
    }
    if creators:
        entry["creators"] = [_stated(text, span) for span in creators]
    return entry


def _plos_title_and_creators(
    text: str, start: int, told: frozenset[str]
) -> tuple[Span, list[Span]]:
    kind = next(kind for kind in _TYPES if text.startswith(kind, start))
    start = _after_headings(text, start + len(kind))
    date = _PLOS_DATE.search(text, start)
    if date is None:
        raise ValueError("no date after the title")
    if kind != "Research Article":
        # "Out of the Way …revolutionCommunity PageBrown Glenn Otis 10 2003 …"
        end = text.index(kind, start)
        name = (end + len(kind), date.start())
        return _trimmed(text, start, end), [name] if name[0] < name[1] else []
    line_ends = text.index("\n", start)
    # The first author's name is glued to the running head: "…IDC TranscriptomeBozdech Zbynek".
    author_line = line_ends if text[line_ends + 1] != " " else text.index("\n", line_ends + 1)
    glue = [match.end() for match in re.finditer(r"[a-z](?=[A-Z])", text[start:author_line])]
    first_author = start + glue[-1]
    end = _title_end(text, start, first_author, told)
    affiliation = re.compile(r"^1[A-Z]", re.MULTILINE).search(text, first_author)
    if affiliation is None:
        raise ValueError("no affiliation after the authors")
    return _trimmed(text, start, end), list(_names(text, first_author, affiliation.start()))


def _after_headings(text: str, start: int) -> int:
    """Past the headings; one that is followed by a space is the first word of the title."""
    while True:
        heading = next((h for h in _HEADINGS if text.startswith(h, start)), None)
        if heading is None or text[start + len(heading)] == " ":
            return start + (text[start] == "\n")
        start += len(heading)


def _title_end(text: str, start: int, first_author: int, told: frozenset[str]) -> int:
    """Where the title ends and its running head begins, as told elsewhere."""
    for title in sorted(told, key=len, reverse=True):
        if text.startswith(title, start):
            return start + len(title)
    for cut in (match.start() for match in re.finditer(r" (?=[A-Z])", text[start:first_author])):
        running_head = text[start + cut + 1 : first_author]
        if re.search(rf"^{re.escape(running_head)} ?$", text[first_author:], re.MULTILINE):
            return start + cut
    raise ValueError("nothing tells where the title ends")


def _titles_told(texts: dict[str, str], of: str) -> frozenset[str]:
    """Titles as others print them: lines of the other articles' front matter, and notices."""
    told: set[str] = set()
    for text in (text for source_id, text in texts.items() if source_id != of):
        front, body, _ = text.partition("\n==== Body")
        told.update(line.strip() for line in front.split("\n") if body and len(line) > 40)
    for row in read_lines(DATA / "notices" / "open_retractions.jsonl"):
        told.add(re.sub(r"^Corrections?: ", "", row["record"]["title"]))
    return frozenset(told)


def _names(text: str, start: int, end: int) -> Iterator[Span]:
    """One name a line, family name first as printed; without e-mail addresses and footnote signs."""
    for match in re.finditer(r"[^\n]+", text[start:end]):
        line = _EMAIL.sub("", match.group())
        if re.search(r"[^\W\d_]", line):
            yield _trimmed(text, start + match.start(), start + match.start() + len(line))


def _required(pattern: re.Pattern[str], text: str, end: int) -> Span:
    match = pattern.search(text, 0, end)
    if match is None:
        raise ValueError(f"nothing matches {pattern.pattern}")
    return match.span(1)


def _trimmed(text: str, start: int, end: int) -> Span:
    stripped = text[start:end].strip()
    start = text.index(stripped, start)
    return start, start + len(stripped)


def _stated(text: str, span: Span) -> JsonValue:
    return {"value": text[slice(*span)], "start": span[0], "end": span[1]}


def _entry_of_row(index: int, row: JsonValue) -> JsonValue:
    """A source whose text states nothing of itself: what sources.json says, by JSON pointer."""
    names = {"title": "citation", "date": "date", "publisher": "publisher", "license": "license"}
    entry: dict[str, JsonValue] = {
        name: {"value": row[field], "pointer": f"/{index}/{field}"} for name, field in names.items()
    }
    entry["creators"] = [{"value": row["creator"], "pointer": f"/{index}/creator"}]
    return entry


def main() -> None:
    """Write demo/bibliography.json anew."""
    BIBLIOGRAPHY.write_text(
        json.dumps(build(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    sys.stdout.write(f"{BIBLIOGRAPHY}\n")


if __name__ == "__main__":
    main()
