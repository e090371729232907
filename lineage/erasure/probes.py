"""Questions asked when everything is cleared: is it really gone?

By id: every tombstone is one. By key: no key opens what lay under it. By digest: no record
tells a digest that guesses could be compared with, and no blob is left. By window: no answer
that rests on it repeats it or quotes it. By notice and by file: nothing that was published about it can be
read, and no case file holds it. Bytes of files and stores are searched by `find_bytes`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from lineage.cases.ancestry import sliced
from lineage.content.keys import keys_of
from lineage.content.tombstones import ERASED
from lineage.erasure.evidence import left_of_evidence
from lineage.erasure.owned_texts import texts_under
from lineage.erasure.published import left_of_notices
from lineage.erasure.quoting import told_by
from lineage.erasure.scope import dependents
from lineage.erasure.windows import Spans, Windows
from lineage.models import Blob, DataKey, Erasure, ErasureProbe, Node, Sighting
from lineage.nodes.states import node_states
from provexplorer import clock

# Nodes and owners that one probe looks at: all, up to so many.
_MOST: Final = 20_000
_AT_ONCE: Final = 500


class TextFound(Exception):
    """A probe has found something that should be gone."""


@dataclass(frozen=True, slots=True)
class Sought:
    """By what an erased text is known: wherever it stands, and `repeated` by answers that rest on it."""

    windows: Windows
    repeated: Spans


def ask_all(erasure: Erasure, sought: Sought, erased: Collection[int]) -> int:
    """Ask every probe and keep the answers; how many things were looked at. Raises TextFound."""
    looked = found = 0
    for name, probe in _PROBES.items():
        at, left = probe(erasure, sought, sorted(erased)[:_MOST])
        ErasureProbe.objects.update_or_create(
            erasure=erasure,
            name=name,
            defaults={"looked_at": at, "found": left, "asked_at": clock.now()},
        )
        looked, found = looked + at, found + left
    if found:
        raise TextFound
    return looked


def _by_id(erasure: Erasure, _sought: Sought, erased: Collection[int]) -> tuple[int, int]:
    alive = 0
    for ids in sliced(erased, _AT_ONCE):
        nodes = list(Node.objects.filter(workspace_id=erasure.workspace_id, pk__in=ids))
        states = node_states(erasure.workspace_id, nodes)
        alive += sum(states[node.pk].erasure is None for node in nodes)
    return len(erased), alive


def _by_key(erasure: Erasure, _sought: Sought, _erased: Collection[int]) -> tuple[int, int]:
    whole = [int(pk) for pk, _, all_of_it in erasure.owners if all_of_it]
    partly = [int(pk) for pk, _, all_of_it in erasure.owners if not all_of_it]
    changing = DataKey.objects.filter(owner_id__in=partly).exclude(following=b"").count()
    return len(whole) + len(partly), len(keys_of(whole)) + changing


def _by_digest(erasure: Erasure, _sought: Sought, erased: Collection[int]) -> tuple[int, int]:
    told = ~Q(digest="") & ~Q(digest__startswith=ERASED)
    seen = ~Q(content_digest="") & ~Q(content_digest__startswith=ERASED)
    left = 0
    for ids in sliced(erased, _AT_ONCE):
        left += Node.objects.filter(told, pk__in=ids).count()
        left += Sighting.objects.filter(
            seen, workspace_id=erasure.workspace_id, node_id__in=ids
        ).count()
    whole = [int(pk) for pk, _, all_of_it in erasure.owners if all_of_it]
    return len(erased), left + Blob.objects.filter(owner_id__in=whole).count()


def _by_window(erasure: Erasure, sought: Sought, erased: Collection[int]) -> tuple[int, int]:
    ours = {int(pk) for pk, _, _ in erasure.owners}
    owners = [pk for pk in dependents(erasure.workspace_id, erased) if pk not in ours][:_MOST]
    repeating = 0
    for ids in sliced(owners, _AT_ONCE):
        told = told_by(erasure, ids, sought.repeated)
        for owner_id, key in keys_of(ids).items():
            texts = texts_under(owner_id, key)
            repeating += any(told[owner_id].spans(text) for _, text in texts)
    return len(owners), repeating


def _by_file(erasure: Erasure, sought: Sought, erased: Collection[int]) -> tuple[int, int]:
    return left_of_evidence(erasure, sought.windows, erased)


def _by_notice(_erasure: Erasure, _sought: Sought, erased: Collection[int]) -> tuple[int, int]:
    return left_of_notices(erased)


_Probe = Callable[[Erasure, Sought, Collection[int]], tuple[int, int]]
_PROBES: Final[dict[str, _Probe]] = {
    "by_id": _by_id,
    "by_key": _by_key,
    "by_digest": _by_digest,
    "by_window": _by_window,
    "by_notice": _by_notice,
    "by_file": _by_file,
}
