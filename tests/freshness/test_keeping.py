"""What looks of one pass have found is applied together, however their sources were taken."""

import pytest

from lineage.freshness import watching
from lineage.models import RegisterEpoch, SourceCheck, SourceWatch
from provexplorer.workspaces.models import Workspace
from tests.freshness.sites import Asked, site
from tests.freshness.world import from_this_machine, pass_by, verdicts, watched, work
from tests.ingest.sending import send

pytestmark = [pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

TEXT = "The tide table of the harbour lists {} tides in May of that year.\n"


def test_a_few_changes_among_many_are_applied_at_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tides = {f"/doc-{n}": "forty-one" for n in range(5)}

    def behave(asked: Asked) -> None:
        if asked.path in tides:
            asked.reply(200, TEXT.format(tides[asked.path]).encode(), Content_Type="text/plain")
        else:
            asked.reply(404)

    monkeypatch.setattr(watching, "_TAKEN", 2)
    with site(behave) as (base, _), from_this_machine():
        watched(workspace)
        for n in range(5):
            send(workspace, work(f"doc-{n}", f"{base}/doc-{n}", TEXT.format("forty-one")))
        assert pass_by(workspace) == 5
        tides |= {"/doc-0": "forty-two", "/doc-4": "fifty"}
        before = RegisterEpoch.objects.get(workspace=workspace).changes
        assert pass_by(workspace) == 5
    assert RegisterEpoch.objects.get(workspace=workspace).changes == before + 1
    watches = SourceWatch.objects.filter(workspace=workspace).order_by("source__key")
    # Nothing is held any longer, and each was looked at twice.
    assert list(watches.values_list("outcome", "looks", "taken_by")) == [
        ("changed", 2, ""), ("same", 2, ""), ("same", 2, ""), ("same", 2, ""), ("changed", 2, ""),
    ]  # fmt: skip
    assert SourceCheck.objects.filter(source__workspace=workspace).count() == 10
    assert verdicts(workspace) == {
        "doc-0#0": "changed", "doc-1#0": "unchanged", "doc-2#0": "unchanged",
        "doc-3#0": "unchanged", "doc-4#0": "changed",
    }  # fmt: skip
