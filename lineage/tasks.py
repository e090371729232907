"""The tasks of the registry: named, thin, keyword-only; each may be delivered twice, late or never.

`**_` takes arguments that a newer sender adds, so that a rolling deployment loses nothing.
"""

from celery import shared_task

from lineage import liveness, outbox, pending, quarantine
from lineage.cases import epoch, late, mail, propagate, schedule
from lineage.erasure import run
from lineage.freshness import watching
from lineage.graph import projection, repair
from lineage.graph.away import unless_away
from lineage.impact import counting, sets
from lineage.inbox import retention, sweep
from lineage.incidents import watch
from lineage.ingest import search_due
from lineage.invalidation import announce
from lineage.notices import due, feeds, receiving
from lineage.rights import summarise
from lineage.types import GraphAway
from lineage.webhooks import delivering


@shared_task(name="lineage.propagate_case", acks_late=True, ignore_result=True)
def propagate_case(*, case_id: int, **_: object) -> None:
    """Materialise some batches of a case, or try to close it."""
    propagate.propagate(case_id)


@shared_task(
    name="lineage.project_case",
    acks_late=True,
    ignore_result=True,
    autoretry_for=(GraphAway,),
    retry_backoff=2,
    retry_backoff_max=60,
    max_retries=None,
)
def project_case(*, case_id: int, edges: int = 1, **_: object) -> None:
    """Bring a case and its edges in the graph up to date; waits for a graph that is away."""
    with unless_away():
        projection.project_case(case_id, edges=bool(edges))


@shared_task(
    name="lineage.retire_nodes",
    acks_late=True,
    ignore_result=True,
    autoretry_for=(GraphAway,),
    retry_backoff=2,
    retry_backoff_max=60,
    max_retries=None,
)
def retire_nodes(*, workspace_id: int, uids: str, **_: object) -> None:
    """Take uids (parted by blanks) out of the graph that no node has any more."""
    with unless_away():
        projection.retire(workspace_id, uids.split())


@shared_task(name="lineage.compare_again", acks_late=True, ignore_result=True)
def compare_again(*, case_id: int, source_id: int, after: int = 0, **_: object) -> None:
    """Compare the claims of some answers with a corrected text that arrived after the case."""
    late.compare_again(case_id, source_id, after)


@shared_task(name="lineage.start_scheduled", acks_late=True, ignore_result=True)
def start_scheduled(**_: object) -> None:
    """Start the cases whose time has come and take up those that have stalled."""
    schedule.start_due()
    schedule.take_up_stalled()


@shared_task(
    name="lineage.mail_case_event",
    acks_late=True,
    ignore_result=True,
    autoretry_for=(OSError,),
    retry_backoff=30,
    retry_backoff_max=3_600,
    max_retries=10,
)
def mail_case_event(*, event_id: int, **_: object) -> None:
    """Tell by mail whom a step of a case concerns; waits for a mail server that is away."""
    mail.mail_event(event_id)


@shared_task(name="lineage.erase_case", acks_late=True, ignore_result=True)
def erase_case(*, case_id: int, **_: object) -> None:
    """Clear the places of an erasure that are due."""
    run.erase(case_id)


@shared_task(name="lineage.erase_due", acks_late=True, ignore_result=True)
def erase_due(**_: object) -> None:
    """Ask for erasures that have come into effect, or whose next attempt has come."""
    run.sweep()


@shared_task(name="lineage.project_pending", acks_late=True, ignore_result=True)
def project_pending(**_: object) -> None:
    """Bring the graph up to date with what was committed."""
    with unless_away():
        pending.project_pending()


@shared_task(name="lineage.keep_graph_right", acks_late=True, ignore_result=True)
def keep_graph_right(**_: object) -> None:
    """Renew the graph's mark, or go on with writing a graph anew that was restored."""
    with unless_away():
        repair.keep_right()


