"""The command line with the names of data sets in place of files, and columns of one table alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import HEADER, ROWS, error, run, write
from shop import CSV, shop

from priorcase.datasets import read_table


def test_a_data_set_may_stand_for_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIORCASE_DATA", str(shop(tmp_path, CSV + "u,8,M,1,no\nv,3,S,2,yes\n", rows=5)))
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    answered = run("predict", "--train", "shoes", "--target", "fits", "--query", "shoes", "--json")
    assert json.loads(answered.stdout)["attributes"] == {"age": "numeric", "size": ["S", "M", "L"], "code": "nominal"}
    assert "no data set of that name. Did you mean 'shoes'?" in error(run("evaluate", "shoe"))
    assert "there is no file 'q', and no data set of that name." in error(run("evaluate", "q"))
    assert "there is no file 'shoes.csv', but a data set 'shoes'." in error(run("report", "shoes.csv"))
    assert "Invalid value for 'TABLE': File 'worn.csv' does not exist." in error(run("report", "worn.csv"))


def test_a_data_set_may_have_a_dot_and_stand_beside_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shop(tmp_path, CSV + "u,8,M,1,no\nv,3,S,2,yes\n" * 20, rows=43)
    described = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(described.replace('"shoes"', '"shoes_v1.2"'))
    monkeypatch.setenv("PRIORCASE_DATA", str(folder))
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shoes_v1.2").mkdir()
    (tmp_path / "boots").mkdir()
    asked = ("--learner", "guess", "--splits", "2", "--score", "accuracy")
    assert "43 rows: 2-fold" in run("evaluate", "shoes_v1.2", *asked).stdout
    assert run("report", "shoes_v1.2", "--budget", "2s").stdout.startswith("shoes_v1.2: fits\n")
    assert "'boots' is a directory" in error(run("evaluate", "boots"))
    monkeypatch.setenv("PRIORCASE_DATA", str(tmp_path / "nowhere"))
    assert "PRIORCASE_DATA names" in error(run("evaluate", "shoes"))
    assert "File 'worn.csv' does not exist." in error(run("evaluate", "worn.csv"))


def test_a_download_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    table = read_table(write(tmp_path / "repairs.csv", [HEADER, *ROWS]))
    monkeypatch.setattr("priorcase.cli.tables.load_fields", lambda name: table)
    done = run("evaluate", "glass", "--target", "job", "--learner", "guess", "--splits", "3")
    assert "96 rows" in done.stdout
    assert done.stderr == "priorcase: note: asking OpenML for the data set 'glass', to be kept in the cache\n"


@pytest.mark.parametrize(
    "option", [("--format", "csv"), ("--delimiter", ";"), ("--missing", "x"), ("--encoding", "u8")]
)
def test_how_a_file_is_read_has_no_effect_on_a_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[str, str]
) -> None:
    monkeypatch.setenv("PRIORCASE_DATA", str(shop(tmp_path, CSV + "u,8,M,1,no\nv,3,S,2,yes\n", rows=5)))
    monkeypatch.setenv("PRIORCASE_CACHE", str(tmp_path / "cache"))
    expected = f"{option[0]} has no effect with the data set 'shoes', whose description says how it is read."
    assert expected in error(run("evaluate", "shoes", *option))
    assert expected in error(run("report", "shoes", *option))
    predict = ("predict", "--train", "shoes", "--target", "fits", "--query")
    assert expected in error(run(*predict, "shoes", *option))
    new = write(tmp_path / "new.csv", ["age;size;code", "7;M;1"])
    if option[0] == "--delimiter":
        assert run(*predict, new, *option).exit_code == 0


def test_a_column_of_the_new_cases_alone_may_be_ignored(tmp_path: Path) -> None:
    train = write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])
    new = write(tmp_path / "new.csv", [f"ticket,{HEADER}", *(f"t{i},{row}" for i, row in enumerate(ROWS[80:]))])
    asked = ("predict", "--train", train, "--target", "job", "--query", new)
    assert "has a column 'ticket' that" in error(run(*asked))
    assert run(*asked, "--ignore", "ticket", "--csv").exit_code == 0
    assert "has no column 'tiket'" in error(run(*asked, "--ignore", "tiket"))


def test_the_target_is_what_was_said(tmp_path: Path) -> None:
    train = write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])
    asked = ("predict", "--train", train, "--query", train)
    assert "has no column ''" in error(run(*asked, "--target", ""))
    assert "has no column ''" in error(run("evaluate", train, "--target", ""))
    expected = "--ignore job leaves out the target, which is to be answered."
    assert expected in error(run(*asked, "--target", "job", "--ignore", "job"))
