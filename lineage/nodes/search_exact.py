"""Nodes that a query names exactly: by uid, by the beginning of one as pages print it, by key or identifier."""

import re
from typing import Final

from django.db.models import Q

from lineage.compiled import by_their_ids
from lineage.identifiers import UID_PATTERN, anywhere_of
from lineage.ingest.search_words import identifier_word
from lineage.models import Node, SearchWord, UidAlias
from lineage.types import Viewer
from lineage.vocabulary import KIND_BY_PREFIX, KINDS

MOST_EXACT: Final = 200
# Pages print eight characters of a uid's 26; two nodes of a million share them once in a thousand years.
_PRINTED: Final = re.compile(r"^([a-z]{3})_([a-z2-7]{8,25})(?:…|\.\.\.)?$")
# Characters of a uid after which the next one is the same in every collation.
_STEPPED: Final = frozenset("abcdefghijklmnopqrstuvwxy23456")


def nodes_named(viewer: Viewer, wanted: str, kind: str | None) -> list[Node]:
    """What the query names, the latest recorded first; only what decides on its visibility is loaded.

    One indexed look-up a way of finding, rather than one condition that no index serves.
    """
    nodes = by_their_ids(Node.objects.all(), viewer.workspace_id)
    # Not by id alone: to be spared a sort, SQLite would read every node of the workspace.
    nodes = nodes.order_by("-recorded_at", "-pk")
    if kind is not None:
        nodes = nodes.filter(kind=kind)
    nodes = nodes.only("pk", "uid", "kind", "key", "version_id", "parent_id", "label")
    found = {
        node.pk: node
        for way in _ways(viewer, wanted, kind)
        for node in nodes.filter(way)[:MOST_EXACT]
    }
    return list(found.values())[:MOST_EXACT]


def _ways(viewer: Viewer, wanted: str, kind: str | None) -> list[Q]:
    if UID_PATTERN.match(wanted):
        aliases = UidAlias.objects.filter(uid=wanted, workspace_id=viewer.workspace_id)
        return [Q(uid=wanted), Q(pk__in=aliases.values("node_id"))]
    printed = _PRINTED.match(wanted)
    if printed is not None and printed[1] in KIND_BY_PREFIX:
        return [_beginning(f"{printed[1]}_{printed[2]}")]
    kinds = KINDS if kind is None else (kind,)
    keyed = [anywhere_of(viewer.hash_key, each, wanted) for each in kinds]
    identified = SearchWord.objects.filter(
        workspace_id=viewer.workspace_id, word=identifier_word(wanted, viewer.hash_key)
    )
    return [
        Q(workspace_id=viewer.workspace_id, anywhere__in=keyed),
        Q(pk__in=identified.values("node_id")),
    ]


def _beginning(beginning: str) -> Q:
    """Uids that begin so; the bounds let an index help, the comparison decides."""
    begins = Q(uid__gte=beginning, uid__startswith=beginning)
    stem = beginning.rstrip("z7")
    if stem and stem[-1] in _STEPPED:
        begins &= Q(uid__lt=stem[:-1] + chr(ord(stem[-1]) + 1))
    return begins
