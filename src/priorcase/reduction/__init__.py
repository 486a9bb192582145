"""Which rows to keep: CNN, RNN, ENN, RENN, AllKNN, DROP1 to DROP5 and ICF; and what that costs."""

from priorcase.reduction.all_knn import AllKNN
from priorcase.reduction.condensing import CNN, RNN
from priorcase.reduction.curve import ReductionCurve, reduction_curve
from priorcase.reduction.drop import DROP1, DROP2, DROP4, DROP5
from priorcase.reduction.drop3 import DROP3
from priorcase.reduction.enn import ENN, RENN
from priorcase.reduction.icf import ICF

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
    "reduction_curve",
]
