"""What was erased is not let in again: the records of a request are compared with the tombstones.

A tombstone knows a content by a keyed digest (lineage.content.tombstones), a key (kind,
namespace, key) by its address, as everywhere.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from lineage.content.keys import in_batches
from lineage.content.passages import FACT_FIELDS, texts_of
from lineage.content.tombstones import (
    ERASED,
    MASK,
    OF_A_SOURCE,
    has_erased,
    keyed_digest,
    recognised_by,
)
from lineage.formats.refusals import record_problem
from lineage.identifiers import address_of, anywhere_of
from lineage.models import ErasedNode, ErasedText, Node
from lineage.types import JsonValue, NativeRecord, Ref, Refused, Warned
from lineage.vocabulary import KINDS
from provexplorer.workspaces.models import Workspace

_PLACE_OF: Final = {kind.name: kind.parent for kind in KINDS.values() if kind.parent}


@dataclass(slots=True)
class Screened:
    """What of a request may be stored, and what may not, with the tombstone's uid by index."""

    records: list[NativeRecord]
    refused: list[Refused] = field(default_factory=list)
    tombstones: dict[int, str] = field(default_factory=dict)


def screen(workspace: Workspace, records: Sequence[NativeRecord]) -> Screened:
    """Refuse what was erased: by its key and place, by the place alone, or by its content.

    A record whose key was erased in one place is let in at another that was not: collections
    use their chunk ids again. Answers, claims and citations that repeat an erased text as a
    whole are stored with it masked. To be called with the workspace's turn; one query where
    nothing was erased, three otherwise.
    """
    if not records or not has_erased(workspace.pk):
        return Screened(list(records))
    return _Screen(workspace, records).result()


