"""R. Guidotti's lecture on instance-based and Bayesian classification: the worked examples of its slides.

The library computes the numbers, in most examples on the lecture's ten tax records. Remarks point out errors on the
slides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from papers.mitchell import above_wave
from papers.reproduction import Figure, FigureTable, Form, Item, Options, Paper, Part, Picture
from priorcase._typing import FloatArray
from priorcase.bayes import GaussianDensity, MEstimate, NaiveBayes, laplace, m_estimate
from priorcase.concepts import PEBLS
from priorcase.datasets import NamedColumns
from priorcase.learning.plotting import INK, MUTED, class_styles, style
from priorcase.neighbors import KNNClassifier
from priorcase.schema import Kind, Nominal, Numeric
from priorcase.similarity import cosine, euclidean

# Worked numbers -------------------------------------------------------------------------------------------------------


class Worked(NamedTuple):
    """A number or predicted class of the lecture: our value, and the value printed on the slide."""

    name: str
    ours: float | str
    printed: str = ""
    remark: str = ""

    def figure(self) -> Figure:
        """Return both numbers; our number has two more decimals than the printed number."""
        digits: tuple[Form, Form] = (4, 4) if self.printed else (".4g", 4)
        if "e" in self.printed:
            digits = ".3e", ".1e"
        elif "." in self.printed:
            decimals = len(self.printed.partition(".")[2])
            digits = decimals + 2, decimals
        elif self.printed.isdigit():
            digits = 0, 0
        is_number = self.printed and not isinstance(self.ours, str)
        return Figure(self.ours, float(Fraction(self.printed)) if is_number else self.printed or None, digits=digits)


def worked_table(title: str, numbers: Sequence[Worked]) -> FigureTable:
    """Return worked numbers as a table.

    Examples
    --------
    >>> worked_table("value differences", [Worked("d(Yes, No)", 0.857142857, "6/7"), Worked("k", 3.0)])
    value differences
                  ours (slide, difference)
      d(Yes, No)  0.8571 (0.8571, +0.0000)
      k                                  3
    """
    rows = {number.name: (number.figure(),) for number in numbers}
    remarks = {number.name: number.remark for number in numbers if number.remark}
    column = "ours (slide, difference)" if any(number.printed for number in numbers) else "ours"
    return FigureTable(title, (column,), rows, digits=(4, 4), differences=True, remarks=remarks)


# The ten tax records --------------------------------------------------------------------------------------------------

REFUND, STATUS, INCOME = "Refund", "Marital Status", "Taxable Income"
COLUMNS = (REFUND, STATUS, INCOME)

RECORDS = (
    ("Yes", "Single", 125.0, "No"),
    ("No", "Married", 100.0, "No"),
    ("No", "Single", 70.0, "No"),
    ("Yes", "Married", 120.0, "No"),
    ("No", "Divorced", 95.0, "Yes"),
    ("No", "Married", 60.0, "No"),
    ("Yes", "Divorced", 220.0, "No"),
    ("No", "Single", 85.0, "Yes"),
    ("No", "Married", 75.0, "No"),
    ("No", "Single", 90.0, "Yes"),
)
"""Refund, marital status, taxable income in thousands, and whether the taxpayer cheats (a later slide says evades)."""

_KINDS: dict[str, Kind] = {
    REFUND: Nominal(("Yes", "No")),
    STATUS: Nominal(("Single", "Married", "Divorced")),
    INCOME: Numeric(),
}
ASKED = 120.0
"""The income of the record to classify, in thousands."""


def records(
    columns: tuple[str, ...] = COLUMNS, statuses: Mapping[int, str | None] | None = None
) -> tuple[NamedColumns, list[str]]:
    """Return some columns of the records and the classes; ``statuses`` replaces marital statuses by record number."""
    *data, labels = map(list, zip(*RECORDS, strict=True))
    found = dict(zip(COLUMNS, data, strict=True))
    for number, status in (statuses or {}).items():
        found[STATUS][number - 1] = status
    return NamedColumns.of(found, {name: _KINDS[name] for name in columns}), labels


def query(refund: str | None = None, status: str | None = None, income: float | None = None) -> NamedColumns:
    """Return a record with some known values."""
    return NamedColumns.of({REFUND: [refund], STATUS: [status], INCOME: [income]}, _KINDS)


def frequencies(X: Any, y: list[str]) -> NaiveBayes:
    """Fit the lecture's naive Bayes: relative frequencies, and normal densities with divisor n - 1 in the variance."""
    return NaiveBayes("map", numeric=GaussianDensity(0.0), n_jobs=1).fit(X, y)


