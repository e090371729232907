"""Template tags for components and runs: bounded counts, durations, how a run ended, plots."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import number_format
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lineage.nodes.component_work import Step
from lineage.nodes.counting import AtLeast
from lineage.pages import signs
from lineage.templatetags.product import day as dated
from lineage.templatetags.product import icon

register = template.Library()

_MINUTE, _HOUR = 60, 3_600
_LAST = datetime.max.replace(tzinfo=UTC)


@register.filter
def at_least(count: AtLeast) -> str:
    """The number; with a sign before it where counting stopped there."""
    number = str(intcomma(count.number))
    return f"≥ {number}" if count.more else number


@register.filter
def duration(seconds: float | None) -> str:
    """A duration as people say it: 0.4 s, 12 s, 3 min, 2.5 h; a dash for none."""
    if seconds is None:
        return "—"
    if seconds < 9.95:
        return _("%(number)s s") % {"number": number_format(round(seconds, 1))}
    if seconds < 2 * _MINUTE:
        return _("%(number)s s") % {"number": number_format(round(seconds))}
    if seconds < 2 * _HOUR:
        return _("%(number)s min") % {"number": number_format(round(seconds / _MINUTE))}
    return _("%(number)s h") % {"number": number_format(round(seconds / _HOUR, 1))}


@register.filter
def share(part: int, whole: int) -> str:
    """A part of a whole in percent; what is more than nothing is never 0 %, nor all but one 100 %."""
    if not whole:
        return "—"
    percent = 100 * part / whole
    if 0 < percent < 1:
        return _("under 1%")
    shown = min(99, round(percent)) if part < whole else 100
    return f"{shown}%"


@register.simple_tag
def run_badge(outcome: str, status: str | None = None) -> SafeString:
    """How a run ended: icon and word in its tone; a word of the client's own is shown as it came."""
    sign = signs.RUN_OUTCOMES[outcome]
    return format_html(
        '<span class="badge tone-{}" data-state="{}">{}<span>{}</span></span>',
        sign.tone, outcome, icon(sign.icon), status if outcome == "other" else sign.label,
    )  # fmt: skip


@register.simple_tag
def step_words(step: Step, name: str) -> str:
    """What a bar stands for: its time, its runs, how many of them failed, what they made."""
    runs = ngettext("%(count)s run", "%(count)s runs", step.runs) % {"count": intcomma(step.runs)}
    made = ngettext("%(count)s output", "%(count)s outputs", step.outputs) % {
        "count": intcomma(step.outputs)
    }
    failed = _("%(count)s failed") % {"count": intcomma(step.failed)}
    said = [f"{step_name(step, name)}: {runs}", *([failed] if step.failed else []), made]
    return ", ".join(said)


@register.simple_tag
def step_name(step: Step, name: str) -> str:
    """The time of a step in words: an hour, a day, a week by its days, a month or a year."""
    day = _day(step.start)
    match name:
        case "hour":
            return f"{day}, {step.start:%H:%M} UTC"
        case "week":
            # The last week of the calendar has five days.
            rest = min(timedelta(days=6), _LAST - step.start)
            return f"{day} – {_day(step.start + rest)}"
        case "month":
            return strip_tags(dated(f"{step.start:%Y-%m}"))
        case "year":
            return str(step.start.year)
        case _:
            return day


def _day(at: datetime) -> str:
    """A day as all pages write it, without markup: a title in a drawing has none."""
    return strip_tags(dated(at.date()))


@register.filter
def flat(value: Any, above: str = "") -> list[tuple[str, Any]]:
    """The members of a configuration, each with its path, in the order in which they came."""
    if not isinstance(value, dict) or not value:
        return [(above or "—", value)]
    found: list[tuple[str, Any]] = []
    for name, each in value.items():
        path = f"{above}.{name}" if above else str(name)
        found += flat(each, path) if isinstance(each, dict) and each else [(path, each)]
    return found


@register.filter
def at(items: Sequence[Any], place: int) -> Any:
    """The item at a place of a sequence."""
    return items[place]


@register.filter
def plain(number: float) -> str:
    """A number as SVG reads it, whatever the reader's language writes."""
    return f"{number:g}"
