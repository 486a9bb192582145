"""How shares in similarities are drawn: bars of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.learning.plotting import FAINT, INK, MUTED, captions, legend_beside, style

_DRAWN, _PARTS, _ROOM = 30, 8, 3

_REST = {"facecolor": FAINT, "edgecolor": MUTED}


def draw_shares(ax: Any, labels: Sequence[str], names: Sequence[str], shares: FloatArray) -> None:
    """A bar for each case made of the shares of the attributes; of many attributes those with small shares as one."""
    labels, shares = labels[:_DRAWN], shares[:_DRAWN]
    rest = len(names) > _PARTS
    names, shares = _gathered(list(names), shares)
    places = np.arange(len(labels))
    start = np.zeros(len(labels))
    for a, name in enumerate(names):
        look = _REST if a == _PARTS - 1 and rest else _look(a)
        ax.barh(places, shares[:, a], 0.66, left=start, linewidth=0.5, label=name, **look)
        start = start + shares[:, a]
    for place, end in zip(places, start, strict=True):
        ax.text(end + 0.01, place, f"{end:.2f}", va="center", ha="left", fontsize=8, color=MUTED)
    ax.set_yticks(places, captions(labels, 34), color=INK)
    ax.set_xlim(0.0, 1.08)
    ax.set_xticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax.set_ylim(max(len(labels), _ROOM) - 0.5, -0.5)
    ax.set_xlabel("similarity, and the share of each attribute")
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    legend_beside(ax, "attribute")


def _look(a: int) -> dict[str, Any]:
    look = style(a)
    if not look.hatch:
        return {"facecolor": look.colour, "edgecolor": "white"}
    return {"facecolor": look.tint, "edgecolor": look.colour, "hatch": look.hatch}


def _gathered(names: list[str], shares: FloatArray) -> tuple[list[str], FloatArray]:
    if len(names) <= _PARTS:
        return names, shares
    largest = np.argsort(-shares.sum(axis=0), kind="stable")[: _PARTS - 1]
    kept = np.sort(largest)
    rest = np.delete(shares, kept, axis=1)
    told = f"{rest.shape[1]} others"
    return [*(names[a] for a in kept.tolist()), told], np.column_stack([shares[:, kept], rest.sum(axis=1)])
