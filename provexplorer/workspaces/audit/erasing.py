"""Erases details of audit entries by what they say: a person's name, an address, a text.

Details are encrypted, each entry's under a key of its own. They are opened one by one, and
the keys of those that say it are destroyed. The entries stay, and their chain.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from django.db import transaction

from lineage.content import apart
from lineage.types import JsonValue
from provexplorer.workspaces.audit.models import AuditDetail, AuditEntry
from provexplorer.workspaces.audit.recording import By, details_of, record
from provexplorer.workspaces.models import Workspace

_BATCH: Final = 500
# A shorter word is part of too many others.
LEAST: Final = 4

# Whether the details of an entry go: of the object's uid, and of what they say.
Goes = Callable[[str, JsonValue], bool]


def erase_details_where(
    workspace: Workspace, goes: Goes, *, object_uid: str = "", by: By = None
) -> int:
    """Destroy the details of which `goes` says so; how many. Idempotent.

    `object_uid`: what the log names as the cause, a case for example; `by`: who does so,
    where it is not the product by itself. Raises MasterKeyError.
    """
    erased, after = 0, 0
    while True:
        rows = AuditEntry.objects.filter(workspace_id=workspace.pk, pk__gt=after)
        told = rows.exclude(details_hash="").order_by("pk").values_list("pk", "object_uid")
        uids = dict(told[:_BATCH])
        if not uids:
            return erased
        after = max(uids)
        said = details_of(workspace, list(uids))
        erased += _erase(
            workspace, [pk for pk, one in said.items() if goes(uids[pk], one)], object_uid, by
        )


def erase_details_naming(workspace: Workspace, words: Collection[str], *, by: By = None) -> int:
    """Destroy the details that name one of these words as whole words, in any case; how many.

    Raises ValueError for a word of fewer than 4 characters, MasterKeyError.
    """
    sought = sorted({one.strip() for one in words} - {""})
    if any(len(one) < LEAST for one in sought):
        message = f"a word of fewer than {LEAST} characters stands in too many others"
        raise ValueError(message)
    if not sought:
        return 0
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sought))})(?!\w)", re.IGNORECASE)
    return erase_details_where(
        workspace, lambda _, said: any(map(named.search, strings_of(said))), by=by
    )


def strings_of(value: JsonValue) -> Iterator[str]:
    """Every string of a value of JSON, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from strings_of(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings_of(one)


def _erase(workspace: Workspace, entry_ids: list[int], object_uid: str, by: By) -> int:
    rows = list(AuditDetail.objects.filter(entry_id__in=entry_ids).order_by("entry_id"))
    if not rows:
        return 0
    apart.destroy([row.owner_id for row in rows])
    with transaction.atomic():
        AuditDetail.objects.filter(entry_id__in=[row.entry_id for row in rows]).delete()
        record("audit.details_erased", by, workspace_id=workspace.pk, object_uid=object_uid)
    return len(rows)
