"""What a card and a source page say of a source that was looked at."""

from collections.abc import Iterator

import pytest

from citations.card import citation_card
from citations.source import source_page
from lineage.models import Node, SourceWatch
from lineage.models.freshness import Outcome
from lineage.nodes.lists import sources
from provexplorer.workspaces.models import Workspace
from tests.freshness.sites import Asked, site
from tests.freshness.world import (
    from_this_machine,
    pass_by,
    verdicts,
    versions,
    watch_of,
    watched,
    work,
)
from tests.ingest.sending import node, send
from tests.nodes.world import viewer, withdraw

pytestmark = [pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

FIRST = "The tide table of the harbour lists forty-one tides in May of that year."
SECOND = "The lighthouse was built of granite in two years and restored after the war."
TEXT = f"{FIRST}\n\n{SECOND}\n"


class Site:
    """A document that is what a test sets it to."""

    def __init__(self) -> None:
        self.status, self.text = 200, TEXT

    def behave(self, asked: Asked) -> None:
        if asked.path == "/doc":
            asked.reply(self.status, self.text.encode(), Content_Type="text/plain")
        else:
            asked.reply(404)


@pytest.fixture
def place(workspace: Workspace) -> Iterator[Workspace]:
    with from_this_machine():
        watched(workspace)
        yield workspace


def shown(workspace: Workspace, n: int) -> tuple[str, str | None]:
    """Status and reason of the n-th citation's card."""
    uid = node(workspace, "citation", f"doc cites {n}").uid
    card = citation_card(viewer(workspace), uid)
    return card.status.code, card.reason


def status_of_source(workspace: Workspace) -> str:
    uid = node(workspace, "source", "doc").uid
    return source_page(viewer(workspace), uid).status.code


def test_statuses_follow_the_source(place: Workspace) -> None:
    now = Site()
    with site(now.behave) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT))
        assert (shown(place, 0), status_of_source(place)) == (("not_checked", None), "not_checked")
        pass_by(place)
        card = citation_card(viewer(place), node(place, "citation", "doc cites 0").uid)
        assert (card.status.code, card.checked_at) == ("current", watch_of(place, "doc").confirmed_at)  # fmt: skip
        assert status_of_source(place) == "current"
        # Other white space is no change; a changed word is one of this passage alone.
        now.text = TEXT.replace("tides in May", "tides  in\nMay").replace("granite", "basalt")
        pass_by(place)
        assert verdicts(place) == {"doc#0": "cosmetic", "doc#1": "changed"}
        assert [shown(place, 0), shown(place, 1)] == [("current", None), ("drifted", "changed")]
        assert status_of_source(place) == "drifted"
        watch = watch_of(place, "doc")
        assert (watch.outcome, watch.changes, watch.cited, watch.drifted) == (Outcome.CHANGED, 1, 2, 1)  # fmt: skip
        # It does not answer: what is known to have drifted has, of the rest nobody knows.
        now.status = 503
        pass_by(place)
        assert [shown(place, 0), shown(place, 1)] == [("unreachable", "unreachable"), ("drifted", "changed")]  # fmt: skip
        now.status = 403
        pass_by(place)
        assert shown(place, 0) == ("unreachable", "paywall")
        since = watch_of(place, "doc").failing_since
        now.status = 410
        pass_by(place)
        assert [shown(place, 0), shown(place, 1)] == [("unreachable", "gone")] * 2
        assert verdicts(place) == {"doc#0": "gone", "doc#1": "gone"}
        assert (watch_of(place, "doc").failing_since, watch_of(place, "doc").failures) == (since, 3)
        # And back again, as it was.
        now.status, now.text = 200, TEXT
        pass_by(place)
        assert [shown(place, 0), shown(place, 1)] == [("current", None)] * 2
        assert (watch_of(place, "doc").failing_since, status_of_source(place)) == (None, "current")


def test_a_case_weighs_more_than_what_was_seen(place: Workspace) -> None:
    now = Site()
    with site(now.behave) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
        now.text = TEXT.replace("granite", "basalt")
        pass_by(place)
    withdraw(place, node(place, "source", "doc"), "retraction")
    assert [shown(place, 0)[0], shown(place, 1)[0]] == ["retracted"] * 2


def test_a_page_about_a_work_says_nothing_of_its_passages(place: Workspace) -> None:
    now = Site()
    now.text = "A landing page: buy this work, or sign in with your institution to read on."
    with site(now.behave) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
        now.text = now.text.replace("buy", "rent")
        pass_by(place)
    watch = watch_of(place, "doc")
    assert (watch.outcome, watch.comparable, watch.version_id) == (Outcome.CHANGED, False, None)
    assert verdicts(place) == {}
    assert Node.objects.filter(workspace=place, kind="source_version").count() == 1
    assert shown(place, 0) == ("not_checked", None)


def test_what_is_cited_later_is_judged_when_the_source_is_looked_at_again(
    place: Workspace,
) -> None:
    now = Site()
    with site(now.behave) as (base, _):
        everything = work("doc", f"{base}/doc", TEXT)
        send(place, [one for one in everything if one["kind"] != "citation"])
        pass_by(place)
        assert verdicts(place) == {}
        send(place, everything)
        pass_by(place)
    assert verdicts(place) == {"doc#0": "unchanged", "doc#1": "unchanged"}


def test_who_may_not_see_the_version_does_not_see_what_it_has_become(place: Workspace) -> None:
    now = Site()
    with site(now.behave) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT, acl=["staff"]))
        now.text = TEXT.replace("granite", "basalt")
        pass_by(place)
    source = node(place, "source", "doc").uid
    staff = source_page(viewer(place, "staff"), source)
    assert len(staff.versions) == 2
    hidden = source_page(viewer(place), source)
    assert (hidden.hidden, hidden.bibliography, hidden.acquisitions) == (True, None, ())
    assert all(row.hidden for row in hidden.versions)


def test_what_a_case_hides_is_not_looked_at(place: Workspace) -> None:
    now = Site()
    with site(now.behave) as (base, asked):
        send(place, work("doc", f"{base}/doc", TEXT))
        pass_by(place)
        before = len(asked)
        withdraw(place, node(place, "source", "doc"), "revocation")
        assert pass_by(place) == 0
        assert len(asked) == before
    assert SourceWatch.objects.get(source__key="doc", workspace=place).looks == 1


def test_what_the_work_states_stays_when_it_has_changed(place: Workspace) -> None:
    now = Site()
    with site(now.behave) as (base, _):
        send(place, work("doc", f"{base}/doc", TEXT, license="CC-BY-4.0", published_at="2025-01-01", retention_until="2030-01-01"))  # fmt: skip
        pass_by(place)
        now.text = TEXT.replace("granite", "basalt")
        pass_by(place)
    page = source_page(viewer(place), node(place, "source", "doc").uid)
    assert len(page.versions) == 2
    book = page.bibliography
    assert book is not None
    assert book.license is not None
    assert (book.license.spdx, book.published_at) == ("CC-BY-4.0", "2025-01-01")
    observed = versions(place, "doc")[1]
    assert observed.fields.get("license") is None
    assert observed.fields["retention_until"] == "2030-01-01"
    (listed,) = sources(viewer(place)).items
    assert (listed.licence, listed.published_at) == ("CC-BY-4.0", "2025-01-01")
