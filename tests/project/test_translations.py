"""The check of the catalogues finds what it is there to find."""

from pathlib import Path

import polib
import pytest

from tests.project import translations

pytestmark = pytest.mark.engine_free


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> polib.POFile:
    """A catalogue of one message with a placeholder; code and templates say the same one."""
    room = tmp_path / "room"
    room.mkdir()
    (room / "words.py").write_text('LABEL = _("%(n)s answers")\n')
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text(
        '{% load i18n %}{% translate "Stale" context "answer" %}'
        "{% blocktranslate count n=n %}One source{% plural %}{{ n }} sources{% endblocktranslate %}"
    )
    monkeypatch.setattr(translations, "CHECKOUT", tmp_path)
    monkeypatch.setattr(translations, "ROOMS", ("room",))
    file = polib.POFile()
    file.fpath = str(tmp_path / "django.po")
    file.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    file += [
        polib.POEntry(msgid="%(n)s answers", msgstr="%(n)s respostas"),
        polib.POEntry(msgctxt="answer", msgid="Stale", msgstr="Desatualizada"),
        polib.POEntry(
            msgid="One source",
            msgid_plural="%(n)s sources",
            msgstr_plural={0: "Uma fonte", 1: "%(n)s fontes"},
        ),
    ]
    return file


def faults(catalogue: polib.POFile) -> list[str]:
    catalogue.save()
    path = Path(catalogue.fpath)
    path.with_suffix(".mo").write_bytes(polib.pofile(str(path)).to_binary())
    return translations.faults(path)


def test_complete_catalogue_has_no_fault(catalogue: polib.POFile) -> None:
    assert faults(catalogue) == []


def test_message_without_translation(catalogue: polib.POFile) -> None:
    catalogue[0].msgstr = ""
    assert faults(catalogue) == ["untranslated: '%(n)s answers'"]


def test_message_that_was_guessed(catalogue: polib.POFile) -> None:
    catalogue[0].flags = ["fuzzy"]
    assert faults(catalogue) == ["fuzzy: '%(n)s answers'"]


def test_translation_that_lost_its_number(catalogue: polib.POFile) -> None:
    catalogue[0].msgstr = "%(m)s respostas"
    assert faults(catalogue) == ["other placeholders: '%(n)s answers'"]


def test_message_nobody_extracted_and_one_nobody_says(catalogue: polib.POFile) -> None:
    del catalogue[1]
    catalogue.append(polib.POEntry(msgid="Gone", msgstr="Ido"))
    assert faults(catalogue) == ["not in the catalogue: 'Stale'", "said nowhere: 'Gone'"]


def test_compiled_file_of_another_day(catalogue: polib.POFile) -> None:
    faults(catalogue)
    catalogue[1].msgstr = "Vencida"
    catalogue.save()
    assert translations.faults(Path(catalogue.fpath)) == [
        "django.mo is not current: run `make format`"
    ]
