"""Plotting in a common style with matplotlib, which is imported only when needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from priorcase._typing import Value
from priorcase.exceptions import MissingExtraError, ParameterError, quoted

INK = "#262626"  # text, and lines outside series
MUTED = "#767676"  # notes, baselines and auxiliary marks
FAINT = "#E4E4E4"  # the grid
WIDTH = 24  # number of characters of a name in a legend or on an axis
_EDGES = "#8C8C8C"
_LISTED = 12

# Okabe and Ito's palette, ordered so that each color differs in lightness from those before it: gray levels 87, 162, 0,
# 119, 158, 106, 151 and 213 of 255. Yellow comes last, since it is hard to see on paper.
_COLORS = ("#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7", "#F0E442")

# Fewer than the colors, so that a ninth series repeats a color but not its line, marker and hatch.
_LINES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.4, 1.2, 1.4)), (0, (9, 2)))
_MARKERS = ("o", "^", "s", "D", "v", "P", "X")
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++")

_SETTINGS: dict[str, Any] = {
    "figure.figsize": (6.0, 3.8),
    "figure.dpi": 120,
    **dict.fromkeys(("figure.facecolor", "axes.facecolor"), "white"),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), _EDGES),
    "grid.color": FAINT,
    **dict.fromkeys(("figure.constrained_layout.use", "axes.axisbelow", "axes.grid"), True),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    **dict.fromkeys(("figure.constrained_layout.w_pad", "figure.constrained_layout.h_pad"), 0.08),
    **dict.fromkeys(("font.size", "axes.labelsize"), 9.5),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize", "legend.title_fontsize"), 8.5),
    "axes.titlesize": 10.5,
    "axes.titlepad": 8.0,
    "axes.linewidth": 0.8,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "hatch.linewidth": 0.6,
}


@dataclass(frozen=True)
class Style:
    """Color, line style, marker and hatching of one series or class; series also differ in black-and-white print."""

    color: str
    tint: str  # the color mixed with white, for areas
    line: Any
    marker: str
    hatch: str


def style(i: int) -> Style:
    """Return the style of the i-th series, counted from 0; any 280 consecutive styles are different."""
    line, marker, hatch = (looks[i % len(looks)] for looks in (_LINES, _MARKERS, _HATCHES))
    return Style(color(i), tint(i), line, marker, hatch)


def color(i: int) -> str:
    """Return the i-th color, counted from 0, of Okabe and Ito's palette for color-blind readers."""
    return _COLORS[i % len(_COLORS)]


