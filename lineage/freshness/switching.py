"""What people decide of the watch: whether a workspace is watched, which sources are not, what is looked at now."""

from typing import Final

from django.db import transaction

from lineage import outbox
from lineage.cases.errors import ScopeMissing
from lineage.freshness.state import is_watching
from lineage.models import FreshnessRules, Node, SourceWatch
from lineage.nodes.find import find
from lineage.nodes.visible import visible
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

LOOK: Final = "lineage.look_at_source"


class WatchRefused(Exception):
    """Nothing may be looked at; `code` is switched_off or paused."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def set_watching(viewer: Viewer, *, watching: bool) -> None:
    """Watch the sources of the workspace, or no longer. Raises ScopeMissing without `admin`."""
    _require(viewer, "admin")
    with transaction.atomic():
        rules, _ = FreshnessRules.objects.select_for_update().get_or_create(
            workspace_id=viewer.workspace_id
        )
        if rules.watching == watching:
            return
        FreshnessRules.objects.filter(pk=rules.pk).update(watching=watching)
        code = "watch_sources" if watching else "watch_no_sources"
        record("policy.changed", viewer, code=code)


def set_paused(viewer: Viewer, uid: str, *, paused: bool) -> None:
    """Look at a source no longer, or again. Raises ScopeMissing without `operate`, NotFound."""
    source = _source(viewer, uid)
    with transaction.atomic():
        watch = _watch(source)
        changed = SourceWatch.objects.filter(pk=watch.pk, paused=not paused)
        if changed.update(paused=paused, next_at=clock.now()):
            record("source.paused" if paused else "source.resumed", viewer, object_uid=source.uid)


def look_soon(viewer: Viewer, uid: str) -> None:
    """Look at a source before its time, in the background.

    A site is asked no sooner than its turn comes. Raises ScopeMissing without `operate`,
    NotFound, and WatchRefused where nothing may be fetched.
    """
    source = _source(viewer, uid)
    if not is_watching(viewer.workspace_id):
        raise WatchRefused("switched_off")
    with transaction.atomic():
        watch = _watch(source)
        if watch.paused:
            raise WatchRefused("paused")
        SourceWatch.objects.filter(pk=watch.pk).update(next_at=clock.now())
        record("source.checked", viewer, object_uid=source.uid)
        outbox.enqueue(LOOK, source_id=source.pk)


def _source(viewer: Viewer, uid: str) -> Node:
    _require(viewer, "operate")
    source = find(viewer, uid)
    if source.kind != "source" or not visible(viewer, [source])[source.pk]:
        raise NotFound(uid)
    return source


def _watch(source: Node) -> SourceWatch:
    watch, _ = SourceWatch.objects.get_or_create(
        source=source, defaults={"workspace_id": source.workspace_id, "next_at": clock.now()}
    )
    return watch


def _require(viewer: Viewer, scope: str) -> None:
    if scope not in viewer.scopes:
        raise ScopeMissing(scope)
