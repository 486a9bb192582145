"""The file of a case base, on SQLite: nothing that was acknowledged is lost, and what is forgotten is erased.

``store.Store`` is what the layers above use. ``writer`` makes changes, ``integrity`` checks everything that is read,
``sqlite`` has connections, tables, locks and new files, and ``records`` what goes in and out.
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
