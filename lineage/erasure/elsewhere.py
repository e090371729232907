"""Where others repeat an erased text: answers and their citations, retrievals, and what people wrote.

What repeats 40 code points or more is masked, in answers shorter quotations as well, and what
stays of its owner is encrypted anew under a key of its own, before the old one is destroyed.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl, urlencode

from django.db import transaction

from lineage.content.keys import keys_of, prepare_next_keys, take_next_keys
from lineage.content.tombstones import MASK
from lineage.erasure import hold
from lineage.erasure.owned_texts import rewrite, rewrite_apart, texts_under
from lineage.erasure.quoting import told_by
from lineage.erasure.records import mark_for_graph
from lineage.erasure.scope import dependents
from lineage.erasure.windows import Spans, masked
from lineage.models import (
    Case,
    CaseEvent,
    DataKey,
    Erasure,
    Incident,
    IncidentNote,
    Node,
    SavedView,
    SearchDue,
)
from lineage.models.turns import take_turn
from lineage.types import JsonValue

# Owners in one go; each that repeats something is one transaction.
_BATCH: Final = 100

# Told of (cursor, how many things were cleared so far), in the transaction of the change.
WentOn = Callable[[int, int], None]


def clear_answers(
    erasure: Erasure,
    repeated: Spans,
    erased: Collection[int],
    ours: Collection[int],
    cursor: int,
    went_on: WentOn,
) -> int:
    """Mask what answers, retrievals and contexts repeat or quote; how many texts and records were changed.

    `ours`: owners whose keys the erasure itself has destroyed or changed.
    """
    owners = [
        pk for pk in dependents(erasure.workspace_id, erased) if pk > cursor and pk not in ours
    ]
    cleared = erasure.places.filter(name="answers").values_list("cleared", flat=True).first() or 0
    for start in range(0, len(owners), _BATCH):
        batch = owners[start : start + _BATCH]
        told = told_by(erasure, batch, repeated)
        for owner_id in _repeating(erasure, told):
            cleared += _mask_owner(erasure, owner_id, told[owner_id])
        went_on(batch[-1], cleared)
    return cleared


def _repeating(erasure: Erasure, told: Mapping[int, Spans]) -> list[int]:
    """Those of the owners that repeat something, and those whose key was being changed when it was interrupted."""
    changing = DataKey.objects.filter(owner_id__in=list(told), destroyed_at=None)
    found = set(changing.exclude(following=b"").values_list("owner_id", flat=True))
    for owner_id, key in keys_of(list(told)).items():
        if any(told[owner_id].spans(text) for _, text in texts_under(owner_id, key)):
            found.add(owner_id)
    rows = Node.objects.filter(workspace_id=erasure.workspace_id, owner_id__in=list(told))
    said = rows.order_by("pk").values_list("owner_id", "fields", "attributes")
    for owner_id, fields, attributes in said.iterator(chunk_size=500):
        if owner_id is not None and _repeats((fields, attributes), told[owner_id]):
            found.add(owner_id)
    return sorted(found)


def _repeats(value: JsonValue, windows: Spans) -> bool:
    if isinstance(value, str):
        return bool(windows.spans(value))
    if isinstance(value, dict):
        return any(_repeats(one, windows) for one in value.values())
    return isinstance(value, list | tuple) and any(_repeats(one, windows) for one in value)


def _mask_owner(erasure: Erasure, owner_id: int, told: Spans) -> int:
    def clear(text: str) -> str:
        return masked(text, told.spans(text), MASK)

    prepare_next_keys([owner_id])
    with transaction.atomic():
        take_turn(erasure.workspace_id)
        hold.keep(erasure)
        rewritten = rewrite(erasure.workspace, owner_id, lambda _, text: clear(text), clear=clear)
        mark_for_graph(erasure.workspace, rewritten.nodes)
        answers = Node.objects.filter(pk=owner_id, kind="answer", workspace=erasure.workspace)
        if rewritten.moved and answers.exists():
            # What search looks up of it is made of the text as it is now.
            SearchDue.objects.get_or_create(
                node_id=owner_id, defaults={"workspace": erasure.workspace}
            )
    take_next_keys([owner_id])
    return len(rewritten.moved) + len(rewritten.nodes)


def clear_notes(erasure: Erasure, windows: Spans, cursor: int, went_on: WentOn) -> int:
    """Mask what titles, reasons, notes and comments of incidents and cases repeat or name; how many things.

    And names and searches of saved views.
    """
    del cursor  # a pass over some hundred rows; begun anew it comes to the same
    cleared = 0
    cases = Case.objects.filter(workspace_id=erasure.workspace_id).order_by("pk")
    for case in cases.iterator(chunk_size=200):
        if _repeats((case.reason, case.evidence), windows):
            case.reason = _masked(case.reason, windows)
            case.evidence = _masked(case.evidence, windows)
            case.save(update_fields=["reason", "evidence"])
            cleared += 1
        if case.owner_id is not None:
            for old, new in _words(erasure, case.owner_id, windows).items():
                CaseEvent.objects.filter(case=case, digest=old).update(digest=new)
                cleared += 1
    incidents = Incident.objects.filter(workspace_id=erasure.workspace_id).order_by("pk")
    for incident in incidents.iterator(chunk_size=200):
        if _repeats(incident.title, windows):
            Incident.objects.filter(pk=incident.pk).update(title=_masked(incident.title, windows))
            cleared += 1
        for old, new in _words(erasure, incident.owner_id, windows).items():
            IncidentNote.objects.filter(incident=incident, digest=old).update(digest=new)
            cleared += 1
    cleared += _clear_views(erasure, windows)
    went_on(0, cleared)
    return cleared


def _clear_views(erasure: Erasure, windows: Spans) -> int:
    """Mask what names of saved views, and what is searched in their addresses, repeat or name."""
    views = SavedView.objects.filter(workspace_id=erasure.workspace_id).order_by("pk")
    cleared = 0
    for view in views.iterator(chunk_size=200):
        path, _, query = view.address.partition("?")
        asked = parse_qsl(query)
        if not any(windows.spans(text) for text in (view.name, *(said for _, said in asked))):
            continue
        said = urlencode([(name, _masked(value, windows)) for name, value in asked])
        SavedView.objects.filter(pk=view.pk).update(
            name=_masked(view.name, windows), address=f"{path}?{said}" if said else path
        )
        cleared += 1
    return cleared


def _masked(value: JsonValue, windows: Spans) -> JsonValue:
    if isinstance(value, str):
        return masked(value, windows.spans(value), MASK)
    if isinstance(value, dict):
        return {name: _masked(one, windows) for name, one in value.items()}
    return [_masked(one, windows) for one in value] if isinstance(value, list) else value


def _words(erasure: Erasure, owner_id: int, windows: Spans) -> dict[str, str]:
    """Mask the texts of an owner that is no node: the digests that have changed, old to new.

    Files of a case lie under its key, too; they are evidence, and left as they are.
    """
    key = keys_of([owner_id]).get(owner_id)
    changing = DataKey.objects.filter(owner_id=owner_id).exclude(following=b"").exists()
    repeating = key and any(windows.spans(text) for _, text in texts_under(owner_id, key))
    if key is None or not (changing or repeating):
        return {}
    prepare_next_keys([owner_id])
    with transaction.atomic():
        take_turn(erasure.workspace_id)
        hold.keep(erasure)
        moved = rewrite_apart(erasure.workspace, owner_id, lambda text: _masked(text, windows))
    take_next_keys([owner_id])
    return moved
