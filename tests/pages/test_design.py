"""The design page shows every component, badge, icon and colour that there is."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template
from django.test import Client

from citations.pages.design import SIGNS
from citations.pages.design_samples import specimens
from lineage.pages.icons import PATHS
from lineage.pages.signs import STANDINGS
from lineage.templatetags.product import badge_tables
from provexplorer.workspaces.models import Role, Workspace
from tests.pages.world import member

ROOT = Path(settings.BASE_DIR)
COMPONENTS = {path.stem for path in (ROOT / "templates" / "components").glob("*.html")}


@pytest.mark.engine_free
def test_every_component_has_specimens_and_pages_that_use_it() -> None:
    assert {each.component for each in specimens()} == COMPONENTS
    # A component that one page alone includes belongs to that page.
    templates = [
        path for path in (ROOT / "templates").rglob("*.html") if path.parent.name != "design"
    ]
    for name in COMPONENTS:
        using = [p for p in templates if f'"components/{name}.html"' in p.read_text("utf-8")]
        assert len(using) >= 2, name


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.READER, Role.ADMIN])
def test_the_page_shows_them_all(workspace: Workspace, role: str) -> None:
    response = member(workspace, role).get("/design/")
    page = response.content.decode()
    assert response.status_code == 200
    assert set(re.findall(r'data-component="(\w+)"', page)) == COMPONENTS
    rendered = {template.name for template in response.templates}
    assert {f"components/{name}.html" for name in COMPONENTS} <= rendered
    states = [each for each in specimens() if f"<code>{each.state}</code>" not in page]
    assert states == []
    for table, codes in badge_tables().items():
        for code in codes:
            assert f'data-state="{code}"' in page, (table, code)
    for name in PATHS:
        assert f"<code>{name}</code>" in page
    # Samples lead nowhere: what they would lead to does not exist.
    assert not re.search(r'"/\w+/\w{3}_a{26}', page)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.engine_free
def test_claims_are_shown_in_each_of_their_states() -> None:
    assert set(SIGNS) == set(STANDINGS)


@pytest.mark.engine_free
def test_every_colour_of_the_stylesheet_has_a_swatch() -> None:
    base = (ROOT / "static" / "css" / "base.css").read_text("utf-8")
    root = base[base.index(":root {") : base.index("}", base.index(":root {"))]
    named = {name for name, value in re.findall(r"--([\w-]+): (#\w+)", root)}
    # On what they stand, and lines in the colour of a tone, are seen with it.
    left_out = {"on-accent", "mark-ink", "good-line", "warn-line", "bad-line", "calm-line"}
    design = (ROOT / "static" / "css" / "design.css").read_text("utf-8")
    assert set(re.findall(r"\.swatch-([\w-]+) ", design)) == named - left_out


@pytest.mark.django_db
def test_whoever_is_not_signed_in_is_sent_to_sign_in(client: Client) -> None:
    response = client.get("/design/")
    assert (response.status_code, "/accounts/sign-in/" in response["Location"]) == (302, True)


@pytest.mark.engine_free
def test_samples_of_the_design_page_compile() -> None:
    for part in (ROOT / "templates" / "design").glob("*.html"):
        get_template(f"design/{part.name}")
