"""Unknown parameters of constructors: which parameter is meant, for every public estimator."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone

import priorcase as pc
from priorcase.evaluation import ConformalClassifier, ConformalRegressor
from priorcase.stacking import TableEncoder

PUBLIC = [getattr(pc, name) for name in pc.__all__]
ESTIMATORS = [each for each in PUBLIC if isinstance(each, type) and issubclass(each, BaseEstimator)]
ESTIMATORS += [ConformalClassifier, ConformalRegressor, TableEncoder]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: each.__name__)
def test_a_misspelled_parameter(estimator: Any) -> None:
    known = list(inspect.signature(estimator).parameters)
    for name in known:
        wrong = name[:-1] + name[-1] * 2
        with pytest.raises(TypeError, match=rf"^{estimator.__name__}\(\) got .* {wrong!r}\. Did you mean {name!r}\?"):
            estimator(**{wrong: 1})
    with pytest.raises(TypeError, match=rf"'zzzzz'\. Its parameters are {', '.join(known)}\.$"):
        estimator(zzzzz=1)


@pytest.mark.parametrize(
    ("estimator", "name", "meant"),
    [
        (pc.KNNClassifier, "weights", "vote"),
        (pc.KNNClassifier, "metric", "distance"),
        (pc.KNNRegressor, "k", "n_neighbors"),
        (pc.KNNRegressor, "p", "distance"),
        (pc.KNNClassifier, "n_neighbours", "n_neighbors"),
        (pc.LocallyWeightedRegressor, "weights", "kernel"),
        (pc.RBFNetworkRegressor, "n_clusters", "n_centers"),
        (pc.NaiveBayes, "alpha", "prior"),
        (pc.NaiveBayes, "priors", "class_prior"),
        (pc.StackedClassifier, "estimators", "members"),
        (pc.ENN, "metric", "distance"),
        (pc.KNNClassifierCV, "param_grid", "candidates"),
    ],
)
def test_the_names_of_scikit_learn(estimator: Any, name: str, meant: str) -> None:
    with pytest.raises(TypeError, match=rf"{name!r}\. Did you mean {meant!r}\?"):
        estimator(**{name: 1})


def test_constructors_keep_their_signature() -> None:
    for estimator in [pc.KNNClassifier, pc.AllKNN, pc.MixtureModel]:
        parameters = inspect.signature(estimator).parameters
        assert list(parameters) == list(inspect.signature(estimator.__init__).parameters)[1:]
        assert sorted(parameters) == sorted(estimator().get_params(deep=False))
        assert clone(estimator()).get_params() == estimator().get_params()
    with pytest.raises(TypeError, match="positional"):
        pc.KNNClassifier(3, 4)  # type: ignore[misc]


class Wrapped(pc.KNNClassifier):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)


def test_a_subclass_that_passes_its_parameters_on() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        Wrapped(weights=1)
    assert Wrapped(n_neighbors=2).n_neighbors == 2
