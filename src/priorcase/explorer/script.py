"""Python code equivalent to the page: read the same table, fit the same learner and predict the same case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from inspect import Parameter, signature
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from sklearn.base import is_classifier

import priorcase as pc
from priorcase.documents import plain
from priorcase.exceptions import NotAvailableError
from priorcase.explorer.workspace import Opened, Workspace
from priorcase.learning.results import attribute_names
from priorcase.learning.state import pinned
from priorcase.schema import Set


def script_of(workspace: Workspace, case: Mapping[str, Any]) -> str:
    """Return Python code that predicts a case as the page does."""
    opened, served = workspace.opened, workspace.served
    if served is None:
        raise NotAvailableError("Nothing is open yet.")
    if opened.kind == "cases":
        return _case_base(opened, case)
    model, writer = pinned(served), _Writer()
    lines = _loading(opened) if opened.kind == "model" else [*_reading(opened), *_fitting(opened, model, writer)]
    names = [str(name) for name in attribute_names(model.schema_)]
    given = {name: value for name, value in case.items() if name in names and value is not None}
    sets = {str(n) for n, kind in zip(names, model.schema_.kinds, strict=True) if isinstance(kind, Set)}
    lines += ["", *_mapping("case", {name: frozenset(v) if name in sets else v for name, v in given.items()})]
    columns = "X.columns" if opened.kind == "table" else _listing(names)
    lines += [f"row = [case.get(name) for name in {columns}]", "print(model.predict([row])[0])"]
    if is_classifier(model):
        lines.append("print(dict(zip(model.classes_, model.predict_proba([row])[0])))")
    elif hasattr(model, "predict_interval"):
        lines.append("print(model.predict_interval([row])[0])")
    lines.append("print(pc.explain(model, [row]))")
    return "\n".join([*writer.imports(), *lines, ""])


def _file(opened: Opened) -> str:
    """Return the path of the open file; for an uploaded file, its original name."""
    path = opened.path or opened.name
    return path if FilePath(path).name == opened.name else opened.name


def _loading(opened: Opened) -> list[str]:
    return [f"model = pc.load({_file(opened)!r})"]


def _case_base(opened: Opened, case: Mapping[str, Any]) -> str:
    lines = ["import priorcase as pc", "", f"base = pc.CaseBase.open({_file(opened)!r}, readonly=True)"]
    lines += _mapping("case", dict(case))
    lines += ["found = base.retrieve(case, k=5)", "print(found)", "print(base.reuse(found))"]
    return "\n".join([*lines, ""])


# -- the table


def _reading(opened: Opened) -> list[str]:
    """Return code lines that read the open table into X and y."""
    from priorcase.datasets import available

    past, reading = opened.past, opened.reading
    if past is None or reading is None:
        raise NotAvailableError("No table is open.")
    target = past.target
    name = opened.path or opened.name
    if name in available() and not FilePath(name).exists():
        lines = ["from priorcase.datasets.catalog import load_frame", ""]
        lines.append(f"table = load_frame({name!r}, {_listing(dict(reading.columns))})")
    else:
        options = {**reading.options} | ({"schema": dict(reading.columns)} if reading.columns else {})
        given = "".join(f", {key}={value!r}" for key, value in options.items())
        lines = [f"table = pc.datasets.read_table({_file(opened)!r}{given})"]
    if opened.set_aside:
        lines.append(f"table = table[table[{target!r}].notna()]")
    lines.append(f"X, y = table.drop(columns={_listing([target, *past.left_out])}), table[{target!r}]")
    if past.task == "classify" and _is_numeric(opened, target):
        lines.append('y = y.map("{:g}".format)  # classes are strings')
    elif past.task == "classify":
        lines.append("y = y.astype(str)")
    return lines


def _is_numeric(opened: Opened, target: str) -> bool:
    return opened.frame is not None and opened.frame[target].dtype.kind in "iuf"


# -- the learner


def _fitting(opened: Opened, model: Any, writer: _Writer) -> list[str]:
    """Return code lines that fit the learner, and then add and forget the rows that the user added and forgot."""
    past = opened.past
    assert past is not None
    lines = ["", f"model = {writer.expression(model)}", "model.fit(X, y)"]
    ids, n = np.asarray(model.ids_), len(past.y)
    forgotten = np.setdiff1d(np.arange(n), ids).tolist()
    added = np.flatnonzero(ids >= n)
    if added.size:
        instances = model._stored().instances
        cells = np.asarray(instances.target())[added]
        targets = [instances.target_values()[int(c)] for c in cells] if is_classifier(model) else cells.tolist()
        rows = [list(row) for row in instances.decode(added)]
        lines += _rows("rows", [[_literal(cell) for cell in row] for row in rows])
        lines.append(f"model.partial_fit(rows, {_listing(list(map(plain, targets)))})")
    if forgotten:
        lines.append(f"model.forget({_listing(forgotten)})")
    return lines


class _Writer:
    """Writes Python expressions for estimators and other objects, and collects the imports that they need."""

    def __init__(self) -> None:
        self._imports: set[tuple[str, str]] = set()

    def imports(self) -> list[str]:
        """Return the import lines."""
        others = [f"from {module} import {name}" for module, name in sorted(self._imports)]
        return ["import priorcase as pc", *others, ""]

    def expression(self, value: Any) -> str:
        """Return a Python expression that creates the value; parameters with default values are omitted."""
        cls = type(value)
        if hasattr(value, "get_params"):
            given = value.get_params(deep=False)
        elif is_dataclass(value):
            given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        elif isinstance(value, list | tuple):
            inner = ", ".join(map(self.expression, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
        elif isinstance(value, Mapping):
            return f"{{{', '.join(f'{self.expression(k)}: {self.expression(v)}' for k, v in value.items())}}}"
        else:
            return _literal(value)
        defaults = signature(cls.__init__).parameters
        words = []
        for name, own in given.items():
            default = defaults[name].default if name in defaults else Parameter.empty
            if default is Parameter.empty or repr(own) != repr(default):
                words.append(f"{name}={self.expression(own)}")
        return f"{self._name(cls)}({', '.join(words)})"

    def _name(self, cls: type) -> str:
        if getattr(pc, cls.__name__, None) is cls:
            return f"pc.{cls.__name__}"
        public = cls.__module__.split("._")[0]  # scikit-learn's classes are in private modules of public packages
        self._imports.add((public, cls.__name__))
        return cls.__name__


def _literal(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if hasattr(value, "isoformat"):
        value = value.isoformat()
    return "None" if isinstance(value, float) and value != value else repr(value)


def _listing(values: Any) -> str:
    return repr(list(values)) if not isinstance(values, Mapping) else repr(dict(values))


def _mapping(name: str, values: Mapping[str, Any]) -> list[str]:
    if not values:
        return [f"{name} = {{}}"]
    return [f"{name} = {{", *(f"    {key!r}: {_literal(value)}," for key, value in values.items()), "}"]


def _rows(name: str, rows: list[list[str]]) -> list[str]:
    return [f"{name} = [", *(f"    [{', '.join(row)}]," for row in rows), "]"]
