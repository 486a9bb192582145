"""Where the values of a taxonomy part ways: what to ask for next on the way down."""

from __future__ import annotations

from collections.abc import Iterable

from priorcase.cases.kinds import Taxonomy


def branches_of(taxonomy: Taxonomy, values: Iterable[str], *, above: str | None = None) -> dict[str, str]:
    """For each value the branch that it lies in, at the deepest node that all have in common.

    Values at that node itself are in no branch and left out, and so are those that are not below ``above``.

    Parameters
    ----------
    taxonomy
        The tree.
    values
        Distinct nodes of it.
    above
        A node that is known already.

    Examples
    --------
    >>> device = Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": None}})
    >>> branches_of(device, ["laser", "inkjet", "router"])
    {'laser': 'printer', 'inkjet': 'printer', 'router': 'router'}
    >>> branches_of(device, ["laser", "inkjet", "router"], above="printer")
    {'laser': 'laser', 'inkjet': 'inkjet'}
    """
    ways = {value: taxonomy.ancestors(value)[::-1] for value in values}
    if above is not None:
        ways = {value: way for value, way in ways.items() if above in way[:-1]}
    if not ways:
        return {}
    depth = 0
    while all(len(way) > depth for way in ways.values()) and len({way[depth] for way in ways.values()}) == 1:
        depth += 1
    return {value: way[depth] for value, way in ways.items() if len(way) > depth}
