"""Reports of the command line compare few learners, all of them fast, so that no test depends on the machine."""

import pytest
from commands import only

from priorcase.reporting import comparison


@pytest.fixture(autouse=True)
def few_learners(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "naive_bayes", regressors=("rbf_network",))
    monkeypatch.setattr(comparison, "_FOLDS", 5)