def likelihood(model: NaiveBayes, row: NamedColumns) -> dict[str, float]:
    """Return ``P(known values | class)`` for each class: the joint probability divided by the class probability."""
    joint = np.exp(model.predict_joint_log_proba(row)[0])
    return dict(zip(model.classes_.tolist(), (joint / class_shares(model)).tolist(), strict=True))


def class_shares(model: NaiveBayes) -> Any:
    """Return ``P(class)``, the prediction for a record without known values."""
    return model.predict_proba(query())[0]


def _densities(model: NaiveBayes, incomes: FloatArray) -> dict[str, FloatArray]:
    """Return the density of incomes in each class, from a model of the income alone."""
    joint = model.predict_joint_log_proba(np.append(incomes, np.nan)[:, None])
    shares = np.exp(joint[:-1] - joint[-1])
    return dict(zip(model.classes_.tolist(), shares.T, strict=True))


# Nearest neighbors: examples 1 to 3 -----------------------------------------------------------------------------------

PERSONS = ((1.5, 10.0, 10_000.0), (1.8, 200.0, 1_000_000.0))
"""Smallest and largest height (meters), weight (kilograms) and income (dollars) on the slide."""

_PROFILES = {
    (STATUS, "Yes"): {"Single": "2/4", "Married": "0/4", "Divorced": "1/2"},
    (STATUS, "No"): {"Single": "2/4", "Married": "4/4", "Divorced": "1/2"},
    (REFUND, "Yes"): {"Yes": "0/3", "No": "3/7"},
    (REFUND, "No"): {"Yes": "3/3", "No": "4/7"},
}
"""Fraction of the records with a value that have a class, as printed on the slide."""

_DISTANCES = (
    (STATUS, "Single", "Married", "|2/4 - 0/4| + |2/4 - 4/4|", "1"),
    (STATUS, "Single", "Divorced", "|2/4 - 1/2| + |2/4 - 1/2|", "0"),
    (STATUS, "Married", "Divorced", "|0/4 - 1/2| + |4/4 - 1/2|", "1"),
    (REFUND, "Yes", "No", "|0/3 - 3/7| + |3/3 - 4/7|", "6/7"),
)


def nearest_records() -> list[Worked]:
    """Return k = sqrt(N), and the k nearest neighbors of the record of the naive Bayes example with their vote."""
    asked, (X, labels) = query("No", "Married", ASKED), records()
    model = KNNClassifier("sqrt", n_jobs=1).fit(X, labels)
    found = [Worked("k = sqrt(N), N = 10", model.n_neighbors_, "", "the root is 3.16; rounded down")]
    distances, ids = (each[0].tolist() for each in model.kneighbors(asked))
    for rank, (far, row) in enumerate(zip(distances, ids, strict=True), 1):
        found.append(Worked(f"distance to neighbor {rank}: record {row + 1}, class {labels[row]}", far))
    found.append(Worked("majority class of these three", str(model.predict(asked)[0])))
    squared = KNNClassifier("all", vote="inverse_square", prior=None, n_jobs=1).fit(X, labels)
    share = float(np.asarray(squared.predict_proba(asked))[0, 0])
    return [*found, Worked("share of No in the vote of all ten records, w = 1/d^2", share)]


