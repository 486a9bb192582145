"""The learners by name: one list for Python, the command line and the report.

>>> from priorcase.registry import find
>>> find("tree_averaged_bayes").make("classify", prior="auto")
TreeAveragedBayes(prior='auto')
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

from priorcase.exceptions import ParameterError, advice, quoted

__all__ = ["BASELINE", "LEARNERS", "Learner", "Task", "find", "find_by_class", "flags", "guess_task"]

Task: TypeAlias = Literal["classify", "regress"]
_FEW_CLASSES = 10


@dataclass(frozen=True)
class Learner:
    """A learner under the name that Python, the command line and the report use for it.

    ``title`` is how people read the name and ``summary`` what it does, in a sentence. ``classifier`` and ``regressor``
    are its classes, as names in priorcase or scikit-learn, imported when they are used; empty where it has none.
    """

    name: str
    title: str
    summary: str
    classifier: str = ""
    regressor: str = ""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What it can predict: ``"classify"``, ``"regress"`` or both."""
        both: tuple[Task, Task] = ("classify", "regress")
        return tuple(task for task in both if self.path(task))

    def path(self, task: Task) -> str:
        """The class for a task within its package, such as ``KNNClassifierCV``."""
        return self.classifier if task == "classify" else self.regressor

    def cls(self, task: Task) -> type[Any]:
        """The class for a task."""
        if not (path := self.path(task)):
            others = ", ".join(one.name for one in LEARNERS.values() if task in one.tasks)
            what = "numbers" if task == "regress" else "classes"
            raise ParameterError(f"{self.name} does not predict {what}. These do: {others}")
        module, _, name = (path if path.startswith("sklearn.") else f"priorcase.{path}").rpartition(".")
        found: type[Any] = getattr(import_module(module), name)
        return found

    def make(self, task: Task, **parameters: Any) -> Any:
        """An estimator, not fitted, with parameters handed to the constructor."""
        cls = self.cls(task)
        known = inspect.signature(cls).parameters
        for name in parameters:
            if name not in known:
                remedy = advice(name, known, otherwise=f"It has {', '.join(known)}.")
                raise ParameterError(f"{cls.__name__} has no parameter {name!r}. {remedy}")
        fixed = {"strategy": "prior"} if self.name == BASELINE and task == "classify" else {}
        return cls(**(fixed | parameters))


BASELINE = "baseline"
"""The learner that ignores every column: what the others have to beat."""

_ALL = (
    Learner(
        BASELINE,
        "Baseline",
        "Ignores every column: predicts the class frequencies, or the mean.",
        "sklearn.dummy.DummyClassifier",
        "sklearn.dummy.DummyRegressor",
    ),
    Learner(
        "stacked",
        "Stacked learners",
        "Several learners, weighted by how well each predicts rows it has not seen.",
        "StackedClassifier",
        "StackedRegressor",
    ),
    Learner("knn", "k-nearest neighbors", "The most similar rows vote.", "KNNClassifier", "KNNRegressor"),
    Learner(
        "tuned_knn",
        "Tuned k-NN",
        "k-nearest neighbors with k, distance, weights and vote chosen by leave-one-out.",
        "KNNClassifierCV",
        "KNNRegressorCV",
    ),
    Learner(
        "locally_weighted",
        "Locally weighted learning",
        "A small model is fitted to the rows around each query.",
        "LocallyWeightedClassifier",
        "LocallyWeightedRegressor",
    ),
    Learner(
        "rbf_network",
        "RBF network",
        "A weighted sum of radial basis functions around typical rows.",
        "RBFNetworkClassifier",
        "RBFNetworkRegressor",
    ),
    Learner("naive_bayes", "Naive Bayes", "Columns are independent within each class.", "NaiveBayes"),
    Learner(
        "subset_averaged_bayes",
        "Subset-averaged Bayes",
        "Naive Bayes averaged over all subsets of the columns.",
        "SubsetAveragedBayes",
    ),
    Learner(
        "tree_averaged_bayes",
        "Tree-averaged Bayes",
        "Columns depend on each other along a tree; averaged over all trees.",
        "TreeAveragedBayes",
    ),
    Learner(
        "tree_augmented_bayes",
        "Tree-augmented Bayes",
        "Columns depend on each other along the best tree (TAN).",
        "TreeAugmentedBayes",
    ),
    Learner(
        "super_parent_averaged_bayes",
        "Super-parent-averaged Bayes",
        "All columns depend on one of them; averaged over that one, weighted by evidence.",
        "SuperParentAveragedBayes",
    ),
    Learner("aode", "AODE", "All columns depend on one of them; the plain average over that one.", "AODE"),
    Learner("ib1", "IB1", "The nearest row decides.", "IB1"),
    Learner("ib2", "IB2", "Stores only rows that those before them get wrong.", "IB2"),
    Learner("ib3", "IB3", "Stores misclassified rows; only those with a good record decide.", "IB3"),
    Learner("ib4", "IB4", "IB3 with attribute weights learned for each class.", "IB4"),
    Learner("ib5", "IB5", "IB4 for streams in which new columns appear.", "IB5"),
    Learner(
        "pebls", "PEBLS", "The nearest row decides, by value differences; unreliable rows are moved away.", "PEBLS"
    ),
)
LEARNERS = {one.name: one for one in _ALL}
"""The learners by name."""


def find(name: str) -> Learner:
    """The learner of a name; a misspelt one is answered with the nearest.

    Examples
    --------
    >>> find("naive_bayes").title
    'Naive Bayes'
    """
    if name not in LEARNERS:
        remedy = advice(name, LEARNERS, otherwise=f"There are {', '.join(LEARNERS)}.")
        raise ParameterError(f"there is no learner {quoted(name)}. {remedy}")
    return LEARNERS[name]


def guess_task(targets: Collection[float]) -> Task:
    """What to predict where targets are numbers: whole ones of few values are more often codes of classes."""
    codes = len(targets) <= _FEW_CLASSES and all(float(number).is_integer() for number in targets)
    return "classify" if codes else "regress"


def find_by_class(estimator: Any) -> Learner | None:
    """The learner that an estimator, or a class of estimators, belongs to; None for one that is not listed."""
    cls = estimator if isinstance(estimator, type) else type(estimator)
    for one in LEARNERS.values():
        for task in one.tasks:
            if one.path(task).rpartition(".")[2] == cls.__name__ and one.cls(task) is cls:
                return one
    return None


def flags(estimator: Any) -> str | None:
    """The options of the command line that make an estimator; None where they cannot.

    Parameters that have their default value are left out, and so are ``n_jobs`` and a ``random_state`` of 0, which the
    command line takes by default.

    Examples
    --------
    >>> import priorcase as pc
    >>> flags(pc.TreeAveragedBayes(numeric="equal_width"))
    '--learner tree_averaged_bayes --set numeric=equal_width'
    """
    learner = find_by_class(estimator)
    if learner is None:
        return None
    defaults = {name: parameter.default for name, parameter in inspect.signature(type(estimator)).parameters.items()}
    words = ["--learner", learner.name]
    for name, default in defaults.items():
        value = getattr(estimator, name)
        if name == "n_jobs" or value is default or (name == "random_state" and value in (None, 0)):
            continue
        if not isinstance(value, str | int | float | None):
            return None
        if value != default:
            words += ["--set", f"{name}={value}"]
    return shlex.join(words)
