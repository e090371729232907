"""The capsule: one answer as one HTML file that says where it is from, and that nobody can change unseen.

It is redacted for whoever asks for it: all of it comes through the functions that show the
pages, and it says what it leaves out.
"""

from pathlib import Path
from typing import Final

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from citations.answer import AnswerPage, answer_page
from citations.exports.capsule_file import Part, sealed
from citations.exports.left_out import left_out
from citations.exports.on_record import on_record
from citations.exports.provenance import provenance
from citations.exports.signing import PUBLISHED_AT, own_fingerprint, signing_key
from citations.pages.reading import reading
from lineage.formats.canonical import canonical_json
from lineage.models import RegisterEpoch
from lineage.types import GraphAway, JsonValue, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

# Times that it is made anew because a case took effect meanwhile.
_ATTEMPTS: Final = 4
# Nothing may be fetched, run or sent, whatever a browser finds in the file.
_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_HEAD: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
"""
_TAIL: Final = "\n</main>\n</body>\n</html>\n"


def capsule(viewer: Viewer, uid: str, *, base: str) -> bytes:
    """The capsule of an answer; `base` is the site's address, for links ("https://HOST").

    Raises lineage.types.NotFound, Moved and Erased as the answer's page does, and GraphAway
    where the lineage cannot be walked.
    """
    for _attempt in range(_ATTEMPTS):
        epoch = _epoch(viewer)
        made = _capsule(viewer, uid, base)
        # A file is kept: it must not hold what a case withdrew while it was made.
        if _epoch(viewer) == epoch:
            record("capsule.made", viewer, object_uid=uid)
            return made
    raise GraphAway("cases take effect faster than a capsule is made")


def _capsule(viewer: Viewer, uid: str, base: str) -> bytes:
    page = answer_page(viewer, uid)
    prov = provenance(viewer, uid, base)
    at = clock.now().replace(microsecond=0)
    context = {
        "page": page,
        "reading": reading(page),
        "on_record": on_record(viewer, page.cards),
        "here": frozenset(card.uid for card in page.cards),
        "left_out": left_out(page, records_hidden=prov.hidden, lineage_cut=prov.cut),
        "exported_at": at,
        "base": base,
        "fingerprint": own_fingerprint(),
        "keys_at": f"{base}/{PUBLISHED_AT}",
    }
    return sealed(
        _head(page),
        [
            Part("answer", _html("exports/_capsule_answer.html", context)),
            *(_card(card.uid, context | {"card": card}) for card in page.cards),
            Part("left-out", _html("exports/_capsule_left_out.html", context)),
            Part("provenance", _script("application/prov+json", "provenance", prov.document)),
        ],
        _TAIL.encode(),
        answer=page.uid,
        exported_at=at.isoformat().replace("+00:00", "Z"),
        key=signing_key(),
    )


def _epoch(viewer: Viewer) -> int:
    """The epoch of the register: every approval raises it."""
    rows = RegisterEpoch.objects.filter(workspace_id=viewer.workspace_id)
    return rows.values_list("epoch", flat=True).first() or 0


def _card(uid: str, context: dict[str, object]) -> Part:
    return Part(uid, _html("exports/_card.html", context))


def _head(page: AnswerPage) -> bytes:
    style = (Path(settings.BASE_DIR) / "templates" / "exports" / "capsule.css").read_text("utf-8")
    return _HEAD.format(
        language=escape(get_language() or "en"),
        policy=_POLICY,
        title=escape(page.question or _("Answer")),
        style=style,
    ).encode(errors="replace")


def _html(template: str, context: dict[str, object]) -> bytes:
    return render_to_string(template, context).strip().encode(errors="replace")


def _script(media_type: str, name: str, value: JsonValue) -> bytes:
    """JSON that no browser runs and no text in it can end."""
    text = canonical_json(value).decode("ascii")
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="{media_type}" id="{name}">{text}</script>'.encode("ascii")
