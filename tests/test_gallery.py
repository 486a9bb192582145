"""The examples of the gallery run without warnings, draw something, and are written as sphinx-gallery reads them."""

from __future__ import annotations

import re
import runpy
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")

FOLDER = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(FOLDER.rglob("plot_*.py"))
# Those of more than a second, which the site runs too.
SLOW = {
    "attribute_weights",
    "calibration",
    "conformal",
    "conversation",
    "critical_difference",
    "drift",
    "forgetting",
    "learning_curve",
    "mislabeled",
    "missing_values",
    "noise",
    "partial_dependence",
    "relevance",
    "stacking",
    "which_learner",
}


def named(script: Path) -> object:
    name = script.relative_to(FOLDER).with_suffix("").as_posix()
    return pytest.param(script, id=name, marks=[pytest.mark.slow] if script.stem.removeprefix("plot_") in SLOW else [])


@pytest.fixture(autouse=True)
def closed_figures(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pyplot.switch_backend("Agg")
    monkeypatch.setattr(pyplot, "show", lambda: None)  # Agg has no window, and warns
    pyplot.close("all")
    yield
    pyplot.close("all")


def test_the_gallery_is_complete() -> None:
    assert len(SCRIPTS) >= 20
    assert {script.stem.removeprefix("plot_") for script in SCRIPTS} >= SLOW
    assert len({script.stem for script in SCRIPTS}) == len(SCRIPTS)
    for folder in {script.parent for script in SCRIPTS}:
        assert (folder / "GALLERY_HEADER.rst").is_file(), folder


@pytest.mark.parametrize("script", [named(script) for script in SCRIPTS])
def test_it_draws_without_warnings(script: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script))
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
        for figure in figures:
            figure.draw_without_rendering()
    assert figures
    assert not list(tmp_path.iterdir()), "files left behind"


@pytest.mark.parametrize("script", [pytest.param(script, id=script.stem) for script in SCRIPTS])
def test_it_is_written_for_sphinx_gallery(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    title = re.match(r'"""\n(.+)\n(=+)\n\n', text)
    assert title, "no docstring that begins with a title underlined by ="
    assert len(title[1]) == len(title[2])
    assert "\n# %%\n# " in text, "no text between the cells"
    assert text.endswith("plt.show()\n")
    assert len(text.splitlines()) <= 100
