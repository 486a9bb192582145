"""The explorer: a browser page to query a model, inspect its rows and edit them.

The explorer needs the packages of the extra ``serve``, which are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from priorcase.exceptions import MissingExtraError

if TYPE_CHECKING:
    from priorcase.explorer.app import create_explorer as create_explorer
    from priorcase.explorer.workspace import Workspace as Workspace

_HOMES = {"Workspace": "workspace", "create_explorer": "app"}

__all__ = ["Workspace", "create_explorer"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'priorcase.explorer' has no attribute {name!r}")
    try:
        return getattr(import_module(f"priorcase.explorer.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"The explorer needs {error.name}. Install it with pip install 'priorcase[serve]'."
        ) from error
