"""Elements of CSL styles where citeproc-py needs help; importing this module puts them in place.

citeproc-py finds the class of an element by its name among the subclasses of
`CitationStylesElement`; the last one of a name holds.
"""

from collections.abc import Iterator
from typing import Any, Final

from citeproc import model

# Styles print these where a volume or an issue is missing. That it is missing says nothing of
# when the work was published.
_NOBODY_STATED: Final = frozenset({"advance-online-publication"})


class Text(model.Text, model.CitationStylesElement):  # type: ignore[misc]
    """Text, which finds its macros at once and says nothing that no source states."""

    def get_macro(self, name: str) -> Any:
        """The macro of this name; looking each up in the whole style took most of the time."""
        return _macros(self)[name]

    def calls_variable(self) -> bool:
        """Whether it prints a variable; of a macro found out once, for it is asked again and again."""
        name = self.get("macro")
        if name is None or "variable" in self.attrib:
            return bool(super().calls_variable())
        known: dict[str, bool] = _remembered(self.get_root(), "calling_macros")
        if name not in known:
            known[name] = bool(super().calls_variable())
        return known[name]

    def _term(self, item: Any) -> Any:
        return None if self.get("term") in _NOBODY_STATED else super()._term(item)


class Locale(model.Locale, model.CitationStylesElement):  # type: ignore[misc]
    """The words of a language, each looked up once."""

    def get_term(self, name: str, form: str | None = None, zero_padded: bool = False) -> Any:  # noqa: FBT001, FBT002 - the library's signature
        """The term; raises IndexError where this locale has none."""
        known: dict[tuple[str, str | None, bool], Any] = _remembered(self, "known_terms")
        key = (name, form, zero_padded)
        if key not in known:
            try:
                known[key] = super().get_term(name, form, zero_padded=zero_padded)
            except IndexError:
                known[key] = None
        if known[key] is None:
            raise IndexError(name)
        return known[key]


class Substitute(model.Substitute, model.CitationStylesElement):  # type: ignore[misc]
    """What stands for missing names is not printed again: nor if a macro printed it (CSL 1.0.2)."""

    def render(self, item: Any, context: Any = None, **kwargs: Any) -> Any:
        """The text that stands for the names."""
        text = super().render(item, context=context, **kwargs)
        if text:
            printed, reference = str(text).casefold(), item.reference
            repressed = context.get_layout().repressed
            for tag, variable in _variables(self):
                value = reference.get(variable.replace("-", "_"))
                if isinstance(value, str | list) and str(value).casefold() in printed:
                    repressed.setdefault(tag, []).append(variable)
        return text


def _remembered(element: Any, name: str) -> dict[Any, Any]:
    """A table that stays with this element; the style keeps it alive as long as itself."""
    found: dict[Any, Any] | None = getattr(element, name, None)
    if found is None:
        found = {}
        setattr(element, name, found)
    return found


def _macros(element: Any) -> dict[str, Any]:
    """The macros of the element's style, remembered with it."""
    root = element.get_root()
    found: dict[str, Any] | None = getattr(root, "macros_by_name", None)
    if found is None:
        found = {macro.get("name"): macro for macro in root.xpath_search("cs:macro")}
        root.macros_by_name = found
    return found


def _variables(element: Any) -> set[tuple[str, str]]:
    """Tag and name of each variable that the element may print, remembered with the style."""
    root = element.get_root()
    place = element.getroottree().getpath(element)
    known: dict[str, set[tuple[str, str]]] | None = getattr(root, "variables_by_place", None)
    if known is None:
        known = root.variables_by_place = {}
    if place not in known:
        known[place] = {(each.tag, each.get("variable", "")) for each in _within(element)}
    return known[place]


def _within(element: Any) -> Iterator[Any]:
    """The elements below, and those of the macros that they call, each once."""
    waiting, called = list(element), set[str]()
    while waiting:
        for each in waiting.pop().iter():
            yield each
            macro = each.get("macro")
            if macro is not None and macro not in called:
                called.add(macro)
                waiting.append(_macros(element)[macro])