def tint(i: int, strength: float = 0.25) -> str:
    """Return the i-th color mixed with white; ``strength`` is the fraction of the color."""
    # At half strength, black areas are no darker than areas of other colors.
    strength *= 0.5 if color(i) == "#000000" else 1.0
    parts = (int(color(i)[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 + strength * (part - 255)):02X}" for part in parts)


def class_styles(labels: Sequence[Value]) -> dict[Value, Style]:
    """Return a style for each class, in the given order; pass ``classes_`` for the same styles in all plots."""
    return {label: style(i) for i, label in enumerate(labels)}


@contextmanager
def plot_style(*, dark: bool = False) -> Iterator[None]:
    """Return a context in which new figures have the library's style; ``dark`` leaves the color of text unchanged."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "needs matplotlib, which is not installed. Install it with pip install 'priorcase[plots]', or use "
            "the data frame returned by frame()."
        ) from None
    settings: Any = {name: value for name, value in _SETTINGS.items() if not (dark and value is INK)}
    interactive = matplotlib.is_interactive()
    try:
        with matplotlib.rc_context(settings):
            try:
                yield
            finally:
                interactive = matplotlib.is_interactive()
    finally:
        # The first figure loads the backend, which in notebooks permanently enables the display of figures.
        matplotlib.interactive(interactive)


@contextmanager
def drawing(ax: Any, *, size: tuple[float, float] | None = None) -> Iterator[Any]:
    """Return a context with the axes to draw on; if ``ax`` is None, create a new figure of ``size`` inches."""
    if ax is not None and not hasattr(ax, "figure"):
        raise ParameterError(f"ax must be None or a matplotlib Axes, got {quoted(ax)}")
    dark = ax is not None and _is_dark(ax.figure.get_facecolor())
    with plot_style(dark=dark):
        from matplotlib import pyplot, rcParams
        from matplotlib.patches import Rectangle

        if dark:
            ax.set_facecolor("white")  # all colors are chosen for a white background
        if ax is None:
            figure, ax = pyplot.subplots(figsize=size)
            saved = rcParams["savefig.facecolor"]
            if saved != "auto" and _is_dark(saved):  # white in files too, if figures are saved on a dark background
                ground = Rectangle((0, 0), 1, 1, transform=figure.transFigure, facecolor="white", zorder=-1000)
                figure.add_artist(ground)
        yield ax


def _is_dark(ground: Any) -> bool:
    from matplotlib.colors import to_rgba

    red, green, blue, solid = to_rgba(ground)
    return solid > 0 and 0.299 * red + 0.587 * green + 0.114 * blue < 0.5


def legend_beside(
    ax: Any,
    title: str = "",
    behind: Sequence[Any] = (),
    samples: Sequence[Any] = (),
    *,
    apart: float = 5.0,
    width: int = WIDTH,
) -> None:
    """Add a legend to the right of the axes.

    ``behind``: artists to show behind the symbol of each entry, such as colored patches. ``samples``: labeled artists
    to list instead of the artists in the plot. ``apart``: distance from the axes in points.
    """
    from matplotlib.transforms import ScaledTranslation

    handles = list(samples) or ax.get_legend_handles_labels()[0]
    labels = [sample.get_label() for sample in samples] or ax.get_legend_handles_labels()[1]
    dashed = any(hasattr(one, "get_marker") and one.get_linestyle() not in ("None", "", " ") for one in handles)
    if behind:
        handles = [*zip(behind, handles, strict=True)]
    if len(labels) > _LISTED:
        title = f"{title} (the first {_LISTED} of {len(labels)})".strip()
    aside = ScaledTranslation(apart / 72.0, 0.0, ax.figure.dpi_scale_trans)
    ax.legend(
        handles[:_LISTED],
        captions(labels[:_LISTED], width),
        title=title or None,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=ax.transAxes + aside,
        borderaxespad=0.0,
        alignment="left",
        handletextpad=0.6,
        handlelength=1.8 if behind else 2.6 if dashed else 1.0,
        handleheight=1.1,
    )


def log_ticks(axis: Any) -> None:
    """Set ticks at 1, 2, 5, 10, 20, ... on a logarithmic axis, and label the ticks with plain numbers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(10.0, subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def ring(ax: Any, x: float, y: float, **options: Any) -> None:
    """Draw a ring around the point (``x``, ``y``)."""
    look = {"markersize": 9, "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.2, "zorder": 6}
    ax.plot([x], [y], "o", **look, **options)


# -- captions


def caption(name: object, width: int = WIDTH) -> str:
    """Format a name on one line for a plot, shortened in the middle if it is too long, with dollar signs escaped."""
    return captions([name], width)[0]


def captions(names: Sequence[object], width: int = WIDTH) -> list[str]:
    """Format names for a plot; long names are cut at the start, middle or end, whichever keeps most names different."""
    lines = [" ".join(str(name).split()) for name in names]
    if long := [line for line in lines if len(line) > width]:
        pairs = enumerate(zip(min(long), max(long), strict=False))
        shared = next((i for i, (first, last) in pairs if first != last), 0)
        ways: tuple[Callable[[str], str], ...] = (
            lambda line: cut(line, width),
            lambda line: _start(line, width),
            lambda line: f"…{line[1 - width :].lstrip()}",
            lambda line: _start(f"…{line[shared:]}", width),
        )
        tried = [[line if len(line) <= width else way(line) for line in lines] for way in ways]
        lines = max(tried, key=lambda found: len(set(found)))
    return [re.sub(r"(?<!\\)\$", r"\\$", line) for line in lines]  # a dollar would begin a formula


def cut(text: str, width: int) -> str:
    """Shorten a long string in the middle, because column names often differ only at the end."""
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end].rstrip()}…{text[-end:].lstrip()}"


def _start(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"