def scaling() -> FigureTable:
    """Return the share of each attribute in the squared distance between the two persons, without and with scaling."""
    columns = {"as they are": euclidean(), "divided by their ranges": euclidean("range")}
    small, large = np.array(PERSONS)
    found = []
    for distance in columns.values():
        model = KNNClassifier(1, distance=distance, n_jobs=1).fit(PERSONS, ["small", "large"])
        costs = model.distance_.contributions(small, large[None, :])[0]
        found.append((costs / costs.sum()).tolist())
    rows = {
        name: tuple(Figure(shares[at], digits=(".2g", 0)) for shares in found)
        for at, name in enumerate(("height, 1.5 to 1.8 m", "weight, 10 to 200 kg", "income, $10K to $1M"))
    }
    return FigureTable(
        "each attribute's share of the squared distance between the persons with the smallest and the largest values",
        tuple(columns),
        rows,
        (3, 0),
    )


def contrasts(dimensions: tuple[int, ...] = (2, 20, 200, 2000), rows: int = 500, random_state: int = 0) -> FigureTable:
    """Return the ratio of the farthest to the nearest distance, for raw records and for records of unit length.

    All attributes are normally distributed; the ratios are means over 50 queries.
    """
    columns = {"as they are": euclidean(), "at unit length": cosine()}
    lines = {}
    for dimension in dimensions:
        random = np.random.default_rng((random_state, dimension))
        X, queries = random.normal(size=(rows, dimension)), random.normal(size=(50, dimension))
        ratios = []
        for title, distance in columns.items():
            model = KNNClassifier(1, distance=distance, n_jobs=1).fit(X, np.arange(rows) % 2)
            far = model.kneighbors(queries, n_neighbors=rows)[0]
            if title == "at unit length":
                far = np.sqrt(2 * far)  # 1 - cos is half the squared distance between two directions
            ratios.append(Figure(float(np.mean(far[:, -1] / far[:, 0]))))
        lines[f"{dimension} attributes"] = tuple(ratios)
    return FigureTable(
        "distance to the farthest record divided by the distance to the nearest record",
        tuple(columns),
        lines,
        (".3g", 0),
    )


def value_profiles() -> tuple[list[Worked], list[Worked]]:
    """Return the number of records per class and value, and the share of each class among the records with a value.

    A count is the share of the value in the class times the number of records of the class.
    """
    counts, profiles = [], []
    for (column, label), profile in _PROFILES.items():
        alone = NaiveBayes("map", n_jobs=1).fit(*records((column,)))
        k, values = alone.classes_.tolist().index(label), alone.column_values(column).tolist()
        shares = alone.predict_column([[None]], column, y=[label], return_proba=True)[1][0]
        for value, printed in profile.items():
            count = float(round(shares[values.index(value)] * alone.class_count_[k], 9))
            counts.append(Worked(f"{column} = {value}, {label}", count, printed.partition("/")[0]))
            share = float(alone.predict_proba([[value]])[0, k])
            profiles.append(Worked(f"n({column} = {value}, {label}) / n({value}) = {printed}", share, printed))
    return counts, profiles


def value_distances() -> list[Worked]:
    """Return the modified value differences between the values of the two nominal attributes."""
    model = exemplars()
    return [
        Worked(f"d({one}, {other}) = {steps} = {printed}", model.value_differences(column)[one, other], printed)
        for column, one, other, steps, printed in _DISTANCES
    ]


def record_distances() -> list[Worked]:
    """Return the distance from a copy of record 1 to record 3, with weights of 1 and with weights after one pass."""
    X, y = records((STATUS, REFUND))
    first = X.take(np.array([0]))
    found = []
    for title, model in (
        ("w = 1", PEBLS(power=1, weighting=None, n_jobs=1).fit(X, y)),
        ("w from the next table", exemplars()),
    ):
        distances, ids = model.kneighbors(first, n_neighbors=len(X))
        far = float(distances[0, ids[0].tolist().index(2)])
        found.append(Worked(f"from a query equal to record 1 to record 3, {title}", far))
    return found


