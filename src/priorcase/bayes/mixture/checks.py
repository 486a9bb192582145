"""Rules for the parameters of a mixture, one sentence each."""

from __future__ import annotations

import math
from typing import Any, cast, get_args

import numpy as np
from sklearn.utils import check_random_state

from priorcase._parameters import is_number, is_whole
from priorcase.bayes.checks import positive
from priorcase.bayes.mixture.selection import Search, SelectionName
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice, check_n_jobs, thread_count


def check_search(model: Any) -> Search:
    """How to look for a mixture, as the parameters of a model say."""
    tol = model.tol
    if not is_number(tol) or not 0 <= tol < math.inf:
        hint = "1e-6 stops when a turn gains less than that for each row."
        raise ParameterError.wrong("tol", tol, expected="a finite number >= 0", hint=hint)
    if not isinstance(model.progress, (bool, np.bool_)):
        hint = "the bar is drawn on standard error, and only where that is a terminal."
        raise ParameterError.wrong("progress", model.progress, expected="True or False", hint=hint)
    return Search(
        weight=positive("prior", model.prior, hint="it is how many rows the prior is worth: 1.0 by default."),
        n_init=_count(model.n_init, "n_init", "5 is a common choice."),
        max_iter=_count(model.max_iter, "max_iter", "200 is a common choice."),
        tol=float(tol),
        seed=_seed(model.random_state),
        threads=thread_count(check_n_jobs(model.n_jobs)),
        shown=bool(model.progress),
    )


def check_selection(value: object) -> SelectionName:
    """The score that chooses the number of components."""
    hint = "'cheeseman_stutz' approximates the evidence; 'held_out' scores rows that were left out."
    return cast(SelectionName, check_choice("selection", value, get_args(SelectionName), hint=hint))


def check_numbers(n_components: object, max_components: object, rows: float) -> list[int]:
    """The numbers of components to try with this many rows."""
    most = _count(max_components, "max_components", "10 is a common choice.")
    if isinstance(n_components, str) and n_components == "auto":
        return list(range(1, int(min(most, rows)) + 1))
    if not is_whole(n_components) or int(n_components) < 1:
        expected = "'auto' or a whole number >= 1"
        hint = "'auto' tries 1 to max_components and takes the best."
        raise ParameterError.wrong("n_components", n_components, expected=expected, hint=hint)
    if n_components > rows:
        expected = f"at most {int(rows)}, the number of rows"
        hint = "ask for fewer components, or pass 'auto'."
        raise ParameterError.wrong("n_components", n_components, expected=expected, hint=hint)
    return [int(n_components)]


def _count(value: object, parameter: str, hint: str) -> int:
    if is_whole(value) and int(value) >= 1:
        return int(value)
    raise ParameterError.wrong(parameter, value, expected="a whole number >= 1", hint=hint)


def _seed(random_state: Any) -> int:
    """One seed that everything random comes from."""
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        expected = "None, a whole number >= 0 or a numpy.random.RandomState"
        raise ParameterError.wrong(
            "random_state", random_state, expected=expected, hint="a number makes fits repeatable."
        ) from None
