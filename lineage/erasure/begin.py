"""The beginning of an erasure: its scope is fixed, tombstones stand, and the keys are destroyed.

All that the rest of it needs is kept before: hashes of the text's windows and what other
systems call its pieces, both under a key that goes with the end of the erasure. From the
commit of the tombstones on nothing of it is let in again.
"""

import json
import logging
import secrets
from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from lineage import outbox
from lineage.cases.ancestry import sliced
from lineage.cases.steps import IN_EFFECT
from lineage.content import sealed
from lineage.content.apart import new_owner
from lineage.content.passages import digest_of, texts_of
from lineage.content.store import read_texts
from lineage.content.tombstones import buried_as, keyed_digest
from lineage.erasure.external import tell_targets
from lineage.erasure.ledger import open_ledger
from lineage.erasure.named import KEYS, NAMES, described_in, names_in
from lineage.erasure.quotations import Quotations
from lineage.erasure.scope import Scope, scope_of
from lineage.erasure.windows import Windows
from lineage.identifiers import text_digest
from lineage.models import Case, ErasedNode, ErasedText, Erasure, Node, Sighting
from lineage.models.turns import take_turn
from provexplorer import clock

logger = logging.getLogger(__name__)

TASK: Final = "lineage.erase_case"
WINDOWS: Final = "erasure:windows"
QUOTATIONS: Final = "erasure:quotations"
_AT_ONCE: Final = 500


class _NotInEffect(Exception):
    """The case is no erasure that is in effect: not yet, not any more, or it has gone.

    Raised, so that nothing stays of the turn that was taken in a workspace that has gone.
    """


def begin(case_id: int, *, ask: bool = True) -> Erasure | None:
    """Begin the erasure of a case; None where it is none, is not in effect, was lifted or has gone.

    Idempotent: one that has begun is left as it is. Asks for the task that clears the
    places, unless told not to: the sweeper finds it, too. Raises MasterKeyError, ScopeTooLarge; nothing has begun then.
    """
    case = in_effect().filter(pk=case_id).first()
    if case is None:
        return None
    begun = Erasure.objects.filter(case=case).exclude(state=Erasure.State.CHOSEN).first()
    if begun is not None:
        return begun
    working, erasure = new_owner(), None
    try:
        with transaction.atomic():
            # First of all: no record may come in between the scope and its tombstones. Whoever
            # lifts the case takes the same turn: it is looked at again.
            take_turn(case.workspace_id)
            case = in_effect().filter(pk=case_id).first()
            if case is None:
                raise _NotInEffect
            begun = _begin(case, working, ask=ask)
        erasure = begun
    except _NotInEffect:
        return None
    finally:
        if erasure is None or erasure.working_owner != working:
            sealed.destroy([working])
    return erasure


def in_effect() -> QuerySet[Case]:
    """Erasures that are in effect and that nobody has lifted."""
    rows = Case.objects.filter(kind="erasure", state__in=IN_EFFECT, reinstatements=None)
    return rows.select_related("workspace")


def _begin(case: Case, working: int, *, ask: bool) -> Erasure:
    erasure, _ = Erasure.objects.get_or_create(
        case=case, defaults={"workspace_id": case.workspace_id}
    )
    mine = Erasure.objects.filter(pk=erasure.pk, state=Erasure.State.CHOSEN)
    begun = mine.update(
        state=Erasure.State.RUNNING, begun_at=clock.now(), working_owner=working, lifted_at=None
    )
    erasure.refresh_from_db()
    if not begun:
        return erasure  # another process was faster
    scope = scope_of(case)
    texts, contents = _texts(case, scope)
    bury(erasure, scope, {digest for one in texts for digest in buried_as(one)} | contents)
    key = sealed.key_of(working)
    assert key is not None  # made a moment ago
    windows = Windows.of(texts, secrets.token_bytes(32))
    sealed.seal(
        case.workspace,
        working,
        key,
        {
            WINDOWS: windows.to_bytes(),
            QUOTATIONS: Quotations.of(texts, secrets.token_bytes(32)).to_bytes(),
            KEYS: json.dumps(names_in(scope)).encode("ascii"),
            NAMES: json.dumps(described_in(scope) if erasure.describing else []).encode("ascii"),
        },
    )
    open_ledger(erasure)
    tell_targets(erasure)
    if ask:
        outbox.enqueue(TASK, case_id=case.pk)
    return erasure


