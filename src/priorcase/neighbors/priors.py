"""Priors that have one weight for each class."""

from __future__ import annotations

import numpy as np

from priorcase._typing import IntArray
from priorcase.exceptions import TargetError
from priorcase.learning.classes import Classes


def refuse_last_of_class(classes: Classes, gone: IntArray) -> None:
    """Refuse to forget rows, by position, whose class then has none: its weight would stand for no class.

    All rows together may go.
    """
    left = np.isin(classes.labels, classes.labels[np.delete(classes.codes, gone)])
    if left.any() and not left.all():
        raise TargetError.last_of_class(classes.labels[~left].tolist())
