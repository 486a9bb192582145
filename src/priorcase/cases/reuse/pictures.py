"""Proposals drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from priorcase.cases.reuse.texts import value_text
from priorcase.learning.plotting import INK, MUTED, caption, captions, colour, legend_beside, tint

if TYPE_CHECKING:
    from priorcase.cases.reuse.proposal import Proposal

_BARS = 12


def draw_candidates(ax: Any, proposal: Proposal) -> None:
    """A bar for each candidate, the most probable on top, with its probability."""
    shown = proposal.candidates[:_BARS]
    names = captions([value_text(candidate.solution) for candidate in shown], 32)
    shares = [candidate.probability for candidate in shown]
    fills = [colour(0)] * len(shown)
    rest = len(proposal.candidates) - len(shown)
    if rest:
        names.append(f"{rest} others")
        shares.append(sum(candidate.probability for candidate in proposal.candidates[_BARS:]))
        fills.append(tint(2))
    if proposal.unseen:
        names.append("none of these")
        shares.append(proposal.unseen)
        fills.append(tint(2))
    places = range(len(names))
    ax.barh(places, shares, color=fills, edgecolor=INK, linewidth=0.6, height=0.65)
    for place, share in zip(places, shares, strict=True):
        ax.text(share + 0.012, place, f"{share:.2f}", va="center", fontsize="small")
    ax.set_yticks(list(places), names)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.set_xlim(0, 1.08)
    ax.set_xlabel("probability")
    ax.set_title("Nothing speaks for any solution" if proposal.abstains else "How probable each solution is")


def draw_numbers(ax: Any, proposal: Proposal) -> None:
    """The cases' numbers over their similarity, larger where they weigh more; the proposed number and its interval."""
    heaviest = max(source.weight for source in proposal.sources)
    if proposal.spread is not None and all(map(math.isfinite, proposal.spread.interval)):
        low, high = proposal.spread.interval
        label = f"{100 * proposal.spread.level:g} %: {low:.6g} to {high:.6g}"
        ax.axhspan(low, high, color=tint(0), linewidth=0, label=label, zorder=0)
    proposed = proposal.steps[0].before if proposal.steps else proposal.solution  # the interval is that of the estimate
    ax.axhline(proposed, color=colour(0), label="proposed", zorder=1)
    ax.scatter(
        [source.similarity for source in proposal.sources],
        [source.solution for source in proposal.sources],
        s=[18 + 60 * source.weight / heaviest for source in proposal.sources],
        color=colour(1),
        edgecolor=INK,
        linewidth=0.6,
        label="cases, larger: weightier",
        zorder=3,
    )
    _show_cases(ax, [proposed, *(source.solution for source in proposal.sources)])
    ax.set_xlabel("similarity to the query")
    ax.set_ylabel("solution")
    ax.set_title(caption(f"Proposed by {proposal.method}: {proposed:.6g}", 60))
    ax.tick_params(axis="both", color=MUTED)
    legend_beside(ax)


def _show_cases(ax: Any, numbers: list[float]) -> None:
    """Let no wide interval press the cases together: what is shown reaches at most as far again beyond them."""
    low, high = min(numbers), max(numbers)
    room = (high - low) or abs(high) or 1.0
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(bottom, low - room), min(top, high + room))