def exemplar_weights() -> list[Worked]:
    """Return the weight ``N_predict / N_correct`` of each record after one pass over the records."""
    memory = exemplars().exemplars_
    lines = zip(*(np.asarray(memory[name]).tolist() for name in ("used", "correct", "weight")), strict=True)
    return [
        Worked(
            f"w of record {i} = {used:.0f}/{correct:.0f}",
            w,
            "",
            "reliable" if w == 1 else "less reliable, so farther away",
        )
        for i, (used, correct, w) in enumerate(lines, 1)
    ]


def exemplars() -> PEBLS:
    """Fit PEBLS to the two nominal attributes, with added differences as on the slide (r = 1)."""
    return PEBLS(power=1, n_jobs=1).fit(*records((STATUS, REFUND)))


def _example_1(options: Options) -> Part:
    notes = (
        "The steps of the lecture are: compute the distances to all records, find the k nearest, and take the majority "
        "of their classes. The slides give no numbers for this example, so we use the ten records of the later slides. "
        "The query is the record that Example 5 classifies. The distance is HEOM: differences of incomes are divided "
        "by their range; other values are either equal or different.",
        "With weights of 1/d^2, all ten records can vote, because distant records have almost no weight.",
    )
    return Part((worked_table("k-NN on the ten records", nearest_records()),), (), notes)


def _example_2(options: Options) -> Part:
    notes = (
        "This is the slide's example of attributes on different scales: without scaling, income dominates the "
        "distance.",
        "If there are many attributes, the slide suggests scaling all records to unit length, but this does not help. "
        "With 2,000 attributes, the nearest of 500 normally distributed records is hardly nearer than the farthest, "
        "whether or not the records are scaled to unit length.",
    )
    return Part((scaling(), contrasts(random_state=options.random_state)), (), notes)


def _example_3(options: Options) -> Part:
    counts, profiles = value_profiles()
    tables = (
        worked_table("number of records with each value and class", counts),
        worked_table("proportion of each class among the records with a value", profiles),
        worked_table("modified value difference metric", value_distances()),
        worked_table("distance between two records by both nominal attributes", record_distances()),
        worked_table("weights of the records, N_predict / N_correct", exemplar_weights()),
    )
    notes = (
        "The slide's sum over attributes starts at i = 0, but should start at 1, because the d attributes are numbered "
        "from 1.",
        "The slide does not define the weight of a record that was never used, w = 0/0. PEBLS starts each record with "
        "one correct prediction, which is included in the counts above, so every weight is defined.",
        "As on the slide, the differences of the two attributes are added here (r = 1 in Cost & Salzberg 1993). By "
        "default, PEBLS squares the differences before it adds them.",
        "PEBLS discretizes numbers into intervals and treats each interval as a symbol; the slide does not say this.",
    )
    return Part(tables, (), notes)


# Bayes: examples 4 to 6 -----------------------------------------------------------------------------------------------

_SHARES = {
    (REFUND, "No"): {"Yes": "3/7", "No": "4/7"},
    (REFUND, "Yes"): {"Yes": "0", "No": "1"},
    (STATUS, "No"): {"Single": "2/7", "Divorced": "1/7", "Married": "4/7"},
    (STATUS, "Yes"): {"Single": "2/3", "Divorced": "1/3", "Married": "0/3"},
}
"""Fraction of the records of a class that have a value, as printed on the slide."""

_INCOMES = {"No": ("110", "2975", "54.54", "0.0072"), "Yes": ("90", "25", "", "1.2e-9")}


def football() -> list[Worked]:
    """Predict the winner if team 1 is the host with Bayes' theorem, from games weighted by their probabilities."""
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
        Worked("predicted winner", str(model.predict([["1"]])[0]), "Team 1"),
    ]


def shares() -> list[Worked]:
    """Return the relative frequencies of the classes, and of the values in each class."""
    model = frequencies(*records())
    yes = float(class_shares(model)[1])
    found = [Worked("P(Evade = Yes) = 3/10", yes, "3/10", "the class is called Cheat on earlier slides")]
    for (column, label), printed in _SHARES.items():
        for value, share in printed.items():
            asked = query(value) if column == REFUND else query(None, value)
            name = f"P({column} = {value} | {label}) = {share}"
            found.append(Worked(name, likelihood(model, asked)[label], share))
    return found


