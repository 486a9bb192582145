"""Errors of the Bayes classifiers: the call, the exception class, and a telling part of the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from structured import ESTIMATORS

import priorcase as pc
import priorcase.bayes.pairs as pairs
from priorcase import bayes
from priorcase.bayes import TARGET, MixtureModel
from priorcase.exceptions import (
    NotAvailableError,
    ParameterError,
    PriorcaseError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
    TooLargeError,
    UnknownNameError,
)

X, Y = pc.load_repairs("pandas")
X, Y = X[["bike", "load_kg", "noise"]], np.asarray(Y)
NEW = X[:1]
TWO: Any = [[1.0, 2.0], [2.0, 3.0]]


def naive(**parameters: Any) -> pc.NaiveBayes:
    return pc.NaiveBayes(**parameters).fit(X, Y)


def density() -> pc.NaiveBayes:
    return naive(numeric="student")


def subsets(**parameters: Any) -> pc.SubsetAveragedBayes:
    return pc.SubsetAveragedBayes(**parameters).fit(TWO, ["a", "b"])


def mixture() -> MixtureModel:
    return MixtureModel(1).fit(X[["bike", "noise"]])


def named_class() -> pc.NaiveBayes:
    return pc.NaiveBayes().fit(pd.DataFrame({"age": ["old", "new"], "class": ["first", "second"]}), ["no", "yes"])


def wide() -> pc.NaiveBayes:
    return pc.NaiveBayes().fit([[f"{i:03}", f"{i:03}", "x"] for i in range(300)], ["no", "yes"] * 150)


def all_missing() -> pc.NaiveBayes:
    schema = {"saddle": pc.Nominal(), "rear": pc.Numeric()}
    return pc.NaiveBayes(numeric="student", schema=schema).fit(X.assign(saddle=None, rear=np.nan), Y)


def fitted(**parameters: Any) -> pc.NaiveBayes:
    return pc.NaiveBayes(**parameters).fit(ROWS, LABELS)


class EqualPrior:
    """A prior of one's own that gives everything the same weight."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def symmetric(self, n_values: Any, n_classes: int) -> Any:
        return np.full(len(n_values), self.weight)

    def weights(self, label: Any, values: Any, n_classes: int, *, declared: bool = True) -> Any:
        return np.full(len(values), self.weight)

    def unseen(self, label: Any, values: Any, n_classes: int) -> float:
        return self.weight

    def class_weight(self, n_classes: int) -> float:
        return self.weight


ROWS: Any = [["x", 1.0], ["y", 2.0], ["x", 4.0]]
LABELS = ["a", "b", "a"]
DECLARED = {0: pc.Nominal(("x", "y")), 1: pc.Numeric()}
NO_WEIGHTS: list[Any] = [0, -1.0, np.nan, np.inf, True, "1", 1e-200, 1e308, 10**400]
NO_WEIGHTS += [np.float64(1e308), np.float32("nan"), np.int8(-1), np.True_]

