"""What scikit-learn expects of an estimator and what this library promises for mixed tables, once for each class.

Other settings of a class only pass the checks of state, which depend on settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from checks import CONTAINERS, KINDS, mixed_checks
from checks.mixed import Check, check_mixed_containers_agree
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorcase as pc
from priorcase.local import LocalLogistic, LocalNaiveBayes

# Networks with narrow bumps have nothing to say of some of the checks' queries.
pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")

# Members that are fitted in no time: what a stack keeps does not depend on whose answers it weighs.
STACKS = [
    pc.StackedClassifier({"near": pc.KNNClassifier(), "bayes": pc.NaiveBayes()}, folds=3),
    pc.StackedRegressor({"near": pc.KNNRegressor(), "local": pc.LocallyWeightedRegressor()}, folds=3),
]
DEFAULT_STACKS = [pc.StackedClassifier(), pc.StackedRegressor()]
LEARNERS = [
    *STACKS,
    pc.KNNClassifier(),
    pc.KNNRegressor(),
    pc.KNNClassifierCV(),
    pc.KNNRegressorCV(),
    pc.KNNTransformer(),
    pc.NaiveBayes(),
    pc.SubsetAveragedBayes(),
    pc.TreeAveragedBayes(),
    pc.TreeAugmentedBayes(),
    pc.SuperParentAveragedBayes(),
    pc.AODE(),
    pc.MixtureModel(max_components=3, n_init=2, random_state=0),
    pc.LocallyWeightedRegressor(),
    pc.LocallyWeightedClassifier(),
    pc.RBFNetworkRegressor(),
    pc.RBFNetworkClassifier(),
    pc.IB1(),
    pc.IB2(),
    pc.IB3(random_state=0),
    pc.IB4(random_state=0),
    pc.IB5(random_state=0),
    pc.PEBLS(),
]
REDUCERS = [pc.CNN(), pc.RNN(), pc.ENN(), pc.RENN(), pc.AllKNN(), pc.ICF()]
REDUCERS += [pc.DROP1(), pc.DROP2(), pc.DROP3(), pc.DROP4(), pc.DROP5()]
SETTINGS = [
    pc.KNNClassifier(1, ties="first", distance="euclidean"),
    pc.KNNClassifier("loo", ties="nearest", vote="inverse_square"),
    pc.KNNClassifier("all", vote="gaussian", prior=0.5, ties="reduce", distance="hvdm"),
    pc.KNNClassifier(attribute_weights="relief"),
    pc.KNNClassifier(attribute_weights="bayes"),
    pc.KNNClassifier(attribute_weights="loo", vote="gaussian", prior=0.1, temperature=0.5),
    pc.KNNRegressor("sqrt", vote="tricube", distance="gower", ties="first"),
    pc.KNNRegressor("loo"),
    pc.KNNRegressor(attribute_weights="relief", vote="gaussian", bandwidth=0.5),
    pc.KNNRegressor(attribute_weights="mutual_information"),
    pc.KNNTransformer(mode="connectivity", distance="manhattan"),
    pc.NaiveBayes("map", numeric="gaussian", zero_policy="cap100", missing="value"),
    pc.NaiveBayes("sc", numeric="kernel"),
    pc.NaiveBayes(prior="auto", numeric="kmeans", missing="value"),
    pc.NaiveBayes("map", prior=1.5, numeric="mdl"),
    pc.SubsetAveragedBayes(prior="auto", inclusion=0.2, numeric="mdl"),
    pc.TreeAugmentedBayes("bdeu", numeric="kmeans"),
    pc.SuperParentAveragedBayes("auto"),
    pc.AODE(numeric="equal_frequency"),
    pc.MixtureModel(3, prior=0.5, selection="held_out", n_init=1, random_state=0),
    pc.LocallyWeightedRegressor(4, degree=2, kernel="gaussian", distance="gower"),
    pc.LocallyWeightedRegressor(bandwidth="loo", degree=0, kernel="gaussian"),
    pc.LocallyWeightedRegressor(bandwidth="query", ridge=0.1),
    pc.LocallyWeightedRegressor(span=0.75, robust=2, distance="manhattan"),
    pc.LocallyWeightedRegressor("all", kernel="gaussian", solver="gradient", ridge=1.0),
    pc.LocallyWeightedClassifier(5, model="logistic", kernel="gaussian", prior=0.5),
    pc.LocallyWeightedClassifier("sqrt", model="linear", distance="gower"),
    pc.LocallyWeightedClassifier(bandwidth="loo", model=LocalNaiveBayes(numeric="gaussian"), prior=None),
    pc.LocallyWeightedClassifier("all", model=LocalLogistic(0.1), distance="hvdm", kernel="uniform"),
    pc.RBFNetworkRegressor(centers="all", width="common", alpha="loo", distance="gower"),
    pc.RBFNetworkRegressor(centers="em"),
    pc.RBFNetworkClassifier(centers="stratified", width="neighbors", alpha="loo"),
    pc.IB1(ties="first", distance="heom", window=200),
    pc.IB1(per_class=True, history=True),
    pc.IB2(per_class=True),
    pc.IB3(random_state=0, decay=0.99, history="replay", distance="hvdm"),
    pc.IB4(random_state=0, weight_power=1, window=50),
    pc.IB5(random_state=0, missing="scale", history="replay"),
    pc.PEBLS(3, passes=2, ties="majority", unseen="prior"),
    pc.PEBLS(3, weighting=None, power=1, ties="reduce", bins=10),
    pc.PEBLS(3, weighting="one_pass", inherit=False, exponent=2, unseen="zero", ties="first"),
]

CONCEPTS = (pc.IB1, pc.IB2, pc.IB3, pc.IB4, pc.IB5)
TABLES = ("pandas", "pyarrow", "lists")
STATE = {
    "check_mixed_partial_fit",
    "check_mixed_failed_partial_fit",
    "check_mixed_forget",
    "check_mixed_merge",
    "check_mixed_one_by_one",
    "check_mixed_row_order",
    "check_mixed_pickle",
    "check_mixed_gaps_and_unseen_values",
}


def checks_of(learner: Any) -> Iterator[Check]:
    """The checks for mixed tables that apply to a learner."""
    concept = isinstance(learner, CONCEPTS)
    keeps_all = isinstance(learner, pc.IB1) and learner.window is None
    waived = {
        # What is stored depends on the order of the rows; forgetting then needs a replay, and has tests of its own.
        "check_mixed_forget": concept and not keeps_all,
        # Records of PEBLS are kept in the order of the rows: in another, other exemplars may be nearest.
        "check_mixed_row_order": isinstance(learner, pc.PEBLS) or (concept and not keeps_all),
        # Columns that lack are missing in IB5, and not a mistake.
        "check_mixed_columns_by_name": isinstance(learner, pc.IB5),
        # Statistics of other distances are those of the first call, and frequencies of words those of all calls so far.
        "check_mixed_partial_fit": concept and (getattr(learner, "distance", "ib") != "ib" or learner.schema is KINDS),
    }
    return (check for check in mixed_checks(learner) if not waived.get(check.__name__, False))


def mixed_cases() -> Iterator[Any]:
    """Learner, table and checks, in pairs: each learner meets every table where tables are compared, one table with all
    checks, and every kind of column; each other setting meets one table. The rest of the product is slow.
    """
    for i, learner in enumerate([*LEARNERS, *DEFAULT_STACKS]):
        agree, *others = checks_of(learner)
        assert agree is check_mixed_containers_agree
        for table in list(CONTAINERS)[:6]:
            yield case(learner, table, [agree], table)
            if table in TABLES:
                yield case(learner, table, others, f"{table}-all", slow=table != TABLES[i % 3])
    for i, learner in enumerate(SETTINGS):
        checks = [check for check in checks_of(learner) if check.__name__ in STATE]
        yield case(learner, TABLES[i % 3], checks, str(i))
    for i, learner in enumerate([*LEARNERS, *SETTINGS, *DEFAULT_STACKS]):
        told = clone(learner).set_params(schema=KINDS)
        checks = [check for check in checks_of(told) if check.__name__ in STATE]
        yield case(told, "every kind", checks, f"every_kind-{i}", slow=learner in SETTINGS)


def case(learner: Any, table: str, checks: list[Check], label: str, *, slow: bool = False) -> Any:
    """What one test checks; the default stacks, which are fitted for long, are slow."""
    default = isinstance(learner, (pc.StackedClassifier, pc.StackedRegressor)) and learner.members is None
    marks = [pytest.mark.slow] if slow or default else []
    name = "default stack of " if default else ""
    return pytest.param(learner, table, checks, id=f"{name}{type(learner).__name__}-{label}", marks=marks)


def expected_failures(estimator: Any) -> dict[str, str]:
    """Checks of scikit-learn's that are about something else than what an estimator does."""
    if isinstance(estimator, pc.AllKNN):
        why = "the classes of its 15 rows are pure chance: three neighbors misclassify every row, and none would remain"
        return {"check_n_features_in_after_fitting": why}
    if not isinstance(estimator, (pc.StackedClassifier, pc.StackedRegressor)):
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "a row is left out with all its weight, a twin is not"}


@parametrize_with_checks([*LEARNERS, *REDUCERS, pc.AttributeSelector()], expected_failed_checks=expected_failures)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(DEFAULT_STACKS, expected_failed_checks=expected_failures)
def test_sklearn_checks_of_default_stacks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize(("learner", "table", "checks"), list(mixed_cases()))
def test_mixed_checks(learner: Any, table: str, checks: list[Check]) -> None:
    for check in checks:
        check(learner, table)
