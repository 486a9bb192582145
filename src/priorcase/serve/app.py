"""The HTTP service of a model or a case base.

Several threads handle queries, and one thread makes changes, in the order of the requests. A query uses the same state
of the model from start to end. If the model predicts single rows very fast, these predictions are made on the event
loop; if such a prediction may wait for other requests, as IB1 to IB5 do, only while a thread handles none.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from threading import Lock
from time import perf_counter, thread_time
from types import SimpleNamespace
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

import priorcase as pc
from priorcase._cancelling import Cancellation
from priorcase._files import json_object
from priorcase.bayes.classifier import BayesClassifier
from priorcase.documents import case_document
from priorcase.exceptions import (
    CaseBaseBusyError,
    CaseBaseFileError,
    ForgettingError,
    NotAvailableError,
    ParameterError,
    PriorcaseError,
    TooFewRowsError,
    TooLargeError,
    UnknownIdError,
    WritingError,
)
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.serve import answers
from priorcase.serve.security import Guard, problem, replayed

_READERS, _WAITING = 8, 256  # threads that handle queries, and requests that may wait for them
_SHORTEST = 16  # minimum number of characters of a token
_LARGEST = 2**62
_SMALL = 1 << 14  # maximum number of bytes of a row that is predicted on the event loop
_AT_ONCE = 0.005  # maximum CPU time of such a prediction in seconds
_STATUS: tuple[tuple[type[PriorcaseError], int], ...] = (
    (UnknownIdError, 404),
    (ForgettingError, 409),
    (NotAvailableError, 409),
    (TooFewRowsError, 409),
    (CaseBaseBusyError, 409),
    (TooLargeError, 413),
    (WritingError, 503),
    (CaseBaseFileError, 503),
)
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {"application/problem+json": {"example": {"status": status, "detail": "..."}}},
    }
    for status, text in {
        400: "The body of the request is not JSON.",
        401: "The token is missing or wrong.",
        409: "The request is not possible in the current state of the model or case base.",
        413: "The request is too large.",
        422: "Rows or options are invalid; ``detail`` has the reason.",
    }.items()
}


@dataclass(frozen=True)
class Limits:
    """Limits on a single request.

    ``body`` is the maximum size of the body in bytes. ``rows`` is the maximum number of rows to predict or append, and
    ``explained`` is the maximum number of rows to explain. ``text`` is the maximum number of characters in a string.
    ``seconds`` is the time limit of a query.

    Examples
    --------
    >>> Limits(rows=100).rows
    100
    """

    body: int = 8 << 20
    rows: int = 10_000
    explained: int = 100
    text: int = 100_000
    seconds: float = 30.0


# -- what comes in

_ROW = {"age": 31, "color": "red", "size": None}
Rows = Annotated[
    Any,
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}),
    Body(
        description="A row or a list of rows. Omitted columns and null are missing values.",
        openapi_examples={"row": {"value": _ROW}, "rows": {"value": [_ROW, {"age": None}]}},
    ),
]
Level = Annotated[float, Query(gt=0, lt=1, description="Level of the prediction interval (regression).")]
Id = Annotated[int, Path(ge=0, le=_LARGEST)]
Where = Annotated[list[str], Query(description="Conditions such as people>=5, area=printer|vpn, system=?.")]


class Document(BaseModel):
    """Body of a request: unknown names are refused, and so are numbers that are given as strings."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _distinct(ids: list[int]) -> list[int]:
    if len(set(ids)) < len(ids):
        raise PydanticCustomError("distinct", "The ids must be distinct")
    return ids


RowId = Annotated[int, Field(ge=0, le=_LARGEST)]
DistinctIds = Annotated[list[RowId], AfterValidator(_distinct)]


class NewRows(Document):
    """Rows to learn from, with their targets."""

    rows: list[dict[str, Any]] = Field(examples=[[_ROW]])
    targets: list[Any] = Field(examples=[["yes"]])


class ForgottenRows(Document):
    """Ids of rows to forget."""

    ids: DistinctIds = Field(examples=[[7, 8]], min_length=1)


