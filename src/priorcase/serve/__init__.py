"""Serve a model or a case base over HTTP or the Model Context Protocol (MCP), with a Python client.

HTTP needs the extra ``serve`` (FastAPI, uvicorn and httpx), and MCP needs the extra ``mcp``. The packages are imported
on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from priorcase.exceptions import MissingExtraError

if TYPE_CHECKING:
    from priorcase.serve.app import Limits as Limits
    from priorcase.serve.app import create_app as create_app
    from priorcase.serve.client import Client as Client
    from priorcase.serve.mcp import create_mcp_server as create_mcp_server

_HOMES = {"Client": "client", "Limits": "app", "create_app": "app", "create_mcp_server": "mcp"}

__all__ = ["Client", "Limits", "create_app", "create_mcp_server"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'priorcase.serve' has no attribute {name!r}")
    try:
        return getattr(import_module(f"priorcase.serve.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        extra = "mcp" if _HOMES[name] == "mcp" else "serve"
        raise MissingExtraError(
            f"Serving needs {error.name}. Install it with pip install 'priorcase[{extra}]'."
        ) from error
