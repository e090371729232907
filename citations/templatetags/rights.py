"""Template tags about rights: attribution beside a card."""

from datetime import datetime

from django import template

from citations.bibliography import Bibliography
from citations.exports.attribution import Attribution, attribution_of

register = template.Library()


@register.simple_tag
def credit_for(book: Bibliography, at: datetime | None = None) -> Attribution:
    """The attribution of a version; `at`: when its text was fetched or retrieved."""
    return attribution_of(book, at)
