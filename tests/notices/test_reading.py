"""Files read into a workspace: what contradicts itself is told, what was said before changes nothing."""

from datetime import date

import pytest

from lineage.cases import workflow
from lineage.models import Notice, NoticeMatch
from lineage.notices.due import match_due
from provexplorer.workspaces.models import Workspace
from tests.notices.world import (
    DATA,
    cases,
    kept,
    lines,
    load,
    remarks,
    row,
    send,
    source,
    standing,
    table,
    update,
    viewer,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
LONG = "A long and telling title of a work about mountain rivers"


def test_the_sample_is_told_not_guessed_and_read_once(workspace: Workspace) -> None:
    send(
        workspace,
        [
            source("plain", doi="10.1002/14651858.cd010688"),
            # Its own notice, and one of a circle.
            source("own", doi=_first(workspace, own=True)),
        ],
    )
    data = (DATA / "retractions" / "open_retractions_dev.jsonl").read_bytes()
    done = load(workspace, data)
    assert (done.format, done.state) == ("open-retractions", "done")
    assert done.counts == {
        "records": 340, "new": 340, "changed": 0, "unchanged": 0, "not_kept": 0, "matched": 2,
        "suggested": 0, "drafted": 1,
    }  # fmt: skip
    # Six pairs of works update each other: twelve notices.
    assert remarks(done) == {
        "own_notice": 36,
        "cycle": 12,
        "flag_contradicts": 5,
        "kind_misspelt": 1,
    }
    assert cases(workspace) == [("retraction", "draft", ["plain"])]
    assert Notice.objects.filter(workspace=workspace, doubtful=True).count() == 36 + 12 + 5
    before = standing(workspace)
    again = load(workspace, data)
    assert (again.counts["unchanged"], again.counts["drafted"]) == (340, 0)
    assert standing(workspace) == before


def _first(workspace: Workspace, *, own: bool) -> str:
    from tests.formats.test_notice_files import sample

    return next(each.subject_doi for each in sample() if ("own_notice" in each.remarks) is own)


def test_a_file_that_is_none_fails_and_leaves_nothing(workspace: Workspace) -> None:
    done = load(workspace, b"this is no catalogue\n")
    assert (done.state, done.failure, done.counts["records"]) == ("failed", "not_notices", 0)
    assert standing(workspace) == []


def test_kinds_that_disagree_open_no_case(workspace: Workspace) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    done = load(
        workspace,
        lines(
            work(
                "10.5555/work",
                **{
                    "updated-by": [
                        update("10.5555/n", "retraction"),
                        update("10.5555/n", "correction", "retraction-watch"),
                    ]
                },
            )
        ),
    )
    assert remarks(done) == {"kinds_disagree": 2}
    assert cases(workspace) == []


@pytest.mark.parametrize("days", [("7/12/2023 0:00", ""), ("", "7/12/2023 0:00")])
def test_a_day_told_once_stays_where_the_next_file_tells_none(
    workspace: Workspace, days: tuple[str, str]
) -> None:
    for day in days:
        load(workspace, table(row(RetractionDate=day)))
    assert Notice.objects.get().noted_on == date(2023, 7, 12)
    # Another day is news.
    load(workspace, table(row(RetractionDate="7/13/2023 0:00")))
    assert Notice.objects.get().noted_on == date(2023, 7, 13)


def test_a_withdrawal_and_a_retraction_of_one_notice_are_one_case(workspace: Workspace) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    load(
        workspace,
        lines(work("10.5555/work", **{"updated-by": [update("10.5555/n", "withdrawal")]})),
    )
    done = load(workspace, table(row(RetractionDOI="10.5555/n")))
    assert (done.counts["new"], done.counts["drafted"], remarks(done)) == (1, 0, {})
    assert cases(workspace) == [("retraction", "draft", ["s"])]
    assert set(NoticeMatch.objects.values_list("case__kind", flat=True)) == {"retraction"}


def test_a_circle_of_three_works(workspace: Workspace) -> None:
    ring = [("10.5555/a", "10.5555/b"), ("10.5555/b", "10.5555/c"), ("10.5555/c", "10.5555/a")]
    chain = [("10.5555/c", "10.5555/d"), ("10.5555/d", "10.5555/e"), ("10.5555/z", "10.5555/a")]
    done = load(workspace, lines(*[kept(w, n, "correction") for w, n in ring + chain]))
    assert remarks(done) == {"cycle": 3}
    told = next(each for each in done.report if each["code"] == "cycle")
    assert told["records"] == [1, 2, 3]


def test_what_retraction_watch_calls_its_own_notice_is_told_and_drafted(
    workspace: Workspace,
) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    data = table(row(RetractionDOI="10.5555/work"))
    done = load(workspace, data)
    assert (remarks(done), done.counts["drafted"]) == ({"own_notice": 1}, 1)


def test_a_work_reinstated_later_is_not_retracted(workspace: Workspace) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    data = table(
        row(),
        row(
            Record_ID="2", RetractionNature="Reinstatement", RetractionDOI="10.5555/again",
            RetractionDate="1/2/2024 0:00",
        ),
    )  # fmt: skip
    assert load(workspace, data).counts["drafted"] == 0
    assert cases(workspace) == []


def test_a_reinstatement_is_joined_to_the_case_that_it_speaks_of(workspace: Workspace) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    load(workspace, table(row()))
    (case,) = NoticeMatch.objects.values_list("case__uid", flat=True)
    workflow.dry_run(viewer(workspace), str(case))
    workflow.approve(viewer(workspace), str(case))
    again = row(Record_ID="2", RetractionNature="Reinstatement", RetractionDOI="10.5555/again", RetractionDate="1/2/2024 0:00")  # fmt: skip
    load(workspace, table(again))
    match = NoticeMatch.objects.get(notice__kind="reinstatement")
    assert match.case is not None
    assert match.case.uid == case
    # It is an editor who lifts it.
    assert match.case.state != "reinstated"
    assert len(cases(workspace)) == 1


def test_sources_that_come_later_meet_notices_on_record(workspace: Workspace) -> None:
    load(workspace, table(row(OriginalPaperPubMedID="123.0"), row(Record_ID="2", OriginalPaperDOI="10.5555/other", RetractionDOI="10.5555/n2")))  # fmt: skip
    assert cases(workspace) == []
    send(workspace, [source("late", pmid="PMID:123"), source("else", doi="10.5555/else")])
    assert match_due(workspace.pk) == 2
    assert cases(workspace) == [("retraction", "draft", ["late"])]
    # One that states its DOI only now.
    later = source("else", doi="https://doi.org/10.5555/OTHER")
    send(workspace, [{**later, "occurred_at": "2026-05-01T10:00:00Z"}])
    match_due(workspace.pk)
    assert cases(workspace)[1:] == [("retraction", "draft", ["else"])]
    assert match_due(workspace.pk) == 0


@pytest.mark.parametrize("later", [False, True], ids=["source first", "notice first"])
def test_titles_suggest_and_decide_only_with_year_and_creator(
    workspace: Workspace, later: bool
) -> None:
    sources = [
        source("same", f"RETRACTED: {LONG}!", creators=[{"name": "One, A."}]),
        {"kind": "source_version", "key": "v", "source": "same", "published_at": "2022-08", "occurred_at": "2026-01-01T00:00:00Z"},
        source("bare", LONG.upper()),
        source("other", LONG, creators=[{"name": "Zoe Last"}]),
    ]  # fmt: skip
    data = table(row(Title=LONG, OriginalPaperDOI="unavailable"))
    if later:
        load(workspace, data)
        send(workspace, sources)
        match_due(workspace.pk)
    else:
        send(workspace, sources)
        load(workspace, data)
    found = NoticeMatch.objects.order_by("source__key").values_list(
        "source__key", "by", "state", "signs"
    )
    assert list(found) == [
        ("bare", "title", "suggested", ["title_same"]),
        ("same", "title", "matched", ["title_same", "year_same", "creator_same"]),
    ]
    assert cases(workspace) == [("retraction", "draft", ["same"])]


def test_two_sources_of_one_work_are_one_case(workspace: Workspace) -> None:
    send(
        workspace,
        [source("a", doi="10.5555/work"), source("b", uri="https://doi.org/10.5555/Work")],
    )
    load(workspace, table(row()))
    assert cases(workspace) == [("retraction", "draft", ["a", "b"])]


def test_other_workspaces_are_not_touched(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other-notices", name="other")
    send(other, [source("s", doi="10.5555/work")])
    load(workspace, table(row()))
    assert cases(other) == []
    assert not NoticeMatch.objects.exists()
