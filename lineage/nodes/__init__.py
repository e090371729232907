"""Nodes as a viewer may see them: one, many, found by key, by words, in lists."""

from lineage.nodes.resolve import Resolved, resolve
from lineage.nodes.search import Found, search
from lineage.nodes.search_items import FoundItem
from lineage.nodes.view import node, views
from lineage.nodes.visible import visible

__all__ = [
    "Found",
    "FoundItem",
    "Resolved",
    "node",
    "resolve",
    "search",
    "views",
    "visible",
]
