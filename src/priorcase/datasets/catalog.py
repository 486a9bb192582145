"""Load data sets by name: from a folder with a ``manifest.json``, the built-in tables, the cache, or OpenML."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path, PureWindowsPath
from typing import Any, Literal, TypeAlias, cast, overload

import numpy as np

from priorcase._grids import Grid, GridResult, TextResult
from priorcase._typing import AnyArray
from priorcase.datasets.budget import CELL, MAX_BYTES
from priorcase.datasets.builtin import TABLES, read_builtin
from priorcase.datasets.columns import Backend, NamedColumns, check_backend
from priorcase.datasets.delimited import decoded, read_delimited
from priorcase.datasets.files import contents
from priorcase.datasets.reading import check_column, declared_by, frame_of, meaning_of, place_of
from priorcase.datasets.values import Conventions
from priorcase.exceptions import ReadingError, nearest, prefix_errors, quoted, visible
from priorcase.schema import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.columns import Column
from priorcase.schema.schema import open_source

Folder: TypeAlias = str | os.PathLike[str]
Place: TypeAlias = Literal["folder", "built-in", "cache", "OpenML"]

MANIFEST = "manifest.json"
DATA = "PRIORCASE_DATA"
"""Environment variable that names a folder of CSV files with a manifest.json."""
CACHE = "PRIORCASE_CACHE"
"""Environment variable that names the folder for downloaded data sets."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._()-]*")  # names are folders of the cache, too
_NUMBERS = ("rows", "attributes")
_PATIENCE = 30.0  # timeout of network requests, in seconds
_MANIFEST_HINT = (
    "expected JSON with 'datasets', a list of entries with 'name', 'file', 'rows', 'target' and 'attributes'. Copy the "
    "manifest again, or remove it."
)
_COPY_HINT = "The file is damaged or has changed. Copy or download the file again."

# -- public functions


@overload
@prefix_errors
def load(
    name: str, *, frame: None, folder: Folder | None = None, download: bool = True
) -> tuple[NamedColumns, AnyArray]: ...
@overload
@prefix_errors
def load(
    name: str, *, frame: Backend = "pandas", folder: Folder | None = None, download: bool = True
) -> tuple[Any, AnyArray]: ...
@prefix_errors
def load(
    name: str, *, frame: Backend | None = "pandas", folder: Folder | None = None, download: bool = True
) -> tuple[Any, AnyArray]:
    """Load the attributes and the target of a data set by its name.

    `load` first searches ``folder``, which contains CSV files and a ``manifest.json`` that describes their columns. It
    then searches the built-in tables, the cache of downloaded data sets, and OpenML (through scikit-learn). Downloads
    are saved to the cache. The environment variable ``PRIORCASE_CACHE`` sets the folder of the cache; the default is a
    folder in the user's cache. :func:`available` lists the names of the data sets.

    Parameters
    ----------
    name
        Name of the data set, such as ``"penguins"``; a name that is not found locally is looked up at OpenML.
    frame
        The library of the returned frame: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None returns `NamedColumns`,
        which keep the kinds of the columns.
    folder
        The folder to search first; None for the folder set by the environment variable ``PRIORCASE_DATA``.
    download
        Whether to download from OpenML.

    Returns
    -------
    X, y
        The attributes without id columns, and the target. A numeric target is an array of floats; other targets are
        arrays of strings.

    Raises
    ------
    ReadingError
        The data set was not found, or its file does not match the manifest.

    Examples
    --------
    >>> X, y = load("penguins")
    >>> X.shape, y[:2]
    ((344, 7), array(['Adelie', 'Adelie'], dtype=object))
    >>> X, y = load("glass")  # doctest: +SKIP
    """
    if frame is not None:
        check_backend(frame, "frame")
    place, about = _found(name, folder, download=download)
    if place == _PACKAGE:
        X, y = read_builtin(name)
    else:
        table = _read_frame(place, about)
        X = NamedColumns.of({label: _values(table[label], kind) for label, kind in about.kinds.items()}, about.kinds)
        y = _values(table[about.target], about.target_kind)
    return X if frame is None else X.frame(frame), y


