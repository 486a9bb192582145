"""A distance between rows: one difference for each kind of column, a missing rule, and how they add up."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, NoReturn, get_args

from priorcase._parameters import as_python, is_number
from priorcase.exceptions import DistanceError
from priorcase.similarity.checks import at_least_one, choice, flag, settle
from priorcase.similarity.differences import Absolute, Difference, Levels, Overlap, kind_name
from priorcase.similarity.statistics import Column, Statistics
from priorcase.similarity.terms import Gaps, Term

if TYPE_CHECKING:
    from priorcase.instances import Instances
    from priorcase.schema import Schema
    from priorcase.similarity.fitted import FittedDistance

Missing = Literal["maximal", "aha", "skip", "symbol", "ignore"]


@dataclass(frozen=True, repr=False, kw_only=True)
class Distance:
    """How far apart two rows are: ``(sum_a w_a d_a ** power) ** (1 / power)`` over the attributes a.

    The sum before the root is called the cost; neighbours are ordered by cost, then by id. All parameters are given by
    keyword; without any the distance is HEOM.

    Parameters
    ----------
    numeric, nominal, ordinal
        The difference d for each kind of column.
    attributes
        Differences for single columns, by name or by position, in place of those.
    missing
        What d is where a value is missing:

        - ``"maximal"``: ``d = 1``, also where both are missing;
        - ``"aha"``: the largest difference a number in the stored range can have from the present one,
          ``max(v, 1 - v)`` with ``v = (x - low) / (high - low)``; 1 for other columns and where both are missing
          (Aha, Kibler & Albert 1991);
        - ``"skip"``: the attribute is left out; the cost is the weighted mean of the others, times the total weight
          (unless ``mean``), as in scikit-learn's ``nan_euclidean_distances``;
        - ``"symbol"``: "missing" is one more value of an ordinal or nominal column, with class counts of its own where
          classes are counted; elsewhere 0 where both are missing and 1 where one is;
        - ``"ignore"``: ``d = 0``.
    power
        1 adds differences, 2 their squares; any number of at least 1.
    root
        Take the root at the end. Without it the cost is the distance, as in MVDM; with power 1 both are the same.
    mean
        Divide by the weights of the attributes that took part, as Gower does; only with ``missing="skip"``.
    nothing_shared
        The cost where no attribute is known in both rows; only with ``missing="skip"``.
    unit_length
        Scale each row's numbers to a vector of length 1 first; all columns must be numeric and compared by
        ``Absolute("none")``. A row of zeros has no direction and stays at the origin; missing numbers do not count.

    Examples
    --------
    >>> Distance()
    Distance('heom')
    >>> Distance(missing="skip", power=1)
    Distance(missing='skip', power=1)
    >>> Distance(attributes={"size": Levels((0, 1, 5))})
    Distance(attributes={'size': Levels(positions=(0.0, 1.0, 5.0))})
    """

    numeric: Difference = field(default_factory=Absolute)
    nominal: Difference = field(default_factory=Overlap)
    ordinal: Difference = field(default_factory=Levels)
    attributes: Mapping[Hashable, Difference] = field(default_factory=dict, hash=False)
    missing: Missing = "maximal"
    power: float = 2.0
    root: bool = True
    mean: bool = False
    nothing_shared: float = math.inf
    unit_length: bool = False

    def __post_init__(self) -> None:
        for part in ("numeric", "nominal", "ordinal"):
            _check_difference(part, getattr(self, part))
        settle(
            self,
            attributes=_check_attributes(self.attributes),
            missing=choice("Distance", "missing", self.missing, get_args(Missing)),
            power=at_least_one("Distance", "power", self.power),
            root=flag("Distance", "root", self.root),
            mean=flag("Distance", "mean", self.mean),
            nothing_shared=_check_cost(self.nothing_shared),
            unit_length=flag("Distance", "unit_length", self.unit_length),
        )
        if self.missing != "skip":
            self._check_sharing()
        if self.unit_length:
            self._check_vectors()

    def __repr__(self) -> str:
        for name, distance in NAMED.items():
            if distance == self:
                return f"Distance({name!r})"
        blank = NAMED["heom"]
        changed = [f.name for f in fields(self) if getattr(self, f.name) != getattr(blank, f.name)]
        return f"Distance({', '.join(f'{name}={getattr(self, name)!r}' for name in changed)})"

    def fit(self, instances: Instances, target: int | None = 0) -> FittedDistance:
        """The distance with the statistics of the stored rows filled in.

        Parameters
        ----------
        instances
            The stored rows; each counts as often as its weight says.
        target
            Position of the target whose classes value differences count; None where there is none.
        """
        from priorcase.similarity.fitted import FittedDistance  # the result knows its distance; imports go one way

        return FittedDistance.of(self, instances, target)

    def differences(self, schema: Schema) -> tuple[Difference, ...]:
        """The difference of each column of a schema."""
        by_kind = {"Numeric": self.numeric, "Ordinal": self.ordinal, "Nominal": self.nominal}
        chosen = [by_kind[type(kind).__name__] for kind in schema.kinds]
        positions = schema.positions(self.attributes, parameter="attributes")
        for a, difference in zip(positions, self.attributes.values(), strict=True):
            chosen[a] = difference
        return tuple(chosen)

    def ranged(self, schema: Schema) -> list[bool] | None:
        """For each column whether its scale is the range of the stored numbers; None where it is something else.

        Columns that need no statistics at all have no range either.
        """
        known = self.differences(schema)
        if not all(type(difference) in (Absolute, Overlap, Levels) for difference in known):
            return None
        absolute = [difference if isinstance(difference, Absolute) else None for difference in known]
        scaled = [difference for difference in absolute if difference is not None and difference.scaling != "none"]
        if any(difference.scaling != "range" or difference.factor != 1 for difference in scaled):
            return None
        return [difference is not None and difference.scaling == "range" for difference in absolute]

    def terms(self, statistics: Statistics) -> tuple[Term, ...]:
        """Each column's difference with its statistics filled in."""
        gaps = self.gaps()
        terms = []
        for a, difference in enumerate(self.differences(statistics.schema)):
            column = statistics.column(a)
            self._check(difference, column)
            terms.append(difference.fit(column, gaps, self.power))
        return tuple(terms)

    def gaps(self) -> Gaps:
        """The missing rule in terms of ``f = d ** power``."""
        if self.missing == "symbol":
            return Gaps(1.0, 0.0, symbol=True)
        if self.missing in ("skip", "ignore"):
            return Gaps(0.0, 0.0)
        return Gaps(1.0, 1.0, aha=self.missing == "aha")

    def _check_sharing(self) -> None:
        if self.mean:
            self._refuse("mean", "False unless missing='skip'", "without gaps to skip it would only rescale.")
        if self.nothing_shared != math.inf:
            self._refuse("nothing_shared", "inf unless missing='skip'", "leave it out.")

    def _check_vectors(self) -> None:
        if not _is_plain(self.numeric):
            expected = "Absolute('none') with unit_length=True"
            self._refuse("numeric", expected, "vectors of length 1 are already on one scale.")
        for part, unset in (("nominal", Overlap()), ("ordinal", Levels())):
            if getattr(self, part) != unset:
                self._refuse(part, f"{unset!r} with unit_length=True", "leave it out: only numbers have a direction.")

    def _refuse(self, parameter: str, expected: str, hint: str) -> NoReturn:
        raise DistanceError.parameter("Distance", parameter, getattr(self, parameter), expected=expected, hint=hint)

    def _check(self, difference: Difference, column: Column) -> None:
        kind = kind_name(column)
        if self.unit_length and (kind != "numeric" or not _is_plain(difference)):
            raise DistanceError.not_a_vector(column.label, kind if kind != "numeric" else f"compared by {difference!r}")
        if kind not in difference.accepts:
            raise DistanceError.wrong_kind(difference, column.label, kind, difference.accepts)
        if difference.needs_classes and (lack := _lack_of_classes(column.all)):
            raise DistanceError.no_classes(difference, column.label, lack)


