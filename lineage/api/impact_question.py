"""The parameters of a question of impact, as operations declare and read them."""

from typing import Any, Final

from django.http import HttpRequest

from lineage.api.access import problems
from lineage.impact.question import PARAMETERS, Question, read_question
from lineage.impact.question_values import QuestionInvalid
from provexplorer.workspaces.viewer import WORKSPACE_PARAMETER

# Parameters that are read as they stand in the address (lineage.impact.question): what they
# mean is told here, for whoever reads the document.
_MEANINGS: Final = {
    "node": "Uid of a node or of a kept set; several: what rests on any of them.",
    "component": "Name of a component; all its versions, unless narrowed.",
    "component_kind": "Kind of that component.",
    "version_from": "Its first version that counts.",
    "version_to": "Its last version that counts.",
    "config_digest": "Digest of its configuration.",
    "made_by": "Uid of a component or run, or `component` for the one that the other parameters name, "
    "with its versions: of the nodes only what it made.",
    "made_since": "Of that component or run only what its runs from this instant on made (RFC 3339, "
    "of the run's `occurred_at`).",
    "made_until": "Of that component or run only what its runs before this instant made (RFC 3339).",
    "made_undated": "`1`: what its runs without a time made, too; without bounds, that alone.",
    "grade": "Keep these grades.",
    "state": "Keep these states.",
    "since": "Answers from this instant on (RFC 3339).",
    "until": "Answers before this instant (RFC 3339).",
    "model": "Keep answers of these models.",
    "unit": "Keep answers of these units.",
    "source": "Keep answers that cite or were given these sources, by uid.",
    "language": "Keep answers that cite or were given documents in these languages.",
    "sort": "`newest` (default), `oldest` or `strongest` first.",
}
_SEVERAL: Final = frozenset({"node", "grade", "state", "model", "unit", "source", "language"})


def asked_parameters(*statuses: int, content: str = "") -> dict[str, Any]:
    """`openapi_extra` of an operation that takes a question."""
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": _MEANINGS[name],
            "schema": {"type": "array", "items": {"type": "string"}}
            if name in _SEVERAL
            else {"type": "string"},
        }
        for name in PARAMETERS
    ]
    declared = problems(*statuses)
    if content:
        text = {"content": {content: {"schema": {"type": "string"}}}, "description": "OK"}
        declared = {"responses": {**declared["responses"], 200: text}}
    return {"parameters": parameters, **declared}


def question_of(request: HttpRequest, *own: str) -> Question:
    """The question of the address; `own` are the operation's other parameters.

    A misspelt filter would widen the answer unseen, so that nothing is passed over but the
    workspace of pages, which stands in their links to exports. Raises QuestionInvalid.
    """
    known = {*PARAMETERS, *own, WORKSPACE_PARAMETER}
    if unknown := next((name for name in request.GET if name not in known), None):
        raise QuestionInvalid(unknown, "Unknown parameter.")
    return read_question(request.GET)