def load_frame(name: str, schema: Mapping[str, Any]) -> Any:
    """Load a data set as a single pandas frame, as returned by `read_table`; ``schema`` overrides some kinds."""
    return _read_frame(*_found(name, None, download=True), schema)


def _values(column: Any, kind: Kind) -> AnyArray:
    """Convert a pandas column to floats (NaN if missing) or objects (None if missing)."""
    if isinstance(kind, Numeric):
        return np.asarray(column.to_numpy(np.float64))
    return np.asarray(column.astype(object).where(column.notna(), None), dtype=object)


@prefix_errors
def describe(name: str, *, folder: Folder | None = None, download: bool = True) -> Description:
    """Return the description of a data set: columns, origin, license and deviations from the original.

    `describe` searches in the same places as :func:`load`.
    """
    return _found(name, folder, download=download)[1]


@prefix_errors
def load_taxonomy(name: str, attribute: str, *, folder: Folder | None = None, download: bool = True) -> dict[str, Any]:
    """Return the taxonomy of an attribute's values, as a tree of nodes with a name and children.

    The function searches in the same places as :func:`load`. The attributes that have a taxonomy are the keys of
    ``describe(name).taxonomies``.

    Examples
    --------
    >>> tree = load_taxonomy("used-cars", "manufacturer")  # doctest: +SKIP
    >>> tree["children"][1]["name"]  # doctest: +SKIP
    'BMW AG'
    """
    place, about = _found(name, folder, download=download)
    if attribute not in about.taxonomies:
        have = ", ".join(map(repr, about.taxonomies))
        remedy = f"Attributes with a taxonomy: {have}." if have else "The data set has no attribute with a taxonomy."
        raise ReadingError(f"attribute {quoted(attribute)} of {name!r} has no taxonomy. {remedy}")
    path = _beside(place, about.taxonomies[attribute])
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReadingError(
            f"{place / MANIFEST} names {path.name!r}, which is not a JSON file. Copy that file again."
        ) from error
    return cast("dict[str, Any]", tree)


@prefix_errors
def available(*, folder: Folder | None = None) -> Available:
    """List the data sets that :func:`load` can load by name: in the folder, built in, in the cache, and at OpenML.

    The list contains only a selection of the data sets at OpenML; `load` finds every data set at OpenML. Nothing is
    downloaded. ``folder`` is the folder to search first; None for the folder set by the environment variable
    ``PRIORCASE_DATA``.

    Examples
    --------
    >>> "glass" in available()
    True
    """
    places: dict[str, Place] = {}
    descriptions: dict[str, Description] = {}
    if (own := _data_folder(folder)) is not None:
        descriptions.update(_described(own))
        places.update(dict.fromkeys(descriptions, "folder"))
    for name, about in BUILT_IN.items():
        if name not in places:
            places[name], descriptions[name] = "built-in", about
    for manifest in sorted(cache_folder().glob(f"[!.]*/{MANIFEST}")):
        for name, about in _described(manifest.parent).items():
            if name not in places:
                places[name], descriptions[name] = "cache", about
    for name in KNOWN:
        places.setdefault(name, "OpenML")
    return Available(places, descriptions)


@dataclass(frozen=True, repr=False)
class Available(GridResult):
    """Names and descriptions of data sets, printed as a table.

    ``places`` maps each name to the place from which the data set is read: the user's folder, the package, the cache,
    or OpenML. ``descriptions`` maps the names of the data sets that are on this machine to their descriptions.
    """

    places: dict[str, Place]
    descriptions: dict[str, Description]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def frame(self, backend: Backend | None = None) -> Any:
        """Return the table as a ``"pandas"`` (the default), ``"polars"`` or ``"pyarrow"`` frame."""
        columns = self._columns()
        kinds = {name: Numeric() if name in _NUMBERS else Nominal() for name in columns}
        return NamedColumns.of(columns, kinds).frame(backend)

    def _grid(self) -> Grid:
        columns = self._columns()
        lines = [["" if value is None else str(value) for value in row] for row in zip(*columns.values(), strict=True)]
        return Grid("", list(columns), lines, right=[a for a, name in enumerate(columns) if name in _NUMBERS])

    def _columns(self) -> dict[str, list[Any]]:
        known = [self.descriptions.get(name) for name in self.places]
        return {
            "name": list(self.places),
            "rows": [about and about.rows for about in known],
            "attributes": [about and len(about.kinds) for about in known],
            "target": [about and about.target for about in known],
            "where": list(self.places.values()),
        }


