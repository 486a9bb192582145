"""Rules for the parameters that many estimators have, one sentence each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache

import joblib
import numpy as np
from sklearn.utils import check_random_state

from priorcase._parameters import is_whole
from priorcase.exceptions import ParameterError
from priorcase.schema import Schema

_THREADS_PER_CORE = 4


def check_choice(parameter: str, value: object, choices: Sequence[str], *, hint: str) -> str:
    """One of some names."""
    if isinstance(value, str) and value in choices:
        return value
    expected = choices_text(choices)
    raise ParameterError.wrong(parameter, value, expected=expected, hint=hint, names=choices)


def check_flag(parameter: str, value: object, *, hint: str) -> bool:
    """True or False, of Python or NumPy; nothing that merely counts as true."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ParameterError.wrong(parameter, value, expected="True or False", hint=hint)


def check_seed(value: object) -> int:
    """One seed that everything random comes from; a whole number is its own seed."""
    if is_whole(value) and 0 <= int(value) < 2**32:
        return int(value)
    try:
        return int(check_random_state(value).randint(2**31 - 1))
    except ValueError:
        expected = "None, a whole number from 0 to 2**32 - 1 or a numpy.random.RandomState"
        hint = "a number makes fits repeatable."
        raise ParameterError.wrong("random_state", value, expected=expected, hint=hint) from None


def choices_text(names: Sequence[str]) -> str:
    """Names to choose from, as a sentence says them.

    Examples
    --------
    >>> choices_text(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    quoted = [repr(name) for name in names]
    return " or ".join(quoted) if len(quoted) < 3 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def check_schema(value: object) -> None:
    """None, a schema, or kinds of some columns."""
    if value is not None and not isinstance(value, (Schema, Mapping)):
        expected = "None, a Schema or a mapping from column to kind"
        hint = "for example {'size': Ordinal(('S', 'M', 'L'))}."
        raise ParameterError.wrong("schema", value, expected=expected, hint=hint)


def check_n_jobs(value: object) -> int | None:
    """The number of threads, or how many to leave."""
    if value is None:
        return None
    if is_whole(value) and int(value) != 0:
        return int(value)
    expected = "None or a whole number other than 0"
    raise ParameterError.wrong("n_jobs", value, expected=expected, hint="None and -1 use all cores.")


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: None for all cores (at most ``OMP_NUM_THREADS``), -1 for all, -2 for all but one.

    Never more than four for each core, since more would only wait for each other.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
        return min(_cores(), int(limit)) if limit.isdigit() and int(limit) > 0 else _cores()
    return min(n_jobs, _THREADS_PER_CORE * _cores()) if n_jobs > 0 else max(1, _cores() + 1 + n_jobs)


@cache
def _cores() -> int:
    return int(joblib.cpu_count())


def is_list(value: object) -> bool:
    """Whether a value is a list of entries, such as one prior weight for each class."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
