"""The tasks of what readers see; as thin as those of the registry (lineage.tasks)."""

from celery import shared_task

from citations import judging


@shared_task(name="citations.judge_source", acks_late=True, ignore_result=True)
def judge_source(*, source_id: int, after: int = 0, **_: object) -> None:
    """Judge what has become of the cited passages of a source that was looked at."""
    judging.judge(source_id, after)
