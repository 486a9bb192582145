"""Prior weights that differ from attribute to attribute, or from value to value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from priorcase._parameters import is_number
from priorcase._typing import FloatArray, IntArray, Name, Value
from priorcase.bayes.checks import check_positive, positive
from priorcase.exceptions import ParameterError, PriorError, listed
from priorcase.instances.instances import as_floats
from priorcase.schema import Schema
from priorcase.schema.values import identity, is_missing, plain
from priorcase.similarity.checks import settle

Weights: TypeAlias = float | Mapping[Value, float] | Sequence[float] | Sequence[Sequence[float]] | FloatArray
"""One weight for all values, one for each by name, or an array in declared order (and one row for each class)."""


@dataclass(frozen=True)
class PerAttribute:
    """Dirichlet weights of their own for some attributes.

    Parameters
    ----------
    attributes
        For each attribute, by name or by position: a number (the weight of each value); a mapping from value to weight;
        or, for columns with declared values, an array in declared order of shape ``(values,)``, or
        ``(classes, values)`` for weights that differ between classes. Where gaps count as a value, that is the last
        one of an array, were there no gap yet, and None in a mapping. A mapping may also name values that no row holds
        yet.
    others
        The weight of each value of all other attributes, and of each class.

    Examples
    --------
    >>> prior = PerAttribute({"colour": {"red": 2, "green": 0.5}})
    >>> prior
    PerAttribute(attributes={'colour': {'red': 2.0, 'green': 0.5}}, others=1.0)
    >>> prior.weights("colour", ["green", "red"], 2)
    array([0.5, 2. ])
    >>> prior.weights("size", ["small", "large"], 2)
    array([1., 1.])
    """

    attributes: Mapping[Name, Weights] = field(hash=False)
    others: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Mapping):
            raise ParameterError.wrong(
                "attributes",
                self.attributes,
                expected="a mapping from column to weights",
                hint="for example {'colour': 2.0}; one number for all columns needs no PerAttribute.",
            )
        settled = {name: _settled(given, f"attributes[{name!r}]") for name, given in self.attributes.items()}
        settle(self, attributes=settled, others=positive("others", self.others))

    @property
    def by_class(self) -> bool:
        """Whether some weights differ between classes."""
        return any(isinstance(given, tuple) and isinstance(given[0], tuple) for given in self.attributes.values())

    def in_order(self, label: Name) -> bool:
        """Whether the weights of an attribute go by the declared order of its values."""
        return isinstance(self.attributes.get(label), tuple)

    def by_label(self, schema: Schema) -> PerAttribute:
        """The same with every column by its label; columns that the schema does not have are refused."""
        positions = schema.positions(self.attributes, parameter="prior")
        labels = [schema.label(a) for a in positions]
        return PerAttribute(dict(zip(labels, self.attributes.values(), strict=True)), self.others)

    def symmetric(self, n_values: IntArray, n_classes: int) -> FloatArray | None:
        """None: the cells of an attribute may differ."""
        return None

    def weights(self, label: Name, values: Sequence[Value], n_classes: int, *, declared: bool = True) -> FloatArray:
        """The weights of an attribute's values, shape ``(values,)`` or ``(n_classes, values)``.

        Parameters
        ----------
        label
            The attribute.
        values
            Its values, in declared order where they are declared.
        n_classes
            The number of classes.
        declared
            Whether the values have a declared order, which weights in an array need.
        """
        given = self.attributes.get(label, self.others)
        parameter = f"prior[{label!r}]"
        if isinstance(given, Mapping):
            return _by_value(given, values, parameter)
        weights = np.asarray(given, dtype=np.float64)
        if weights.ndim == 0:
            return np.full(len(values), float(weights))
        if not declared:
            raise PriorError.undeclared(parameter, values)
        if weights.shape not in ((len(values),), (n_classes, len(values))):
            wanted = f"({len(values)},) or ({n_classes}, {len(values)}) for the values {listed(values)}"
            raise PriorError.shape(parameter, weights.shape, wanted)
        return weights

    def unseen(self, label: Name, values: Sequence[Value], n_classes: int) -> float:
        """The weight of a value that an attribute never had: the mean weight of those it has.

        Without values, or where the mapping has none of them, the mean of all weights given.
        """
        given = self.attributes.get(label, self.others)
        if isinstance(given, Mapping):
            keys = {_key(value) for value in values}
            known = [weight for value, weight in given.items() if _key(value) in keys]
            return float(np.mean(known or list(given.values())))
        return float(np.mean(given))

    def class_weight(self, n_classes: int) -> float:
        """The weight of each class: that of all attributes without weights of their own."""
        return self.others


def _settled(given: object, parameter: str) -> Weights:
    """The weights of one attribute as Python's own numbers, in a dictionary or in tuples."""
    if isinstance(given, Mapping) and given:
        return {plain(value): positive(f"{parameter}[{value!r}]", weight) for value, weight in given.items()}
    if is_number(given):
        return positive(parameter, given)
    weights = None if isinstance(given, (str, Mapping)) else as_floats(given)
    if weights is None or weights.ndim not in (1, 2) or not weights.size:
        expected = "a number, a mapping from value to number, or an array of shape (values,) or (classes, values)"
        hint = "for example 2.0, or {'red': 2.0, 'green': 1.0}."
        raise ParameterError.wrong(parameter, given, expected=expected, hint=hint)
    check_positive(weights, parameter=parameter)
    return tuple(weights.tolist()) if weights.ndim == 1 else tuple(map(tuple, weights.tolist()))


def weights_by_key(given: Mapping[Value, float], values: Iterable[Value]) -> list[float | None]:
    """The weight that a mapping has for each value; None where it has none. A gap is the value None."""
    weights = {_key(value): weight for value, weight in given.items()}
    return [weights.get(_key(value)) for value in values]


def _by_value(given: Mapping[Value, float], values: Sequence[Value], parameter: str) -> FloatArray:
    found = weights_by_key(given, values)
    if lacking := [value for value, weight in zip(values, found, strict=True) if weight is None]:
        raise PriorError.lacking(parameter, "value", lacking, given)
    return np.array(found, dtype=np.float64)


def _key(value: Value) -> Value:
    return None if is_missing(value) else identity(plain(value))
