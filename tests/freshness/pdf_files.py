"""PDFs written by hand, so that what stands on which page is known without a reader of PDFs."""

import zlib
from collections.abc import Sequence


def pdf(pages: Sequence[str], *, labels: str = "", xmp: str = "", packed: bool = False) -> bytes:
    """A PDF whose pages have these lines (ASCII, no brackets).

    `labels`: its number tree as PDF writes it; `xmp`: its metadata.
    """
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    listed = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    if xmp:
        listed += f" /Metadata {4 + 2 * len(pages)} 0 R"
    bodies = [
        f"<< /Type /Catalog /Pages 2 0 R {listed} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, lines in enumerate(pages):
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        shown = " ".join(f"({line}) Tj 0 -14 Td" for line in lines.splitlines())
        bodies.append(stream(f"BT /F1 12 Tf 72 720 Td {shown} ET".encode(), packed=packed))
    if xmp:
        bodies.append(stream(xmp.encode()))
    return assembled(bodies)


def stream(data: bytes, *, packed: bool = False) -> bytes:
    """A stream as the body of an object."""
    data = zlib.compress(data) if packed else data
    by = " /Filter /FlateDecode" if packed else ""
    return f"<< /Length {len(data)}{by} >>\nstream\n".encode() + data + b"\nendstream"


def assembled(bodies: Sequence[bytes]) -> bytes:
    """A file of these objects, numbered from 1; the first is the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += (
        f"trailer << /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    )
    return bytes(out)
