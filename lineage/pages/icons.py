"""Icons as SVG paths on a 16 × 16 grid, drawn for this product; they take the colour of the text."""

from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static

PATHS: Final[dict[str, str]] = {
    "check": "M3 8.5l3.2 3.2L13 4.8",
    "cross": "M4 4l8 8M12 4l-8 8",
    "triangle": "M8 2.6 14.2 13.4H1.8ZM8 6.6v3.2M8 11.6v.2",
    "eye": "M1.6 8C3.2 5 5.4 3.6 8 3.6S12.8 5 14.4 8c-1.6 3-3.8 4.4-6.4 4.4S3.2 11 1.6 8ZM8 6.2a1.8 1.8 0 1 0 .01 0",
    "question": "M8 1.8a6.2 6.2 0 1 0 .01 0M6.2 6.4a1.9 1.9 0 1 1 2.6 1.8c-.6.3-.8.6-.8 1.3M8 11.4v.2",
    "dash": "M4 8h8",
    "clock": "M8 1.8a6.2 6.2 0 1 0 .01 0M8 4.6V8l2.4 1.6",
    "scales": "M8 2.4v11M5 13.6h6M3 4.6h10M3 4.6 1.4 9h3.2ZM13 4.6 11.4 9h3.2Z",
    "lock": "M3.6 7.2h8.8v6.2H3.6ZM5.4 7V5.2a2.6 2.6 0 0 1 5.2 0V7",
    "quote": "M3 11.6c1.8-.6 2.8-1.8 2.8-3.6H3V4.4h3.6V8c0 2.8-1.2 4.6-3.6 5.2M9.4 11.6c1.8-.6 2.8-1.8 2.8-3.6H9.4V4.4H13V8c0 2.8-1.2 4.6-3.6 5.2",
    "layers": "M8 2.4l6 3-6 3-6-3ZM2 8.2l6 3 6-3M2 11l6 3 6-3",
    "gear": "M8 5.4a2.6 2.6 0 1 0 .01 0M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6l1.4 1.4M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4",
    "search": "M7 2.4a4.6 4.6 0 1 0 .01 0M10.4 10.4 14 14",
    "pencil": "M3 13l.8-3L10.6 3.2l2.2 2.2L6 12.2Z",
    "pause": "M5.6 3.6v8.8M10.4 3.6v8.8",
    "back": "M6.4 3.4 2.8 7l3.6 3.6M3 7h6.4a3.8 3.8 0 0 1 0 7.2H8",
    "arrow": "M3 8h9.4M9 4.4 12.6 8 9 11.6",
    "up": "M8 13V3.6M4.4 7 8 3.4 11.6 7",
    "down": "M8 3v9.4M4.4 9 8 12.6 11.6 9",
    "both": "M5 13V3.6M2.4 6.2 5 3.4l2.6 2.8M11 3v9.4M8.4 9.8l2.6 2.8 2.6-2.8",
    "plus": "M8 3v10M3 8h10",
    "globe": "M8 1.8a6.2 6.2 0 1 0 .01 0M1.8 8h12.4M8 1.8c2 1.8 2.8 3.8 2.8 6.2S10 12.4 8 14.2C6 12.4 5.2 10.4 5.2 8S6 3.6 8 1.8",
    "book": "M8 4.2C6.6 3 4.6 2.8 2.4 3v9.4c2.2-.2 4.2 0 5.6 1.2 1.4-1.2 3.4-1.4 5.6-1.2V3C11.4 2.8 9.4 3 8 4.2ZM8 4.2v9.4",
    "graph": "M3.4 4.4a1.6 1.6 0 1 0 .01 0M3.4 11.6a1.6 1.6 0 1 0 .01 0M12.6 8a1.6 1.6 0 1 0 .01 0M5 4.8l6 2.6M5 11.2l6-2.6",
    "flag": "M3.6 14V2.6h8.8L10.4 6l2 3.4H3.6",
    "note": "M3.2 2.4h9.6v8l-3.2 3.2H3.2ZM5.4 5.4h5.2M5.4 8h5.2M9.4 13.4v-3.2h3.2",
}  # fmt: skip


def favicon(_request: HttpRequest) -> HttpResponse:
    """`/favicon.ico`, which browsers ask for unbidden: the icon of the pages."""
    return HttpResponseRedirect(static("icon.svg"))