class Question(Document):
    """A new case to solve."""

    query: dict[str, Any] = Field(examples=[{"area": "printer", "people": 3}])
    k: int = Field(5, ge=1, le=100)
    where: list[str] = Field([], examples=[["people>=2"]])
    weights: dict[str, float] | None = Field(None, examples=[{"area": 2.0}])
    method: str = "auto"


class _Change(Document):
    by: str | None = None
    why: str | None = None


class SolvedCase(_Change):
    """A case to add."""

    case: dict[str, Any] = Field(examples=[{"area": "vpn", "people": 1}])
    solution: Any = Field(None, examples=["renew the certificate"])
    outcome: Any = None
    key: str | None = Field(None, examples=["V-9"])
    note: str | None = None


class Feedback(_Change):
    """Outcome or corrected values of a case; null removes a value, and omitted fields are not changed.

    A new solution has no outcome unless the outcome is also given.
    """

    changes: dict[str, Any] = Field({}, examples=[{"people": 4}])
    solution: Any = None
    outcome: Any = Field(None, examples=[True])
    note: str | None = None


class Reason(Document):
    """Reason for forgetting a case; the history keeps the reason, but no data of the case."""

    why: str = Field(min_length=1, examples=["asked to"])
    by: str | None = None


def read_json(body: bytes) -> Any:
    """Parse JSON; reject repeated names, lone surrogates, and NaN and infinity, which are not valid JSON."""
    try:
        text = body.decode("utf-8")
        found = json.loads(text, parse_constant=_refuse, object_pairs_hook=json_object)
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise HTTPException(400, "The body is nested too deeply.") from None
    except ValueError as error:
        raise HTTPException(400, f"The body is not JSON: {error}.") from None
    return found


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not allowed; write null for a missing value")


class _StrictRequest(Request):
    async def json(self) -> Any:
        service: Service = self.app.state.service
        body = await self.body()
        try:
            return await service.parsed(body)
        except TooLargeError as error:  # FastAPI would call it an error of parsing
            raise HTTPException(413, error.args[0]) from None


class _StrictRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        handler = super().get_route_handler()

        async def inner(request: Request) -> Response:
            return await handler(_StrictRequest(request.scope, request.receive))

        return inner


# -- the service


