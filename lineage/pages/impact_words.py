"""The words of an impact report's filters and orders; one place, translated."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import pgettext_lazy

from lineage.pages.words import Text

FACETS: Final[Mapping[str, Text]] = {
    "grade": pgettext_lazy("filter", "Grade"),
    "state": pgettext_lazy("filter", "State"),
    "month": pgettext_lazy("filter", "Month"),
    "model": pgettext_lazy("filter", "Model"),
    "unit": pgettext_lazy("filter", "Unit"),
    "source": pgettext_lazy("filter", "Source cited or given"),
    "language": pgettext_lazy("filter", "Language of what was cited or given"),
}

SORTS: Final[Mapping[str, Text]] = {
    "newest": pgettext_lazy("order", "newest first"),
    "oldest": pgettext_lazy("order", "oldest first"),
    "strongest": pgettext_lazy("order", "strongest first"),
}
