"""Confidence and accuracy of conversations: each case is left out in turn, and its values answer the questions.

PRIORCASE_DATA names the folder of data sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import priorcase as pc
from priorcase import datasets
from priorcase.cases import not_

SETS = {
    "zoo": 101,
    "mushroom": 150,
    "voting": 150,
    "car-evaluation": 200,
    "heart-cleveland": 150,
    "lymphography": 148,
    "primary-tumor": 150,
    "glass": 150,
}


def main() -> None:
    """Print one table; from larger data sets, a sample of cases is drawn with seed 0."""
    print("| cases | number | claimed | right | questions | log-score |\n| --- |" + " ---: |" * 5)
    with help_desk() as base:
        print(line("help desk", base), flush=True)
        base.prefer(weights=base.learn_weights(k=3, fixed={"opened": 0}))
        print(line("help desk, learned weights", base), flush=True)
    for name, most in SETS.items():
        X, y = datasets.load(name, frame="pandas")
        chosen = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
        with pc.CaseBase.temporary() as base:
            base.add_many(X.iloc[chosen], solution=[str(label) for label in np.asarray(y)[chosen]])
            print(line(name, base), flush=True)


def help_desk() -> pc.CaseBase:
    """Return a case base with the built-in help-desk tickets."""
    desk = datasets.load_help_desk()
    kinds: dict[str, Any] = {"area": pc.Taxonomy(desk.areas), "system": "nominal", "place": "nominal"}
    kinds |= {"people": "numeric", "urgency": pc.Ordinal(desk.urgencies), "signs": "set", "opened": "date"}
    base = pc.CaseBase.temporary(kinds | {"message": "text"})
    base.add_many(desk.tickets, solution="solution", outcome="outcome", key="ticket")
    return base


def line(name: str, base: pc.CaseBase) -> str:
    """Return one line of the table; cases whose solution failed are skipped."""
    asked = [case for case in base if case.outcome is not False]
    found = np.array([interview(base, case) for case in asked])
    claimed, right, questions, score = found.mean(axis=0)
    return f"| {name} | {len(asked)} | {claimed:.0%} | {right:.0%} | {questions:.1f} | {score:.2f} |"


def interview(base: pc.CaseBase, case: pc.Case) -> tuple[float, float, float, float]:
    """Return the confidence in the answer, its correctness (0 or 1), the number of questions, and the log-score."""
    words = {name: case[name] for name, kind in base.attributes.items() if isinstance(kind, pc.Text)}
    talk, questions = base.converse(words, where={"id": not_(case.id)}), 0
    while not talk.settled and (question := talk.next_question()) is not None:
        questions += 1
        known = case[question.attribute]
        if known is None:
            talk.skip(question.attribute)
        elif question.kind == "member":
            talk.tell(question.attribute, question.about in known)
        elif question.kind == "cut":
            talk.tell(question.attribute, bool(known <= question.about))
        else:
            talk.tell(question.attribute, known)
    answer = talk.answer()
    probabilities = {each.solution: each.probability for each in answer.candidates}
    # Probability that the listed solutions leave for a solution that was ruled out or never seen.
    left = max(1.0 - sum(probabilities.values()), 1e-6)
    score = float(np.log(probabilities.get(case.solution, left)))
    return float(answer.confidence or 0.0), float(answer.solution == case.solution), float(questions), score


if __name__ == "__main__":
    main()
