"""Bodies go after some days, rows after some months; what waits stays."""

import pytest
from django.test import override_settings

from lineage.inbox.keeping import body_of, owner_of
from lineage.inbox.receive import receive
from lineage.inbox.retention import clear
from lineage.models import Blob, DataKey, InboxPayload
from provexplorer.workspaces.models import Workspace
from tests.inbox.conftest import Clock, Failing
from tests.inbox.world import REFUSED, SOURCE, row, send

pytestmark = pytest.mark.django_db


def has_key(found: InboxPayload) -> bool:
    return DataKey.objects.filter(owner_id=owner_of(found.pk)).exists()


def test_bodies_of_what_was_wholly_applied_go_after_their_days(
    workspace: Workspace, time: Clock
) -> None:
    whole, partly = row(send(workspace, SOURCE)), row(send(workspace, SOURCE, REFUSED))
    time.pass_(days=30)
    assert clear() == (0, 0)
    time.pass_(seconds=1)
    assert clear() == (1, 0)
    whole.refresh_from_db()
    assert whole.body_gone_at == time.now
    assert (body_of(workspace, whole.pk), has_key(whole)) == (None, False)
    assert not Blob.objects.filter(owner_id=owner_of(whole.pk)).exists()
    assert body_of(workspace, partly.pk) is not None
    assert clear() == (0, 0)


def test_rows_go_after_their_days_but_not_what_waits(
    workspace: Workspace, time: Clock, failing: Failing
) -> None:
    partly = row(send(workspace, SOURCE, REFUSED))
    failing(KeyError("x"))
    waiting = row(send(workspace, SOURCE))
    time.pass_(days=90)
    assert clear() == (0, 0)
    time.pass_(seconds=1)
    assert clear() == (0, 1)
    assert list(InboxPayload.objects.values_list("pk", flat=True)) == [waiting.pk]
    assert not has_key(partly)
    assert has_key(waiting)


@override_settings(INBOX_BODY_DAYS=0)
def test_with_no_days_a_body_goes_once_it_is_applied(workspace: Workspace, time: Clock) -> None:
    whole = row(send(workspace, SOURCE))
    assert (whole.body_gone_at, has_key(whole)) == (time.now, False)
    assert body_of(workspace, row(send(workspace, SOURCE, REFUSED)).pk) is not None

    # Spans of a trace may come in several requests, and are put together again.
    spans = b'{"resourceSpans": []}'
    piece = row(receive(workspace, format="otlp", body=spans, media_type="application/json"))
    # An answer that is owed again for a day goes with its day.
    owed = row(send(workspace, SOURCE, idempotency_key="k"))
    assert send(workspace, SOURCE, idempotency_key="k").result is not None
    time.pass_(hours=24)
    assert clear() == (0, 0)
    assert body_of(workspace, piece.pk) == spans
    time.pass_(seconds=1)
    assert clear() == (2, 0)
    assert [body_of(workspace, each.pk) for each in (owed, piece)] == [None, None]