def bury(erasure: Erasure, scope: Scope, digests: Iterable[str]) -> None:
    """Write the tombstones of these nodes and of these texts, and under whose keys they lay."""
    workspace = erasure.workspace
    first = ""
    for ids in sliced(scope.nodes):
        rows = Node.objects.filter(workspace=workspace, pk__in=ids).select_related("parent")
        nodes = list(
            rows.order_by("pk").only("uid", "kind", "address", "digest", "parent__address")
        )
        first = first or (nodes[0].uid if nodes else "")
        ErasedNode.objects.bulk_create(
            [
                ErasedNode(
                    workspace=workspace,
                    erasure=erasure,
                    node=node,
                    uid=node.uid,
                    kind=node.kind,
                    address=node.address,
                    place=node.parent.address if node.parent else "",
                    digest=keyed_digest(workspace, node.digest),
                )
                for node in nodes
            ],
            batch_size=_AT_ONCE,
            ignore_conflicts=True,
        )
    target = erasure.case.targets.order_by("pk").values_list("node__uid", flat=True).first()
    ErasedText.objects.bulk_create(
        [
            ErasedText(
                workspace=workspace,
                erasure=erasure,
                digest=keyed_digest(workspace, digest),
                uid=target or first,
            )
            for digest in sorted(set(digests))
        ],
        batch_size=_AT_ONCE,
        ignore_conflicts=True,
    )
    owners = dict(
        Node.objects.filter(workspace=workspace, pk__in=scope.whole | scope.partly).values_list(
            "pk", "uid"
        )
    )
    Erasure.objects.filter(pk=erasure.pk).update(
        owners=[[pk, uid, pk in scope.whole] for pk, uid in sorted(owners.items())]
    )
    erasure.refresh_from_db()


def _texts(case: Case, scope: Scope) -> tuple[list[str], set[str]]:
    """The texts that go, each once; and the digests by which whatever holds them as a whole is known.

    Those of documents of which only a part goes among them: sent again, they would bring it back.
    """
    found: dict[str, str] = {}
    contents: set[str] = set()
    for ids in sliced(scope.nodes, _AT_ONCE):
        nodes = list(Node.objects.filter(workspace=case.workspace, pk__in=ids).order_by("pk"))
        for text in texts_of(nodes, workspace=case.workspace).values():
            found[text_digest(text)] = text
        wanted = [
            (node.owner_id or node.pk, digest)
            for node in nodes
            for digest in _marked(node.fields)
        ] + [
            (owner or 0, digest)
            for owner, fields in Sighting.objects.filter(
                workspace=case.workspace, node_id__in=[node.pk for node in nodes]
            ).values_list("node__owner_id", "fields")
            for digest in _marked(fields)
        ]  # fmt: skip
        for (_, digest), text in read_texts(case.workspace, sorted(set(wanted))).items():
            found[digest] = text
        parents = {node.parent_id for node in nodes if node.parent_id} - scope.nodes
        slices = {node.parent_id for node in nodes if node.kind in ("chunk", "part")}
        held = list(
            Node.objects.filter(workspace=case.workspace, pk__in=parents & slices).order_by("pk")
        )
        for node in held:
            contents |= {node.digest, *_marked(node.fields)} - {""}
        for text in texts_of(held, workspace=case.workspace).values():
            contents |= set(buried_as(text))
    return list(found.values()), contents


def _marked(fields: dict[str, object]) -> Iterable[str]:
    for value in fields.values():
        for one in value if isinstance(value, list) else (value,):
            if digest := digest_of(one):
                yield digest
