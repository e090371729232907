"""The geometry of small bar plots, drawn by the server as SVG; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 120
_GAP: Final = 0.2  # of a step
_WIDEST: Final = 44.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar from the bottom; its `part` stands at its foot and is of another kind (0: none)."""

    x: float
    y: float
    width: float
    height: float
    part_y: float
    part_height: float


@dataclass(frozen=True, slots=True)
class Plot:
    """Bars in a frame of WIDTH × HEIGHT; `most` is the value of a bar as high as the frame."""

    bars: tuple[Bar, ...]
    most: int
    width: int = WIDTH
    height: int = HEIGHT


def bar_plot(values: Sequence[int], parts: Sequence[int] = ()) -> Plot:
    """Bars of these values, one a step; `parts` of each value, none without them.

    What is not 0 is at least one unit high: that there is something must be seen.
    """
    most = max(values, default=0)
    step = WIDTH / max(1, len(values))
    width = min(_WIDEST, step * (1 - _GAP))
    bars = []
    for at, value in enumerate(values):
        height = _height(value, most)
        part = min(height, _height(parts[at], most)) if parts else 0.0
        bars.append(
            Bar(
                x=round(at * step + (step - width) / 2, 2),
                y=round(HEIGHT - height, 2),
                width=round(width, 2),
                height=height,
                part_y=round(HEIGHT - part, 2),
                part_height=part,
            )
        )
    return Plot(tuple(bars), most)


def _height(value: int, most: int) -> float:
    return round(max(1.0, HEIGHT * value / most), 2) if value > 0 else 0.0
