"""Reproductions: what they print, the files they become, and the command that makes them."""

from __future__ import annotations

import csv
import io
import math
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from priorcase.cli import main
from priorcase.papers import KEYS, paper
from priorcase.papers.figure_table import Figure, FigureTable, csv_text, written
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.papers.reproduction import Item, Paper, Part, Reproduction, reproduce
from priorcase.papers.saving import files

COMMAND = (sys.executable, "-c", "from priorcase.cli import main; main()", "reproduce")
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
    monkeypatch.setattr("priorcase.papers.paper", lambda key: TOY)
    return TOY


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["reproduce", *arguments])


# Tables ---------------------------------------------------------------------------------------------------------------


def test_tables_print_ours_printed_and_remarks() -> None:
    assert str(TABLE).splitlines() == [
        "scores",
        "                            BIBL     other  remark",
        "  Iris   93.0 ± 0.1 (93.4, -0.4)  yes (no)",
        "  Glass                     66.1     (1.5)  Why, so.",
    ]
    assert "| Glass | 66.1 | (1.5) | Why, so. |" in TABLE.markdown()
    assert TABLE._repr_html_().startswith("<table>")
    assert repr(TABLE) == str(TABLE)


def test_figures_of_a_table_by_row_and_column() -> None:
    assert TABLE["Glass", "BIBL"].value == 66.1
    assert len(list(TABLE)) == 4
    assert math.isnan(TABLE["Iris", "other"].difference)
    assert math.isnan(TABLE["Iris", "other"].value)
    assert math.isnan(TABLE["Glass", "BIBL"].difference)


def test_tables_as_frames_and_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(TABLE.csv())))
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
    assert written(0.25, "%") == "25.000000%"


def test_csv_keeps_all_digits() -> None:
    assert csv_text({"x": np.array([0.1 + 0.2, 1e-300])}) == "x\n0.30000000000000004\n1e-300\n"


# Pictures -------------------------------------------------------------------------------------------------------------


def test_pictures_have_numbers_and_images() -> None:
    (picture,) = made(Options()).pictures
    assert picture.csv() == "x,y\n1,3.5\n2,\n"
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
    found = reproduce(TOY, Options(seed=3, trials=7))
    text = str(found)
    assert text.startswith("Toys\nA. Author, 1999.\n\nTable 2. All\n\nscores\n")
    assert "\n\n- 7 trials.\n\nFigure 1. A\n\n" in text
    assert "figure-1: A line." in text
    assert "priorcase reproduce toy1999\nSeed 3; 0 s in 1 process on " in text
    assert f"Python {sys.version.split()[0]}, priorcase " in text
    assert repr(found) == text


def test_its_markdown_reads_as_a_page() -> None:
    found = Reproduction(
        TOY, tuple(item.part(Options()) for item in TOY.items), "do it", 0, 61.0, 2, {"Python": "3"}, 4
    )
    page = found.markdown({"figure-1": "toy1999/figure-1.png"})
    assert page.startswith("# Toys\n\nA. Author, 1999.\n\n## Table 2. All\n\n**scores**\n")
    assert "## Figure 1. A\n\n![Figure 1. A](toy1999/figure-1.png)\n\n*A line.*\n\n**scores**" in page
    assert page.endswith("```\ndo it\n```\n\nSeed 0; 61 s in 2 processes on 4 processors; Python 3.\n")
    assert "![" not in found.markdown()


def test_its_figures_as_csv_name_their_item() -> None:
    rows = list(csv.DictReader(io.StringIO(reproduce(TOY, Options()).csv())))
    assert [row["item"] for row in rows] == ["table-2"] * 4 + ["figure-1"] * 4


def test_files_of_a_whole_paper() -> None:
    found = files(reproduce(TOY, Options()), ("markdown", "text", "csv", "png", "pdf"))
    names = ["toy1999/table-2.csv", "toy1999/figure-1.csv", "toy1999/figure-1-table.csv"]
    assert list(found) == [*names, "toy1999/figure-1.png", "toy1999/figure-1.pdf", "toy1999.md", "toy1999.txt"]
    assert b"(toy1999/figure-1.png)" in found["toy1999.md"]
    assert found["toy1999/figure-1-table.csv"].decode() == TABLE.csv()
    assert set(files(reproduce(TOY, Options()), ("pdf",))) == {"toy1999/figure-1.pdf"}


def test_one_item_does_not_take_the_place_of_the_whole() -> None:
    assert "toy1999-table-2.md" in files(reproduce(TOY, Options(), only=TOY.items[0]), ("markdown",))


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


# Papers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
def test_papers_are_in_order(key: str) -> None:
    found = paper(key)
    assert found.key == key
    assert found.title
    assert found.citation.endswith(".")
    keys = [item.key for item in found.items]
    assert len(set(keys)) == len(keys) > 0


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_prints_a_paper(toy: Paper) -> None:
    result = run("cost1993", "--trials", "3", "--seed", "2")
    assert result.exit_code == 0
    assert result.stdout.startswith("Toys\n")
    assert "- 3 trials." in result.stdout
    assert "priorcase reproduce toy1999 --trials 3 --seed 2\n" in result.stdout
    assert result.stderr == ""