def incomes() -> list[Worked]:
    """Return the mean, variance and density of the income in each class; the density at the mean gives the variance."""
    model = frequencies(*records((INCOME,)))
    found = []
    for label, (mean, variance, spread, density) in _INCOMES.items():
        center = float(model.predict_column([[None]], INCOME, y=[label])[0])
        at_center, density_asked = _densities(model, np.array([center, ASKED]))[label].tolist()
        deviation = 1 / (math.sqrt(2 * math.pi) * at_center)
        remark = "a density, not a probability" if label == "No" else ""
        found += [
            Worked(f"mean income | {label}", center, mean),
            Worked(f"variance of income | {label}", round(deviation**2, 9), variance, "divisor n - 1"),
            Worked(f"standard deviation of income | {label}", deviation, spread),
            Worked(f"P(Income = 120 | {label})", density_asked, density, remark),
        ]
    return found


def classification() -> list[Worked]:
    """Classify the record Refund = No, Married, Income = 120, with its likelihood in each class."""
    model = frequencies(*records())
    asked = query("No", "Married", ASKED)
    found = likelihood(model, asked)
    rounded = "The slide multiplies the rounded 0.0072; without this rounding, the product rounds to 0.0023."
    priors = dict(zip(model.classes_.tolist(), class_shares(model).tolist(), strict=True))
    return [
        Worked("P(X | No) = 4/7 × 4/7 × 0.0072", found["No"], "0.0024", rounded),
        Worked("P(X | Yes) = 1 × 0 × 1.2e-9", found["Yes"], "0"),
        Worked("P(X | No) P(No)", found["No"] * priors["No"]),
        Worked("P(X | Yes) P(Yes)", found["Yes"] * priors["Yes"]),
        Worked("P(No | X)", float(model.predict_proba(asked)[0, 0]), "", "certain, since P(X | Yes) P(Yes) is zero"),
        Worked("class", str(model.predict(asked)[0]), "No"),
    ]


def missing_status() -> list[Worked]:
    """Show the effect of a missing value: record 5 without its marital status."""
    model = frequencies(*records(statuses={5: None}))
    single, refund = (likelihood(model, row)["Yes"] for row in (query(None, "Single"), query("No")))
    remark = "The slide says that the whole record is ignored; naive Bayes ignores only its missing value."
    return [
        Worked("P(Single | Yes), record 5 without status", single, "", "2 of 2"),
        Worked("P(Refund = No | Yes), record 5 without status", refund, "", remark),
        Worked("P(Evade = Yes), record 5 without status", float(class_shares(model)[1]), "", "3 of 10 as before"),
    ]


def zeros() -> list[Worked]:
    """Classify Refund = Yes, Divorced, Income = 120 with record 7 changed to Married: P(Divorced | No) is then 0."""
    model = frequencies(*records(statuses={7: "Married"}))
    asked = query("Yes", "Divorced", ASKED)
    found, income = likelihood(model, asked), likelihood(model, query(income=ASKED))
    refund, divorced = likelihood(model, query("Yes")), likelihood(model, query(None, "Divorced"))
    misprint = "a misprint: 0.0072 on the previous slide"
    undefined = "0/0: both classes are impossible, and each gets 1/2"
    return [
        Worked("P(Refund = Yes | No) = 3/7", refund["No"], "3/7"),
        Worked("P(Divorced | No)", divorced["No"], "0"),
        Worked("P(Income = 120 | No), printed again", income["No"], "0.00072", misprint),
        Worked("P(X | No) = 3/7 × 0 × 0.00072", found["No"], "0"),
        Worked("P(Refund = Yes | Yes)", refund["Yes"], "0"),
        Worked("P(Divorced | Yes) = 1/3", divorced["Yes"], "1/3"),
        Worked("P(Income = 120 | Yes), printed again", income["Yes"], "1e-9", "1.2e-9 on the previous slide"),
        Worked("P(X | Yes) = 0 × 1/3 × 10^-9", found["Yes"], "0"),
        Worked("P(No | X)", float(model.predict_proba(asked)[0, 0]), "", undefined),
    ]