# -- a folder of data sets: CSV files, and a ``manifest.json`` that describes their columns


@dataclass(frozen=True, repr=False)
class Description(TextResult):
    """Description of a data set, usually from a ``manifest.json``: columns, origin and license.

    ``id_columns`` lists the columns that identify a case and are not attributes. ``deviations`` lists differences from
    the original data, or from the description of the data in papers. ``taxonomies`` maps the attributes that have a
    taxonomy to the files of the taxonomies. ``size`` (in bytes) and ``sha256`` refer to the uncompressed file.
    """

    name: str
    file: str
    rows: int
    kinds: Mapping[str, Kind]
    target: str
    target_kind: Kind
    id_columns: tuple[str, ...] = ()
    origin: str = ""
    license: str = ""
    citation: str = ""
    deviations: tuple[str, ...] = ()
    taxonomies: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None
    sha256: str | None = None

    @classmethod
    def of(cls, entry: Any, path: str) -> Description:
        """Create a description from an entry of the manifest at ``path``."""
        try:
            target = entry["target"]
            return cls(
                name=str(entry["name"]),
                file=str(entry["file"]),
                rows=int(entry["rows"]),
                kinds={str(attribute["name"]): _manifest_kind(attribute) for attribute in entry["attributes"]},
                target=str(target["name"]),
                target_kind=Numeric() if target["kind"] == "numeric" else Nominal(),
                id_columns=tuple(entry.get("id_columns", ())),
                origin=str(entry.get("origin", {}).get("name", "")),
                license=str(entry.get("licence", "")),
                citation=str(entry.get("citation", "")),
                deviations=tuple(entry.get("deviations", ())),
                taxonomies={str(name): str(file) for name, file in entry.get("taxonomies", {}).items()},
                size=None if (size := entry.get("bytes_uncompressed")) is None else int(size),
                sha256=entry.get("sha256"),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            about = repr(entry["name"]) if isinstance(entry, Mapping) and "name" in entry else "an entry"
            raise ReadingError(f"{path} does not describe {about} completely ({error!r}); {_MANIFEST_HINT}") from error

    def __repr__(self) -> str:
        counts = dict.fromkeys(("numeric", "circular", "date", "ordinal", "nominal", "text"), 0)
        for kind in self.kinds.values():
            counts[type(kind).__name__.lower()] += 1
        texts = (("origin", self.origin), ("license", self.license), ("cite", self.citation))
        return "\n".join(
            [
                f"{visible(self.name)}: {self.rows:,} rows, {len(self.kinds)} attributes, target {self.target!r}",
                "   attributes: " + ", ".join(f"{count} {word}" for word, count in counts.items() if count),
                *(f"   {label}: {visible(text)}" for label, text in texts if text),
                *(f"   note: {visible(text)}" for text in self.deviations),
            ]
        )


_PACKAGE = Path(str(files("priorcase.datasets")))
_OWN: dict[str, Any] = {"origin": "generated for this library", "license": "BSD-3-Clause, the license of priorcase"}


def _built_in(name: str, rows: int, *, numeric_target: bool = False, **about: Any) -> Description:
    kinds, target = TABLES[name]
    target_kind = Numeric() if numeric_target else Nominal()
    return Description(name, f"{name}.csv", rows, kinds, target, target_kind, **about)


BUILT_IN = {
    "repairs": _built_in("repairs", 96, **_OWN),
    "penguins": _built_in(
        "penguins",
        344,
        origin="Palmer Station, Antarctica, Long Term Ecological Research program",
        license="CC0 1.0",
        citation="K. B. Gorman, T. D. Williams and W. R. Fraser (2014). Ecological sexual dimorphism and environmental "
        "variability within a community of Antarctic penguins (genus Pygoscelis). PLoS ONE 9(3): e90081.",
    ),
    "loans": _built_in("loans", 600, **_OWN, deviations=("Twelve outcomes are recorded wrongly; see load_loans.",)),
    "flats": _built_in("flats", 400, numeric_target=True, **_OWN),
}
"""Descriptions of the built-in tables, by name."""


def _manifest_kind(attribute: Mapping[str, Any]) -> Kind:
    if attribute["kind"] == "numeric":
        return Numeric()
    if attribute["kind"] == "ordinal":
        return Ordinal(tuple(map(str, attribute["order"] if "order" in attribute else attribute["values"])))
    if attribute["kind"] != "nominal":
        raise ValueError(f"kind {attribute['kind']!r}")
    return Nominal()


def _described(folder: Path) -> dict[str, Description]:
    """Return the descriptions of the data sets in the manifest of a folder, by name."""
    path = folder / MANIFEST
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["datasets"]
        found = [Description.of(entry, str(path)) for entry in entries]
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ReadingError(f"{path} is not a manifest ({type(error).__name__}); {_MANIFEST_HINT}") from error
    return {description.name: description for description in found}


def _beside(folder: Path, file: str) -> Path:
    """Return the path of a file named by a manifest; the file must be inside the folder of the manifest."""
    inside = PureWindowsPath(file)  # handles slashes, backslashes and drive letters
    if inside.anchor or ".." in inside.parts:
        raise ReadingError(
            f"{folder / MANIFEST} names the file {quoted(file)}, which is outside the folder of the manifest. Move the "
            "file into this folder."
        )
    return folder / file


def _read_frame(folder: Path, about: Description, schema: Mapping[str, Any] | None = None) -> Any:
    """Read a data set and check its file against the description; only empty fields are missing values."""
    path = _beside(folder, about.file)
    if not path.is_file():
        raise ReadingError(f"{folder / MANIFEST} describes {about.file!r}, which does not exist. Copy that file again.")
    budget, content = contents(path, max_bytes=max(MAX_BYTES, CELL * (about.size or 0)))
    source = budget.source
    if about.size is not None and len(content) != about.size:
        raise ReadingError(
            f"{source} has {len(content)} bytes after decompression, but {MANIFEST} says {about.size}. {_COPY_HINT}"
        )
    if about.sha256 is not None and (checksum := hashlib.sha256(content).hexdigest()) != about.sha256:
        raise ReadingError(f"{source} has the checksum {checksum}; {MANIFEST} says {about.sha256}. {_COPY_HINT}")
    raw = read_delimited(decoded(content, source, "utf-8")[0], budget, delimiter=",", header=True)
    if raw.rows != about.rows:
        raise ReadingError(f"{source} has {raw.rows} rows; {MANIFEST} says {about.rows}. {_COPY_HINT}")
    kinds = {**about.kinds, about.target: about.target_kind}
    for name in kinds:
        check_column(source, name, list(raw.columns))
    meanings = {name: meaning_of(kind, name) for name, kind in kinds.items()}
    kept = {name: column for name, column in raw.columns.items() if name in kinds}
    raw = raw._replace(source=about.name, columns=kept, declared=meanings, target=about.target)
    declared = declared_by(raw, schema or {}, lenient=True)
    table = frame_of(raw, "csv", declared, Conventions(missing=("",), decimal=".", thousands=""))
    table.attrs.pop("understood")  # already in the description
    if about.target in table and (gaps := np.flatnonzero(table[about.target].isna())).size:
        raise ReadingError(
            f"{source} {place_of(table.attrs, int(gaps[0]))} has no value in the target column {about.target!r}; "
            "expected a value in every past case. Remove the row, or move it to the table of new cases."
        )
    return table


# -- where data sets are


def _data_folder(folder: Folder | None = None) -> Path | None:
    """Return the given folder or the folder set by ``PRIORCASE_DATA``; None if neither is given."""
    said = "folder" if folder is not None else DATA
    folder = folder if folder is not None else os.environ.get(DATA) or None
    if folder is None:
        return None
    path = Path(folder)
    if not (path / MANIFEST).is_file():
        problem = f"{said} is {os.fspath(folder)!r}, which is not a folder with a {MANIFEST}"
        raise ReadingError(f"{problem}. Pass the folder that contains the CSV files and their {MANIFEST}.")
    return path


def cache_folder() -> Path:
    """Return the folder for downloaded data sets: ``PRIORCASE_CACHE``, or a default; the folder may not exist yet."""
    if told := os.environ.get(CACHE):
        return Path(told)
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "priorcase"


def _found(name: str, folder: Folder | None, *, download: bool) -> tuple[Path, Description]:
    """Return the folder and the description of a data set, which is downloaded if necessary."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        expected = "the name of a data set, with only letters, digits, dots, dashes, underscores and parentheses"
        raise ReadingError(f"got {quoted(name)}; expected {expected}. available() lists the names.")
    tried, names, failed = [], [*BUILT_IN, *KNOWN], None
    if (own := _data_folder(folder)) is None:
        tried.append(f"{DATA} is not set")
    elif name in (sets := _described(own)):
        return own, sets[name]
    else:
        tried.append(f"{str(own)!r} does not contain this data set")
        names += sets
    if name in BUILT_IN:
        return _PACKAGE, BUILT_IN[name]
    kept = cache_folder() / name
    if not (kept / MANIFEST).is_file():
        tried.append(f"the cache {str(kept.parent)!r} does not contain this data set")
        failed = _download(kept, name) if download else "downloading from OpenML was disabled"
    if (kept / MANIFEST).is_file():
        return kept, _described(kept)[name]
    remedy = "set PRIORCASE_DATA to a folder of CSV files with a manifest.json that describes them."
    if name in KNOWN and download:
        problem = f"{failed}, and {quoted(name)} is not on this machine: {'; '.join(tried)}"
        raise ReadingError(f"{problem}. Try again later, or {remedy}")
    tried.append(str(failed))
    meant = nearest(name, [other for other in names if other != name])
    remedy = f"S{remedy[1:]}" if meant is None else f"Did you mean {meant!r}? Or {remedy}"
    raise ReadingError(f"No data set {quoted(name)}: {'; '.join(tried)}. {remedy}")


# -- OpenML, through scikit-learn


@dataclass(frozen=True)
class Known:
    """A data set at OpenML: its id, and information that its ARFF header lacks."""

    number: int
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)  # levels of ordinal columns, lowest first
    nominal: Sequence[str] = ()  # columns whose numbers are codes
    ids: Sequence[str] = ()  # columns that identify a case
    notes: Sequence[str] = ()  # confirmed differences from the original data


_OPENML = json.loads(files("priorcase.datasets").joinpath("openml.json").read_text(encoding="utf-8"))
KNOWN = {name: Known(**entry) for name, entry in _OPENML.items()}
"""A selection of data sets at OpenML, by their names in this library."""


def _download(folder: Path, name: str) -> str | None:
    """Download a data set into a folder; return an error message, or None on success."""
    try:
        bunch = _fetched(name)
    except OSError as error:
        return f"OpenML cannot be reached ({getattr(error, 'reason', None) or error})"
    except ValueError as error:
        return f"OpenML did not return this data set ({(str(error).splitlines() or ['no reason'])[0].rstrip('.')})"
    targets = list(bunch.target_names or ())
    if len(targets) != 1:
        return f"OpenML has {len(targets)} targets for this data set; expected one"
    known = KNOWN.get(name, Known(0))
    table = {label: column for label, column in _bunch_table(bunch).items() if label not in known.ids}
    kinds = {label: _known_kind(*column, label, known) for label, column in table.items() if label != targets[0]}
    details = bunch.details
    title, number, version = (details.get(key, "?") for key in ("name", "id", "version"))
    about = {
        "origin": {"name": f"OpenML data set {number}: {title}, version {version}"},
        "licence": str(details.get("licence") or "not stated"),
        "citation": " ".join(str(details.get("citation") or "").split()),
        "deviations": list(known.notes),
    }
    _keep(folder, name, table, kinds, targets[0], about=about)
    return None


def _fetched(name: str) -> Any:
    from sklearn.datasets import fetch_openml

    # "auto" returns a frame, except for sparse files, which become codes and categories. `_keep` caches the result.
    how = {"as_frame": "auto", "parser": "liac-arff", "cache": False, "n_retries": 1}
    default = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_PATIENCE if default is None else default)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="A network error occurred"
            )  # the error contains it, if it persists
            return fetch_openml(data_id=KNOWN[name].number, **how) if name in KNOWN else fetch_openml(name, **how)
    finally:
        socket.setdefaulttimeout(default)


_Text: TypeAlias = tuple[Kind, Sequence[str | None]]
"""The kind of a column, and its values as strings, with None for missing values."""


def _bunch_table(bunch: Any) -> dict[str, _Text]:
    """Return the columns of an OpenML download as strings, with kinds from the ARFF header."""
    (target,) = bunch.target_names
    if bunch.frame is not None:
        return _texts(bunch.frame[[*bunch.feature_names, target]])
    columns: dict[str, Any] = {}
    kinds: dict[str, Kind] = {}
    cells = np.asarray(bunch.data.toarray() if hasattr(bunch.data, "toarray") else bunch.data)
    for name, column in zip(bunch.feature_names, cells.T, strict=True):
        values = bunch.categories.get(name)
        kinds[name] = Numeric() if values is None else Nominal()
        columns[name] = column if values is None else [None if np.isnan(c) else values[int(c)] for c in column]
    numeric = bunch.target.dtype.kind == "f"
    kinds[target], columns[target] = Numeric() if numeric else Nominal(), bunch.target
    return _texts(NamedColumns.of(columns, kinds))


def _texts(frame: Any) -> dict[str, _Text]:
    opened = open_source(frame)
    return {str(opened.label(at)): _as_text(column) for at, column in enumerate(opened.columns)}


def _as_text(column: Column) -> _Text:
    kind = column.kind()
    if isinstance(kind, Numeric):
        return kind, [_shortest(number) for number in column.numbers().tolist()]
    coded = column.coded()
    words = [*map(str, coded.values), None]
    return kind, [words[code] for code in coded.codes.tolist()]


def _shortest(number: float) -> str | None:
    """Return the shortest string that is parsed as the same number; None for NaN."""
    if number != number:
        return None
    return str(int(number)) if number.is_integer() and abs(number) < 2.0**53 else repr(number)


def _known_kind(kind: Kind, fields: Sequence[str | None], name: str, known: Known) -> Kind:
    """Return the kind of a column according to ``known``, or the kind in the ARFF header if ``known`` has none."""
    order = known.orders.get(name)
    if order is not None and {*fields} <= {None, *order}:
        return Ordinal(tuple(order))
    return Numeric() if isinstance(kind, Numeric) and name not in known.nominal else Nominal()


def _keep(
    folder: Path,
    name: str,
    table: Mapping[str, _Text],
    kinds: Mapping[str, Kind],
    target: str,
    *,
    about: Mapping[str, Any],
) -> None:
    """Write a table and its manifest to a new folder of the cache; if the folder exists, it is not changed."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    rows = list(zip(*(fields for _, fields in table.values()), strict=True))
    writer.writerows(["" if field is None else field for field in row] for row in rows)
    content = text.getvalue().encode()
    entry = {
        "name": name,
        "file": f"{name}.csv.gz",
        "rows": len(rows),
        "target": {"name": target, "kind": "numeric" if isinstance(table[target][0], Numeric) else "nominal"},
        "attributes": [
            {"name": label, "kind": "ordinal", "order": list(kind.order)}
            if isinstance(kind, Ordinal)
            else {"name": label, "kind": "numeric" if isinstance(kind, Numeric) else "nominal"}
            for label, kind in kinds.items()
        ],
        "bytes_uncompressed": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        **about,
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
        try:
            (draft / entry["file"]).write_bytes(gzip.compress(content, mtime=0))
            (draft / MANIFEST).write_text(json.dumps({"datasets": [entry]}, indent=1), encoding="utf-8")
            draft.chmod(0o755)
            os.replace(draft, folder)  # other processes see either the complete folder or no folder
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        if not (folder / MANIFEST).is_file():  # otherwise, another process has already stored it
            reason = f"cannot be stored in {str(folder)!r}: {error.strerror or str(error)}"
            raise ReadingError(
                f"The data set was downloaded but {reason}. Set {CACHE} to a writable folder."
            ) from error