def test_one_table_or_figure(toy: Paper) -> None:
    assert "Figure 1" not in run("cost1993", "--table", "2").stdout
    result = run("cost1993", "--figure", "1", "--quick", "--format", "markdown")
    assert "## Figure 1. A" in result.stdout
    assert "## Table 2" not in result.stdout
    assert "priorcase reproduce toy1999 --figure 1 --quick\n" in result.stdout
    assert run("cost1993", "--format", "csv").stdout.startswith("item,table,row,column,ours")


def test_all_papers_one_after_the_other(toy: Paper) -> None:
    assert run("all").stdout.count("Toys\n") == len(KEYS)


def test_files_are_written_and_counted(toy: Paper, tmp_path: Path) -> None:
    result = run("cost1993", "--out", str(tmp_path / "new" / "out"))
    assert result.exit_code == 0
    assert result.stdout == f"toy1999: 5 files in {tmp_path / 'new' / 'out'}, 0 s\n"
    found = sorted(str(path.relative_to(tmp_path / "new" / "out")) for path in tmp_path.rglob("*.*"))
    assert found == [
        "toy1999.md",
        "toy1999/figure-1-table.csv",
        "toy1999/figure-1.csv",
        "toy1999/figure-1.png",
        "toy1999/table-2.csv",
    ]


def test_what_there_is_of_a_paper(toy: Paper) -> None:
    assert run("cost1993", "--list").stdout == "toy1999: Toys\n  --table 2   All\n  --figure 1  A\n"


def test_all_papers_are_listed_where_none_is_named(toy: Paper) -> None:
    assert run("--list").stdout == run("all", "--list").stdout
    assert run("--list").stdout.count("toy1999") == len(KEYS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["all", "--table", "1"], "--table needs one paper: aha1991, bibl1998, kontkanen1997, cost1993, lecture or"),
        (["cost1993", "--table", "2", "--figure", "1"], "--table and --figure do not go together."),
        (["cost1993", "--format", "png"], "--format png needs --out, a folder to write pictures to."),
        (["cost1993", "--table", "9"], "toy1999 has no table '9' here; it has --table 2 and --figure 1."),
        (["cost1993", "--jobs", "0"], "0 is no number of processes."),
        (["cost1993", "--trials", "0"], "0 is not in the range x>=1."),
        ([], "say which paper to reproduce: aha1991, bibl1998, kontkanen1997, cost1993, lecture, mitchell or all."),
        (["aha1992"], "Did you mean 'aha1991'?"),
        (["cost1993", "--format", "markdwn"], "Did you mean 'markdown'?"),
    ],
)
def test_what_does_not_go(toy: Paper, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_without_data_the_message_says_where_to_put_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("bibl1998", "--data", str(tmp_path))
    assert result.exit_code == 2
    assert "is not a folder with a manifest.json" in result.stderr
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path))
    monkeypatch.setattr("priorcase.datasets.loading.download_into", lambda folder, name: "OpenML cannot be reached")
    result = run("kontkanen1997", "--table", "1")
    assert result.exit_code == 2
    assert "No data set 'australian-credit': PRIORCASE_DATA is not set" in result.stderr


def test_figures_of_made_up_points_need_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    result = run("aha1991", "--figure", "4", "--quick", "--out", str(tmp_path), "--format", "png")
    assert result.exit_code == 0
    assert (tmp_path / "aha1991" / "figure-4.png").stat().st_size > 10_000


def test_everything_is_quick_where_it_should_be(data_dir: Path, tmp_path: Path) -> None:
    """All papers with all files in under a minute: of processor time, so that other tests at work do not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = ["all", "--quick", "--out", str(tmp_path), "--data", str(data_dir)]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    for key in KEYS:
        page = (tmp_path / f"{key}.md").read_text(encoding="utf-8")
        assert f"priorcase reproduce {key} --quick" in page
        for item in paper(key).items:
            assert item.title in page


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_it_without_half_a_file(data_dir: Path, tmp_path: Path, jobs: str) -> None:
    """Sent to the whole group of processes, as a terminal does."""
    arguments = ["bibl1998", "--table", "1", "--jobs", jobs, "--out", str(tmp_path / "out"), "--data", str(data_dir)]
    start = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    start["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored under nohup
    with subprocess.Popen([*COMMAND, *arguments], **start) as started:  # type: ignore[call-overload]
        time.sleep(5)
        os.killpg(started.pid, signal.SIGINT)
        _, message = started.communicate(timeout=60)
    assert started.returncode == 130
    assert message.strip().endswith("priorcase: interrupted")
    assert "Traceback" not in message
    assert not (tmp_path / "out").exists()
