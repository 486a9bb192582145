"""Instance selection: CNN, RNN, ENN, RENN, AllKNN, DROP1 to DROP5 and ICF, and reduction curves."""

from priorcase.reduction.base import Resampler
from priorcase.reduction.condensing import CNN, ICF, RNN
from priorcase.reduction.curve import ReductionCurve, reduction_curve
from priorcase.reduction.drop import DROP1, DROP2, DROP3, DROP4, DROP5
from priorcase.reduction.editing import ENN, RENN, AllKNN

__all__ = [
    "CNN",
    "DROP1",
    "DROP2",
    "DROP3",
    "DROP4",
    "DROP5",
    "ENN",
    "ICF",
    "RENN",
    "RNN",
    "AllKNN",
    "ReductionCurve",
    "Resampler",
    "reduction_curve",
]
