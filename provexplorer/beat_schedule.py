"""What beat asks the worker for, and how often."""

from typing import Any, Final


def every(seconds: float, task: str) -> dict[str, Any]:
    """A beat entry; one that nobody took before the next is due is dropped."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


SCHEDULE: Final = {
    "project what is pending": every(5, "lineage.project_pending"),
    "keep the graph right": every(60, "lineage.keep_graph_right"),
    "look up words of answers": every(5, "lineage.index_answers"),
    "send what the broker missed": every(5, "lineage.send_outbox"),
    "apply what was kept": every(5, "lineage.apply_inbox"),
    "clear the inbox": every(60, "lineage.clear_inbox"),
    "start cases that are due": every(15, "lineage.start_scheduled"),
    "erase what is due": every(10, "lineage.erase_due"),
    "watch incidents": every(15, "lineage.watch_incidents"),
    "watch sources": every(15, "lineage.watch_sources"),
    "deliver what is due": every(15, "lineage.deliver_due"),
    "seal the audit log": every(10, "workspaces.seal_audit"),
    "announce what answers became": every(5, "lineage.announce_changes"),
    "sum up sources": every(15, "lineage.summarise_sources"),
    "clear reports": every(300, "lineage.clear_reports"),
    "look after notices": every(60, "lineage.look_after_notices"),
    "recount notices": every(1_800, "lineage.recount_notices"),
}