def estimates() -> list[Worked]:
    """Return the m-estimate of P(Married | Yes), and the result of the slide's formula for the Laplace estimate."""
    X, y = records()
    smoothed = NaiveBayes(prior=MEstimate(3.0), numeric=GaussianDensity(0.0), n_jobs=1).fit(X, y)
    married = likelihood(smoothed, query(None, "Married"))["Yes"]
    pairs = list(zip(X[STATUS].tolist(), y, strict=True))
    counts = [pairs.count((value, "Yes")) for value in ("Married", "Single", "Divorced")]
    # p = 1/2 is right for Married, as m p = 1. It cannot be 1/2 for all three values: m_estimate requires sum(p) = 1.
    by_classes = float(m_estimate(counts, 2.0, [0.5, 0.25, 0.25])[0])
    wrong = "|Y| (2 classes) should be the number of values (3); with 2, the three shares sum to 6/5."
    asked = query("No", "Married", ASKED)
    return [
        Worked("P(Married | Yes) = (0 + 3 × 1/3) / (3 + 3) = 1/6", married, "1/6"),
        Worked(
            "(N_xy + 1) / (N_y + 3 values), Laplace",
            float(laplace(counts)[0]),
            "",
            "equal to the m-estimate, since m p = 1 and m = 3",
        ),
        Worked("(N_xy + 1) / (N_y + |Y|) as printed", by_classes, "", wrong),
        Worked("P(X | Yes) of Example 5's record, m = 3", likelihood(smoothed, asked)["Yes"], "", "no longer zero"),
        Worked("P(Yes | X) of Example 5's record, m = 3", float(smoothed.predict_proba(asked)[0, 1])),
    ]


def _example_4(options: Options) -> Part:
    notes = (
        "X is the host and Y is the winner. The model is naive Bayes with one attribute, the host. It is fitted to the "
        "four combinations of host and winner, weighted by their probabilities.",
    )
    return Part((worked_table("who wins the next match if team 1 is the host", football()),), (), notes)


def _example_5(options: Options) -> Part:
    tables = (
        worked_table("proportions of the classes, and of the values in each class", shares()),
        worked_table("incomes in each class", incomes()),
        worked_table("the record Refund = No, Married, Income = 120K", classification()),
        worked_table("a record with a missing value", missing_status()),
    )
    notes = (
        "The slide uses the divisor n - 1 in the variance. With the divisor n, the standard deviation of the incomes "
        "in class No would be 50.50 and the density 0.0077.",
    )
    return Part(tables, (), notes)


def _example_6(options: Options) -> Part:
    tables = (
        worked_table("the record Refund = Yes, Divorced, Income = 120K, if no divorced record has class No", zeros()),
        worked_table("m-estimates with m = 3 and p = 1/3", estimates()),
    )
    notes = (
        "To get the slide's P(Divorced | No) = 0, the status of record 7 is changed to Married; the refund and income "
        "of record 7 stay the same.",
        "The slide's p = 1/m holds only because m = 3 is also the number of marital statuses.",
    )
    return Part(tables, (), notes)


# Pictures -------------------------------------------------------------------------------------------------------------

_POINTS = np.array(
    [
        [0.56, 0.52], [0.40, 0.60], [0.63, 0.35], [0.22, 0.72], [0.78, 0.72], [0.84, 0.42],
        [0.30, 0.26], [0.12, 0.45], [0.62, 0.88], [0.38, 0.90], [0.82, 0.14], [0.50, 0.10],
    ]
)  # fmt: skip
_CLASSES = np.array(list("-++-+-+-+-+-"))
_AT = np.array([[0.50, 0.50]])


