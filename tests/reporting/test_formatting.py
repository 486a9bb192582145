"""Numbers, names and cells as a report shows them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from priorcase._numbers import decimals, equal_decimals, fixed, number, with_errors
from priorcase.exceptions import joined, visible, visible_json
from priorcase.reporting.formatting import chance, count, duration, percent, seconds, unambiguous, value
from priorcase.reporting.learners import form_of
from priorcase.reporting.page import bold, ticks

NAN, INFINITY = float("nan"), float("inf")
SHOWN: list[tuple[Callable[..., object], tuple[object, ...], object]] = [
    (count, (1, "row"), "1 row"),
    (count, (48842, "row"), "48,842 rows"),
    (count, (2, "class", "classes"), "2 classes"),
    (percent, (0.8613,), "86.1%"),
    (percent, (1.0,), "100.0%"),
    (percent, (0.00004,), "< 0.1%"),
    (percent, (0.99999,), "> 99.9%"),
    (percent, (NAN,), "-"),
    (number, (0.30456, 3), "0.305"),
    (number, (1234567.8,), "1,234,568"),
    (number, (5.78406e8,), "578,406,000"),
    (number, (9999.0,), "9999"),
    (number, (9999.96, 5), "10,000"),
    (number, (0.0001,), "0.0001"),
    (number, (-0.0000123,), "-1.23e-05"),
    (number, (-0.0,), "0"),
    (number, (1e308,), "1e+308"),
    (number, (-INFINITY,), "-inf"),
    (number, (NAN,), "-"),
    (decimals, ([0.05, 0.5],), 3),
    (decimals, ([0.0005],), 5),
    (decimals, ([5.0, 12345.0, 67890.0],), 0),
    (decimals, ([NAN, 0.0],), 3),
    (fixed, (-0.0001, 3), "0.000"),
    (fixed, (1234567.89, 3), "1,234,568"),
    (fixed, (NAN, 3), "-"),
    (fixed, (-INFINITY, 3), "-inf"),
    (equal_decimals, ([0.25, 1.0, 3.605],), ["0.250", "1.000", "3.605"]),
    (equal_decimals, ([1.0, 20.0, NAN],), ["1", "20", "-"]),
    (with_errors, ([-0.6022, -0.424], [0.0035, 0.021]), ["-0.602 ± 0.004", "-0.424 ± 0.021"]),
    (with_errors, ([12345.6], [321.0]), ["12,346 ± 321"]),
    (with_errors, ([2.5], [NAN]), ["2.500"]),
    (with_errors, ([1e200], [1e199]), ["1e+200 ± 1e+199"]),
    (seconds, (0.0312,), "0.03 s"),
    (seconds, (4.26,), "4.3 s"),
    (seconds, (71,), "71 s"),
    (seconds, (4000,), "67 min"),
    (value, (None,), "?"),
    (value, (1455435.0,), "1,455,435"),
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
    (ticks, (9.0, 46.6), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    (ticks, (0.013, 0.087), [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]),
    (form_of, ([[1, 2]],), "array"),
    (form_of, (np.zeros((1, 2)),), "array"),
]


@pytest.mark.parametrize(("function", "given", "shown"), SHOWN)
def test_what_is_shown(function: Callable[..., object], given: tuple[object, ...], shown: object) -> None:
    assert function(*given) == shown


def test_a_posterior_probability_is_never_certain() -> None:
    assert percent(1.0, certain=False) == "> 99.9%"
    assert percent(0.0, certain=False) == "< 0.1%"
