"""What a command was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from priorcase.cli.choosing import chosen
from priorcase.cli.learners import OPTIONS, Learner

__all__ = ["Request", "Task", "asked"]

Task: TypeAlias = Literal["auto", "classify", "regress"]


@dataclass(frozen=True)
class Request:
    """What a command was asked: the tables, how to read them, and who is to answer."""

    train: str
    query: str
    target: str
    ignore: tuple[str, ...]
    numeric: tuple[str, ...]
    nominal: tuple[str, ...]
    ordinal: tuple[tuple[str, tuple[str, ...]], ...]
    missing: tuple[str, ...]
    delimiter: str | None
    encoding: str
    format: str | None
    task: Task
    learner: Learner
    explained: bool


def asked(options: dict[str, Any], *, explained: bool) -> Request:
    """The request that the options of a command make; an error where they do not go together."""
    given = {name: value for name, value in options.items() if name in OPTIONS}
    others = {name: value for name, value in options.items() if name not in OPTIONS}
    learner = chosen(others.pop("learner"), given, explained=explained)
    return Request(**others, learner=learner, explained=explained)
