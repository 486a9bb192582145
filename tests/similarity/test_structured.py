"""Differences of texts, sets and taxonomies: by hand, by scikit-learn, and through a model's whole life."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_distances

import priorcase as pc
from priorcase.cases.measures import similarities
from priorcase.exceptions import ParameterError, SchemaMismatchError
from priorcase.similarity import Distance, SetDifference, TaxonomyDifference, TextDifference, computed

WORDS = ["printer", "paper", "jam", "tray", "toner", "network", "cable", "router", "login", "password", "slow", "hall"]
MEMBERS = ["hw", "sw", "net", "hall", "home"]
DEVICES = pc.Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": ["cable", "wifi"]}})


def table(seed, n=60):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "note": [" ".join(random.choice(WORDS, 5)) + " again and again" for _ in range(n)],
            "tags": [frozenset(random.choice(MEMBERS, random.integers(0, 4)).tolist()) for _ in range(n)],
            "device": random.choice(DEVICES.nodes, n),
            "x": random.integers(0, 4, n) / 4,
        }
    )
    for name in ("note", "tags", "device"):
        frame[name] = frame[name].astype(object).where(random.random(n) > 0.1, None)
    return frame


def fitted(frame, **options):
    schema = {"note": "text", "tags": "set", "device": DEVICES}
    return pc.KNNClassifier(3, schema=schema, **options).fit(frame, [0, 1] * (len(frame) // 2))


@pytest.mark.parametrize(
    ("analyzer", "options"),
    [
        ("words", {"token_pattern": r"(?u)\b\w+\b"}),
        ("characters", {"analyzer": "char_wb", "ngram_range": (3, 5)}),
    ],
)
def test_texts_as_in_scikit_learn(analyzer, options):
    stored, queries = table(1)["note"].dropna().unique(), ["paper jam again", "LOGIN password", ""]
    vectorizer = TfidfVectorizer(sublinear_tf=True, **options).fit(stored)
    expected = cosine_distances(vectorizer.transform(queries), vectorizer.transform(stored))
    difference = TextDifference(analyzer)
    np.testing.assert_allclose(difference.between(queries, difference.prepare(stored)), expected, atol=1e-12)


def test_both_is_the_mean_of_words_and_characters():
    stored = list(table(2)["note"].dropna().unique())
    each = [
        (one := TextDifference(analyzer)).between(stored[:5], one.prepare(stored))
        for analyzer in ("words", "characters")
    ]
    both = TextDifference().between(stored[:5], TextDifference().prepare(stored))
    np.testing.assert_allclose(both, (each[0] + each[1]) / 2, atol=1e-12)
    assert (np.diag(both[:, :5]) == 0).all()


def test_texts_without_words():
    model = pc.KNNClassifier(1, schema={"a": "text"}).fit(pd.DataFrame({"a": ["!", "?", "..."]}), [0, 1, 1])
    assert model.predict(pd.DataFrame({"a": ["words"]})).shape == (1,)


@given(
    st.lists(st.frozensets(st.sampled_from(MEMBERS)), min_size=1, max_size=6),
    st.frozensets(st.sampled_from([*MEMBERS, "new"])),
)
def test_sets_by_hand(stored, query):
    difference = SetDifference()
    expected = [1 - len(query & one) / len(query | one) if query | one else 0.0 for one in stored]
    np.testing.assert_allclose(difference.between([query], difference.prepare(stored))[0], expected)


@pytest.mark.parametrize("taxonomy", [DEVICES, pc.Taxonomy({"a": ["b", "c"], "d": {"e": ["f"]}})])
def test_taxonomies_as_in_the_case_base(taxonomy):
    difference = TaxonomyDifference(taxonomy)
    for query in taxonomy.nodes:
        found = difference.between([query], difference.prepare(taxonomy.nodes))[0]
        expected = similarities(query, list(taxonomy.nodes), taxonomy)
        np.testing.assert_allclose(found, [1 - expected[node] for node in taxonomy.nodes])


@pytest.mark.parametrize("tabled", [0, 1000])
@pytest.mark.parametrize("algorithm", ["scan", "plain", "tree"])
def test_unseen_nodes_have_difference_1_from_every_stored_value(monkeypatch, tabled, algorithm):
    monkeypatch.setattr(computed, "TABLED", tabled)
    X = pd.DataFrame({"device": ["laser", "router", "device", "wifi"], "x": [1.0, 2.0, 3.0, 4.0]})
    model = pc.KNNClassifier(1, schema={"device": DEVICES}, algorithm=algorithm, distance="heom").fit(X, [0, 0, 1, 1])
    distances, ids = model.kneighbors(pd.DataFrame({"device": ["telephone"], "x": [3.1]}), 4)
    assert ids.tolist() == [[2, 3, 1, 0]]
    np.testing.assert_allclose(distances[0] ** 2, 1 + (np.array([0.1, 0.9, 1.1, 2.1]) / 3) ** 2)
    with pytest.raises(SchemaMismatchError, match="column 'device' has 'telephone'"):
        model.partial_fit(pd.DataFrame({"device": ["telephone"], "x": [3.1]}), [1])


@pytest.mark.parametrize("tabled", [0, 1000])
def test_distances_add_up(monkeypatch, tabled):
    monkeypatch.setattr(computed, "TABLED", tabled)
    rows, queries = table(3), table(4, 8)
    model = fitted(rows, distance=Distance(power=1))
    distances, ids = model.kneighbors(queries, len(rows))
    notes = TextDifference()
    known = list(rows["note"].dropna().unique())
    prepared = notes.prepare(known)
    for q, query in enumerate(queries.itertuples()):
        for distance, row in zip(distances[q], (rows.iloc[i] for i in ids[q]), strict=True):
            total = abs(query.x - row.x) / 0.75
            total += (
                1 if None in (query.note, row.note) else notes.between([query.note], prepared)[0][known.index(row.note)]
            )
            if None in (query.tags, row.tags):
                total += 1
            else:
                total += SetDifference().between([query.tags], SetDifference().prepare([row.tags]))[0][0]
            if None in (query.device, row.device):
                total += 1
            else:
                total += TaxonomyDifference(DEVICES).between([query.device], [row.device])[0][0]
            assert distance == pytest.approx(total)


@given(st.integers(0, 1000))
def test_no_history(seed):
    frame, queries = table(seed, 20), table(seed + 1, 4)
    model = fitted(frame)
    model.partial_fit(frame[:4], [1, 0, 1, 0])
    model.forget(model.ids_[[1, 5, 21]])
    kept = [i for i in range(24) if i not in (1, 5, 21)]
    both, targets = pd.concat([frame, frame[:4]]).iloc[kept], np.array([*[0, 1] * 10, 1, 0, 1, 0])[kept]
    fresh = pc.KNNClassifier(3, schema={"note": "text", "tags": "set", "device": DEVICES}).fit(both, targets)
    np.testing.assert_array_equal(model.predict_proba(queries), fresh.predict_proba(queries))
    np.testing.assert_array_equal(model.loo_predict_proba(), fresh.loo_predict_proba())
    assert model.digest() == fresh.digest()


def test_saved_and_loaded(tmp_path):
    frame = table(5)
    model = fitted(frame)
    again = pc.load(model.save(tmp_path / "model.priorcase"))
    assert again.schema_ == model.schema_
    assert again.digest() == model.digest()
    np.testing.assert_array_equal(again.predict_proba(table(6)), model.predict_proba(table(6)))


def test_a_node_outside_the_taxonomy_is_refused_in_fit():
    frame = table(7)
    frame.loc[0, "device"] = "toaster"
    with pytest.raises(SchemaMismatchError, match="'toaster', but declares the values"):
        fitted(frame)


def test_a_difference_of_sets_is_for_sets():
    with pytest.raises(ParameterError, match="compares set columns, but column 'note' is text"):
        fitted(table(8), distance=Distance(attributes={"note": SetDifference()}))