class _Screen:
    """One request compared with the tombstones of its workspace."""

    def __init__(self, workspace: Workspace, records: Sequence[NativeRecord]) -> None:
        self._workspace, self._records = workspace, records
        self._addresses = [
            address_of(workspace.hash_key, one.kind, one.namespace, one.key) for one in records
        ]
        self._places = [self._place(one) for one in records]
        # One text is hashed once, however often the request has it.
        self._digests = cache(recognised_by)
        self._texts = [self._told_by(one) for one in records]
        named = [ref for one in records for ref in one.refs]
        keyed = {d: keyed_digest(workspace, d) for ref in named if (d := ref.digest)}
        for some in self._texts:
            keyed |= {digest: keyed_digest(workspace, digest) for digest in some}
        self._keyed = keyed
        self._barred: dict[str, str] = {}  # what was refused before, by its address
        self._barred_for: set[tuple[str, int]] = set()  # and for which erasures
        self._by_address, self._by_uid, self._by_digest = self._tombstones()
        self._contents = self._erased_texts()
        self._masked_texts = self._texts_masked_before()

    def _told_by(self, record: NativeRecord) -> list[str]:
        """The digests of a record's texts that are long enough to count, and of its content."""
        values: Collection[str | list[str]] = record.texts.values()
        texts = [
            one for value in values for one in (value if isinstance(value, list) else (value,))
        ]
        if record.kind == "fact":
            # As it was read where it was erased: as one text.
            texts.append(" ".join(str(record.texts.get(name, "")) for name in FACT_FIELDS))
        texts += _strings(record.attributes)
        found = [digest for text in texts for digest in self._digests(text)]
        return [*found, record.content_digest] if record.content_digest else found

    def _place(self, record: NativeRecord) -> tuple[str, str]:
        """Address and uid by which the record names its place, where it has one.

        Named by its key in whatever namespace: the hash of that key, as nodes have it.
        """
        relation = _PLACE_OF.get(record.kind)
        for ref in record.refs:
            if ref.relation == relation:
                return self._address(ref), ref.uid
        return "", ""

    def _address(self, ref: Ref) -> str:
        if ref.uid:
            return ""
        key = self._workspace.hash_key
        if ref.namespace is None:
            return anywhere_of(key, ref.kind, ref.key)
        return address_of(key, ref.kind, ref.namespace, ref.key)

    def _tombstones(self) -> tuple[dict[str, list[tuple[str, str]]], dict[str, str], set[str]]:
        """By address the (place, uid) of each tombstone; by uid; and the keyed digests there are."""
        by_address: dict[str, list[tuple[str, str]]] = {}
        by_uid: dict[str, str] = {}
        wanted = {*self._addresses, *(address for address, _ in self._places)} - {""}
        mine = ErasedNode.objects.filter(
            workspace=self._workspace, erasure__lifted_at__isnull=True
        ).order_by("pk")
        for some in in_batches(wanted):
            for address, place, uid, kind, node_id, erasure_id in mine.filter(
                address__in=some
            ).values_list("address", "place", "uid", "kind", "node_id", "erasure_id"):
                # Of what has no place, the address is the uid of what was erased, too.
                if uid == address and node_id is None and kind in _PLACE_OF:
                    self._barred[address] = uid
                    self._barred_for.add((address, erasure_id))
                else:
                    by_address.setdefault(address, []).append((place, uid))
            anywhere = mine.filter(node__anywhere__in=some).order_by("pk")
            for named, uid in anywhere.values_list("node__anywhere", "uid"):
                by_address.setdefault(named, []).append(("", uid))
        for some in in_batches({uid for _, uid in self._places} - {""}):
            by_uid |= {uid: uid for uid in mine.filter(uid__in=some).values_list("uid", flat=True)}
        digests: set[str] = set()
        for some in in_batches(set(self._keyed.values())):
            digests |= set(mine.filter(digest__in=some).values_list("digest", flat=True))
        return by_address, by_uid, digests

    def _erased_texts(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for some in in_batches(set(self._keyed.values())):
            rows = ErasedText.objects.filter(
                workspace=self._workspace, digest__in=some, erasure__lifted_at__isnull=True
            )
            found |= dict(rows.order_by("-pk").values_list("digest", "uid"))
        return found

    def _texts_masked_before(self) -> dict[str, str]:
        """By the keyed digest of what was sent: the text as it was masked, of answers and claims sent again."""
        wanted = {
            address
            for record, address in zip(self._records, self._addresses, strict=True)
            if record.kind not in OF_A_SOURCE and record.content_digest
        }
        found: dict[str, str] = {}
        for some in in_batches(wanted):
            nodes = list(
                Node.objects.filter(
                    workspace=self._workspace, address__in=some, digest__startswith=ERASED
                ).order_by("pk")
            )
            texts = texts_of(nodes, workspace=self._workspace)
            found |= {node.digest: texts[node.pk] for node in nodes if node.pk in texts}
        return found

    def result(self) -> Screened:
        screened = Screened([])
        lost: dict[str, str] = {}  # address of what this request may not store → tombstone
        newly: list[tuple[str, str, str]] = []
        let_in: set[str] = set()  # what was barred, and has now come as it may
        for record, address, place, digests in zip(
            self._records, self._addresses, self._places, self._texts, strict=True
        ):
            uid = self._tombstone_of(record, address, place, digests, lost)
            if uid is None:
                screened.records.append(self._without(record))
                if self._barred.pop(address, None):
                    let_in.add(address)
                lost.pop(address, None)
                continue
            let_in.discard(address)
            lost[address] = uid
            newly.append((record.kind, address, uid))
            screened.refused.append(_refused(record, uid))
            screened.tombstones[record.index] = uid
        self._forget(let_in)
        self._remember(newly)
        return screened

    def _tombstone_of(
        self,
        record: NativeRecord,
        address: str,
        place: tuple[str, str],
        digests: Iterable[str],
        lost: Mapping[str, str],
    ) -> str | None:
        if record.kind not in OF_A_SOURCE:
            return None
        where, by_uid = place
        # What is only barred is judged anew: by its place, and by what it says now.
        for there, uid in self._by_address.get(address, ()):
            if not there or not where or there == where or where in lost:
                return uid
        if where in lost:
            return lost[where]
        # What has its place in something erased is erased with it, whatever it says.
        if by_uid in self._by_uid:
            return self._by_uid[by_uid]
        if where and (found := self._by_address.get(where)):
            return found[0][1]
        if where in self._barred:
            return self._barred[where]
        known = (self._contents.get(self._keyed[digest]) for digest in digests)
        return next((uid for uid in known if uid), None)

    def _without(self, record: NativeRecord) -> NativeRecord:
        """The record, erased texts masked, erased digests as their tombstones have them."""
        changes: dict[str, object] = {}
        if self._by_digest and any(self._keyed.get(r.digest, "") in self._by_digest for r in record.refs):  # fmt: skip
            changes["refs"] = tuple(
                ref._replace(digest=self._keyed[ref.digest])
                if ref.digest and self._keyed[ref.digest] in self._by_digest
                else ref
                for ref in record.refs
            )
        digest = self._keyed.get(record.content_digest, "")
        if record.kind not in OF_A_SOURCE and digest in self._masked_texts:
            # It repeats what was masked in it when that was erased: it stays so.
            changes["texts"] = {**record.texts, "text": self._masked_texts[digest]}
            changes["content_digest"] = digest
        elif self._contents and record.kind not in OF_A_SOURCE:
            attributes = self._clear(record.attributes)
            if attributes != record.attributes:
                changes["attributes"] = attributes
                changes["warnings"] = (*record.warnings, _MASKED)
            texts = {name: self._masked(value) for name, value in record.texts.items()}
            if texts != dict(record.texts):
                changes["texts"] = texts
                changes["warnings"] = (*record.warnings, _MASKED)
                if texts.get("text") != record.texts.get("text") or digest in self._contents:
                    changes["content_digest"] = digest
        return replace(record, **changes) if changes else record  # type: ignore[arg-type]

    def _masked(self, value: str | list[str]) -> str | list[str]:
        if isinstance(value, list):
            return [one if isinstance(made := self._masked(one), list) else made for one in value]
        erased = any(self._keyed.get(one, "") in self._contents for one in self._digests(value))
        return MASK * len(value) if erased else value

    def _clear(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._masked(value)
        if isinstance(value, Mapping):
            return {name: self._clear(one) for name, one in value.items()}
        return [self._clear(one) for one in value] if isinstance(value, list) else value

    def _forget(self, let_in: Collection[str]) -> None:
        """What has its place in these is let in again, too."""
        for some in in_batches(let_in):
            ErasedNode.objects.filter(
                workspace=self._workspace, uid__in=some, address__in=some, node=None
            ).delete()

    def _remember(self, newly: Sequence[tuple[str, str, str]]) -> None:
        """Bar keys refused for their place or what they said: what names them as its place is refused, too.

        For each erasure anew that they are refused for: another may be lifted.
        """
        unknown = [one for one in newly if one[1] not in self._by_address]
        if not unknown:
            return
        erasures = dict(
            ErasedNode.objects.filter(
                workspace=self._workspace,
                uid__in={uid for _, _, uid in unknown},
                erasure__lifted_at__isnull=True,
            )
            .order_by("pk")
            .values_list("uid", "erasure_id")
        )
        ErasedNode.objects.bulk_create(
            [
                ErasedNode(
                    workspace=self._workspace,
                    erasure_id=erasures[uid],
                    uid=address,
                    kind=kind,
                    address=address,
                )
                for kind, address, uid in unknown
                if uid in erasures and (address, erasures[uid]) not in self._barred_for
            ],
            ignore_conflicts=True,
        )


_MASKED: Final = Warned(
    "erased_text_masked", "", "It repeats a text that was erased; that is stored masked."
)


def _strings(value: JsonValue) -> Iterator[str]:
    """Every string of JSON, names left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(one)


def _refused(record: NativeRecord, uid: str) -> Refused:
    problem = record_problem("erased", f"What is left of it is its tombstone: {uid}.")
    return Refused(index=record.index, kind=record.kind, key=record.key, problem=problem)
