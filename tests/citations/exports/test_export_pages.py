"""The addresses of exports: who may have them, what they leave out, and that they agree."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client
from django.utils.html import strip_tags
from pytest_django import Settings

from citations.exports.capsule_file import verify
from citations.exports.signing import own_fingerprint
from lineage.api import prov_lineage
from lineage.cases.epoch import raise_epoch
from lineage.models import Node
from lineage.templatetags.product import word
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.citations.exports.test_copied import CITATIONS, CLAIMS, TEXT, told
from tests.citations.world import corals, load, reef, rivers, withdraw
from tests.ingest.sending import record
from tests.pages.world import member

pytestmark = pytest.mark.django_db

OF_ANSWERS = (
    "/answers/{}/copy.html", "/answers/{}/copy.md", "/answers/{}/references",
    "/answers/{}/references.json", "/answers/{}/references.bib", "/answers/{}/references.ris",
    "/answers/{}/print", "/answers/{}/capsule", "/api/v1/answers/{}/references",
    "/api/v1/answers/{}/references?format=abnt", "/api/v1/answers/{}/copy?format=markdown",
    "/api/v1/answers/{}/capsule",
)  # fmt: skip
OF_CITATIONS = (
    "/citations/{}/reference", "/citations/{}/reference.json", "/citations/{}/reference.bib",
    "/citations/{}/reference.ris", "/api/v1/citations/{}/reference?format=ieee",
)  # fmt: skip
SECRETS = ("competent", "Survival falls", "Dispersal", "A. Author", "Open Press", "10.1234", "0097")


@pytest.fixture(autouse=True)
def _key(settings: Settings, tmp_path: Path) -> None:
    settings.CAPSULE_KEY_PATH = tmp_path / "secrets" / "capsule.key"


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def test_strangers_and_members_of_others_get_nothing(workspace: Workspace) -> None:
    nodes = told(workspace)
    other = Workspace.objects.create(slug=f"{workspace.slug}-other", name="Other")
    stranger, theirs, ours = Client(), member(other), member(workspace)
    for path in (*OF_ANSWERS, *OF_CITATIONS):
        uid = nodes["a" if path in OF_ANSWERS else "q0"].uid
        assert stranger.get(path.format(uid)).status_code in (302, 401), path
        assert theirs.get(path.format(uid)).status_code == 404, path
        # What is neither an answer nor a citation has no exports.
        assert ours.get(path.format(nodes["c1"].uid)).status_code == 404, path


def test_an_unknown_format_is_not_found(workspace: Workspace) -> None:
    nodes, client = told(workspace), member(workspace)
    assert client.get(f"/answers/{nodes['a'].uid}/references.docx").status_code == 404
    assert client.get(f"/citations/{nodes['q0'].uid}/reference.json.exe").status_code == 404
    assert client.get(f"/api/v1/answers/{nodes['a'].uid}/references?format=x").status_code == 422


@pytest.fixture
def hidden(workspace: Workspace, graph: GraphAddress) -> dict[str, Node]:
    """An answer that cites what only one group may see, and repeats it beyond its claims."""
    repeating = TEXT + " Survival falls below ten per cent by day 60."
    records = (corals(acl=["marine"]), rivers(), reef(repeating, CLAIMS, CITATIONS))
    return load(workspace, *records)


def test_no_export_holds_what_its_maker_may_not_see(
    workspace: Workspace, hidden: dict[str, Node]
) -> None:
    reader, insider = member(workspace), member(workspace, groups=["marine"])
    for path in (*OF_ANSWERS, *OF_CITATIONS):
        uid = hidden["a" if path in OF_ANSWERS else "q0"].uid
        page = text(reader, path.format(uid))
        assert [secret for secret in SECRETS if secret in page] == [], path
        seen = text(insider, path.format(uid))
        assert [secret for secret in SECRETS if secret in seen] != [], path


def test_a_capsule_says_what_it_leaves_out(workspace: Workspace, hidden: dict[str, Node]) -> None:
    page = text(member(workspace), f"/answers/{hidden['a'].uid}/capsule")
    assert "1 citation leads to a source that is not visible" in page
    assert "2 stretches of question or answer repeat such sources" in page
    # Source, version, acquisition, document, its two parts, chunks c1 to c3 and the citation; the
    # agents that are named for this source alone. The one with an ORCID is not even named.
    prov = provenance(page)
    bare = {
        str(each["pvx:kind"])
        for kind in ("entity", "agent")
        for each in prov[kind].values()
        if "pvx:hidden" in each
    }
    assert bare == {
        "source", "source_version", "acquisition", "document", "part", "chunk", "citation", "claim",
        "agent",
    }  # fmt: skip
    assert "15 records of the lineage are told by their shape alone, or not at all." in page
    ends = {str(each["prov:agent"]) for each in prov["wasAttributedTo"].values()}
    assert ends <= prov["agent"].keys()


def provenance(page: str) -> dict[str, dict[str, dict[str, object]]]:
    match = re.search(
        r'<script type="application/prov\+json" id="provenance">(.*?)</script>', page, re.DOTALL
    )
    assert match is not None
    found = json.loads(match[1])
    assert isinstance(found, dict)
    return found


def test_a_capsule_is_whole_and_genuine(workspace: Workspace, graph: GraphAddress) -> None:
    nodes, client = told(workspace), member(workspace)
    response = client.get(f"/answers/{nodes['a'].uid}/capsule")
    assert response["Content-Disposition"] == f'attachment; filename="{nodes["a"].uid}.html"'
    found = verify(response.content)
    cards = [nodes[key].uid for key in ("q0", "q1", "q2")]
    assert found.answer == nodes["a"].uid
    assert found.parts == ("answer", *cards, "left-out", "provenance")
    assert found.fingerprint == own_fingerprint()

    page = response.content.decode()
    # The passage with its span, and who said it.
    assert "<mark>Larvae remain competent to settle for up to 105 days</mark>" in page
    for fact in ("Dispersal of corals", "A. Author", "Open Press", "CC-BY-4.0", "1 February 2026"):
        assert fact in page
    assert {f"node:{nodes[key].uid}" for key in ("a", "c1", "r1", "d1", "s1@1", "s1")} <= (
        provenance(page)["entity"].keys()
    )
    assert "Nothing that is told of this answer." in page

    elements = Elements(page).found
    ids = [each["id"] for _, each in elements if "id" in each]
    assert len(ids) == len(set(ids))
    within = [str(each["href"])[1:] for _, each in elements if str(each.get("href", ""))[:1] == "#"]
    assert set(within) == set(cards)
    assert set(within) <= set(ids)
    # Nothing is fetched, run or sent.
    assert {tag for tag, _ in elements} & {
        "link",
        "img",
        "iframe",
        "form",
        "object",
        "base",
    } == set()
    assert {each["type"] for tag, each in elements if tag == "script"} == {
        "application/json", "application/prov+json",
    }  # fmt: skip
    assert [each for _, each in elements if "src" in each or "style" in each] == []


def test_print_and_capsule_tell_all_that_the_cards_fold_away(
    workspace: Workspace, graph: GraphAddress
) -> None:
    said = {"parameters": {"temperature": 0.2}, "colour": "teal"}
    answer = reef(TEXT, CLAIMS, CITATIONS)
    told_more = [each | said if each["kind"] == "answer" else each for each in answer]
    nodes = load(workspace, corals(), rivers(), told_more)
    flagged = nodes["q0"]
    flagged.flags = [{"code": "interval_relocated", "pointer": "", "detail": ""}]
    flagged.save(update_fields=["flags"])
    client = member(workspace)
    for path in ("print", "capsule"):
        page = re.sub(r"\s+", " ", text(client, f"/answers/{nodes['a'].uid}/{path}"))
        card = page.partition(f'id="{flagged.uid}"')[2].partition("</article>")[0]
        for fact in (
            "<dt>Support</dt><dd>not checked",
            "<dt>Source checked</dt><dd>not since it was retrieved",
            "<dt>Rank</dt><dd>1</dd>",
            f"<dt>Score</dt><dd>0.9 {word('similarity', 'score')}</dd>",
            "<dt>Kept</dt><dd>yes</dd>",
            "<dt>Position</dt><dd>1 in the context</dd>",
            "pdf 2.1",
            word("interval_relocated", "flag"),
        ):
            assert fact in card, (path, fact)
        assert "A score orders passages; it does not say that a claim is true." in page
        made = page.partition("How was this answer made?")[2].partition("</section>")[0]
        for fact in ("<dt>temperature</dt><dd>0.2</dd>", "<dt>colour</dt><dd>teal</dd>", "model 9"):
            assert fact in made, (path, fact)
        dropped = page.partition("Retrieved and dropped (3)")[2].partition("</section>")[0]
        for key in ("c2", "c3"):
            assert f'href="http://testserver/passages/{nodes[key].uid}">rank' in dropped, path


def test_what_adapters_write_for_no_version_is_told_nowhere(
    workspace: Workspace, graph: GraphAddress
) -> None:
    nodes = load(workspace, corals(), rivers(), reef(TEXT, CLAIMS, CITATIONS))
    for component in Node.objects.filter(workspace=workspace, kind="component"):
        component.fields["version"] = "unstated"
        component.save(update_fields=["fields"])
    client = member(workspace)
    for path in ("?expand=all", "/print", "/capsule"):
        page = text(client, f"/answers/{nodes['a'].uid}{path}").partition("<main")[2]
        page = strip_tags(page.partition("<script")[0])
        assert "pdf" in page
        assert "unstated" not in page, path


def test_the_key_is_private_kept_and_published(workspace: Workspace, settings: Settings) -> None:
    file = Path(settings.CAPSULE_KEY_PATH)
    answer = Client().get("/.well-known/provexplorer-capsule-keys.json")
    assert answer["Cache-Control"] == "public, max-age=3600"
    (key,) = answer.json()["keys"]
    assert file.stat().st_mode & 0o777 == 0o600
    secret = file.read_text()
    assert secret.strip() not in answer.content.decode()
    assert key["kid"] == own_fingerprint()
    assert key.keys() == {"crv", "kty", "x", "kid", "use", "alg"}
    nodes = told(workspace)
    assert key["kid"] in text(member(workspace), f"/answers/{nodes['a'].uid}/references")
    assert file.read_text() == secret
    # A folder that cannot be written: every process derives the same key. Then the setting's.
    settings.CAPSULE_KEY_PATH = Path("/proc/none/capsule.key")
    derived = own_fingerprint()
    assert own_fingerprint() == derived != key["kid"]
    settings.MASTER_KEY = "22" * 32
    assert own_fingerprint() != derived
    # RFC 8032, section 7.1, test 1.
    settings.CAPSULE_KEY = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    (given,) = Client().get("/.well-known/provexplorer-capsule-keys.json").json()["keys"]
    assert given["x"] == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"


def test_a_revocation_is_obeyed_at_once_and_told(workspace: Workspace, graph: GraphAddress) -> None:
    nodes, client = told(workspace), member(workspace)
    withdraw(workspace, nodes["s1"], "revocation")
    for path in OF_ANSWERS:
        # What stands around the cited sentence in its document.
        assert "spawn once a year" not in text(client, path.format(nodes["a"].uid)), path
    page = text(client, f"/answers/{nodes['a'].uid}/capsule")
    assert 'data-state="revoked"' in page
    assert "1 passage is not shown. The passage is hidden: the permission to show it was" in page


def test_no_export_tells_of_a_work_that_was_erased(
    workspace: Workspace, graph: GraphAddress
) -> None:
    nodes, client = told(workspace), member(workspace)
    withdraw(workspace, nodes["s1"], "erasure")
    for path in (*OF_ANSWERS, *OF_CITATIONS):
        page = text(client, path.format(nodes["a" if path in OF_ANSWERS else "q0"].uid))
        told_of = [each for each in ("Dispersal", "Open Press", "10.1234", "spawn") if each in page]
        assert told_of == [], path
    assert "A source that was erased" in text(client, f"/answers/{nodes['a'].uid}/copy.html")
    # What it said of itself is gone; that is not to say that it never stated it, or is yet to come.
    context = Node.objects.get(workspace=workspace, kind="context")
    answer = f"/answers/{nodes['a'].uid}"
    for path in (
        f"{answer}?expand=all",
        f"{answer}/print",
        f"{answer}/capsule",
        f"/passages/{context.uid}",
    ):
        page = text(client, path)
        assert "A source that was erased" in page, path
        for said in ("not known yet", "Title not stated"):
            assert said not in page, (path, said)
    rail = text(client, answer).partition('class="rail"')[2].partition('class="evidence"')[2]
    assert "licence not stated" not in rail.partition('class="evidence"')[0]
    card = text(client, f"/citations/{nodes['q0'].uid}")
    assert "not stated by the source" not in card


def test_a_notice_without_a_case_is_told(workspace: Workspace, graph: GraphAddress) -> None:
    notice = record(
        "source", "n1", title="Correction: corals", source_kind="notice", doi="10.1234/erratum",
        attributes={"notice_kind": "correction", "concerns": "s1"},
    )  # fmt: skip
    nodes = load(workspace, corals(), rivers(), reef(TEXT, CLAIMS, CITATIONS), [notice])
    client, uid = member(workspace), nodes["a"].uid
    for path in ("print", "capsule"):
        page = text(client, f"/answers/{uid}/{path}")
        assert page.count("A notice is on record:") == 1
        assert "Correction (10.1234/erratum). No case has been filed." in page


def test_a_case_that_takes_effect_meanwhile_is_in_the_capsule(
    workspace: Workspace, graph: GraphAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = told(workspace)
    made: list[object] = []

    def exported(*given: object, **named: object) -> object:
        found = prov_lineage.exported(*given, **named)  # type: ignore[arg-type]
        if not made:
            withdraw(workspace, nodes["s1"], "retraction")
            raise_epoch(workspace.pk)
        made.append(found)
        return found

    monkeypatch.setattr("citations.exports.provenance.exported", exported)
    page = text(member(workspace), f"/answers/{nodes['a'].uid}/capsule")
    assert len(made) == 2
    assert 'data-state="retracted"' in page


def test_a_capsule_needs_the_graph_and_says_so(workspace: Workspace, settings: Settings) -> None:
    nodes = told(workspace)
    settings.NEO4J_URI = "bolt://127.0.0.1:9"
    response = member(workspace).get(f"/answers/{nodes['a'].uid}/capsule")
    assert (response.status_code, response["Retry-After"]) == (503, "10")


def test_hostile_text_stays_text_in_every_export(workspace: Workspace, graph: GraphAddress) -> None:
    hostile = '</script><!--/part--><script>alert(1)</script>"><svg onload=alert(2)>'
    nodes = load(
        workspace,
        [
            record("source", "s", title=hostile, creators=[{"name": hostile}], uri="javascript:x"),
            record("source_version", "s@1", source="s", version=hostile, license=hostile[:40]),
            record("document", "d", source_version="s@1", text=hostile + " fine."),
            record("chunk", "c", document="d", interval={"start": 0, "end": len(hostile)}),
            record("context", "x", items=[{"chunk": "c", "position": 1}]),
            record("answer", "a", context="x", question=hostile, text=f"{hostile} [1]"),
            record("claim", "k", answer="a", interval={"start": 0, "end": len(hostile)}),
            record("citation", "q", claim="k", marker="[1]", chunk="c"),
        ],
    )
    client, uid = member(workspace), nodes["a"].uid
    for path in ("print", "capsule", "copy.html", "references"):
        page = text(client, f"/answers/{uid}/{path}")
        kinds = {tag for tag, each in Elements(page).found if tag != "svg" or "onload" in each}
        assert "svg" not in kinds
        assert "<script>" not in page
        assert "javascript:x" not in [each.get("href") for _, each in Elements(page).found]
    verify(client.get(f"/answers/{uid}/capsule").content)


def test_the_answers_page_links_to_every_export(workspace: Workspace) -> None:
    nodes, client = told(workspace), member(workspace)
    uid = nodes["a"].uid
    links = {each.get("href") for _, each in Elements(text(client, f"/answers/{uid}")).found}
    assert {path.format(uid) for path in OF_ANSWERS if "/api/" not in path} <= links
    links = {
        each.get("href")
        for _, each in Elements(text(client, f"/citations/{nodes['q0'].uid}")).found
    }
    assert f"/citations/{nodes['q0'].uid}/reference" in links


@pytest.fixture
def many(workspace: Workspace) -> dict[str, Node]:
    """An answer of 130 citations."""
    citations = [{"claim": "k0", "marker": f"[{at}]", "chunk": "c1"} for at in range(1, 131)]
    return load(workspace, corals(), rivers(), reef(TEXT, CLAIMS, citations))


def test_the_print_view_shows_all_cards_in_bounded_pages(
    workspace: Workspace, many: dict[str, Node]
) -> None:
    client, path = member(workspace), f"/answers/{many['a'].uid}/print"
    first, second, third = (text(client, path + more) for more in ("", "?from=61", "?from=121"))
    printed = [
        [each["id"] for tag, each in Elements(page).found if tag == "article"]
        for page in (first, second, third)
    ]
    assert [len(some) for some in printed] == [60, 60, 10]
    assert {uid for some in printed for uid in some} == {
        node.uid for node in many.values() if node.kind == "citation"
    }
    assert "1–60 of 130" in first
    assert 'href="?from=61"' in first
    assert 'href="?from=1"' in second
    assert len(Elements(first).found) <= 5_000
    # What is no number of a card begins at the first.
    for wrong in ("0", "-1", "x", "9" * 30, "131", "²"):
        assert text(client, f"{path}?from={wrong}").count("<article") == 60