@shared_task(name="lineage.index_answers", acks_late=True, ignore_result=True)
def index_answers(**_: object) -> None:
    """Look up the words of answers that are new or have changed."""
    search_due.index_due()


@shared_task(name="lineage.send_outbox", acks_late=True, ignore_result=True)
def send_outbox(**_: object) -> None:
    """Send the tasks whose message was lost between commit and broker; a sign that work is done."""
    liveness.sign(liveness.WORKER)
    outbox.send_outbox()
    quarantine.forget_old()
    epoch.forget_dead()


@shared_task(name="lineage.apply_inbox", acks_late=True, ignore_result=True)
def apply_inbox(**_: object) -> None:
    """Apply the payloads that were kept and not applied."""
    sweep.apply_waiting()


@shared_task(name="lineage.clear_inbox", acks_late=True, ignore_result=True)
def clear_inbox(**_: object) -> None:
    """Destroy the bodies of payloads whose time is over, and their rows in the end."""
    retention.clear()


@shared_task(name="lineage.watch_incidents", acks_late=True, ignore_result=True)
def watch_incidents(**_: object) -> None:
    """Find the answers that came under watched incidents."""
    watch.watch()


@shared_task(name="lineage.announce_changes", acks_late=True, ignore_result=True)
def announce_changes(**_: object) -> None:
    """Tell webhooks how states of answers have changed."""
    announce.announce()


@shared_task(name="lineage.deliver_webhook", acks_late=True, ignore_result=True)
def deliver_webhook(*, delivery_id: int, attempt: int, **_: object) -> None:
    """Make one attempt to tell an address outside."""
    delivering.deliver(delivery_id, attempt)


@shared_task(name="lineage.deliver_due", acks_late=True, ignore_result=True)
def deliver_due(**_: object) -> None:
    """Ask for the attempts whose time has come."""
    delivering.deliver_due()


@shared_task(name="lineage.count_report", acks_late=True, ignore_result=True)
def count_report(*, kept_id: int, fence: int, **_: object) -> None:
    """Count some numbers of an impact report that is too large for a page."""
    counting.count(kept_id, fence)


@shared_task(name="lineage.clear_reports", acks_late=True, ignore_result=True)
def clear_reports(**_: object) -> None:
    """Delete reports and sets of nodes that nobody has looked at for long."""
    counting.clear()
    sets.clear_unused()


@shared_task(name="lineage.watch_sources", acks_late=True, ignore_result=True)
def watch_sources(**_: object) -> None:
    """Look at the sources whose time has come."""
    watching.one_tick()


@shared_task(name="lineage.look_at_source", acks_late=True, ignore_result=True)
def look_at_source(*, source_id: int, **_: object) -> None:
    """Look at one source because somebody asks for it."""
    watching.look_now(source_id)


@shared_task(name="lineage.summarise_sources", acks_late=True, ignore_result=True)
def summarise_sources(**_: object) -> None:
    """Prepare the rows of sources that are due, and draft the cases that follow from them."""
    summarise.keep_up()


@shared_task(name="lineage.read_notices", acks_late=True, ignore_result=True)
def read_notices(*, import_id: int, **_: object) -> None:
    """Read a file of notices that was kept."""
    receiving.read_kept(import_id)


@shared_task(name="lineage.match_notices", acks_late=True, ignore_result=True)
def match_notices(*, workspace_id: int, **_: object) -> None:
    """Look through the notices on record for sources that are new or have changed."""
    due.match_due(workspace_id)


@shared_task(name="lineage.look_after_notices", acks_late=True, ignore_result=True)
def look_after_notices(**_: object) -> None:
    """Fetch a catalogue whose time has come, take up what was left."""
    receiving.take_up_stalled()
    due.look_after()
    feeds.fetch_due()


@shared_task(name="lineage.recount_notices", acks_late=True, ignore_result=True)
def recount_notices(**_: object) -> None:
    """Count anew the answers that rest on what notices concern."""
    due.recount()
