"""Every public result can be drawn, or is listed in the documents as one that cannot."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import priorcase
from priorcase.learning.results import GridsResult, PerQuery

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "plots.md").read_text(encoding="utf-8")
PACKAGES = [name for _, name, is_package in pkgutil.walk_packages(priorcase.__path__, "priorcase.") if is_package]


def results() -> Iterator[type]:
    """Results that a package exports."""
    for package in ("priorcase", *PACKAGES):
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, (GridsResult, PerQuery)):
                yield value


@pytest.mark.parametrize("result", sorted(set(results()), key=lambda result: result.__name__))
def test_a_result_has_a_plot_or_is_listed_as_having_none(result: type) -> None:
    section = PAGE.split("but no `plot()` method:")[1].split("\n## ")[0]
    listed = set(re.findall(r"`(\w+)`", re.sub(r"\(`\w+`\)", "", section)))
    assert hasattr(result, "plot") != (result.__name__ in listed)
