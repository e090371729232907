"""Who looks at what, when, and what stays if a worker does not."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import override_settings

from lineage.freshness import looking, watching
from lineage.freshness.looking import look
from lineage.freshness.probe import Probed, Target, probe
from lineage.freshness.record import keep
from lineage.freshness.sites import Visit
from lineage.freshness.switching import set_paused
from lineage.freshness.taking import LEASE, take_due, take_up
from lineage.freshness.watching import look_now, one_tick
from lineage.models import FreshnessRules, HostTurn, Node, SourceCheck, SourceWatch
from lineage.models.freshness import Outcome
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.freshness.sites import Asked, site
from tests.freshness.world import from_this_machine, pass_by, versions, watch_of, watched, work
from tests.ingest.sending import node, send

pytestmark = [pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

TEXT = "The tide table of the harbour lists forty-one tides in May of that year.\n"


def plain(asked: Asked) -> None:
    if asked.path.startswith("/doc"):
        asked.reply(200, TEXT.encode(), Content_Type="text/plain")
    else:
        asked.reply(404)


@pytest.fixture
def place(workspace: Workspace) -> Iterator[Workspace]:
    HostTurn.objects.all().delete()
    with from_this_machine():
        yield workspace


def fetched(asked: list[tuple[str, dict[str, str]]]) -> list[str]:
    return [path for path, _ in asked if path.startswith("/doc")]


def test_nothing_is_fetched_before_it_is_switched_on(place: Workspace) -> None:
    with site(plain) as (base, asked):
        send(place, work("doc", f"{base}/doc", TEXT))
        assert one_tick(5) == 0
        source = node(place, "source", "doc")
        assert look_now(source.pk) == 0
        watched(place)
        assert one_tick(5) == 1
        assert fetched(asked) == ["/doc"]
        FreshnessRules.objects.update(watching=False)
        SourceWatch.objects.update(next_at=clock.now())
        assert one_tick(5) == 0
        assert look_now(source.pk) == 0
    assert fetched(asked) == ["/doc"]


def test_what_is_paused_is_not_fetched_and_sources_that_come_later_are(place: Workspace) -> None:
    watched(place)
    with site(plain) as (base, asked):
        send(place, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
        set_paused(viewer(place, "operate"), node(place, "source", "doc").uid, paused=True)
        send(place, work("doc-2", f"{base}/doc-2", TEXT))
        pass_by(place)
    assert fetched(asked) == ["/doc", "/doc-2"]


def test_a_look_is_recorded_with_its_evidence(place: Workspace) -> None:
    def told(asked: Asked) -> None:
        if asked.path == "/doc":
            headers = {"ETag": '"7"', "Last_Modified": "Mon, 02 Mar 2026 10:00:00 GMT", "TDM_Reservation": "1"}  # fmt: skip
            asked.reply(200, TEXT.encode(), Content_Type="text/plain", **headers)
        else:
            asked.reply(404)

    watched(place)
    with site(told) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
    check = SourceCheck.objects.get(source__workspace=place)
    response = check.acquisition
    assert response is not None
    at = check.at.isoformat()
    assert {name: response.fields[name] for name in ("uri", "http_status", "etag", "last_modified", "media_type", "rights_signals")} == {
        "uri": f"{base}/doc", "http_status": 200, "etag": '"7"',
        "last_modified": "Mon, 02 Mar 2026 10:00:00 GMT", "media_type": "text/plain",
        "rights_signals": [{"signal": "tdm-reservation", "value": "1", "channel": "header", "at": at}],
    }  # fmt: skip
    assert response.digest.startswith("sha256:")
    assert response.attributes["outcome"] == "same"
    assert (check.outcome, check.status, check.version) == ("same", 200, versions(place, "doc")[0])
    watch = watch_of(place, "doc")
    assert watch.next_at - check.at >= timedelta(days=1)
    assert watch.answers == 1


def test_a_changed_source_makes_one_version_however_often_it_is_read(place: Workspace) -> None:
    text = [TEXT]
    watched(place)

    def behave(asked: Asked) -> None:
        asked.reply(200 if asked.path == "/doc" else 404, text[0].encode(), Content_Type="text/plain")  # fmt: skip

    with site(behave) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
        text[0] = TEXT.replace("May", "June")
        for _ in range(3):
            pass_by(place)
        assert [v.namespace for v in versions(place, "doc")] == ["", "provexplorer:observed"]
        assert watch_of(place, "doc").changes == 1
        text[0] = TEXT
        pass_by(place)
        text[0] = TEXT.replace("May", "June")
        pass_by(place)
    known = versions(place, "doc")
    # What it was before and is again is the version that it was.
    assert [version.namespace for version in known[1:]] == ["provexplorer:observed"] * 2
    assert known[1].digest != known[2].digest
    assert watch_of(place, "doc").version == known[1]


def test_workers_at_once_look_at_each_source_once_and_at_a_site_one_at_a_time(
    place: Workspace,
) -> None:
    now: Counter[str] = Counter()
    most: Counter[str] = Counter()
    lock = threading.Lock()

    def slow(asked: Asked) -> None:
        name = str(asked.headers["Host"])
        with lock:
            now[name] += 1
            most[name] = max(most[name], now[name])
        time.sleep(0.01)
        plain(asked)
        with lock:
            now[name] -= 1

    watched(place)
    with site(slow) as (one, asked_one), site(slow) as (two, asked_two):
        for n in range(6):
            base = (one, two)[n % 2]
            send(place, work(f"doc-{n}", f"{base}/doc-{n}", TEXT))
        take_up()
        first, second = take_due(4), take_due(4)
        # Nobody takes what another has; whoever comes second to a site must wait for it.
        assert {due.source.pk for due in first} & {due.source.pk for due in second} == set()
        assert len(first) + len(second) == 6
        looked = list(look(first, time.monotonic() + 5))
        assert len(looked) == 4
        keep(place, looked)
        assert take_due(4) == []
    assert set(most.values()) == {1}
    assert len(fetched(asked_one)) + len(fetched(asked_two)) == 4


def test_a_site_is_given_a_pause_between_two_requests(place: Workspace) -> None:
    watched(place)
    with override_settings(FETCH_DELAY_SECONDS=0.3), site(plain) as (base, _):
        for n in range(3):
            send(place, work(f"doc-{n}", f"{base}/doc-{n}", TEXT))
        began = time.monotonic()
        assert one_tick(10) == 3
        assert time.monotonic() - began >= 0.6
        turn = HostTurn.objects.get()
        assert turn.free_at > clock.now() - timedelta(seconds=1)


def test_a_site_that_asks_for_time_is_not_asked_for_its_other_sources(place: Workspace) -> None:
    def busy(asked: Asked) -> None:
        asked.reply(429 if asked.path.startswith("/doc") else 404, Retry_After="600")

    watched(place)
    with site(busy) as (base, asked):
        for n in range(4):
            send(place, work(f"doc-{n}", f"{base}/doc-{n}", TEXT))
        assert one_tick(5) == 1
    assert len(fetched(asked)) == 1
    soon = clock.now() + timedelta(seconds=500)
    assert all(row.next_at > soon for row in SourceWatch.objects.filter(workspace=place))


def test_what_a_worker_took_and_died_with_is_taken_again(place: Workspace) -> None:
    watched(place)
    with site(plain) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT))
        take_up()
        (lost,) = take_due(10)
        assert take_due(10) == []
        SourceWatch.objects.update(lease_until=clock.now() - timedelta(seconds=1))
        assert one_tick(5) == 1
        # It comes back, and finds that it was overtaken.
        assert keep(place, list(look([lost], time.monotonic() + 5))) == 0
    assert watch_of(place, "doc").looks == 1
    assert LEASE > timedelta(seconds=120)


def test_a_look_that_breaks_does_not_keep_others_from_theirs(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking(target: Target, visit: Visit) -> Probed:
        if target.uri.endswith("/doc-0"):
            message = "not foreseen"
            raise RuntimeError(message)
        return probe(target, visit)

    watched(place)
    with site(plain) as (base, _):
        for n in range(2):
            send(place, work(f"doc-{n}", f"{base}/doc-{n}", TEXT))
        monkeypatch.setattr(looking, "probe", breaking)
        assert one_tick(5) == 2
    assert [watch_of(place, f"doc-{n}").outcome for n in range(2)] == [Outcome.UNREADABLE, Outcome.SAME]  # fmt: skip


def test_a_pass_takes_what_is_due_in_portions_and_looks_at_each_once(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one portion is kept the next is asked for: of the same sites, which are free again by then."""
    monkeypatch.setattr(watching, "_TAKEN", 2)
    watched(place)
    with site(plain) as (base, asked), site(plain) as (other, asked_other):
        for n in range(5):
            send(place, work(f"doc-{n}", f"{(base, other)[n % 2]}/doc-{n}", TEXT))
        assert one_tick(5) == 5
        assert one_tick(5) == 0
    assert sorted(fetched(asked)) == ["/doc-0", "/doc-2", "/doc-4"]
    assert sorted(fetched(asked_other)) == ["/doc-1", "/doc-3"]
    assert [watch_of(place, f"doc-{n}").looks for n in range(5)] == [1] * 5
    assert not SourceWatch.objects.exclude(taken_by="").exists()


def test_another_workspace_sees_nothing_of_it(place: Workspace) -> None:
    other = Workspace.objects.create(slug="other-watch", name="other")
    watched(place)
    with site(plain) as (base, asked):
        for workspace in (place, other):
            send(workspace, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
    assert fetched(asked) == ["/doc"]
    assert not SourceWatch.objects.filter(workspace=other).exists()
    assert not Node.objects.filter(workspace=other, kind="acquisition").exists()
