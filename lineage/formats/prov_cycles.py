"""Which edges of a graph lie on a cycle: strongly connected components, without recursion."""

from collections import defaultdict
from collections.abc import Mapping


def within_cycles(edges: Mapping[int, tuple[str, str]]) -> list[list[int]]:
    """The edges, by number, that lie on cycles: a list for each set of cycles that touch."""
    leaving: dict[str, list[str]] = defaultdict(list)
    for start, end in edges.values():
        leaving[start].append(end)
    component = _components(leaving)
    inside: dict[int, list[int]] = defaultdict(list)
    for number, (start, end) in edges.items():
        if component[start] == component[end]:
            inside[component[start]].append(number)
    return [inside[one] for one in sorted(inside)]


def _components(leaving: Mapping[str, list[str]]) -> dict[str, int]:
    """Node → number of its strongly connected component (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    stack: list[str] = []
    for root in list(leaving):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        path = [(root, iter(leaving[root]))]
        while path:
            node, ends = path[-1]
            for end in ends:
                if end not in index:
                    index[end] = low[end] = len(index)
                    stack.append(end)
                    path.append((end, iter(leaving.get(end, ()))))
                    break
                if end not in component:
                    low[node] = min(low[node], index[end])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    number = len(component)
                    while node not in component:
                        component[stack.pop()] = number
    return component
