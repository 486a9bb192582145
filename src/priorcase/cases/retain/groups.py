"""What hangs together by pairs."""

from __future__ import annotations

from collections.abc import Iterable


def groups_of(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Things that are linked by pairs, directly or through others; each group ascending, groups by their first thing.

    By union-find with path halving (Tarjan & van Leeuwen 1984).

    Examples
    --------
    >>> groups_of([(1, 4), (7, 8), (4, 5)])
    [[1, 4, 5], [7, 8]]
    """
    parents: dict[int, int] = {}

    def root(thing: int) -> int:
        while parents[thing] != thing:
            parents[thing] = parents[parents[thing]]
            thing = parents[thing]
        return thing

    for a, b in pairs:
        parents.setdefault(a, a)
        parents.setdefault(b, b)
        first, second = sorted((root(a), root(b)))
        parents[second] = first
    found: dict[int, list[int]] = {}
    for thing in sorted(parents):
        found.setdefault(root(thing), []).append(thing)
    return list(found.values())
