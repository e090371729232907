"""Whom affected answers reached, as far as they say so: pseudonyms that clients sent, counted, never shown."""

from dataclasses import dataclass

from django.db.models import Count
from django.db.models.fields.json import KeyTextTransform

from lineage.impact.affected import Affected


@dataclass(frozen=True, slots=True)
class Readers:
    """`known`: different users that the answers name; `unstated`: answers that name none."""

    known: int
    unstated: int


def readers_of(found: Affected) -> Readers:
    """Count the users of the answers that the question keeps.

    A user is whom the answer itself names (`user` of its record, a pseudonym); one person with
    two pseudonyms counts twice.
    """
    rows = found.rows().annotate(reader=KeyTextTransform("user", "answer__fields")).order_by()
    told = rows.aggregate(known=Count("reader", distinct=True), stated=Count("reader"))
    return Readers(told["known"], found.count() - told["stated"])
