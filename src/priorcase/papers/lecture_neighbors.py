"""The lecture's nearest neighbours: scaling, how many, the modified value difference metric and PEBLS's weights."""

from __future__ import annotations

import numpy as np

from priorcase.bayes import NaiveBayes
from priorcase.concepts import PEBLS
from priorcase.neighbors import KNNClassifier
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.lecture_records import REFUND, STATUS, query, records
from priorcase.papers.lecture_worked import Worked
from priorcase.similarity import cosine, euclidean

PERSONS = ((1.5, 10.0, 10_000.0), (1.8, 200.0, 1_000_000.0))
"""The smallest and the largest height in metres, weight in kilograms and income in dollars of the slide."""

_VALUES = {STATUS: ("Single", "Married", "Divorced"), REFUND: ("Yes", "No")}
_COUNTS = {
    (STATUS, "Yes"): ("2", "0", "1"),
    (STATUS, "No"): ("2", "4", "1"),
    (REFUND, "Yes"): ("0", "3"),
    (REFUND, "No"): ("3", "4"),
}
_SHARES = {
    (STATUS, "Yes"): ("2/4", "0/4", "1/2"),
    (STATUS, "No"): ("2/4", "4/4", "1/2"),
    (REFUND, "Yes"): ("0/3", "3/7"),
    (REFUND, "No"): ("3/3", "4/7"),
}
_DISTANCES = (
    (STATUS, "Single", "Married", "|2/4 - 0/4| + |2/4 - 4/4|", "1"),
    (STATUS, "Single", "Divorced", "|2/4 - 1/2| + |2/4 - 1/2|", "0"),
    (STATUS, "Married", "Divorced", "|0/4 - 1/2| + |4/4 - 1/2|", "1"),
    (REFUND, "Yes", "No", "|0/3 - 3/7| + |3/3 - 4/7|", "6/7"),
)


def how_many() -> list[Worked]:
    """The k of "general practice", the square root of the number of records."""
    remark = "the root is 3.16; rounded down"
    return [Worked("k = sqrt(N), N = 10", KNNClassifier("sqrt").fit(*records()).n_neighbors_, "", remark)]


def scaling() -> FigureTable:
    """Which share of the squared distance between the two extreme persons each attribute has, raw and by range."""
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
    return FigureTable("share of the squared distance from the smallest to the largest", tuple(columns), rows, (3, 0))


def contrasts(dimensions: tuple[int, ...] = (2, 20, 200, 2000), rows: int = 500, seed: int = 0) -> FigureTable:
    """How many times as far as the nearest record the farthest is, as the records are and at unit length.

    Records and 50 queries are normal in every attribute; the mean over the queries.
    """
    columns = {"as they are": euclidean(), "at unit length": cosine()}
    lines = {}
    for dimension in dimensions:
        random = np.random.default_rng((seed, dimension))
        X, queries = random.normal(size=(rows, dimension)), random.normal(size=(50, dimension))
        ratios = []
        for title, distance in columns.items():
            model = KNNClassifier(1, distance=distance, n_jobs=1).fit(X, np.arange(rows) % 2)
            far = model.kneighbors(queries, n_neighbors=rows)[0]
            if title == "at unit length":
                far = np.sqrt(2 * far)  # 1 - cos is half the squared distance between two directions
            ratios.append(Figure(float(np.mean(far[:, -1] / far[:, 0]))))
        lines[f"{dimension} attributes"] = tuple(ratios)
    return FigureTable("distance of the farthest record by that of the nearest", tuple(columns), lines, (".3g", 0))


def value_counts() -> list[Worked]:
    """How many records of each class hold each value: the share of the value in the class, times its records."""
    found = []
    for (column, label), counts in _COUNTS.items():
        alone = _alone(column)
        records_of = alone.class_count_[alone.classes_.tolist().index(label)]
        shares = alone.predict_column([[None]], column, y=[label], return_proba=True)[1][0]
        for value, printed in zip(_VALUES[column], counts, strict=True):
            share = shares[alone.column_values(column).tolist().index(value)]
            found.append(Worked(f"{column} = {value}, {label}", float(round(share * records_of, 9)), printed))
    return found


def class_profiles() -> list[Worked]:
    """The share of each class among the records with a value, from which value differences are made."""
    found = []
    for (column, label), shares in _SHARES.items():
        alone = _alone(column)
        k = alone.classes_.tolist().index(label)
        for value, printed in zip(_VALUES[column], shares, strict=True):
            share = float(alone.predict_proba([[value]])[0, k])
            found.append(Worked(f"n({column} = {value}, {label}) / n({value}) = {printed}", share, printed))
    return found


def value_distances() -> list[Worked]:
    """The modified value difference metric between the values of the two nominal attributes."""
    model = exemplars()
    return [
        Worked(f"d({one}, {other}) = {steps} = {printed}", model.value_differences(column)[one, other], printed)
        for column, one, other, steps, printed in _DISTANCES
    ]


def record_distances() -> list[Worked]:
    """The distance from a query like record 1 to record 3, with weights of 1 and with those of one pass."""
    X, y = records((STATUS, REFUND))
    first = X.take(np.array([0]))
    found = []
    for title, model in (("w = 1", PEBLS(power=1, weighting=None, n_jobs=1).fit(X, y)), ("w as below", exemplars())):
        distances, ids = model.kneighbors(first, n_neighbors=len(X))
        far = float(distances[0, ids[0].tolist().index(2)])
        found.append(Worked(f"a query like record 1 to record 3, {title}", far))
    return found


def exemplar_weights() -> list[Worked]:
    """Each record's weight ``N_predict / N_correct`` after one pass over the records."""
    memory = exemplars().exemplars_
    used, correct, weights = (np.asarray(memory[name]).tolist() for name in ("used", "correct", "weight"))
    return [
        Worked(f"w of record {i + 1} = {used[i]:.0f}/{correct[i]:.0f}", weights[i], "", _reliability(weights[i]))
        for i in range(len(weights))
    ]


def exemplars() -> PEBLS:
    """PEBLS on the two nominal attributes, differences added as the slide has it (r = 1)."""
    X, y = records((STATUS, REFUND))
    return PEBLS(power=1, n_jobs=1).fit(X, y)


def nearest_records() -> list[Worked]:
    """The three steps of k-NN for the record that naive Bayes is asked later: distances, the k nearest, their vote."""
    asked = query("No", "Married", 120.0)
    found = []
    model = KNNClassifier("sqrt", n_jobs=1).fit(*records())
    distances, ids = model.kneighbors(asked)
    labels = records()[1]
    for rank, (far, row) in enumerate(zip(distances[0].tolist(), ids[0].tolist(), strict=True), 1):
        found.append(Worked(f"{rank}. nearest: record {row + 1}, {labels[row]}", far))
    squared = KNNClassifier("all", vote="inverse_square", n_jobs=1).fit(*records())
    return [
        *found,
        Worked("majority of these three", str(model.predict(asked)[0])),
        Worked("share of No among all ten, w = 1/d^2", float(np.asarray(squared.predict_proba(asked))[0, 0])),
    ]


def _alone(column: str) -> NaiveBayes:
    """Relative frequencies of one column's values in each class."""
    return NaiveBayes("map", n_jobs=1).fit(*records((column,)))


def _reliability(weight: float) -> str:
    return "reliable" if weight == 1 else "pushed away"
