"""What all templates and static files must hold: no inline style or script, links beside htmx, known hashes."""

import hashlib
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_pair

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
VENDOR = ROOT / "static" / "vendor"
TAG = re.compile(r"<(?:a|form|input|button|div)\b(?:[^<>{]|\{[{%].*?[%}]\})*>", re.DOTALL)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_templates_have_nothing_that_the_content_security_policy_refuses(template: Path) -> None:
    source = template.read_text(encoding="utf-8")
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=\"|javascript:|hx-on", source) == []
    assert [tag for tag in re.findall(r"<script[^>]*>", source) if " src=" not in tag] == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_htmx_request_has_a_plain_link_or_form_beside_it(template: Path) -> None:
    for tag in TAG.findall(template.read_text(encoding="utf-8")):
        if "hx-get=" not in tag and "hx-post=" not in tag:
            continue
        # A form's buttons and fields send the form without htmx; the polled element needs no click.
        plain = (
            re.search(r"\shref=|\saction=|^<(?:button|input)", tag) or 'hx-trigger="every' in tag
        )
        assert plain, tag


def test_vendored_files_are_those_whose_hashes_are_recorded() -> None:
    recorded = dict(
        re.findall(
            r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$",
            (VENDOR / "README.md").read_text(),
            re.MULTILINE,
        )
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VENDOR.glob("*.js")
    }
    assert found == recorded
    assert found


def test_base_names_the_vendored_htmx() -> None:
    base = (ROOT / "templates" / "base.html").read_text(encoding="utf-8")
    (named,) = re.findall(r"vendor/([^']+\.js)", base)
    assert (VENDOR / named).is_file()


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_what_is_wrong_is_told_by_the_field_that_it_is_about(template: Path) -> None:
    source = template.read_text(encoding="utf-8")
    told = re.findall(r'<p class="wrong"[^>]*>', source)
    named = re.findall(r'<p class="wrong" id="([a-z-]+)"', source)
    assert len(named) == len(told), "nothing can refer to it"
    for name in named:
        # With JavaScript off and on, whoever comes to the field hears what is wrong with it.
        described = rf'aria-describedby="(?:[^"]* )?{name}(?:\{{%[^"]*)?"([^>]*)>'
        assert re.search(described, source), name
