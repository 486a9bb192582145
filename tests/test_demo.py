"""The demonstration, as a person sees it."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from rich.console import Console

from priorcase import demo


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
    assert "job: drivetrain  (drivetrain 0.86," in text
    assert "gravel" in text
    assert "unlike" in text
    assert "Nothing is left of #96." in text


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
