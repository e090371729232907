"""The relational store: the truth of which the graph is a projection (ADR 0001)."""

from lineage.models.cases import AnswerEffect, Case, CaseTarget, Withdrawal
from lineage.models.closure import RestsOn
from lineage.models.content import Blob, DataKey
from lineage.models.outbox import ApplyBatch, GraphDirty, RegisterEpoch, TaskOutbox
from lineage.models.records import Node, Rebinding, Reference, SearchWord, Sighting, UidAlias

__all__ = [
    "AnswerEffect",
    "ApplyBatch",
    "Blob",
    "Case",
    "CaseTarget",
    "DataKey",
    "GraphDirty",
    "Node",
    "Rebinding",
    "Reference",
    "RegisterEpoch",
    "RestsOn",
    "SearchWord",
    "Sighting",
    "TaskOutbox",
    "UidAlias",
    "Withdrawal",
]
