"""Where the text that corrects a cited passage is known: is the passage still in it?

The corrected text is that of the newest version of the same work, if no case in effect is
on that version (but of its rights) and it appeared for the correction:

- the case is on one version, or on what was made of it: any newer version counts;
- the case is on the whole work: the version is dated (modified, published, or as its record
  says; never by arrival) from the case's effective date on, or the evidence names its uid;
- a defective component: another document of the same version, made without the component.

A passage is unchanged if it stands in the corrected text, white space aside. Whatever is
not known stays unknown, and the claim is left to a human check.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Final

from lineage.cases.ancestry import sliced
from lineage.cases.citing import Cited, Ruling
from lineage.cases.editions import Edition, Works, works_of
from lineage.cases.effects import UNLESS_CLAIMS_STAND
from lineage.content.passages import texts_of
from lineage.identifiers import UID_PATTERN
from lineage.models import Case, Node
from lineage.types import JsonValue
from provexplorer import clock


class Comparison(StrEnum):
    """A cited passage against the text that corrects it."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    UNKNOWN = "unknown"


# Documents whose text is in memory at once.
_TEXTS_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class _Terms:
    """When a version counts as made for a case on the whole work."""

    effective_at: datetime | None
    named: frozenset[str]  # uids in the evidence

    def made_for_it(self, version: Edition, case_at: datetime) -> bool:
        if version.uid in self.named:
            return True
        since = min(self.effective_at or case_at, case_at)
        return version.dated is not None and since <= version.dated <= clock.now()


def compare(
    workspace_id: int, cited: Cited, rulings: Mapping[int, Collection[Ruling]]
) -> dict[tuple[int, int], Comparison]:
    """Compare the cited passages with the text that corrects them.

    `rulings`: by citation, the register rows that reach it. The result is by (passage id,
    case id); what is not in it is unknown.
    """
    asked: dict[tuple[int, int], list[Ruling]] = defaultdict(list)
    for citation, rows in rulings.items():
        for row in rows:
            if row.case_kind in UNLESS_CLAIMS_STAND and citation in cited.passage:
                asked[citation, row.case_id].append(row)
    if not asked:
        return {}
    works = works_of(workspace_id, cited, {citation for citation, _ in asked})
    terms = _terms(workspace_id, {case_id for _, case_id in asked})
    wanted: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for (citation, case_id), rows in asked.items():
        text_of = _correcting(cited, works, citation, rows, terms[case_id])
        if text_of is not None:
            wanted[text_of].add((cited.passage[citation], case_id))
    return _compared(workspace_id, wanted)


def _correcting(
    cited: Cited, works: Works, citation: int, rows: Sequence[Ruling], terms: _Terms
) -> int | None:
    """The node whose text corrects the passage under this case, or None where it is not known."""
    versions = [node.id for node in cited.of_kind(citation, "source_version")]
    if len(versions) != 1 or versions[0] not in works.source_of:
        return None
    source = works.source_of[versions[0]]
    mine = works.versions[source][versions[0]]
    whole_work = all(row.node_id == source for row in rows)
    remade = rows[0].case_kind == "defective_component"
    version = mine if remade else works.newest(mine.id)
    if whole_work and not terms.made_for_it(version, rows[0].at):
        return None
    doubted = partial(works.is_doubted, case_id=rows[0].case_id, beside=cited.above[citation])
    if version.id != mine.id and doubted(version.id):
        return None
    documents = [one for one in works.documents[version.id] if not doubted(one.id)]
    if version.id == mine.id and not whole_work:
        quoted = {node.id for node in cited.of_kind(citation, "document")}
        since = [one.order() for one in works.documents[mine.id] if one.id in quoted]
        documents = [one for one in documents if since and one.order() > max(since)]
    if documents:
        return max(documents, key=Edition.order).id
    return version.id if version.has_text and version.id != mine.id else None


def _terms(workspace_id: int, case_ids: Collection[int]) -> dict[int, _Terms]:
    rows = Case.objects.filter(workspace_id=workspace_id, id__in=case_ids)
    return {
        case_id: _Terms(effective_at, frozenset(_uids(evidence)))
        for case_id, effective_at, evidence in rows.values_list("id", "effective_at", "evidence")
    }


def _uids(evidence: JsonValue) -> Iterator[str]:
    """Uids anywhere in the evidence: plain strings, or within objects."""
    if isinstance(evidence, str):
        if UID_PATTERN.match(evidence):
            yield evidence
    elif isinstance(evidence, Mapping):
        for value in evidence.values():
            yield from _uids(value)
    elif isinstance(evidence, list):
        for value in evidence:
            yield from _uids(value)


def _compared(
    workspace_id: int, wanted: Mapping[int, Collection[tuple[int, int]]]
) -> dict[tuple[int, int], Comparison]:
    """Look for each passage in the text that corrects it, some texts at a time."""
    result: dict[tuple[int, int], Comparison] = {}
    passages = _passages(
        workspace_id, {passage for pairs in wanted.values() for passage, _ in pairs}
    )
    for ids in sliced(wanted, _TEXTS_AT_ONCE):
        texts = texts_of(list(Node.objects.filter(workspace_id=workspace_id, id__in=ids)))
        for text_of in ids:
            if text_of not in texts:
                continue
            text = _without_layout(texts[text_of])
            for passage, case_id in wanted[text_of]:
                if quoted := passages.get(passage):
                    found = Comparison.UNCHANGED if quoted in text else Comparison.CHANGED
                    result[passage, case_id] = found
    return result


def _passages(workspace_id: int, passage_ids: Collection[int]) -> dict[int, str]:
    """The text of each passage; of a fact, that of the chunk it was extracted from."""
    chunk_of: dict[int, int] = {}
    for ids in sliced(passage_ids):
        nodes = Node.objects.filter(workspace_id=workspace_id, id__in=ids)
        for passage, kind, parent_id in nodes.values_list("id", "kind", "parent_id"):
            chunk_of[passage] = parent_id if kind == "fact" and parent_id else passage
    texts: dict[int, str] = {}
    for ids in sliced(set(chunk_of.values())):
        texts |= texts_of(list(Node.objects.filter(workspace_id=workspace_id, id__in=ids)))
    return {
        passage: _without_layout(texts[chunk])
        for passage, chunk in chunk_of.items()
        if chunk in texts
    }


def _without_layout(text: str) -> str:
    return " ".join(text.split())
