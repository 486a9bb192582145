"""A model or a case base over HTTP: the app, and a client of it.

Needs the extra ``serve`` (FastAPI, uvicorn and httpx), which is imported when a name below is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from priorcase.exceptions import MissingExtraError

if TYPE_CHECKING:
    from priorcase.serve.app import Limits as Limits
    from priorcase.serve.app import create_app as create_app
    from priorcase.serve.client import Client as Client

_HOMES = {"Client": "client", "Limits": "app", "create_app": "app"}

__all__ = ["Client", "Limits", "create_app"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'priorcase.serve' has no attribute {name!r}")
    try:
        return getattr(import_module(f"priorcase.serve.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"Serving needs {error.name}. pip install 'priorcase[serve]'.") from error
