"""A correction is one notice and one draft, whichever way and by whomever it is told."""

import pytest

from lineage.models import Notice
from provexplorer.workspaces.models import Workspace
from tests.notices.world import (
    ARTICLE,
    CORRECTION,
    cases,
    kept,
    lines,
    load,
    row,
    send,
    source,
    standing,
    table,
    update,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

WAYS = {
    "of the work, by the publisher": lines(work(ARTICLE, **{"updated-by": [update(CORRECTION)]})),
    "of the notice, by the publisher": lines(work(CORRECTION, **{"update-to": [update(ARTICLE)]})),
    "of the work, by Retraction Watch": lines(
        work(ARTICLE, **{"updated-by": [update(CORRECTION, source_="retraction-watch")]})
    ),
    "of the notice, by Retraction Watch": lines(
        work(CORRECTION, **{"update-to": [update(ARTICLE.upper(), "erratum", "retraction-watch")]})
    ),
    "in the table": table(
        row(OriginalPaperDOI=ARTICLE, RetractionDOI=CORRECTION, RetractionNature="Correction")
    ),
    "by open-retractions": lines(kept(ARTICLE, CORRECTION, "correction")),
}


@pytest.mark.parametrize("first", WAYS)
def test_one_draft_whichever_way_it_is_told(workspace: Workspace, first: str) -> None:
    send(workspace, [source("PMC212691", doi=ARTICLE.upper()), source("other", doi="10.5555/x")])
    done = load(workspace, WAYS[first])
    assert (done.state, done.counts["new"], done.counts["drafted"]) == ("done", 1, 1)
    assert cases(workspace) == [("correction", "draft", ["PMC212691"])]


def test_one_draft_in_whatever_order_all_of_them_come(workspace: Workspace) -> None:
    send(workspace, [source("PMC212691", doi=ARTICLE)])
    for data in reversed(WAYS.values()):
        load(workspace, data)
    assert cases(workspace) == [("correction", "draft", ["PMC212691"])]
    (notice,) = Notice.objects.filter(workspace=workspace)
    assert (notice.notice_doi, notice.subject_doi) == (CORRECTION, ARTICLE)
    assert [(piece["provider"], piece["through"]) for piece in notice.evidence] == [
        ("publisher", "update-to"),
        ("publisher", "updated-by"),
        ("retraction-watch", "csv"),
        ("retraction-watch", "update-to"),
        ("retraction-watch", "updated-by"),
        ("open-retractions", "updates"),
    ]
    before = standing(workspace)
    for data in WAYS.values():
        again = load(workspace, data)
        assert (again.counts["unchanged"], again.counts["new"], again.counts["changed"]) == (
            1,
            0,
            0,
        )
    assert standing(workspace) == before
