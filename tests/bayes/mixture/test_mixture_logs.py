"""Log-probabilities of a mixture: those of its probabilities, and finite where these are 0."""

from __future__ import annotations

import numpy as np
import pytest

from priorcase.bayes import MixtureModel


@pytest.mark.parametrize("classed", [False, True])
def test_logs_of_probabilities_do_not_underflow(classed: bool) -> None:
    """Of two far clusters of equal spread, the log-odds of the components are linear in x, as far as one goes."""
    X = [[x + shift, None if x == 0.5 else "a"] for shift in (0.0, 50.0) for x in (0.0, 0.5, 1.0, 1.5)]
    model = MixtureModel(2, random_state=0).fit(X, [0] * 4 + [1] * 4 if classed else None)
    logs = model.predict_log_proba(X)
    np.testing.assert_allclose(np.exp(logs), model.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(np.concatenate([model.predict_log_proba([row]) for row in X]), logs)
    far = [[x, None] for x in (-1e4, 1e4)]
    logs, chances = model.predict_log_proba(far), model.predict_proba(far)
    assert np.isfinite(logs).all()
    if classed:  # no class is impossible in any component, so nothing underflows
        np.testing.assert_allclose(logs, np.log(chances), rtol=1e-12)
    else:
        assert sorted(chances.ravel()) == [0.0, 0.0, 1.0, 1.0]
        assert logs.max(axis=1).tolist() == [0.0, 0.0]
        column = model.components_.columns["x0"]
        squares = np.square((np.array([-1e4, 1e4])[:, None] - column.means) / column.deviations)
        expected = np.log(model.weights_) - 0.5 * squares - np.log(column.deviations)
        np.testing.assert_allclose(logs[:, 0] - logs[:, 1], expected[:, 0] - expected[:, 1], rtol=1e-9)
