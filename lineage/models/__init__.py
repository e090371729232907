"""The relational store: the truth of which the graph is a projection (ADR 0001)."""

from lineage.models.cases import (
    AnswerEffect,
    Case,
    CaseEvent,
    CaseFile,
    CaseMailOff,
    CaseRules,
    CaseTarget,
    Withdrawal,
)
from lineage.models.closure import RestsOn
from lineage.models.content import Blob, DataKey
from lineage.models.erasure import (
    ErasedNode,
    ErasedText,
    Erasure,
    ErasureEssence,
    ErasurePlace,
    ErasureProbe,
    ExternalTarget,
)
from lineage.models.facts import FactKey, SourceAuthority
from lineage.models.freshness import (
    FreshnessRules,
    HostTurn,
    PassageVerdict,
    SourceCheck,
    SourceWatch,
)
from lineage.models.graph_mark import GraphMark
from lineage.models.impact import KeptReport, NodeSet
from lineage.models.inbox import InboxPayload
from lineage.models.incidents import (
    Incident,
    IncidentAnswer,
    IncidentCase,
    IncidentNote,
    IncidentTarget,
    SavedView,
)
from lineage.models.invalidation import AnswerChange, ChangeSequence
from lineage.models.liveness import Quarantined, SignOfLife, TaskDelivery
from lineage.models.notices import (
    Notice,
    NoticeDue,
    NoticeFeed,
    NoticeImport,
    NoticeMatch,
    NoticeShelf,
)
from lineage.models.outbox import ApplyBatch, GraphDirty, RegisterEpoch, TaskOutbox
from lineage.models.records import (
    Derivation,
    Node,
    Rebinding,
    Reference,
    SearchWord,
    Sighting,
    UidAlias,
)
from lineage.models.requests import CorrectionRequest
from lineage.models.rights import RightsPolicy, RightsProgress, SourceDue, SourceOpen, SourceRights
from lineage.models.search import SearchDue, SearchNear, SearchTerm, SearchToken
from lineage.models.traces import TraceHome, TracePayload
from lineage.models.unresolved import Alias, RejectedMatch
from lineage.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "Alias",
    "AnswerChange",
    "AnswerEffect",
    "ApplyBatch",
    "Blob",
    "Case",
    "CaseEvent",
    "CaseFile",
    "CaseMailOff",
    "CaseRules",
    "CaseTarget",
    "ChangeSequence",
    "CorrectionRequest",
    "DataKey",
    "Derivation",
    "ErasedNode",
    "ErasedText",
    "Erasure",
    "ErasureEssence",
    "ErasurePlace",
    "ErasureProbe",
    "ExternalTarget",
    "FactKey",
    "FreshnessRules",
    "GraphDirty",
    "GraphMark",
    "HostTurn",
    "InboxPayload",
    "Incident",
    "IncidentAnswer",
    "IncidentCase",
    "IncidentNote",
    "IncidentTarget",
    "KeptReport",
    "Node",
    "NodeSet",
    "Notice",
    "NoticeDue",
    "NoticeFeed",
    "NoticeImport",
    "NoticeMatch",
    "NoticeShelf",
    "PassageVerdict",
    "Quarantined",
    "Rebinding",
    "Reference",
    "RegisterEpoch",
    "RejectedMatch",
    "RestsOn",
    "RightsPolicy",
    "RightsProgress",
    "SavedView",
    "SearchDue",
    "SearchNear",
    "SearchTerm",
    "SearchToken",
    "SearchWord",
    "Sighting",
    "SignOfLife",
    "SourceAuthority",
    "SourceCheck",
    "SourceDue",
    "SourceOpen",
    "SourceRights",
    "SourceWatch",
    "TaskDelivery",
    "TaskOutbox",
    "TraceHome",
    "TracePayload",
    "UidAlias",
    "Webhook",
    "WebhookDelivery",
    "Withdrawal",
]
