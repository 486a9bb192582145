"""Distances that are not defined, or not for these columns."""

from collections.abc import Iterable
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, quoted


class DistanceError(PriorcaseError, ValueError):
    """A distance that is not defined, or not for these columns."""

    @classmethod
    def unknown(cls, name: object, names: Iterable[str]) -> Self:
        """A name that stands for no distance."""
        names = sorted(names)
        problem = f"distance={quoted(name)} is not known; expected a Distance or one of {listed(names, limit=99)}."
        options = "see priorcase.similarity for distances with options, such as minkowski(p=3)."
        return cls(compose(problem, hint=advice(name, names, otherwise=options)))

    @classmethod
    def parameter(
        cls, owner: str, parameter: str, value: object, *, expected: str, hint: str, names: Iterable[object] = ()
    ) -> Self:
        """A parameter that breaks its rule; ``names`` are those that it may have."""
        problem = f"{owner} got {parameter}={quoted(value)}; expected {expected}."
        return cls(compose(problem, hint=advice(value, names, otherwise=hint)))

    @classmethod
    def wrong_kind(cls, difference: object, column: str, kind: str, accepts: Iterable[str]) -> Self:
        """A difference for a column of a kind that it cannot compare."""
        able = " and ".join(accepts)
        problem = f"{difference!r} was asked to compare {column}, which is {kind}; it compares {able} columns."
        return cls(
            compose(
                problem, hint="give the column another difference (attributes=...), or declare another kind for it."
            )
        )

    @classmethod
    def no_classes(cls, difference: object, column: str, target: str) -> Self:
        """A difference that counts classes where there are none."""
        problem = (
            f"{difference!r} compares the values of {column} by their class counts, but {target}; "
            "expected a nominal target."
        )
        hint = (
            "take a distance that needs no classes, such as 'heom', 'gower', 'euclidean' or 'manhattan'; "
            "value differences are for classifiers."
        )
        return cls(compose(problem, hint=hint))

    @classmethod
    def too_large(cls, column: str, statistic: str) -> Self:
        """Numbers whose range or deviation is beyond float64."""
        problem = f"{column} has numbers so large that their {statistic} is infinite; expected one within float64."
        return cls(compose(problem, hint="divide the column by a large constant, or take its logarithm."))

    @classmethod
    def too_small(cls, column: str, statistic: str) -> Self:
        """Numbers whose squared differences vanish in float64."""
        problem = f"{column} has numbers so close that their {statistic} vanishes; expected one within float64."
        return cls(compose(problem, hint="multiply the column by a large constant."))

    @classmethod
    def outdated(cls) -> Self:
        """A distance fitted before some values were stored."""
        problem = "got a distance that was fitted before some of the stored values; expected one that knows them."
        return cls(compose(problem, hint="take fitted.refreshed(instances), or fit the distance again."))

    @classmethod
    def table(cls, problem: str) -> Self:
        """A table of value differences that is no table."""
        hint = (
            "for example ValueTable(('red', 'green'), [[0, 1], [1, 0]]): one row and one column for each value, "
            "entries >= 0, 0 on the diagonal."
        )
        return cls(compose(f"ValueTable got {problem}.", hint=hint))

    @classmethod
    def table_lacks(cls, column: str, values: Iterable[object]) -> Self:
        """A stored value that a table of differences does not hold."""
        lacks = listed(values)
        problem = (
            f"ValueTable was asked to compare {column} and lacks its values {lacks}; expected a row for every value."
        )
        return cls(compose(problem, hint="add the values to the table."))

    @classmethod
    def not_a_vector(cls, column: str, kind: str) -> Self:
        """A column without a direction, under a distance between directions."""
        problem = f"unit_length=True was asked to scale {column}, which is {kind}; only numbers have a direction."
        return cls(
            compose(
                problem, hint="leave the column out, or take a distance for mixed columns such as 'heom' or 'gower'."
            )
        )
