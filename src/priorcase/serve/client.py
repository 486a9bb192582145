"""A Python client of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

import httpx

from priorcase.exceptions import ServiceError

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Row | Sequence[Row]
Document: TypeAlias = dict[str, Any]


class Client:
    """Client of a service started by ``priorcase serve``.

    Rows are mappings from columns to values; None and omitted columns are missing values. Each method accepts the
    same options as the corresponding route. If the service refuses a request, `ServiceError` is raised with the
    message of the service.

    Parameters
    ----------
    url
        URL of the service, such as ``http://127.0.0.1:8765``.
    token
        The token that the service printed or was started with.
    **options
        Options of `httpx.Client`, such as ``timeout``.

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
        """Return the columns with their kinds and known values, and the classes."""
        return self._asked("GET", "/schema")

    # -- models

    def predict(self, rows: Rows, *, level: float = 0.95) -> list[Document]:
        """Return the prediction of each row, with probabilities or an interval."""
        return self._listed("predictions", "POST", "/predict", rows, level=level)

    def explain(self, rows: Rows, **options: Any) -> list[Document]:
        """Explain the prediction of each row.

        Options are ``precedents``, ``counterfactuals``, ``fixed`` and ``permutations``, as in `priorcase.explain`.
        """
        return self._listed(
            "predictions", "POST", "/explain", rows, **{"counterfactuals": 1, "permutations": 32} | options
        )

    def neighbors(self, rows: Rows, k: int | None = None) -> list[Document]:
        """Return the past cases behind the prediction of each row, or the ``k`` nearest past cases of each row."""
        return self._listed("predictions", "POST", "/neighbors", rows, **({} if k is None else {"k": k}))

    def counterfactuals(self, rows: Rows, n: int = 1, **options: Any) -> list[Document]:
        """Return the ``n`` smallest changes that alter the prediction of each row.

        Options are ``fixed``, ``wanted``, ``above`` and ``below``.
        """
        return self._listed("predictions", "POST", "/counterfactuals", rows, n=n, **options)

    def what_if(self, row: Row, *columns: str, n_values: int = 21) -> Document:
        """Return the predictions of a row while one or two of its columns vary."""
        return self._asked("POST", "/what-if", row, column=columns, n_values=n_values)

    def append(self, rows: Sequence[Row], targets: Sequence[Any]) -> list[int]:
        """Add rows to the model and return their ids."""
        return self._listed("ids", "POST", "/rows", {"rows": rows, "targets": targets})

    def forget(self, ids: Sequence[int]) -> None:
        """Remove rows from the model."""
        self._asked("POST", "/rows/forget", {"ids": ids})

    # -- case bases

    def cases(self, *where: str, offset: int = 0, limit: int = 100) -> list[Document]:
        """Return the cases that meet all conditions, such as ``"people>=5"``."""
        return self._listed("cases", "GET", "/cases", where=where, offset=offset, limit=limit)

    def case(self, id: int) -> Document:
        """Return a case with its history."""
        return self._asked("GET", f"/cases/{id:d}")

    def ask(self, query: Row, **options: Any) -> Document:
        """Return a proposed solution for a new case; options are ``k``, ``where``, ``weights`` and ``method``."""
        return self._asked("POST", "/cases/ask", {"query": query, **options})

    def add(self, case: Row, **fields: Any) -> int:
        """Add a case and return its id; fields are ``solution``, ``outcome``, ``key``, ``note``, ``by`` and ``why``."""
        return int(self._asked("POST", "/cases", {"case": case, **fields})["id"])

    def feedback(self, id: int, changes: Row | None = None, **fields: Any) -> Document:
        """Record the ``outcome``, ``solution``, a ``note`` or changed values of a case, and return the case."""
        return self._asked("POST", f"/cases/{id:d}/feedback", {"changes": changes or {}, **fields})

    def forget_case(self, id: int, why: str, *, by: str | None = None) -> None:
        """Forget a case; the reason is recorded in the history."""
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
        refusal = ServiceError(
            response.json()["detail"] if told else f"{self!r} returned status {response.status_code}"
        )
        refusal.status = response.status_code
        raise refusal
