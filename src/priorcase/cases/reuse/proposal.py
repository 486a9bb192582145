"""Proposals of reuse: a solution, the cases it comes from, and how it was adapted."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from priorcase._numbers import equal_decimals, number
from priorcase._parameters import check_choice, is_number
from priorcase._typing import Backend
from priorcase.cases.kinds import check, days, written
from priorcase.exceptions import CaseBaseError, listed, prefix_errors
from priorcase.learning.plotting import INK, MUTED, caption, captions, color, cut, drawing, legend_beside, tint
from priorcase.learning.results import Grid, GridsResult, framed
from priorcase.schema import Date

Lines = Literal["sources", "candidates", "steps", "differences"]

_SHOWN = 10
_BARS = 12
_MEMBERS = 6
_ROUNDING = 1e-12
_FIELDS = {
    "sources": ("id", "part", "weight", "similarity", "solution", "outcome"),
    "candidates": ("solution", "probability", "support", "against", "cases"),
    "steps": ("by", "name", "why", "before", "after"),
    "differences": ("attribute", "case", "query", "similarity"),
}


def value_text(value: Any, width: int = 60) -> str:
    """Format a value on one line; long strings are cut in the middle, and floats have six digits."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, (set, frozenset)):
        return cut(f"{{{', '.join(sorted(map(str, value)))}}}", width)
    text = written(value) if isinstance(value, (dict, list, bool)) else str(value)
    return cut(" ".join(text.split()), width)


@dataclass(frozen=True)
class Source:
    """A case that contributed to a proposal.

    ``weight`` is the case's share of the proposal; shares add up to 1 or, in a composition, to 1 for each ``part``.
    ``similarity`` is the similarity of the case to the query; for a part, only the relevant attributes are compared.
    """

    id: int
    weight: float
    similarity: float
    solution: Any
    outcome: Any = None
    part: str | None = None


@dataclass(frozen=True)
class Candidate:
    """A candidate solution; ``cases`` are the ids of the retrieved cases with this solution, the most similar first.

    ``probability`` is the probability of the solution (without a prior, its share of the votes). ``support`` is the
    weight of the cases in which the solution worked, and ``against`` is the weight of the cases in which it failed. The
    weight of a partial success is divided between ``support`` and ``against``.
    """

    solution: Any
    probability: float
    support: float
    against: float
    cases: tuple[int, ...]

    @property
    def votes(self) -> float:
        """The votes for the solution: ``max(0, support - against)``, or 0 if the two differ only by rounding."""
        more = self.support - self.against
        return more if more > _ROUNDING * self.support else 0.0


@dataclass(frozen=True)
class Spread:
    """The uncertainty of a number that was estimated from several cases.

    ``deviation`` is the residual standard deviation of the cases, and ``standard_error`` is the standard error of the
    estimate. ``interval`` is a prediction interval for a new case with coverage ``level`` under normal errors, and
    ``effective`` is the effective number of cases, ``(sum w)^2 / sum w^2``.
    """

    deviation: float
    standard_error: float
    interval: tuple[float, float]
    level: float
    effective: float

    def __str__(self) -> str:
        low, high = self.interval
        inside = f"{100 * self.level:g}% interval {number(low)} to {number(high)}"
        return f"{inside}, deviation {number(self.deviation, 4)}, {number(self.effective, 3)} effective cases"


