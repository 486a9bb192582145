"""Several columns at once, from all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, Name
from priorcase.bayes.joint_distribution import JointDistribution
from priorcase.bayes.joint_targets import Targets, joint_table, listed_targets
from priorcase.bayes.questions import AdditiveClassifier, asked_positions
from priorcase.exceptions import QuestionError
from priorcase.learning.state import reads


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
        >>> import priorcase as pc
        >>> X = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "M"]]
        >>> model = pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
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
        schema = self._answering().instances.schema
        keys = listed_targets(targets)
        asked = asked_positions(keys, schema, parameter="targets")
        classed = len(schema) in asked
        if classed and y is not None:
            raise QuestionError.known_class()
        columns = sorted(set(asked) - {len(schema)})
        found = {a: self._values_of(a) for a in columns}
        axes: dict[int, AnyArray] = {a: column.values for a, column in found.items()} | {len(schema): self._labels()}
        question = Targets(schema, asked, axes)
        shares = self._class_shares(X, y, columns)
        question.check_size(len(shares))
        table = self._model().table
        chances = joint_table(shares, [np.exp(table[column.cells]) for column in found.values()], kept=classed)
        return question.distribution(chances, self._backend)
