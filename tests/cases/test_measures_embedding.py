"""Texts compared by a user's model: cosines, vectors computed once, and answers that are no vectors."""

from __future__ import annotations

import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from cases.measure_columns import measured, table_of
from hypothesis import given

from priorcase.cases import Embedding
from priorcase.exceptions import ParameterError
from priorcase.schema import Text

LETTERS = "abc"


def counts(texts):
    """How often each of three letters occurs, the last one against the others."""
    return np.array([[text.count("a"), text.count("b"), -text.count("c")] for text in texts], dtype=float)


class Encoder:
    """A model as sentence-transformers has them: callable, too, but for something else."""

    def __init__(self, dtype=np.float64):
        self.seen = []
        self.dtype = dtype

    def __call__(self, texts):
        raise AssertionError("encode is what gives vectors")

    def encode(self, texts):
        assert isinstance(texts, list)
        self.seen.extend(texts)
        return (counts(texts) + 1).astype(self.dtype)


def cosine(a, b):
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return max(0.0, float(a @ b / lengths)) if lengths else 0.0


TEXT = st.text(LETTERS, max_size=6)


@given(st.lists(TEXT, min_size=1, max_size=6), TEXT)
def test_cosines_cut_at_0(values, query):
    expected = {v: 1.0 if v == query else cosine(*counts([query, v])) for v in values}
    found = measured(Embedding(counts), Text(), values, query)
    assert found == pytest.approx(expected, abs=1e-12)
    assert all(
        measured(Embedding(counts), Text(), [query], v)[query] == pytest.approx(found[v], abs=1e-15) for v in values
    )


def test_a_model_may_answer_in_lists_or_in_single_precision():
    values, query = ["ab", "b", "cc"], "abb"
    plain = measured(Embedding(lambda texts: counts(texts).tolist()), Text(), values, query)
    assert plain == measured(Embedding(counts), Text(), values, query)
    single = Embedding(Encoder(np.float32)).prepare(table_of(Text(), values).column("a"))
    assert single.state.rows.dtype == np.float32
    assert single.similarities("ab")[0] == 1.0
    huge = measured(Embedding(lambda texts: counts(texts) * 1e300), Text(), values, query)
    assert huge == pytest.approx(plain)


def test_only_new_texts_go_through_the_model():
    model = Encoder()
    measure = Embedding(model)
    table = table_of(Text(), ["a", "b", "a"])
    first = measure.prepare(table.column("a"))
    assert model.seen == ["a", "b"]
    first.similarities("b")
    assert model.seen == ["a", "b"]
    first.similarities("c")
    table.append([(4, {"a": "cab"}, None, None)])
    second = measure.prepare(table.column("a"), None, first)
    assert model.seen == ["a", "b", "c", "cab"]
    table.remove([2])
    third = measure.prepare(table.column("a"))  # nothing is handed over, and still nothing is computed again
    assert model.seen == ["a", "b", "c", "cab"]
    assert list(third.state.places) == ["a", "cab"]
    assert third.similarities("b").tolist() == second.similarities("b")[[0, 2]].tolist()
    fresh = Embedding(Encoder()).prepare(table.column("a"))
    assert np.array_equal(third.state.rows, fresh.state.rows)


def test_no_stored_text():
    assert measured(Embedding(Encoder()), Text(), [None], "a") == {}


def test_measures_by_model_compare_by_model():
    model = Encoder()
    assert Embedding(model, name="x") == Embedding(model, name="x")
    assert Embedding(model) != Embedding(Encoder())
    assert len({Embedding(model), Embedding(model), Embedding(model, "other")}) == 2
    assert repr(Embedding(model, name="mini")) == "Embedding(name='mini')"
    again = pickle.loads(pickle.dumps(Embedding(counts, "c")))
    assert again == Embedding(counts, "c")


@pytest.mark.parametrize("texts", [["a"], ["a", "b"]])
def test_a_model_that_fails(texts):
    def broken(given):
        raise RuntimeError("out of\nmemory")

    with pytest.raises(ParameterError) as caught:
        measured(Embedding(broken, name="mini"), Text(), texts, "c")
    assert (
        f"Embedding(name='mini') raised RuntimeError: out of memory for {len(texts)} text{'s' * (len(texts) > 1)} "
        "of attribute 'a'. See the traceback above."
    ) in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)
