"""Differences between texts in the core: against the slow reference, in any search, and without dense blocks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import priorcase as pc
from priorcase.similarity import Distance, TextDifference
from priorcase.similarity.computed import Computation
from tests.reference import texts as reference

WORDS = ["printer", "Printers", "a", "ab", "jam", "jams", "ÄÖ", "no", "now", "x1", "!", "..."]
some_texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=8, unique=True)


@given(some_texts, some_texts, st.sampled_from(["words", "characters", "both"]))
def test_every_difference_has_the_bits_of_the_reference(stored, queries, analyzer):
    difference = TextDifference(analyzer)
    found = difference.between(queries, difference.prepare(stored))
    expected = [[reference.difference(query, text, stored, analyzer) for text in stored] for query in queries]
    assert found.tolist() == expected


def test_many_queries_have_the_differences_of_single_ones():
    frame = table(0, 200)
    stored, queries = list(frame["note"].dropna().unique())[:80], [*frame["note"].dropna(), "", "wholly unseen words"]
    difference = TextDifference()
    vectors = difference.prepare(stored)
    singly = [difference.between([query], vectors)[0].tolist() for query in queries]
    assert difference.between(queries, vectors).tolist() == singly


def table(seed, n):
    random = np.random.default_rng(seed)
    notes = [" ".join(random.choice(WORDS, random.integers(0, 7))) for _ in range(n)]
    frame = pd.DataFrame({"x": random.integers(0, 9, n) / 8, "note": notes, "c": random.choice(["u", "v"], n)})
    frame["note"] = frame["note"].astype(object).where(random.random(n) > 0.1, None)
    return frame


def queries_for(seed):
    queries = table(seed, 40)
    queries.loc[:4, "note"] = ["unseen words", "printer unseen", "", "zzz", "NOW now"]
    return queries


def slow_costs(rows, queries, power, weights):
    """Costs of all rows, computed one by one; every stored text counts once."""
    stored = list(rows["note"].dropna().unique())
    spread = np.ptp(rows["x"])
    found = np.zeros((len(queries), len(rows)))
    for q, query in enumerate(queries.itertuples()):
        for r, row in enumerate(rows.itertuples()):
            note = 1.0
            if query.note is not None and row.note is not None:
                note = reference.difference(query.note, row.note, stored, "both")
            parts = [abs(query.x - row.x) / spread, note, float(query.c != row.c)]
            for weight, part in zip(weights, parts, strict=True):
                found[q, r] += weight * (part * part if power == 2 else part)
    return found


@pytest.mark.parametrize("algorithm", ["auto", "tree", "scan", "plain"])
@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0], [0.5, 2.0, 0.0]])
def test_search_finds_what_the_slow_version_finds(algorithm, weights):
    rows, queries = table(1, 150), queries_for(2)
    costs = slow_costs(rows, queries, 1, weights)
    order = np.array([np.lexsort((np.arange(len(rows)), line))[:7] for line in costs])
    options = {"schema": {"note": "text"}, "attribute_weights": weights, "algorithm": algorithm}
    distance = Distance(power=1, missing="maximal")
    model = pc.KNNClassifier(7, distance=distance, **options).fit(rows, [0, 1] * 75)
    for threads in (1, 2):
        model.set_params(n_jobs=threads)
        distances, ids = model.kneighbors(queries)
        assert ids.tolist() == order.tolist()
        assert distances.tolist() == np.take_along_axis(costs, order, axis=1).tolist()
    for q in range(len(queries)):
        single, row = model.kneighbors(queries.iloc[[q]])
        assert (single[0].tolist(), row[0].tolist()) == (distances[q].tolist(), ids[q].tolist())


def test_the_same_answers_in_a_large_table_by_every_algorithm():
    random = np.random.default_rng(3)
    vocabulary = [f"word{number}" for number in range(300)]
    rows = pd.DataFrame({"x": random.normal(size=3_000), "c": random.choice(list("abc"), 3_000)})
    rows["note"] = [" ".join(random.choice(vocabulary, 6)) for _ in range(len(rows))]
    found = []
    for algorithm in ("plain", "scan", "tree", "auto"):
        model = pc.KNNClassifier(5, schema={"note": "text"}, algorithm=algorithm)
        model.fit(rows[:2_900], np.arange(2_900) % 2)
        distances, ids = model.kneighbors(rows[2_900:])
        found.append((distances.tolist(), ids.tolist()))
    assert found[1:] == found[:1] * 3


def notes_with_repetitions(random, n):
    """Texts of 1 to 12 words, some of which occur several times in a text; one text is the same as another."""
    stems = ["print", "printer", "paper", "papers", "jam", "net", "network", "no", "a", "ÄÖ"]
    endings = ["", "s", "ed", "ing", "-x1"]
    words = [stem + ending for stem in stems for ending in endings]
    notes = [" ".join(random.choice(words, random.integers(1, 13))) for _ in range(n)]
    notes[::9] = [f"{note} {note} {random.choice(words)}" for note in notes[::9]]
    notes[-1] = notes[0]
    return notes


@pytest.mark.parametrize("analyzer", ["words", "characters", "both"])
@pytest.mark.parametrize("columns", [["x", "note"], ["note", "x"], ["note", "x", "note2"]])
def test_bounds_of_texts_rule_out_no_neighbor(analyzer, columns):
    random = np.random.default_rng(9)
    n = 400
    frame = pd.DataFrame({"x": random.integers(0, 64, n) / 64, "note": notes_with_repetitions(random, n)})
    frame.loc[:1, "x"] = [0.0, 1.0]
    frame["note2"] = notes_with_repetitions(random, n)
    frame = frame[columns]
    rows, queries = frame[:380], frame[380:]
    costs = np.zeros((len(queries), len(rows)))
    for column in columns:
        if column == "x":
            costs += abs(queries[["x"]].to_numpy() - rows["x"].to_numpy())
            continue
        stored = list(rows[column].unique())
        for q, query in enumerate(queries[column]):
            costs[q] += [reference.difference(query, text, stored, analyzer) for text in rows[column]]
    order = np.array([np.lexsort((np.arange(len(rows)), line))[:2] for line in costs])
    schema = {column: pc.Text(analyzer=analyzer) for column in columns if column != "x"}
    for algorithm in ("auto", "plain", "tree"):
        model = pc.KNNClassifier(2, distance=Distance(power=1), schema=schema, algorithm=algorithm)
        distances, ids = model.fit(rows, [0, 1] * 190).kneighbors(queries)
        assert ids.tolist() == order.tolist()
        assert distances.tolist() == np.take_along_axis(costs, order, axis=1).tolist()


def test_a_search_computes_no_dense_rows_of_differences(monkeypatch):
    rows = table(4, 120)

    def refuse(*_):
        raise AssertionError("a row of differences from all stored texts")

    monkeypatch.setattr(Computation, "rows", refuse)
    model = pc.KNNClassifier(3, schema={"note": "text"}).fit(rows, [0, 1] * 60)
    assert len(model.predict(queries_for(5))) == 40
    assert len(model.loo_predict()) == 120


def test_vectors_are_computed_once_for_the_same_texts():
    stored = ["paper jam", "no network"]
    difference = TextDifference()
    vectors = difference.prepare(stored)
    assert difference.prepare(list(stored)) is vectors
    assert TextDifference("words").prepare(stored) is not vectors
    assert difference.prepare([*stored, "slow"]) is not vectors


def test_after_forgetting_as_after_a_new_fit():
    rows, queries = table(6, 100), queries_for(7)
    model = pc.KNNClassifier(5, schema={"note": "text"}).fit(rows, [0, 1] * 50)
    model.forget(list(range(0, 100, 3)))
    kept = np.setdiff1d(np.arange(100), np.arange(0, 100, 3))
    fresh = pc.KNNClassifier(5, schema={"note": "text"}).fit(rows.iloc[kept], np.array([0, 1] * 50)[kept])
    assert model.kneighbors(queries)[0].tolist() == fresh.kneighbors(queries)[0].tolist()


def test_centers_of_networks_have_the_distances_of_the_whole_table():
    rows = table(8, 300)
    model = pc.RBFNetworkClassifier(20, schema={"note": "text"}).fit(rows, [0, 1, 2] * 100)
    one_by_one = [model.predict_proba(rows.iloc[[q]])[0].tolist() for q in range(10)]
    assert model.predict_proba(rows[:10]).tolist() == one_by_one
