"""An answer that was given anew says so, and leads to the one in its place."""

import pytest

from provexplorer.workspaces.models import Workspace
from tests.pages.world import member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_the_old_answer_leads_to_the_one_in_its_place(workspace: Workspace) -> None:
    send(workspace, world())
    reader = member(workspace)
    old = uid(workspace, "answer", "cites")
    assert "given anew" not in reader.get(f"/answers/{old}").content.decode()
    send(workspace, [record("answer", "again", text="Revenue fell.", revision_of="cites")])
    new = uid(workspace, "answer", "again")
    page = reader.get(f"/answers/{old}").content.decode()
    head = page.partition("answer-sheet")[0]
    assert "This answer was given anew" in head
    assert f'href="/answers/{new}"' in head
    assert "given anew" not in reader.get(f"/answers/{new}").content.decode()
    told = {each: reader.get(f"/api/v1/answers/{each}").json() for each in (old, new)}
    assert (told[old]["earlier"], told[old]["later"]) == ([], [new])
    assert (told[new]["earlier"], told[new]["later"]) == ([old], [])
