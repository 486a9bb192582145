"""A column of texts beside other columns, compared with the same table without the texts."""

import numpy as np
import pandas as pd

import priorcase as pc
from benchmarks.data import mixed
from benchmarks.machine import THREADS
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare

K = 10
_COLUMNS = ["x0", "x1", "x2", "x3", "c0", "c1", "c2", "c3"]


def run(sizes: Sizes) -> list[Row]:
    """Compare searches, single predictions and the fit of a stack with and without the texts."""
    rows, queries = sizes.rows(50_000), sizes.queries(1_000)
    task = mixed(rows, queries)
    plain, plain_queries = task.X[_COLUMNS], task.queries[_COLUMNS]
    notes = _texts(rows + queries)
    texts, text_queries = plain.assign(text=notes[:rows]), plain_queries.assign(text=notes[rows:])
    found = list[Row]()
    for analyzer in ("both", "words"):
        schema = {"text": pc.Text(analyzer=analyzer)}
        ours = pc.KNNClassifier(K, schema=schema, n_jobs=THREADS).fit(texts, task.y)
        theirs = pc.KNNClassifier(K, n_jobs=THREADS).fit(plain, task.y)
        name = f"a text by {analyzer} beside 8 columns, k={K}, {rows:,} x {queries:,}"
        peer = Peer("the table without the text", lambda model=theirs: model.predict(plain_queries), 1 / 3)
        found += compare(name, lambda model=ours: model.predict(text_queries), [peer], sizes.repeats)
        peer = Peer("the table without the text", lambda model=theirs: _singly(model, plain_queries), 1 / 3)
        name = f"{name}, one at a time"
        found += compare(name, lambda model=ours: _singly(model, text_queries), [peer], sizes.repeats)
    stacked = 100 if sizes.quick else 5_000
    peer = Peer("the table without the text", lambda: _fit_stack(plain[:stacked], task.y[:stacked]), 1 / 2)
    name = f"fit of a stack with a text beside 8 columns, {stacked:,} rows"
    return found + compare(name, lambda: _fit_stack(texts[:stacked], task.y[:stacked], "text"), [peer], 1)


def _texts(count: int) -> list[str]:
    """Return texts of 5 to 10 words from a vocabulary of 5,000, some of which are much more frequent than others."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    frequencies = 1.0 / np.arange(2, 24)
    sizes = rng.integers(2, 10, 5_000)
    words = ["".join(rng.choice(letters, size, p=frequencies / frequencies.sum())) for size in sizes.tolist()]
    chances = 1.0 / np.arange(5, 5_005)
    chosen = rng.choice(5_000, (count, 10), p=chances / chances.sum())
    lengths = rng.integers(5, 11, count)
    pairs = zip(chosen.tolist(), lengths.tolist(), strict=True)
    return [" ".join(words[number] for number in numbers[:length]) for numbers, length in pairs]


def _singly(model: pc.KNNClassifier, queries: pd.DataFrame) -> object:
    return [model.predict(queries.iloc[[at]]) for at in range(len(queries))]


def _fit_stack(X: pd.DataFrame, y: object, *texts: str) -> object:
    return pc.StackedClassifier(schema=dict.fromkeys(texts, "text") or None).fit(X, y)
