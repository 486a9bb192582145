"""The file of a case base, on SQLite: it loses nothing that was acknowledged, and forgets on demand.

``store.Store`` is what the layers above use; the other files are what it is made of: the look at the first bytes
(``header``, ``journal``), the tables (``schema``, ``meta``), ``reading``, ``writing``, ``wiping``, ``verification``,
and how files come to be (``creation``, ``copying``, ``placing``).
"""

from priorcase.cases.storage.records import (
    Change,
    Declaration,
    Event,
    Loaded,
    NewCase,
    Note,
    Step,
    StoredCase,
    StoredLearner,
    Use,
)
from priorcase.cases.storage.store import Store
from priorcase.cases.storage.writing import Writer

__all__ = [
    "Change",
    "Declaration",
    "Event",
    "Loaded",
    "NewCase",
    "Note",
    "Step",
    "Store",
    "StoredCase",
    "StoredLearner",
    "Use",
    "Writer",
]
