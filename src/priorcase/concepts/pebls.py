"""PEBLS: nearest-neighbour classification of symbols, with exemplars that are pushed away as they fail."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_value
from priorcase._typing import Name
from priorcase.concepts import pebls_parameters as parameters
from priorcase.concepts.exemplars import Exemplars
from priorcase.concepts.pebls_answers import PeblsAnswers
from priorcase.concepts.pebls_memory import ExemplarMemory
from priorcase.concepts.pebls_parameters import AttributeWeights
from priorcase.concepts.reliability import Weighting, WeightingName, resolve_weighting
from priorcase.concepts.value_differences import ValueDifferences
from priorcase.exceptions import TooFewExemplarsError
from priorcase.instances import Instances
from priorcase.learning.decoding import attribute_names
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.frames import by_attribute, framed
from priorcase.learning.state import reads
from priorcase.neighbors.base import check_n_neighbors
from priorcase.neighbors.polling import Rules
from priorcase.neighbors.votes import Ties, UniformVote
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.similarity import Distance, mvdm
from priorcase.similarity.class_differences import Unseen

_TIES = ("nearest", "first", "majority", "reduce")


class PEBLS(ClassifierMixin, PeblsAnswers):
    """The class of the nearest exemplars, by the modified value difference metric and weights of reliability.

    ``Delta(X, Y) = w_X sum_a delta(x_a, y_a) ** r`` for a stored exemplar X and a query Y, where two values differ by
    what they say about the class, ``delta(v, u) = sum_c |P(c|v) - P(c|u)| ** k``, and an exemplar weighs
    ``w_X = used_X / correct_X``: how often it was the nearest one, by how often its class was then right (Cost &
    Salzberg 1993). No root is taken. An exemplar that misleads moves away from every query; it may be an
    exception, or its label may be wrong: see `suspects`.

    Everything is a symbol: values, levels, equal-width intervals of numbers, and "missing", whose class counts are
    those of the rows that miss the value. Rows can be added (`partial_fit`) and forgotten (`forget`) at any time.
    Counts, intervals and records are taken from the stored rows in the order of their ids when they are first needed,
    and so are those of a fresh fit on the rows that are left, bit for bit.

    Parameters
    ----------
    n_neighbors
        How many exemplars vote.
    exponent
        Cost & Salzberg's k, of the differences between class shares.
    power
        Their r, of the differences between values: 2 (Euclidean) or 1 (Manhattan) in the paper.
    weighting
        How the records are kept. ``"multi_pass"``: all rows are stored first, then each in turn asks its nearest
        *other* exemplar, whose record takes note. ``"one_pass"``, the incremental form: exemplars come one by one, and
        the nearest of those stored so far answers for the new one; its records depend much on the order of the rows,
        so that a table sorted by class should be shuffled first. None: all weights are 1.
    passes
        How often ``"multi_pass"`` goes through the rows.
    inherit
        Whether a new exemplar of ``"one_pass"`` begins with the record of the one that answered for it, or with 1 of 1.
        Which of the two the published system does is not certain.
    bins
        Intervals of a numeric column; None for ``max(5, number of classes)``.
    unseen
        A value that no row holds: ``"maximal"`` (``delta`` = 2, as far as two values can be), ``"prior"`` (its class
        shares are those of all rows) or ``"zero"`` (they are all 0). What the published system does is not known. A
        value that the schema declares is known: without rows it is like the average row, or 0 with ``"zero"``.
    attribute_weights
        One number >= 0 for each attribute, or a mapping from attribute to number (1 for the others).
    ties
        Exemplars at the same distance come by id. A tied vote goes to the class of the nearest voter among the tied
        (``"nearest"``), to the first class (``"first"``), or to the class that leads once the farthest voters have been
        dropped one by one (``"reduce"``). ``"majority"``: every exemplar as near as the last voter votes, too, and a
        tied vote goes to the class with more rows.
    categorical_features
        ``"from_dtype"``, None, or a mask, positions or names of the nominal columns, as in scikit-learn; text,
        objects and booleans are nominal too.
    schema
        Kinds declared by hand: a `Schema`, or a mapping from column to kind for some columns.
    n_jobs
        Threads that answer queries: None for all cores this process may use (at most ``OMP_NUM_THREADS``), -1 for all.

    Attributes
    ----------
    classes_
        The classes in ascending order.
    exemplars_
        The stored rows with their records, as a frame.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows and what their columns mean.

    References
    ----------
    S. Cost & S. Salzberg, "A weighted nearest neighbor algorithm for learning with symbolic features", *Machine
    Learning* 10, 1993. J. Rachlin & S. Salzberg, *PEBLS 2.0 User's Guide*, 1993.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [["red", "S"], ["red", "M"], ["red", "L"], ["blue", "S"], ["blue", "M"], ["red", "M"]]
    >>> model = pc.PEBLS().fit(X, ["rose", "rose", "rose", "violet", "violet", "violet"])
    >>> model.predict([["red", "S"], ["blue", "L"], ["green", "L"]])
    array(['rose', 'violet', 'rose'], dtype='<U6')
    >>> model.value_differences(0)
    differences between values of 0
            red  blue
      red     0   1.5
      blue  1.5     0
    >>> model.suspects(2)
    id  class   used  correct  weight  nearest     distance  x0   x1
     5  violet     2        1       2  1 (rose)           0  red  M
     1  rose       3        2     1.5  5 (violet)         0  red  M
    """

    _distance: Distance
    _weighting: Weighting

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        exponent: float = 1.0,
        power: float = 2.0,
        weighting: WeightingName | None = "multi_pass",
        passes: int = 1,
        inherit: bool = True,
        bins: int | None = None,
        unseen: Unseen = "maximal",
        attribute_weights: AttributeWeights = None,
        ties: Ties = "nearest",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.exponent = exponent
        self.power = power
        self.weighting = weighting
        self.passes = passes
        self.inherit = inherit
        self.bins = bins
        self.unseen = unseen
        self.attribute_weights = attribute_weights
        self.ties = ties
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags

    # -- what was learned

    @property
    @reads
    def exemplars_(self) -> Any:
        """The stored rows with their records: ``id``, ``class``, ``used``, ``correct``, ``weight``, and the attributes.

        A frame of the library that the estimator was fitted with; after a fit on arrays of the one installed. One
        line for each row, by id; `suspects` sorts them by weight.
        """
        memory = self._answering()
        used, correct = memory.records
        columns = {
            "id": memory.ids,
            "class": self._class_of(np.arange(len(memory))),
            "used": used,
            "correct": correct,
            "weight": memory.weights,
        }
        rows = memory.instances.decode(np.arange(len(memory)))
        return framed(by_attribute(columns, attribute_names(memory.instances.schema), rows, {}), self._backend)

    @reads
    def suspects(self, n: int | None = 10) -> Exemplars:
        """The least reliable exemplars, the worst first: exceptions, and candidates for a wrong label.

        Sorted by weight, then by how often they were used, then by id. An exemplar whose nearest other one is of
        another class is the more suspicious. One that inherited its record (``weighting="one_pass"``) may only have a
        suspicious neighbour.

        Parameters
        ----------
        n
            How many; None for all exemplars.
        """
        memory = self._answering()
        most = len(memory) if n is None else parameters.check_count(n)
        if len(memory) < 2:
            raise TooFewExemplarsError.nearest(1, len(memory), own=True)
        used, correct = memory.records
        worst = np.lexsort((-used, -memory.weights))[:most]
        ranked = memory.search(memory.symbols.instances.cells(worst), 1, exclude=worst, threads=self._threads())
        return Exemplars(
            names=attribute_names(memory.instances.schema),
            ids=memory.ids[worst],
            rows=memory.instances.decode(worst),
            classes=self._class_of(worst),
            used=used[worst],
            correct=correct[worst],
            nearest=memory.ids[ranked.rows],
            nearest_classes=self._class_of(ranked.rows),
            distances=ranked.distances,
            backend=self._backend,
        )

    @reads
    def value_differences(self, attribute: Name) -> ValueDifferences:
        """The table of ``delta`` between the symbols of an attribute that stored rows hold.

        Parameters
        ----------
        attribute
            Its name, or its position.
        """
        memory = self._answering()
        schema = memory.instances.schema
        a = schema.position(attribute, parameter="attribute")
        names, matrix = memory.differences(a)
        return ValueDifferences(schema.label(a), names, matrix, self._backend)

    # -- learning

    def fit(self, X: Any, y: Any) -> Self:
        """Store the rows, in place of any stored before, and settle their records.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row: text, whole numbers or booleans.
        """
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Store more rows. A call that fails leaves everything as it was.

        Records are settled anew, from the first row on, when the next question is asked.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes
            Classes that stay in ``classes_`` even when no row has them; may be left out. Once given, ``y`` may hold no
            others, and neither may the rows stored before.
        """
        return self._partial_fit(X, y, None, classes)

    # -- inside

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._k = int(check_n_neighbors(self.n_neighbors))
        hint = "1 is Cost & Salzberg's k, of the differences between class shares."
        exponent = parameters.check_power("exponent", self.exponent, hint=hint)
        hint = "2 and 1 are Cost & Salzberg's r, of the differences between values."
        power = parameters.check_power("power", self.power, hint=hint)
        unseen = parameters.check_unseen(self.unseen)
        parameters.check_bins(self.bins)
        self._distance = mvdm(exponent, power, unseen=unseen)
        self._weighting = resolve_weighting(self.weighting, self.passes, self.inherit)
        check_value("ties", self.ties, [StrOptions(set(_TIES))])
        self._rules = Rules(UniformVote(), self.ties)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> ExemplarMemory:
        return ExemplarMemory(
            Instances(schema, targets),
            distance=self._distance,
            weighting=self._weighting,
            bins=parameters.check_bins(self.bins),
            attribute_weights=parameters.check_attribute_weights(self.attribute_weights, schema),
            owner=type(self).__name__,
        )

    def _check_rows(self) -> None:
        memory = self._memory
        parameters.check_reach(
            memory.distance.power, memory.attribute_weights, 1 + memory.weighting.most_used * len(memory)
        )

    def _finish_fit(self) -> None:
        self._memory.settle()
