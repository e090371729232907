"""A small world for erasures: two works, answers that repeat the first word for word, and what people wrote.

Every text that is to go contains a word that stands nowhere else, so that it can be searched for.
"""

from typing import Any

from lineage.cases import workflow
from lineage.erasure.run import erase
from lineage.models import Case, Erasure
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, drafted, send, viewer, work

# Occur in what is erased and nowhere else.
SENTINEL = "zxqvsentinel"
TITLE_SENTINEL = "zxqvtitle"
PASSAGE = (
    f"The {SENTINEL} of the harbour was weighed at dawn and found to be forty stones and a half."
)
TEXT = f"Before it nothing of note. {PASSAGE} After it came a long and quiet afternoon by the sea."
AT = (TEXT.index(PASSAGE), TEXT.index(PASSAGE) + len(PASSAGE))
OTHER = (
    "Salt is taken from the sea by drying it in the sun, which takes some weeks in a good summer."
)
QUOTING = f"As the source has it: {PASSAGE} So much for that."


def world(*, other_quote: str = OTHER) -> list[dict[str, Any]]:
    """Source `s1` with two passages, `s2` with one; `quotes` repeats the first, `other` knows only s2."""
    return [
        *work("s1", TEXT, {"c1": AT, "c1b": (0, 26)}),
        *work("s2", OTHER, {"c2": (0, len(OTHER))}),
        *answer("quotes", retrieved=["c1", "c2"], included=["c1", "c2"], cites=["c1"], sentence=QUOTING),
        *answer("other", retrieved=["c2"], included=["c2"], cites=["c2"], sentence=other_quote),
    ]  # fmt: skip


def made(workspace: Workspace) -> None:
    """Send the world, its first title with a word of its own."""
    records = world()
    records[0]["title"] = f"Tides of {TITLE_SENTINEL}"
    send(workspace, records)


def erased(workspace: Workspace, *targets: tuple[str, str], describing: bool = False) -> Case:
    """A case of erasure, approved, with every place tried once."""
    case = Case.objects.get(uid=_draft(workspace, *targets, describing=describing))
    erase(case.pk)
    case.refresh_from_db()
    return case


def _draft(workspace: Workspace, *targets: tuple[str, str], describing: bool) -> str:
    case = drafted(workspace, "erasure", *targets)
    Erasure.objects.create(
        case=Case.objects.get(uid=case.uid), workspace=workspace, describing=describing
    )
    workflow.dry_run(viewer(workspace), case.uid)
    workflow.approve(viewer(workspace), case.uid)
    return case.uid
