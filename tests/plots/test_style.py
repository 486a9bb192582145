"""One look for all pictures: colours, markers and hatches that tell apart, and settings that stay inside."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import priorcase as pc
from priorcase.exceptions import MissingExtraError
from priorcase.learning.plotting import (
    class_styles,
    color,
    drawing,
    legend_beside,
    log_ticks,
    plot_style,
    ring,
    style,
    tint,
)

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def grey(text: str) -> float:
    """The level of a colour in print without colours (ITU-R 601)."""
    red, green, blue = (int(text[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_the_first_colors_tell_apart_in_grey() -> None:
    levels = [grey(color(i)) for i in range(4)]
    assert min(abs(a - b) for a, b in itertools.combinations(levels, 2)) > 30
    assert max(levels) < 170  # visible on paper
    assert len({color(i) for i in range(8)}) == 8


def test_every_colour_is_one_of_okabe_and_ito() -> None:
    published = {"#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7"}
    assert {color(i) for i in range(20)} == published


def test_280_series_all_look_different() -> None:
    looks = [style(i) for i in range(280)]
    assert len(set(looks)) == 280
    assert looks[9] == style(9)
    assert (looks[3].color, looks[3].marker) == (color(3), "D")


def test_tints_go_from_white_to_the_color() -> None:
    assert [tint(1, strength) for strength in (0.0, 1.0)] == ["#FFFFFF", color(1)]
    assert grey(tint(0, 0.2)) > grey(tint(0, 0.4)) > grey(tint(0, 0.8))
    assert grey(tint(2, 0.25)) > 200  # black counts for half


def test_classes_have_their_looks_in_order() -> None:
    styles = class_styles(["no", "yes", 3])
    assert list(styles) == ["no", "yes", 3]
    assert styles[3] == style(2)


def test_nobodys_settings_change() -> None:
    before = mpl.rcParams.copy()
    with plot_style():
        assert mpl.rcParams["axes.spines.top"] is False
    with pytest.raises(RuntimeError, match="inside"), drawing(None):
        raise RuntimeError("inside")
    assert mpl.rcParams == before


def test_new_axes_have_the_look_and_given_ones_stay() -> None:
    with drawing(None, size=(3.0, 2.0)) as ax:
        pass
    assert not ax.spines["top"].get_visible()
    assert ax.figure.get_size_inches().tolist() == [3.0, 2.0]
    own = pyplot.subplots()[1]
    assert own.spines["top"].get_visible()
    with drawing(own) as drawn:
        assert drawn is own


def test_without_matplotlib_drawing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError) as caught, drawing(None):
        pass
    assert "needs matplotlib" in str(caught.value)


def test_long_legends_are_cut_and_say_so() -> None:
    ax = pyplot.subplots()[1]
    for i in range(20):
        ax.plot([0, 1], [i, i], label=f"line {i}")
    legend_beside(ax, "lines")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"line {i}" for i in range(12)]
    assert ax.get_legend().get_title().get_text() == "lines (the first 12 of 20)"
    samples = ax.lines[:2]
    legend_beside(ax, samples=samples)
    assert len(ax.get_legend().get_texts()) == 2


def test_logarithmic_axes_have_plain_numbers() -> None:
    ax = pyplot.subplots()[1]
    ax.plot([1, 60], [0, 1])
    ax.set_xscale("log")
    log_ticks(ax.xaxis)
    ax.figure.canvas.draw()
    texts = [text.get_text() for text in ax.get_xticklabels()]
    assert {"1", "2", "5", "10", "20", "50"} <= set(texts)


def test_a_ring_marks_a_point() -> None:
    ax = pyplot.subplots()[1]
    ring(ax, 2.0, 3.0, label="chosen")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[2.0, 3.0]])
    assert ax.lines[0].get_label() == "chosen"


def test_a_title_of_the_users_own_replaces_that_of_a_plot():
    found = pc.counterfactuals(pc.KNNClassifier(1).fit([[0.0], [1.0]], ["no", "yes"]), [[0.0]])
    ax = found.plot()
    assert ax.get_title()
    ax.set_title("mine")
    assert (ax.get_title(), ax.get_title(loc="left"), ax.get_title(loc="right")) == ("mine", "", "")
