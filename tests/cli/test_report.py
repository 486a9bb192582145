"""``priorcase report`` as a shell runs it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, error, only, run, write


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "visits.csv", [HEADER, *ROWS])


def test_the_built_in_table_needs_no_options() -> None:
    result = run("report", "--budget", "60s")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("repairs: job\n96 rows, 9 columns, 45 missing values in 38 rows")
    assert "\n--out report.html writes the whole report.\n" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_page_is_written(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    result = run("report", table, "--target", "job", "--budget", "60s", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert f"Written: {out}" in result.stdout.replace("\n", "")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert result.stderr == ""


def test_json_is_one_document_and_rows_are_lines(table: Path) -> None:
    result = run("report", table, "--budget", "60s", "--json", "--random-state", "3", "--column", "bike=ignore")
    document = answers(result)
    assert (document["target"], document["name"], document["made"]["random_state"]) == ("job", "visits", 3)
    assert "bike" not in [column["name"] for column in document["table"]["columns"]]
    assert document["place_word"] == "line"
    assert all(one["place"] == one["row"] + 2 for one in document["explained"])
    assert "the target is 'job', the last column" in result.stderr


def test_the_page_goes_to_standard_output(table: Path) -> None:
    result = run("report", table, "--target", "job", "--budget", "60s", "--out", "-")
    assert result.stdout.startswith("<!doctype html>")
    assert result.stdout.rstrip().endswith("</html>")


def test_standard_input_is_a_table(table: Path) -> None:
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line.split(",")[1]]
    result = run("report", "-", "--target", "age_years", "--budget", "60s", "--json", stdin="\n".join(lines))
    document = answers(result)
    assert (document["task"], document["name"]) == ("regress", "standard input")


def test_rows_without_a_target_are_set_aside(tmp_path: Path) -> None:
    rows = [*ROWS, *(row.rpartition(",")[0] + "," for row in ROWS[:3])]
    table, out = write(tmp_path / "gaps.csv", [HEADER, *rows]), tmp_path / "report.json"
    assert run("report", table, "--target", "job", "--budget", "60s", "--out", out).exit_code == 0
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["table"]["rows"] == len(ROWS)
    assert "Ignored because job is missing: 3 rows." in document["table"]["remarks"]


def test_the_commands_that_it_suggests_run(table: Path, tmp_path: Path) -> None:
    """They read the table in the same way, and name the learner that was chosen."""
    semicolons = table.with_name("visits two.csv")
    semicolons.write_text(table.read_text(encoding="utf-8").replace(",", ";"), encoding="latin-1")
    told = ["--read", "delimiter=;", "--read", "encoding=latin-1", "--column", "bike=ignore"]
    document = answers(run("report", semicolons, "--target", "job", "--budget", "60s", "--json", *told))
    commands = document["next_steps"]["commands"]
    assert [command.split()[:2] for command in commands] == [["priorcase", "predict"], ["priorcase", "explain"]]
    new = write(tmp_path / "new.csv", [line.replace(",", ";") for line in [HEADER, *ROWS[:2]]])
    for command in commands:
        words = shlex.split(command)
        assert words[2] == str(semicolons)
        assert all(word in words for word in told)
        assert "--learner" in words
        words = [str(new) if word == "new.csv" else word for word in words]
        result = run(*words[1:])
        assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("learner", ["naive_bayes", "stacked"])
def test_the_last_line_is_the_next_command_unless_the_default_is_recommended(
    learner: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    only(monkeypatch, learner)
    result = run("report", table.name, "--target", "job", "--budget", "10min", "--column", "bike,noise=nominal")
    *_, before, last = result.stdout.splitlines()
    if learner == "stacked":
        assert "Recommended: Stacked learners" in result.stdout
        assert "--learner" not in result.stdout
        return
    assert before.endswith("instead of the default (stacked):")
    assert last == "priorcase predict visits.csv --target job new.csv --column bike,noise=nominal --learner naive_bayes"
    write(tmp_path / "new.csv", [HEADER, *ROWS[:2]])
    assert run(*shlex.split(last)[1:]).exit_code == 0


def test_the_last_line_predicts_new_rows_of_the_built_in_table(tmp_path: Path) -> None:
    words = shlex.split(run("report").stdout.splitlines()[-1])
    new = write(tmp_path / "new.csv", [HEADER, *ROWS[:2]])
    result = run(*(str(new) if word == "new.csv" else word for word in words[1:]))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("job predicted by NaiveBayes(")


def test_a_larger_budget_is_suggested_as_an_option(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "tuned_knn", "stacked", "aode")
    told = run("report", table, "--target", "job", "--budget", "0.01s").stdout
    assert "budget=" not in told
    assert re.search(r"^--budget \d+(s|min|h) should be enough for all learners\.$", told, re.MULTILINE)


def test_the_python_lines_that_it_suggests_run(table: Path) -> None:
    semicolons = table.with_name("visits two.csv")
    semicolons.write_text(table.read_text(encoding="utf-8").replace(",", ";"), encoding="latin-1")
    told = ["--read", "delimiter=;", "--column", "bike=ignore", "--column", "age_years=nominal"]
    told += ["--column", "brakes=firm<soft<weak", "--target", "job"]
    for arguments in ((semicolons, *told), ()):
        lines = answers(run("report", *arguments, "--budget", "60s", "--json"))["next_steps"]["python"]
        space: dict[str, Any] = {}
        exec("\n".join(lines), space)
        assert len(space["y"]) == 96
        assert space["model"].n_features_in_ == (8 if arguments else 9)


def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "report.html' cannot be written." in error(run("report", table, "--out", tmp_path / "report.html"))


def test_mistakes_are_told_in_one_line(table: Path, tmp_path: Path) -> None:
    assert "'soon' is not a duration; write 60s or 5min" in error(run("report", table, "--budget", "soon"))
    for number in ("5", "2.5"):
        assert f"'{number}' has no unit; write {number}s or {number}min" in error(
            run("report", table, "--budget", number)
        )
    missing = tmp_path / "nowhere" / "report.html"
    assert "there is no folder" in error(run("report", table, "--out", missing))
    assert "--target needs a TABLE." in error(run("report", "--target", "job"))
    assert "--column needs a TABLE." in error(run("report", "--column", "bike=ignore"))
    assert "-5 is not an integer" in error(run("report", table, "--random-state", "-5"))
    assert "no column 'jobs'" in error(run("report", table, "--target", "jobs"))
    assert "does not exist" in error(run("report", tmp_path / "none.csv"))
    few = write(tmp_path / "few.csv", [HEADER, *ROWS[:5]])
    assert "got 5 rows with a target" in error(run("report", few, "--target", "job"))


def test_ids_are_ignored_unless_they_are_declared(tmp_path):
    path = tmp_path / "cars.csv"
    rows = [f"C-{i:03},{'abc'[i % 3]},{i % 7},{'yes' if i % 3 else 'no'}" for i in range(40)]
    path.write_text("\n".join(["customer,make,age,sold", *rows]) + "\n")
    options = ("--budget", "20s", "--json")
    found, kept = (
        {column["name"]: column["used"] for column in answers(run("report", path, *options, *more))["table"]["columns"]}
        for more in ((), ("--column", "customer=nominal"))
    )
    assert found == {"customer": False, "make": True, "age": True}
    assert kept == {"customer": True, "make": True, "age": True}


def test_declared_kinds_are_used(tmp_path):
    path = tmp_path / "cars.csv"
    words = ["leather", "sunroof", "rust", "diesel", "garage", "owner"]
    rows = [f"{' '.join(words[i % 5 :])} and number {i},{'abc'[i % 3]},{'yes' if i % 3 else 'no'}" for i in range(40)]
    path.write_text("\n".join(["remark,make,sold", *rows]) + "\n")
    declared = ("--column", "remark=nominal", "--column", "make=text")
    for options, expected in (((), ["text", "nominal"]), (declared, ["nominal", "text"])):
        found = answers(run("report", path, "--budget", "20s", "--json", *options))
        assert [column["kind"] for column in found["table"]["columns"]] == expected


def test_options_to_copy_are_not_broken_into_lines(tmp_path, monkeypatch):
    names = [f"a_long_name_of_code_{i}" for i in range(6)]
    rows = [",".join([*(str((i // (j + 1)) % 2 + 1) for j in range(6)), "no" if i % 3 else "yes"]) for i in range(40)]
    table, page = write(tmp_path / "codes.csv", [",".join([*names, "sold"]), *rows]), tmp_path / "codes.html"
    monkeypatch.setenv("COLUMNS", "60")
    told = run("report", table, "--out", page).stdout
    option = f"--column {','.join(names)}=nominal"
    assert option in told.splitlines()
    assert f"<pre>{option}</pre>" in page.read_text(encoding="utf-8")
    assert run("report", table, "--json", *shlex.split(option)).exit_code == 0
