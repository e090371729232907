"""What each answer rests on, prepared."""

from django.db import models

from lineage.models.records import Node


class RestsOn(models.Model):
    """The answer rests on the target with this grade (lineage.vocabulary.Grade); kept by lineage.impact.closure alone.

    Rows come by the thousand and can be made again from the references, which the database guards:
    it is spared checking three more ends of each, which took longer than writing them.
    """

    answer = models.ForeignKey(
        Node, on_delete=models.CASCADE, related_name="rests_on", db_constraint=False
    )
    # No index of its own: both of those below begin with it.
    target = models.ForeignKey(
        Node,
        on_delete=models.CASCADE,
        related_name="supports",
        db_index=False,
        db_constraint=False,
    )
    grade = models.SmallIntegerField()
    # Of `served`: the grade in the answer it was served from; 0 elsewhere.
    origin_grade = models.SmallIntegerField(default=0)
    # The next node on the shortest explaining chain, from the target towards the answer.
    via = models.ForeignKey(
        Node, null=True, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    # The answer's occurred_at in microseconds since 1970; -1 where unknown (sorts last, newest first).
    at = models.BigIntegerField(default=-1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["target", "answer"], name="one_grade")]
        indexes = [models.Index(fields=["target", "grade", "-at"], name="rests_on_target")]