def _lack_of_classes(statistics: Statistics) -> str | None:
    targets = statistics.instances.targets
    if statistics.target is None or targets is None:
        return "there is no target"
    kind = type(targets.kinds[statistics.target]).__name__.lower()
    return None if kind in ("nominal", "ordinal") else f"the target is {kind} (regression has no classes)"


def _is_plain(difference: Difference) -> bool:
    return isinstance(difference, Absolute) and difference.scaling == "none"


def _check_difference(place: str, difference: object) -> None:
    parts = ("accepts", "needs_classes", "fit")
    if isinstance(difference, type) or not all(hasattr(difference, part) for part in parts):
        raise DistanceError.parameter(
            "Distance",
            place,
            difference,
            expected="a difference such as Absolute() or Overlap()",
            hint="differences are in priorcase.similarity.",
        )


def _check_attributes(attributes: object) -> dict[Hashable, Difference]:
    if not isinstance(attributes, Mapping):
        raise DistanceError.parameter(
            "Distance",
            "attributes",
            attributes,
            expected="a mapping from columns to differences",
            hint="for example attributes={'size': Levels()}, or by position {0: Overlap()}.",
        )
    for key, difference in attributes.items():
        _check_difference(f"attributes[{key!r}]", difference)
    return {as_python(key) if is_number(key) else key: difference for key, difference in attributes.items()}


def _check_cost(cost: object) -> float:
    if is_number(cost) and as_python(cost) >= 0:
        return as_python(cost)
    raise DistanceError.parameter(
        "Distance", "nothing_shared", cost, expected="a number >= 0", hint="inf puts such rows last, 1.0 is Gower's."
    )


NAMED: dict[str, Distance] = {"heom": Distance()}
"""The distances that print as a name; `priorcase.similarity.presets` adds its own."""
