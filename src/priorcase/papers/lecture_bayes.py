"""The lecture's Bayes: the football match, shares and densities of the ten records, a classification, m-estimates."""

from __future__ import annotations

import math
from typing import Any

from priorcase.bayes import GaussianDensity, MEstimate, NaiveBayes, laplace, m_estimate
from priorcase.papers.lecture_records import INCOME, STATUS, class_shares, frequencies, likelihood, query, records
from priorcase.papers.lecture_worked import Worked

_SHARES = (
    ("Refund", "Yes", "No", "3/7"),
    ("Refund", "No", "No", "4/7"),
    ("Refund", "Yes", "Yes", "0"),
    ("Refund", "No", "Yes", "1"),
    ("Marital Status", "Single", "No", "2/7"),
    ("Marital Status", "Divorced", "No", "1/7"),
    ("Marital Status", "Married", "No", "4/7"),
    ("Marital Status", "Single", "Yes", "2/3"),
    ("Marital Status", "Divorced", "Yes", "1/3"),
    ("Marital Status", "Married", "Yes", "0/3"),
)
_INCOMES = {"No": ("110", "2975", "54.54", "0.0072"), "Yes": ("90", "25", "", "1.2e-9")}
ASKED = 120.0
"""The income of the record to classify, in thousands."""


def football() -> list[Worked]:
    """Who wins when team 1 is the host: Bayes' theorem, from games that weigh as much as they are probable."""
    shares = {("1", "Team 1"): 0.35 * 0.75, ("0", "Team 1"): 0.35 * 0.25}
    shares |= {("1", "Team 0"): 0.65 * 0.30, ("0", "Team 0"): 0.65 * 0.70}
    hosts, winners = ([key[at] for key in shares] for at in (0, 1))
    model = NaiveBayes("map", n_jobs=1).fit([[host] for host in hosts], winners, sample_weight=list(shares.values()))
    prior = model.predict_proba([[None]])[0]
    hosting = model.predict_column([[None]] * 2, 0, y=["Team 0", "Team 1"], return_proba=True)[1]
    one = model.column_values(0).tolist().index("1")
    posterior = model.predict_proba([["1"]])[0]
    return [
        Worked("P(Y = 0)", float(prior[0]), "0.65"),
        Worked("P(Y = 1)", float(prior[1]), "0.35"),
        Worked("P(X = 1 | Y = 1)", float(hosting[1, one]), "0.75"),
        Worked("P(X = 1 | Y = 0)", float(hosting[0, one]), "0.30"),
        Worked("P(Y = 1 | X = 1) = 0.75 × 0.35 / (0.75 × 0.35 + 0.30 × 0.65)", float(posterior[1]), "0.5738"),
        Worked("who wins", str(model.predict([["1"]])[0]), "Team 1"),
    ]


def shares() -> list[Worked]:
    """Relative frequencies of the classes, and of the values in each class."""
    model = frequencies(*records())
    yes = float(class_shares(model)[1])
    found = [Worked("P(Evade = Yes) = 3/10", yes, "3/10", "the class is called Cheat on earlier slides")]
    for column, value, label, printed in _SHARES:
        asked = query(**{column.replace(" ", "_"): value})
        name = f"P({column} = {value} | {label}) = {printed}"
        found.append(Worked(name, likelihood(model, asked)[label], printed))
    return found


def incomes() -> list[Worked]:
    """Mean, variance and density of the income in each class; the spread is read off the density at the mean."""
    model = frequencies(*records((INCOME,)))
    found = []
    for label, (mean, variance, spread, density) in _INCOMES.items():
        centre = float(model.predict_column([[None]], INCOME, y=[label])[0])
        k = model.classes_.tolist().index(label)
        deviation = 1 / (math.sqrt(2 * math.pi) * _density(model, centre, k))
        at = _density(model, ASKED, k)
        found += [
            Worked(f"mean income | {label}", centre, mean),
            Worked(f"variance of income | {label}", round(deviation**2, 9), variance, "divisor n - 1"),
            Worked(f"standard deviation of income | {label}", deviation, spread),
            Worked(f"P(Income = 120 | {label})", at, density, "a density, not a probability" if label == "No" else ""),
        ]
    return found


