"""What has become of each cited passage of a source, by what the watch has last read of it.

By the same rules as the page that shows a passage then and now (citations.since), once for
all citations of a passage, and kept for cards and lists.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from django.db import transaction

from citations.anchoring import surroundings
from citations.differences import Comparison, verdict_on
from citations.place_now import AROUND, SEVERAL, Cited, Compare, place_now
from citations.versions import VersionText, comparable, text_of
from lineage import outbox
from lineage.content.passages import texts_of
from lineage.freshness.cited import cited_passages
from lineage.freshness.record import JUDGE, everyone
from lineage.models import Node, PassageVerdict, SourceWatch
from lineage.models.freshness import Outcome, Verdict
from lineage.types import Viewer
from provexplorer import clock

_BATCH: Final = 200
# After so long the rest is left to a message of its own, so that others have their turn.
_SECONDS: Final = 60.0
_DRIFTED: Final = (Verdict.CHANGED, Verdict.GONE)


def judge(source_id: int, after: int = 0) -> int:
    """Judge the cited passages of a source from the one behind `after` on; how many were judged.

    Where nothing can be said of them, nothing is: what was said before is withdrawn.
    """
    watch = SourceWatch.objects.filter(pk=source_id).select_related("source", "workspace", "version").first()  # fmt: skip
    if watch is None:
        return 0
    until = time.monotonic() + _SECONDS
    bench = _Bench(everyone(watch.workspace), watch)
    judged = 0
    while True:
        rows = cited_passages(watch.workspace_id, [source_id]).filter(pk__gt=after)
        passages = list(rows.select_related("parent")[:_BATCH])
        if not passages:
            break
        judged += _keep(watch, passages, bench.verdicts(passages))
        after = passages[-1].pk
        if time.monotonic() > until:
            outbox.enqueue(JUDGE, source_id=source_id, after=after)
            break
    _count(watch)
    return judged


class _Bench:
    """A source as it is now, against which passages are held."""

    def __init__(self, viewer: Viewer, watch: SourceWatch) -> None:
        self._viewer = viewer
        self._gone = watch.outcome == Outcome.GONE
        self._now = watch.version if watch.comparable and not self._gone else None
        self._text = self._text_of(self._now) if self._now is not None else None
        # All passages of one version are compared by one comparison of the texts.
        self._compare: Compare = lru_cache(maxsize=2)(Comparison)
        self._versions: dict[int, VersionText | None] = {}

    def verdicts(self, passages: Sequence[Node]) -> dict[int, Verdict]:
        """What became of these passages, by node id; what cannot be told is left out."""
        if self._gone:
            return dict.fromkeys((passage.pk for passage in passages), Verdict.GONE)
        if self._now is None or self._text is None:
            return {}
        chunks = {p.pk: p.parent if p.kind == "fact" else p for p in passages}
        known = [chunk for chunk in chunks.values() if chunk is not None]
        texts = texts_of(known, workspace=self._viewer)
        return {
            pk: self._verdict(chunk, texts[chunk.pk])
            for pk, chunk in chunks.items()
            if chunk is not None and texts.get(chunk.pk, "").strip()
        }

    def _verdict(self, chunk: Node, words: str) -> Verdict:
        assert self._now is not None
        assert self._text is not None
        if chunk.version_id == self._now.pk:
            return Verdict.UNCHANGED
        own = self._own(chunk)
        place = own.place(chunk) if own is not None else None
        text = own.text if own is not None else None
        around = surroundings(words, text, (place.start, place.end) if place is not None else None)
        cited = Cited(
            words.strip(), around.before[-AROUND:], around.after[:AROUND], text, place
        )  # fmt: skip
        found = place_now(cited, self._text.text, self._compare)
        if found is None:
            return Verdict.GONE
        if found is SEVERAL:
            return Verdict.AMBIGUOUS
        now = self._text.text[found.start : found.end]
        return Verdict(verdict_on(words.strip(), now.strip()).value)

    def _own(self, chunk: Node) -> VersionText | None:
        """The text of the version that a passage was cited from."""
        pk = chunk.version_id or 0
        if pk not in self._versions:
            version = Node.objects.filter(pk=pk, workspace_id=self._viewer.workspace_id).first()
            # Passages come version by version, in the order of their nodes; texts are long.
            self._versions = {pk: self._text_of(version) if version is not None else None}
        return self._versions[pk]

    def _text_of(self, version: Node) -> VersionText | None:
        held = comparable(self._viewer, [version])
        return text_of(self._viewer, held[0]) if held else None


def _keep(watch: SourceWatch, passages: Sequence[Node], verdicts: dict[int, Verdict]) -> int:
    now = clock.now()
    version_id = None if watch.outcome == Outcome.GONE else watch.version_id
    rows = [
        PassageVerdict(
            passage_id=pk, source_id=watch.pk, version_id=version_id, verdict=verdict, at=now
        )
        for pk, verdict in verdicts.items()
    ]
    with transaction.atomic():
        unsaid = [passage.pk for passage in passages if passage.pk not in verdicts]
        PassageVerdict.objects.filter(pk__in=unsaid).delete()
        PassageVerdict.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["passage"],
            update_fields=["source", "version", "verdict", "at"],
        )
    return len(rows)


def _count(watch: SourceWatch) -> None:
    """Keep how many passages are cited, and how many of them are not what they were."""
    drifted = PassageVerdict.objects.filter(source_id=watch.pk, verdict__in=_DRIFTED)
    SourceWatch.objects.filter(pk=watch.pk).update(
        cited=cited_passages(watch.workspace_id, [watch.pk]).count(), drifted=drifted.count()
    )
