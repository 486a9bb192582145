"""Count the values in Arrow batches directly from their dictionary codes, if earlier batches had the same dictionaries.

Normally, every value of every dictionary in a batch is read. The batches of a Parquet file often have the same
dictionaries. A code then stands for the same value as in the earlier batch, so it is sufficient to count the codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from priorcase._core import count_values
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.bayes.memory import FIRST, UNSEEN
from priorcase.schema.columns import damaged_codes, dictionary_codes

# Integers are counted by their distance from the smallest: maximum range, and room for larger ones in later batches.
_MOST, _SPARE = 1 << 16, 1024


@dataclass
class RepeatedBatches:
    """Counts of the rows in Arrow batches that all have the same dictionaries.

    ``columns`` contains a tuple for each column: its position in the table, its dictionary if it is nominal, its lowest
    counted integer if its integers are counted individually, and its cut points if it is binned. Elements that do not
    apply are None.
    """

    columns: Sequence[tuple[int, Any, int | None, FloatArray | None]]
    target: Any  # the dictionary of the classes
    starts: IdArray  # first cell of each column
    cells: IdArray
    rows: int = 0
    _room: dict[int, AnyArray] = field(default_factory=dict)  # memory for ranks of numbers, reused for each batch

    @classmethod
    def like(
        cls, table: Any, target: Any, attributes: Sequence[tuple[int, bool, FloatArray | None]]
    ) -> RepeatedBatches | None:
        """Return a counter for batches with the dictionaries of this table, or None if the table is not suitable."""
        import pyarrow.types as t

        columns, sizes = list[Any](), list[int]()
        if len(parts := table.to_batches()) != 1 or target.num_chunks != 1 or not t.is_dictionary(target.type):
            return None
        for position, nominal, cuts in attributes:
            column = parts[0].column(position)
            if nominal:
                if not t.is_dictionary(column.type) or not _plain(dictionary := column.dictionary):
                    return None
                columns.append((position, dictionary, None, None))
                sizes.append(len(dictionary))
            elif cuts is not None:
                columns.append((position, None, None, cuts))
                sizes.append(len(cuts) + 1)
            else:
                if not t.is_integer(column.type) or column.null_count:
                    return None
                numbers = column.to_numpy(zero_copy_only=False)
                low, high = int(numbers.min()), int(numbers.max())
                if high - low > _MOST or abs(low) > 2**31 - 2 * _MOST:
                    return None
                low = 0 if 0 <= low <= _SPARE else low  # the numbers are their ranks
                columns.append((position, None, low, None))
                sizes.append(high - low + 1 + _SPARE)
        dictionary = target.chunk(0).dictionary
        if not _plain(dictionary):
            return None
        starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64) + FIRST)]).astype(np.int64)
        return cls(columns, dictionary, starts, np.zeros((int(starts[-1]), len(dictionary)), np.int64))

    def add(self, table: Any, target: Any, threads: int) -> bool:
        """Count a batch if it has the same dictionaries as the earlier batches; return whether it was counted."""
        if target.num_chunks != 1 or target.null_count or not _same(target.chunk(0), self.target):
            return False
        if len(parts := table.to_batches()) != 1:
            return False
        own, chunks = dictionary_codes(target.chunk(0), check=False), parts[0].columns
        codes = list[AnyArray]()
        for d, (position, dictionary, low, cuts) in enumerate(self.columns):
            chunk = chunks[position]
            found: AnyArray | None = None
            if dictionary is not None:
                found = dictionary_codes(chunk, check=False) if _same(chunk, dictionary) else None
            elif cuts is not None:
                found = _numbers(chunk)
            elif low is not None and not chunk.null_count:
                found = self._ranks(d, chunk, low)
            if found is None:
                return False
            codes.append(found)
        cuts_of = [cuts for *_, cuts in self.columns]
        count_values(codes, cuts_of, own, self.starts, self.cells, 1, threads)
        self.rows += len(own)
        # Codes outside a column's dictionary are counted as unseen, and rows with a class code outside the dictionary
        # of the classes are not counted.
        if self.cells[self.starts[:-1] + UNSEEN].any() or self.cells[: self.starts[1]].sum() != self.rows:
            raise damaged_codes()
        return True

    def _ranks(self, d: int, chunk: Any, low: int) -> AnyArray | None:
        """Return each integer minus ``low``, the lowest counted integer; None if some integers are out of range."""
        numbers: AnyArray = chunk.to_numpy(zero_copy_only=False)
        n = int(self.starts[d + 1] - self.starts[d]) - FIRST
        if numbers.dtype.kind not in "iu":
            return None
        if not np.can_cast(numbers.dtype, np.int32) and (int(numbers.min()) < low or int(numbers.max()) >= low + n):
            return None
        ranks: AnyArray = numbers.astype(np.int32, copy=False)
        if low:
            if d not in self._room or len(self._room[d]) < len(ranks):
                self._room[d] = np.empty(len(ranks), np.int32)
            ranks = np.subtract(ranks, np.int32(low), out=self._room[d][: len(ranks)])
        # Numbers below ``low``, and distances of more than 31 bits, are large if they are read as unsigned.
        return ranks if int(ranks.view(np.uint32).max()) < n else None

    def blocks(self, classes: Sequence[int], n_classes: int) -> list[tuple[Any, IdArray]]:
        """Return each column's values (None for bins) and counts; class i of this counter becomes ``classes[i]``."""
        cells = np.zeros((len(self.cells), n_classes), np.int64)
        cells[:, classes] = self.cells
        found = list[tuple[Any, IdArray]]()
        for (_, dictionary, low, _), (start, end) in zip(self.columns, pairwise(self.starts.tolist()), strict=True):
            block = cells[start:end]
            values = None if dictionary is None else dictionary.to_pylist()
            found.append((values if low is None else low + np.arange(len(block) - FIRST, dtype=np.float64), block))
        return found


def _plain(dictionary: Any) -> bool:
    """Return whether a dictionary contains distinct strings and no missing values."""
    import pyarrow.types as t

    text = t.is_string(dictionary.type) or t.is_large_string(dictionary.type)
    return text and not dictionary.null_count and len(dictionary.unique()) == len(dictionary)


def _same(chunk: Any, dictionary: Any) -> bool:
    """Return whether a chunk of an Arrow column is encoded with this dictionary."""
    import pyarrow.types as t

    return t.is_dictionary(chunk.type) and bool(chunk.dictionary.equals(dictionary))


def _numbers(chunk: Any) -> FloatArray | None:
    """Return the numbers as float64; None if the conversion could round a number, or if a number is infinite."""
    import pyarrow.types as t

    if chunk.null_count and t.is_integer(chunk.type) and chunk.type.bit_width > 32:
        return None  # PyArrow would already convert these to float64
    numbers: AnyArray = chunk.to_numpy(zero_copy_only=False)
    exact = numbers.dtype.kind in "iu" and numbers.dtype.itemsize <= 4
    if not exact and (numbers.dtype.kind != "f" or np.isinf(numbers).any()):
        return None
    return np.asarray(numbers, np.float64)
