"""The classes that a saved learner may hold objects of, by name."""

from __future__ import annotations

from importlib import import_module

from priorcase.cases.saving.closed_list import CLASSES
from priorcase.exceptions import UnsupportedDataError

__all__ = ["check_learner", "class_name", "closed_class", "is_closed", "is_learner"]


def class_name(kind: type) -> str:
    """What a class is called in a file: its module and its name."""
    return f"{kind.__module__}:{kind.__qualname__}"


def is_closed(kind: type) -> bool:
    """Whether objects of a class, and not of some other of the same name, are written and read.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> is_closed(Numeric), is_closed(object)
    (True, False)
    """
    return kind.__qualname__ in CLASSES.get(kind.__module__, ()) and closed_class(class_name(kind)) is kind


def closed_class(name: object) -> type | None:
    """The class of a name in the list, whose module alone is imported; None for any other name."""
    if not isinstance(name, str):
        return None
    module, _, qualname = name.partition(":")
    if qualname not in CLASSES.get(module, ()):
        return None
    found: type = getattr(import_module(module), qualname)
    return found


def is_learner(kind: type) -> bool:
    """Whether a class is a learner of the library, and no part of one."""
    return is_closed(kind) and hasattr(kind, "get_params")


def check_learner(learner: object) -> None:
    """Refuse what is no learner of the library."""
    if not is_learner(type(learner)):
        remedy = (
            "Pass its .learner; in a case base it is kept by CaseBase.fit(learner, name=...)."
            if hasattr(learner, "learner")
            else "Learners of other libraries, and subclasses of your own, need a way of their own."
        )
        raise UnsupportedDataError(f"got a {type(learner).__qualname__}; expected a learner of priorcase. {remedy}")
