"""The command line: what it answers, what it prints, and one line for each mistake."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, ask, error, run, split_table, write

from priorcase import KNNClassifier, KNNRegressor, __version__
from priorcase.cli.errors import one_line
from priorcase.datasets import NamedColumns


def without_target(lines: list[str]) -> list[str]:
    return [line.rpartition(",")[0] for line in lines]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


def library(**settings: Any) -> tuple[KNNClassifier, NamedColumns]:
    past, targets, new = split_table()
    return KNNClassifier(**settings).fit(past, targets), new


def test_predict_gives_the_librarys_answers(train: Path, query: Path) -> None:
    document = answers(ask("predict", train, query, "--json", "--distance", "hvdm", "--neighbors", 3))
    model, new = library(n_neighbors=3, distance="hvdm")
    assert [answer["prediction"] for answer in document["answers"]] == model.predict(new).tolist()
    for answer, row in zip(document["answers"], model.predict_proba(new), strict=True):
        assert answer["probabilities"] == dict(zip(model.classes_, row, strict=True))
        assert list(answer["probabilities"].values()) == sorted(answer["probabilities"].values(), reverse=True)
    assert [answer["line"] for answer in document["answers"]] == list(range(2, 18))
    assert [answer["actual"] for answer in document["answers"]] == [line.rpartition(",")[2] for line in ROWS[80:]]
    assert (document["task"], document["target"], document["cases"], document["neighbors"]) == (
        "classify",
        "job",
        80,
        3,
    )
    assert document["attributes"]["brakes"] == ["firm", "soft", "weak"]
    assert document["attributes"]["age_years"] == "numeric"
    assert document["attributes"]["bike"] == "nominal"
    assert "precedents" not in document["answers"][0]


def test_explain_gives_the_librarys_precedents(train: Path, query: Path) -> None:
    document = answers(ask("explain", train, query, "--json"))
    model, new = library()
    found = model.precedents(new)
    for answer, one in zip(document["answers"], found, strict=True):
        cases = answer["precedents"]
        assert [case["id"] for case in cases] == one.ids.tolist()
        assert [case["distance"] for case in cases] == one.distances.tolist()
        assert [case["line"] for case in cases] == [i + 2 for i in one.ids.tolist()]
        assert [tuple(case["values"].values()) for case in cases] == one.rows
        assert sum(case["vote"] for case in cases) == pytest.approx(1.0)
        for case in [*cases, answer["unlike"]]:
            assert sum(case["contributions"].values()) == pytest.approx(case["distance"])
        assert answer["unlike"]["target"] != answer["prediction"]
        assert "vote" not in answer["unlike"]


def test_the_query_may_come_from_standard_input_without_its_target(train: Path) -> None:
    text = "\n".join(without_target([HEADER, *ROWS[80:]])) + "\n"
    document = answers(ask("predict", train, "-", "--json", stdin=text))
    assert len(document["answers"]) == 16
    assert {answer["actual"] for answer in document["answers"]} == {None}
    packed = answers(ask("predict", train, "-", "--json", stdin=gzip.compress(text.encode())))
    assert packed == document


def test_query_columns_may_come_in_any_order(train: Path, query: Path, tmp_path: Path) -> None:
    turned = write(tmp_path / "turned.csv", [",".join(reversed(line.split(","))) for line in [HEADER, *ROWS[80:]]])
    assert answers(ask("explain", train, turned, "--json")) == answers(ask("explain", train, query, "--json"))


def test_gaps_and_unseen_values_are_answered(train: Path) -> None:
    lines = [HEADER.rpartition(",")[0], "gravel,2,?,74,no,NA,worn,brand-new,", ",,,,,,,,"]
    document = answers(ask("explain", train, "-", "--json", stdin="\n".join(lines)))
    assert len(document["answers"]) == 2


def test_a_table_without_new_cases_has_no_answers(train: Path) -> None:
    assert answers(ask("predict", train, "-", "--json", stdin=HEADER))["answers"] == []
    assert ask("explain", train, "-", stdin=HEADER).exit_code == 0


def test_regression_is_chosen_by_the_target_or_by_hand(tmp_path: Path) -> None:
    lines = ["size,kind,price", *(f"{i},{'ab'[i % 2]},{i * 1.5}" for i in range(30))]
    table = write(tmp_path / "prices.csv", lines)
    document = answers(
        run("explain", "--train", table, "--target", "price", "--query", table, "--json", "--neighbors", 3)
    )
    model = KNNRegressor(3).fit([[float(i), "ab"[i % 2]] for i in range(30)], [i * 1.5 for i in range(30)])
    expected = model.predict([[float(i), "ab"[i % 2]] for i in range(30)])
    assert document["task"] == "regress"
    assert [answer["prediction"] for answer in document["answers"]] == expected.tolist()
    assert document["answers"][4]["actual"] == 6.0
    assert not {"unlike", "probabilities"} & set(document["answers"][0])
    by_hand = run("predict", "--train", table, "--target", "price", "--query", table, "--json", "--task", "classify")
    assert answers(by_hand)["task"] == "classify"


@pytest.mark.parametrize(
    ("targets", "extra", "task"),
    [
        (("1", "2", "1"), (), "classify"),
        (("1", "2", "1"), ("--numeric", "t"), "regress"),
        (("1", "2.5", "1"), (), "regress"),
        (("1", "2.5", "1"), ("--nominal", "t"), "classify"),
        (("a", "b", "a"), (), "classify"),
    ],
)
def test_the_task_follows_the_target(
    tmp_path: Path, targets: tuple[str, ...], extra: tuple[str, ...], task: str
) -> None:
    table = write(tmp_path / "t.csv", ["x,t", *(f"{i},{target}" for i, target in enumerate(targets))])
    result = run("predict", "--train", table, "--target", "t", "--query", table, "--json", "--neighbors", 1, *extra)
    assert answers(result)["task"] == task


def test_ignored_columns_take_no_part(train: Path, query: Path, tmp_path: Path) -> None:
    numbered = [f"id,{HEADER}", *(f"{i},{row}" for i, row in enumerate(ROWS[:80]))]
    other = write(tmp_path / "numbered.csv", numbered)
    plain, marked = ask("predict", train, query, "--json"), ask("predict", other, query, "--json", "--ignore", "id")
    assert answers(plain) == answers(marked)


def test_reading_options_reach_the_reader(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes("größe;code;t\n1;7;a\n-9;7;b\n3;8;a\n".encode("latin-1"))
    options = ["--delimiter", ";", "--encoding", "latin-1", "--missing", "-9", "--nominal", "code", "--neighbors", 3]
    document = answers(run("explain", "--train", table, "--target", "t", "--query", table, "--json", *options))
    assert document["attributes"] == {"größe": "numeric", "code": "nominal"}
    sizes = [case["values"]["größe"] for case in document["answers"][0]["precedents"]]
    assert sizes == [1.0, None, 3.0]


@pytest.mark.parametrize("neighbors", ["sqrt", "loo", "all"])
def test_the_number_of_neighbours_may_be_a_rule(train: Path, query: Path, neighbors: str) -> None:
    model, new = library(n_neighbors=neighbors, vote="inverse_square")
    options = ("--json", "--neighbors", neighbors, "--vote", "inverse_square")
    document = answers(ask("predict", train, query, *options))
    assert document["neighbors"] == model.n_neighbors_
    assert [answer["prediction"] for answer in document["answers"]] == model.predict(new).tolist()
    ask("explain", train, query, *options)


def test_a_prior_keeps_few_neighbours_modest(train: Path, query: Path) -> None:
    document = answers(ask("predict", train, query, "--json", "--neighbors", 1, "--prior", "frequency"))
    assert all(0 < share < 1 for answer in document["answers"] for share in answer["probabilities"].values())


@pytest.mark.parametrize("columns", [80, 120])
def test_explain_prints_tables_that_fit(train: Path, query: Path, columns: int) -> None:
    result = ask("explain", train, query, columns=columns)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= columns
    assert "line 3  actual: wheel  job: wheel  (wheel 0.80, tune-up 0.20)" in result.stdout
    assert "unlike" in result.stdout
    assert "…" not in result.stdout
    assert "\x1b" not in result.stdout


def test_predict_prints_one_line_for_each_case_and_a_summary(train: Path, query: Path) -> None:
    result = ask("predict", train, query, columns=120)
    assert result.exit_code == 0
    heading = "job classified from the nearest 5 of 80 past cases (ties included), distance heom, vote uniform\n"
    assert result.stdout.startswith(heading)
    assert "of 16 right (" in result.stdout
    assert len([line for line in result.stdout.splitlines() if line.strip()[:1].isdigit()]) == 17
    assert result.stderr == ""
    narrow = ask("predict", train, query, columns=80).stdout
    assert narrow.startswith(heading.replace(", distance", ":\ndistance"))


def test_every_named_option_is_known_to_the_library() -> None:
    from priorcase.cli.learners import ByNeighbors
    from priorcase.similarity.kernels import KERNELS
    from priorcase.similarity.presets import PRESETS

    assert set(ByNeighbors.words["distance"]) == set(PRESETS)
    assert set(ByNeighbors.words["vote"]) == {"inverse_square", *KERNELS}
    allowed = KNNClassifier._parameter_constraints["ties"][0].options
    assert set(ByNeighbors.words["ties"]) == allowed


def test_regression_prints_its_error(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", *(f"{i},{i / 2}" for i in range(9))])
    options = ("--train", table, "--target", "t", "--query", table, "--neighbors", 1)
    assert (
        "mean absolute error 0 over 9 cases; 9 of the new cases are past cases too" in run("predict", *options).stdout
    )
    assert "actual: 0.5  t: 0.5" in run("explain", *options).stdout


def test_a_column_that_is_almost_numeric_is_noted(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", "1,a", "2,b", "~3,a", "4,b"])
    result = run("predict", "--train", table, "--target", "t", "--query", table, "--neighbors", 1)
    assert result.exit_code == 0
    assert result.stderr.startswith("priorcase: note: column 'x' is read as nominal: line 4 holds '~3' among numbers;")


def test_new_cases_that_are_past_cases_are_noted(train: Path, query: Path) -> None:
    both = write(query.with_name("both.csv"), [HEADER, *ROWS[78:]])
    result = ask("predict", train, both)
    assert " right (" in result.stdout
    assert result.stdout.endswith("; 2 of the new cases are past cases too\n")
    assert result.stderr.startswith("priorcase: note: 2 of 18 new cases stand among the past cases, target included,")
    assert "among the past cases" in ask("explain", train, both, "--json").stderr
    untold = write(query.with_name("untold.csv"), without_target([HEADER, *ROWS[78:]]))
    assert ask("predict", train, untold).stderr == ""
    other = [row.rpartition(",")[0] + ",other" for row in ROWS[:2]]
    assert ask("predict", train, write(query.with_name("other.csv"), [HEADER, *other])).stderr == ""


@pytest.mark.parametrize(
    ("extra", "heading"),
    [
        (("--neighbors", 3), "from the nearest 3 of 80 past cases (ties included), distance"),
        (("--neighbors", 3, "--ties", "first"), "from the nearest 3 of 80 past cases, distance"),
        (("--neighbors", "all"), "from the nearest 80 of 80 past cases, distance"),
    ],
)
def test_the_heading_says_whether_ties_vote(train: Path, query: Path, extra: tuple[object, ...], heading: str) -> None:
    for command in ("predict", "explain"):
        assert heading in ask(command, train, query, *extra, columns=120).stdout


def test_a_table_of_targets_alone_is_one_line(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["id,t", "1,a", "2,b"])
    options = ("--train", table, "--target", "t", "--query", table, "--ignore", "id")
    message = error(run("predict", *options))
    assert "t.csv has no column to compare cases by, beside the target 't' and ignored ones. Add" in message


def test_markup_in_the_tables_is_text(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["[red]x,[b]t", "[bold]a,[/i]", "[link]b,[u]"])
    for command in ("predict", "explain"):
        result = run(command, "--train", table, "--target", "[b]t", "--query", table, "--neighbors", 1)
        assert result.exit_code == 0, result.stderr
        assert "[/i]" in result.stdout
        assert "[b]t" in result.stdout


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--target", "jobb"], "has no column 'jobb'; it has 'bike', 'age_years'"),
        (["--target", "Jobb"], "Did you mean 'job'?"),
        (["--target", "lob"], "'noise', 'job'. Column names are compared letter by letter."),
        (["--ignore", "id"], "has no column 'id'"),
        (["--numeric", "bike"], "column 'bike' holds 'city'; expected a finite number."),
        (["--ordinal", "brakes=firm<weak"], "column 'brakes' holds 'soft'; expected one of 'firm', 'weak'."),
        (["--ordinal", "brakes"], "'brakes' is not of the form 'size=small<medium<large'"),
        (["--ordinal", "brakes=a<a"], "with two or more different levels"),
        (["--nominal", "bike", "--numeric", "bike"], "column 'bike' is declared more than once."),
        (["--neighbors", "0"], "'0' is neither a positive number nor one of sqrt, loo, all."),
        (["--neighbors", "1000"], "got --neighbors=1000; expected at most 80, the number of past cases."),
        (["--distance", "nearest"], "Invalid value for '--distance': 'nearest' is not one of heom, hvdm, vdm, mvdm"),
        (["--distance", "euclidian"], "Did you mean 'euclidean'?"),
        (["--vote", "loud"], "Invalid value for '--vote': 'loud' is not one of uniform, inverse_square, gaussian"),
        (["--vote", "tricubed"], "Did you mean 'tricube'?"),
        (["--ties", "coin"], "'coin' is not one of majority, first, nearest, reduce, which --learner neighbors takes."),
        (["--task", "regres"], "Did you mean 'regress'?"),
        (["--prior", "much"], "'much' is neither a number nor the word frequency, which --learner neighbors takes."),
        (["--prior", "-1"], "'--prior': -1 is not a finite number >= 0, which --learner neighbors takes."),
        (["--prior", "inf"], "'--prior': inf is not a finite number >= 0"),
        (["--prior", "1", "--task", "regress", "--target", "load_kg"], "has no value in the target column 'load_kg'"),
        (["--delimiter", ";;"], "';;' is not one character"),
        (["--delimiter", ";"], "has no column 'job'"),
        (["--encoding", "utf-99"], "The encoding 'utf-99' is unknown."),
        (["--train", "absent.csv"], "File 'absent.csv' does not exist."),
        (["--train", "-", "--query", "-"], "--train and --query cannot both be standard input."),
        (["--loud"], "priorcase predict has no option --loud."),
    ],
)
def test_each_mistake_is_one_line(train: Path, query: Path, args: list[str], expected: str) -> None:
    given = ["--train", str(train), "--target", "job", "--query", str(query), *args]
    message = error(run("predict", *given))
    assert expected in message


def test_a_prior_is_refused_where_it_has_no_effect(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", "1,0.5", "2,1.5"])
    options = ("--train", table, "--target", "t", "--query", table, "--prior", 1)
    assert "expected no prior for a regression" in error(run("predict", *options))
    message = error(run("predict", *options[:-2], "--ties", "nearest"))
    assert message == (
        "got --ties='nearest'; expected majority or first for a regression. "
        "Leave it out, or take --task classify if each number of 't' is a class."
    )


def test_tables_that_do_not_fit_together_are_one_line(train: Path, tmp_path: Path) -> None:
    extra = write(tmp_path / "extra.csv", [f"{HEADER},colour", f"{ROWS[0]},red"])
    assert "has a column 'colour' that" in error(ask("predict", train, extra))
    short = write(tmp_path / "short.csv", ["bike,age_years", "city,2"])
    assert "has no column 'km_since_service'" in error(ask("predict", train, short))
    words = write(tmp_path / "words.csv", [HEADER, ROWS[0].replace("1.5", "old")])
    assert "line 2, column 'age_years' holds 'old'; expected a finite number." in error(ask("predict", train, words))
    bare = write(tmp_path / "bare.csv", [HEADER])
    assert "has a header but no rows" in error(ask("predict", bare, extra))
    assert "is a directory" in error(ask("predict", tmp_path, extra))


def test_debug_shows_the_traceback(train: Path) -> None:
    for args in (["--debug", "predict"], ["predict", "--debug"]):
        result = run(*args, "--train", train, "--target", "jobb", "--query", train)
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
        assert result.stderr.splitlines()[-1].startswith("priorcase: error: ")


def test_help_version_and_no_command() -> None:
    assert run("--version").stdout == f"priorcase {__version__}\n"
    assert run().stdout == run("--help").stdout
    assert run().exit_code == 0
    for command in ("predict", "explain"):
        text = run(command, "--help").stdout
        assert "Examples:" in text
        assert "probabilities" in text
    assert "precedents" in run("explain", "--help").stdout
    assert error(run("predickt")) == (
        "there is no command 'predickt'; there are report, predict, explain, evaluate and cases. "
        "Did you mean 'predict'?"
    )


def test_help_is_quick_and_loads_nothing_heavy() -> None:
    script = (
        "import sys; from priorcase.cli import main\n"
        "try: main(['--help'])\n"
        "finally: print([name for name in ('numpy', 'sklearn', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    best = 9.0
    for _ in range(3):
        start = os.times()
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
        stop = os.times()  # of its own: what other programs take of the processor is not its fault
        best = min(best, sum(stop[2:4]) - sum(start[2:4]))
        assert done.stderr == "[]\n"
    assert best < 0.3


@pytest.mark.parametrize("args", [["predict"], ["explain"], ["explain", "--json"], ["--help"]])
@pytest.mark.parametrize("read", [0, 1])
def test_a_closed_pipe_ends_the_command_quietly(train: Path, args: list[str], read: int) -> None:
    command = [sys.executable, "-c", "from priorcase.cli import main; main()", *args]
    command += ["--train", str(train), "--target", "job", "--query", str(train)] if args != ["--help"] else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(read)
        process.stdout.close()
        said = process.stderr.read().decode()
    assert [line for line in said.splitlines() if "note: " not in line] == []
    # What was small enough to be on its way before the pipe was closed has been delivered.
    assert process.returncode in ((0, 141) if read else (141,))


def test_one_line_joins_lines() -> None:
    assert one_line("a\n  b\tc\n") == "a b c"
