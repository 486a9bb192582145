"""Several columns at once, from all others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase.bayes.additive import AdditiveModel
from priorcase.bayes.column_values import ColumnValues
from priorcase.bayes.joint_distribution import JointDistribution
from priorcase.bayes.questions import TARGET, AdditiveClassifier, asked_positions
from priorcase.exceptions import CardinalityError, ParameterError, QuestionError
from priorcase.learning.decoding import attribute_names
from priorcase.learning.sharing import reads
from priorcase.typing import AnyArray, FloatArray, Name

MOST_PROBABILITIES = 10_000_000
"""As many take 80 megabytes."""


class JointMixin(AdditiveClassifier):
    """Adds `predict_joint`."""

    @reads
    def predict_joint(self, X: Any, targets: Sequence[Name], y: Any = None) -> JointDistribution:
        """The joint distribution of several columns for each query, given all that is known of the others.

        ``P(v_1 .. v_m | known) = sum_k P(k | known) prod_t phi_kt(v_t)`` with the class probabilities P(k | known) and
        the shares phi of ``predictive``. Columns that are neither targets nor known drop out, which sums over all their
        values; so does the class unless it is a target or known by ``y``. Shares that do not sum to one in a class
        (``"sc"``, ``"param_floor"``) are brought to sum to one over all combinations. For ``"sc"`` each combination is
        then as probable as the stored rows together with the query so completed, by their largest likelihood: eq. 8 of
        Kontkanen et al. 1997 for several columns in place of the class. A marginal of such a distribution need not be
        the answer to the smaller question.

        Parameters
        ----------
        X
            Queries. Values of the targets are not looked at, and their columns may be left out of the table.
        targets
            Names or positions of columns that have a list of values: nominal, ordinal, or numeric and cut into bins,
            whose values are then of class `Interval`. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is the class.
        y
            The class of each query where it is known, None where it is not; None altogether when no class is known.

        Examples
        --------
        >>> from priorcase.bayes import NaiveBayes
        >>> X = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "M"]]
        >>> model = NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_joint([[None, "S"]], targets=[0, "class"])
        query 0
          x0    class  probability
          red   no          0.5000
          blue  yes         0.2500
          blue  no          0.1667
          red   yes         0.0833
        >>> model.predict_joint([["red", "S"]], targets=[0, 1], y=["no"]).most_probable()
        [('red', 'M')]
        """
        method = "predict_joint"
        schema, caller = self._answering(method).instances.schema, self._caller(method)
        asked = asked_positions(_listed(targets, caller), schema, caller=caller, parameter="targets")
        classed = len(schema) in asked
        if classed and y is not None:
            raise QuestionError.known_class(caller)
        columns = sorted(set(asked) - {len(schema)})
        values = {a: self._values_of(a, method) for a in columns}
        axes: dict[int, AnyArray] = {a: found.values for a, found in values.items()} | {len(schema): self._labels()}
        labels = [TARGET if a == len(schema) else schema.label(a) for a in asked]
        shares = self._class_shares(X, y, columns, method)
        sizes = [len(axes[a]) for a in asked]
        if len(shares) * math.prod(sizes) > MOST_PROBABILITIES:
            raise CardinalityError.joint(caller, labels, sizes, len(shares), MOST_PROBABILITIES)
        table = joint_table(self._model(method), shares, list(values.values()), classed=classed)
        # Always computed in the order of the table, so that the order of the targets changes no bit.
        places = [*columns, len(schema)]
        order = [1 + places.index(a) for a in asked]
        names = (*attribute_names(schema), TARGET)
        return JointDistribution(
            targets=tuple(labels),
            values=tuple(axes[a] for a in asked),
            probabilities=np.ascontiguousarray(table.transpose(0, *order)),
            names=tuple(str(names[a]) for a in asked),
            backend=self._backend,
        )


def joint_table(
    model: AdditiveModel, class_shares: FloatArray, columns: Sequence[ColumnValues], *, classed: bool
) -> FloatArray:
    """Probabilities of all combinations of values, and of the classes behind them if asked for.

    Parameters
    ----------
    model
        What each value adds to the joint log of each class.
    class_shares
        The probability of each class for each query, given what is known.
    columns
        The values of the columns to predict.
    classed
        Whether the last axis is the class; otherwise it is summed out.
    """
    n, n_classes = class_shares.shape
    sizes = [column.cells.size for column in columns]
    if not columns:
        return class_shares
    found = np.zeros((n, math.prod(sizes), n_classes if classed else 1))
    for k in range(n_classes):  # class after class: the same bits for one query as for many
        together = combined([np.exp(model.table[column.cells, k]) for column in columns])
        part = class_shares[:, k, np.newaxis] * together
        if classed:
            found[:, :, k] = part
        else:
            found[:, :, 0] += part
    flat = found.reshape(n, -1)
    flat /= flat.sum(axis=1, keepdims=True)
    return flat.reshape(n, *sizes, *([n_classes] if classed else []))


def combined(shares: Sequence[FloatArray]) -> FloatArray:
    """The product of the shares of each combination, the last column's values running fastest.

    Examples
    --------
    >>> combined([np.array([0.5, 0.25]), np.array([1.0, 0.5, 0.0])])
    array([0.5  , 0.25 , 0.   , 0.25 , 0.125, 0.   ])
    """
    product = np.ones(1)
    for column in shares:
        product = np.multiply.outer(product, column).ravel()
    return product


def _listed(targets: object, caller: str) -> Sequence[Name]:
    if isinstance(targets, (list, tuple)) and targets:
        return targets
    hint = "for example targets=['colour', 'class']."
    raise ParameterError.wrong(caller, "targets", targets, expected="a list of at least one column", hint=hint)
