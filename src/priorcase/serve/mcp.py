"""Serve a model or a case base with the Model Context Protocol (MCP) over standard input and output.

Responses, limits and errors are the same as in the HTTP service. This module needs the extra ``mcp``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from io import BufferedReader, RawIOBase, TextIOWrapper
from typing import Annotated, Any, BinaryIO

from fastapi import HTTPException, Response
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

import priorcase as pc
from priorcase._files import json_object
from priorcase.exceptions import ParameterError, PriorcaseError, TooLargeError, visible
from priorcase.serve import answers
from priorcase.serve.app import Limits, Service

Row = Annotated[
    dict[str, Any],
    Field(
        description="Mapping from columns to values; null and omitted columns are missing values. "
        "Call the tool 'schema' to list the columns."
    ),
]
Fixed = Annotated[list[str], Field(description="Columns that counterfactuals must not change.")]
Columns = Annotated[list[str], Field(min_length=1, max_length=2)]
Id = Annotated[int, Field(strict=True, ge=0, le=2**62, description="Id of a case, as returned by ask and explain.")]
Values = Annotated[int, Field(strict=True, ge=2, le=50)]
Where = Annotated[list[str], Field(description="Conditions such as people>=5, area=printer|vpn, system=?.")]

_REPEATED = "\ufdd0 repeated names"
_READS, _CHANGES = ToolAnnotations(read_only_hint=True), ToolAnnotations(read_only_hint=False, destructive_hint=False)


def create_mcp_server(
    served: Any, *, target: str | None = None, read_only: bool = False, limits: Limits | None = None
) -> MCPServer[Any]:
    """Create an MCP server for AI assistants; its ``run()`` uses standard input and output until they are closed.

    For a model, the tools are ``ask``, ``explain``, ``what_if`` and ``schema``. For a case base, the tools are ``ask``,
    ``explain``, ``schema`` and, unless ``read_only`` is True, ``add_case`` and ``feedback``. Answers are JSON.

    Parameters
    ----------
    served
        A fitted estimator of this library with a single target, or an open `CaseBase`.
    target
        Name of the target.
    read_only
        Whether to omit tools that change the case base.
    limits
        Limits on a single call.

    Examples
    --------
    >>> import asyncio
    >>> import priorcase as pc
    >>> from priorcase.serve import create_mcp_server
    >>> server = create_mcp_server(pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"]], ["no", "yes"]))
    >>> [tool.name for tool in asyncio.run(server.list_tools())]
    ['ask', 'explain', 'what_if', 'schema']
    """
    is_base = answers.is_case_base(served)
    if not is_base:
        answers.check_served(served)
    service = Service(served, limits or Limits(), target=target, read_only=read_only, save=None)
    about = "Past cases with their solutions" if is_base else f"Predictions of {target or 'a target'} from past cases"
    server = _Server(
        "priorcase", version=pc.__version__, instructions=f"{about}. Call schema first.", log_level="ERROR"
    )
    (_base_tools if is_base else _model_tools)(server, service)

    async def schema() -> CallToolResult:
        """Return the columns with their kinds and known values, and the target."""
        if is_base:
            return await _result(service, {}, lambda: service.answer(answers.base_schema, service.base))
        return await _result(service, {}, lambda: service.answer(answers.model_schema, service.model, target))

    server.add_tool(schema, annotations=_READS, structured_output=False)
    return server


def _model_tools(server: MCPServer[Any], service: Service) -> None:
    async def ask(row: Row) -> CallToolResult:
        """Predict the target of a row, with the probabilities of all classes or a prediction interval."""
        return await _result(service, row, lambda: service.predict(row, 0.95))

    async def explain(
        row: Row,
        precedents: Annotated[int, Field(strict=True, ge=0, le=100)] = 5,
        counterfactuals: Annotated[int, Field(strict=True, ge=0, le=10)] = 1,
        fixed: Fixed = [],  # noqa: B006
    ) -> CallToolResult:
        """Predict a row and explain the prediction: contributions of columns, similar past cases, counterfactuals."""

        def explained() -> Any:
            options = {"precedents": precedents, "counterfactuals": counterfactuals}
            return {"predictions": answers.explanations(service.model, service.rows(row, 1), fixed, **options)}

        return await _result(service, [row, fixed], lambda: service.answer(explained))

    async def what_if(row: Row, columns: Columns, n_values: Values = 21) -> CallToolResult:
        """Return the predictions of a row while one or two of its columns vary."""

        def curve() -> Any:
            return answers.curve(service.model, service.rows(row, 1)[0], columns, n_values)

        return await _result(service, [row, columns], lambda: service.answer(curve))

    for tool in (ask, explain, what_if):
        server.add_tool(tool, annotations=_READS, structured_output=False)


def _base_tools(server: MCPServer[Any], service: Service) -> None:
    async def ask(
        query: Row,
        k: Annotated[int, Field(strict=True, ge=1, le=100)] = 5,
        where: Where = [],  # noqa: B006
    ) -> CallToolResult:
        """Propose a solution for a new case from the most similar past cases."""
        question: Callable[[], Any] = lambda: answers.proposal(service.base, query, k, where)  # noqa: E731
        return await _result(service, [query, where], lambda: service.answer(question))

    async def explain(id: Id) -> CallToolResult:
        """Return a past case with its solution, outcome, notes and history."""
        return await _result(service, {}, lambda: service.answer(answers.case, service.base, id))

    async def add_case(
        case: Row,
        solution: Any = None,
        outcome: Any = None,
        key: str | None = None,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> CallToolResult:
        """Add a case with its solution and return its id."""
        fields = {"solution": solution, "outcome": outcome, "key": key, "note": note, "by": by, "why": why}

        def added() -> Any:
            return {"id": service.base.add(case, **fields)}

        return await _result(service, [case, fields], lambda: service.change(added))

    async def feedback(
        id: Id,
        outcome: Any = None,
        solution: Any = None,
        note: str | None = None,
        changes: Row = {},  # noqa: B006
        by: str | None = None,
        why: str | None = None,
    ) -> CallToolResult:
        """Record the outcome of a case or correct the case; omitted fields are not changed.

        A new solution has no outcome unless the outcome is also given.
        """
        given = {"outcome": outcome, "solution": solution, "note": note, "by": by, "why": why}
        fields = {name: value for name, value in given.items() if value is not None}

        def revised() -> Any:
            return answers.revised(service.base, id, changes, fields)

        return await _result(service, [changes, fields], lambda: service.change(revised))

    server.add_tool(ask, annotations=_READS, structured_output=False)
    server.add_tool(explain, annotations=_READS, structured_output=False)
    if not service.read_only:
        server.add_tool(add_case, annotations=_CHANGES, structured_output=False)
        server.add_tool(feedback, annotations=_CHANGES, structured_output=False)


class _Server(MCPServer[Any]):
    """A server that marks objects with repeated names before the parser keeps only the last value of each name."""

    async def run_stdio_async(self) -> None:
        usual = sys.stdin
        sys.stdin = TextIOWrapper(BufferedReader(_MarkedLines(usual.buffer)), encoding="utf-8", errors="replace")
        try:
            await super().run_stdio_async()
        finally:
            sys.stdin.detach()
            sys.stdin = usual


class _MarkedLines(RawIOBase):
    """Lines of JSON in which objects with repeated names are replaced; see `_marked`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._rest = file, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or _marked(self._file.readline())
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _marked(line: bytes) -> bytes:
    """Return a line in which ``{_REPEATED: REASON}`` replaces each object of JSON with repeated names."""
    found = False

    def marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        try:
            return json_object(pairs)
        except ValueError as error:
            found = True
            return {_REPEATED: str(error)}

    try:
        document = json.loads(line, object_pairs_hook=marked)
    except (ValueError, RecursionError):
        return line  # the server reports it
    return json.dumps(document).encode() + b"\n" if found else line


def _check_names(given: Any) -> None:
    """Raise an error if arguments contain an object that `_marked` has replaced."""
    if isinstance(given, dict) and _REPEATED in given:
        raise ParameterError(f"The call is not valid: {given[_REPEATED]}.")
    values = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
    for value in values:
        _check_names(value)


async def _result(service: Service, given: Any, answer: Callable[[], Awaitable[Response]]) -> CallToolResult:
    """Return the response to a call as JSON, or an error message if the call fails."""
    try:
        if len(json.dumps(given)) > service.limits.body:
            raise TooLargeError(f"The call has more than {service.limits.body:,} bytes.")
        _check_names(given)
        answers.check_texts(given, service.limits.text)
        text, wrong = bytes((await answer()).body).decode("ascii"), False
    except PriorcaseError as error:
        text, wrong = visible(str(error.args[0]) if error.args else str(error)), True
    except HTTPException as error:
        text, wrong = visible(str(error.detail)), True
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=wrong)
