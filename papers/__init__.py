"""Published tables and figures, reproduced with priorcase: one module per paper.

Run a paper with ``python -m papers bibl1998 --quick``, or in Python with ``reproduce(paper("bibl1998"),
Options(quick=True))``. The modules are not part of the installed package.
"""

from __future__ import annotations

from importlib import import_module

from papers.reproduction import Options, Paper, reproduce

__all__ = ["KEYS", "Options", "paper", "reproduce"]

KEYS = ("aha1991", "bibl1998", "kontkanen1997", "cost1993", "lecture", "mitchell")
"""Names of the papers on the command line."""


def paper(key: str) -> Paper:
    """Return a paper by its key."""
    found: Paper = import_module(f"papers.{key}").PAPER
    return found
