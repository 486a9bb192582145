"""Where results are drawn: matplotlib, loaded only when something is to be drawn."""

from __future__ import annotations

from typing import Any

from priorcase.exceptions import MissingExtraError


def axes(ax: Any, *, caller: str) -> Any:
    """The axes to draw on: those given, or new ones.

    Parameters
    ----------
    ax
        Axes of matplotlib; None for a figure of its own.
    caller
        Who draws, for messages.
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError.plots(caller) from None
    return pyplot.subplots()[1] if ax is None else ax
