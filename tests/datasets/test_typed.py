"""Single numbers and dates in the notations of different countries."""

from __future__ import annotations

import datetime

import pytest
from typed_texts import NUMBERS

from priorcase.datasets.typed import typed_date, typed_number
from priorcase.exceptions import ReadingError


@pytest.mark.parametrize(("text", "decimal", "expected"), NUMBERS)
def test_a_typed_number_has_one_meaning_or_none(text: str, decimal: str, expected: float | str | None) -> None:
    if isinstance(expected, str):
        with pytest.raises(ReadingError) as raised:
            typed_number(text, decimal)
        assert str(raised.value) == expected
    else:
        found = typed_number(text, decimal)
        assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-06-01", datetime.date(2025, 6, 1)),
        (" 2025-06-01T08:30 ", datetime.datetime(2025, 6, 1, 8, 30)),
        ("1.6.2025", datetime.date(2025, 6, 1)),
        ("1.6.25 08:30", datetime.datetime(2025, 6, 1, 8, 30)),
        ("31/12/2025", datetime.date(2025, 12, 31)),
        ("12/31/2025", datetime.date(2025, 12, 31)),
        ("6/6/2025", datetime.date(2025, 6, 6)),
        ("1. Juni 2025", datetime.date(2025, 6, 1)),
        ("Jun 1, 2025", datetime.date(2025, 6, 1)),
        ("31.2.2025", None),
        ("12", None),
        ("", None),
        ("soon", None),
        ("\ud800", None),
    ],
)
def test_a_typed_date_is_read_in_any_notation(text: str, expected: datetime.date | None) -> None:
    assert typed_date(text) == expected


def test_a_date_with_two_meanings_is_refused() -> None:
    with pytest.raises(ReadingError, match=r"can mean 2025-06-01 or 2025-01-06\. Write 2025-06-01 or 2025-01-06\."):
        typed_date("1/6/2025")
