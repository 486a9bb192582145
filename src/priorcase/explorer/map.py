"""A map of all rows in two dimensions, based on the model's own distance.

Landmark MDS: a sample of rows, the landmarks, is placed by classical multidimensional scaling of the distances between
them (Torgerson 1952). All other rows are placed by their distances from the landmarks (Gower 1968, "Adding a point to
vector diagrams in multivariate analysis"; de Silva & Tenenbaum 2004, "Sparse multidimensional scaling using landmark
points", eq. 4). No matrix of all pairs of rows is computed, and the same rows always give the same map.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query

from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray
from priorcase.documents import plain
from priorcase.exceptions import SchemaMismatchError, TooFewRowsError, advice, quoted
from priorcase.explaining.model import ExplainedModel
from priorcase.explaining.precedents import _by_terms
from priorcase.explorer.checking import Computed
from priorcase.explorer.columns import kind_name
from priorcase.explorer.jobs import Job
from priorcase.explorer.workspace import Workspace, learner_title
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.relevance.base import fixed_sample, splitmix
from priorcase.schema import Date, Nominal, Ordinal
from priorcase.schema.dates import date_of
from priorcase.serve.app import Service, new_router

_LANDMARKS, _AT_ONCE = 256, 16
_COLORS = 6  # colors of categories; with more categories, all other categories share the last color
_VIEW = (0.02, 0.98)  # quantiles of both coordinates that bound the first view
_PAIRS = 20_000  # pairs of rows from which the fit of the map is estimated

Distances = Callable[[IntArray], FloatArray]
"""Maps positions of rows to their distances from all rows, shape (positions, rows)."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of the stored rows on the map, shape (rows, 2), and how well the map represents the distances.

    ``view`` is a box (x0, x1, y0, y1) that contains most rows. ``fit`` is the squared correlation between the distances
    on the map and the distances of the model, over pairs of a landmark and another row. ``by`` describes the distance.
    """

    ids: IdArray
    places: FloatArray
    view: tuple[float, ...]
    fit: float
    landmarks: int
    by: str


def lay_out(model: Any, job: Job | None = None, before: Layout | None = None) -> Layout:
    """Place all stored rows of a model on a map, rotated to match an earlier map as closely as possible."""
    ids = np.array(model._stored().ids)
    if not ids.size:
        raise TooFewRowsError("There are no rows to plot: all rows were forgotten. Undo the changes or open a table.")
    tell = (lambda text, share: None) if job is None else job.tell
    tell("learning the distance", 0.0)
    distances, by = model_distances(model)
    keys = splitmix(0, int(ids[-1]) + 1)[ids]  # by ids: adding or forgetting rows changes few landmarks
    landmarks = np.sort(np.argsort(keys, kind="stable")[:_LANDMARKS])
    blocks = [landmarks[start : start + _AT_ONCE] for start in range(0, landmarks.size, _AT_ONCE)]
    between = np.empty((landmarks.size, landmarks.size))
    squares = np.empty((landmarks.size, ids.size), np.float32)
    for done, block in enumerate(blocks):
        tell("measuring distances", 0.9 * done / len(blocks))
        squares[done * _AT_ONCE : done * _AT_ONCE + block.size] = _finite(distances(block))
    between[:] = squares[:, landmarks]
    np.square(squares, out=squares)
    between = np.square((between + between.T) / 2)  # missing values make some distances asymmetric
    np.fill_diagonal(between, 0.0)
    tell("placing rows", 0.92)
    places = _triangulated(between, squares)
    places = _turned(places, ids, before)
    view = np.quantile(places, _VIEW, axis=0)
    seen = ((places >= view[0]) & (places <= view[1])).all(axis=1)
    fit = _fit(places, landmarks, squares, seen)
    return Layout(ids, places, tuple(view.T.ravel().tolist()), fit, landmarks.size, by)


def model_distances(model: Any) -> tuple[Distances, str]:
    """Return the distance function with which a model finds past cases, and a description of this distance."""
    voter, by = model, "the model's own distance"
    if hasattr(model, "_voter") and (found := model._voter()) is not None:
        voter = found[1]
        by = f"the distance of {learner_title(voter)}, the member of the stack that finds past cases"
    if isinstance(voter, NeighborsEstimator):
        memory, threads = voter._answering(), voter._threads()

        def own(rows: IntArray) -> FloatArray:
            return np.asarray(memory.distances(memory.instances.cells(rows), memory.ids[rows], threads=threads))

        return own, by
    asked = ExplainedModel(model)
    parts = _by_terms(asked, asked.past)
    return lambda rows: np.stack(
        [parts(row).sum(axis=1) for row in rows.tolist()]
    ), "the contributions of values to the prediction"


def _finite(distances: FloatArray) -> FloatArray:
    """Return the distances with infinite values replaced by 1.5 times the largest finite value."""
    known = np.isfinite(distances)
    if known.all():
        return distances
    return np.where(known, distances, 1.5 * distances[known].max(initial=1.0))


def _triangulated(between: FloatArray, squares: AnyArray) -> FloatArray:
    """Place all rows by landmark MDS, from squared distances between landmarks and from landmarks to all rows."""
    mean = between.mean(axis=0)
    inner = -0.5 * (between - mean[:, None] - mean[None, :] + mean.mean())
    values, vectors = np.linalg.eigh(inner)
    values, vectors = values[::-1][:2], vectors[:, ::-1][:, :2]
    if values.size < 2:
        values, vectors = np.append(values, 0.0), np.column_stack([vectors, np.zeros(len(vectors))])
    vectors = vectors * np.where(vectors[np.abs(vectors).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    used = values > 1e-12 * max(float(values[0]), 1e-300)
    inverse = np.where(used, vectors / np.sqrt(np.where(used, values, 1.0)), 0.0)
    return np.asarray(-0.5 * (inverse.T @ (squares - mean[:, None].astype(np.float32))).T)


def _turned(places: FloatArray, ids: IdArray, before: Layout | None) -> FloatArray:
    """Return the positions rotated and reflected to match an earlier map (orthogonal Procrustes, Schönemann 1966)."""
    if before is None:
        return places
    _, now, then = np.intersect1d(ids, before.ids, assume_unique=True, return_indices=True)
    if now.size < 3:
        return places
    one, other = places[now] - places[now].mean(axis=0), before.places[then] - before.places[then].mean(axis=0)
    u, _, v = np.linalg.svd(one.T @ other)
    return np.asarray(places @ (u @ v))


def _fit(places: FloatArray, landmarks: IntArray, squares: AnyArray, seen: BoolArray) -> float:
    some = fixed_sample(squares.size, _PAIRS)
    which, rows = np.divmod(some, squares.shape[1])
    # Rows outside the view are omitted, because they are far from all other rows on any map.
    if (both := seen[landmarks[which]] & seen[rows]).any():
        which, rows = which[both], rows[both]
    drawn = np.hypot(*(places[landmarks[which]] - places[rows]).T)
    real = np.sqrt(squares[which, rows].astype(np.float64))
    if drawn.std() == 0 or real.std() == 0:
        return 1.0 if real.std() == 0 else 0.0
    return float(np.corrcoef(drawn, real)[0, 1] ** 2)


# -- colors


def column_colors(model: Any, by: str, target: str | None) -> tuple[dict[str, Any], AnyArray]:
    """Return a color scale and the values of a column as numbers or category codes, NaN for missing values."""
    instances = model._stored().instances
    if by == "target":
        kind, cells, name = instances.targets.kinds[0], instances.target(), target or "target"
        values = instances.target_values() if isinstance(kind, Nominal) else ()
    else:
        names = [str(one) for one in attribute_names(instances.schema)]
        name = by.removeprefix("column:")
        if name not in names:
            remedy = advice(name, names, otherwise="GET /columns lists the columns.")
            raise SchemaMismatchError(f"The model has no column {quoted(name)}. {remedy}")
        a = names.index(name)
        kind, cells = instances.schema.kinds[a], instances.column(a)
        values = instances.values(a) if isinstance(kind, Nominal) else ()
    told: dict[str, Any] = {"name": name, "kind": kind_name(kind)}
    if isinstance(kind, Nominal | Ordinal):
        values = kind.order if isinstance(kind, Ordinal) else values
        codes = np.where(np.isnan(cells), -1, cells).astype(np.int64) if isinstance(kind, Ordinal) else cells
        return _categories(told, codes.astype(np.int64), list(values))
    numbers = np.asarray(cells, np.float64)
    return told | scale_of(numbers, date=isinstance(kind, Date)), numbers


def _categories(told: dict[str, Any], codes: IntArray, values: list[Any]) -> tuple[dict[str, Any], AnyArray]:
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    by_count = np.argsort(-counts, kind="stable")
    by_count = by_count[counts[by_count] > 0]
    own = by_count if by_count.size <= _COLORS else by_count[: _COLORS - 1]
    own = np.sort(own) if told["kind"] == "ordinal" else own
    number = np.full(len(values) + 1, float(_COLORS - 1))
    number[own] = np.arange(own.size)
    number[-1] = np.nan  # the code of a missing value
    names = [
        str(plain(values[code])) if not isinstance(values[code], frozenset) else _set(values[code]) for code in own
    ]
    shown = counts[own].tolist()
    if own.size < by_count.size:
        names.append(f"{by_count.size - own.size} others")
        shown.append(int(counts.sum() - sum(shown)))
    return told | {"categories": names, "counts": shown, "missing": int((codes < 0).sum())}, number[codes]


def _set(members: frozenset[Any]) -> str:
    return ", ".join(map(str, plain(members))) or "none"


def scale_of(numbers: FloatArray, *, date: bool = False) -> dict[str, Any]:
    """Return the ends of a color scale, from the 1st to the 99th percentile, and their labels."""
    known = numbers[~np.isnan(numbers)]
    low, high = np.quantile(known, (0.01, 0.99)).tolist() if known.size else (0.0, 1.0)
    if low == high:
        low, high = float(known.min()), float(known.max())
    ends: dict[str, Any] = {"low": low, "high": high, "missing": int(np.isnan(numbers).sum())}
    return ends | (
        {"texts": [date_of(round(low)).isoformat()[:10], date_of(round(high)).isoformat()[:10]]} if date else {}
    )


def packed(header: dict[str, Any], *arrays: AnyArray) -> bytes:
    """Return bytes: the length of the header, the header as JSON padded to four bytes, then little-endian arrays."""
    text = json.dumps(plain(header), allow_nan=False).encode("ascii")
    text += b" " * (-len(text) % 4)
    parts = [np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes() for array in arrays]
    return b"".join([len(text).to_bytes(4, "little"), text, *parts])


# -- routes


def map_routes(workspace: Workspace, service: Service) -> APIRouter:
    """Return the routes for the positions and the colors of the rows on the map, in the format of `packed`."""
    router = new_router()

    def compute(model: Any, job: Job) -> Layout:
        return lay_out(model, job, layouts.latest)

    layouts: Computed[Layout] = Computed(workspace, "Drawing the map", compute)

    async def binary(question: Callable[[], bytes]) -> Any:
        response = await service.answer(question)
        response.headers["content-type"] = "application/octet-stream"
        return response

    @router.get("/map", summary="Get the positions of all rows on the map: ids (Uint32) and positions (Float32 pairs)")
    async def places(again: bool = False) -> Any:
        _ = service.model
        if again:
            layouts.again()

        def found() -> bytes:
            layout = layouts.now()
            if layout is None:
                return packed({"state": layouts.state})
            told = {"state": "done", "rows": layout.ids.size, "fit": layout.fit, "by": layout.by}
            center = (layout.places.min(axis=0) + layout.places.max(axis=0)) / 2
            size = float(np.abs(layout.places - center).max()) or 1.0
            scaled = ((layout.places - center) / size).astype(np.float32)
            view = (np.reshape(layout.view, (2, 2)) - center[:, None]) / size
            told |= {"landmarks": layout.landmarks, "view": view.ravel().tolist()}
            return packed(told, layout.ids.astype(np.uint32), scaled)

        return await binary(found)

    @router.get("/map/colors", summary="Get the values that color the rows on the map (Float32, in the order of ids)")
    async def colors(
        by: Annotated[str, Query(max_length=1000, description="target, error, outliers, or column:NAME")] = "target",
    ) -> Any:
        model = service.model

        def found() -> bytes:
            state = pinned(model)
            if by in ("error", "outliers"):
                name, computed = (
                    ("leave-one-out error", workspace.left_out)
                    if by == "error"
                    else ("outlier score", workspace.outliers)
                )
                checked: Any = computed.now()
                if checked is None:
                    return packed({"state": computed.state, "name": name})
                numbers = checked.errors if by == "error" else checked.scores
                return packed({"state": "done", "name": name, "kind": "numeric"} | scale_of(numbers), _floats(numbers))
            told, numbers = column_colors(state, by, service.target)
            return packed({"state": "done"} | told, _floats(numbers))

        return await binary(found)

    return router


def _floats(numbers: AnyArray) -> AnyArray:
    return np.asarray(numbers, np.float32)
