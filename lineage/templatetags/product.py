"""Template tags that turn codes, uids and instants into words, signs and addresses."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, urlencode

from django import template
from django.template import Context
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format, get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from lineage.identifiers import kind_of_uid
from lineage.incidents.saved_views import can_be_saved
from lineage.pages import (
    case_words,
    freshness_signs,
    icons,
    incident_signs,
    notice_signs,
    reader_signs,
    rights_words,
    signs,
    source_words,
    webhook_signs,
    words,
)
from lineage.pages.saved_views import PAGES
from provexplorer import clock
from provexplorer.remembered_tags import address_of
from provexplorer.workspaces.audit import words as audit_words

register = template.Library()

# Characters of an instant with microseconds and an offset.
_LONGEST_INSTANT: Final = 32

_TABLES: Final[Mapping[str, Mapping[str, signs.Word]]] = {
    "answer": signs.ANSWER_STATES,
    "node": signs.NODE_STATES,
    "source": signs.SOURCE_STATUSES,
    "claim": signs.STANDINGS,
    "verdict": signs.VERDICTS,
    "case": signs.CASE_STATES,
    "inbox": signs.INBOX_STATES,
    "case_kind": signs.CASE_KINDS,
    "grade": signs.GRADES,
    "change": signs.CHANGES,
    "look": freshness_signs.LOOKS,
    "passage": freshness_signs.PASSAGES,
    "compared": signs.COMPARED,
    "incident": incident_signs.INCIDENT_STATES,
    "delivery": webhook_signs.DELIVERY_STATES,
    "credit": reader_signs.CREDITS,
    "wrong": reader_signs.WRONGS,
    "notice_kind": notice_signs.NOTICE_KINDS,
    "notice_state": notice_signs.NOTICE_STATES,
    "import": notice_signs.IMPORT_STATES,
    "fresh": source_words.FRESH,
}
_TEXTS: Final[Mapping[str, Mapping[str, words.Text]]] = {
    "kind": words.KINDS,
    "component": words.COMPONENT_KINDS,
    "run": words.RUN_KINDS,
    "role": words.ROLES,
    "anchor": words.ANCHORS,
    "score": words.SCORE_KINDS,
    "drop": words.DROP_REASONS,
    "score_name": words.SCORE_NAMES,
    "flag": words.FLAGS,
    "asks": words.ASKS,
    "family": rights_words.FAMILIES,
    "clash": rights_words.CLASHES,
    "together": rights_words.TOGETHER,
    "missing": rights_words.MISSING,
    "signal": rights_words.SIGNALS,
    "plot": source_words.PLOT_NAMES,
    "filter": source_words.FILTER_NAMES,
    "ending": source_words.ENDINGS,
    "lacks": source_words.LACKS,
    "creator": words.CREATOR_ROLES,
    "as_role": reader_signs.AS_ROLE,
    "own_page": words.OWN_PAGES,
    "source_kind": words.SOURCE_KINDS,
    "hidden": words.HIDDEN_PASSAGES,
    "shortfall": words.SHORTFALLS,
    "format": words.FORMATS,
    "provider": notice_signs.PROVIDERS,
    "licensed": notice_signs.LICENSED,
    "file_format": notice_signs.FILE_FORMATS,
    "file_origin": notice_signs.FILE_ORIGINS,
    "file_failure": notice_signs.FILE_FAILURES,
    "through": notice_signs.THROUGH,
    "matched_by": notice_signs.MATCHED_BY,
    "match_sign": notice_signs.MATCH_SIGNS,
    "remark": notice_signs.REMARKS,
    "failure": words.FAILURES,
    "fetch_failure": freshness_signs.FETCH_FAILURES,
    "case_step": case_words.STEPS,
    "origin": case_words.ORIGINS,
    "bar": case_words.BARS,
    "why": case_words.WHYS,
    "move": incident_signs.MOVES,
    "audit": audit_words.VERBS,
    "event": webhook_signs.EVENT_TYPES,
    "delivery_failure": webhook_signs.DELIVERY_FAILURES,
}


@register.simple_tag
@lru_cache(maxsize=200)
def icon(name: str) -> SafeString:
    """An icon of lineage.pages.icons, silent for screen readers: a word always stands beside it."""
    path = icons.PATHS.get(name, icons.PATHS["question"])
    return mark_safe(  # noqa: S308 - constant markup of this package, no input
        f'<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{path}"/></svg>'
    )


@register.simple_tag
def badge(table: str, code: str) -> SafeString:
    """Icon and word of a state, in its tone; `table` is answer, node, source, claim, verdict, case, case_kind or grade."""
    return _badge(table, str(code), get_language())


@lru_cache(maxsize=500)
def _badge(table: str, code: str, _language: str | None) -> SafeString:
    """Remembered by language: a page shows the same few badges again and again."""
    found = signs.word(_TABLES[table], code)
    return format_html(
        '<span class="badge tone-{}" data-state="{}">{}<span>{}</span></span>',
        found.tone, code, icon(found.icon), found.label,
    )  # fmt: skip


@register.simple_tag
def badge_tables() -> dict[str, list[str]]:
    """The codes of each table of badges, for the page that shows all of them."""
    return {name: list(table) for name, table in _TABLES.items()}


@register.filter
def tone(code: str, table: str) -> str:
    """The tone of a state: good, warn, bad or calm."""
    return signs.word(_TABLES[table], str(code)).tone


@register.filter
def word(code: str, table: str) -> str:
    """The word of a code."""
    return _word(str(code), table, get_language())


@lru_cache(maxsize=1_000)
def _word(code: str, table: str, _language: str | None) -> str:
    """Remembered by language, as `_badge` is."""
    if table in _TEXTS:
        return str(words.text(_TEXTS[table], code))
    return str(signs.word(_TABLES[table], code).label)


@register.filter
def sign_icon(code: str) -> str:
    """The icon of a claim's state."""
    return signs.word(signs.STANDINGS, str(code)).icon


