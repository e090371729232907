"""`notices FILE…` and `POST /api/v1/notices`: what they print and answer."""

import gzip
import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lineage.models import Notice, NoticeImport
from lineage.notices import receiving
from provexplorer.workspaces.models import Workspace
from tests.api.caller import caller
from tests.notices.world import cases, kept, lines, row, send, source, table

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def run(workspace: Workspace, *files: Path) -> tuple[str, str, int]:
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        call_command("notices", *map(str, files), workspace=workspace.slug, stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return out.getvalue(), err.getvalue(), code


def test_what_came_of_each_file_is_printed(workspace: Workspace, tmp_path: Path) -> None:
    send(workspace, [source("s", doi="10.5555/work")])
    sound, doubtful, wrong = tmp_path / "rw.csv.gz", tmp_path / "or.jsonl", tmp_path / "no.txt"
    sound.write_bytes(gzip.compress(table(row(), row(OriginalPaperDOI="", Title=""))))
    doubtful.write_bytes(lines(kept("10.5555/a", "10.5555/a", "retration")))
    wrong.write_bytes(b"nothing of the kind")
    out, err, code = run(workspace, sound, doubtful, wrong)
    assert out.splitlines() == [
        f"{sound}: 2 records, 1 new, 0 changed, 0 unchanged, 1 not_kept, 1 matched, 0 suggested, 1 drafted",
        f"{doubtful}: 1 records, 1 new, 0 changed, 0 unchanged, 0 not_kept, 0 matched, 0 suggested, 0 drafted",
        f"{wrong}: 0 records, 0 new, 0 changed, 0 unchanged, 0 not_kept, 0 matched, 0 suggested, 0 drafted",
    ]
    assert err.splitlines() == [
        f"{sound}: 1 no_subject (records 2)",
        f"{doubtful}: 1 flag_contradicts (records 1)",
        f"{doubtful}: 1 kind_misspelt (records 1)",
        f"{doubtful}: 1 own_notice (records 1)",
        f"{wrong}: not_notices",
    ]
    assert code == 1
    assert run(workspace, sound)[2] == 0
    assert cases(workspace) == [("retraction", "draft", ["s"])]


def test_a_file_that_is_not_there_is_told(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        run(workspace, tmp_path / "absent.csv")
    with pytest.raises(CommandError, match="There is no workspace"):
        call_command("notices", "x", workspace="nobody")
    assert not Notice.objects.exists()


def test_a_program_sends_a_file_and_learns_what_came_of_it(workspace: Workspace) -> None:
    sender = caller(workspace, ["operate", "read"])
    sent = sender.call("POST", "/api/v1/notices", table(row()), "text/csv")
    assert (sent.status, sent.body["state"], sent.body["origin"]) == (202, "received", "api")
    receiving.read_kept(NoticeImport.objects.get().pk)
    told = sender.get(f"/notice-imports/{sent.body['uid']}").body
    assert (told["state"], told["format"], told["counts"]["new"]) == ("done", "retraction-watch", 1)
    (listed,) = sender.get("/notices?kind=retraction&standing=unmatched").body["items"]
    assert (listed["subject_doi"], listed["answers"], listed["noted_on"]) == (
        "10.5555/work", 0, "2023-07-12",
    )  # fmt: skip
    assert sender.get(f"/notices/{listed['uid']}").body == listed
    assert sender.get("/notices?kind=nonsense").status == 422
    assert sender.get("/notices?cursor=nonsense").status == 400
    assert sender.get("/notice-imports").body["total"] == 1
