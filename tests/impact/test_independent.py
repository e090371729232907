"""Claims that keep an independent source, whatever is asked about, by hand."""

from typing import Any

import pytest

from lineage.impact.independent import Independence, independence
from lineage.impact.question import Question
from lineage.impact.report import affected
from lineage.models import Case
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import parsed, parser
from tests.ingest.sending import record
from tests.nodes.world import answer, load, viewer

pytestmark = pytest.mark.django_db


def also(name: str, chunk: str) -> list[dict[str, Any]]:
    """A second citation of the answer's claim."""
    return [record("citation", f"q2-{name}", claim=f"k-{name}", marker="[2]", chunk=chunk)]


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
    some = independence(affected(me, Question(nodes=(nodes["s"].uid,))), most=2)
    assert some is not None
    assert (some.answers, some.more) == (2, True)
