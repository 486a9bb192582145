"""What the classifiers share whose values and classes have Dirichlet weights."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from numpy.typing import ArrayLike

from priorcase.bayes.classifier import check_last_rows
from priorcase.bayes.left_out_mixin import LeaveOneOutMixin
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.priors import Auto, PerAttribute, Prior, resolve_prior
from priorcase.learning.parameters import is_list
from priorcase.learning.state import reads
from priorcase.schema import Schema


class DirichletClassifier(LeaveOneOutMixin):
    """Base of the classifiers with ``prior`` and ``class_prior`` among their parameters.

    Subclasses apply them to the counts by `_weights`.
    """

    prior: Any
    class_prior: Any
    _prior: Prior | Auto
    _class_prior: Any

    @property
    @reads
    def prior_(self) -> Prior:
        """The prior in use; with ``prior="auto"`` the one that was chosen."""
        return self._prior_in_use()

    @abstractmethod
    def _prior_in_use(self) -> Prior:
        """The prior that the weights of the stored rows come from."""

    @abstractmethod
    def _weights(self) -> Any:
        """The weights of the cells and classes of the stored rows."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._prior = resolve_prior(self.prior)
        self._class_prior = self.class_prior

    def _new_memory(self, schema: Schema, targets: Schema | None) -> BayesMemory:
        if isinstance(self._prior, PerAttribute):
            self._prior = self._prior.by_label(schema)
        return super()._new_memory(schema, targets)

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._class_prior is not None or isinstance(self._prior, PerAttribute):
            self._weights()

    def _check_forgetting(self, ids: ArrayLike) -> None:
        by_place = {
            "class_prior": is_list(self._class_prior),
            "prior": isinstance(self._prior, PerAttribute) and self._prior.by_class,
        }
        for parameter in (name for name, given in by_place.items() if given):
            check_last_rows(self._stored().instances, self._labelling, ids, parameter=parameter)

    def _chooses(self) -> bool:
        return isinstance(self._prior, Auto) or super()._chooses()