@register.filter
def sign_of(code: str, table: str) -> str:
    """The icon of a state."""
    return signs.word(_TABLES[table], str(code)).icon


@register.filter
def bare_marker(marker: str) -> str:
    """A marker without its brackets, as the small square shows it: `[1]` and 【1】 become 1."""
    text = str(marker).strip()
    bare = text.strip("[]【】()^").strip()
    return bare or text


@register.filter
def explains(code: str, table: str) -> words.Text:
    """The sentence that explains a state."""
    return signs.word(_TABLES[table], str(code)).explains


@register.filter
def kind_of(uid: str) -> str:
    """The kind that a uid names; empty for anything that is no uid."""
    kind = kind_of_uid(str(uid))
    return kind.name if kind else ""


@register.filter
def short(uid: str) -> str:
    """A uid as people can compare it at a glance: prefix and first eight characters."""
    text = str(uid)
    return f"{text[:12]}…" if len(text) > 13 else text


@register.filter
def address(uid: str) -> str:
    """The page of a node: its own where its kind has one, else its lineage; of an incident, a webhook."""
    beside = {"inc_": "/incidents/", "whk_": "/settings/webhooks/"}.get(str(uid)[:4])
    if beside:
        return f"{beside}{uid}"
    kind = kind_of_uid(str(uid))
    pages = {
        "answer": "answers", "citation": "citations", "source": "sources", "agent": "creators",
        "case": "cases", "chunk": "passages", "fact": "facts", "part": "passages",
        "document": "passages", "context": "passages", "component": "components", "run": "runs",
    }  # fmt: skip
    return f"/{pages.get(kind.name if kind else '', 'lineage')}/{uid}"


def _instant_of(value: Any) -> datetime | date | None:
    if isinstance(value, datetime | date) or value is None:
        return value
    text = str(value)
    try:
        return parse_date(text) or parse_datetime(text)
    except ValueError:
        return None


def _dated(found: datetime | date) -> str:
    """Day, month and year in the reader's language."""
    return _date(found.year, found.month, found.day, get_language())


@lru_cache(maxsize=2_000)
def _date(year: int, month: int, day_: int, _language: str | None) -> str:
    found = date(year, month, day_)
    # Translators: a date such as 13 April 2004, in the letters of Django's date filter.
    return _cased(date_format(found, pgettext("date format", "j F Y")))


def _cased(text: str) -> str:
    """Portuguese writes months in small letters; Django's names of them begin with a capital."""
    return text.lower() if (get_language() or "").startswith("pt") else text


