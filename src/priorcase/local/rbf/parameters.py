"""Rules for the parameters of networks, one sentence each."""

from __future__ import annotations

import math
from typing import Literal, cast, get_args

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice, choices_text
from priorcase.local.rbf.centers import CenterKind
from priorcase.local.rbf.curve import Criterion
from priorcase.local.rbf.widths import WidthRule


def check_n_centers(value: object, kind: CenterKind) -> int | Literal["auto"]:
    """The number of centres; none where every row is one."""
    if isinstance(value, str) and value == "auto":
        return "auto"
    hint = "'auto' takes four times the root of the number of rows, 100 to 200."
    if kind == "all":
        expected, hint = "'auto' with centers='all'", "every different row is a centre then."
        raise ParameterError.wrong("n_centers", value, expected=expected, hint=hint)
    if is_whole(value) and int(value) >= 1:
        return int(value)
    expected = "a whole number >= 1 or 'auto'"
    raise ParameterError.wrong("n_centers", value, expected=expected, hint=hint, names=("auto",))


def check_centers(value: object) -> CenterKind:
    """Where centres come from."""
    hint = "'kmeans' suits most tables; 'all' takes every row and can interpolate."
    return cast(CenterKind, check_choice("centers", value, get_args(CenterKind), hint=hint))


def check_width(value: object, kind: CenterKind) -> WidthRule | float:
    """How far centres reach: a rule, or one width for all."""
    names = get_args(WidthRule)
    if is_number(value) and 0 < value < math.inf:
        return float(value)
    if isinstance(value, str) and value in names:
        if value == "em" and kind != "em":
            expected, hint = "another width, or centers='em'", "the variances are those of the mixture of the inputs."
            raise ParameterError.wrong("width", value, expected=expected, hint=hint)
        return cast(WidthRule, value)
    expected = f"a finite number > 0, {choices_text(names)}"
    hint = "'auto' chooses a common width by cross-validation; a number is in units of the distance."
    raise ParameterError.wrong("width", value, expected=expected, hint=hint, names=names)


def check_alpha(value: object) -> Criterion | float:
    """How strong the penalty is, or what chooses it."""
    names = get_args(Criterion)
    if is_number(value) and 0 <= value < math.inf:
        return float(value)
    if isinstance(value, str) and value in names:
        return cast(Criterion, value)
    expected = f"a finite number >= 0, {choices_text(names)}"
    hint = "'loo' chooses it by leaving rows out; 0 is plain least squares."
    raise ParameterError.wrong("alpha", value, expected=expected, hint=hint, names=names)
