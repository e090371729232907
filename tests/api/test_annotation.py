"""GET /citations/UID/annotation: the citation as a Web Annotation."""

import pytest

from tests.api.caller import Caller
from tests.api.test_reading import uid
from tests.api.world import answer, source

pytestmark = pytest.mark.one_pair


def test_a_citation_as_an_annotation(api: Caller) -> None:
    api.records(*source(), *answer())
    citation = uid(api, "citation", "a-q")
    reply = api.get(f"/citations/{citation}/annotation")
    assert (reply.status, reply.headers["Content-Type"]) == (
        200,
        'application/ld+json; profile="http://www.w3.org/ns/anno.jsonld"',
    )
    assert reply.body["id"] == f"http://testserver/api/v1/citations/{citation}/annotation"
    card = api.get(f"/citations/{citation}").body
    assert reply.body["body"] == f"http://testserver/answers/{card['answer']}#{card['claim']}"
    (position, words) = reply.body["target"]["selector"]
    (mark,) = card["passage"]["highlights"]
    assert words["exact"] == card["passage"]["text"][mark["start"] : mark["end"]]
    assert position["type"] == "TextPositionSelector"
    assert card["passage"]["grade"] == card["passage"]["anchor"] == "exact"


def test_what_is_no_citation_here_is_not_found(api: Caller) -> None:
    api.records(*source(), *answer())
    for unknown in ("cit_" + "a" * 26, "nonsense", uid(api, "answer", "a")):
        assert api.get(f"/citations/{unknown}/annotation").status == 404
    assert Caller().get("/citations/nonsense/annotation").status == 401
