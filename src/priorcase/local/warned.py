"""Warnings that point at the line which asked, however many calls away."""

from __future__ import annotations

import sys
import warnings


def warn(warning: Warning) -> None:
    """Issue a warning at the first caller outside the library."""
    frame, levels = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("priorcase."):
        frame, levels = frame.f_back, levels + 1
    warnings.warn(warning, stacklevel=levels)
