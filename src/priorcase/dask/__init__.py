"""Fit models to Dask DataFrames."""

from __future__ import annotations

from priorcase.exceptions import MissingExtraError

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise MissingExtraError(
        f"priorcase.dask needs {error.name}. Install it with pip install 'priorcase[dask]'."
    ) from error

from priorcase.dask.models import compare, fit, kneighbors, loo_predict_proba, predict, predict_proba, tune
from priorcase.dask.neighbors import DistributedKNN

__all__ = ["DistributedKNN", "compare", "fit", "kneighbors", "loo_predict_proba", "predict", "predict_proba", "tune"]