class Service:
    """The state of the service: the served model or case base, its threads, and the request counts."""

    def __init__(self, served: Any, limits: Limits, *, target: str | None, read_only: bool, save: Any) -> None:
        self.served, self.limits, self.target, self.read_only, self.save = served, limits, target, read_only, save
        self.changed: Callable[[], None] = lambda: None  # called after each change of the model or case base
        self._readers = ThreadPoolExecutor(_READERS, "priorcase-reader")
        self._writer = ThreadPoolExecutor(1, "priorcase-writer")
        self._lock, self._waiting = Lock(), 0
        self._singles = 0  # waiting requests that predict a single row
        self.answered: Any = None  # the model that made the last prediction
        self._quick: Any = None  # the state of a model that has predicted a single row very fast
        self._counts: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._began = perf_counter()

    def serve(self, served: Any, target: str | None) -> None:
        """Replace the served model or case base; requests in progress still use the previous one."""
        self.target, self.served = target, served

    def exclusively(self, work: Callable[[], None]) -> None:
        """Call a function on the thread that makes changes, after all earlier changes."""
        self._writer.submit(work).result()

    @property
    def is_base(self) -> bool:
        """Whether a case base is served."""
        return answers.is_case_base(self.served)

    @property
    def model(self) -> Any:
        """The served model; raise an error if a case base or nothing is served."""
        if (served := self.served) is None:
            raise HTTPException(503, "Nothing is open yet. Wait until a model is open.", {"retry-after": "1"})
        if answers.is_case_base(served):
            raise NotAvailableError("This path needs a model, but a case base is open. Use POST /cases/ask.")
        return served

    @property
    def base(self) -> pc.CaseBase:
        """The served case base; raise an error if a model or nothing is served."""
        if not answers.is_case_base(served := self.served):
            raise NotAvailableError("This path needs a case base, but none is open. Use POST /predict for a model.")
        base: pc.CaseBase = served
        return base

    def read(self, body: bytes) -> Any:
        """Parse the body of a request as JSON; raise an error for too long strings."""
        found = read_json(body)
        if len(body) > self.limits.text:
            answers.check_texts(found, self.limits.text)
        return found

    async def parsed(self, body: bytes) -> Any:
        """Do the same as `read`, on a thread if the body is large, so that other requests need not wait."""
        if len(body) <= _SMALL:
            return self.read(body)
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read, body)

    async def answer(self, question: Callable[..., Any], *args: Any, **options: Any) -> Response:
        """Call ``question`` on a thread and return the response; cancel the call if the time limit is exceeded."""
        giving_up = Cancellation()

        def watched() -> Any:
            with giving_up.watched():
                giving_up.check()  # the query may have waited too long already
                return question(*args, **options)

        future = self._submitted(self._readers, watched, (), {})
        try:
            content = await asyncio.wait_for(asyncio.wrap_future(future), self.limits.seconds)
        except asyncio.CancelledError:  # the client has disconnected
            giving_up.cancel()
            raise
        except TimeoutError:
            giving_up.cancel()
            raise HTTPException(503, f"The query took more than {self.limits.seconds:g} s. Send fewer rows.") from None
        return Response(content, media_type="application/json")

    async def predict(self, given: Any, level: float) -> Response:
        """Return the response to a request for predictions; ``given`` is one row or a list of rows."""
        single = not isinstance(given, list)
        self._singles += single
        try:
            return await self.answer(self.predicted, given, level)
        finally:
            self._singles -= single

    def predicted(self, given: Any, level: float = 0.95) -> dict[str, Any]:
        """Predict the rows of a request; for a single row, record whether the model is fast enough for `at_once`."""
        model, began = self.model, thread_time()  # excludes the time of other threads
        state = model.__dict__
        found = answers.predictions(model, self.rows(given), level)
        self.answered = model
        if not isinstance(given, list):
            self._quick = state if thread_time() - began < _AT_ONCE else None
        return {"predictions": found}

    @property
    def _may_wait(self) -> bool:
        """Whether predictions may wait for a lock that a thread with a request of another kind holds."""
        return not isinstance(self.served, (NeighborsEstimator, BayesClassifier))

    def at_once(self, body: bytes) -> bytes | None:
        """Predict a single row on the event loop; return None if the request is invalid or could be slow."""
        if (
            (self._waiting > self._singles and self._may_wait)
            or self._quick is not getattr(self.served, "__dict__", self)  # changed since the last fast prediction
            or len(body) > _SMALL
        ):
            return None
        try:
            given = self.read(body)
            return answers.encoded(self.predicted(given)) if isinstance(given, dict) else None
        except (HTTPException, PriorcaseError):
            return None  # the usual route returns the error

    async def change(self, change: Callable[..., Any], *args: Any, **options: Any) -> Response:
        """Make a change after all earlier changes, and return the response when the change has been made and saved."""
        if self.read_only:
            raise HTTPException(403, "This service is read-only.")
        future = self._submitted(self._writer, self._changed, (change, *args), options)
        content = await asyncio.shield(asyncio.wrap_future(future))  # completed even if the client disconnects
        return Response(content, media_type="application/json")

    def _changed(self, change: Callable[..., Any], *args: Any, **options: Any) -> Any:
        document = change(*args, **options)
        self.changed()
        if self.save is not None:
            try:
                self.served.save(self.save)
            except WritingError as error:
                raise WritingError(f"The change was made but could not be saved: {error.args[0]}") from error
        return document

    def _submitted(
        self, threads: ThreadPoolExecutor, work: Callable[..., Any], args: Any, options: Any
    ) -> Future[bytes]:
        with self._lock:
            if self._waiting >= _WAITING:
                raise HTTPException(503, "Too many requests are waiting. Try again later.", {"retry-after": "1"})
            self._waiting += 1
        future = threads.submit(lambda: answers.encoded(work(*args, **options)))
        future.add_done_callback(self._finished)
        return future

    def _finished(self, _: Any) -> None:
        with self._lock:
            self._waiting -= 1

    def rows(self, given: Any, most: int | None = None) -> list[list[Any]]:
        """Convert the rows in a request to the format of the model; raise an error for more than ``most`` rows."""
        return answers.read_rows(self.model.schema_, given, most=most or self.limits.rows)

    # -- metrics

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Record the route, status and duration of a request for `metrics`."""
        with self._lock:
            self._counts[route, status] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]

    def metrics(self) -> str:
        """Return the counters in the format of Prometheus."""
        with self._lock:
            counts, seconds = sorted(self._counts.items()), sorted(self._seconds.items())
        served = self.served
        stored = 0 if served is None else len(served) if self.is_base else served.n_samples_fit_
        lines = ["# TYPE priorcase_requests_total counter"]
        lines += [f'priorcase_requests_total{{route="{route}",status="{code}"}} {n}' for (route, code), n in counts]
        lines += ["# TYPE priorcase_request_seconds_total counter"]
        lines += [f'priorcase_request_seconds_total{{route="{route}"}} {spent:.6f}' for route, spent in seconds]
        lines += ["# TYPE priorcase_stored gauge", f"priorcase_stored {stored}"]
        lines += [
            "# TYPE priorcase_uptime_seconds gauge",
            f"priorcase_uptime_seconds {perf_counter() - self._began:.3f}",
        ]
        return "\n".join([*lines, ""])


class _AtOnce:
    """ASGI app that predicts single rows on the event loop if possible, and passes other requests to ``app``."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        message = await receive()  # has the whole body: see `Guard`
        # Routing in the wrapped app and waiting for a thread would take longer than the prediction itself.
        if scope["path"] == "/predict" and scope["method"] == "POST":
            content = None if scope["query_string"] else self._service.at_once(message["body"])
            if content is not None:
                scope["route"] = _PREDICT
                length = str(len(content)).encode()
                headers = [(b"content-length", length), (b"content-type", b"application/json")]
                await send({"type": "http.response.start", "status": 200, "headers": headers})
                await send({"type": "http.response.body", "body": content})
                return
        await _while_connected(self._app(scope, replayed(message, receive), send), receive)