CASES: list[tuple[Callable[[], object], type[PriorcaseError], str]] = [
    # parameters
    (lambda: subsets(inclusion=1.5), ParameterError, r"SubsetAveragedBayes.fit: inclusion must be .*, got 1.5"),
    (lambda: subsets(inclusion=np.float64(1.5)), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=np.float32(-0.5)), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=np.int64(2)), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=np.float64("nan")), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=np.True_), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=np.array(0.5)), ParameterError, "2 numbers from 0 to 1"),
    (lambda: subsets(inclusion=-0.1), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=np.nan), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=None), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=True), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion="half"), ParameterError, "inclusion must be"),
    (lambda: subsets(inclusion=[0.5]), ParameterError, "2 numbers from 0 to 1"),
    (lambda: subsets(inclusion=[0.5, 2.0]), ParameterError, "2 numbers from 0 to 1"),
    (lambda: subsets(inclusion=np.array([0.5, np.nan])), ParameterError, "2 numbers from 0 to 1"),
    (lambda: subsets(inclusion=["a", "b"]), ParameterError, "2 numbers from 0 to 1"),
    (lambda: subsets(inclusion={0: 2.0}), ParameterError, r"inclusion\[0\] must be .*, got 2.0"),
    (lambda: subsets(inclusion={0: np.float64(2.0)}), ParameterError, r"inclusion\[0\] must be"),
    (lambda: subsets(inclusion={"size": 0.5}), ParameterError, "'size'"),
    (lambda: pc.SubsetAveragedBayes(inclusion={"noize": 0.9}).fit(X, Y), ParameterError, "did you mean 'noise'"),
    (lambda: subsets(numeric="gaussian"), ParameterError, "numeric must be 'student' or a binning"),
    (lambda: subsets(numeric="kernel"), ParameterError, "numeric must be 'student' or a binning"),
    (lambda: subsets(numeric={0: "kernel"}), ParameterError, "numeric must be 'student' or a binning"),
    (lambda: pc.AODE(min_count=0).fit(TWO, [0, 1]), ParameterError, "AODE.fit: min_count must be"),
    (lambda: pc.AODE(min_count=np.int64(0)).fit(TWO, [0, 1]), ParameterError, "min_count must be"),
    (lambda: pc.AODE(min_count=np.float64("nan")).fit(TWO, [0, 1]), ParameterError, "min_count must be"),
    (lambda: pc.AODE(min_count=np.inf).fit(TWO, [0, 1]), ParameterError, "min_count must be"),
    (lambda: pc.AODE(min_count="1").fit(TWO, [0, 1]), ParameterError, "min_count must be"),  # type: ignore[arg-type]
    (lambda: pc.AODE(min_count=None).fit(TWO, [0, 1]), ParameterError, "min_count must be"),  # type: ignore[arg-type]
    # columns
    (lambda: naive().predict_column(NEW, "noize"), ParameterError, "not a column.*did you mean 'noise'"),
    (lambda: naive().column_values("noize"), ParameterError, "did you mean 'noise'"),
    (lambda: naive().predict_joint(NEW, ["bikke"]), ParameterError, "did you mean 'bike'"),
    (lambda: naive().predict_joint(NEW, ["noise", "clas"]), ParameterError, "did you mean 'class'"),
    (lambda: naive().predict_joint(NEW, [7]), ParameterError, r"NaiveBayes.predict_joint.*7"),
    (lambda: naive().predict_joint(NEW, [0, "bike"]), ParameterError, "0 and 'bike', which are the same column"),
    (lambda: naive().predict_joint(NEW, ["class", TARGET]), ParameterError, "'class' and TARGET, which are the same"),
    (lambda: naive().predict_joint(NEW, "bike"), ParameterError, r"list of at least one column.*targets=\['bike'\]"),
    (lambda: naive().predict_joint(NEW, []), ParameterError, "list of at least one column"),
    (lambda: naive().predict_joint(NEW, None), ParameterError, "list of at least one column"),  # type: ignore[arg-type]
    (lambda: naive().predict_joint(NEW, {"bike"}), ParameterError, "list of at least one"),  # type: ignore[arg-type]
    (lambda: density().predict_joint(NEW, ["load_kg"]), ParameterError, "'load_kg' has a density"),
    (lambda: density().predict_column(NEW, "load_kg", return_proba=True), ParameterError, "Fit with bins"),
    (lambda: density().column_values("load_kg"), ParameterError, "density"),
    (lambda: naive().predict_column(NEW, "bike", return_proba="no"), ParameterError, "return_proba"),  # type: ignore[arg-type]
    (lambda: all_missing().predict_column(NEW, "saddle"), ParameterError, "'saddle' was missing in every training row"),
    (lambda: all_missing().predict_column(NEW, "rear"), ParameterError, "'rear' was missing in every training row"),
    (lambda: named_class().predict_column([["old", "first"]], "class"), ParameterError, "TARGET.*or 1, the position"),
    (lambda: named_class().predict_joint([["old", "first"]], ["class"]), ParameterError, "'class' is ambiguous"),
    (lambda: naive().predict_joint(NEW[["bike"]], ["bike"]), SchemaMismatchError, "noise"),
    (lambda: wide().predict_joint([[None, None, "x"]] * 60, [1, "class", 0]), TooLargeError, "300 x 2 x 300 comb"),
    (lambda: mixture().predict_column(NEW, "class"), ParameterError, "fitted without y"),
    # classes
    (lambda: naive().predict_column(NEW, "class", y=[None]), ParameterError, "Omit y"),
    (lambda: naive().predict_joint(NEW, ["class"], y=["wheel"]), ParameterError, "Omit y"),
    (
        lambda: naive().predict_joint(NEW, ["bike"], y=["Wheel"]),
        TargetError,
        "'Wheel' in y.*did you mean 'wheel'",
    ),
    (lambda: naive().predict_joint(NEW, ["bike"], y=["saddle"]), TargetError, "use None for an unknown class"),
    (lambda: naive().predict_joint(NEW, ["bike"], y=["wheel"] * 2), TargetError, "X has 1 rows and y has 2"),
    (lambda: naive().predict_joint(NEW, ["bike"], y=[["wheel"]]), TargetError, r"shape \(1, 1\)"),
    (
        lambda: naive().contributions(NEW, versus="brake"),
        ParameterError,
        "'brake' in versus.*did you mean 'brakes'",
    ),
    (lambda: naive().contributions(NEW, versus="saddle"), ParameterError, "'brakes', 'drivetrain', 'tune-up', 'wheel'"),
    (lambda: naive().contributions(NEW, versus=1), ParameterError, "1 in versus"),
    (lambda: naive().contributions(NEW, versus=["a"]), ParameterError, "in versus"),  # type: ignore[arg-type]
    (lambda: naive().contributions(NEW, versus=np.nan), ParameterError, "nan in versus"),
    (lambda: pc.NaiveBayes().fit(NEW, ["a"]).contributions(NEW), TargetError, "'a' is the only class"),
    # rows
    (lambda: naive().forget(range(96)).contributions(NEW), TooFewRowsError, r"NaiveBayes\.contributions"),
    (lambda: naive().forget(range(96)).predict_joint(NEW, ["bike"]), TooFewRowsError, r"NaiveBayes\.predict_joint"),
    # results
    (
        lambda: naive().predict_joint(NEW, ["bike", TARGET]).marginal("noise"),
        ParameterError,
        "of the targets",
    ),
    (lambda: naive().predict_joint(NEW, ["bike", TARGET]).marginal("clas"), ParameterError, "did you mean 'class'"),
    (lambda: naive().predict_joint(NEW, ["bike", TARGET]).marginal("bike", "bike"), ParameterError, "at most once"),
    (lambda: naive().predict_joint(NEW, ["bike", TARGET]).marginal(), ParameterError, "at most once"),
    (lambda: subsets().relevance_["bikes"], UnknownNameError, "Relevance has no 'bikes'; it has 0, 1"),
    (lambda: pc.SubsetAveragedBayes().fit(X, Y).relevance_["bikes"], UnknownNameError, "did you mean 'bike'"),
    # parameters of naive Bayes
    (lambda: fitted(predictive="bayes"), ParameterError, r"NaiveBayes.fit: predictive must be a str among .*'bayes'"),
    (lambda: fitted(predictive="evidenc"), ParameterError, "did you mean 'evidence'"),
    (lambda: fitted(predictive=None), ParameterError, "predictive must be"),
    (lambda: fitted(missing="impute"), ParameterError, "missing must be"),
    (lambda: fitted(missing=None), ParameterError, "missing must be"),
    (lambda: fitted(numeric="normal"), ParameterError, "numeric must be .*'student'"),
    (lambda: fitted(numeric=bayes.Student), ParameterError, "numeric must be"),
    (lambda: fitted(numeric={1: "normal"}), ParameterError, r"numeric\[1\] must be"),
    (lambda: fitted(numeric={0: "student"}), ParameterError, "numeric columns only, but column 0 is of kind nominal"),
    (lambda: fitted(numeric={7: "student"}), ParameterError, "7"),
    (lambda: fitted(zero_policy="floor"), ParameterError, "zero_policy must be .*'cap100'"),
    (lambda: fitted(zero_policy=bayes.Cap), ParameterError, "zero_policy must be"),
    (lambda: fitted(zero_policy="cap100"), ParameterError, "needs predictive='map'"),
    (lambda: fitted(predictive="sc", zero_policy=bayes.Cap(50)), ParameterError, "needs predictive='map'"),
    (lambda: fitted(n_jobs=0), ParameterError, "n_jobs"),
    (lambda: fitted(schema=3), ParameterError, "schema"),
    # priors
    (lambda: fitted(prior="uniform"), ParameterError, "prior must be .*'jeffreys'"),
    (lambda: fitted(prior=bayes.BDeu), ParameterError, "prior must be"),
    (lambda: fitted(prior=EqualPrior(1e308)), ParameterError, "1e100"),
    (
        lambda: fitted(prior=EqualPrior(1e308), class_prior=1.0),
        ParameterError,
        "prior must return finite .* at most 1e100",
    ),
    (
        lambda: fitted(prior=EqualPrior(0.0), class_prior=1.0),
        ParameterError,
        "prior must return finite weights above 0",
    ),
    (lambda: fitted(prior={0: {"x": 1.0}}), ParameterError, r"prior\[0\] has no weight for the value 'y'"),
    (lambda: fitted(prior={0: {"x": 1.0, "Y": 1.0}}), ParameterError, "did you mean 'y' by 'Y'"),
    (lambda: fitted(prior={0: [1.0, 2.0]}), ParameterError, r"prior\[0\] is an array, but .* no declared order"),
    (lambda: fitted(prior={0: [1, 2, 3]}, schema=DECLARED), ParameterError, r"shape \(2,\) or \(2, 2\) .* got \(3,\)"),
    (lambda: fitted(prior={0: [1.0, 0.0]}), ParameterError, "above 0"),
    (lambda: fitted(prior={0: [1.0, 1e300]}), ParameterError, "1e100"),
    (lambda: fitted(prior={0: {}}), ParameterError, "a mapping from value to number"),
    (lambda: fitted(prior={"colour": 1.0}), ParameterError, "'colour'"),
    (lambda: bayes.PerAttribute(3), ParameterError, "a mapping from column"),  # type: ignore[arg-type]
    (lambda: fitted(class_prior="frequency"), ParameterError, "class_prior must be None"),
    (lambda: fitted(class_prior=[1.0, 2.0, 3.0]), ParameterError, r"class_prior must be .* shape \(2,\)"),
    (lambda: fitted(class_prior=[1.0, -2.0]), ParameterError, "class_prior must be finite numbers above 0"),
    (lambda: fitted(class_prior=[1e300, 1e300]), ParameterError, "1e100"),
    (lambda: fitted(class_prior={"a": 1.0}), ParameterError, "class_prior has no weight for the class 'b'"),
    (lambda: fitted(predictive="map", prior="laplace"), ParameterError, "prior=2.0 gives the Laplace estimate"),
    (lambda: fitted(predictive="map", prior=bayes.Laplace()), ParameterError, "prior=2.0 gives the Laplace estimate"),
    (lambda: fitted(predictive="map", prior=bayes.MEstimate(2.0)), ParameterError, "m-estimate"),
    # rows and answers of naive Bayes
    (lambda: pc.NaiveBayes().fit(ROWS, LABELS, sample_weight=[1, -1, 1]), PriorcaseError, "negative"),
    (lambda: pc.NaiveBayes().fit(ROWS, LABELS, sample_weight=[0, 0, 0]), PriorcaseError, "zero for every row"),
    (lambda: pc.NaiveBayes().fit(ROWS, ["a", None, "b"]), TargetError, "None"),
    (lambda: pc.NaiveBayes().fit(ROWS, ["a", "b"]), TargetError, "y has 2"),
    (lambda: pc.NaiveBayes().fit(ROWS, np.array([LABELS, LABELS]).T), TargetError, "got 2 columns"),
    (lambda: fitted().merge(3), ParameterError, "NaiveBayes.merge: other must be another fitted"),  # type: ignore[arg-type]
    (lambda: fitted().loo_predict_proba(relearn=1), ParameterError, "relearn must be"),  # type: ignore[arg-type]
    (lambda: fitted().forget([0, 1]).loo_predict_proba(), TooFewRowsError, "only one is stored"),
    (lambda: fitted(numeric="gaussian").log_evidence_, NotAvailableError, "density of column 1 are estimated"),
    # distributions
    (lambda: bayes.evidence([1, -1]), ParameterError, "evidence: counts must be finite numbers >= 0"),
    (lambda: bayes.laplace([1, np.nan]), ParameterError, "finite numbers .* nan"),
    (lambda: bayes.maximum_likelihood(["a"]), ParameterError, "counts must be finite numbers"),
    (lambda: bayes.stochastic_complexity(3), ParameterError, "at least one value"),
    (lambda: bayes.log_marginal([]), ParameterError, "at least one value"),
    (lambda: bayes.maximum_a_posteriori([1e300, 1e300]), ParameterError, "sum to at most 1e300"),
    (lambda: bayes.growth([1, np.inf]), ParameterError, "growth: .*finite numbers >= 0, got .*inf"),
    (lambda: bayes.evidence([1, 2], [1, 0]), ParameterError, "above 0"),
    (lambda: bayes.evidence([1, 2], np.float64(1e308)), ParameterError, "prior must be"),
    (lambda: bayes.evidence([1, 2], True), ParameterError, "prior must be"),
    (lambda: bayes.log_marginal([1, 2], [1e300, 1e300]), ParameterError, "sum"),
    (lambda: bayes.evidence([1, 2], [1, 2, 3]), ParameterError, "does not broadcast to counts"),
    (lambda: bayes.m_estimate([1, 2], 0), ParameterError, "m_estimate: m must be"),
    (lambda: bayes.m_estimate([1, 2], np.float64(1e308)), ParameterError, "m must be"),
    (lambda: bayes.m_estimate([1, 2], 2, [0.5, 0.6]), ParameterError, "sum to 1"),
    (lambda: bayes.m_estimate([1, 2], 2, [0.2, 0.3, 0.5]), ParameterError, "does not broadcast"),
    # strategies for numbers
    (lambda: bayes.CutPoints((2, 1)), ParameterError, "strictly ascending"),
    (lambda: bayes.CutPoints((1, np.nan)), ParameterError, "finite numbers"),
    (lambda: bayes.CutPoints("12"), ParameterError, "finite numbers"),  # type: ignore[arg-type]
    (lambda: bayes.CutPoints(((1, 2),)), ParameterError, "finite numbers"),  # type: ignore[arg-type]
    (lambda: bayes.EqualWidth().learned_from(["a"]), ParameterError, "EqualWidth.learned_from: column must be"),
    (lambda: bayes.EqualWidth().learned_from([np.inf]), ParameterError, "finite numbers"),
    (lambda: bayes.MDL().cuts(np.ones(2), None, 0, None), ParameterError, "classes are required"),
    *(
        (
            lambda strategy=strategy, bins=bins: strategy(bins),
            ParameterError,
            "'bins' of .* must be an int in the range",
        )
        for strategy in (bayes.EqualWidth, bayes.EqualFrequency, bayes.KMeansBins)
        for bins in (1, 0, 2.5, "5", True, None, np.nan, 10**9, np.int64(1), np.float64(2.5), np.True_)
    ),
    *(
        (
            lambda name=name, value=value: bayes.Student(**{name: value}),
            ParameterError,
            f"parameter '{name}' of Student must be",
        )
        for name in ("strength", "degrees", "scale")
        for value in (0, -1, np.nan, np.inf, "1", True, 1e300, np.float64(-1), np.float32("nan"), np.int64(0))
    ),
    (lambda: bayes.Student(mean=np.float64("inf")), ParameterError, "parameter 'mean' of Student must be"),
    (lambda: bayes.Student(mean=False), ParameterError, "parameter 'mean' of Student must be"),
    *(
        (lambda value=value: bayes.GaussianDensity(value), ParameterError, "'smoothing' of GaussianDensity must be")
        for value in (-1e-9, 1.5, np.nan, "1", True, None, np.float64(1.5), np.float32(-1), np.int64(2))
    ),
    *(
        (lambda value=value: bayes.KernelDensity(value), ParameterError, "parameter 'bandwidth' of .* must be")
        for value in (0, -1, np.nan, np.inf, "scott", True, None, np.float64(0), np.float64("inf"))
    ),
    *(
        (lambda value=value: bayes.Cap(value), ParameterError, "parameter 'nats' of Cap must be")
        for value in (0, 19.9, 1e7, np.nan, "100", None, True, np.float64(19.9), np.int64(0))
    ),
    *(
        (lambda value=value: bayes.ParamFloor(value), ParameterError, "parameter 'floor' of .* must be")
        for value in (0, 1, 1.5, np.nan, "1e-4", None, True, 1e-310, np.float64(1.5), np.float64(0))
    ),
    *(
        (lambda made=made, value=value: made(value), ParameterError, "above 0")
        for made in (
            bayes.Dirichlet,
            bayes.BDeu,
            bayes.MEstimate,
            lambda value: fitted(prior=value),
            lambda value: fitted(prior={0: {"x": value, "y": 1.0}}),
            lambda value: bayes.PerAttribute({}, others=value),
            lambda value: fitted(class_prior=bayes.Dirichlet({"a": value, "b": 1.0})),
        )
        for value in NO_WEIGHTS
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), CASES)
def test_an_error_says_what_is_wrong(call: Callable[[], object], error: type[PriorcaseError], words: str) -> None:
    with pytest.raises(error, match=rf"(?si){words}"):
        call()


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    "prior",
    [
        *(0, -1.0, np.nan, np.inf, "1", "Auto", True, 1e-101, 10**400),
        *(np.int64(0), np.float64(-1.0), np.float32("nan"), np.float64("inf"), np.True_, np.array(1.0), [1.0]),
    ],
)
def test_wrong_priors_of_pairs(estimator: Any, prior: Any) -> None:
    model = estimator(prior)
    with pytest.raises(ParameterError, match=rf"^{estimator.__name__}\.fit: prior must be "):
        model.fit(TWO, [0, 1])
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel", {0: "student"}, np.str_("student")])
def test_pairs_need_bins(estimator: Any, numeric: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{estimator.__name__}\.fit: numeric must be a binning method"):
        estimator(numeric=numeric).fit(TWO, [0, 1])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_too_many_pairs(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MAX_CELLS", 100)
    with pytest.raises(TooLargeError, match=rf"^{estimator.__name__}\.fit: .*most values are 1 \(20\), 0 \(10\)"):
        estimator().fit([[f"v{i % 10}", f"w{i}"] for i in range(20)], ["no"] * 20)


@pytest.mark.parametrize("estimator", [pc.NaiveBayes, pc.SubsetAveragedBayes, pc.AODE])
def test_a_wrong_name_of_a_parameter_names_the_class(estimator: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{estimator.__name__}\(\) got an unexpected .* 'weight'"):
        estimator(weight=1)
