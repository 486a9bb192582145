"""What a caller of ``Instances`` may pass as ids and as weights."""

import numpy as np
from numpy.typing import ArrayLike

from priorcase.exceptions import ParameterError, UnknownIdError
from priorcase.typing import FloatArray, IdArray


def check_ids(ids: ArrayLike, caller: str) -> IdArray:
    """A list of integers, as an array."""
    wanted = np.asarray(ids)
    if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
        raise UnknownIdError.not_integers(caller, f"{wanted.ndim}-dimensional {wanted.dtype} data")
    return wanted.astype(np.int64)


def check_weights(weights: ArrayLike | None, rows: int, caller: str) -> FloatArray | None:
    """One finite number >= 0 for each row, as an array."""
    if weights is None:
        return None
    try:
        checked = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise ParameterError.weights(caller, "that are not numbers") from None
    if checked.shape != (rows,):
        raise ParameterError.weights(caller, f"of shape {checked.shape} for {rows} rows")
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise ParameterError.weights(caller, "that are negative, infinite or missing")
    return checked
