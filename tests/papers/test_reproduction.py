"""Reproductions: what they print, the files they become, and the command that makes them."""

from __future__ import annotations

import csv
import io
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from papers import KEYS, Options, __main__, paper, reproduce
from papers.reproduction import (
    Figure,
    FigureTable,
    Item,
    Paper,
    Part,
    Picture,
    Reproduction,
    aloud,
    csv_text,
    fold_rows,
    on_terminal,
)
from papers.stand_ins import STAND_INS
from priorcase.exceptions import ReadingError

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "papers")
TELLING = """
import os
import sys
import time
from pathlib import Path
from papers import __main__
from papers.reproduction import Item, Paper, Part

def meet(path):  # the first two tasks wait for each other, so that both workers have started
    path.touch()
    while len(list(path.parent.iterdir())) < 2:
        time.sleep(0.01)

def made(options):
    options.each(meet, [Path(os.environ["MEETING"], str(i)) for i in range(18)], "meetings")
    return Part()

def track(steps, text):
    for i, step in enumerate(steps):
        if i == 2:
            print("two done", flush=True)
            time.sleep(600)  # until the interruption, however late it comes
        yield step

__main__.paper = lambda key: Paper("toy", "Toys", "A. Author.", (Item("table", "1", "All", made),))
__main__.on_terminal = track
sys.exit(__main__.main())
"""
ROWS = {"Iris": (Figure(93.04, 93.4, 0.1), Figure("yes", "no")), "Glass": (Figure(66.1), Figure(None, 1.5))}
TABLE = FigureTable("scores", ("BIBL", "other"), ROWS, digits=(1, 1), differences=True, remarks={"Glass": "Why, so."})


def draw(figure: Any) -> None:
    figure.subplots().plot([1, 2], [3, 4])


def made(options: Options) -> Part:
    picture = Picture("figure-1", "A line.", {"x": np.array([1, 2]), "y": [3.5, None]}, draw, (2.0, 1.5))
    return Part((TABLE,), (picture,), ("A note.",))


def plain(options: Options) -> Part:
    return Part((TABLE,), notes=(f"{options.count(50, 2)} trials.",))


TOY = Paper("toy1999", "Toys", "A. Author, 1999.", (Item("table", "2", "All", plain), Item("figure", "1", "A", made)))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Paper:
    monkeypatch.setattr(__main__, "paper", lambda key: TOY)
    return TOY


