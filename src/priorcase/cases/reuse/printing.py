"""A proposal as tables of texts and as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from priorcase.cases.reuse.texts import value_text
from priorcase.learning.results import Grid

if TYPE_CHECKING:
    from priorcase.cases.reuse.proposal import Proposal

_SHOWN = 10


def proposal_grids(proposal: Proposal) -> list[Grid]:
    """What is proposed with its candidates or sources; then changes, differences, problems and notes, if any."""
    grids = [_candidates(proposal) if proposal.candidates else _sources(proposal)]
    if proposal.steps:
        lines = [[f"{s.by} {s.name}", value_text(s.before, 32), value_text(s.after, 32), s.why] for s in proposal.steps]
        grids.append(Grid("changes", ["by", "before", "after", "why"], lines))
    if proposal.differences:
        rows = [[d.attribute, value_text(d.case, 32), value_text(d.query, 32), d.how] for d in proposal.differences]
        title = f"differences from case {proposal.base}"
        grids.append(Grid(title, ["attribute", "case", "query", "change"], rows[:_SHOWN], _rest(rows)))
    if proposal.problems:
        grids.append(Grid("problems", ["what is wrong"], [[value_text(text, 100)] for text in proposal.problems]))
    return grids


def explanation(proposal: Proposal) -> str:
    """Sentences, one on each line."""
    lines = [headline(proposal), f"{proposal.how}."]
    if proposal.spread is not None:
        lines.append(f"{str(proposal.spread).capitalize()}.")
    for candidate in proposal.candidates[:_SHOWN]:
        against = f", {candidate.against:.3g} against it" if candidate.against else ""
        cases = "case" if len(candidate.cases) == 1 else "cases"
        lines.append(
            f"  {value_text(candidate.solution)}: probability {candidate.probability:.3f}; {candidate.support:.3g} for"
            f" it{against} ({cases} {', '.join(map(str, candidate.cases))})."
        )
    if proposal.unseen:
        lines.append(f"  none of these: probability {proposal.unseen:.3f}.")
    for source in proposal.sources:
        if source.part is not None:
            where = f"case {source.id}, similarity {source.similarity:.3f}"
            lines.append(f"  {source.part}: {value_text(source.solution[source.part])} ({where}).")
    if proposal.differences:
        lines.append(f"The query differs from case {proposal.base} in:")
        lines += [f"  {difference}." for difference in proposal.differences]
    for title, parts in (("Changed by", proposal.steps), ("Problems", proposal.problems), ("Notes", proposal.notes)):
        lines += [f"{title}:", *(f"  {part}." for part in parts)] if parts else []
    return "\n".join(lines)


def headline(proposal: Proposal) -> str:
    """What is proposed, in one line."""
    if proposal.abstains:
        return f"{proposal.method}: nothing is proposed"
    sure = f", confidence {proposal.confidence:.3f}" if proposal.confidence is not None else ""
    interval = ""
    if proposal.interval is not None:
        interval = " ({:.6g} to {:.6g})".format(*proposal.interval)
    return f"{proposal.method}: {value_text(proposal.solution)}{interval}{sure}"


def _candidates(proposal: Proposal) -> Grid:
    lines = [
        [
            value_text(c.solution, 40),
            f"{c.probability:.3f}",
            f"{c.support:.3g}",
            f"{c.against:.3g}",
            value_text(", ".join(map(str, c.cases)), 24),
        ]
        for c in proposal.candidates
    ]
    if proposal.unseen:
        lines.append(["none of these", f"{proposal.unseen:.3f}", "", "", ""])
    header = ["solution", "probability", "for", "against", "cases"]
    return Grid(headline(proposal), header, lines[:_SHOWN], _below(proposal, _rest(lines)), right={1, 2, 3})


def _sources(proposal: Proposal) -> Grid:
    parts = any(source.part is not None for source in proposal.sources)
    lines = []
    for s in proposal.sources:
        solution = s.solution[s.part] if s.part is not None else s.solution
        part = [s.part or ""] * parts
        lines.append([*part, str(s.id), f"{s.similarity:.3f}", f"{s.weight:.3f}", value_text(solution, 40)])
    header = [*["part"] * parts, "case", "similarity", "weight", "solution"]
    right = {parts, parts + 1, parts + 2}
    return Grid(headline(proposal), header, lines[:_SHOWN], _below(proposal, _rest(lines)), right=right)


def _below(proposal: Proposal, rest: str) -> str:
    return "; ".join(filter(None, [rest, *proposal.notes]))


def _rest(lines: list[list[str]]) -> str:
    return f"and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
