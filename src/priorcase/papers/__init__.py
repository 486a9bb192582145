"""Published results beside those of this library: a module for each paper, with its protocol and its printed figures.

``priorcase reproduce PAPER`` runs one; here ``reproduce(paper("aha1991"), Options())`` does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priorcase.papers.reproduction import Paper

__all__ = ["KEYS", "paper"]

KEYS = ("aha1991", "bibl1998", "kontkanen1997", "cost1993", "lecture", "mitchell")
"""The papers, by their names on the command line."""


def paper(key: str) -> Paper:
    """A paper by its name; its module is loaded only now.

    Examples
    --------
    >>> paper("bibl1998").title
    'Bayes optimal instance-based learning'
    """
    found: Paper = import_module(f"priorcase.papers.{key}").PAPER
    return found
