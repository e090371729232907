"""Works whose paragraphs are cited, on sites of this machine, watched."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.cache import cache
from django.test import override_settings

from citations.judging import judge
from lineage.freshness.record import JUDGE
from lineage.freshness.watching import one_tick
from lineage.models import FreshnessRules, HostTurn, Node, PassageVerdict, SourceWatch, TaskOutbox
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record

_LEAST = 40


@contextmanager
def from_this_machine(**settings: Any) -> Iterator[None]:
    """This machine's sites may be fetched from, without a pause."""
    with override_settings(FETCH_FROM_LOOPBACK=True, FETCH_DELAY_SECONDS=0, **settings):
        cache.clear()
        yield
        cache.clear()


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Where the paragraphs of a text stand that are long enough to be cited."""
    found = []
    for match in re.finditer(r"\S(?:.|\n(?!\s*\n))*", text):
        start, end = match.start(), match.start() + len(match.group().rstrip())
        if end - start >= _LEAST:
            found.append((start, end))
    return found


def work(key: str, uri: str, text: str, *, at: str = "2026-03-01T10:00:00Z", **version: Any) -> list[dict[str, Any]]:  # fmt: skip
    """A source with one version, whose every paragraph is a chunk `KEY#n` that an answer cites."""
    spots = paragraphs(text)
    return [
        record("source", key, at=at, title=f"Work {key}", uri=uri),
        record("source_version", f"{key}@1", at=at, source=key, version="1", **version),
        record("document", f"{key}@1-doc", at=at, source_version=f"{key}@1", text=text),
        *(
            record("chunk", f"{key}#{n}", at=at, document=f"{key}@1-doc", interval={"start": start, "end": end})
            for n, (start, end) in enumerate(spots)
        ),
        record("answer", f"about {key}", at=at, question="What?", text="It says. " * len(spots)),
        *(
            record("claim", f"{key} claim {n}", at=at, answer=f"about {key}", interval={"start": 9 * n, "end": 9 * n + 8})
            for n in range(len(spots))
        ),
        *(
            record("citation", f"{key} cites {n}", at=at, claim=f"{key} claim {n}", marker=f"[{n}]", chunk=f"{key}#{n}")
            for n in range(len(spots))
        ),
    ]  # fmt: skip


def watched(workspace: Workspace) -> None:
    """Switch the watch of a workspace on."""
    FreshnessRules.objects.update_or_create(workspace=workspace, defaults={"watching": True})


def pass_by(workspace: Workspace, *, keys: Sequence[str] | None = None) -> int:
    """Let everything (or these sources) be due, make one pass, and judge what is to be judged."""
    rows = SourceWatch.objects.filter(workspace=workspace)
    if keys is not None:
        rows = rows.filter(source__key__in=keys)
    rows.update(next_at=clock.now())
    HostTurn.objects.all().delete()
    done = one_tick(30)
    judge_waiting()
    return done


def judge_waiting() -> int:
    """Run the tasks that judge passages; how many there were."""
    waiting = list(TaskOutbox.objects.filter(name=JUDGE).order_by("pk"))
    for task in waiting:
        judge(**task.arguments)
    TaskOutbox.objects.filter(pk__in=[task.pk for task in waiting]).delete()
    return len(waiting)


def verdicts(workspace: Workspace) -> dict[str, str]:
    """What became of each passage, by key."""
    rows = PassageVerdict.objects.filter(passage__workspace=workspace)
    return dict(rows.values_list("passage__key", "verdict"))


def watch_of(workspace: Workspace, key: str) -> SourceWatch:
    return SourceWatch.objects.get(workspace=workspace, source__key=key)


def versions(workspace: Workspace, key: str) -> list[Node]:
    """The versions of a source, as they came."""
    return list(
        Node.objects.filter(
            workspace=workspace, kind="source_version", parent__key=key, resolved=True
        ).order_by("pk")
    )
