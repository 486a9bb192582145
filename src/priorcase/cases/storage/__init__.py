"""The SQLite file of a case base: committed changes are durable, and forgotten cases are erased.

Other modules use ``store.Store``. ``writer`` makes changes, ``integrity`` checks all data that are read, ``sqlite``
provides connections, tables, locks and new files, and ``records`` defines the stored data types.
"""

from priorcase.cases.storage.records import CaseRecord, Declaration, Event, NewCase, Step, StoredCase, StoredLearner
from priorcase.cases.storage.sqlite import damage_errors
from priorcase.cases.storage.store import Store
from priorcase.cases.storage.writer import Writer, collector_paused

__all__ = [
    "CaseRecord",
    "Declaration",
    "Event",
    "NewCase",
    "Step",
    "Store",
    "StoredCase",
    "StoredLearner",
    "Writer",
    "collector_paused",
    "damage_errors",
]