@dataclass(frozen=True)
class Difference:
    """An attribute in which the query differs from the case; `case` is None if the value of the case is missing.

    >>> print(Difference("pages", 30, 120))
    pages: 30 in the case, 120 in the query (+90)
    """

    attribute: str
    case: Any
    query: Any
    similarity: float | None = None

    @property
    def how(self) -> str:
        """For numbers, dates and sets, the change from the case's value to the query's value; otherwise empty."""
        case, query = self.case, self.query
        if is_number(case) and is_number(query):
            return f"{query - case:+.6g}"
        if isinstance(case, datetime.date) and isinstance(query, datetime.date):
            start, end = (days(str(check(Date(), day, attribute=self.attribute))) for day in (case, query))
            return f"{end - start:+.6g} days"
        if isinstance(case, (set, frozenset)) and isinstance(query, (set, frozenset)):
            members = [f"+{name}" for name in sorted(map(str, query - case))]
            members += [f"-{name}" for name in sorted(map(str, case - query))]
            rest = len(members) - _MEMBERS
            return value_text(" ".join(members[:_MEMBERS])) + f" and {rest} more" * (rest > 0)
        return ""

    def __str__(self) -> str:
        known = f"{value_text(self.case)} in the case" if self.case is not None else "missing in the case"
        how = f" ({self.how})" if self.how else ""
        return f"{self.attribute}: {known}, {value_text(self.query)} in the query{how}"


@dataclass(frozen=True)
class Step:
    """A change of the solution by a rule or a critic; ``why`` is the reason for the rule or the problem that was found.

    >>> print(Step("rule", "wider", "more flow than before", {"pipe": 10}, {"pipe": 12}))
    rule 'wider': {"pipe":10} -> {"pipe":12}; more flow than before
    """

    by: Literal["rule", "critic"]
    name: str
    why: str
    before: Any
    after: Any

    def __str__(self) -> str:
        changed = f"{value_text(self.before)} -> {value_text(self.after)}"
        change = "nothing to change" if self.before == self.after else changed
        return f"{self.by} {self.name!r}: {change}{'; ' if self.why else ''}{self.why}"


