"""Learners in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from priorcase.cases.saving.saved import dump, load
from priorcase.cases.saving.whole_files import whole_file
from priorcase.exceptions import prefix_errors

__all__ = ["load_learner", "save_learner"]


@prefix_errors
def save_learner(learner: object, path: str | os.PathLike[str]) -> Path:
    """Save a learner with all that it has learned; its file is written whole or not at all.

    The file holds data and never code, and loading it executes nothing. A file that is there is replaced.

    Parameters
    ----------
    learner
        A learner of priorcase, fitted or not. One that holds a function of yours is refused, and nothing is written.
    path
        Where to; ``.priorcase`` is a good ending.

    Examples
    --------
    >>> import tempfile
    >>> from priorcase import NaiveBayes
    >>> learner = NaiveBayes().fit([["red"], ["blue"]], ["stop", "go"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_learner(learner, f"{folder}/lights.priorcase")
    ...     load_learner(path).predict([["red"]])
    array(['stop'], dtype='<U4')
    """
    path, data = Path(path), dump(learner)
    with whole_file(path, overwrite=True) as file:
        file.write(data)
    return path


def load_learner(path: str | os.PathLike[str]) -> Any:
    """The learner that `save_learner` saved: same answers, and it can go on learning.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ReadingError
        The file is no saved learner, is damaged, or was saved by another version of the library.
    """
    path = Path(path)
    return load(path.read_bytes(), source=str(path))
