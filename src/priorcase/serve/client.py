"""A client of the service, for Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

import httpx

from priorcase.exceptions import ServiceError

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Row | Sequence[Row]
Document: TypeAlias = dict[str, Any]


class Client:
    """Asks a service that ``priorcase serve`` started.

    Rows are mappings from columns to values; None, and columns that are left out, are missing. Options are those of
    the service. What it refuses raises `ServiceError` with its sentence.

    Parameters
    ----------
    url
        Where the service is, such as ``http://127.0.0.1:8765``.
    token
        The token that it printed, or that it was started with.
    **options
        Of `httpx.Client`, such as ``timeout``.

    Examples
    --------
    >>> from priorcase.serve import Client
    >>> with Client("http://127.0.0.1:8765", "0123456789abcdef") as client:
    ...     print(client)
    Client of http://127.0.0.1:8765
    """

    def __init__(self, url: str, token: str, **options: Any) -> None:
        headers = {"authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=headers, **({"timeout": 60.0} | options))

    def __repr__(self) -> str:
        return f"Client of {str(self._http.base_url).rstrip('/')}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def schema(self) -> Document:
        """What is served: columns, their kinds and values."""
        return self._asked("GET", "/schema")

    # -- models

    def predict(self, rows: Rows, *, level: float = 0.95) -> list[Document]:
        """For each row the prediction, with probabilities or an interval."""
        return self._listed("answers", "POST", "/predict", rows, level=level)

    def explain(self, rows: Rows, **options: Any) -> list[Document]:
        """For each row why; ``precedents``, ``counterfactuals``, ``fixed`` and ``permutations`` as in `explain`."""
        return self._listed("answers", "POST", "/explain", rows, **{"counterfactuals": 1, "permutations": 32} | options)

    def neighbors(self, rows: Rows, k: int | None = None) -> list[Document]:
        """For each row the past cases behind the answer, or the ``k`` nearest ones."""
        return self._listed("answers", "POST", "/neighbors", rows, **({} if k is None else {"k": k}))

    def counterfactuals(self, rows: Rows, n: int = 1, **options: Any) -> list[Document]:
        """For each row the smallest changes that change the prediction; ``fixed``, ``wanted``, ``above``, ``below``."""
        return self._listed("answers", "POST", "/counterfactuals", rows, n=n, **options)

    def what_if(self, row: Row, *columns: str, n_values: int = 21) -> Document:
        """The answer to a row along a column, or two."""
        return self._asked("POST", "/what-if", row, column=columns, n_values=n_values)

    def append(self, rows: Sequence[Row], targets: Sequence[Any]) -> list[int]:
        """Let the model learn from more rows; returns their ids."""
        return self._listed("ids", "POST", "/rows", {"rows": rows, "targets": targets})

    def forget(self, ids: Sequence[int]) -> None:
        """Let the model forget rows."""
        self._asked("POST", "/rows/forget", {"ids": ids})

    # -- case bases

    def cases(self, *where: str, offset: int = 0, limit: int = 100) -> list[Document]:
        """Cases that meet all conditions, such as ``"people>=5"``."""
        return self._listed("cases", "GET", "/cases", where=where, offset=offset, limit=limit)

    def case(self, id: int) -> Document:
        """A case, with its history."""
        return self._asked("GET", f"/cases/{id:d}")

    def ask(self, query: Row, **options: Any) -> Document:
        """A solution for a new case; options are ``k``, ``where``, ``weights`` and ``method``."""
        return self._asked("POST", "/cases/ask", {"query": query, **options})

    def add(self, case: Row, **fields: Any) -> int:
        """Add a case, with ``solution``, ``outcome``, ``key``, ``note``, ``by`` or ``why``; returns its id."""
        return int(self._asked("POST", "/cases", {"case": case, **fields})["id"])

    def feedback(self, id: int, changes: Row | None = None, **fields: Any) -> Document:
        """Record ``outcome``, ``solution``, ``note`` or changed values; returns the case."""
        return self._asked("POST", f"/cases/{id:d}/feedback", {"changes": changes or {}, **fields})

    def forget_case(self, id: int, why: str, *, by: str | None = None) -> None:
        """Forget a case, for a reason."""
        self._asked("POST", f"/cases/{id:d}/forget", {"why": why, "by": by})

    # -- requests

    def _listed(self, name: str, *request: Any, **options: Any) -> list[Any]:
        return list(self._asked(*request, **options)[name])

    def _asked(self, method: str, path: str, body: Any = None, **options: Any) -> Document:
        try:
            response = self._http.request(method, path, json=body, params=options)
        except httpx.TransportError as error:
            raise ServiceError(f"{self!r}: {error}") from error
        if response.is_success:
            return dict(response.json())
        told = response.headers.get("content-type", "") == "application/problem+json"
        refusal = ServiceError(response.json()["detail"] if told else f"{self!r} answered {response.status_code}")
        refusal.status = response.status_code
        raise refusal
