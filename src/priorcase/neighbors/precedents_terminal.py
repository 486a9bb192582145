"""Precedents on a terminal: a column for each case, a line for each attribute, shares that add up to the distance.

Cases that do not fit side by side are printed below; nothing is cut off at 80 columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from priorcase.learning.texts import rest_text, short, value_text
from priorcase.neighbors.precedents import Case, Precedents, answer_text, target_at

_QUERIES, _CASES, _ATTRIBUTES, _TEXT_WIDTH = 5, 5, 20, 18


@dataclass(frozen=True)
class TerminalView:
    """Precedents as rich draws them; without ``headings`` for the queries, their numbers, and a few queries only."""

    precedents: Precedents
    target: str = "target"
    headings: Sequence[Text] | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if not len(self.precedents):
            yield Text("no queries")
        headings = self.headings
        if headings is None:
            headings = [Text(f"query {number}  ", style="dim") for number in self.precedents.numbers[:_QUERIES]]
        for i, heading in enumerate(headings):
            if i:
                yield Text()
            one = self.precedents[i]
            yield _opening(heading, _answer(one, self.target), options.max_width)
            yield from _tables(one, self.target, options.max_width)
        if rest := rest_text(len(headings), len(self.precedents)):
            yield Text(rest, style="dim")


@dataclass(frozen=True)
class _Case:
    """One case as text, line by line; ``cells`` are pairs of a value and its share."""

    head: str
    target: str
    vote: str
    cells: list[tuple[str, str]]
    distance: str
    most: int
    unlike: bool

    @property
    def widths(self) -> tuple[int, int]:
        """Columns that values and shares take."""
        shares = max(map(len, [self.distance, self.vote, *(share for _, share in self.cells)]))
        values = max(cell_len(value) for value, _ in self.cells)
        whole = max(cell_len(self.head), cell_len(self.target))
        return max(values, whole - shares - 1), shares


def _opening(heading: Text, answer: Text, width: int) -> Text:
    """The heading and the answer, in two lines if they do not fit into one."""
    last = heading.plain.rpartition("\n")[2]
    crowded = bool(last) and cell_len(last) + cell_len(answer.plain) > width
    return Text.assemble(heading, "\n" if crowded else "", answer)


def _answer(one: Precedents, target: str) -> Text:
    """The prediction, with the probabilities of the likeliest classes."""
    answer, likely = answer_text(one, _TEXT_WIDTH)
    return Text.assemble(f"{target}: ", (answer, "bold green"), likely)


def _tables(one: Precedents, target: str, width: int) -> Iterator[RenderableType]:
    attributes = _shown_attributes(one)
    cases = _cases(one, attributes)
    labels = [short(text, _TEXT_WIDTH) for text in [target, *(str(one.names[a]) for a in attributes)]]
    query = [_value(one.queries[0][a]) for a in attributes]
    if hidden := len(one.names) - len(attributes):
        labels.append(f"{hidden} others")
        query.append("")
    fixed = max(map(cell_len, labels)) + 2 + max(map(cell_len, ["new case", *query]))
    for number, panel in enumerate(_panels(cases, width - fixed)):
        if number:
            yield Text()
        yield _table(labels, query, panel, votes=any(case.vote for case in cases))
    if one.ids.size > _CASES:
        yield Text(_others(one), style="dim")


def _others(one: Precedents) -> str:
    """The voters that have no column, in one line."""
    rest = range(_CASES, min(one.ids.size, 2 * _CASES))
    cases = ", ".join(f"#{one.ids[i]} {_value(target_at(one.targets, i))} {one.distances[i]:.3g}" for i in rest)
    more = one.ids.size - rest.stop
    return f"also voting: {cases}{f' and {more} more' if more else ''}"


def _table(labels: Sequence[str], query: Sequence[str], cases: Sequence[_Case], *, votes: bool) -> Table:
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), show_footer=True)
    table.add_column("", Text("distance" + "\nvote" * votes), style="dim", footer_style="dim", no_wrap=True)
    table.add_column(Text("new case"), style="bold", no_wrap=True)
    for case in cases:
        totals = [case.distance, case.vote] if votes else [case.distance]
        footer = "\n".join(text.rjust(sum(case.widths) + 1) for text in totals)
        table.add_column(Text(case.head), Text(footer), no_wrap=True)
    targets = [Text(case.target, style="bold magenta" if case.unlike else "bold green") for case in cases]
    table.add_row(Text(labels[0]), Text(), *targets)
    for line, (label, value) in enumerate(zip(labels[1:], query, strict=True)):
        table.add_row(Text(label), Text(value), *(_cell(case, line) for case in cases))
    return table


def _cell(case: _Case, line: int) -> Text:
    """A value and, to its right, what it adds to the distance."""
    (value, share), (values, shares) = case.cells[line], case.widths
    padded = set_cell_size(value, values)
    if not share:
        return Text(padded, style="dim")
    return Text.assemble(padded, " ", (share.rjust(shares), "bold yellow" if line == case.most else "yellow"))


def _panels(cases: Sequence[_Case], room: int) -> list[Sequence[_Case]]:
    """Cases that fit side by side into ``room`` columns, at least one at a time and about as many in each panel."""
    for size in range(len(cases), 1, -1):
        count = -(-len(cases) // size)
        even = -(-len(cases) // count)
        panels = [cases[start : start + even] for start in range(0, len(cases), even)]
        if all(sum(sum(case.widths) + 3 for case in panel) <= room for panel in panels):
            return panels
    return [[case] for case in cases]


def _shown_attributes(one: Precedents) -> list[int]:
    """The attributes that add most to the distances of the cases shown, in table order."""
    shares = np.vstack([one.shares[:_CASES], *(case.shares for case in one.unlike if case is not None)])
    total = np.minimum(np.nan_to_num(shares), 1e200).sum(axis=0)
    return sorted(np.argsort(-total, kind="stable")[:_ATTRIBUTES].tolist())


def _cases(one: Precedents, attributes: Sequence[int]) -> list[_Case]:
    """The voters and, unless it is one of them, the nearest unlike case."""
    number = _number_format(one)
    equal = bool((one.votes == one.votes[:1]).all())
    unlike = one.unlike[0] if one.unlike else None
    cases = []
    for i in range(min(one.ids.size, _CASES)):
        target = _value(target_at(one.targets, i))
        differs = unlike is not None and target != _value(target_at(one.predictions, 0))
        case = Case(int(one.ids[i]), one.rows[i], target, float(one.distances[i]), one.shares[i])
        head = f"#{case.id} unlike" if unlike is not None and case.id == unlike.id else f"#{case.id}"
        vote = "" if equal else f"{one.votes[i]:.0%}"
        cases.append(_case(head, case, attributes, number, vote=vote, unlike=differs))
    if unlike is not None and unlike.id not in one.ids[:_CASES]:
        cases.append(_case(f"unlike: #{unlike.id}", unlike, attributes, number, unlike=True))
    return cases


def _case(
    head: str, case: Case, attributes: Sequence[int], number: str, *, vote: str = "", unlike: bool = False
) -> _Case:
    """A case as text; the attributes that are not shown share one line, so that the parts still add up."""
    parts = case.shares[list(attributes)].tolist()
    values = [_value(case.row[a]) for a in attributes]
    most = int(np.argmax(parts))
    if len(attributes) < case.shares.size:
        parts.append(float(np.delete(case.shares, attributes).sum()))
        values.append("")
    return _Case(
        head=head,
        target=_value(case.target),
        vote=vote,
        cells=[(value, format(part, number) if part else "") for value, part in zip(values, parts, strict=True)],
        distance=format(case.distance, number),
        most=most,
        unlike=unlike,
    )


def _number_format(one: Precedents) -> str:
    """As many decimals as tell the distances of one query apart."""
    distances = [*one.distances.tolist(), *(case.distance for case in one.unlike if case is not None)]
    largest = max((d for d in distances if math.isfinite(d)), default=0.0)
    return ".2f" if 0.1 <= largest < 100 else ".3g" if largest < 0.1 else ".0f" if largest < 1e6 else ".3g"


def _value(value: Any) -> str:
    return value_text(value, _TEXT_WIDTH)
