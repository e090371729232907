"""SPDX license expressions read into trees and written in their normal form (SPDX 3, annex B).

Operators are all upper or all lower case; `+`, WITH, AND, OR bind in this order; identifiers
are found whatever their case, a LicenseRef only as it is written. `NONE` and `NOASSERTION`
are no expressions.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from lineage.formats.license_list import SUCCESSORS, exception_listed, license_listed

_WORD: Final = re.compile(r"\(|\)|[A-Za-z0-9.:+-]+|\S")
_ID: Final = re.compile(r"[A-Za-z0-9.-]+\+?")
_REF: Final = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+")
_ADDITION: Final = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]+:)?AdditionRef-[A-Za-z0-9.-]+")
_OPERATORS: Final = frozenset({"AND", "OR", "WITH", "and", "or", "with"})
LONGEST: Final = 500
_DEEPEST: Final = 20


@dataclass(frozen=True, slots=True)
class Term:
    """One licence of an expression.

    `id` as the list spells it (or a LicenseRef as written), without the `+`; `or_later`: later
    versions may be chosen instead; `exception`: what is permitted beyond it, "" for none.
    """

    id: str
    or_later: bool = False
    exception: str = ""

    @property
    def own(self) -> bool:
        """Whether it is a LicenseRef: words that the list does not know."""
        return _REF.fullmatch(self.id) is not None

    def __str__(self) -> str:
        later = "+" if self.or_later else ""
        beyond = f" WITH {self.exception}" if self.exception else ""
        return f"{self.id}{later}{beyond}"


@dataclass(frozen=True, slots=True)
class Joined:
    """Licences of which all hold (`AND`) or one may be chosen (`OR`); at least two, none of the same kind."""

    operator: Literal["AND", "OR"]
    parts: "tuple[Tree, ...]"

    def __str__(self) -> str:
        return f" {self.operator} ".join(
            f"({part})" if isinstance(part, Joined) and self.operator == "AND" else str(part)
            for part in self.parts
        )


Tree: TypeAlias = Term | Joined


class NoExpression(ValueError):
    """The text is no expression; `unknown` are identifiers that alone stand in the way."""

    def __init__(self, unknown: tuple[str, ...] = ()) -> None:
        super().__init__("no SPDX license expression")
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read; `str` is its normal form. `deprecated`: identifiers as sent that SPDX has replaced."""

    tree: Tree
    deprecated: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.tree)


def read_expression(text: str) -> Expression:
    """Read an expression. Raises NoExpression for everything else."""
    if len(text) > LONGEST:
        raise NoExpression
    reader = _Reader(_WORD.findall(text))
    tree = reader.either()
    if reader.left:
        raise NoExpression
    if reader.unknown:
        raise NoExpression(tuple(dict.fromkeys(reader.unknown)))
    return Expression(tree, tuple(dict.fromkeys(reader.deprecated)))


def terms_of(tree: Tree) -> tuple[Term, ...]:
    """The licences of a tree, each once, in their order."""
    if isinstance(tree, Term):
        return (tree,)
    return tuple(dict.fromkeys(term for part in tree.parts for term in terms_of(part)))


class _Reader:
    """Reads words from left to right; every rule raises NoExpression where none of its words stands."""

    def __init__(self, words: list[str]) -> None:
        self.left = words[::-1]
        self.unknown: list[str] = []
        self.deprecated: list[str] = []
        self._depth = 0

    def either(self) -> Tree:
        return self._joined("OR", self._every)

    def _every(self) -> Tree:
        return self._joined("AND", self._simple)

    def _joined(self, operator: Literal["AND", "OR"], rule: Callable[[], Tree]) -> Tree:
        parts = [rule()]
        while self._takes(operator):
            parts.append(rule())
        flat: list[Tree] = []
        for part in parts:
            if isinstance(part, Joined) and part.operator == operator:
                flat += part.parts
            else:
                flat.append(part)
        each = tuple(dict.fromkeys(flat))
        return each[0] if len(each) == 1 else Joined(operator, each)

    def _simple(self) -> Tree:
        word = self._next()
        if word == "(":
            self._depth += 1
            if self._depth > _DEEPEST:
                raise NoExpression
            inner = self.either()
            if self._next() != ")":
                raise NoExpression
            self._depth -= 1
            return inner
        if word in _OPERATORS:
            raise NoExpression
        tree = self._term(word)
        if not self._takes("WITH"):
            return tree
        if not isinstance(tree, Term) or tree.exception:
            raise NoExpression
        return Term(tree.id, tree.or_later, self._exception(self._next()))

    def _term(self, word: str) -> Tree:
        if _REF.fullmatch(word):
            return Term(word)
        if not _ID.fullmatch(word) or word.upper() in {"NONE", "NOASSERTION"}:
            raise NoExpression
        listed = license_listed(word)
        later = listed is None and word.endswith("+")
        if later:
            listed = license_listed(word[:-1])
        if listed is None:
            self.unknown.append(word)
            return Term(word.removesuffix("+"))
        if listed.deprecated:
            self.deprecated.append(word)
        return _term(listed.id, later=later)

    def _exception(self, word: str) -> str:
        if _ADDITION.fullmatch(word):
            return word
        listed = exception_listed(word) if _ID.fullmatch(word) else None
        if listed is not None:
            return listed.id
        # A licence is no exception, whatever it is called.
        if not _ID.fullmatch(word) or word in _OPERATORS or license_listed(word) is not None:
            raise NoExpression
        self.unknown.append(word)
        return word

    def _takes(self, operator: str) -> bool:
        if self.left and self.left[-1] in (operator, operator.lower()):
            self.left.pop()
            return True
        return False

    def _next(self) -> str:
        if not self.left:
            raise NoExpression
        return self.left.pop()


def _term(id_: str, *, later: bool) -> Tree:
    """The term of a listed identifier, a deprecated one as its successor says it."""
    # The GNU licences have an identifier of their own for "or later".
    base = id_.removesuffix("+")
    if id_.endswith("+") and license_listed(f"{base}-or-later") is not None:
        return Term(f"{base}-or-later")
    successor = SUCCESSORS.get(id_, id_)
    said, _, exception = successor.partition(" WITH ")
    if later and said.endswith("-only"):
        return Term(said.removesuffix("-only") + "-or-later", exception=exception)
    return Term(said, later and not said.endswith("-or-later"), exception)
