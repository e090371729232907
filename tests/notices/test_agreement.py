"""When a source is the work that a notice is about, may be, or is not."""

import pytest

from lineage.notices.agreement import Judged, Known, judge, same_person

pytestmark = pytest.mark.engine_free

WORK = Known("10.5555/work", "123", "=title", (2020,), "Ada One")


@pytest.mark.parametrize(
    ("source", "judged"),
    [
        (Known(doi="10.5555/work"), ("doi", "matched", ("doi_same",))),
        (WORK, ("doi", "matched", ("doi_same", "pmid_same", "title_same"))),
        (Known(pmid="123"), ("pmid", "matched", ("pmid_same",))),
        # One identifier says yes, the other no: a person decides.
        (Known("10.5555/work", "999"), ("doi", "suggested", ("doi_same", "pmid_differs"))),
        (Known("10.5555/other", "123"), ("pmid", "suggested", ("doi_differs", "pmid_same"))),
        # A title alone decides nothing.
        (Known(title_word="=title"), ("title", "suggested", ("title_same",))),
        (
            Known(title_word="=title", years=(2020,)),
            ("title", "suggested", ("title_same", "year_same")),
        ),
        (
            Known(title_word="=title", years=(2019, 2020), creator="A. One"),
            ("title", "matched", ("title_same", "year_same", "creator_same")),
        ),
        (
            Known(title_word="=title", years=(2019,), creator="A. One"),
            ("title", "suggested", ("title_same", "year_differs", "creator_same")),
        ),
        # A preprint of the work: another DOI, the same author.
        (
            Known("10.5555/preprint", title_word="=title", years=(2020,), creator="One, Ada"),
            ("title", "suggested", ("doi_differs", "title_same", "year_same", "creator_same")),
        ),
        (Known("10.5555/other", title_word="=title"), None),
        (Known(title_word="=title", years=(2020,), creator="Ben Two"), None),
        (Known("10.5555/other", "999", "=other"), None),
        (Known(), None),
    ],
)
def test_judge(source: Known, judged: tuple[str, str, tuple[str, ...]] | None) -> None:
    found = judge(WORK, source)
    assert found == (Judged(*judged) if judged else None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Qing Liao", "Liao, Qing", True),
        ("Qing Liao", "Q. Liao", True),
        ("José García", "J Garcia", True),
        ("Qing Liao", "Wei Liao", False),
        ("Qing Liao", "Qing Wang", False),
        ("Liao", "Qing Liao", True),
        ("", "Qing Liao", False),
    ],
)
def test_same_person(one: str, other: str, same: bool) -> None:
    assert same_person(one, other) is same
    assert same_person(other, one) is same
