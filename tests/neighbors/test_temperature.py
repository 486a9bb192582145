"""How flat the neighbors' probabilities are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import labels, mixed_rows

from priorcase import KNNClassifier

X, Y = mixed_rows(60, seed=3), np.array(labels(60))
QUERIES = mixed_rows(25, seed=4)


@pytest.mark.parametrize("temperature", [0.2, 0.7, 1.0, 3.0])
@pytest.mark.parametrize("prior", [None, 0.5, "frequency"])
def test_probabilities_are_powers_of_the_votes(temperature: float, prior: float | str | None) -> None:
    plain = KNNClassifier(7, prior=prior).fit(X, Y).predict_proba(QUERIES)
    flat = KNNClassifier(7, prior=prior, temperature=temperature).fit(X, Y).predict_proba(QUERIES)
    for shares, found in zip(plain.tolist(), flat.tolist(), strict=True):
        powers = [share ** (1 / temperature) for share in shares]
        assert found == pytest.approx([power / sum(powers) for power in powers], abs=1e-12)


def test_a_temperature_of_one_changes_no_bit() -> None:
    plain, told = KNNClassifier(5, prior=1.0).fit(X, Y), KNNClassifier(5, prior=1.0, temperature=1).fit(X, Y)
    assert np.array_equal(plain.predict_proba(QUERIES), told.predict_proba(QUERIES))


@given(st.floats(1e-9, 1e9))
def test_predictions_and_their_order_stay(temperature: float) -> None:
    plain, told = KNNClassifier(5).fit(X, Y), KNNClassifier(5, temperature=temperature).fit(X, Y)
    assert plain.predict(QUERIES).tolist() == told.predict(QUERIES).tolist()
    assert plain.predict(QUERIES[:1]).tolist() == told.predict(QUERIES[:1]).tolist()
    shares, flat = plain.predict_proba(QUERIES), told.predict_proba(QUERIES)
    assert np.allclose(flat.sum(axis=1), 1.0, atol=1e-12)
    assert (np.take_along_axis(flat, shares.argmax(axis=1)[:, None], axis=1)[:, 0] == flat.max(axis=1)).all()


def test_every_target_has_the_same_temperature() -> None:
    both = np.stack([Y, Y[::-1]], axis=1)
    model = KNNClassifier(7, prior=1.0, temperature=0.5).fit(X, both)
    alone = KNNClassifier(7, prior=1.0, temperature=0.5).fit(X, Y)
    assert np.array_equal(model.predict_proba(QUERIES)[0], alone.predict_proba(QUERIES))


def test_precedents_show_the_same_probabilities() -> None:
    model = KNNClassifier(7, temperature=2.0).fit(X, Y)
    assert np.array_equal(model.precedents(QUERIES).probabilities, model.predict_proba(QUERIES))


def test_a_stream_predicts_the_same() -> None:
    plain = KNNClassifier(3).prequential(X, Y)
    assert KNNClassifier(3, temperature=0.5).prequential(X, Y).predictions.tolist() == plain.predictions.tolist()