def figure_1(options: Options) -> Part:
    """Draw the 1, 2 and 3 nearest records of a query and the radius of each neighborhood."""
    model = KNNClassifier(3, distance=euclidean(), n_jobs=1).fit(_POINTS, _CLASSES)
    distances, ids = model.kneighbors(_AT)
    columns = {
        "k": [1, 2, 3],
        "record": ids[0].tolist(),
        "x": _POINTS[ids[0], 0].tolist(),
        "y": _POINTS[ids[0], 1].tolist(),
        "class": _CLASSES[ids[0]].tolist(),
        "distance": distances[0].tolist(),
        "vote": [str(KNNClassifier(k, distance=euclidean()).fit(_POINTS, _CLASSES).predict(_AT)[0]) for k in (1, 2, 3)],
    }

    def draw(figure: Any) -> None:
        from matplotlib.patches import Circle

        for k, ax in enumerate(figure.subplots(1, 3, sharex=True, sharey=True), 1):
            inside, radius = ids[0, :k], float(distances[0, k - 1])
            for (label, look), sign in zip(class_styles(["+", "-"]).items(), "+_", strict=True):
                ax.scatter(*_POINTS[label == _CLASSES].T, marker=sign, color=look.color, s=70, linewidth=2.4, zorder=3)
            ax.scatter(*_POINTS[inside].T, s=170, facecolor="none", edgecolor=INK, linewidth=1.0, zorder=4)
            ax.add_patch(Circle(tuple(_AT[0]), radius, fill=False, color=MUTED, linewidth=1.0, linestyle="--"))
            ax.scatter(*_AT.T, marker="x", color=INK, s=45, linewidth=1.8, zorder=5)
            ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
            ax.set_title(f"{k} nearest: ${' '.join(_CLASSES[inside])}$")
            ax.grid(False)
            ax.spines[["top", "right"]].set_visible(True)

    caption = (
        "A query (cross) with its 1, 2 and 3 nearest records. In each plot, the radius of the dashed circle is the "
        "distance to the farthest of these records. We chose the coordinates of the records ourselves."
    )
    return Part(pictures=(Picture("figure-1", caption, columns, draw, (7.5, 2.9)),))


def figure_2(options: Options) -> Part:
    """Measure the accuracy on new records by k: a small k fits the noise, a large k includes other classes."""
    trials = options.count(50, 5)
    ladder = [1, 3, 5, 9, 14, 21, 35, 55, 85, 121, 161, 199]
    scores = np.array([_accuracies(ladder, (options.random_state, trial)) for trial in range(trials)])
    mean = scores.mean(axis=0)
    error = scores.std(axis=0, ddof=1) / np.sqrt(trials) if trials > 1 else np.zeros(len(ladder))

    def draw(figure: Any) -> None:
        look, ax, ticks = style(0), figure.subplots(), [k for k in ladder if k != 161]
        ax.fill_between(ladder, mean - error, mean + error, color=look.tint, linewidth=0)
        ax.plot(ladder, mean, color=look.color, marker=look.marker, markersize=4)
        ax.axvline(14, color=MUTED, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)
        ax.annotate(r"$k = \sqrt{200} \approx 14$", (14, mean.min()), (6, 0), textcoords="offset points", color=INK)
        ax.annotate("follows the noise", (1, mean[0]), (4, -14), textcoords="offset points", color=MUTED)
        far = (ladder[-2], mean[-2])
        ax.annotate("reaches too far", far, (-8, -6), textcoords="offset points", ha="right", color=MUTED)
        ax.set(xscale="log", xlabel="k", ylabel="right on new records")
        ax.set_xticks(ticks, minor=False)
        ax.set_xticks([], minor=True)
        ax.set_xticklabels(map(str, ticks))

    caption = (
        "Accuracy of k-NN on new records by k. There are 200 training records; each has the wrong class with "
        f"probability 0.2. The line is the mean of {trials} draws, with a band of one standard error on each side. "
        "With a small k, the predictions fit the noise. With a large k, the neighbors include records of the other "
        "class. The square root of the number of training records is a reasonable choice of k, but not the best."
    )
    columns = {"k": ladder, "accuracy": mean.tolist(), "standard error": error.tolist()}
    return Part(pictures=(Picture("figure-2", caption, columns, draw, (6.0, 3.4)),))


