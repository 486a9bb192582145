"""What classifier and regressor share: the number of neighbours, the polls, and the precedents of a poll."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import DistanceError, TooFewRowsError
from priorcase.learning.state import reads
from priorcase.neighbors import parameters, vote
from priorcase.neighbors.base import NeighborsEstimator, needs_classes
from priorcase.neighbors.explaining import LISTED_OF_ALL, Answer, assemble, listed
from priorcase.neighbors.loo import curve
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.polling import Poll, Rules, poll_alone, polls, polls_of_all
from priorcase.neighbors.precedents import Case, Precedents
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.tuning.tunable import Tunable
from priorcase.neighbors.voters import SLACK
from priorcase.neighbors.weights import needs_one_target
from priorcase.similarity import Kernel, resolve


class NeighborsPredictor(Tunable, NeighborsEstimator):
    """Base of the k-NN classifier and regressor."""

    vote: str | Kernel | Callable[[FloatArray], FloatArray]
    bandwidth: float | None
    ties: Ties
    _allowed_ties: Sequence[str]
    _higher_is_better: bool
    _k: NNeighbors
    _rules: Rules

    @property
    @reads
    def n_neighbors_(self) -> int:
        """The number of neighbours that vote; a row of weight 2 counts as two, and parts of a row are left out."""
        return self._voting()

    def _voting(self) -> int:
        if isinstance(self._k, int):
            return self._k
        stored = max(1, int(self._stored().total_weight * (1 + SLACK)))
        if self._k in ("sqrt", "all"):
            return math.isqrt(stored) if self._k == "sqrt" else stored
        scores = self.loo_scores_
        if not scores.size:
            return 1
        return int(scores.argmax() if self._higher_is_better else scores.argmin()) + 1

    @property
    @reads
    def loo_scores_(self) -> FloatArray:
        """Leave-one-out score for k = 1, 2, ...; only with ``n_neighbors="loo"``."""
        memory = self._stored()
        if self._k != "loo":
            raise AttributeError(f"loo_scores_ is there with n_neighbors='loo' only, not with {self._k!r}.")
        threads, width = self._threads(), self._width()
        return memory.cached(
            "loo", lambda: curve(memory, self._rules, self._score_left_out, threads=threads, width=width)
        )

    def _width(self) -> int:
        """How many numbers are made of each query, such as one for each class."""
        return 1

    @abstractmethod
    def _score_left_out(self, poll: Poll, own: IntArray) -> FloatArray:
        """Score of each query of a poll whose queries are the stored rows ``own``, left out."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self.__dict__.pop("tuning_", None)  # of an earlier fit
        self._k = parameters.check_n_neighbors(self.n_neighbors)
        ties = parameters.check_ties(self.ties, self._allowed_ties)
        bandwidth = parameters.check_bandwidth(self.bandwidth)
        self._rules = Rules(vote.resolve(self.vote, bandwidth), ties)

    def _finish_fit(self) -> None:
        super()._finish_fit()
        _ = self.n_neighbors_

    def _how_many(self, n_neighbors: int | None) -> int:
        if n_neighbors is None and isinstance(self._k, int):
            return self._k
        if n_neighbors is None:  # rows are listed one by one, and weights may make them count for more than there are
            return min(self.n_neighbors_, len(self._stored()))
        return int(parameters.check_n_neighbors(n_neighbors, named=()))

    def _polls(self, cells: FloatArray, n_neighbors: int | None = None, *, first: int = 0) -> Iterator[Poll]:
        """Polls of the queries, block by block; ``first`` is the number of the first query, for messages."""
        memory, rules = self._stored(), self._rules
        self._check_n_jobs()
        if n_neighbors is None and self._k == "all":
            threads, width = self._threads(), self._width()
            return polls_of_all(memory, cells, rules, threads=threads, width=width, first=first)
        k = self._how_many(n_neighbors) if n_neighbors is not None else self._voting()
        if k > memory.total_weight * (1 + SLACK) and (n_neighbors is not None or isinstance(self._k, int)):
            raise TooFewRowsError.neighbors(k, memory.total_weight)
        if len(cells) == 1 and (alone := poll_alone(memory, cells, k, rules)) is not None:
            return iter((alone,))
        threads, width = self._threads(), self._width()
        return polls(memory, cells, k, rules, threads=threads, width=width, first=first)

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """The stored rows that vote on each query, and what each attribute adds to their distances.

        For classes also the nearest unlike case: the nearest row of another class than the predicted one.

        Parameters
        ----------
        X
            Queries.
        n_neighbors
            Answer from this many neighbours instead of ``n_neighbors_``. Where all rows vote the ten nearest are
            listed.
        """
        memory, table = self._answering(), self._table(X)
        cells = memory.instances.encode(table)
        most = LISTED_OF_ALL if n_neighbors is None and self._k == "all" else None
        parts = [listed(poll, self._answer(poll), most) for poll in self._polls(cells, n_neighbors)]
        unlike = self._unlike(cells, [part.answer for part in parts])
        return assemble(memory, table, parts, self._targets_at, getattr(self, "classes_", None), unlike, self._backend)

    @abstractmethod
    def _answer(self, poll: Poll) -> Answer:
        """What is predicted from a poll."""

    @abstractmethod
    def _targets_at(self, rows: IntArray) -> AnyArray:
        """Targets of stored rows, by position."""

    def _unlike(self, cells: FloatArray, answers: Sequence[Answer]) -> tuple[Case | None, ...]:
        """For each query the nearest row of another class than the predicted one; nothing where targets are numbers."""
        return ()

    def _one_target_only(self) -> bool:
        """Whether the distance or the attribute weights are made from a single target."""
        if needs_one_target(self.attribute_weights):
            return True
        try:
            return needs_classes(resolve(self.distance))
        except DistanceError:
            return False  # no distance at all, which fit refuses

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = not self._one_target_only()
        return tags
