"""Numbers by their neighbours: a small normal bump on each value that was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from priorcase._numbers import as_python, is_number
from priorcase.exceptions import ParameterError
from priorcase.similarity.checks import settle

Bandwidth = float | Literal["silverman", "john_langley"]


@dataclass(frozen=True)
class KernelDensity:
    """The mean of normal densities around the values of a class.

    Parameters
    ----------
    bandwidth
        The standard deviation of each bump.
    """

    bandwidth: Bandwidth = "silverman"

    def __post_init__(self) -> None:
        if isinstance(self.bandwidth, str) and self.bandwidth in ("silverman", "john_langley"):
            return
        if not is_number(self.bandwidth) or not 1e-100 <= as_python(self.bandwidth) <= 1e100:
            expected = "'silverman', 'john_langley' or a number from 1e-100 to 1e100"
            hint = "'silverman' follows the spread of the values, 'john_langley' only their number."
            raise ParameterError.wrong("KernelDensity", "bandwidth", self.bandwidth, expected=expected, hint=hint)
        settle(self, bandwidth=float(self.bandwidth))
