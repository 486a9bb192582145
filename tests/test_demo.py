"""The demonstration, as a person sees it."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from priorcase import IB2, NaiveBayes, demo, load_repairs, log_score
from priorcase.datasets import NamedColumns


def shown(width: int, *, terminal: bool = False) -> str:
    stream = io.StringIO()
    demo.main(Console(file=stream, width=width, force_terminal=terminal, highlight=False))
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_it_fits_and_tells_the_whole_story(width: int) -> None:
    text = shown(width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for remark, case in demo.CASES:
        assert remark in text
        assert all(name in text for name in case)
    assert "job: drivetrain  (drivetrain 0.80," in text
    assert "gravel" in text
    assert "unlike" in text
    assert "Nothing is left of #96." in text


def test_it_takes_two_screens() -> None:
    assert len(shown(120).splitlines()) <= 100
    assert len(shown(80).splitlines()) <= 120


def test_it_puts_probabilities_to_the_test() -> None:
    X, y = load_repairs()
    lines = shown(120).splitlines()
    for predictive in ("evidence", "map"):
        model = NaiveBayes(predictive).fit(X, y)
        shares = model.loo_predict_proba()
        right = float(np.mean(model.classes_[shares.argmax(axis=1)] == y))
        (row,) = [line for line in lines if line.startswith(f"NaiveBayes({predictive!r})")]
        assert row.split()[1:3] == [f"{right:.0%}", f"{log_score(y, shares, labels=model.classes_):.2f}"]
    surprised = np.count_nonzero([shares[i, list(model.classes_).index(job)] == 0 for i, job in enumerate(y)])
    assert surprised > 0
    assert f"impossible: {surprised} jobs that came true" in "\n".join(lines)
    assert "drivetrain 0.99, wheel 0.01" in "\n".join(lines)
    assert "brakes 0.25, drivetrain 0.25" in "\n".join(lines)


def test_it_shows_what_speaks_for_an_answer() -> None:
    X, y = load_repairs()
    case = NamedColumns.of({name: [demo.CASES[1][1].get(name)] for name in X.kinds}, X.kinds)
    assert str(NaiveBayes().fit(X, y).contributions(case)) in shown(80)


def test_it_remembers_only_what_was_surprising() -> None:
    X, y = load_repairs()
    model, right = IB2(), []
    for i in range(len(y)):
        row = X.take(slice(i, i + 1))
        right.append(i > 0 and model.predict(row)[0] == y[i])
        model.partial_fit(row, y[i : i + 1])
    (line,) = [line for line in shown(80).splitlines() if line.startswith("IB2: those it got wrong")]
    assert line.split()[5:] == [str(model.stored_), f"{np.mean(right[1:48]):.0%}", f"{np.mean(right[48:]):.0%}"]
    assert model.stored_ < len(y) / 2


def test_a_file_gets_no_escapes_and_a_terminal_gets_colour() -> None:
    assert "\x1b" not in shown(80)
    assert "\x1b[" in shown(80, terminal=True)


def test_every_case_has_something_unknown_or_undecided() -> None:
    gaps = [9 - len(case) for _, case in demo.CASES]
    assert gaps == [4, 0, 1]


def test_it_runs_as_a_module_without_a_frame_library() -> None:
    script = (
        "import sys, runpy; sys.modules.update(dict.fromkeys(('pandas', 'polars', 'pyarrow')));"
        "runpy.run_module('priorcase.demo', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert done.stderr == ""
    assert "Nothing is left of #96." in done.stdout
