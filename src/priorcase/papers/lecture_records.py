"""The lecture's ten tax records, and what naive Bayes makes of them: every figure of its slides is asked from here."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.bayes import GaussianDensity, NaiveBayes
from priorcase.datasets import NamedColumns
from priorcase.schema import Kind, Nominal, Numeric

REFUND, STATUS, INCOME = "Refund", "Marital Status", "Taxable Income"
COLUMNS = (REFUND, STATUS, INCOME)

RECORDS = (
    ("Yes", "Single", 125.0, "No"),
    ("No", "Married", 100.0, "No"),
    ("No", "Single", 70.0, "No"),
    ("Yes", "Married", 120.0, "No"),
    ("No", "Divorced", 95.0, "Yes"),
    ("No", "Married", 60.0, "No"),
    ("Yes", "Divorced", 220.0, "No"),
    ("No", "Single", 85.0, "Yes"),
    ("No", "Married", 75.0, "No"),
    ("No", "Single", 90.0, "Yes"),
)
"""Refund, marital status, taxable income in thousands, and whether the taxpayer cheats (a later slide says evades)."""

_KINDS: dict[str, Kind] = {
    REFUND: Nominal(("Yes", "No")),
    STATUS: Nominal(("Single", "Married", "Divorced")),
    INCOME: Numeric(),
}


def records(columns: tuple[str, ...] = COLUMNS, **changed: tuple[int, Any]) -> tuple[NamedColumns, list[str]]:
    """The records as a table and their classes.

    Parameters
    ----------
    columns
        Which of them.
    **changed
        For a column, ``_`` in place of a space, a record's number from 1 and the value it is to have.

    Examples
    --------
    >>> X, y = records(("Refund",))
    >>> len(X), X["Refund"][:3].tolist(), y.count("Yes")
    (10, ['Yes', 'No', 'No'], 3)
    >>> records(Marital_Status=(7, "Married"))[0]["Marital Status"][6]
    'Married'
    """
    data = {name: [row[at] for row in RECORDS] for at, name in enumerate(COLUMNS)}
    for name, (number, value) in changed.items():
        data[name.replace("_", " ")][number - 1] = value
    return NamedColumns.of(data, {name: _KINDS[name] for name in columns}), [row[-1] for row in RECORDS]


def query(*known: Any, **values: Any) -> NamedColumns:
    """One record of which some values are known: refund, marital status and income in turn, or by name.

    Examples
    --------
    >>> query("No", "Married").tuples(), query(Taxable_Income=120).tuples()
    ([('No', 'Married', None)], [(None, None, 120.0)])
    """
    row = dict(zip(COLUMNS, known, strict=False)) | {name.replace("_", " "): v for name, v in values.items()}
    return NamedColumns.of({name: [row.get(name)] for name in COLUMNS}, _KINDS)


def frequencies(X: Any, y: list[str]) -> NaiveBayes:
    """The lecture's naive Bayes: relative frequencies, and normal densities with the variance's divisor n - 1."""
    return NaiveBayes("map", numeric=GaussianDensity(0.0), n_jobs=1).fit(X, y)


def likelihood(model: NaiveBayes, row: NamedColumns) -> dict[str, float]:
    """``P(known values | class)`` for each class: the joint probability by that of the class alone.

    Examples
    --------
    >>> found = likelihood(frequencies(*records()), query("No", "Married"))
    >>> {label: round(share * 49, 9) for label, share in found.items()}
    {'No': 16.0, 'Yes': 0.0}
    """
    joint = np.exp(model.predict_joint_log_proba(row)[0])
    return dict(zip(model.classes_.tolist(), (joint / class_shares(model)).tolist(), strict=True))


def class_shares(model: NaiveBayes) -> Any:
    """``P(class)``: what is predicted of a record of which nothing is known."""
    return model.predict_proba(query())[0]
