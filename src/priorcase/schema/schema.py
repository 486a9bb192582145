"""What the columns of a table mean, and how a table is read by that meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, Name, Value
from priorcase.exceptions import SchemaError, SchemaMismatchError
from priorcase.schema import keys
from priorcase.schema.choice import CategoricalFeatures, choose_kinds
from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.one_row import read_one_row
from priorcase.schema.readings import fits, found, read_column, wanted
from priorcase.schema.sources import Source, open_source
from priorcase.schema.table import Table

Known = Callable[[int], Iterable[Value]]
"""Values known for an attribute, for messages."""


@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """The names of some columns and the kind of each.

    Parameters
    ----------
    names
        Column labels of any hashable type, all distinct; None for a table without names.
    kinds
        ``Numeric()``, ``Ordinal(order)`` or ``Nominal()`` for each column.

    Notes
    -----
    **Kinds by type** (``Schema.infer``)

    ==================================================  ========================================================
    column                                              kind
    ==================================================  ========================================================
    integers, floats, decimals, pandas' nullable ones   ``Numeric()``
    booleans                                            ``Nominal()``
    text of any make, NumPy's ``U`` and ``S``           ``Nominal()``
    pandas ``category``, Polars ``Categorical``,        ``Nominal()``; ``Ordinal(categories)`` where it is
    PyArrow ``dictionary``                              ordered
    Polars ``Enum``                                     ``Nominal(categories)``: its values are declared
    objects: only numbers and gaps                      ``Numeric()``
    objects: anything else; only gaps; Polars ``Null``  ``Nominal()``
    dates, times, durations, periods                    refused: say which number or category they stand for
    complex numbers, lists, structs, unhashable         refused
    objects
    ==================================================  ========================================================

    A column of one value, of one row or of gaps only is as good as any other; its kind is that of its type. A Polars
    ``Enum`` is not taken for an order, because its values often have none: declare ``Ordinal`` where they do.

    **Kinds stay.** They are settled by the first rows and are not read anew when rows come or go: a column that held a
    number beside text stays nominal when the text is forgotten. Whoever learns from a stream, whose first rows say
    little, declares the kinds. Gaps say nothing, so a column of objects that held only gaps is taken for nominal, and
    numbers are refused there until it holds another value: only a declared kind can say what they mean.

    **Values.** A value is known, unseen or missing. Missing is NaN, None, NaT, ``pandas.NA``, a null, a masked cell or
    ``Decimal("NaN")``; the text ``"nan"`` is text, and so is ``""``. Two nominal values are the same when Python calls
    them equal, except that booleans are not numbers: ``1`` and ``1.0`` are one value, ``True`` and ``"1"`` two others.
    Numbers are float64: whole numbers beyond 2**53 are rounded in a numeric column, and exact in a nominal one.
    Infinite numbers are refused.

    **Later tables.** Columns are matched by name when both sides have names (in any order, none missing, none extra),
    by position otherwise. A column whose values are all missing fits any kind; numbers where text was fitted, or text
    where numbers were, are a mistake and raise ``SchemaMismatchError``. Booleans pass as the numbers 0 and 1, but
    numbers do not pass as booleans.

    Examples
    --------
    >>> schema = Schema(("age", "size", "colour"), (Numeric(), Ordinal(("S", "M", "L")), Nominal()))
    >>> schema
    Schema: 3 attributes
      age     Numeric()
      size    Ordinal(order=('S', 'M', 'L'))
      colour  Nominal()
    >>> schema.read([[31, "M", "red"], [None, "XL", "blue"]]).columns[1]
    array([ 1., -1.])
    """

    names: tuple[Name, ...] | None
    kinds: tuple[Kind, ...]
    _numeric: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", tuple(self.kinds))
        object.__setattr__(self, "_numeric", all(type(kind) is Numeric for kind in self.kinds))
        kinds: tuple[object, ...] = self.kinds
        for kind in kinds:
            if not isinstance(kind, (Numeric, Ordinal, Nominal)):
                problem = f"Schema got {kind!r} as a kind; expected Numeric(), Ordinal(order) or Nominal()."
                raise SchemaError.declared(problem, hint="write the kind with its parentheses: Numeric(), not Numeric.")
        if not self.kinds:
            raise SchemaError.declared(
                "Schema got no kinds; expected one for each column.", hint="a table has at least one column."
            )
        if self.names is None:
            return
        object.__setattr__(self, "names", tuple(self.names))
        if len(self.names) != len(self.kinds):
            problem = f"Schema got {len(self.names)} names and {len(self.kinds)} kinds; expected as many of each."
            raise SchemaError.declared(problem, hint="pass names=None for a table without names.")
        repeated = [name for name in dict.fromkeys(self.names) if self.names.count(name) > 1]
        if repeated:
            raise SchemaError.duplicate_names(repeated)

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        labels = [str(self.label(a)) for a in range(len(self))]
        width = max(map(len, labels))
        lines = [f"  {label:<{width}}  {kind!r}" for label, kind in zip(labels, self.kinds, strict=True)]
        return "\n".join([f"Schema: {len(self)} attribute{'s' if len(self) > 1 else ''}", *lines])

    def label(self, a: int) -> Name:
        """The name of attribute ``a``, or its position where there are no names."""
        return a if self.names is None else self.names[a]

    def position(self, key: Name, *, parameter: str = "key") -> int:
        """The position of the attribute that ``key`` names; ``ParameterError`` where there is none.

        An integer, of Python or NumPy, is a name where some name equals it, and a position from 0 otherwise.

        Parameters
        ----------
        key
            The name or the position of an attribute.

        Examples
        --------
        >>> Schema(("age", "size"), (Numeric(), Nominal())).position("size")
        1
        """
        return keys.position(key, self.names, len(self), parameter=parameter)

    def positions(self, names: Iterable[Name], *, parameter: str = "keys") -> tuple[int, ...]:
        """The positions of several attributes, such as the keys of a mapping; none may be named twice."""
        return keys.positions(names, self.names, len(self), parameter=parameter)

    @classmethod
    def infer(
        cls,
        X: Any,
        categorical_features: CategoricalFeatures = "from_dtype",
        kinds: Mapping[Name, Kind] | None = None,
        *,
        parameter: str = "kinds",
    ) -> Schema:
        """The schema that the types of a table stand for.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        categorical_features
            ``"from_dtype"``: by type, as in the table above. Otherwise which columns are nominal, as a mask, as
            positions or as names, all others being numeric (or ordinal, if their type has an order); None for no
            column. An integer is a column's name where the names are integers, and its position otherwise.
        kinds
            Kinds declared by hand, by name or position; they win.

        Examples
        --------
        >>> Schema.infer([[1.5, "red", True], [None, "blue", False]])
        Schema: 3 attributes
          0  Numeric()
          1  Nominal(content='text')
          2  Nominal(content='booleans')
        >>> Schema.infer([[1.5, 2], [0.5, 1]], categorical_features=[1])
        Schema: 2 attributes
          0  Numeric()
          1  Nominal(content='numbers')
        """
        source = open_source(X)
        chosen = choose_kinds(source, categorical_features, kinds or {}, parameter=parameter)
        schema = cls(source.names, chosen)
        for a, (kind, column) in enumerate(zip(schema.kinds, source.columns, strict=True)):
            if not fits(kind, column):
                raise SchemaError.contradicts(
                    schema.label(a), found(column), kind.describe(), wanted(kind), parameter=parameter
                )
        return schema

    def read(self, X: Any, *, known: Known | None = None) -> Table:
        """The rows of a table, read by this schema.

        Parameters
        ----------
        X
            A table of any make that has the columns of this schema.
        known
            The values known for an attribute, for messages.
        """
        if self._is_block(X):
            return self._read_block(X)
        if (table := read_one_row(self, X)) is not None:
            return table
        source = open_source(X)
        order = self._match(source)
        columns = []
        for a, position in enumerate(order):
            kind, column = self.kinds[a], source.columns[position]
            if not fits(kind, column):
                fitted = kind.describe(known(a) if known else ()) if isinstance(kind, Nominal) else kind.describe()
                raise SchemaMismatchError.kind(self.label(a), found(column), fitted, wanted(kind))
            columns.append(read_column(kind, column, self.label(a)))
        return Table(self, source.rows, tuple(columns))

    def _is_block(self, X: object) -> bool:
        """Whether X can be taken whole: a plain array of numbers for numeric attributes only."""
        return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "fiu" and self._numeric

    def _read_block(self, X: Any) -> Table:
        if X.shape[1] != len(self):
            raise SchemaMismatchError.width(X.shape[1], len(self))
        block = X if X.dtype == np.float64 else _as_floats(X)
        infinite = np.isinf(block)
        if infinite.any():
            raise SchemaError.infinite(self.label(int(infinite.any(axis=0).argmax())))
        return Table(self, len(X), block=block)

    def _match(self, source: Source) -> Sequence[int]:
        """For each attribute, the position of its column."""
        if self.names is None or source.names is None or self.names == source.names:
            if len(source.columns) != len(self):
                raise SchemaMismatchError.width(len(source.columns), len(self))
            return range(len(self))
        positions = {name: position for position, name in enumerate(source.names)}
        fitted = set(self.names)
        unseen = [name for name in source.names if name not in fitted]
        absent = [name for name in self.names if name not in positions]
        if unseen or absent:
            raise SchemaMismatchError.names(unseen, absent)
        return [positions[name] for name in self.names]


def _as_floats(X: AnyArray) -> FloatArray:
    # A number beyond float64 becomes infinite, and is refused as such.
    with np.errstate(over="ignore"):
        return X.astype(np.float64)
