"""Template tags for requests for corrections."""

from django import template

from lineage.cases.request import Asked
from lineage.pages import reader_signs, words

register = template.Library()


@register.filter
def becomes(asked: Asked) -> words.Text:
    """What has become of a request, in a sentence."""
    state = "reinstated" if asked.reinstated else asked.state
    return words.text(reader_signs.BECOMES, state)