@dataclass(frozen=True, repr=False)
class Proposal(GridsResult):
    """A solution for a query, proposed from past cases; prints as a table.

    Parameters
    ----------
    solution, method, how
        The solution (None if nothing is proposed), the method, such as ``"vote"``, and a sentence that explains how the
        solution was made.
    confidence
        Confidence in the solution before rules and critics: the similarity of the copied case, the probability of
        the winner of a vote, or the lowest similarity of a composed part. None for numbers, which have a `spread`.
    base
        Id of the most similar case that the solution comes from; `differences` compares the query with this case.
    sources
        The cases that the solution comes from, with their shares, the largest share first.
    candidates, unseen
        The distinct solutions of a vote, the most probable first, and the probability that none of them is right, which
        is above 0 only if the vote has a prior. Without a prior, probabilities are shares of the votes and are labeled
        accordingly.
    spread
        The uncertainty of a numeric solution; None for other solutions, or if only one case has a weight above 0.
    differences, steps
        The differences between the query and the case `base`, and the changes made by rules and critics.
    problems, notes
        Problems that were found and not repaired, and further remarks, for example on ignored cases.
    """

    solution: Any
    method: str
    how: str
    confidence: float | None = None
    base: int | None = None
    sources: tuple[Source, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    unseen: float = 0.0
    spread: Spread | None = None
    differences: tuple[Difference, ...] = ()
    steps: tuple[Step, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def abstains(self) -> bool:
        """Whether nothing is proposed."""
        return self.solution is None

    @property
    def probabilities(self) -> dict[Any, float]:
        """Mapping from candidates to probabilities; lists and mappings are represented by their JSON text."""
        return {
            written(c.solution) if isinstance(c.solution, (dict, list)) else c.solution: c.probability
            for c in self.candidates
        }

    @property
    def interval(self) -> tuple[float, float] | None:
        """Prediction interval of a numeric solution; None if there is no `spread`."""
        return None if self.spread is None else self.spread.interval

    def explain(self) -> str:
        """Explain in words how the solution was made and changed."""
        lines = [self._headline(), f"{self.how}."]
        if self.spread is not None:
            lines.append(f"{str(self.spread).capitalize()}.")
        for c in self.candidates[:_SHOWN]:
            against = f", {number(c.against, 3)} against it" if c.against else ""
            cases = f"case{'s' * (len(c.cases) != 1)} {listed(c.cases, limit=len(c.cases))}"
            votes = f"{self._share} {c.probability:.3f}; {number(c.support, 3)} for it{against}"
            lines.append(f"  {value_text(c.solution)}: {votes} ({cases}).")
        if self.unseen:
            lines.append(f"  none of these: probability {self.unseen:.3f}.")
        for s in self.sources:
            if s.part is not None:
                where = f"case {s.id}, similarity {s.similarity:.3f}"
                lines.append(f"  {s.part}: {value_text(s.solution[s.part])} ({where}).")
        title = f"The query differs from case {self.base} in"
        parts = {title: self.differences, "Changed by": self.steps, "Problems": self.problems, "Notes": self.notes}
        for title, told in parts.items():
            lines += [f"{title}:", *(f"  {str(part).rstrip('.')}." for part in told)] if told else []
        return "\n".join(lines)

    @prefix_errors
    def frame(self, of: Lines = "sources", backend: Backend | None = None) -> Any:
        """Return a frame with one row per source, candidate, step or difference.

        ``backend`` is ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None means pandas.
        """
        check_choice("of", of, get_args(Lines), hint="'sources' has one row per case.")
        lines = getattr(self, of)
        return framed({name: [_cell(getattr(line, name)) for line in lines] for name in _FIELDS[of]}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the probabilities of the candidates or, for a number, the cases' solutions, the number and its interval.

        ``ax`` are Matplotlib axes; None creates a new figure.
        """
        if not self.candidates and self.method not in ("mean", "local"):
            raise CaseBaseError(
                f"a proposal by {self.method!r} has neither probabilities nor a spread to plot. Print the proposal, or "
                "plot the retrieval that the proposal comes from."
            )
        size = (6.0, 1.3 + 0.35 * min(_BARS, len(self.candidates))) if self.candidates else None
        with drawing(ax, size=size) as ax:
            (_draw_candidates if self.candidates else _draw_numbers)(ax, self)
            return ax

    @property
    def _share(self) -> str:
        """Label of the candidates' probabilities; without a prior, they are shares of the votes."""
        return "probability" if self.unseen else "share of the votes"

    def _headline(self) -> str:
        if self.abstains:
            return f"{self.method}: nothing is proposed"
        name = self._share if self.candidates else "confidence"
        sure = f", {name} {self.confidence:.3f}" if self.confidence is not None else ""
        interval = " ({} to {})".format(*map(number, self.interval)) if self.interval is not None else ""
        return f"{self.method}: {value_text(self.solution)}{interval}{sure}"

    def _grids(self) -> list[Grid]:
        grids = [self._candidates_grid() if self.candidates else self._sources_grid()]
        if self.steps:
            rows = [[f"{s.by} {s.name}", value_text(s.before, 32), value_text(s.after, 32), s.why] for s in self.steps]
            grids.append(Grid("changes", ["by", "before", "after", "why"], rows))
        if self.differences:
            rows = [[d.attribute, value_text(d.case, 32), value_text(d.query, 32), d.how] for d in self.differences]
            title = f"differences from case {self.base}"
            grids.append(Grid(title, ["attribute", "case", "query", "change"], rows[:_SHOWN], _more(rows)))
        if self.problems:
            grids.append(Grid("problems", ["problem"], [[value_text(text, 100)] for text in self.problems]))
        return grids

    def _candidates_grid(self) -> Grid:
        support = equal_decimals([c.support for c in self.candidates], 4)
        against = equal_decimals([c.against for c in self.candidates], 4)
        rows = [
            [value_text(c.solution, 40), f"{c.probability:.3f}", *votes, _ids(c.cases)]
            for c, *votes in zip(self.candidates, support, against, strict=True)
        ]
        if self.unseen:
            rows.append(["none of these", f"{self.unseen:.3f}", "", "", ""])
        note = "; ".join(filter(None, [_more(rows), *self.notes]))
        header = ["solution", self._share, "for", "against", "cases"]
        return Grid(self._headline(), header, rows[:_SHOWN], note, right={1, 2, 3})

    def _sources_grid(self) -> Grid:
        parts = any(source.part is not None for source in self.sources)
        rows = []
        for s in self.sources:
            solution = s.solution[s.part] if s.part is not None else s.solution
            numbers = [str(s.id), f"{s.similarity:.3f}", f"{s.weight:.3f}"]
            rows.append([*[s.part or ""] * parts, *numbers, value_text(solution, 40)])
        note = "; ".join(filter(None, [_more(rows), *self.notes]))
        header = [*["part"] * parts, "case", "similarity", "weight", "solution"] if rows else []
        return Grid(self._headline(), header, rows[:_SHOWN], note, right={parts, parts + 1, parts + 2})


def _ids(cases: tuple[int, ...]) -> str:
    return value_text(", ".join(map(str, cases)), 24)


def _more(rows: list[list[str]]) -> str:
    return f"and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""


def _cell(value: Any) -> Any:
    """Convert a value for a frame: lists and mappings become JSON text, and tuples of ids become text with commas."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, (dict, list)):
        return written(value)
    return value_text(value, 1000) if isinstance(value, (set, frozenset)) else value


def _draw_candidates(ax: Any, proposal: Proposal) -> None:
    """Draw the probability of each candidate as a bar, the most probable candidate on top."""
    shown, rest = proposal.candidates[:_BARS], proposal.candidates[_BARS:]
    names = captions([value_text(candidate.solution) for candidate in shown], 32)
    shares, fills = [candidate.probability for candidate in shown], [color(0)] * len(shown)
    others = {f"{len(rest)} other{'s' * (len(rest) != 1)}": sum(each.probability for each in rest)} if rest else {}
    others |= {"none of these": proposal.unseen} if proposal.unseen else {}
    for name, share in others.items():
        names, shares, fills = [*names, name], [*shares, share], [*fills, tint(2)]
    places = range(len(names))
    ax.barh(places, shares, color=fills, edgecolor=INK, linewidth=0.6, height=0.65)
    for place, share in zip(places, shares, strict=True):
        ax.text(share + 0.012, place, f"{share:.2f}", va="center", fontsize="small")
    ax.set_yticks(list(places), names)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.set_xlim(0, 1.08)
    ax.set_xlabel(proposal._share)
    title = f"{proposal._share.capitalize()} {'of' if proposal.unseen else 'for'} each solution"
    ax.set_title("No solution has a vote" if proposal.abstains else title)


def _draw_numbers(ax: Any, proposal: Proposal) -> None:
    """Plot the cases' numeric solutions against their similarities; add the proposed number and its interval."""
    sources = proposal.sources
    largest = max(source.weight for source in sources)
    if proposal.spread is not None and all(map(math.isfinite, proposal.spread.interval)):
        low, high = proposal.spread.interval
        label = f"{100 * proposal.spread.level:g}%: {number(low)} to {number(high)}"
        ax.axhspan(low, high, color=tint(0), linewidth=0, label=label, zorder=0)
    # The number before rules and critics, since the interval belongs to it.
    proposed = proposal.steps[0].before if proposal.steps else proposal.solution
    ax.axhline(proposed, color=color(0), label="proposed", zorder=1)
    numbers = [source.solution for source in sources]
    ax.scatter(
        [source.similarity for source in sources],
        numbers,
        s=[18 + 60 * source.weight / largest for source in sources],
        color=color(1),
        edgecolor=INK,
        linewidth=0.6,
        label="cases, sized by weight",
        zorder=3,
    )
    # So that a wide interval does not squeeze the cases, at most their range is added on either side.
    low, high = min(proposed, *numbers), max(proposed, *numbers)
    room = (high - low) or abs(high) or 1.0
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(bottom, low - room), min(top, high + room))
    ax.set_xlabel("similarity to the query")
    ax.set_ylabel("solution")
    ax.set_title(caption(f"Proposed by {proposal.method}: {number(proposed)}", 60))
    ax.tick_params(axis="both", color=MUTED)
    legend_beside(ax)