def _accuracies(ladder: list[int], random_state: tuple[int, int]) -> list[float]:
    """Return accuracies for two classes in alternating stripes of the unit square; only stored records have noise."""
    random = np.random.default_rng(random_state)
    X, queries = random.random((200, 2)), random.random((1000, 2))
    y, truth = above_wave(X, 0.25) ^ (random.random(200) < 0.2), above_wave(queries, 0.25)
    return [float(KNNClassifier(k, n_jobs=1).fit(X, y).score(queries, truth)) for k in ladder]


def figure_3(options: Options) -> Part:
    """Draw the normal densities of the income in each class, the records, and the income of the query."""
    model = frequencies(*records((INCOME,)))
    grid = np.arange(20.0, 240.0 + 1, 1.0)
    found = _densities(model, grid)
    columns = {"income": grid.tolist()} | {f"density | {label}": found[label].tolist() for label in found}
    at = _densities(model, np.array([ASKED]))

    def draw(figure: Any) -> None:
        ax = figure.subplots()
        X, y = records((INCOME,))
        for row, label in enumerate(("No", "Yes")):
            look = style(row)
            ax.plot(grid, found[label], color=look.color, linestyle=look.line, label=f"evades: {label}")
            own = X[INCOME][np.array(y) == label]
            ax.plot(own, np.full(own.size, -0.004 - 0.005 * row), look.marker, color=look.color, clip_on=False)
        ax.axvline(ASKED, color=MUTED, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)
        text = f"income 120:\n{at['No'][0]:.4f} if No\n{at['Yes'][0] * 1e9:.1f}·$10^{{-9}}$ if Yes"
        ax.annotate(text, (ASKED, 0.055), (6, 0), textcoords="offset points", va="center")
        ax.set(xlabel="taxable income in thousands", ylabel="density", ylim=(-0.012, 0.085), xlim=(20, 240))
        ax.legend(loc="upper right")

    caption = (
        "Normal densities of the income in the two classes; the variances have the divisor n - 1. The ten records are "
        "shown below the curves. At an income of 120, the densities are 0.0072 and 1.2e-9, as on the slide."
    )
    return Part(pictures=(Picture("figure-3", caption, columns, draw, (6.0, 3.4)),))


PAPER = Paper(
    "lecture",
    "Instance-based and Bayesian classification: worked examples of a lecture",
    "R. Guidotti, *Data Mining 2: Instance-based and Bayesian Classification*, lecture slides, 2019/2020; after "
    "chapters 5.2 and 5.3 of P.-N. Tan, M. Steinbach & V. Kumar, *Introduction to Data Mining*.",
    (
        Item("figure", "1", "The 1, 2 and 3 nearest neighbors of a record", figure_1),
        Item("figure", "2", "Too few and too many neighbors", figure_2),
        Item("example", "1", "Nearest neighbors of a tax record", _example_1),
        Item("example", "2", "Attributes on different scales, and many attributes", _example_2),
        Item("example", "3", "Distances between nominal values, and weights of records", _example_3),
        Item("example", "4", "Bayes' theorem and a football match", _example_4),
        Item("figure", "3", "Income in the two classes as normal densities", figure_3),
        Item("example", "5", "Naive Bayes on the ten records", _example_5),
        Item("example", "6", "Zero frequencies and m-estimates", _example_6),
    ),
    "We compute each number of the slides with the library, in most examples on the ten tax records of the lecture. "
    "The tables show our number and, in parentheses, the number on the slide and the difference. The slides do not "
    "number their figures and examples, so we number them here.",
    "Two numbers on the slides are wrong: P(X | No) is 0.00235 instead of 0.0024 (the slide multiplies a rounded "
    "factor), and 0.0072 is misprinted once as 0.00072. One formula is wrong: the denominator of the Laplace estimate "
    "must contain the number of values, not the number of classes.",
)
