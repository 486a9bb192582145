"""Weights that make neighbours tell each other's targets best, each row left out in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from priorcase._parameters import is_number, is_whole
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice, check_flag
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.local import bent
from priorcase.relevance.soft_votes import LOSSES
from priorcase.relevance.stretching import stretched
from priorcase.similarity.checks import settle

Loss: TypeAlias = Literal["log", "errors", "squared"]

# Gradient steps for each strength of the penalty.
_STEPS = 12


@dataclass(frozen=True)
class LeaveOneOut:
    """Axes stretched until rows tell each other's targets with the least leave-one-out loss.

    Every row i is told by all others, each with a share of the vote that falls smoothly with its cost, the distance
    before the root, under weights w (Goldberger, Roweis, Hinton & Salakhutdinov 2005, for a diagonal matrix; Lowe
    1995)::

        p_ij = exp(-sum_a w_a f_a(i, j)) / sum_k exp(-sum_a w_a f_a(i, k))
        loss = -log p(own class)   or   (y_i - sum_j p_ij y_j)^2

    The mean loss, plus ``regularisation`` times the sum of the weights, is made small over w >= 0 by gradient steps.
    Attributes are measured in units of their mean contribution, and losses in those of one answer for all rows, so
    that the penalty means the same everywhere. Only the ratios of the weights are kept: the largest is 1. An attribute
    that does not help has weight exactly 0; attributes that matter only together are found. Of many rows 8,000 vote
    and 1,000 of them are told (fewer with more than 20 attributes), always the same ones.

    Parameters
    ----------
    loss
        ``"log"``, with a hundredth of the probability kept for the class shares so that no odd row decides all;
        ``"errors"``: the share of wrong votes, which noisy labels disturb less; ``"squared"`` for numbers. None: the
        log loss for classes, the squared error for numbers.
    regularisation
        The strength of the penalty. None: the one of five, from weak to strong, whose weights tell rows that were held
        back best; where none of them tells these better than equal weights, weights are equal. Up to 500 rows every
        fifth row is held back in turn, and the weights are then learned from all; of more rows one fifth is held back.
    local
        Whether each query gets weights of its own, ``g_a exp(delta_a)`` for the global ones g: delta minimises the same
        loss among the ``neighborhood`` rows nearest to the query, plus ``stiffness / neighborhood`` times the sum of
        ``delta^2``. It takes milliseconds a query. **It over-fits easily**: every query learns as many numbers as there
        are attributes from a few rows. It pays where different attributes matter in different regions and rows
        are plenty; compare scores on rows that were held back before you trust it.
    neighborhood, stiffness
        See ``local``. Refused without it.

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> X = np.random.default_rng(0).random((200, 4))
    >>> y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), "odd", "even")
    >>> model = pc.KNNClassifier(5, attribute_weights=LeaveOneOut()).fit(X, y)
    >>> model.attribute_weights_.round(1)
    array([0.9, 1. , 0. , 0. ])
    """

    loss: Loss | None = None
    regularisation: float | None = None
    local: bool = False
    neighborhood: int = 50
    stiffness: float = 1.0

    method: ClassVar[str] = "loo"
    takes_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.loss is not None:
            hint = "None takes the log loss for classes and the squared error for numbers."
            settle(self, loss=check_choice("loss", self.loss, tuple(LOSSES), hint=hint))
        if self.regularisation is not None:
            settle(self, regularisation=_not_negative("regularisation", self.regularisation, "None chooses it."))
        hint = "True learns weights for each query by itself."
        settle(self, local=check_flag("local", self.local, hint=hint))
        if not is_whole(self.neighborhood) or self.neighborhood < 3:
            expected, hint = "a whole number >= 3", "50 is a good start."
            raise ParameterError.wrong("neighborhood", self.neighborhood, expected=expected, hint=hint)
        settle(self, stiffness=_not_negative("stiffness", self.stiffness, "1.0 is a good start."))
        for name, default in (("neighborhood", 50), ("stiffness", 1.0)):
            if not self.local and getattr(self, name) != default:
                expected, hint = f"{default} without local=True", "it has no effect there."
                raise ParameterError.wrong(name, getattr(self, name), expected=expected, hint=hint)

    def refuses(self, has_classes: bool) -> str | None:
        """What is expected in place of a loss that does not go with the target; None where it does."""
        if self.loss is None or (self.loss == "squared") != has_classes:
            return None
        return "'log' or 'errors' where y holds classes" if has_classes else "'squared' where y holds numbers"

    def learn(self, evidence: Evidence) -> FloatArray:
        """Weights for all queries."""
        return stretched(evidence, loss=self.loss, strength=self.regularisation, steps=_STEPS)

    def around(
        self, evidence: Evidence, weights: FloatArray, cells: FloatArray, own: IdArray | None, *, threads: int
    ) -> FloatArray:
        """Weights of each query, as `LocalWeighing` says."""
        return bent(
            evidence,
            weights,
            cells,
            own,
            loss=self.loss,
            neighborhood=int(self.neighborhood),
            stiffness=self.stiffness,
            threads=threads,
        )


def _not_negative(parameter: str, value: object, hint: str) -> float:
    if is_number(value) and 0.0 <= float(value) < float("inf"):
        return float(value)
    raise ParameterError.wrong(parameter, value, expected="a finite number >= 0", hint=hint)
