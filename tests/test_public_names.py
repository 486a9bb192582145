"""The public names: all there, none loaded before it is used."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import re
import subprocess
import sys
from typing import Any

import pytest

import priorcase
from priorcase import bayes, cases


def test_every_public_name_is_there() -> None:
    for name in priorcase.__all__:
        assert getattr(priorcase, name) is not None
    assert set(priorcase.__all__) <= set(dir(priorcase))
    assert set(priorcase._HOMES) <= set(priorcase.__all__)


@pytest.mark.parametrize("module", [bayes, cases])
def test_every_name_of_a_lazy_folder_is_there(module: Any) -> None:
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert sorted(module.__all__) == sorted(module._HOMES) == sorted(dir(module))
    with pytest.raises(AttributeError, match=rf"'{module.__name__}' has no attribute 'Spam'"):
        _ = module.Spam


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'KNNClassifer'"):
        _ = priorcase.KNNClassifer


def test_importing_loads_no_heavy_library() -> None:
    code = "import sys, priorcase, priorcase.cli; print([m for m in ('sklearn', 'scipy', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


PACKAGES = """schema instances similarity search neighbors relevance selection bayes bayes.mixture concepts reduction
local local.rbf"""


@pytest.mark.parametrize("package", PACKAGES.split())
def test_every_class_and_function_of_the_learners_has_an_example(package: str) -> None:
    module = importlib.import_module(f"priorcase.{package}")
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            # Results may refer to the public name that makes them, in backticks.
            others = [_found(module, other) for other in re.findall(r"`([\w.]+)`", value.__doc__ or "")]
            parts = [value, *(vars(value).values() if inspect.isclass(value) else ()), *others]
            assert any(">>>" in (getattr(part, "__doc__", None) or "") for part in parts), f"{name} has no example"


def _found(module: Any, name: str) -> Any:
    first, *rest = name.split(".")
    value = getattr(module, first, getattr(priorcase, first, None))
    for part in rest:
        value = getattr(value, part, None)
    return value


ESTIMATORS = [
    getattr(priorcase, name)
    for name in priorcase.__all__
    if inspect.isclass(getattr(priorcase, name)) and hasattr(getattr(priorcase, name), "get_params")
]


def documentation(estimator: type[Any]) -> list[str]:
    """The lines that ``help`` prints about an estimator."""
    return pydoc.plain(pydoc.render_doc(estimator)).splitlines()


# From 3.13 on, pydoc puts each parameter of a long signature on a line of its own, in classes and in methods. Keeping
# the signature of the class on one line would not be enough: 9 estimators would still have more than 120 lines.
HELP_LINES = 120 if sys.version_info < (3, 13) else 150


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_the_help_of_an_estimator_is_short(estimator: type[Any]) -> None:
    assert len(documentation(estimator)) <= HELP_LINES


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_the_help_of_an_estimator_lists_our_methods_and_not_those_of_sklearn(estimator: type[Any]) -> None:
    found = {name: base for base in reversed(estimator.__mro__) for name in vars(base)}
    ours = set()
    for name, base in found.items():
        member = vars(base)[name]
        described = inspect.isroutine(member) and bool(member.__doc__)
        if described and base.__module__.startswith("priorcase") and not re.match(r"_|set_\w+_request", name):
            ours.add(name)
    listed = set(re.findall(r"^ \|  (\w+)\(", "\n".join(documentation(estimator)), re.MULTILINE))
    assert ours - {"get_params", "set_params"} <= listed
    assert not {"get_params", "set_params"} & listed
    assert "score" not in listed or "score" in ours  # `MixtureModel` defines its own
