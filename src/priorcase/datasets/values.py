"""Interpret text fields as numbers, dates or categories, in the notations of different countries.

A `Meaning` says how to interpret the fields of a column. It is inferred from all fields of the column, not from a
sample, and can be applied to the fields of another file. To save time on large tables, fields are processed by Arrow
functions, and equal fields are usually processed only once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from priorcase._typing import BoolArray, IntArray
from priorcase.exceptions import ReadingError, advice, listed

MISSING = (
    *("?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "null", "NULL", "-", "--", "–", "—"),
    *("k. A.", "k.A.", "k. a.", "k.a.", "n. a.", "n.a.", "N.A."),
)
"""Fields that are read as missing by default, in addition to empty fields.

The field ``-`` is not missing if the column also contains ``+``.
"""

_SOFT = "."  # a missing value among numbers and dates, as written by SAS
_MOST_OTHERS = 50  # maximum number of distinct invalid fields to keep
_SAMPLE = 1_000
_MANY = 10_000
_CODE_LENGTH = 4
_LEVELS, _LEVEL_ROWS = 12, 50  # maximum distinct fields and minimum rows of a column that may have levels
_EXACT = 2**53
_CURRENCY = r"(?:US\$|R\$|A\$|C\$|[$€£¥₹₽₩₺]|USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK|PLN|INR|Rs\.?|kr\.?|zł|Kč|Fr\.?)"
_GROUPS = "'’ \u00a0\u202f"
_SIGN = r"(?:\+|([-−]))"
_AMBIGUOUS = r"^[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}$"

Order = Literal["ymd", "dmy", "mdy"]
ORDERS: tuple[Order, ...] = ("ymd", "dmy", "mdy")
_ZONE = r"\s?(?:Z|[-+][0-9]{2}:?[0-9]{2})"
_CLOCK = rf"((?:[T ]\s*[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:[.,][0-9]+)?)?(?:\s?[AaPp][Mm])?(?:{_ZONE})?)?)$"
_YEAR_FIRST = r"^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})" + _CLOCK
_YEAR_LAST = r"^([0-9]{1,2})([-/.])([0-9]{1,2})[-/.]([0-9]{4})" + _CLOCK
_SHORT_YEAR = r"^([0-9]{1,2})([/.])([0-9]{1,2})[/.]([0-9]{2})" + _CLOCK
_NAMED_MONTH = r"^(?:[0-9]{1,2}[. -]+[A-Za-zäÄ]{3,9}[., -]+[0-9]{4}|[A-Za-zäÄ]{3,9}\.? [0-9]{1,2},? [0-9]{4})" + _CLOCK
_MONTHS = ("jan", "feb", "m(?:ar|är|rz)", "apr", "ma[yi]", "jun", "jul", "aug", "sep", "o[ck]t", "nov", "de[cz]")


@dataclass(frozen=True)
class Meaning:
    """Kind of the fields of a column, and their format."""

    kind: Literal["numeric", "nominal", "ordinal", "date", "ignore"]
    decimal: str | None = None  # decimal mark of numbers; None if uncertain
    thousands: str | None = None  # separator; None allows every separator that differs from the decimal mark
    format: str | None = None  # order of the parts of dates ("dmy?" if uncertain), or a ``strptime`` format
    utc: bool = False  # whether dates have a time zone
    values: tuple[str, ...] | None = None  # declared by a file or a user
    others: Mapping[str, int] = field(default_factory=dict)  # counts of invalid fields that were read as missing
    marks: tuple[str, ...] = ()  # markers of missing values
    signs: tuple[str, ...] = ()  # what occurs in numbers: "thousands" (separators), "currency" or "percent"
    mixed: tuple[str, ...] = ()  # nonnumeric values among numbers in a nominal column, such as 5more among 2, 3 and 4
    keeps_dash: bool = False  # whether "-" is a value

    def plain(self) -> dict[str, Any]:
        """Return a dictionary of the nonempty attributes of this object, with values that JSON can represent."""
        found = {name: value for name, value in vars(self).items() if value not in (None, False, {}, ())}
        return {name: [*value] if isinstance(value, tuple) else value for name, value in found.items()}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Meaning:
        """Create a meaning from the result of `plain`."""
        found: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in plain.items()}
        return cls(**found)

    def in_words(self) -> str:
        """Describe the expected fields for error messages."""
        if self.kind == "numeric":
            return "a number such as " + ("3,5 (with a decimal comma)" if self.decimal == "," else "3.5")
        if self.kind == "date":
            shown = {"ymd": "year, month, day", "dmy": "day, month, year", "mdy": "month, day, year"}
            return f"a date ({shown.get(self.format or '', self.format)})"
        return f"one of {listed(self.values or ())}"


class Conventions(NamedTuple):
    """Format of fields as declared by the caller; None means that the format is detected."""

    missing: tuple[str, ...] | None = None  # strings that are read as missing, possibly ""
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None


REMEDY = "Correct the field, leave it empty if the value is unknown, or declare the column nominal."
"""Advice on a field that is not a number or a date."""


# -- the fields of a column


class Fields:
    """The distinct fields of a column with their frequencies."""

    def __init__(self, text: Any, missing: tuple[str, ...] | None, *, keeps_dash: bool = False) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        marks = ("", *MISSING) if missing is None else missing
        coded = text.dictionary_encode()
        coded = pa.chunked_array([coded]) if isinstance(coded, pa.Array) else coded.unify_dictionaries()
        dictionary = coded.chunk(0).dictionary if coded.num_chunks else pa.array([], pa.string())
        codes = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in coded.chunks]
        self.codes: IntArray = np.concatenate(codes) if codes else np.empty(0, np.int32)
        self.values = dictionary.cast(pa.string())
        self.text: Any = text  # None once the fields differ from the text
        if "" in marks:
            self._trim()
        self.counts: IntArray = np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))
        self.keeps_dash = keeps_dash or (missing is None and bool(pc.index(self.values, "+").as_py() >= 0))
        if self.keeps_dash and missing is None:
            marks = tuple(mark for mark in marks if mark != "-")
        self.known: BoolArray = ~self._within(marks)

    def _trim(self) -> None:
        """Remove surrounding blanks from the fields."""
        import pyarrow.compute as pc

        bare = pc.utf8_trim_whitespace(self.values)
        if not bare.equals(self.values):
            merged = bare.dictionary_encode()
            self.codes = np.append(merged.indices.to_numpy(zero_copy_only=False), -1)[self.codes]
            self.values, self.text = merged.dictionary, None

    def _within(self, words: Collection[str]) -> BoolArray:
        import pyarrow as pa
        import pyarrow.compute as pc

        return np.asarray(pc.is_in(self.values, value_set=pa.array([*words], pa.string())), dtype=bool)

    def matching(self, pattern: str, values: Any = None) -> BoolArray:
        """Return a mask of the distinct fields (or of ``values``) that match a regular expression."""
        import pyarrow.compute as pc

        return np.asarray(pc.match_substring_regex(self.values if values is None else values, pattern), dtype=bool)

    def weight(self, chosen: BoolArray) -> int:
        """Count the rows with a known value whose field is selected by a mask of the distinct fields."""
        return int(self.counts[chosen & self.known].sum())

    def spread(self, values: Any) -> Any:
        """Return a column of all rows, given one value for each distinct field; missing fields become null."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if len(self.values) == 0:
            return pa.nulls(len(self.codes), values.type)
        shown = pc.if_else(pa.array(self.known), values, pa.scalar(None, values.type))
        return pc.take(shown, pa.array(self.codes, mask=self.codes < 0))

    @property
    def marks(self) -> tuple[str, ...]:
        """Nonempty fields that mean a missing value, most frequent first."""
        found = np.flatnonzero(~self.known)
        found = found[np.argsort(-self.counts[found], kind="stable")]
        return tuple(mark for at in found if (mark := self.values[int(at)].as_py()))

    def first_row(self, chosen: BoolArray) -> int:
        """Return the first row with a known value whose field is selected by a mask of the distinct fields."""
        return int(np.flatnonzero(np.append(chosen & self.known, False)[self.codes])[0])

    def others(self, fitting: BoolArray) -> dict[str, int]:
        """Return the most frequent invalid fields with their counts; ``fitting`` is a mask of the valid fields."""
        rest = np.flatnonzero(self.known & ~fitting)
        rest = rest[np.argsort(-self.counts[rest], kind="stable")][:_MOST_OTHERS]
        return {self.values[int(at)].as_py(): int(self.counts[at]) for at in rest}

    def hopeless(self, patterns: Iterable[str]) -> bool:
        """Return whether each pattern matches less than 20% of a sample; False if there are few distinct fields."""
        if len(self.values) <= 10 * _SAMPLE:
            return False
        sample = self.values.take(np.arange(0, len(self.values), len(self.values) // _SAMPLE))
        return all(self.matching(pattern, sample).mean() < 0.2 for pattern in patterns)


# -- numbers


def _number_pattern(decimal: str, thousands: str | None) -> str:
    """Return a regular expression for numbers; groups: minus, minus after a currency sign, digits, exponent."""
    marks = {".": ",", ",": "."}[decimal] + _GROUPS if thousands is None else thousands
    grouped = f"[0-9]{{1,3}}(?:[{re.escape(marks)}][0-9]{{3}})+|" if marks else ""
    mark = re.escape(decimal)
    digits = rf"((?:{grouped}[0-9]+)(?:{mark}[0-9]*)?|{mark}[0-9]+)((?:[eE][-+]?[0-9]+)?)"
    return rf"^(?:{_SIGN}?\s*(?:{_CURRENCY}\s*)?|{_CURRENCY}\s*{_SIGN}){digits}\s*(?:{_CURRENCY}|%|‰)?$"


_EITHER = [_number_pattern(mark, None) for mark in ".,"]
NUMBER = re.compile("|".join(_EITHER))
"""Pattern of a number in the notation of any country."""
DATE = re.compile("|".join((_YEAR_FIRST, _YEAR_LAST, _SHORT_YEAR, _NAMED_MONTH)))
"""Pattern of a date in the notation of any country."""


def plain_numbers(text: Any) -> Any:
    """Parse a column of numbers in Python notation; return None if any field is not such a number or may be a code."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        whole = pc.cast(text, pa.int64())
    except pa.ArrowInvalid:
        pass
    else:
        if pc.count(whole).as_py() == 0:
            return pc.cast(whole, pa.float64())
        return None if _codes(text, whole) else whole
    try:
        numbers = pc.cast(text, pa.float64())
    except pa.ArrowInvalid:
        return None
    extremes = pc.min_max(numbers).as_py()  # NaN, infinity and codes with many digits need the slower path
    return numbers if not extremes["min"] < -_EXACT and not extremes["max"] > _EXACT and _no_nan(numbers) else None


def _no_nan(numbers: Any) -> bool:
    import pyarrow.compute as pc

    return not pc.any(pc.is_nan(numbers)).as_py()


def _codes(text: Any, whole: Any) -> bool:
    """Return whether integers are codes: of equal length, some with leading zeros, or too large for float64."""
    import pyarrow.compute as pc

    lengths = pc.min_max(pc.binary_length(text)).as_py()
    if lengths["min"] == lengths["max"] >= _CODE_LENGTH and pc.any(pc.starts_with(text, "0")).as_py():
        return True
    if lengths["max"] < len(str(_EXACT)):
        return False
    extremes = pc.min_max(whole).as_py()
    return bool(max(-extremes["min"], extremes["max"]) > _EXACT)


def _parsed_numbers(fields: Fields, decimal: str, thousands: str | None) -> tuple[BoolArray, Any]:
    """Return a mask of the distinct fields that are numbers with this decimal mark, and the fields as floats."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pattern, marks = _number_pattern(decimal, thousands), {".": ",", ",": "."}[decimal] + _GROUPS
    bare = pc.replace_substring_regex(fields.values, r"^\((.+)\)$", r"-\1")  # negative numbers in accounting notation
    fits = fields.matching(pattern, bare)
    digits = pc.replace_substring_regex(bare, pattern, r"\1\2\3\4")
    digits = pc.replace_substring_regex(digits, f"[{re.escape(marks + (thousands or ''))}]", "")
    digits = pc.replace_substring(pc.replace_substring(digits, "−", "-"), ",", ".")
    numbers = pc.cast(pc.if_else(pa.array(fits), digits, pa.scalar(None, pa.string())), pa.float64())
    finite = np.asarray(pc.fill_null(pc.is_finite(numbers), False), dtype=bool)
    return finite, pc.if_else(pa.array(finite), numbers, pa.scalar(None, pa.float64()))


def _whole_numbers(numbers: Any) -> Any:
    """Convert numbers to integers if all of them are integers and none is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if numbers.null_count or len(numbers) == 0:
        return numbers
    extremes = pc.min_max(numbers).as_py()
    if max(-extremes["min"], extremes["max"]) > _EXACT or pc.any(pc.not_equal(pc.floor(numbers), numbers)).as_py():
        return numbers
    return pc.cast(numbers, pa.int64())


def _decimal_of(fields: Fields, thousands: str | None) -> tuple[str | None, int]:
    """Return the most frequent decimal mark (None if uncertain), and the number of rows that contain numbers."""
    parsed = {mark: _parsed_numbers(fields, mark, None if thousands == mark else thousands)[0] for mark in ".,"}
    weights = {mark: fields.weight(fits) for mark, fits in parsed.items()}
    if weights["."] != weights[","]:
        best = max(weights, key=lambda mark: weights[mark])
        return best, weights[best]
    marked = fields.matching(r"[.,]") & parsed["."]
    return (None, weights["."]) if not fields.weight(marked & ~fields.matching(_AMBIGUOUS)) else (".", weights["."])


# -- dates


def _iso_dates(values: Any, order: str) -> Any:
    """Convert dates with the given order of day, month and year to ISO 8601; other fields are unchanged."""
    import pyarrow.compute as pc

    first, second = (r"\3", r"\1") if order == "dmy" else (r"\1", r"\3")
    values = _numbered_months(values, order)
    values = pc.replace_substring_regex(values, _YEAR_FIRST, r"\1-\2-\3\4")
    if order == "ymd":  # some dates among these have the year last: no country writes the month first with dots
        dotted = _YEAR_LAST.replace("[-/.]", r"\.")
        values = pc.replace_substring_regex(values, dotted, r"\4-\3-\1\5")
    values = pc.replace_substring_regex(values, _YEAR_LAST, rf"\4-{first}-{second}\5")
    for century, decades in (("20", "[0-6]"), ("19", "[7-9]")):
        pattern = _SHORT_YEAR.replace("([0-9]{2})", f"({decades}[0-9])")
        values = pc.replace_substring_regex(values, pattern, rf"{century}\4-{first}-{second}\5")
    values = pc.replace_substring_regex(values, r"-([0-9])(-|$|[T ])", r"-0\1\2")
    values = pc.replace_substring_regex(values, r"-([0-9])($|[T ])", r"-0\1\2")
    return pc.replace_substring_regex(values, r"([T ])\s*([0-9]):", r"\1" "0" r"\2:")


def _numbered_months(values: Any, order: str) -> Any:
    """Replace English and German month names in dates by numbers."""
    import pyarrow.compute as pc

    if not pc.any(pc.match_substring_regex(values, _NAMED_MONTH)).as_py():
        return values
    for number, name in enumerate(_MONTHS, start=1):
        day_first = rf"(?i)^([0-9]{{1,2}})[. -]+{name}[a-zä]*[., -]+([0-9]{{4}})"
        month_first = rf"(?i)^{name}[a-zä]*\.? ([0-9]{{1,2}}),? ([0-9]{{4}})"
        for pattern in (day_first, month_first):
            values = pc.replace_substring_regex(values, pattern, rf"\2-{number:02}-\1")
    return values


def _parsed_dates(fields: Fields, form: str) -> tuple[BoolArray, Any, bool]:
    """Return a mask of the distinct fields that are dates in a format, the dates, and whether they have a time zone."""
    import pandas as pd
    import pyarrow as pa

    if form not in ORDERS:
        utc = "%z" in form
        try:
            texts = pd.Series(fields.values.to_pylist(), dtype=object)
            found = pd.to_datetime(texts, format=form, errors="coerce", utc=utc)
            if utc and found.isna().any():  # time zones given by name
                named = pd.to_datetime(texts, format=form.replace("%z", "%Z"), errors="coerce", utc=utc)
                found = found.fillna(named)
        except (ValueError, re.error) as error:
            raise ReadingError(
                f"got the date format {form!r}, which strptime rejects: {error}. A valid format is '%d.%m.%Y'."
            ) from None
    else:
        texts = pd.Series(_iso_dates(fields.values, form).to_pylist(), dtype=object)
        utc = bool(fields.weight(fields.matching(rf"[0-9]{_ZONE}$") & fields.matching(":")))
        shaped = texts.str.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fillna(False).to_numpy(bool)
        found = pd.Series(pd.NaT, index=texts.index, dtype="datetime64[us, UTC]" if utc else "datetime64[us]")
        for style in ("ISO8601", "%Y-%m-%d %I:%M %p", "%Y-%m-%d %I:%M:%S %p"):
            rest = shaped & found.isna().to_numpy()
            if rest.any():
                tried = pd.to_datetime(texts[rest], format=style, errors="coerce", utc=utc)
                found[rest] = tried.astype(found.dtype)
    kind = pa.timestamp("us", tz="UTC" if utc else None)
    return (
        found.notna().to_numpy(),
        pa.array(found.astype("datetime64[us, UTC]" if utc else "datetime64[us]"), kind),
        utc,
    )


def _order_of(fields: Fields, usual: Order | None) -> tuple[str | None, bool]:
    """Return the order of day, month and year (None if most fields are not dates), and whether it is certain."""
    import pyarrow.compute as pc

    total = fields.weight(np.ones(len(fields.values), dtype=bool))
    if fields.hopeless((_YEAR_FIRST, _YEAR_LAST, _SHORT_YEAR, _NAMED_MONTH)):
        return None, True
    for pattern in (_YEAR_FIRST, _NAMED_MONTH):
        if 2 * fields.weight(fields.matching(pattern)) > total:
            return "ymd", True
    for pattern in (_YEAR_LAST, _SHORT_YEAR):
        fits = fields.matching(pattern)
        if 2 * fields.weight(fits) > total:
            if 2 * fields.weight(fits & fields.matching(r"^[0-9]+\.")) > total:
                return "dmy", True  # no country writes the month first with dots
            parts = [pc.replace_substring_regex(fields.values, pattern, group).to_pylist() for group in (r"\1", r"\3")]
            above = [np.array([ok and int(part) > 12 for ok, part in zip(fits, one, strict=True)]) for one in parts]
            first, second = map(fields.weight, above)
            if first == second:
                return usual or "mdy", False
            return ("dmy" if first > second else "mdy"), True
    return None, True


# -- deciding and applying


def decide(text: Any, conventions: Conventions, usual: Order | None = None) -> tuple[Meaning, Fields | None, Any]:
    """Return the meaning of a column, its distinct fields and its values; either the fields or the values are None."""
    import pyarrow as pa

    missing, decimal, thousands, dates = conventions
    text = _without(text, missing)
    if decimal != "," and thousands is None:
        begin = text.slice(0, _SAMPLE)  # most text columns are recognized from a sample
        if plain_numbers(begin) is not None and (numbers := plain_numbers(text)) is not None:
            return Meaning("numeric"), None, numbers
        marks = ("", _SOFT, *MISSING)
        if len(text) > _MANY and missing is None and plain_numbers(_without(begin, marks)) is not None:
            numbers = plain_numbers(_without(text, marks))  # finding the distinct fields would be slow
            if numbers is not None:
                return Meaning("numeric"), None, numbers
    fields = Fields(text, missing)
    total = fields.weight(np.ones(len(fields.values), dtype=bool))
    if total == 0:
        return Meaning("numeric", marks=fields.marks), None, pa.nulls(len(text), pa.float64())
    soft = fields.weight(fields._within([_SOFT])) if missing is None else 0
    if not fields.hopeless(_EITHER):
        found, weight = (None, 0) if decimal else _decimal_of(fields, thousands)
        if decimal:
            weight = fields.weight(_parsed_numbers(fields, decimal, thousands)[0])
        if 2 * weight > total - soft and not _coded(fields):
            if names := _levels_among(fields, decimal or found or ".", thousands):
                return Meaning("nominal", mixed=names, keeps_dash=fields.keeps_dash), fields, None
            return Meaning("numeric", decimal or found, thousands, keeps_dash=fields.keeps_dash), fields, None
    order, certain = (dates, True) if dates is not None and "%" in dates else _order_of(fields, usual)
    if order is not None:
        form = dates if dates is not None and order != "ymd" else order
        fits, _, utc = _parsed_dates(fields, form)
        if 2 * fields.weight(fits) > total - soft:
            return Meaning("date", format=form if certain or dates else f"{form}?", utc=utc), fields, None
    return Meaning("nominal", keeps_dash=fields.keeps_dash), fields, None


def _levels_among(fields: Fields, decimal: str, thousands: str | None) -> tuple[str, ...]:
    """Return the nonnumeric fields that are frequent enough to be levels; none if there are many distinct fields."""
    known = int(fields.known.sum())
    total = fields.weight(fields.known)
    if total < _LEVEL_ROWS or known > _LEVELS:
        return ()
    others = fields.others(_parsed_numbers(fields, decimal, thousands)[0])
    others.pop(_SOFT, None)
    return tuple(word for word, count in others.items() if 2 * count * known >= total)


def _without(text: Any, missing: tuple[str, ...] | None) -> Any:
    """Set the fields that the caller declared as missing to null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not missing:
        return text
    bare = pc.utf8_trim_whitespace(text) if "" in missing else text
    return pc.if_else(pc.is_in(bare, value_set=pa.array(missing, pa.string())), pa.scalar(None, pa.string()), bare)


def _coded(fields: Fields) -> bool:
    """Return whether the integers in a column are codes, for example because of leading zeros."""
    import pyarrow.compute as pc

    whole = fields.values.filter(fields.matching(r"^[0-9]+$") & fields.known)
    if len(whole) == 0:
        return False
    lengths = pc.min_max(pc.binary_length(whole)).as_py()
    if lengths["min"] == lengths["max"] >= _CODE_LENGTH and pc.any(pc.starts_with(whole, "0")).as_py():
        return True
    if lengths["max"] < len(str(_EXACT)):
        return False
    return any(int(word) > _EXACT for word in whole.to_pylist() if len(word) >= len(str(_EXACT)))


def convert(meaning: Meaning, fields: Fields, *, missing: tuple[str, ...] | None) -> tuple[Meaning, Any, BoolArray]:
    """Convert the fields of a column; return the meaning, the values, and a mask of the valid distinct fields."""
    import pyarrow as pa

    every = np.ones(len(fields.values), dtype=bool)
    meaning = replace(meaning, marks=fields.marks)
    if meaning.kind == "nominal" and meaning.values is None:
        plain = fields.text is not None and bool(fields.known.all())
        return meaning, fields.text if plain else fields.spread(fields.values), every
    if meaning.kind in ("nominal", "ordinal"):
        allowed = meaning.values or ()
        places = {word: place for place, word in enumerate(allowed)}
        codes = np.array([places.get(word, -1) for word in fields.values.to_pylist()], dtype=np.int32)
        column = fields.spread(pa.array(codes, mask=codes < 0))
        ordered = meaning.kind == "ordinal"
        column = pa.DictionaryArray.from_arrays(column, pa.array(allowed, pa.string()), ordered=ordered)
        return meaning, column, codes >= 0
    if missing is None:
        fields.known = fields.known & ~fields._within([_SOFT])
        meaning = replace(meaning, marks=fields.marks)
    if meaning.kind == "numeric":
        fits, numbers = _parsed_numbers(fields, meaning.decimal or ".", meaning.thousands)
        groups = {".": ",", ",": "."}[meaning.decimal or "."] + _GROUPS
        written = {"thousands": f"[0-9][{groups}][0-9]{{3}}", "currency": _CURRENCY, "percent": "[%‰]"}
        signs = tuple(word for word, pattern in written.items() if fields.weight(fits & fields.matching(pattern)))
        learned = replace(meaning, others=fields.others(fits), signs=signs)
        return learned, _whole_numbers(fields.spread(numbers)), fits
    fits, dates, utc = _parsed_dates(fields, str(meaning.format))
    return replace(meaning, others=fields.others(fits), utc=utc), fields.spread(dates), fits


def apply(
    meaning: Meaning, text: Any, conventions: Conventions, where: Callable[[int], str], name: str, *, open: bool = False
) -> tuple[Meaning, Any]:
    """Convert a text column according to a known meaning; raise `ReadingError` if a field is invalid."""
    import pyarrow as pa

    missing = conventions.missing
    text = _without(text, missing)
    if meaning.kind == "numeric" and meaning.decimal != "," and meaning.thousands is None:
        numbers = plain_numbers(text)
        if numbers is not None:
            return meaning, numbers
    fields = Fields(text, missing, keeps_dash=meaning.keeps_dash)
    fields.known &= ~fields._within(list(meaning.others))  # read as missing when the meaning was inferred
    learned, column, fits = convert(meaning, fields, missing=missing)
    if fields.weight(~fits) == 0:
        meaning = replace(meaning, marks=learned.marks, signs=learned.signs)
        if meaning.utc and column.type.tz is None:
            column = column.cast(pa.timestamp("us", tz="UTC"))
        return meaning, column
    if open and meaning.kind in ("nominal", "ordinal"):
        return meaning, fields.spread(fields.values)
    row = fields.first_row(~fits)
    held = str(fields.values[int(fields.codes[row])])
    remedy = {
        "numeric": REMEDY,
        "date": REMEDY,
        "nominal": advice(
            held, meaning.values or (), otherwise="Correct the field, or add the value to the declared values."
        ),
        "ordinal": advice(
            held, meaning.values or (), otherwise="Correct the field, or add the level to the declared order."
        ),
    }[meaning.kind]
    raise ReadingError(f"{where(row)}, column {name!r} holds {held!r}; expected {meaning.in_words()}. {remedy}")


def understand(
    columns: Mapping[str, Any],
    declared: Mapping[str, Meaning],
    conventions: Conventions,
    where: Callable[[int], str],
    *,
    comma: bool = False,
    open: bool = False,
) -> dict[str, tuple[Meaning, Any]]:
    """Return the meanings and values of text columns, as declared or inferred from all fields.

    Ambiguous columns, such as 1.234 or 3/4, are read in the notation of the other columns. If these columns are also
    ambiguous, ``comma`` decides, which is True if the delimiter of the file is not a comma.
    """
    found: dict[str, tuple[Meaning, Fields | None, Any]] = {}
    told: dict[str, Meaning] = {}
    for name, text in columns.items():
        if name not in declared:
            found[name] = decide(text, conventions)
        else:
            told[name] = declared[name] if open else _completed(declared[name], text, conventions)
    meanings = [*(meaning for meaning, _, _ in found.values()), *told.values()]
    marks = [one.decimal for one in meanings if one.kind == "numeric" and one.decimal is not None]
    known = [one.format for one in meanings if one.kind == "date" and one.format in ("dmy", "mdy")]
    commas = marks.count(",") > marks.count(".")
    plain = [name for name, (_, _, values) in found.items() if values is not None]
    plain += [name for name, one in told.items() if one.kind == "numeric" and one.decimal is None]
    within = commas if marks else comma and not any(_has_point(columns[name]) for name in plain)

    def settled(meaning: Meaning, text: Any) -> Meaning:
        """Complete an ambiguous meaning with the decimal mark or the date order of the other columns."""
        if meaning.kind == "numeric" and meaning.decimal is None:
            return replace(meaning, decimal="," if within and (marks or _has(text, ",")) else ".")
        if meaning.kind == "date" and str(meaning.format).endswith("?"):
            local = max(known, key=known.count) if known else "dmy" if commas or comma else "mdy"
            return replace(meaning, format=local)
        return meaning

    result: dict[str, tuple[Meaning, Any]] = {}
    for name, text in columns.items():
        if name in told:
            meaning = told[name]
            if not open and (meaning.kind != "numeric" or _is_open(text, conventions, commas)):
                meaning = settled(meaning, text)
            result[name] = apply(meaning, text, conventions, where, name, open=open)
            continue
        meaning, fields, values = found[name]
        if values is not None and commas and _is_ambiguous(text):
            fields, values = Fields(text, conventions.missing), None
        elif values is not None and commas and not _has(text, "."):
            meaning = replace(meaning, decimal=",")  # for new cases, which may contain 1.200
        if values is None and fields is not None:
            meaning, values, _ = convert(settled(meaning, text), fields, missing=conventions.missing)
        result[name] = (meaning, values)
    return result


def _completed(meaning: Meaning, text: Any, conventions: Conventions) -> Meaning:
    """Complete a declared meaning with the decimal mark or the date order detected in the column."""
    missing, decimal, thousands, dates = conventions
    if meaning.kind == "numeric" and meaning.decimal is None:
        if decimal is None and plain_numbers(_without(text, missing)) is None:
            decimal = _decimal_of(Fields(text, missing), thousands)[0]
        return replace(meaning, decimal=decimal)
    if meaning.kind == "date" and meaning.format is None:
        order, certain = _order_of(Fields(text, missing), None)
        return replace(meaning, format=dates or f"{order or 'ymd'}{'' if certain else '?'}")
    return meaning


def _is_open(text: Any, conventions: Conventions, commas: bool) -> bool:
    """Return whether the decimal mark of a column may have to be inferred from the other columns."""
    return plain_numbers(_without(text, conventions.missing)) is None or (commas and _is_ambiguous(text))


def _has(text: Any, mark: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(text, mark)).as_py())


def _has_point(text: Any) -> bool:
    """Return whether a column of plain numbers contains a point that cannot be a thousands separator."""
    return _has(text, ".") and not _is_ambiguous(text)


def _is_ambiguous(text: Any) -> bool:
    """Return whether a column contains points, each of which could be a thousands separator."""
    import pyarrow.compute as pc

    pointed = pc.filter(text, pc.match_substring(text, "."))
    return len(pointed) > 0 and bool(pc.all(pc.match_substring_regex(pointed, _AMBIGUOUS)).as_py())


def text_of(values: Sequence[str | None]) -> Any:
    """Create an Arrow column of strings."""
    import pyarrow as pa

    return pa.chunked_array([pa.array(values, pa.string())])
