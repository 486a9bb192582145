"""Naive Bayes of dates, circular numbers, sets and texts, value by value and word by word."""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from typing import Any

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def date_part(part: str, moment: datetime.datetime | None) -> Any:
    """The month, the weekday, the hour, or the seconds since 1970."""
    if moment is None:
        return None
    if part == "elapsed":
        return (moment - datetime.datetime(1970, 1, 1)).total_seconds()
    return {"season": MONTHS[moment.month - 1], "weekday": WEEKDAYS[moment.weekday()], "hour": moment.hour}[part]


def arc(number: float | None, period: float, arcs: int = 12) -> int | None:
    """Which of some arcs of equal length a number lies on."""
    return None if number is None else min(int((number % period) / (period / arcs)), arcs - 1)


def members(sets: list[frozenset[str] | None]) -> list[str]:
    return sorted({member for one in sets if one is not None for member in one})


def words(text: str | None) -> list[str]:
    return [] if text is None else re.findall(r"(?u)\b\w+\b", text.lower())


def value_log(
    values: list[Any], labels: list[Any], own: Any, query: Any, n: int, prior: float, predictive: str
) -> float:
    """The log-share of a value of n in a class, whose rows may miss it; 0 where the query does."""
    if query is None:
        return 0.0
    held = [value for value, label in zip(values, labels, strict=True) if label == own and value is not None]
    counts = Counter(held)
    if predictive == "evidence":
        return math.log((counts[query] + prior) / (len(held) + n * prior))
    if predictive == "map":
        return math.log((counts[query] + prior - 1) / (len(held) + n * (prior - 1)))
    return _grown(counts[query], 1) - _grown(len(held), 1)


def text_log(texts: list[Any], labels: list[Any], own: Any, query: str | None, prior: float, predictive: str) -> float:
    """The log-probability of the words of a text in a class, one word after the other."""
    vocabulary = {word for text in texts for word in words(text)}
    counts = Counter(word for text, label in zip(texts, labels, strict=True) if label == own for word in words(text))
    asked, total = [word for word in words(query) if word in vocabulary], 0.0
    if predictive == "sc":
        each = sum(_grown(counts[word], times) for word, times in Counter(asked).items())
        return each - _grown(sum(counts.values()), len(asked))
    for word in asked:
        if predictive == "evidence":
            total += math.log((counts[word] + prior) / (sum(counts.values()) + prior * len(vocabulary)))
            counts[word] += 1  # the next word is predicted knowing this one
        else:
            smoothing = prior - 1
            total += math.log((counts[word] + smoothing) / (sum(counts.values()) + smoothing * len(vocabulary)))
    return total


def text_evidence(texts: list[Any], labels: list[Any], classes: list[Any], prior: float) -> float:
    """The log-probability of all texts, word by word, each class with probabilities of its own."""
    size, total = len({word for text in texts for word in words(text)}), 0.0
    for own in classes:
        counts: Counter[str] = Counter()
        for text, label in zip(texts, labels, strict=True):
            for word in words(text) if label == own else []:
                total += math.log((counts[word] + prior) / (sum(counts.values()) + prior * size))
                counts[word] += 1
    return total


def _grown(n: int, more: int) -> float:
    """What more rows add to ``n ln n``."""
    return sum(count * math.log(count) * sign for count, sign in ((n + more, 1), (n, -1)) if count)


def attributes(column: list[Any], kind: tuple[str, Any]) -> list[tuple[list[Any], int]]:
    """A column as discrete attributes: their values, and how many each can have."""
    name, parameter = kind
    if name == "date":
        sizes = {"season": 12, "weekday": 7, "hour": 24}
        return [([date_part(part, value) for value in column], sizes[part]) for part in parameter]
    if name == "circular":
        return [([arc(value, parameter) for value in column], 12)]
    if name == "set":
        return [([None if one is None else member in one for one in column], 2) for member in parameter]
    return [(column, len(set(column) - {None}))]


def probabilities(
    table: dict[str, list[Any]],
    labels: list[Any],
    query: dict[str, Any],
    kinds: dict[str, tuple[str, Any]],
    prior: float = 1.0,
    predictive: str = "evidence",
) -> list[float]:
    """The probability of each class, in ascending order, for a query; members and words never seen are ignored."""
    classes, joint = sorted(set(labels)), []
    for own in classes:
        total = value_log(labels, [own] * len(labels), own, own, len(classes), prior, predictive)
        if predictive == "sc":
            total = _grown(labels.count(own), 1)
        for name, column in table.items():
            kind = kinds[name]
            if kind[0] == "text":
                total += text_log(column, labels, own, query[name], prior, predictive)
                continue
            kind = (kind[0], members(column)) if kind[0] == "set" else kind
            for (values, n), (asked, _) in zip(attributes(column, kind), attributes([query[name]], kind), strict=True):
                total += value_log(values, labels, own, asked[0], n, prior, predictive)
        joint.append(total)
    top = max(joint)
    shares = [math.exp(each - top) for each in joint]
    return [share / sum(shares) for share in shares]
