"""Areas of a plane in the tints and hatches of classes, or in shades of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.learning.plotting import INK, style, tint
from priorcase.plots.columns import AxisColumn

_PALEST, _STRONGEST = 0.08, 0.42
_SHADES = "cividis"


def draw_regions(
    ax: Any,
    axes: Sequence[AxisColumn],
    places: tuple[FloatArray, FloatArray],
    codes: AnyArray,
    probabilities: FloatArray | None,
    n_classes: int,
) -> None:
    """The region of each class: a tint by how sure it is, a hatch, and a thin line around it.

    Parameters
    ----------
    ax
        Where to draw.
    axes, places
        The axes, and the places along them.
    codes
        The class predicted at each place, (up, across).
    probabilities
        Of each class at each place; None for plain tints.
    n_classes
        How many classes there are.
    """
    extent = [*axes[0].span, *axes[1].span]
    shade = _strengths(codes, probabilities, n_classes)[..., None]
    hues = np.array([_rgb(c) for c in range(n_classes)])
    ax.imshow(
        1.0 + shade * (hues[codes] - 1.0),
        extent=extent,
        origin="lower",
        aspect="auto",
        interpolation="nearest",
        zorder=0,
    )
    # Values fill their whole place, so that lines between them run along its edges and not from middle to middle.
    across, codes = _filled(axes[0], places[0], codes, 1)
    up, codes = _filled(axes[1], places[1], codes, 0)
    for c in range(n_classes):
        here = (codes == c).astype(np.float64)
        if not here.any() or here.all():
            continue
        if style(c).hatch:
            area = ax.contourf(across, up, here, [0.5, 1.5], colors="none", hatches=[style(c).hatch[:2]], zorder=0.5)
            area.set_edgecolor(tint(c, 0.55))
            area.set_linewidth(0.0)
        ax.contour(across, up, here, [0.5], colors=INK, linewidths=0.5, zorder=1)
    ax.set(xlim=axes[0].span, ylim=axes[1].span)


def draw_values(
    ax: Any, axes: Sequence[AxisColumn], values: FloatArray, points: FloatArray, targets: AnyArray | None
) -> None:
    """Numbers as shades from dark to light, the rows' own numbers as points in the same shades."""
    finite = values[np.isfinite(values)]
    known = finite if targets is None else np.concatenate([finite, targets.astype(np.float64)])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    reach = 0.0 if high > low else 0.1 * abs(low) or 0.1
    shades = {"cmap": _SHADES, "vmin": low - reach, "vmax": high + reach}
    extent = [*axes[0].span, *axes[1].span]
    image = ax.imshow(values, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0, **shades)
    if targets is None:
        ax.scatter(*points.T, s=16, color="white", edgecolors=INK, linewidths=0.7, zorder=3)
    else:
        ax.scatter(
            *points.T, s=26, c=targets.astype(np.float64), edgecolors="white", linewidths=0.9, zorder=3, **shades
        )
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    bar.set_label("predicted")
    ax.set(xlim=axes[0].span, ylim=axes[1].span)


def region_patch(c: int) -> Any:
    """A sample of the region of the c-th class, for a legend."""
    from matplotlib.patches import Patch

    return Patch(facecolor=tint(c, 0.3), edgecolor=tint(c, 0.7), hatch=style(c).hatch[:2] * 2, linewidth=0.0)


def _strengths(codes: AnyArray, probabilities: FloatArray | None, n_classes: int) -> FloatArray:
    """How strong the tint of each place is: the more probable its class, above what chance would give it."""
    if probabilities is None or n_classes < 2:
        return np.full(codes.shape, 0.25)
    sure = np.take_along_axis(probabilities, codes[..., None], axis=2)[..., 0]
    above = np.clip((sure - 1.0 / n_classes) / (1.0 - 1.0 / n_classes), 0.0, 1.0)
    return np.asarray(_PALEST + (_STRONGEST - _PALEST) * above)


def _filled(axis: AxisColumn, places: FloatArray, codes: AnyArray, dimension: int) -> tuple[FloatArray, AnyArray]:
    """Places and codes to draw contours through: a value's place is given by its two edges."""
    if axis.values is None:
        low, high = axis.span  # the outermost cells reach to the edge of the picture
        return np.concatenate([[low], places[1:-1], [high]]), codes
    edges = np.repeat(places, 2) + np.tile([-0.4999, 0.4999], places.size)
    return edges, np.repeat(codes, 2, axis=dimension)


def _rgb(c: int) -> tuple[float, ...]:
    full = tint(c, 1.0)
    return tuple(int(full[at : at + 2], 16) / 255 for at in (1, 3, 5))
