"""Substitutes for missing data sets of a paper in a quick run.

``python -m papers all --quick`` checks that everything runs. If a data set of an item is not on this machine, the item
uses built-in tables and tables of scikit-learn instead. The titles, notes and pictures of the item then say so, and the
published figures are omitted.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papers.reproduction import FigureTable, Part, Picture
from priorcase._typing import AnyArray
from priorcase.datasets import NamedColumns, available, load
from priorcase.schema import Kind, Numeric, Ordinal

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

STAND_INS = {
    "voting": "loans",
    "primary-tumor": "penguins",
    "heart-cleveland": "loans",
    "heart-hungarian": "loans",
    "australian-credit": "loans",
    "breast-cancer": "repairs",
    "diabetes-pima": "scikit-learn's breast_cancer",
    "glass": "scikit-learn's wine",
    "heart-statlog": "penguins",
    "hepatitis": "repairs",
    "iris": "scikit-learn's iris",
    "lymphography": "repairs",
    "promoters": "repairs",
    "splice": "penguins",
}
"""Substitute for each data set, with enough rows for the experiments."""

CLASSES = {"splice": {"Adelie": "N", "Chinstrap": "EI", "Gentoo": "IE"}}
"""Classes that an experiment uses by name."""


def not_at_hand(needs: Mapping[str, str], folder: Path | None) -> bool:
    """Return whether any of the data sets is neither in the folder nor in the cache."""
    return not set(needs.values()) <= available(folder=folder).descriptions.keys()


@contextmanager
def folder_of(needs: Mapping[str, str]) -> Iterator[Path]:
    """Create a temporary folder with a substitute under the name of each data set."""
    with tempfile.TemporaryDirectory() as place:
        entries = [_write(Path(place), name) for name in sorted({*needs.values()})]
        (Path(place) / "manifest.json").write_text(json.dumps({"datasets": entries}), encoding="utf-8")
        yield Path(place)


def declared(part: Part, needs: Mapping[str, str]) -> Part:
    """Mark a part as measured on substitutes and remove the printed figures."""
    used = {title: STAND_INS[name] for title, name in needs.items()}
    pairs = ", ".join(f"{stand_in} for {title}" for title, stand_in in used.items())
    note = (
        f"NOT THE PAPER'S DATA. The data sets of the paper are not on this machine, so this quick run uses other "
        f"tables instead: {pairs}. This run only shows that the experiment works. Do not compare its figures with the "
        "published ones."
    )
    if any(name in CLASSES for name in needs.values()):
        note += " The classes of the substitute have the names of the classes of the data set."
    tables = tuple(_without_printed(table, used) for table in part.tables)
    pictures = tuple(_captioned(picture, f"Not the paper's data, but {pairs}") for picture in part.pictures)
    return replace(part, tables=tables, pictures=pictures, notes=(note,))


def _without_printed(table: FigureTable, used: Mapping[str, str]) -> FigureTable:
    """Return a table with only our figures, with the names of the substitutes in its rows."""
    kept = [at for at, name in enumerate(table.columns) if any(row[at].ours is not None for row in table.rows.values())]
    rows = {
        _renamed(row, used): tuple(replace(figures[at], theirs=None) for at in kept)
        for row, figures in table.rows.items()
    }
    columns = tuple(table.columns[at] for at in kept)
    title = f"{_renamed(table.title, used)} (not the paper's data)"
    return replace(table, title=title, columns=columns, rows=rows, remarks={})


def _renamed(text: str, used: Mapping[str, str]) -> str:
    """Add the name of the substitute to a text that begins with the title of a data set."""
    for title, stand_in in used.items():
        if text == title or text.startswith((f"{title},", f"{title}:")):
            return f"{stand_in} for {text}"
    return text


def _captioned(picture: Picture, words: str) -> Picture:
    draw: Callable[[Canvas], None] = picture.draw

    def draw_with_title(figure: Canvas) -> None:
        draw(figure)
        figure.suptitle(words, fontsize="small")

    columns = dict(picture.columns)
    if "data_set" in columns:
        columns["data_set"] = [STAND_INS[name] for name in columns["data_set"]]
    return replace(picture, caption=f"{words}. {picture.caption}", columns=columns, draw=draw_with_title)


def _write(folder: Path, name: str) -> dict[str, Any]:
    """Write the substitute for a data set as CSV and return its entry in the manifest."""
    X, y = _table(STAND_INS[name])
    names = CLASSES.get(name, {})
    with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*X.kinds, "target"])
        columns = [
            ["" if value is None or value != value else value for value in X.data[label].tolist()] for label in X
        ]
        writer.writerows(zip(*columns, [names.get(label, label) for label in y.tolist()], strict=True))
    return {
        "name": name,
        "file": f"{name}.csv",
        "rows": len(X),
        "target": {"name": "target", "kind": "nominal"},
        "attributes": [{"name": label, **_described(kind)} for label, kind in X.kinds.items()],
    }


def _described(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, Ordinal):
        return {"kind": "ordinal", "order": list(kind.order)}
    return {"kind": "numeric" if isinstance(kind, Numeric) else "nominal"}


def _table(source: str) -> tuple[NamedColumns, AnyArray]:
    """Load a built-in table or a table of scikit-learn."""
    if not source.startswith("scikit-learn's "):
        return load(source, frame=None)
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{source.split()[1]}")()
    kinds: dict[str, Kind] = {str(label): Numeric() for label in bunch.feature_names}
    data = dict(zip(kinds, bunch.data.T, strict=True))
    return NamedColumns.of(data, kinds), np.asarray(bunch.target_names, dtype=object)[bunch.target]
