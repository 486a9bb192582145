"""Targets that cannot be learned."""

from collections.abc import Iterable
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, listed, misspelt, quoted


class TargetError(PriorcaseError, ValueError):
    """A target ``y``, or weights beside it, that a learner cannot learn from."""

    @classmethod
    def absent(cls) -> Self:
        """No target at all; scikit-learn's words."""
        problem = "requires y to be passed, but the target y is None."
        return cls(compose(problem, hint="pass the classes or numbers to learn, one for each row of X."))

    @classmethod
    def shape(cls, shape: tuple[int, ...], *, several: bool = True) -> Self:
        """A target that is neither one column nor, where there may be several, several; scikit-learn's words."""
        columns = ", or a 2d array with one column for each target" if several else ""
        problem = f"got y of shape {shape}; y should be a 1d array{columns}."
        return cls(compose(problem, hint="pass a list or an array with one value for each row of X."))

    @classmethod
    def not_classes(cls, given: object) -> Self:
        """Something else than a list of classes where classes are declared."""
        problem = f"got classes={quoted(given)}; expected a list of classes, none of them missing."
        return cls(compose(problem, hint="for example classes=['no', 'yes'], every class that y may ever hold."))

    @classmethod
    def single(cls, n: int) -> Self:
        """Several targets for a learner that knows one."""
        problem = f"got y with {n} columns; expected one class for each row."
        return cls(compose(problem, hint="fit one model for each target."))

    @classmethod
    def length(cls, what: str, found: int, rows: int) -> Self:
        """As many targets or weights as rows there must be; scikit-learn's words."""
        counts = f"X has {rows} and {what} has {found}"
        problem = f"Found input variables with inconsistent numbers of samples: {counts}."
        return cls(compose(problem, hint=f"pass one entry of {what} for each row of X."))

    @classmethod
    def missing(cls) -> Self:
        """A gap in the target; scikit-learn's words."""
        problem = "Input y contains NaN, None or another missing value; expected a known target for every row."
        return cls(compose(problem, hint="drop the rows whose target is not known."))

    @classmethod
    def infinite(cls) -> Self:
        """An infinite target; scikit-learn's words."""
        problem = "Input y contains infinity or a value too large for dtype('float64')."
        return cls(compose(problem, hint="put finite numbers there."))

    @classmethod
    def unknown_labels(cls, found: str) -> Self:
        """Targets that are no class labels; scikit-learn's words."""
        problem = f"Unknown label type: {found}; expected text, whole numbers or booleans as classes."
        return cls(compose(problem, hint="a regressor learns real numbers; bin them, or write other objects as text."))

    @classmethod
    def other_labels(cls, found: str, fitted: str) -> Self:
        """Labels of another sort than the ones learned so far."""
        problem = f"got classes that are {found}; the classes learned so far are {fitted}."
        return cls(compose(problem, hint="write the classes the same way in every call."))

    @classmethod
    def not_numbers(cls, found: str) -> Self:
        """Targets of a regressor that are no real numbers."""
        problem = f"got y as {found}; expected real numbers."
        return cls(compose(problem, hint="a classifier learns text, categories and booleans."))

    @classmethod
    def outputs(cls, found: int, fitted: int) -> Self:
        """Another number of targets than before."""
        problem = f"got {found} target columns; it has learned {fitted} so far."
        return cls(compose(problem, hint="pass y with the same columns in every call."))

    @classmethod
    def undeclared(cls, labels: Iterable[object], declared: Iterable[object]) -> Self:
        """Labels beyond the ones that ``classes`` declares."""
        labels, declared = list(labels), list(declared)
        problem = f"got y with {listed(labels)}; classes= declares {listed(declared)}."
        hint = "list every class in classes=, or leave classes= out."
        return cls(compose(problem, hint=misspelt(labels, declared) or hint))

    @classmethod
    def stored_undeclared(cls, labels: Iterable[object], declared: Iterable[object]) -> Self:
        """Classes declared without some that stored rows have."""
        stored = listed(labels)
        problem = f"got classes= with {listed(declared)}, but stored rows have {stored}; nothing was changed."
        return cls(compose(problem, hint="list every class in classes=, or forget those rows first."))

    @classmethod
    def one_target_only(cls, distance: str) -> Self:
        """A distance made from class frequencies, with several targets."""
        problem = f"got several target columns; distance={distance} is learned from the classes of one."
        return cls(
            compose(
                problem, hint="fit one estimator for each target, or take a distance without classes such as 'heom'."
            )
        )
