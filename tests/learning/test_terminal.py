"""Precedents on a terminal: everything is there, at any width."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from priorcase import KNNClassifier, KNNRegressor, Precedents, load_repairs
from priorcase.neighbors.precedents import TerminalView


def shown(view: object, width: int = 80, **options: bool) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, highlight=False, **options).print(view)  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.fixture(scope="module")
def precedents() -> Precedents:
    X, y = load_repairs()
    return KNNClassifier(prior=None).fit(X, y).precedents(X[:7])


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_every_voter_and_attribute_is_shown_at_any_width(precedents: Precedents, width: int) -> None:
    text = shown(TerminalView(precedents[0]), width)
    if width >= 60:
        assert max(map(len, text.splitlines())) <= width
    assert all(f"#{i}" in text for i in precedents[0].ids)
    assert all(str(name) in text for name in precedents.names)
    unlike = precedents[0].unlike[0]
    assert unlike is not None
    assert f"unlike: #{unlike.id}" in text


def test_it_is_what_rich_prints(precedents: Precedents) -> None:
    text = shown(precedents)
    assert text.startswith("query 0  target: tune-up  (tune-up 1.00)\n")
    assert text.endswith("... and 2 more queries\n")


def test_headings_and_names_can_be_given(precedents: Precedents) -> None:
    text = shown(TerminalView(precedents, "job", [Text(f"case {i}: ") for i in range(7)]))
    assert [f"case {i}: job: " in text for i in range(7)] == [True] * 7
    assert "more queries" not in text


def test_a_long_heading_has_its_own_line(precedents: Precedents) -> None:
    text = shown(TerminalView(precedents[0], "job", [Text("long " * 12)]))
    assert text.splitlines()[1] == "job: tune-up  (tune-up 1.00)"


def test_the_printed_parts_add_up_to_the_printed_distance() -> None:
    X = [[0.0, 0.0], [3.0, 5.0], [9.0, 9.0]]
    model = KNNClassifier(2, distance="manhattan").fit(X, ["a", "b", "b"])
    lines = [line.split() for line in shown(model.precedents([[1.0, 2.0]]), 100).splitlines()]
    totals = next(line[1:] for line in lines if line[:1] == ["distance"])
    parts = [line[3::2] for line in lines if line[:1] in (["x0"], ["x1"])]
    assert len(parts) == 2
    for total, *shares in zip(totals, *parts, strict=True):
        assert sum(map(float, shares)) == pytest.approx(float(total), abs=0.011)


def test_a_voter_that_is_the_nearest_unlike_case_is_marked_and_not_repeated() -> None:
    model = KNNClassifier(3).fit([[0.0], [1.0], [2.0], [9.0]], ["a", "b", "a", "b"])
    text = shown(model.precedents([[0.4]]))
    assert "#1 unlike" in text
    assert "unlike: #" not in text
    assert text.count("#1") == 1


def test_votes_are_shown_where_they_differ() -> None:
    X, y = [[0.0], [1.0], [4.0]], ["a", "b", "b"]
    assert "vote" not in shown(KNNClassifier(2).fit(X, y).precedents([[0.4]]))
    weighted = shown(KNNClassifier(2, vote="inverse_square").fit(X, y).precedents([[0.4]]))
    assert "69%" in weighted
    assert "31%" in weighted


def test_many_voters_and_attributes_are_summed_up() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 30)), rng.integers(0, 2, 40)
    text = shown(KNNClassifier(17).fit(X, y).precedents(X[:1] + 0.1), 120)
    assert text.count("#") == 5 + 5 + ("unlike: #" in text)
    assert " and 7 more" in text
    others = next(line.split() for line in text.splitlines() if line.startswith("10 others"))
    assert len(others) == 2 + 5 + ("unlike: #" in text)


def test_regression_has_neither_probabilities_nor_an_unlike_case() -> None:
    model = KNNRegressor(2).fit([[0.0, "a"], [1.0, None], [5.0, "b"]], [1.0, 2.0, 30.0])
    text = shown(model.precedents([[0.5, "a"]]))
    assert text.startswith("query 0  target: 1.5\n")
    assert "unlike" not in text
    assert "?" in text


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4, 1e9])
def test_distances_of_any_size_are_readable(scale: float) -> None:
    model = KNNClassifier(1, distance="manhattan").fit([[0.0, 0.0], [scale, scale]], ["a", "b"])
    text = shown(model.precedents([[scale / 4, 0.0]]))
    distance = next(line for line in text.splitlines() if line.startswith("distance")).split()
    assert all(float(number.replace(",", "")) > 0 for number in distance[1:])
    assert max(map(len, distance[1:])) <= len("1,750,000,000")


def test_values_are_text_and_wide_characters_stay_aligned() -> None:
    names = ["[bold]x[/bold]", "東京都", "a\nb", "v" * 60]
    model = KNNClassifier(4, prior=None).fit([[name] for name in names], ["a", "b", "a", "b"])
    text = shown(model.precedents([["[bold]x[/bold]"]]), 120)
    assert "[bold]x[/bold]" in text
    assert "東京都" in text
    assert "a b" in text
    assert "…" in text


def test_colours_go_to_terminals_only(precedents: Precedents) -> None:
    assert "\x1b" not in shown(precedents)
    assert "\x1b[" in shown(precedents, force_terminal=True)
