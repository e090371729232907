"""Claims that keep an independent source, whatever is asked about, by hand."""

from typing import Any

import pytest

from lineage.impact.affected import Affected
from lineage.impact.independent import CitingClaim, Independence, citing_claims, independence
from lineage.impact.question import Question
from lineage.impact.report import affected
from lineage.models import Case
from lineage.nodes.paging import CursorInvalid
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import parsed, parser
from tests.ingest.sending import record
from tests.nodes.world import answer, load, viewer

pytestmark = pytest.mark.django_db


def also(name: str, chunk: str) -> list[dict[str, Any]]:
    """A second citation of the answer's claim."""
    return [record("citation", f"q2-{name}", claim=f"k-{name}", marker="[2]", chunk=chunk)]


def listed(found: Affected, *, kept: bool) -> list[CitingClaim]:
    """Every claim of the list, a page an answer."""
    claims: list[CitingClaim] = []
    cursor: str | None = None
    for _ in range(20):
        page = citing_claims(found, kept=kept, limit=1, cursor=cursor)
        assert page is not None
        claims += page[0]
        cursor = page[1]
        if cursor is None:
            return claims
    raise AssertionError(claims)


def test_claim_keeps_what_another_work_with_another_text_says(workspace: Workspace) -> None:
    other = parsed("t", "3.2", "pt")
    other[2]["text"] = "Alpha is one, says another."
    other[3]["interval"] = {"start": 0, "end": 13}
    nodes = load(
        workspace,
        parser("3.1"),
        parser("3.2"),
        parsed("s", "3.1", "en"),
        parsed("copy", "3.2", "en"),
        other,
        answer("alone", "s-c"),
        answer("both", "s-c", beside=("t-c",)), also("both", "t-c"),
        answer("copied", "s-c", beside=("copy-c",)), also("copied", "copy-c"),
        answer("given", "t-c", beside=("s-c",)),
    )  # fmt: skip
    me = viewer(workspace)

    def judged(*keys: str, **filters: Any) -> Independence | None:
        uids = tuple(nodes[key].uid for key in keys)
        return independence(affected(me, Question(nodes=uids, **filters)))

    assert judged("s") == Independence(claims=3, kept=1, answers=3, more=False)
    # Parsed by the one version, the claim keeps what the other parsed.
    assert judged("p3.1") == Independence(3, 1, 3, more=False)
    assert judged("s", "t") == Independence(4, 0, 4, more=False)
    assert judged("t") == Independence(2, 1, 2, more=False)
    assert judged("s", states=("stale",)) == Independence(0, 0, 0, more=False)
    assert not Case.objects.exists()
    # The lists are as long as the numbers, however they are paged.
    for keys in (("s",), ("p3.1",), ("s", "t"), ("t",)):
        found = affected(me, Question(nodes=tuple(nodes[key].uid for key in keys)))
        numbers = independence(found)
        assert numbers is not None
        for kept, number in ((False, numbers.claims), (True, numbers.kept)):
            claims = listed(found, kept=kept)
            assert len({claim.uid for claim in claims}) == len(claims) == number, (keys, kept)
            assert {claim.kept for claim in claims} <= ({True} if kept else {True, False})
    for cursor in ("x", "WzFd", "W251bGwsbnVsbCxudWxsXQ"):
        with pytest.raises(CursorInvalid):
            citing_claims(found, kept=False, limit=1, cursor=cursor)
    some = independence(affected(me, Question(nodes=(nodes["s"].uid,))), most=2)
    assert some is not None
    assert (some.answers, some.more) == (2, True)
