"""The remembered tags say what Django's own say, in each language and below each prefix."""

import pytest
from django.template import engines
from django.urls import NoReverseMatch, set_script_prefix
from django.utils.translation import override

from tests.pages.test_words import TABLES

pytestmark = pytest.mark.engine_free


def rendered(source: str, **values: object) -> str:
    return str(engines["django"].from_string(source).render(values))


def test_a_constant_is_said_in_the_language_of_each_reader() -> None:
    template = engines["django"].from_string('{% load i18n %}{% trans "Sign out" %}')
    said = []
    for language in ("en", "pt-br", "en"):
        with override(language):
            said.append(template.render({}))
    assert said == ["Sign out", "Sair", "Sign out"]


def test_a_text_with_a_variable_a_filter_or_a_name_is_not_remembered() -> None:
    template = engines["django"].from_string(
        '{% load i18n %}{% trans word %}|{% trans "a"|add:word %}|{% trans "b" as said %}{{ said }}{{ word }}'
    )
    assert [template.render({"word": each}) for each in ("x", "<y>")] == [
        "x|ax|bx",
        "&lt;y&gt;|a&lt;y&gt;|b&lt;y&gt;",
    ]


def test_percent_signs_and_contexts_stay_as_django_has_them() -> None:
    assert rendered('{% load i18n %}{% trans "100% sure" %}') == "100% sure"
    with override("pt-br"):
        assert rendered('{% load i18n %}{% trans "All" context "answers" %}') == "Todas"


def test_an_address_follows_its_arguments_and_the_prefix() -> None:
    source = "{% url 'citation' uid %}"
    assert rendered(source, uid="cit_a") == "/citations/cit_a"
    assert rendered(source, uid="cit_b") == "/citations/cit_b"
    set_script_prefix("/below/")
    try:
        assert rendered(source, uid="cit_a") == "/below/citations/cit_a"
    finally:
        set_script_prefix("/")
    assert rendered(source, uid="cit_a") == "/citations/cit_a"


def test_an_address_with_names_or_kept_for_later_is_django_s() -> None:
    assert rendered("{% url 'citation' uid='cit_a' %}") == "/citations/cit_a"
    assert rendered("{% url 'citation' 'cit_a' as there %}[{{ there }}]") == "[/citations/cit_a]"
    with pytest.raises(NoReverseMatch):
        rendered("{% url 'citation' %}")
    with pytest.raises(NoReverseMatch):
        rendered("{% url 'nowhere' %}")


def test_words_and_badges_are_those_of_the_reader_s_language() -> None:
    source = '{% load product %}{{ "stale"|word:"answer" }}{% badge "answer" "stale" %}'
    english = rendered(source)
    with override("pt-br"):
        portuguese = rendered(source)
    assert rendered(source) == english
    label = TABLES["ANSWER_STATES"]["stale"].label
    assert str(label) in english
    with override("pt-br"):
        assert str(label) in portuguese
    assert english != portuguese


def test_dates_are_those_of_the_reader_s_language() -> None:
    source = '{% load product %}{{ "2004-04-13"|day }}'
    said = []
    for language in ("en", "pt-br", "en"):
        with override(language):
            said.append(rendered(source).removesuffix("</time>").rpartition(">")[2])
    assert said == ["13 April 2004", "13 de abril de 2004", "13 April 2004"]


def test_a_sentence_is_filled_with_what_the_tag_names() -> None:
    template = engines["django"].from_string(
        "{% load i18n %}{% blocktrans trimmed with position=at %}position {{ position }}{% endblocktrans %}"
    )
    said = []
    for language in ("en", "pt-br", "en"):
        with override(language):
            said.append(template.render({"at": "<3>"}))
    assert said == ["position &lt;3&gt;", "posição &lt;3&gt;", "position &lt;3&gt;"]


def test_a_sentence_with_a_plural_or_a_variable_of_the_page_is_django_s() -> None:
    counted = "{% load i18n %}{% blocktrans count n=n %}{{ n }} answer{% plural %}{{ n }} answers{% endblocktrans %}"
    assert [rendered(counted, n=n) for n in (1, 2)] == ["1 answer", "2 answers"]
    free = "{% load i18n %}{% blocktrans %}{{ name }} at 100%{% endblocktrans %}"
    assert [rendered(free, name=name) for name in ("x", "<y>")] == [
        "x at 100%",
        "&lt;y&gt; at 100%",
    ]


def test_what_is_no_instant_is_shown_as_it_came() -> None:
    source = "{% load product %}{{ at|instant }}"
    assert [rendered(source, at=at) for at in ("soon", ["a"], "<" * 40, None)] == [
        "soon",
        "[&#x27;a&#x27;]",
        "&lt;" * 40,
        "",
    ]
