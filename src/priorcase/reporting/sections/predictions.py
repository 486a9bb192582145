"""Three predictions explained: the answer, what each column has to do with it, and the most similar rows."""

from __future__ import annotations

from priorcase.reporting.explaining import Explained
from priorcase.reporting.markup import Cell, table, text
from priorcase.reporting.result import Report
from priorcase.reporting.words import count, percent, plain

__all__ = ["predictions_section"]

_CLUES = 8
_TITLES = {
    "clear": "A clear case",
    "doubtful": "A case in doubt",
    "wrong": "A case it got wrong",
    "close": "Close to the truth",
    "typical": "A typical error",
    "far off": "Far off",
}


def predictions_section(report: Report) -> str:
    """A card for each of them."""
    if not report.explained:
        return ""
    what = "probability of the predicted class" if report.problem.classes else "prediction"
    rows = ("One row", "Two rows", "Three rows")[len(report.explained) - 1]
    intro = (
        f"<p>{rows}, predicted by {text(report.verdict.chosen)} without having been learned. “Hidden” is the "
        f"{what} if that one column is not known (the mean over values of other rows); beside it stand the most "
        "similar rows, their own target on top.</p>"
    )
    return intro + "".join(_card(report, one) for one in report.explained)


def _card(report: Report, one: Explained) -> str:
    title = f"{_TITLES[one.kind]}: {report.problem.place(one.row)}"
    right = one.actual == one.predicted
    kind = "" if right or not report.problem.classes else ' class="wrong"'
    actual = f"{text(report.problem.target)} is <span{kind}>{text(one.actual)}</span>"
    answer = f"<p>Predicted <strong>{text(one.predicted)}</strong>; {actual}.</p>"
    chances = ""
    if one.probabilities:
        bars = "".join(
            f'<span>{text(name)}</span><span class="track"><span class="fill{" first" if i == 0 else ""}" '
            f'style="display:block;width:{100 * share:.1f}%"></span></span><span class="n">{percent(share)}</span>'
            for i, (name, share) in enumerate(one.probabilities)
        )
        chances = f'<div class="chances">{bars}</div>'
    return f'<div class="card"><h3>{text(title)}</h3>{answer}{chances}{_clues(report, one)}</div>'


def _clues(report: Report, one: Explained) -> str:
    header = [Cell("column"), Cell("this row"), Cell("hidden", "n")]
    for each in one.precedents:
        kind = "another class, " if each.unlike else ""
        place = f'<span class="small">{kind}{text(report.problem.place(each.row))}</span>'
        header.append(Cell(f"{text(each.target)}<br>{place}"))
    lines = []
    for clue in one.clues[:_CLUES]:
        told = percent(clue.without) if report.problem.classes else plain(clue.without, 4)
        cells = [Cell.named(clue.column), Cell(text(clue.value)), Cell(text(told), "n")]
        for each in one.precedents:
            held = each.values[clue.column]
            cells.append(Cell(text(held), "same" if held == clue.value else ""))
        lines.append(("", cells))
    rest = len(one.clues) - _CLUES
    if rest <= 0:
        return table(header, lines)
    more = f"{count(rest, 'more column')} {'changes' if rest == 1 else 'change'} less."
    return f'{table(header, lines)}<p class="note">{more}</p>'
