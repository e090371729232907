"""Django's `trans`, `static` and `url` tags, remembering what stays the same while a process runs.

They say what Django's say; a page uses some two hundred of them, and to translate a constant
or to build the address of a view again costs more than to print it. Settings put this
library in the place of `i18n` and `static` and among the built-in tags.

Remembered: a constant text in each language, the address of a file, the address of a
view for its arguments (uids and slugs; the least used go first).
"""

from functools import lru_cache
from typing import Any, Final, cast

from django import template
from django.conf import settings
from django.template.base import Parser, Token, TokenType, render_value_in_context
from django.template.context import Context
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as django_url
from django.templatetags import i18n, static
from django.templatetags.static import StaticNode
from django.urls import get_script_prefix, reverse
from django.utils.html import conditional_escape
from django.utils.translation import get_language, gettext

_MOST_ADDRESSES: Final = 10_000

register = template.Library()
register.tags |= i18n.register.tags
register.filters |= i18n.register.filters | static.register.filters


class _Constant(template.Node):
    """A text without variables: translated once a language."""

    child_nodelists = ()

    def __init__(self, node: i18n.TranslateNode) -> None:
        self._node = node
        self._said: dict[str | None, str] = {}

    def render(self, context: Context) -> str:
        language = get_language()
        said = self._said.get(language)
        if said is None:
            said = self._said[language] = self._node.render(context)
        return said


@register.tag("trans")
@register.tag("translate")
def translate(parser: Parser, token: Token) -> template.Node:
    """`{% trans "…" %}`; one with a variable, filter, context or `as` is Django's own."""
    node: Any = i18n.do_translate(parser, token)
    said = node.filter_expression
    constant = getattr(said.var, "literal", None) is not None and not said.filters
    plain = constant and node.asvar is None and node.message_context is None and not node.noop
    return _Constant(node) if plain else cast("template.Node", node)


@lru_cache(maxsize=_MOST_ADDRESSES)
def _address_of_file(path: str, _storages: int) -> str:
    return StaticNode.handle_simple(path)


@register.simple_tag(name="static")
def static_(path: str) -> str:
    """`{% static "path" %}`: the address of a file that is served as it is."""
    if settings.DEBUG:
        return StaticNode.handle_simple(path)
    return _address_of_file(path, id(settings.STORAGES))


class _Sentence(i18n.BlockTranslateNode):
    """A text whose variables are all named in its tag: translated once a language, then filled."""

    def __init__(self, node: Any) -> None:
        super().__init__(node.extra_context, node.singular, trimmed=node.trimmed)
        self._text, self._names = self.render_token_list(self.singular)
        self._said: dict[str | None, str] = {}

    def render(self, context: Context, nested: bool = False) -> str:  # noqa: FBT001, FBT002 - Django's
        language = get_language()
        said = self._said.get(language)
        if said is None:
            said = self._said[language] = gettext(self._text)
        filled = {
            name: render_value_in_context(self.extra_context[name].resolve(context), context)
            for name in self._names
        }
        try:
            return said % filled
        except (KeyError, ValueError):
            # A translation that names something else: Django's own tells it in the original.
            return str(super().render(context, nested=nested))


@register.tag("blocktrans")
@register.tag("blocktranslate")
def blocktranslate(parser: Parser, token: Token) -> template.Node:
    """`{% blocktrans with name=… %}`; one with a plural, context or `as` is Django's own."""
    node: Any = i18n.do_block_translate(parser, token)
    plain = not (node.plural or node.message_context or node.asvar) and all(
        each.contents in node.extra_context
        for each in node.singular
        if each.token_type is TokenType.VAR
    )
    return _Sentence(node) if plain else cast("template.Node", node)


def address_of(name: str, *arguments: str) -> str:
    """The address of a view, as `django.urls.reverse` gives it."""
    return _address_of_view(name, arguments, get_script_prefix(), settings.ROOT_URLCONF)


@lru_cache(maxsize=_MOST_ADDRESSES)
def _address_of_view(name: str, arguments: tuple[str, ...], _prefix: str, _urls: str) -> str:
    return reverse(name, args=arguments)


class _Url(URLNode):
    """The address of a view with arguments in order, all of them strings."""

    def render(self, context: Context) -> str:
        arguments = tuple(argument.resolve(context) for argument in self.args)
        name = self.view_name.resolve(context)
        if ":" in name or not all(isinstance(each, str) for each in arguments):
            return super().render(context)
        return conditional_escape(address_of(name, *arguments))


@register.tag
def url(parser: Parser, token: Token) -> template.Node:
    """`{% url "name" argument … %}`; one with named arguments, a namespace or `as` is Django's own."""
    node = django_url(parser, token)
    if node.kwargs or node.asvar:
        return node
    return _Url(node.view_name, node.args, node.kwargs, node.asvar)
