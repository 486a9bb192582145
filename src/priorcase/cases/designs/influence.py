"""What influences what over any number of arcs: the sign of a way is the product of the signs of its arcs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

Influences: TypeAlias = Mapping[tuple[str, str], frozenset[str]]


def walk_signs(arcs: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str], frozenset[str]]:
    """The signs of all ways of at least one arc between two variables; pairs without a way are left out.

    A way may pass a variable more than once, so that what holds of two ways holds of one after the other: the
    influences of a graph made of influences of this one are among this one's.

    Examples
    --------
    >>> found = walk_signs([("A", "+", "B"), ("B", "-", "C"), ("A", "+", "C")])
    >>> sorted(found["A", "C"])
    ['+', '-']
    """
    onward: dict[str, list[tuple[str, bool]]] = {}
    for source, sign, target in arcs:
        onward.setdefault(source, []).append((target, sign == "-"))
    found: dict[tuple[str, str], set[str]] = {}
    for start in onward:
        states, seen = [(start, False)], set[tuple[str, bool]]()
        while states:
            name, minus = states.pop()
            for target, turns in onward.get(name, ()):
                state = (target, minus != turns)
                if state not in seen:
                    seen.add(state)
                    states.append(state)
        for target, minus in seen:
            found.setdefault((start, target), set()).add("-" if minus else "+")
    return {pair: frozenset(signs) for pair, signs in found.items()}
