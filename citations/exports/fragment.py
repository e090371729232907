"""An answer to paste elsewhere, with its citations kept: as HTML and as Markdown.

Every marker stays as printed, once, and leads to its citation by a whole address. Of a marker
that several share the numbers do, as far as it prints them. A list of references follows,
which leads to all of them; an answer that does not hold any more says so before anything else.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from citations.answer import AnswerPage
from citations.exports.markdown import escaped
from citations.exports.styled import Reference, references
from citations.exports.works import Unnamed, cited_works
from citations.marks import Piece, pieces_of
from citations.pages.reading import Marker, Reading, ReadParagraph, reading
from citations.rail import MarkerLink
from citations.shared_markers import Part, all_printed, parts_of
from lineage.templatetags.product import word
from provexplorer import clock
from provexplorer.remembered_tags import address_of


@dataclass(frozen=True, slots=True)
class Copied:
    """An answer with its references; what `html` and `markdown` say is the same, each written when asked for."""

    base: str
    page: AnswerPage
    laid_out: Reading
    listed: Sequence[Reference]
    unnamed: Sequence[Unnamed]

    @property
    def html(self) -> SafeString:
        """HTML in one element, to stand in any page."""
        return SafeString(self._written(_Html(self.base)))

    @property
    def markdown(self) -> str:
        """CommonMark."""
        return self._written(_Markdown(self.base))

    def _written(self, writer: "_Html") -> str:
        return writer.all(self.page, self.laid_out, self.listed, self.unnamed)


def copied(page: AnswerPage, style: str, *, base: str) -> Copied:
    """The answer of this page; `base` is the site's address ("https://HOST").

    Cards that are closed will do. `style` is one of citations.exports.styled.STYLES.
    """
    cited = cited_works(page.cards)
    listed = references(cited.works, style)
    return Copied(base, page, reading(page), listed, cited.unnamed)


class _Html:
    """HTML that any editor takes: paragraphs, links, one list. Every string is marked as safe."""

    def __init__(self, base: str) -> None:
        self._base = base

    def all(
        self, page: AnswerPage, laid_out: Reading, listed: Sequence[Reference],
        unnamed: Sequence[Unnamed],
    ) -> str:  # fmt: skip
        blocks = [
            *(
                self.block(self.strong(self.text(pieces_of(warning))))
                for warning in _warnings(page)
            ),
        ]
        if page.question:
            blocks.append(self.block(self.strong(self.text(page.question_pieces))))
        blocks += [self.block(self.paragraph(each)) for each in laid_out.paragraphs]
        if laid_out.loose:
            loose = [MarkerLink(card.marker, card.uid) for card in laid_out.loose]
            blocks.append(self.block(self.markers(loose, laid_out.labels)))
        items = [
            self.item(self.markers(each.citations, laid_out.labels), self.reference(each))
            for each in listed
        ]
        items += [
            self.item(self.markers(each.citations, laid_out.labels), self.said(_unnamed(each.why)))
            for each in unnamed
        ]
        if items:
            blocks += [self.block(self.strong(self.said(_("References")))), self.list(items)]
        blocks.append(self.block(self.origin(page)))
        return self.document(blocks)

    def paragraph(self, paragraph: ReadParagraph) -> str:
        """A paragraph with its markers; a claim in trouble says so."""
        parts: list[str] = []
        for stretch in paragraph.stretches:
            if stretch.markers:
                parts.append(self.printed(stretch.markers))
            elif stretch.segment.masked:
                parts.append(
                    self.said(f"[{_('hidden: from a source that is not visible to you')}]")
                )
            else:
                parts.append(self.text(stretch.segment.pieces))
            if stretch.says:
                parts.append(self.said(f" [{word(stretch.says, 'claim')}]"))
        return self.joined(parts)

    def printed(self, markers: Sequence[Marker]) -> str:
        """What the answer prints at one place: a marker, or one that several citations share."""
        first = MarkerLink(markers[0].card.marker, markers[0].card.uid)
        parts = parts_of(first.marker, {each.card.uid: each.label for each in markers})
        if len(markers) == 1 or not any(part.citation_uid for part in parts):
            return self.link(self.citation(first.citation_uid), first.marker)
        return self.cut(parts)

    def markers(self, links: Sequence[MarkerLink], labels: Mapping[str, str]) -> str:
        """Markers beside a reference; each leads to its citation, though several share one."""
        shared: list[dict[str, MarkerLink]] = []  # by label, of one marker
        for link in links:
            label = labels.get(link.citation_uid, "")
            before = shared[-1] if shared else {}
            same = label and any(each.marker == link.marker for each in before.values())
            if same and label not in before and "" not in before:
                before[label] = link
            else:
                shared.append({label: link})
        return self.joined([self.together(each) for each in shared])

    def together(self, links: Mapping[str, MarkerLink]) -> str:
        """Citations by label that share a marker; those whose label it does not print stand behind it."""
        marker = next(iter(links.values())).marker
        if "" in links:
            return self.link(self.citation(links[""].citation_uid), marker)
        labels = {link.citation_uid: label for label, link in links.items()}
        parts = parts_of(marker, labels)
        if all_printed(parts, labels):
            return self.cut(parts)
        told = [self.link(self.citation(uid), label) for uid, label in labels.items()]
        between = [self.said(", ") if at else self.said("") for at in range(len(told))]
        listed = [each for pair in zip(between, told, strict=True) for each in pair]
        return self.joined([self.text(pieces_of(marker)), self.said(" ("), *listed, self.said(")")])

    def cut(self, parts: Sequence[Part]) -> str:
        return self.joined(
            [
                self.link(self.citation(part.citation_uid), part.text)
                if part.citation_uid
                else self.text(pieces_of(part.text))
                for part in parts
            ]
        )

    def citation(self, uid: str) -> str:
        return self._base + address_of("citation", uid)

    def origin(self, page: AnswerPage) -> str:
        """Where the answer can be read as it stands today, and when this was taken from there."""
        address = self._base + address_of("answer", page.uid)
        said = _("As of %(date)s:") % {"date": f"{clock.now():%Y-%m-%d}"}
        return self.joined([self.said(f"{said} "), self.link(address, address)])

    # -- how it is written ----------------------------------------------------------------

    def joined(self, parts: Sequence[str]) -> str:
        return mark_safe("".join(parts))  # noqa: S308 - parts are escaped where they are made

    def said(self, text: str) -> str:
        return escape(text)

    def text(self, pieces: Sequence[Piece]) -> str:
        return escape("".join(piece.text for piece in pieces))

    def strong(self, inner: str) -> str:
        return format_html("<strong>{}</strong>", inner)

    def block(self, inner: str) -> str:
        return format_html("<p>{}</p>\n", inner)

    def link(self, address: str, text: str) -> str:
        return format_html('<a href="{}">{}</a>', address, self.text(pieces_of(text)))

    def reference(self, reference: Reference) -> str:
        said = "; ".join(reference.remarks)
        shown = self.text(pieces_of(f" — {said}")) if said else self.said("")
        return self.joined([reference.html, shown])

    def item(self, markers: str, inner: str) -> str:
        return format_html("<li>{} {}</li>\n", markers, inner)

    def list(self, items: Sequence[str]) -> str:
        return format_html("<ul>\n{}</ul>\n", self.joined(items))

    def document(self, blocks: Sequence[str]) -> str:
        return format_html(
            '<div lang="{}">\n{}</div>\n', get_language() or "en", self.joined(blocks)
        )


class _Markdown(_Html):
    """CommonMark; a client's text cannot become markup of it."""

    def joined(self, parts: Sequence[str]) -> str:
        return "".join(parts)

    def said(self, text: str) -> str:
        return escaped(text)

    def text(self, pieces: Sequence[Piece]) -> str:
        return self.said("".join(piece.text for piece in pieces))

    def strong(self, inner: str) -> str:
        return f"**{_one_line(inner)}**"

    def block(self, inner: str) -> str:
        # Two spaces at the end keep the breaks of lines that the answer has.
        return inner.strip().replace("\n", "  \n") + "\n\n"

    def link(self, address: str, text: str) -> str:
        shown = _one_line(self.said("".join(piece.text for piece in pieces_of(text))))
        return f"[{shown}](<{address}>)"

    def reference(self, reference: Reference) -> str:
        return self.said(_one_line(" — ".join(filter(None, (
            reference.text, "; ".join(reference.remarks),
        )))))  # fmt: skip

    def item(self, markers: str, inner: str) -> str:
        return f"- {markers} {inner}\n"

    def list(self, items: Sequence[str]) -> str:
        return "".join(items) + "\n"

    def document(self, blocks: Sequence[str]) -> str:
        return "".join(blocks).rstrip("\n") + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _warnings(page: AnswerPage) -> Iterator[str]:
    """What must be said first of an answer that is not current."""
    if page.state != "current":
        state = word(page.state, "answer")
        kinds = dict.fromkeys(word(reason.case_kind, "case_kind") for reason in page.reasons)
        yield ": ".join(filter(None, (state, ", ".join(kinds))))


_UNNAMED: Final[dict[str, Callable[[], str]]] = {
    "hidden": lambda: _("A source that is not visible to you"),
    "erased": lambda: _("A source that was erased"),
    "outside": lambda: _("No passage stands behind this marker"),
    "unknown": lambda: _("Source not known yet"),
}


def _unnamed(why: str) -> str:
    return _UNNAMED[why]()
