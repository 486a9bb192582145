"""Where results are drawn: matplotlib, loaded only when something is to be drawn, and one quiet style for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from priorcase._typing import Value
from priorcase.exceptions import MissingExtraError
from priorcase.learning.captions import WIDTH, captions

INK = "#262626"
"""Text, and lines that belong to no series."""

MUTED = "#767676"
"""Remarks, baselines, and marks that only help to read the others."""

FAINT = "#E4E4E4"
"""The grid."""

_LISTED = 12

# Okabe and Ito's palette. The order sets each colour apart in lightness from those before it: grey levels 87, 162, 0,
# 119, 158, 106, 151 and 213 of 255. Yellow comes last, since it is hard to see on paper.
_COLOURS = ("#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7", "#F0E442")

# Fewer than the colours, so that a ninth series has a colour again but not with the same line, marker and hatch.
_LINES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.4, 1.2, 1.4)), (0, (9, 2)))
_MARKERS = ("o", "^", "s", "D", "v", "P", "X")
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++")

_SETTINGS: dict[str, Any] = {
    "figure.figsize": (6.0, 3.8),
    "figure.dpi": 120,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.h_pad": 0.08,
    "font.size": 9.5,
    "text.color": INK,
    "axes.facecolor": "white",
    "axes.edgecolor": "#8C8C8C",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titlepad": 8.0,
    "axes.labelsize": 9.5,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": "#8C8C8C",
    "ytick.color": "#8C8C8C",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8.5,
}


@dataclass(frozen=True)
class Style:
    """How one series or class looks: every part tells it from the others, so that any of them may be lost in print.

    Parameters
    ----------
    colour
        For lines, markers and bars.
    tint
        The same mixed with white, for areas.
    line, marker, hatch
        As matplotlib names them.

    Examples
    --------
    >>> style(0)
    Style(colour='#0072B2', tint='#BFDCEC', line='-', marker='o', hatch='')
    """

    colour: str
    tint: str
    line: Any
    marker: str
    hatch: str


def style(i: int) -> Style:
    """The look of the i-th series, from 0; 280 in a row are all different."""
    return Style(colour(i), tint(i), line(i), marker(i), hatch(i))


def colour(i: int) -> str:
    """The i-th colour, from 0: Okabe and Ito's, which tell apart for the colour-blind.

    Examples
    --------
    >>> colour(0), colour(1), colour(8) == colour(0)
    ('#0072B2', '#E69F00', True)
    """
    return _COLOURS[i % len(_COLOURS)]


def line(i: int) -> Any:
    """The i-th line style, from 0: solid, then four dashes."""
    return _LINES[i % len(_LINES)]


def marker(i: int) -> str:
    """The i-th marker, from 0."""
    return _MARKERS[i % len(_MARKERS)]


def hatch(i: int) -> str:
    """The i-th hatch, from 0: none, then six."""
    return _HATCHES[i % len(_HATCHES)]


def tint(i: int, strength: float = 0.25) -> str:
    """The i-th colour mixed with white; black counts for half, so that its areas are no darker than others.

    Parameters
    ----------
    i
        Which, from 0.
    strength
        The share of the colour: 1 for the colour itself (grey for black), 0 for white.

    Examples
    --------
    >>> tint(0), tint(0, 0.0), tint(0, 1.0)
    ('#BFDCEC', '#FFFFFF', '#0072B2')
    """
    strength *= 0.5 if colour(i) == "#000000" else 1.0
    parts = (int(colour(i)[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 + strength * (part - 255)):02X}" for part in parts)


def class_styles(labels: Sequence[Value]) -> dict[Value, Style]:
    """A look for each class, in the order given: pass ``classes_`` so that all pictures of a model agree."""
    return {label: style(i) for i, label in enumerate(labels)}


@contextmanager
def house_style(*, dark: bool = False) -> Iterator[None]:
    """A context in which new figures, axes, titles and legends have the library's look; outside it nothing changes.

    Parameters
    ----------
    dark
        Whether what is drawn lies on dark ground of the caller's own: then texts keep the caller's colours.
    """
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError.plots() from None
    settings: Any = {name: value for name, value in _SETTINGS.items() if not (dark and value is INK)}
    with matplotlib.rc_context(settings):
        yield


def axes(ax: Any, *, size: tuple[float, float] | None = None) -> Any:
    """The axes to draw on: those given, as they are, or new ones in the library's look.

    Parameters
    ----------
    ax
        Axes of matplotlib; None for a figure of its own.
    size
        Width and height of the figure of its own, in inches; None for the style's.
    """
    if ax is not None:
        return ax
    with house_style():
        from matplotlib import pyplot

        figure, ax = pyplot.subplots(figsize=size)
        _keep_white(figure)
        return ax


@contextmanager
def drawing(ax: Any, *, size: tuple[float, float] | None = None) -> Iterator[Any]:
    """The axes to draw on, as ``axes`` gives them, in a context in which texts and legends have the library's look.

    Axes in a dark figure become white, since all colours are chosen for that; texts around them stay as they are.

    Parameters
    ----------
    ax, size
        As for ``axes``.
    """
    dark = ax is not None and _is_dark(ax.figure.get_facecolor())
    with house_style(dark=dark):
        if dark:
            ax.set_facecolor("white")
        yield axes(ax, size=size)


def _is_dark(ground: Any) -> bool:
    from matplotlib.colors import to_rgba

    red, green, blue, solid = to_rgba(ground)
    return solid > 0 and 0.299 * red + 0.587 * green + 0.114 * blue < 0.5


def _keep_white(figure: Any) -> None:
    """White ground in a file as well, where the caller's settings would save every figure on a dark one."""
    from matplotlib import rcParams
    from matplotlib.patches import Rectangle

    ground = rcParams["savefig.facecolor"]
    if ground != "auto" and _is_dark(ground):
        figure.add_artist(Rectangle((0, 0), 1, 1, transform=figure.transFigure, facecolor="white", zorder=-1000))


def legend_beside(
    ax: Any,
    title: str = "",
    behind: Sequence[Any] = (),
    samples: Sequence[Any] = (),
    *,
    apart: float = 5.0,
    width: int = WIDTH,
) -> None:
    """A legend to the right of the axes, where it hides nothing; of many entries the first twelve.

    Parameters
    ----------
    ax
        Where to draw.
    title
        What is listed.
    behind
        What to show behind the sample of each entry, such as patches of regions.
    samples
        Labelled artists to list in place of those that were drawn.
    apart
        How far from the axes, in points.
    width
        Of how many characters an entry may be.
    """
    from matplotlib.transforms import ScaledTranslation

    handles = list(samples) or ax.get_legend_handles_labels()[0]
    labels = [sample.get_label() for sample in samples] or ax.get_legend_handles_labels()[1]
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
        handlelength=1.8 if behind else 2.6 if any(map(_is_line, handles)) else 1.0,
        handleheight=1.1,
    )


def _is_line(handle: Any) -> bool:
    """Whether the sample of a legend is a line, whose dashes need room."""
    return hasattr(handle, "get_marker") and handle.get_linestyle() not in ("None", "", " ")


def log_ticks(axis: Any) -> None:
    """Ticks at 1, 2, 5, 10, 20, ... on an axis with a logarithmic scale, as plain numbers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(10.0, subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


def ring(ax: Any, x: float, y: float, **options: Any) -> None:
    """A ring around the point that was chosen."""
    look = {"markersize": 9, "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.2, "zorder": 6}
    ax.plot([x], [y], "o", **look, **options)
