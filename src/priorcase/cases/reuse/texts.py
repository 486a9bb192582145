"""Solutions and values as short texts."""

from __future__ import annotations

from typing import Any

from priorcase.cases.kinds import written
from priorcase.learning.plotting import cut


def value_text(value: Any, width: int = 60) -> str:
    """A value on one line, without its middle where it is long; a number to six digits.

    Examples
    --------
    >>> value_text("replace\\nthe toner"), value_text({"b": 1, "a": [True]}), value_text(2 / 3), value_text(None)
    ('replace the toner', '{"a":[true],"b":1}', '0.666667', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (set, frozenset)):
        return cut(f"{{{', '.join(sorted(map(str, value)))}}}", width)
    text = written(value) if isinstance(value, (dict, list, bool)) else str(value)
    return cut(" ".join(text.split()), width)