async def _while_connected(answer: Awaitable[None], receive: Receive) -> None:
    """Handle a request whose body was received; cancel the request if the client disconnects."""

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    answering, going = asyncio.ensure_future(answer), asyncio.ensure_future(gone())
    try:
        await asyncio.wait((answering, going), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
    finally:
        answering.cancel()
        going.cancel()


_PREDICT = SimpleNamespace(path="/predict")


def create_app(
    served: Any,
    *,
    token: str,
    target: str | None = None,
    hosts: Sequence[str] = (),
    read_only: bool = False,
    save: str | PathLike[str] | None = None,
    limits: Limits | None = None,
) -> Guard:
    """Create an ASGI app that serves a fitted classifier or regressor, or a case base.

    Every request except ``GET /health`` needs the token, or the cookie that ``GET /?token=TOKEN`` sets. ``priorcase
    serve`` runs the app with uvicorn.

    Parameters
    ----------
    served
        A fitted estimator of this library with a single target, or an open `CaseBase`.
    token
        Token that clients must send as ``Authorization: Bearer TOKEN``, with at least 16 printable ASCII characters.
    target
        Name of the target, for ``GET /schema``.
    hosts
        Host names that clients may use, in addition to those of this machine.
    read_only
        Whether to refuse changes.
    save
        File to which a model is saved after each change, before the response is sent.
    limits
        Limits on a single request.

    Examples
    --------
    >>> import priorcase as pc
    >>> from priorcase.serve import create_app
    >>> model = pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"]], ["no", "yes"])
    >>> app = create_app(model, token="0123456789abcdef")
    """
    limits = Limits() if limits is None else limits
    is_base = answers.is_case_base(served)
    if not is_base:
        answers.check_served(served)
    elif save is not None:
        raise ParameterError("save must be None for a case base, which writes every change to disk before it responds.")
    service = Service(served, limits, target=target, read_only=read_only, save=save)
    return assembled(service, [base_routes(service) if is_base else model_routes(service)], token=token, hosts=hosts)


def assembled(
    service: Service,
    routers: Sequence[APIRouter],
    *,
    token: str,
    hosts: Sequence[str],
    uploads: Mapping[str, int] | None = None,
) -> Guard:
    """Return an app with the given routes and the routes that every service has, protected by a `Guard`."""
    if len(token) < _SHORTEST or not all("!" <= letter <= "~" for letter in token):
        raise ParameterError(
            f"The token must have at least {_SHORTEST} printable ASCII characters; "
            "python -c 'import secrets; print(secrets.token_urlsafe())' generates one."
        )
    limits = service.limits
    api = FastAPI(title="priorcase", version=pc.__version__, docs_url=None, redoc_url=None)
    api.state.service = service
    for router in (*routers, _about(service, api)):
        api.include_router(router)
    api.add_exception_handler(PriorcaseError, _refused)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(StarletteHTTPException, _http_error)
    api.add_exception_handler(Exception, _bug)
    app = _AtOnce(api, service)
    given: Any = {"body": limits.body, "seconds": limits.seconds, "observe": service.observe}
    return Guard(app, token=token, hosts=hosts, uploads=uploads, **given)


def new_router() -> APIRouter:
    """Return a router that accepts only strictly valid JSON and returns errors as ``application/problem+json``."""
    return APIRouter(route_class=_StrictRoute, responses=_PROBLEMS, default_response_class=Response)


def _about(service: Service, api: FastAPI) -> APIRouter:
    router = new_router()

    @router.get("/", summary="Version and paths of the service")
    async def index() -> Any:
        paths = {path: sorted(map(str.upper, methods)) for path, methods in api.openapi()["paths"].items()}
        about = {"name": "priorcase", "version": pc.__version__, "read_only": service.read_only, "paths": paths}
        return await service.answer(lambda: about)

    @router.get("/health", summary="Health check; needs no token")
    async def health() -> Any:
        return Response('{"status": "ok"}', media_type="application/json")

    @router.get("/metrics", summary="Request counts and durations in Prometheus format")
    async def metrics() -> Any:
        return Response(service.metrics(), media_type="text/plain; version=0.0.4")

    @router.get("/schema", summary="Get the columns with their kinds and values, and the classes")
    async def schema() -> Any:
        if service.is_base:
            return await service.answer(answers.base_schema, service.base)
        return await service.answer(answers.model_schema, service.model, service.target)

    return router


def model_routes(service: Service) -> APIRouter:
    """Return the routes that query and change a model."""
    router = new_router()

    @router.post("/predict", summary="Predict rows")
    async def predict(body: Rows, level: Level = 0.95) -> Any:
        return await service.predict(body, level)

    @router.post("/explain", summary="Explain predictions: contributions of columns, past cases, counterfactuals")
    async def explain(
        body: Rows,
        precedents: Annotated[int, Query(ge=0, le=100)] = 5,
        counterfactuals: Annotated[int, Query(ge=0, le=10, description="Number of counterfactuals (slow).")] = 0,
        fixed: Annotated[list[str], Query(description="Columns that must not change.")] = [],  # noqa: B006
        permutations: Annotated[
            int,
            Query(ge=4, le=256, multiple_of=2, description="Number of permutations for Shapley values."),
        ] = 4,
    ) -> Any:
        model = service.model

        def explained() -> Any:
            rows = service.rows(body, service.limits.explained)
            options = {"precedents": precedents, "counterfactuals": counterfactuals, "permutations": permutations}
            return {"predictions": answers.explanations(model, rows, fixed, **options)}

        return await service.answer(explained)

    @router.post("/neighbors", summary="Find the past cases behind predictions")
    async def neighbors(body: Rows, k: Annotated[int | None, Query(ge=1, le=100)] = None) -> Any:
        model, most = service.model, service.limits.explained
        return await service.answer(lambda: {"predictions": answers.neighbors(model, service.rows(body, most), k)})

    @router.post("/counterfactuals", summary="Find the smallest changes, taken from past cases, that alter predictions")
    async def counterfactuals(
        body: Rows,
        n: Annotated[int, Query(ge=1, le=10)] = 1,
        fixed: Annotated[list[str], Query(description="Columns that must not change.")] = [],  # noqa: B006
        wanted: Annotated[str | None, Query(description="The desired class; by default any other class.")] = None,
        above: Annotated[float | None, Query(description="Lower bound of the desired prediction (regression).")] = None,
        below: Annotated[float | None, Query(description="Upper bound of the desired prediction (regression).")] = None,
    ) -> Any:
        model, wish = service.model, {"above": above, "below": below}

        def found() -> Any:
            rows = service.rows(body, service.limits.explained)
            return {"predictions": answers.turning(model, rows, n, fixed, wanted, **wish)}

        return await service.answer(found)

    @router.post("/what-if", summary="Predict a row while one or two of its columns vary")
    async def what_if(
        body: Rows,
        column: Annotated[list[str], Query(min_length=1, max_length=2)],
        n_values: Annotated[int, Query(ge=2, le=50)] = 21,
    ) -> Any:
        model = service.model
        return await service.answer(lambda: answers.curve(model, service.rows(body, 1)[0], column, n_values))

    @router.post("/rows", summary="Learn from more rows")
    async def append(body: NewRows) -> Any:
        return await service.change(lambda: answers.append(service.model, service.rows(body.rows), body.targets))

    @router.post("/rows/forget", summary="Remove rows, as if the model had never been fitted to them")
    async def forget(body: ForgottenRows) -> Any:
        return await service.change(lambda: answers.forget(service.model, body.ids))

    return router


def base_routes(service: Service) -> APIRouter:
    """Return the routes that query and change a case base."""
    router = new_router()

    @router.get("/cases", summary="List cases")
    async def cases(
        where: Where = [],  # noqa: B006
        offset: Annotated[int, Query(ge=0, le=_LARGEST)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> Any:
        base = service.base

        def found() -> Any:
            met = base.find(where=answers.conditions(base, where))
            return {"cases": list(map(case_document, islice(met, offset, offset + limit))), "total": len(base)}

        return await service.answer(found)

    @router.post("/cases", summary="Add a solved case")
    async def add(body: SolvedCase) -> Any:
        return await service.change(lambda: {"id": service.base.add(**dict(body))})

    @router.post("/cases/ask", summary="Propose a solution from similar cases")
    async def ask(body: Question) -> Any:
        return await service.answer(answers.proposal, service.base, **dict(body))

    @router.get("/cases/{id}", summary="Get a case with its history")
    async def case(id: Id) -> Any:
        base = service.base
        return await service.answer(answers.case, base, id)

    @router.post("/cases/{id}/feedback", summary="Record the outcome of a case or correct the case")
    async def feedback(id: Id, body: Feedback) -> Any:
        given = {name: getattr(body, name) for name in body.model_fields_set - {"changes"}}

        return await service.change(lambda: answers.revised(service.base, id, body.changes, given))

    @router.post("/cases/{id}/forget", summary="Forget a case and erase its data")
    async def forget(id: Id, body: Reason) -> Any:
        return await service.change(lambda: {"forgotten": service.base.forget(id, by=body.by, why=body.why)})

    return router


# -- errors


async def _refused(_: Request, error: Any) -> Response:
    """Convert an error of this library to a response with its message, without the name of the method that failed."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 422)
    return problem(status, str(error.args[0]) if error.args else str(error))


async def _invalid(_: Request, error: Any) -> Response:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"][1:])) or "the body"
    return problem(422, f"{where}: {first['msg']}.")


async def _http_error(request: Request, error: Any) -> Response:
    detail = str(error.detail)
    if error.status_code in (404, 405):
        detail = f"There is no route {request.method} {request.url.path}. GET / lists all paths."
    return problem(error.status_code, detail, error.headers)


async def _bug(_: Request, error: Exception) -> Response:
    return problem(500, "This is a bug in priorcase; see the log of the service.")
