"""Numbers, names and cells as a report shows them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from priorcase.exceptions import joined, visible, visible_json
from priorcase.reporting.formatting import count, duration, number, percent, plus_minus, seconds, unambiguous, value
from priorcase.reporting.learners import form_of
from priorcase.reporting.page import bold, rarer, ticks
from priorcase.reporting.summary import chance

NAN, INFINITY = float("nan"), float("inf")
SHOWN: list[tuple[Callable[..., object], tuple[object, ...], object]] = [
    (count, (1, "row"), "1 row"),
    (count, (48842, "row"), "48,842 rows"),
    (count, (2, "class", "classes"), "2 classes"),
    (percent, (0.8613,), "86.1%"),
    (percent, (1.0,), "100%"),
    (percent, (0.00004,), "< 0.1%"),
    (percent, (0.99999,), "> 99.9%"),
    (percent, (NAN,), "-"),
    (number, (0.30456,), "0.305"),
    (number, (1234567.8,), "1,234,568"),
    (number, (-0.0000123,), "-1.23e-05"),
    (number, (1e308,), "1.00e+308"),
    (number, (-INFINITY,), "-infinity"),
    (number, (NAN,), "-"),
    (plus_minus, (-0.30456, 0.00377), "-0.3046 ± 0.0038"),
    (plus_minus, (2.1364, 0.21), "2.14 ± 0.21"),
    (plus_minus, (12345.6, 321.0), "12,346 ± 321"),
    (plus_minus, (-0.550251, 0.000033), "-0.5503 ± < 0.0001"),
    (plus_minus, (2.5, NAN), "2.50"),
    (plus_minus, (1e200, 1e199), "1.00e+200 ± 1.00e+199"),
    (seconds, (0.0312,), "0.03 s"),
    (seconds, (4.26,), "4.3 s"),
    (seconds, (71,), "71 s"),
    (seconds, (4000,), "67 min"),
    (value, (None,), "?"),
    (value, (1455435.0,), "1455435"),
    (value, (0.25,), "0.25"),
    (value, (True,), "yes"),
    (value, ("a\nlong text that goes on and on and on",), "a long text that goes on an…"),
    (joined, (["a"],), "a"),
    (joined, (["a", "b", "c"],), "a, b and c"),
    (joined, (list("abcdefgh"), 3), "a, b, c and 5 more"),
    (joined, ([],), ""),
    (unambiguous, (["a", "b"],), ["a", "b"]),
    (unambiguous, (["a", "b and c"],), ["'a'", "'b and c'"]),
    (unambiguous, (["sand", "b, c"],), ["'sand'", "'b, c'"]),
    (duration, (20.0,), "20s"),
    (duration, (120.0,), "2min"),
    (duration, (7200.0,), "2h"),
    (chance, (0.097,), "0.1"),
    (chance, (0.01,), "0"),
    (chance, (12.4,), "12"),
    (visible_json, ('"a\u202e\x7f",\n"b"',), '"a\\u202e\\u007f",\n"b"'),
    (visible, ("a\x1b[2Jb\u202ec",), r"a\x1b[2Jb\u202ec"),
    (bold, ("Recommended: **a < b**.",), "Recommended: <strong>a &lt; b</strong>."),
    (rarer, (1.0, 48), "2.7 times"),
    (rarer, (3.0, 48), "20 times"),
    (rarer, (9.0, 48), "more than 48 times"),
    (ticks, (9.0, 46.6), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    (ticks, (0.013, 0.087), [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]),
    (form_of, ([[1, 2]],), "array"),
    (form_of, (np.zeros((1, 2)),), "array"),
]


@pytest.mark.parametrize(("function", "given", "shown"), SHOWN)
def test_what_is_shown(function: Callable[..., object], given: tuple[object, ...], shown: object) -> None:
    assert function(*given) == shown
