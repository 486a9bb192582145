"""Number formatting, shared by tables, reports and the command line; the explorer's dom.js follows the same rules.

- Counts have thousands separators, as in ``2,500 rows`` (format counts with ``:,``).
- Single numbers, such as one value of a data table, have a fixed number of significant digits and no trailing zeros
  (`number`). A single number below 10,000 has no thousands separator, because the number may be a year.
- All numbers of a printed column have thousands separators and the same number of decimals, except that numbers of at
  least one million have no decimals (`equal_decimals`, `fixed`). A standard error has as many decimals as the score
  before it, as in ``0.847 ± 0.003`` (`with_errors`).
- Numbers with an absolute value of at least 1e15, and single numbers with an absolute value below 1e-4, are written
  with exponents. NaN is shown as a dash.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the help of the command line does not load NumPy
    from numpy.typing import ArrayLike


def number(x: float, digits: int = 6) -> str:
    """Return a number as text with the given number of significant digits.

    Examples
    --------
    >>> number(2005.0), number(80800.0), number(1234567.8), number(0.00021678, 2), number(2.50), number(-1.23e-6)
    ('2005', '80,800', '1,234,568', '0.00022', '2.5', '-1.23e-06')
    """
    if math.isnan(x):
        return "-"
    size = math.floor(math.log10(abs(x))) if x and math.isfinite(x) else 0
    if math.isinf(x) or not -4 <= size < 15:
        return f"{x:.{digits}g}"
    places = max(digits - 1 - size, 0)
    comma = "," if abs(round(x, places)) >= 10_000 else ""
    text = f"{x:z{comma}.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def share_text(share: float) -> str:
    """Return a probability with two decimals, or ``<0.01`` if a positive probability would be rounded to 0.00.

    Examples
    --------
    >>> share_text(0.7256), share_text(0.0049), share_text(0.0), share_text(1.0)
    ('0.73', '<0.01', '0.00', '1.00')
    """
    return "<0.01" if 0 < share < 0.005 else f"{share:.2f}"


def decimals(values: ArrayLike, digits: int = 4) -> int:
    """Return the number of decimals for the numbers of a column, based on their median absolute value."""
    import numpy as np

    sizes = np.abs(np.asarray(values, float))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if not sizes.size:
        return digits - 1
    size = math.floor(math.log10(float(np.median(sizes))))
    # With up to eight decimals, a median of at least 1 has at least ``digits`` significant digits. A smaller median has
    # at least ``digits - 1`` decimals and at least ``digits - 2`` significant digits.
    return min(max(digits - 1 - (size if size >= 0 else min(size + 2, 0)), 0), 8)


def fixed(x: float, places: int) -> str:
    """Return a number as text with the given number of decimals."""
    if not math.isfinite(x):
        return "-" if math.isnan(x) else f"{x}"
    return f"{x:.4g}" if abs(x) >= 1e15 else f"{x:z,.{places if abs(x) < 1e6 else 0}f}"


def equal_decimals(values: ArrayLike, digits: int = 4) -> list[str]:
    """Format numbers with the same number of decimals (see `decimals`), without trailing zeros that all of them share.

    Examples
    --------
    >>> equal_decimals([-0.40243, -0.447], 5), equal_decimals([0.0, 2.0]), equal_decimals([61234.5, math.nan])
    (['-0.4024', '-0.4470'], ['0', '2'], ['61,234', '-'])
    """
    import numpy as np

    numbers = np.asarray(values, float).tolist()
    places = decimals(numbers, digits)
    texts = [fixed(x, places) for x in numbers]
    while places and all(text.endswith("0") for text in texts if "." in text):
        places -= 1
        texts = [fixed(x, places) for x in numbers]
    return texts


def with_errors(means: Iterable[float], errors: Iterable[float], places: int | None = None) -> list[str]:
    """Format means with the same number of decimals, each followed by its standard error unless the error is NaN.

    Examples
    --------
    >>> with_errors([0.94666, 0.95], [0.0123, 0.0032]), with_errors([12345.6], [321.0]), with_errors([0.5], [math.nan])
    (['0.947 ± 0.012', '0.950 ± 0.003'], ['12,346 ± 321'], ['0.500'])
    """
    means, errors = list(means), list(errors)
    places = decimals(means) if places is None else places
    marks = ["" if math.isnan(error) else f" ± {fixed(error, places)}" for error in errors]
    width = max(map(len, marks), default=0)
    return [fixed(mean, places) + mark.ljust(width) for mean, mark in zip(means, marks, strict=True)]
