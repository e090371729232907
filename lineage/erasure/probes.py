"""Questions asked when everything is cleared: is it really gone?

By id: every tombstone is one. By key: no key opens what lay under it. By digest: no record
tells a digest that guesses could be compared with, and no blob is left. By window: no answer
that rests on it repeats it or quotes it. By notice and by file: nothing that was published about it can be
read, and no case file holds it. By table, asked where the files are cleared (lineage.erasure.files):
no table has the bytes of rows that went. Bytes of files and stores are searched by `find_bytes`.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import Q

from lineage.cases.ancestry import sliced
from lineage.content.keys import in_batches, keys_of
from lineage.content.tombstones import ERASED
from lineage.erasure.elsewhere import WentOn
from lineage.erasure.evidence import left_of_evidence
from lineage.erasure.owned_texts import texts_under
from lineage.erasure.published import left_of_notices
from lineage.erasure.quoting import told_by
from lineage.erasure.scope import dependents
from lineage.erasure.windows import Spans, Windows
from lineage.models import Blob, DataKey, Erasure, ErasureProbe, Node, Sighting
from lineage.nodes.states import node_states
from provexplorer import clock

_AT_ONCE: Final = 500
BY_WINDOW: Final = "by_window"


class TextFound(Exception):
    """A probe has found something that should be gone."""


@dataclass(frozen=True, slots=True)
class Sought:
    """By what an erased text is known: wherever it stands, and `repeated` by answers that rest on it."""

    windows: Windows
    repeated: Spans


def ask_all(
    erasure: Erasure, sought: Sought, erased: Collection[int], cursor: int, went_on: WentOn
) -> int:
    """Ask every probe and keep the answers; how many things were looked at. Raises TextFound.

    All of them are looked at. The texts of answers, of which there may be a million, batch by
    batch: `cursor` is the last owner that was, told by `went_on`; begun anew where something was found.
    """
    ordered = sorted(erased)
    probes: dict[str, Callable[[], tuple[int, int]]] = {
        "by_id": lambda: _by_id(erasure, ordered),
        "by_key": lambda: _by_key(erasure),
        "by_digest": lambda: _by_digest(erasure, ordered),
        BY_WINDOW: lambda: _by_window(erasure, sought, ordered, cursor, went_on),
        "by_notice": lambda: left_of_notices(ordered),
        "by_file": lambda: left_of_evidence(erasure, sought.windows, ordered),
    }
    looked = found = 0
    for name, probe in probes.items():
        at, left = probe()
        keep_answer(erasure, name, at, left)
        looked, found = looked + at, found + left
    if found:
        went_on(0, 0)
        raise TextFound
    return looked


def keep_answer(erasure: Erasure, name: str, looked: int, found: int) -> None:
    """Write down of how many things a probe has looked at how many still hold it."""
    ErasureProbe.objects.update_or_create(
        erasure=erasure,
        name=name,
        defaults={"looked_at": looked, "found": found, "asked_at": clock.now()},
    )


def _by_id(erasure: Erasure, erased: Collection[int]) -> tuple[int, int]:
    alive = 0
    for ids in sliced(erased, _AT_ONCE):
        nodes = list(Node.objects.filter(workspace_id=erasure.workspace_id, pk__in=ids))
        states = node_states(erasure.workspace_id, nodes)
        alive += sum(states[node.pk].erasure is None for node in nodes)
    return len(erased), alive


def _by_key(erasure: Erasure) -> tuple[int, int]:
    whole = [int(pk) for pk, _, all_of_it in erasure.owners if all_of_it]
    partly = [int(pk) for pk, _, all_of_it in erasure.owners if not all_of_it]
    changing = sum(
        DataKey.objects.filter(owner_id__in=some).exclude(following=b"").count()
        for some in in_batches(partly)
    )
    return len(whole) + len(partly), len(keys_of(whole)) + changing


def _by_digest(erasure: Erasure, erased: Collection[int]) -> tuple[int, int]:
    told = ~Q(digest="") & ~Q(digest__startswith=ERASED)
    seen = ~Q(content_digest="") & ~Q(content_digest__startswith=ERASED)
    left = 0
    for ids in sliced(erased, _AT_ONCE):
        left += Node.objects.filter(told, pk__in=ids).count()
        left += Sighting.objects.filter(
            seen, workspace_id=erasure.workspace_id, node_id__in=ids
        ).count()
    whole = [int(pk) for pk, _, all_of_it in erasure.owners if all_of_it]
    for some in in_batches(whole):
        left += Blob.objects.filter(owner_id__in=some).count()
    return len(erased), left


def _by_window(
    erasure: Erasure, sought: Sought, erased: Collection[int], cursor: int, went_on: WentOn
) -> tuple[int, int]:
    ours = {int(pk) for pk, _, _ in erasure.owners}
    owners = [pk for pk in dependents(erasure.workspace_id, erased) if pk not in ours]
    before = ErasureProbe.objects.filter(erasure=erasure, name=BY_WINDOW).first()
    repeating = before.found if before and cursor else 0
    for start in range(bisect_right(owners, cursor), len(owners), _AT_ONCE):
        ids = owners[start : start + _AT_ONCE]
        told = told_by(erasure, ids, sought.repeated)
        for owner_id, key in keys_of(ids).items():
            texts = texts_under(owner_id, key)
            repeating += any(told[owner_id].spans(text) for _, text in texts)
        with transaction.atomic():
            went_on(ids[-1], 0)
            keep_answer(erasure, BY_WINDOW, start + len(ids), repeating)
    return len(owners), repeating