@register.filter
def day(value: Any) -> SafeString | str:
    """A date in the reader's language; a month as a month, a bare year as it stands."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}", value):
        month = _instant_of(f"{value}-01")
        return _cased(date_format(month, pgettext("month format", "F Y"))) if month else value
    found = _instant_of(value)
    if found is None:
        return str(value) if value else ""
    return format_html('<time datetime="{}">{}</time>', found.isoformat(), _dated(found))


@register.filter
def names_day(words: str | None, value: str | None) -> bool:
    """Whether the words contain the day of a date as stated, so that it need not be said again."""
    return bool(value) and str(value)[:10] in (words or "")


@register.filter
def lapsed(valid_until: str | None) -> bool:
    """Whether a stated end of validity (a year, month, day or instant) is over; False for no date."""
    text = str(valid_until or "")
    if re.fullmatch(r"\d{4}(-\d{2})?", text):
        return text < f"{clock.now().astimezone(UTC):%Y-%m}"[: len(text)]
    found = _instant_of(text) if text else None
    if isinstance(found, datetime):
        return (found if found.tzinfo else found.replace(tzinfo=UTC)) < clock.now()
    return found is not None and found < clock.now().astimezone(UTC).date()


@register.filter
def instant(value: Any) -> SafeString | str:
    """Date and time to the minute, in UTC and saying so; empty for none."""
    # Of what clients state, only what can be an instant is worth remembering.
    short = isinstance(value, datetime) or (
        isinstance(value, str) and len(value) <= _LONGEST_INSTANT
    )
    tell = _instant if short else _instant.__wrapped__
    return tell(value, get_language())


@lru_cache(maxsize=2_000)
def _instant(value: Any, _language: str | None) -> SafeString | str:
    found = _instant_of(value)
    if found is None:
        return str(value) if value else ""
    if not isinstance(found, datetime):
        return day(found)
    at = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    return format_html(
        '<time datetime="{}">{}, {}&nbsp;UTC</time>',
        at.replace(microsecond=0).isoformat().replace("+00:00", "Z"),
        _dated(at),
        f"{at:%H:%M}",
    )


@register.filter
def licence_words(stated: str) -> str:
    """A licence in a list: an SPDX identifier as it is, an own reference without its prefix."""
    if not stated.startswith("LicenseRef-"):
        return stated
    return stated.removeprefix("LicenseRef-").replace("-", " ")


@register.filter
def link_of(piece: Any) -> str:
    """Where a piece of evidence leads: a DOI or a web address does, any other text nowhere (empty)."""
    text = as_json(piece).strip()
    if re.fullmatch(r"10\.\d{4,9}/\S+", text):
        return f"https://doi.org/{quote(text, safe='/')}"
    return web_address(text)


@register.filter
def web_address(uri: str | None) -> str:
    """A client's address if it leads to the web, else empty: no other scheme may stand in a link."""
    text = (uri or "").strip()
    return text if re.fullmatch(r"https?://[^\s<>]+", text, re.IGNORECASE) else ""


@register.simple_tag(takes_context=True)
def within(context: Context, name: str, **query: Any) -> str:
    """The address of a list page, in the workspace of this page where the member has several."""
    parameters = {key: value for key, value in query.items() if value not in (None, "")}
    workspace = context.get("workspace")
    if workspace and len(context.get("workspaces") or ()) > 1:
        parameters["ws"] = workspace["slug"]
    return address_of(name) + (f"?{urlencode(parameters, doseq=True)}" if parameters else "")


@register.filter
def savable(address: str) -> bool:
    """Whether the page at this address can be kept as a view."""
    return can_be_saved(address, PAGES)


@register.filter
def lookup(mapping: Mapping[Any, Any], key: Any) -> Any:
    """The value of a key in a mapping; None where there is none."""
    return mapping.get(key)


@register.filter
def as_json(value: Any) -> str:
    """A client's own JSON as text: strings as they are, the rest in JSON's notation."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def answers_by(count: int | None, grade: str) -> str:
    """What stands behind the number of answers of a grade."""
    return words.answers_by(grade, count or 0)


@register.filter
def figure(value: Any) -> str:
    """A score with at most four significant digits, never as a percentage; a dash for none."""
    if value is None:
        return _("none")
    if isinstance(value, int):
        return str(value)
    # Not number_format: it would print a score of 0.00001234 as 0.
    return f"{value:.4g}".replace(".", get_format("DECIMAL_SEPARATOR"))
