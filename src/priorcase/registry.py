"""Registry of learners under the names that are used in Python, on the command line and in reports.

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
    """A learner and its name in Python, on the command line and in reports.

    ``title`` is the readable name and ``summary`` a one-sentence description. ``classifier`` and ``regressor`` are the
    names of the estimator classes in priorcase or scikit-learn; a name is empty if the learner does not support the
    task.
    """

    name: str
    title: str
    summary: str
    classifier: str = ""
    regressor: str = ""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Supported tasks: ``"classify"``, ``"regress"`` or both."""
        both: tuple[Task, Task] = ("classify", "regress")
        return tuple(task for task in both if self.path(task))

    def path(self, task: Task) -> str:
        """Return the class name for a task, such as ``KNNClassifierCV``; for scikit-learn, it includes the module."""
        return self.classifier if task == "classify" else self.regressor

    def cls(self, task: Task) -> type[Any]:
        """Return the estimator class for a task."""
        if not (path := self.path(task)):
            others = ", ".join(one.name for one in LEARNERS.values() if task in one.tasks)
            what = "numbers" if task == "regress" else "classes"
            raise ParameterError(f"{self.name} does not predict {what}. Use one of these learners: {others}")
        module, _, name = (path if path.startswith("sklearn.") else f"priorcase.{path}").rpartition(".")
        found: type[Any] = getattr(import_module(module), name)
        return found

    def make(self, task: Task, **parameters: Any) -> Any:
        """Return an unfitted estimator for a task with the given parameters."""
        cls = self.cls(task)
        known = inspect.signature(cls).parameters
        for name in parameters:
            if name not in known:
                remedy = advice(name, known, otherwise=f"Its parameters are {', '.join(known)}.")
                raise ParameterError(f"{cls.__name__} has no parameter {name!r}. {remedy}")
        fixed = {"strategy": "prior"} if self.name == BASELINE and task == "classify" else {}
        return cls(**(fixed | parameters))


BASELINE = "baseline"
"""Name of the baseline learner, which ignores all columns."""

_ALL = (
    Learner(
        BASELINE,
        "Baseline",
        "Predicts the class frequencies or the mean, ignoring all columns.",
        "sklearn.dummy.DummyClassifier",
        "sklearn.dummy.DummyRegressor",
    ),
    Learner(
        "stacked",
        "Stacked learners",
        "Combines several learners, with larger weights for those that predict held-out rows better.",
        "StackedClassifier",
        "StackedRegressor",
    ),
    Learner(
        "knn",
        "k-nearest neighbors",
        "Predicts by a vote of the k most similar past rows.",
        "KNNClassifier",
        "KNNRegressor",
    ),
    Learner(
        "tuned_knn",
        "Tuned k-NN",
        "Predicts by a vote of the k most similar past rows, with k and the distance chosen to suit the data.",
        "KNNClassifierCV",
        "KNNRegressorCV",
    ),
    Learner(
        "locally_weighted",
        "Locally weighted learning",
        "Fits a small model to the past rows most similar to each new row.",
        "LocallyWeightedClassifier",
        "LocallyWeightedRegressor",
    ),
    Learner(
        "rbf_network",
        "RBF network",
        "Predicts from the similarity to a few typical rows.",
        "RBFNetworkClassifier",
        "RBFNetworkRegressor",
    ),
    Learner(
        "naive_bayes",
        "Naive Bayes",
        "Combines the evidence of all columns as if the columns were independent within each class.",
        "NaiveBayes",
    ),
    Learner(
        "subset_averaged_bayes",
        "Subset-averaged Bayes",
        "Naive Bayes averaged over all subsets of columns, which reduces the influence of irrelevant columns.",
        "SubsetAveragedBayes",
    ),
    Learner(
        "tree_averaged_bayes",
        "Tree-averaged Bayes",
        "Naive Bayes with dependences between pairs of columns; averages over all trees of such pairs.",
        "TreeAveragedBayes",
    ),
    Learner(
        "tree_augmented_bayes",
        "Tree-augmented Bayes",
        "Naive Bayes with dependences between pairs of columns; uses the most probable tree of such pairs.",
        "TreeAugmentedBayes",
    ),
    Learner(
        "super_parent_averaged_bayes",
        "Super-parent-averaged Bayes",
        "Averages naive Bayes models in which all columns also depend on one column; weights the models by evidence.",
        "SuperParentAveragedBayes",
    ),
    Learner(
        "aode",
        "AODE",
        "Averages naive Bayes models in which all columns also depend on one column; weights all models equally.",
        "AODE",
    ),
    Learner("ib1", "IB1", "Predicts the class of the most similar past row.", "IB1"),
    Learner("ib2", "IB2", "Like IB1, but stores only the rows that it would have misclassified.", "IB2"),
    Learner(
        "ib3",
        "IB3",
        "Predicts the class of the most similar past row among rows that have predicted well so far.",
        "IB3",
    ),
    Learner("ib4", "IB4", "Like IB3, but also learns the weight of each column for each class.", "IB4"),
    Learner("ib5", "IB5", "Like IB4, for data in which new columns appear over time.", "IB5"),
    Learner(
        "pebls",
        "PEBLS",
        "Predicts the class of the most similar past row; unreliable rows have larger distances.",
        "PEBLS",
    ),
)
LEARNERS = {one.name: one for one in _ALL}
"""The learners by name."""


def find(name: str) -> Learner:
    """Return the learner with this name; suggest the nearest name if the name is misspelled.

    Examples
    --------
    >>> find("naive_bayes").title
    'Naive Bayes'
    """
    if name not in LEARNERS:
        remedy = advice(name, LEARNERS, otherwise=f"The learners are {', '.join(LEARNERS)}.")
        raise ParameterError(f"unknown learner {quoted(name)}. {remedy}")
    return LEARNERS[name]


def guess_task(targets: Collection[float]) -> Task:
    """Guess the task from the distinct numeric targets; at most ten different integers are treated as classes."""
    codes = len(targets) <= _FEW_CLASSES and all(float(number).is_integer() for number in targets)
    return "classify" if codes else "regress"


def find_by_class(estimator: Any) -> Learner | None:
    """Return the learner to which an estimator or a class belongs, or None if no learner uses this class."""
    cls = estimator if isinstance(estimator, type) else type(estimator)
    for one in LEARNERS.values():
        for task in one.tasks:
            if one.path(task).rpartition(".")[2] == cls.__name__ and one.cls(task) is cls:
                return one
    return None


def flags(estimator: Any) -> str | None:
    """Return the command-line options that create an estimator, or None if no options can create it.

    Options are omitted for parameters with default values, for ``n_jobs``, and for a ``random_state`` of None or 0
    (the command line uses 0 by default).

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