def classification() -> list[Worked]:
    """The record Refund = No, Married, Income = 120: its likelihood in each class, and the class."""
    model = frequencies(*records())
    asked = query("No", "Married", ASKED)
    found = likelihood(model, asked)
    rounded = "The slide multiplies the rounded 0.0072; 0.002351 rounds up, the product of the exact numbers down."
    joint = dict(zip(model.classes_.tolist(), class_shares(model).tolist(), strict=True))
    return [
        Worked("P(X | No) = 4/7 × 4/7 × 0.0072", found["No"], "0.0024", rounded),
        Worked("P(X | Yes) = 1 × 0 × 1.2e-9", found["Yes"], "0"),
        Worked("P(X | No) P(No)", found["No"] * joint["No"]),
        Worked("P(X | Yes) P(Yes)", found["Yes"] * joint["Yes"]),
        Worked("P(No | X)", float(model.predict_proba(asked)[0, 0]), "", "certain, since one share is zero"),
        Worked("class", str(model.predict(asked)[0]), "No"),
    ]


def zeros() -> list[Worked]:
    """The record Refund = Yes, Divorced, Income = 120, where record 7 is married, so that no honest one is divorced."""
    model = frequencies(*records(Marital_Status=(7, "Married")))
    asked = query("Yes", "Divorced", ASKED)
    found = likelihood(model, asked)
    income = likelihood(model, query(Taxable_Income=ASKED))
    return [
        Worked("P(Refund = Yes | No) = 3/7", likelihood(model, query("Yes"))["No"], "3/7"),
        Worked("P(Divorced | No)", likelihood(model, query(None, "Divorced"))["No"], "0"),
        Worked(
            "P(Income = 120 | No), printed again", income["No"], "0.00072", "a misprint: 0.0072 on the slide before"
        ),
        Worked("P(X | No) = 3/7 × 0 × 0.00072", found["No"], "0"),
        Worked("P(Refund = Yes | Yes)", likelihood(model, query("Yes"))["Yes"], "0"),
        Worked("P(Divorced | Yes) = 1/3", likelihood(model, query(None, "Divorced"))["Yes"], "1/3"),
        Worked("P(Income = 120 | Yes), printed again", income["Yes"], "1e-9", "1.2e-9 on the slide before"),
        Worked("P(X | Yes) = 0 × 1/3 × 10^-9", found["Yes"], "0"),
        Worked(
            "P(No | X)",
            float(model.predict_proba(asked)[0, 0]),
            "",
            "0/0: both classes are impossible, and each gets 1/2",
        ),
    ]


def estimates() -> list[Worked]:
    """The m-estimate of Married among those who evade, and what the slide's formula for Laplace would give."""
    X, y = records()
    smoothed = NaiveBayes(prior=MEstimate(3.0), numeric=GaussianDensity(0.0), n_jobs=1).fit(X, y)
    married = likelihood(smoothed, query(None, "Married"))["Yes"]
    counts = _status_counts("Yes")
    # m p = 1 with m = 2 for one value; for all three p would sum to 3/2, which m_estimate refuses.
    by_classes = float(m_estimate(counts, 2.0, [0.5, 0.25, 0.25])[0])
    wrong = "|Y|, the 2 classes, is a slip for the 3 values: the three shares would sum to 6/5."
    asked = query("No", "Married", ASKED)
    return [
        Worked("P(Married | Yes) = (0 + 3 × 1/3) / (3 + 3) = 1/6", married, "1/6"),
        Worked("(N_xy + 1) / (N_y + 3 values), Laplace", float(laplace(counts)[0]), "", "the same: m p = 1, m = 3"),
        Worked("(N_xy + 1) / (N_y + |Y|) as printed", by_classes, "", wrong),
        Worked("P(X | Yes) of Example 5's record, m = 3", likelihood(smoothed, asked)["Yes"], "", "no longer zero"),
        Worked("P(Yes | X) of Example 5's record, m = 3", float(smoothed.predict_proba(asked)[0, 1])),
    ]


def gaps() -> list[Worked]:
    """What a gap leaves out: record 5 without its marital status."""
    model = frequencies(*records(Marital_Status=(5, None)))
    remark = "The slide says the instance is ignored; only its gap is."
    return [
        Worked(
            "P(Single | Yes), record 5 without status", likelihood(model, query(None, "Single"))["Yes"], "", "2 of 2"
        ),
        Worked("P(Refund = No | Yes), record 5 without status", likelihood(model, query("No"))["Yes"], "", remark),
        Worked("P(Evade = Yes), record 5 without status", float(class_shares(model)[1]), "", "3 of 10 as before"),
    ]


def _status_counts(label: str) -> list[int]:
    """How many records of a class are married, single, divorced."""
    X, y = records((STATUS,))
    pairs = list(zip(X[STATUS].tolist(), y, strict=True))
    return [pairs.count((value, label)) for value in ("Married", "Single", "Divorced")]


def _density(model: NaiveBayes, income: float, k: int) -> float:
    joint: Any = model.predict_joint_log_proba([[income], [None]])[:, k]
    return math.exp(joint[0] - joint[1])
