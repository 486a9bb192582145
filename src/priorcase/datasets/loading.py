"""Data sets by name: from the user's folder, from the cache, or from OpenML."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast, overload

from priorcase._typing import AnyArray
from priorcase.datasets.columns import Backend, NamedColumns, check_backend
from priorcase.datasets.description import Description
from priorcase.datasets.errors import bad_manifest
from priorcase.datasets.known import KNOWN
from priorcase.datasets.manifest import MANIFEST, described, read_described, read_fields
from priorcase.datasets.openml import download_into
from priorcase.datasets.places import DATA, Folder, cache_folder, data_folder
from priorcase.datasets.text_table import TextTable
from priorcase.exceptions import ReadingError, nearest, prefix_errors, quoted

__all__ = ["describe", "load", "load_fields", "load_taxonomy"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._()-]*")  # names are folders of the cache, too


@overload
@prefix_errors
def load(
    name: str, *, frame: None = None, folder: Folder | None = None, download: bool = True
) -> tuple[NamedColumns, AnyArray]: ...
@overload
@prefix_errors
def load(name: str, *, frame: Backend, folder: Folder | None = None, download: bool = True) -> tuple[Any, AnyArray]: ...
@prefix_errors
def load(
    name: str, *, frame: Backend | None = None, folder: Folder | None = None, download: bool = True
) -> tuple[Any, AnyArray]:
    """The attributes and the target of a data set, by its name.

    Looked for in this order: the folder, with CSV files and a ``manifest.json`` that says what their columns mean; the
    cache of data sets downloaded before (``PRIORCASE_CACHE``, else the user's cache folder); and OpenML, through
    scikit-learn, from where the table goes to the cache. :func:`available` lists names.

    Parameters
    ----------
    name
        ``"glass"``, for example; any other name is asked for at OpenML as it is.
    frame
        The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: :class:`NamedColumns`,
        which needs none.
    folder
        The folder to look into first; None for that of the environment variable ``PRIORCASE_DATA``.
    download
        Whether OpenML may be asked.

    Returns
    -------
    X, y
        The attributes, of the kinds that the manifest or the header of the ARFF file gives them, without columns that
        only name a case; and the target: floats where it is numeric, else text.

    Raises
    ------
    ReadingError
        There is no such data set in any of the places, or its file is not the one that the manifest describes.

    Examples
    --------
    >>> X, y = load("glass")  # doctest: +SKIP
    >>> len(X), y[:3]  # doctest: +SKIP
    (214, array(['1', '1', '1'], dtype=object))
    """
    if frame is not None:
        check_backend(frame, "frame")
    X, y = read_described(*_found(name, folder, download=download))
    return X if frame is None else X.frame(frame), y


def load_fields(name: str, *, folder: Folder | None = None, download: bool = True) -> TextTable:
    """The same as text, as if its file declared the kinds of its columns: for commands, which read files."""
    return read_fields(*_found(name, folder, download=download))


def describe(name: str, *, folder: Folder | None = None, download: bool = True) -> Description:
    """What is known about a data set: columns, origin, licence, deviations; found as by :func:`load`."""
    return _found(name, folder, download=download)[1]


def load_taxonomy(name: str, attribute: str, *, folder: Folder | None = None, download: bool = True) -> dict[str, Any]:
    """The tree of the values of an attribute, as its file has it: nodes with a name and children.

    Parameters
    ----------
    name
        The name of a data set, found as by :func:`load`; `describe` says which of its attributes have a tree.
    attribute
        One of those.
    folder, download
        As for :func:`load`.

    Examples
    --------
    >>> tree = load_taxonomy("used-cars", "manufacturer")  # doctest: +SKIP
    >>> tree["children"][1]["name"]  # doctest: +SKIP
    'BMW AG'
    """
    place, about = _found(name, folder, download=download)
    if attribute not in about.taxonomies:
        have = ", ".join(map(repr, about.taxonomies))
        remedy = f"Those that have one: {have}." if have else "None of its attributes has one."
        raise ReadingError(
            f"load_taxonomy got the attribute {quoted(attribute)} of {name!r}, which has no taxonomy. {remedy}"
        )
    path = place / about.taxonomies[attribute]
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise bad_manifest(str(place / MANIFEST), f"names {path.name!r}, which is no JSON file") from error
    return cast("dict[str, Any]", tree)


def _found(name: str, folder: Folder | None, *, download: bool) -> tuple[Path, Description]:
    """The folder that holds a data set, and its description."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ReadingError(
            f"got {quoted(name)}; expected the name of a data set: letters, digits, dots, dashes, underscores and "
            "parentheses. available() lists names."
        )
    tried, names = [], [*KNOWN]
    if (own := data_folder(folder)) is None:
        tried.append(f"{DATA} is not set")
    elif name in (sets := described(own)):
        return own, sets[name]
    else:
        tried.append(f"{str(own)!r} does not have it")
        names += sets
    kept = cache_folder() / name
    if not (kept / MANIFEST).is_file():
        tried.append(f"the cache {str(kept.parent)!r} does not have it")
        tried.append((download and download_into(kept, name)) or "OpenML was not to be asked")
    if (kept / MANIFEST).is_file():
        return kept, described(kept)[name]
    remedy = "set PRIORCASE_DATA to a folder of CSV files with a manifest.json that describes them."
    meant = nearest(name, [other for other in names if other != name])
    remedy = f"S{remedy[1:]}" if meant is None else f"Did you mean {meant!r}? Or {remedy}"
    raise ReadingError(f"No data set {quoted(name)}: {'; '.join(tried)}. {remedy}")
