"""Prequential classification: the class of each row of a stream, told by the rows before it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.learning.classes import Classes
from priorcase.learning.labels import Labelling
from priorcase.neighbors.core_stream import CoreStream
from priorcase.neighbors.deciding import classes_of_stream, decide
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.prequential import PrequentialPredictor
from priorcase.neighbors.prequential_results import PrequentialClassification


class PrequentialClassifier(PrequentialPredictor):
    """Base of a classifier that can answer each row of a stream before it stores it."""

    _prior: Any
    _labelling: Labelling

    def prequential(self, X: Any, y: Any, classes: Any = None) -> PrequentialClassification:
        """Predict each row from the rows before it, then store it: `predict` and `partial_fit`, row by row.

        Predictions have the same bits as if the rows came one by one, and the model is then that of one `partial_fit`.
        Rows that `predict` would refuse, since fewer than ``n_neighbors`` came before, are only stored. A call that
        fails leaves everything as it was.

        Done in one call of the compiled core where distances need ranges or no statistics (``"heom"``, ``"ib"``,
        ``"gower"``, ``"euclidean"``, ``"manhattan"``, ``"overlap"``, ...), votes are ``"uniform"`` or
        ``"inverse_square"``, ``n_neighbors`` is a number or ``"sqrt"``, and there is neither a prior nor a row weight
        nor a learned attribute weight. Otherwise rows are taken one after the other, which takes longer.

        Parameters
        ----------
        X, y, classes
            As in `partial_fit`.
        """
        predictions, targets, first = self._stream(X, y, classes)
        return PrequentialClassification(predictions, targets, first, self._backend)

    # -- for subclasses

    @abstractmethod
    def _outputs(self) -> list[Classes]:
        """The classes of each target."""

    @abstractmethod
    def _priors(self) -> list[FloatArray | None]:
        """The prior of each target."""

    # -- inside

    def _named(self, chosen: IntArray) -> AnyArray:
        """Classes by their positions, shape (queries, targets), as `predict` gives them."""
        outputs = self._outputs()
        if self._labelling.flat:
            return outputs[0].labels[chosen[:, 0]]
        return np.stack([classes.labels[chosen[:, t]] for t, classes in enumerate(outputs)], axis=1)

    def _targets_at(self, rows: IntArray) -> AnyArray:
        return self._named(np.stack([classes.at(rows) for classes in self._outputs()], axis=1))

    def _core_decides(self) -> bool:
        return self._prior is None

    def _told(self, poll: Poll) -> AnyArray:
        return self._named(decide(poll, self._rules.ties, self._outputs(), self._priors()))

    def _ask_stream(self, stream: CoreStream, ids: IdArray) -> AnyArray:
        chosen = classes_of_stream(stream, self._stored(), self._outputs(), self._rules.ties, ids)
        return self._named(chosen[chosen[:, 0] >= 0])
