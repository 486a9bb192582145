"""Rules for the parameters of local classification, one sentence each."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase.exceptions import ParameterError
from priorcase.local import parameters
from priorcase.local.parameters import Reach


def check_reach(n_neighbors: object, kernel: Any, bandwidth: object) -> Reach:
    """Who counts around a query: as in local regression, but without a reach for each query."""
    if isinstance(bandwidth, str) and bandwidth != "loo":
        expected = "None, a finite number above 0 or 'loo'"
        hint = "None lets the number of neighbours set it; 'loo' chooses one number by leave-one-out."
        raise ParameterError.wrong("bandwidth", bandwidth, expected=expected, hint=hint, names=("loo",))
    return parameters.check_reach(n_neighbors, kernel, bandwidth, None)


def check_class_prior(value: object) -> float | Literal["frequency"] | None:
    """What is added to the weight of each class."""
    if value is None:
        return None
    if isinstance(value, str) and value == "frequency":
        return "frequency"
    if is_number(value) and 0 <= as_python(value) <= np.finfo(np.float64).max:
        return float(value) or None
    expected = "None, 'frequency' or a finite number >= 0"
    hint = "1.0 adds one row for each class; 'frequency' adds one row shared out as in the stored rows."
    raise ParameterError.wrong("prior", value, expected=expected, hint=hint, names=("frequency",))
