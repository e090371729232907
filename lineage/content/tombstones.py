"""What was erased is not let in again: records and texts are compared with the tombstones.

A tombstone knows a content by a digest under a key derived from the master key, so that
nobody who has the databases alone can find out by guessing what was erased. A key (kind,
namespace, key) is known by its address, as everywhere.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lineage.compiled import Compiled
from lineage.content.keys import in_batches, master_key
from lineage.content.passages import texts_of
from lineage.content.store import Keyed
from lineage.formats.refusals import record_problem
from lineage.identifiers import address_of, anywhere_of, keyed_hash, text_digest
from lineage.models import ErasedNode, ErasedText, Node
from lineage.types import NativeRecord, Ref, Refused, Warned
from lineage.vocabulary import KINDS
from provexplorer.workspaces.models import Workspace

# From this length on (code points) a text is refused wherever it is sent again; below it, many
# would say the same by chance.
LEAST_REFUSED: Final = 64
# How a digest begins that no longer tells of what.
ERASED: Final = "erased:"
# Stands for a code point that was erased; the length and all offsets stay.
MASK: Final = "█"
# Kinds that carry the text of a source itself.
OF_A_SOURCE: Final = frozenset(
    {"source", "source_version", "acquisition", "document", "part", "chunk", "fact", "embedding"}
)
_PURPOSE: Final = b"provexplorer: digests of what was erased, 1"
_PLACE_OF: Final = {kind.name: kind.parent for kind in KINDS.values() if kind.parent}

_ANY: Final = Compiled(
    lambda given: ErasedNode.objects.filter(workspace_id=given.id("workspace")).values_list("pk")[
        :1
    ]
)


@lru_cache(maxsize=4)
def _derived(master: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(master)


def keyed_digest(workspace: Keyed, digest: str) -> str:
    """The digest of a content as tombstones have it; one that is keyed already stays. "" of "".

    Raises MasterKeyError.
    """
    if not digest or digest.startswith(ERASED):
        return digest
    return ERASED + keyed_hash(_derived(master_key()), workspace.hash_key.hex(), digest)


def has_erased(workspace_id: int) -> bool:
    """Whether the workspace has any tombstone: where it has none, nothing is compared."""
    return bool(_ANY.rows(workspace=workspace_id))


def repeats(workspace: Workspace, strings: Iterable[str]) -> bool:
    """Whether one of these strings is an erased text of 64 code points or more, as a whole."""
    if not has_erased(workspace.pk):
        return False
    digests = {text_digest(one) for one in strings if len(one) >= LEAST_REFUSED}
    for some in in_batches({keyed_digest(workspace, digest) for digest in digests}):
        rows = ErasedText.objects.filter(workspace=workspace, digest__in=some)
        if rows.filter(erasure__lifted_at__isnull=True).exists():
            return True
    return False


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
        self._texts = [_digests(one) for one in records]
        named = [ref for one in records for ref in one.refs]
        keyed = {d: keyed_digest(workspace, d) for ref in named if (d := ref.digest)}
        for some in self._texts:
            keyed |= {digest: keyed_digest(workspace, digest) for digest in some}
        self._keyed = keyed
        self._by_address, self._by_uid, self._by_digest = self._tombstones()
        self._contents = self._erased_texts()
        self._masked_texts = self._texts_masked_before()

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
            for address, place, uid in mine.filter(address__in=some).values_list(
                "address", "place", "uid"
            ):
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
        for record, address, place, digests in zip(
            self._records, self._addresses, self._places, self._texts, strict=True
        ):
            uid = self._tombstone_of(record, address, place, digests, lost)
            if uid is None:
                screened.records.append(self._without(record))
                continue
            lost[address] = uid
            newly.append((record.kind, address, uid))
            screened.refused.append(_refused(record, uid))
            screened.tombstones[record.index] = uid
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
            texts = {name: self._masked(value) for name, value in record.texts.items()}
            if texts != dict(record.texts):
                changes["texts"] = texts
                changes["warnings"] = (*record.warnings, _MASKED)
                if self._keyed.get(record.content_digest, "") in self._contents:
                    changes["content_digest"] = self._keyed[record.content_digest]
        return replace(record, **changes) if changes else record  # type: ignore[arg-type]

    def _masked(self, value: str | list[str]) -> str | list[str]:
        if isinstance(value, list):
            return [one if isinstance(made := self._masked(one), list) else made for one in value]
        digest = text_digest(value) if len(value) >= LEAST_REFUSED else ""
        erased = digest and self._keyed.get(digest, "") in self._contents
        return MASK * len(value) if erased else value

    def _remember(self, newly: Sequence[tuple[str, str, str]]) -> None:
        """Tombstones of keys refused for their place: what names them as its place is refused, too."""
        unknown = [one for one in newly if one[1] not in self._by_address]
        if not unknown:
            return
        erasures = dict(
            ErasedNode.objects.filter(
                workspace=self._workspace, uid__in={uid for _, _, uid in unknown}
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
                if uid in erasures
            ],
            ignore_conflicts=True,
        )


_MASKED: Final = Warned(
    "erased_text_masked", "", "It repeats a text that was erased; that is stored masked."
)


def _digests(record: NativeRecord) -> list[str]:
    """The digests of a record's texts that are long enough to count, and of its content."""
    values: Collection[str | list[str]] = record.texts.values()
    found = [
        text_digest(one)
        for value in values
        for one in (value if isinstance(value, list) else (value,))
        if len(one) >= LEAST_REFUSED
    ]
    return [*found, record.content_digest] if record.content_digest else found


def _refused(record: NativeRecord, uid: str) -> Refused:
    problem = record_problem("erased", f"What is left of it is its tombstone: {uid}.")
    return Refused(index=record.index, kind=record.kind, key=record.key, problem=problem)