class Run:
    """What the command line prints, and its exit code."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self.capture = capture

    def __call__(self, *arguments: str) -> Run:
        try:
            self.code = __main__.main(arguments)
        except SystemExit as error:  # argparse
            self.code = error.code
        self.out, self.err = self.capture.readouterr()
        return self


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)


# Tables ---------------------------------------------------------------------------------------------------------------


def test_tables_print_ours_printed_and_remarks() -> None:
    assert str(TABLE).splitlines() == [
        "scores",
        "                            BIBL     other  remark",
        "  Iris   93.0 ± 0.1 (93.4, -0.4)  yes (no)",
        "  Glass                     66.1     (1.5)  Why, so.",
    ]
    assert "| Glass | 66.1 | (1.5) | Why, so. |" in TABLE.markdown()
    assert "<table>" in TABLE._repr_html_()
    assert repr(TABLE) == str(TABLE)


def test_figures_of_a_table_by_row_and_column() -> None:
    assert TABLE["Glass", "BIBL"].value == 66.1
    assert [figure.value for figure in TABLE.column("BIBL")] == [93.04, 66.1]
    assert math.isnan(TABLE["Iris", "other"].difference)
    assert math.isnan(TABLE["Iris", "other"].value)
    assert math.isnan(TABLE["Glass", "BIBL"].difference)


def test_tables_as_frames_and_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(TABLE.frame()))))
    assert rows[0] == {
        "table": "scores",
        "row": "Iris",
        "column": "BIBL",
        "ours": "93.04",
        "standard_error": "0.1",
        "printed": "93.4",
        "difference": str(93.04 - 93.4),
        "remark": "",
    }
    assert [row["ours"] for row in rows] == ["93.04", "yes", "66.1", ""]
    frame = TABLE.frame()
    assert list(frame.columns) == list(rows[0])
    assert len(frame) == 4


def test_a_figure_may_be_written_in_its_own_way() -> None:
    assert Figure(1.23e-9, 1.2e-9, digits=(".2e", ".1e")).text(3, 3) == "1.23e-09 (1.2e-09)"
    assert Figure(1.23e-9, 1.2e-9, digits=(".2e", ".1e")).text(3, 3, difference=True) == "1.23e-09 (1.2e-09)"
    assert Figure(0.25).text("%", 0) == "25.000000%"


def test_csv_keeps_all_digits() -> None:
    assert (
        csv_text(pd.DataFrame({"x": np.array([0.1 + 0.2, 1e-300])}, dtype=object)) == "x\n0.30000000000000004\n1e-300\n"
    )


def test_a_standard_error_needs_two_runs() -> None:
    assert Figure.of(np.array([1.0, 3.0]), factor=-2) == Figure(-4.0, None, pytest.approx(2.0))
    assert math.isnan(Figure.of(np.array([1.0])).standard_error)


# Pictures -------------------------------------------------------------------------------------------------------------


def test_pictures_have_numbers_and_images() -> None:
    (picture,) = made(Options()).pictures
    assert csv_text(picture.frame()) == "x,y\n1,3.5\n2,\n"
    assert list(picture.frame().columns) == ["x", "y"]
    assert picture.image("png").startswith(b"\x89PNG")
    assert picture.image("pdf").startswith(b"%PDF")
    assert picture.image("png") == picture.image("png")
    assert picture.image("pdf") == picture.image("pdf")


def test_pictures_leave_no_figure_behind() -> None:
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    made(Options()).pictures[0].image("png")
    assert pyplot.get_fignums() == before


# Reproductions --------------------------------------------------------------------------------------------------------


def test_a_reproduction_prints_its_parts_and_what_made_it() -> None:
    found = reproduce(TOY, Options(random_state=3, trials=7))
    text = str(found)
    assert text.startswith("Toys\nA. Author, 1999.\n\nTable 2. All\n\nscores\n")
    assert "\n\n- 7 trials.\n\nFigure 1. A\n\n" in text
    assert "figure-1: A line." in text
    assert "python -m papers toy1999 --trials 7 --random-state 3\nRandom state 3; 0 s in 1 process on " in text
    assert f"Python {sys.version.split()[0]}, priorcase " in text
    assert repr(found) == text


def test_its_markdown_reads_as_a_page() -> None:
    found = Reproduction(TOY, tuple(item.part(Options()) for item in TOY.items), "do it", "So it was.", 61.0)
    page = found.markdown({"figure-1": "toy1999/figure-1.png"})
    assert page.startswith("# Toys\n\nA. Author, 1999.\n\nThis command repeats all measurements")
    assert "```\ndo it\n```\n\n## Table 2. All\n\n**scores**\n" in page
    assert "## Figure 1. A\n\n![Figure 1. A](toy1999/figure-1.png)\n\n*A line.*\n\n**scores**" in page
    assert page.endswith("## Run details\n\nSo it was.\n")
    assert "![" not in found.markdown()


def test_findings_are_those_of_a_full_run() -> None:
    paper = replace(TOY, findings="All agree.")
    assert "```\n\nAll agree.\n\n## Table 2" in reproduce(paper, Options()).markdown()
    for options in (Options(quick=True), Options(random_state=1), Options(trials=2)):
        assert "All agree." not in reproduce(paper, options).markdown()
    assert "All agree." not in reproduce(paper, Options(), only=paper.items[0]).markdown()


def test_its_figures_as_csv_name_their_item() -> None:
    rows = list(csv.DictReader(io.StringIO(reproduce(TOY, Options()).csv())))
    assert [row["item"] for row in rows] == ["table-2"] * 4 + ["figure-1"] * 4


def test_files_of_a_whole_paper() -> None:
    found = reproduce(TOY, Options()).files(("markdown", "text", "csv", "png", "pdf"))
    names = ["toy1999/table-2.csv", "toy1999/figure-1.csv", "toy1999/figure-1-table.csv"]
    assert list(found) == [*names, "toy1999/figure-1.png", "toy1999/figure-1.pdf", "toy1999.md", "toy1999.txt"]
    assert b"(toy1999/figure-1.png)" in found["toy1999.md"]
    assert found["toy1999/figure-1-table.csv"].decode() == csv_text(TABLE.frame())
    assert set(reproduce(TOY, Options()).files(("pdf",))) == {"toy1999/figure-1.pdf"}


def test_one_item_does_not_take_the_place_of_the_whole() -> None:
    assert "toy1999-table-2.md" in reproduce(TOY, Options(), only=TOY.items[0]).files(("markdown",))


def test_nothing_is_written_where_something_cannot_be_made(tmp_path: Path) -> None:
    def fail(figure: Any) -> None:
        raise KeyboardInterrupt

    part = Part((TABLE,), (Picture("figure-1", "None.", {"x": [1]}, fail),))
    found = reproduce(Paper("toy", "T", "C", (Item("figure", "1", "F", lambda options: part),)), Options())
    with pytest.raises(KeyboardInterrupt):
        found.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_takes_its_place_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = reproduce(TOY, Options())
    (tmp_path / "toy1999.md").write_text("before")

    def fail(*paths: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        found.save(tmp_path, ("markdown",))
    assert (tmp_path / "toy1999.md").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["toy1999.md"]


def test_tasks_are_done_in_their_order_by_any_number_of_jobs() -> None:
    tasks = list(range(-5, 5))
    for jobs in (None, 1, 2, -1):
        assert Options(jobs=jobs).each(abs, tasks, "signs") == [abs(task) for task in tasks]
    seen = []

    def track(steps: Any, text: str) -> Any:
        seen.append((len(steps), text))
        return steps

    Options(track=track, jobs=2).each(abs, tasks, "signs")
    assert seen == [(10, "signs")]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_interrupts_tasks_leaves_no_bar_behind(jobs: int) -> None:
    closed = []

    def track(steps: Any, text: str) -> Any:
        try:
            yield from steps
        finally:
            closed.append(text)

    with pytest.raises(ValueError, match=r"math domain error|positive"):
        Options(track=track, jobs=jobs).each(math.log, [1.0, 0.0, 2.0], "logs")
    assert closed == ["logs"]


# Folds and progress ---------------------------------------------------------------------------------------------------


@given(st.integers(4, 60), st.integers(2, 4), st.sampled_from([1.0, 0.1, 0.25, 0.3, 0.5]), st.integers(0, 9))
def test_folds_deal_out_every_row_once(rows: int, folds: int, share: float, seed: int) -> None:
    dealt = list(fold_rows(rows, folds, share, np.random.default_rng(seed)))
    assert sorted(row for _, test in dealt for row in test.tolist()) == list(range(rows))
    for train, test in dealt:
        assert not set(train.tolist()) & set(test.tolist())
        assert len(train) == len(set(train.tolist())) == math.floor(round(share * 100) * (rows - len(test)) / 100)
    sizes = [len(test) for _, test in dealt]
    assert max(sizes) - min(sizes) <= 1


def test_progress_is_a_line_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(aloud(range(3), "counting to three")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "counting to three\n")


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert list(aloud(range(3), "counting to three")) == [0, 1, 2]
    out, err = capsys.readouterr()
    assert out == ""
    assert "counting to three" in err
    assert "100%" in err


def test_a_command_says_nothing_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(on_terminal(range(3), "counting to three")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


# Papers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_papers_are_in_order(key: str) -> None:
    found = paper(key)
    assert found.key == key
    assert found.title
    assert found.citation.endswith(".")
    keys = [item.key for item in found.items]
    assert len(set(keys)) == len(keys) > 0


# The command line -----------------------------------------------------------------------------------------------------


def test_a_paper_is_printed(toy: Paper, run: Run) -> None:
    result = run("cost1993", "--trials", "3", "--random-state", "2")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Toys\n")
    assert "- 3 trials." in result.out
    assert "python -m papers toy1999 --trials 3 --random-state 2\n" in result.out


def test_one_table_or_figure(toy: Paper, run: Run) -> None:
    assert "Figure 1" not in run("cost1993", "--table", "2").out
    page = run("cost1993", "--figure", "1", "--quick", "--format", "markdown").out
    assert "## Figure 1. A" in page
    assert "## Table 2" not in page
    assert "python -m papers toy1999 --figure 1 --quick\n" in page
    printed = run("cost1993", "--format", "csv").out
    assert printed.startswith("item,table,row,column,ours")
    assert run("cost1993", "--format", "csv", "--out", "-").out == printed


def test_all_papers_one_after_the_other(toy: Paper, run: Run) -> None:
    assert run("all").out.count("Toys\n") == len(KEYS)


def test_files_are_written_and_counted(toy: Paper, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "new" / "out"
    result = run("cost1993", "--out", str(folder))
    assert (result.code, result.out) == (0, f"toy1999: 5 files in {folder}, 0 s\n")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        "toy1999.md",
        "toy1999/figure-1-table.csv",
        "toy1999/figure-1.csv",
        "toy1999/figure-1.png",
        "toy1999/table-2.csv",
    ]


def test_items_are_listed(toy: Paper, run: Run) -> None:
    assert run("cost1993", "--list").out == "toy1999: Toys\n  --table 2   All\n  --figure 1  A\n"
    listed = run("--list").out
    assert listed.count("toy1999") == len(KEYS)
    assert run("all", "--list").out == listed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["all", "--table", "1"], "--table needs one paper"),
        (["cost1993", "--table", "2", "--figure", "1"], "not allowed with"),
        (["cost1993", "--format", "png"], "needs --out"),
        (["cost1993", "--table", "9"], "toy1999 has no table '9' here; it has --table 2, --figure 1"),
        (["cost1993", "--jobs", "0"], "must be 1 or more, or -1 for all processors, got 0"),
        (["cost1993", "--trials", "0"], "must be 1 or more, got 0"),
        (["cost1993", "--random-state", "-1"], "must be 0 or more, got -1"),
        (["cost1993", "--data", "no-such-folder"], "is not a folder with a manifest.json"),
        ([], "a paper is required: one of"),
        (["aha1992"], "invalid choice: 'aha1992'"),
        (["cost1993", "--format", "markdwn"], "invalid choice: 'markdwn'"),
        (["cost1993", "--no-such-option"], "unrecognized arguments"),
    ],
)
def test_wrong_usage_is_2(toy: Paper, run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ReadingError("no\ntable"), 2, "papers: error: no table\n"),
        (OSError("no space"), 2, "papers: error: no space\n"),
        (KeyboardInterrupt(), 130, "papers: interrupted\n"),
    ],
)
def test_bad_input_is_2_and_an_interruption_130(
    monkeypatch: pytest.MonkeyPatch, run: Run, error: BaseException, code: int, message: str
) -> None:
    def fails(*args: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr(__main__, "reproduce", fails)
    result = run("lecture")
    assert (result.code, result.out, result.err) == (code, "", message)


def test_figures_of_generated_points_need_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    assert run("aha1991", "--figure", "4", "--quick", "--out", str(tmp_path), "--format", "png").code == 0
    assert (tmp_path / "aha1991" / "figure-4.png").stat().st_size > 10_000


@pytest.fixture
def without_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("without_data")
def test_a_quick_run_without_data_uses_other_tables_and_says_so(run: Run) -> None:
    result = run("kontkanen1997", "--table", "1", "--quick")
    assert (result.code, result.err) == (0, "")
    assert "Table 1. Leave-one-out (not the paper's data)" in result.out
    assert "NOT THE PAPER'S DATA" in result.out
    assert "loans for Australian" in result.out
    assert "published result, difference" not in result.out
    frame = pd.read_csv(io.StringIO(run("kontkanen1997", "--table", "1", "--quick", "--format", "csv").out))
    assert frame["ours"].notna().all()
    assert frame["printed"].isna().all()


@pytest.mark.usefixtures("without_data")
def test_pictures_of_other_tables_say_so(run: Run, tmp_path: Path) -> None:
    arguments = ["kontkanen1997", "--figure", "2", "--quick", "--out", str(tmp_path), "--format", "csv"]
    assert run(*arguments, "--format", "markdown").code == 0
    assert set(pd.read_csv(tmp_path / "kontkanen1997" / "figure-2.csv")["data_set"]) == {"loans", "repairs"}
    page = (tmp_path / "kontkanen1997-figure-2.md").read_text(encoding="utf-8")
    assert "*Not the paper's data, but loans for Australian, repairs for Hepatitis. " in page


def test_every_data_set_that_an_item_needs_has_a_stand_in() -> None:
    needs = {name for key in KEYS for item in paper(key).items for name in item.needs.values()}
    assert needs == set(STAND_INS)


@pytest.mark.slow
@pytest.mark.usefixtures("without_data")
def test_everything_runs_quickly_without_data(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "all", "--quick", "--out", str(tmp_path)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")
    for key in KEYS:
        page = (tmp_path / f"{key}.md").read_text(encoding="utf-8")
        for item in paper(key).items:
            assert (f"{item.title} (not the paper's data)" in page) == bool(item.needs)


@pytest.mark.slow
def test_everything_runs_quickly(data_dir: Path, tmp_path: Path) -> None:
    """All papers with all files, in a process of its own."""
    arguments = ["all", "--quick", "--out", str(tmp_path), "--data", str(data_dir)]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    for key in KEYS:
        page = (tmp_path / f"{key}.md").read_text(encoding="utf-8")
        assert f"python -m papers {key} --quick" in page
        assert "NOT THE PAPER'S DATA" not in page
        for item in paper(key).items:
            assert item.title in page


def test_ctrl_c_leaves_no_partial_file(tmp_path: Path) -> None:
    """Sent to the whole group of processes, as a terminal does, once two of eighteen tasks are done."""
    command = [sys.executable, "-c", TELLING, "lecture", "--jobs", "2", "--out", str(tmp_path / "out")]
    (tmp_path / "meeting").mkdir()
    start: dict[str, Any] = {"env": {**os.environ, "MEETING": str(tmp_path / "meeting")}, "cwd": ROOT}
    start |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    start["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored under nohup
    with subprocess.Popen(command, **start) as started:
        assert started.stdout.readline() == "two done\n"
        os.killpg(started.pid, signal.SIGINT)
        _, message = started.communicate()
    assert started.returncode == 130
    assert message.strip().endswith("papers: interrupted")
    assert "Traceback" not in message
    assert not (tmp_path / "out").exists()
