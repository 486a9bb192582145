"""``priorcase predict`` and ``explain``: every learner of the registry answers as the library does, and shows why."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import FAST, HEADER, LEVELS, ROWS, answers, ask, error, run, split_table, write

import priorcase as pc
from priorcase.bayes import BDeu
from priorcase.datasets import NamedColumns
from priorcase.registry import LEARNERS, find
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

STATES = {"old": 0.0, "fair": 25.0, "new": 60.0}
FLAT_LEVELS = ("--column", "state=old<fair<new")


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture(scope="module")
def query(train: Path) -> Path:
    return write(train.with_name("query.csv"), [HEADER, *ROWS[80:]])


@pytest.fixture(scope="module")
def few(train: Path) -> Path:
    """Queries for commands that take a while for each row."""
    return write(train.with_name("few.csv"), [HEADER, *ROWS[80:83]])


def flats() -> list[tuple[float | None, str, str, float]]:
    """Sixty flats, some without a size; what they cost bends with size and goes with their state."""
    random = np.random.default_rng(5)
    found: list[tuple[float | None, str, str, float]] = []
    for i in range(60):
        size, town = round(random.uniform(20, 120), 1), "ab"[random.integers(2)]
        state = list(STATES)[random.integers(3)]
        price = 2 * size + (size / 20) ** 2 + 15 * (town == "b") + STATES[state] + random.normal(0, 4)
        found.append((None if i % 13 == 5 else size, town, state, round(price, 2)))
    return found


FLATS = flats()


@pytest.fixture(scope="module")
def prices(train: Path) -> tuple[Path, Path]:
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in FLATS]
    head = "size,town,state,price"
    return write(train.with_name("p.csv"), [head, *lines[:50]]), write(train.with_name("q.csv"), [head, *lines[50:]])


def split_flats() -> tuple[NamedColumns, list[float], NamedColumns]:
    kinds: dict[str, Kind] = {"size": Numeric(), "town": Nominal(), "state": Ordinal(tuple(STATES))}
    whole = NamedColumns.of({name: [row[a] for row in FLATS] for a, name in enumerate(kinds)}, kinds)
    return whole.take(slice(0, 50)), [row[3] for row in FLATS[:50]], whole.take(slice(50, None))


# Every learner


def test_the_stack_is_the_default_and_tells_its_weights_and_intervals(
    train: Path, query: Path, prices: tuple[Path, Path]
) -> None:
    document = answers(run("predict", train, "--target", "job", query, *LEVELS, "--json"))
    past, targets, new = split_table()
    model = pc.StackedClassifier().fit(past, targets)
    assert document["learner"] == "stacked"
    assert document["weights"] == model.weights_
    assert [one["prediction"] for one in document["predictions"]] == model.predict(new).tolist()
    table, asked = prices
    numbers = answers(run("explain", table, "--target", "price", asked, *FLAT_LEVELS, "--level", 0.8, "--json"))
    X, y, cases = split_flats()
    ends = pc.StackedRegressor().fit(X, y).predict_interval(cases, 0.8)
    assert [one["interval"] for one in numbers["predictions"]] == ends.tolist()
    assert "slopes" not in numbers["predictions"][0]


SETTINGS = {
    "knn": {"n_neighbors": 3, "distance": "gower", "prior": 1.0},
    "locally_weighted": {"kernel": "gaussian"},
    "naive_bayes": {"predictive": "map", "numeric": "mdl"},
    "tree_averaged_bayes": {"prior": BDeu(2.5)},
    "ib3": {"shuffle": True},
    "pebls": {"weighting": "one_pass", "bins": 4},
    "rbf_network": {"n_centers": 12},
}


def options(name: str, task: str) -> tuple[dict[str, Any], list[str]]:
    given = {key: value for key, value in SETTINGS.get(name, {}).items() if task == "classify" or key != "prior"}
    return given, [word for key, value in given.items() for word in ("--set", f"{key}={value}")]


def fitted(name: str, task: Any, given: dict[str, Any], X: NamedColumns, y: Any) -> Any:
    model = find(name).make(task, **given)
    if "random_state" in model.get_params():
        model.set_params(random_state=given.get("random_state", 0))
    return model.fit(X.frame() if name == "baseline" else X, y)


@pytest.mark.parametrize("name", LEARNERS)
def test_classes_are_the_librarys(name: str, train: Path, query: Path) -> None:
    given, flags = options(name, "classify")
    document = answers(ask("predict", train, query, "--learner", name, *flags, "--json"))
    past, targets, new = split_table()
    model = fitted(name, "classify", given, past, targets)
    asked = new.frame() if name == "baseline" else new
    assert [one["prediction"] for one in document["predictions"]] == model.predict(asked).tolist()
    for answer, row in zip(document["predictions"], model.predict_proba(asked), strict=True):
        assert answer["probabilities"] == dict(zip(model.classes_, row, strict=True))
        assert list(answer["probabilities"].values()) == sorted(answer["probabilities"].values(), reverse=True)
    assert [one["line"] for one in document["predictions"]] == list(range(2, 18))
    assert [one["actual"] for one in document["predictions"]] == [line.rpartition(",")[2] for line in ROWS[80:]]
    assert (document["task"], document["target"], document["cases"], document["learner"]) == (
        "classify",
        "job",
        80,
        name,
    )
    told = {key: str(value) if isinstance(value, BDeu) else value for key, value in given.items()}
    assert {key: document["parameters"][key] for key in given} == told


@pytest.mark.parametrize("name", [name for name, one in LEARNERS.items() if "regress" in one.tasks])
def test_numbers_are_the_librarys(name: str, prices: tuple[Path, Path]) -> None:
    given, flags = options(name, "regress")
    table, new = prices
    document = answers(
        run("explain", table, "--target", "price", new, *FLAT_LEVELS, "--learner", name, *flags, "--json")
    )
    past, targets, asked = split_flats()
    model = fitted(name, "regress", given, past, targets)
    told = model.predict(asked.frame() if name == "baseline" else asked)
    assert [one["prediction"] for one in document["predictions"]] == told.tolist()
    assert document["predictions"][0]["actual"] == FLATS[50][3]
    assert not {"unlike", "probabilities"} & set(document["predictions"][0])
    if name == "locally_weighted":
        assert [one["interval"] for one in document["predictions"]] == model.predict_interval(asked, 0.95).tolist()
        slopes = model.coefficients(asked)
        assert list(document["predictions"][0]["slopes"]) == list(slopes.labels)
        wide = run(
            "predict", table, "--target", "price", new, *FLAT_LEVELS, "--learner", name, "--level", 0.5, "--json"
        )
        assert answers(wide)["level"] == 0.5


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_explained(name: str, train: Path, tmp_path: Path) -> None:
    """As `priorcase.explain` explains it."""
    n = 1 if name == "stacked" else 3  # which takes seconds for each
    asked = write(tmp_path / "new.csv", [HEADER, *ROWS[80 : 80 + n]])
    result = ask("explain", train, asked, "--learner", name, "--fixed", "bike", "--json")
    past, targets, rest = split_table()
    new = rest.take(slice(0, n))
    model = fitted(name, "classify", {}, past, targets)
    data: dict[str, Any] = {"data": (past.frame(), targets)} if name == "baseline" else {}
    found = pc.explain(model, new.frame() if name == "baseline" else new, fixed=["bike"], **data)
    for answer, one in zip(answers(result)["predictions"], found, strict=True):
        told = answer["contributions"]
        assert list(told["contributions"].values()) == one.contributions[0].tolist()
        assert (told["scale"], told["base"], told["total"]) == (one.scale, one.base[0], one.total[0])
        assert sum(told["contributions"].values(), told["base"]) == pytest.approx(told["total"], abs=1e-12)
        assert [case["id"] for case in answer["precedents"]] == one.precedents.ids.tolist()
        for case in [*answer["precedents"], *([answer["unlike"]] if answer["unlike"] else [])]:
            assert sum(case["contributions"].values()) == pytest.approx(case["distance"])
            assert case["line"] == case["id"] + 2
        if hasattr(model, "precedents"):
            assert [case["vote"] for case in answer["precedents"]] == one.precedents.votes.tolist()
        assert [
            turned["prediction"] for turned in answer["counterfactuals"]
        ] == one.counterfactuals.new_predictions.tolist()
        for turned in answer["counterfactuals"]:
            assert turned["prediction"] != answer["prediction"]
            assert "bike" not in turned["changes"]
    shown = ask("explain", train, "noise=creak", "--learner", name)
    assert shown.exit_code == 0
    assert "what would change the prediction" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80 or name in ("ib3", "tuned_knn")
    assert "\x1b" not in shown.stdout


def test_counterfactuals_reach_what_is_wanted(train: Path, few: Path, prices: tuple[Path, Path]) -> None:
    found = answers(ask("explain", train, few, "--want", "brakes", "--counterfactuals", 2, "--json"))["predictions"]
    turned = [one for answer in found for one in answer["counterfactuals"]]
    assert len(turned) > len(found)
    assert {one["prediction"] for one in turned} == {"brakes"}
    flats = ("--target", "price", prices[1], *FLAT_LEVELS, "--learner", "knn")
    dear = answers(run("explain", prices[0], *flats, "--want", ">200", "--json"))["predictions"]
    assert all(one["prediction"] > 200 for answer in dear for one in answer["counterfactuals"])
    assert "counterfactuals" not in answers(run("explain", prices[0], *flats, "--json"))["predictions"][0]
    assert "'>100' or '<50'" in error(run("explain", prices[0], *flats, "--want", "200"))
    assert "Did you mean 'brakes'?" in error(ask("explain", train, few, "--want", "brake"))
    fixed = error(ask("explain", train, few, "--fixed", "colour"))
    assert fixed.startswith("--fixed 'colour' is not a column from which 'job' is predicted. The columns are 'bike', ")
    assert "Did you mean 'bike'?" in error(ask("explain", train, few, "--fixed", "bikes"))


def test_records_weights_and_relevance_are_told(train: Path, query: Path) -> None:
    judged = answers(ask("explain", train, query, "--learner", "ib3", "--json"))["predictions"][0]["precedents"][0]
    assert {"successes", "trials", "verdict"} <= set(judged)
    assert "records: #" in ask("explain", train, query, "--learner", "ib3").stdout
    weighed = answers(ask("explain", train, query, "--learner", "pebls", "--json"))["predictions"][0]["precedents"][0]
    assert {"used", "correct", "weight"} <= set(weighed)
    plain = ask("explain", train, query, "--learner", "pebls", "--set", "weighting=None", "--json")
    assert "weight" not in answers(plain)["predictions"][0]["precedents"][0]
    by_class = answers(ask("predict", train, query, "--learner", "ib4", "--json"))["attribute_weights"]
    assert set(by_class) == {"brakes", "drivetrain", "tune-up", "wheel"}
    relief = ask("explain", train, query, "--learner", "knn", "--set", "attribute_weights=relief")
    assert "attribute weights: " in relief.stdout
    subsets = answers(ask("predict", train, query, "--learner", "subset_averaged_bayes", "--json"))
    assert 0 <= min(subsets["relevance"].values()) <= max(subsets["relevance"].values()) <= 1
    chosen = answers(ask("predict", train, query, "--learner", "knn", "--set", "n_neighbors=sqrt", "--json"))
    assert (chosen["parameters"]["n_neighbors"], chosen["chosen"]["n_neighbors"]) == ("sqrt", 8)
    assert (
        "chosen: n_neighbors 8" in ask("predict", train, query, "--learner", "knn", "--set", "n_neighbors=sqrt").stdout
    )


# The query: a file, standard input, or one typed case


def test_a_typed_case_is_a_table_of_one_row(train: Path, tmp_path: Path) -> None:
    words = ["bike=mountain", "load_kg=90", "noise=creak", "brakes=?"]
    cells = {**dict.fromkeys(HEADER.split(",")[:-1], ""), "bike": "mountain", "load_kg": "90", "noise": "creak"}
    table = write(tmp_path / "one.csv", [",".join(cells), ",".join(cells.values())])
    for command in ("predict", "explain"):
        typed = answers(run(command, train, "--target", "job", *words, *LEVELS, *FAST, "--json"))
        read = answers(run(command, train, "--target", "job", table, *LEVELS, *FAST, "--json"))
        assert {**typed["predictions"][0], "line": 2} == read["predictions"][0]
    shown = run("predict", train, *words, "--target", "job", *LEVELS).stdout
    assert shown.splitlines()[-2:] == [
        "job    probability",
        "wheel  wheel 0.95, tune-up 0.03, brakes 0.01, drivetrain 0.01",
    ]
    strange = run("predict", train, "--target", "job", 'noise=a,b\n"c', *FAST, "--json")
    assert answers(strange)["predictions"][0]["prediction"]


def test_columns_with_spaces_and_equals_signs_can_be_typed(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["paint colour,a=b,t", "red,1,x", "blue,2,y"])
    typed = run(
        "predict",
        table,
        "--target",
        "t",
        "paint colour=blue",
        "a=b=2",
        "--learner",
        "knn",
        "--set",
        "n_neighbors=1",
        "--json",
    )
    assert answers(typed)["predictions"][0]["prediction"] == "y"


def test_the_query_may_come_from_standard_input_without_its_target(train: Path, query: Path, few: Path) -> None:
    text = "\n".join(line.rpartition(",")[0] for line in [HEADER, *ROWS[80:]]) + "\n"
    document = answers(ask("predict", train, "-", "--json", stdin=text))
    assert {answer["actual"] for answer in document["predictions"]} == {None}
    assert answers(ask("predict", train, "-", "--json", stdin=gzip.compress(text.encode()))) == document
    turned = "\n".join(",".join(reversed(line.split(","))) for line in [HEADER, *ROWS[80:83]])
    expected = answers(ask("explain", train, few, "--json"))
    assert answers(ask("explain", train, "-", "--json", stdin=turned)) == expected
    past = run("predict", "-", "--target", "job", query, *FAST, "--csv", stdin=train.read_bytes())
    assert past.stdout.count("\n") == 17


def test_gaps_unseen_values_and_no_new_cases_are_answered(train: Path) -> None:
    lines = [HEADER.rpartition(",")[0], "gravel,2,?,74,no,NA,worn,brand-new,", ",,,,,,,,"]
    for name in ("knn", "naive_bayes", "ib3", "locally_weighted"):
        found = answers(ask("explain", train, "-", "--learner", name, "--json", stdin="\n".join(lines)))
        assert len(found["predictions"]) == 2
        assert answers(ask("predict", train, "-", "--learner", name, "--json", stdin=HEADER))["predictions"] == []
    assert ask("explain", train, "-", stdin=HEADER).exit_code == 0
    header = ask("predict", train, "-", "--csv", stdin=HEADER).stdout
    columns = HEADER.removesuffix(",job")
    assert header == f"line,{columns},prediction,P(brakes),P(drivetrain),P(tune-up),P(wheel),actual\n"


def test_many_cases_are_answered_block_by_block(train: Path, query: Path) -> None:
    text = "\n".join([HEADER, *ROWS[80:] * 150])
    found = answers(ask("predict", train, "-", "--learner", "naive_bayes", "--json", stdin=text))["predictions"]
    assert len(found) == 2400
    assert [one["prediction"] for one in found[:16]] == [one["prediction"] for one in found[-16:]]


# What is printed


def test_predict_prints_one_line_for_each_case_and_a_summary(train: Path, query: Path) -> None:
    result = run("predict", train, "--target", "job", query, *LEVELS, columns=120)
    lines = result.stdout.splitlines()
    assert lines[0] == "job predicted by StackedClassifier() from 80 past cases"
    assert lines[1].startswith("weights: ")
    assert lines[3].split() == ["line", "job", "probability", "actual"]
    assert sum(line.strip()[:1].isdigit() for line in lines) == 17
    assert "of 16 right (" in lines[-1]
    assert result.stderr == ""
    sure = ask("predict", train, query, "--learner", "naive_bayes").stdout
    assert ">0.99" in sure
    assert "1.00" not in sure


def test_regressions_print_intervals_and_errors(prices: tuple[Path, Path]) -> None:
    table, new = prices
    shown = run("predict", table, "--target", "price", new, *FLAT_LEVELS, "--learner", "locally_weighted").stdout
    assert "95% interval" in shown
    assert "mean absolute error " in shown
    assert " of 10 within their intervals" in shown
    why = run("explain", table, "--target", "price", new, *FLAT_LEVELS, "--learner", "locally_weighted").stdout
    assert "95% interval: " in why
    assert "slopes: size +" in why


def test_csv_has_what_json_has(train: Path, query: Path, few: Path, prices: tuple[Path, Path], tmp_path: Path) -> None:
    document = answers(ask("predict", train, query, "--json"))
    text = ask("predict", train, query, "--csv").stdout
    for line, answer, row in zip(csv.DictReader(io.StringIO(text)), document["predictions"], ROWS[80:], strict=True):
        assert list(line.values())[:10] == [str(answer["line"]), *row.split(",")[:9]]
        assert (line["prediction"], line["actual"]) == (answer["prediction"], answer["actual"])
        shares = {name: float(value) for name, value in line.items() if name.startswith("P(")}
        assert shares == {f"P({label})": round(share, 4) for label, share in answer["probabilities"].items()}
    local = run("predict", prices[0], "--target", "price", prices[1], "--csv", "--learner", "locally_weighted").stdout
    assert local.startswith("line,size,town,state,prediction,lower,upper,actual\n")
    written = ask("predict", train, query, "--out", tmp_path / "answers.csv")
    assert written.stdout == f"Written: {tmp_path / 'answers.csv'}\n"
    assert (tmp_path / "answers.csv").read_text() == text
    ask("explain", train, few, "--out", tmp_path / "why.json")
    assert json.loads((tmp_path / "why.json").read_text()) == answers(ask("explain", train, few, "--json"))
    ask("explain", train, few, "--out", tmp_path / "why.txt")
    assert (tmp_path / "why.txt").read_text() == ask("explain", train, few).stdout


def test_the_columns_of_new_cases_come_along_as_they_are_written(tmp_path: Path) -> None:
    rows = [f"K{i:03};{i % 7},5;{i % 9 + 1}.3.2025;{'ja' if i % 7 > 3 else 'nein'}" for i in range(40)]
    table = write(tmp_path / "past.csv", ["customer;prediction;day;late", *rows])
    lines = ["file;customer;prediction;day;line", "007;K900;1,50;01.3.2025;x", "008;K901;NA;02.3.2025;"]
    new = write(tmp_path / "new.csv", lines)
    asked = ("predict", table, "--target", "late", "--learner", "knn", "--csv")
    header = ["line", "file", "customer", "prediction (value)", "day", "line (value)", "prediction", "P(ja)", "P(nein)"]
    for found in (
        run(*asked, new),
        run(*asked, "-", stdin=new.read_bytes()),
        run(*asked, new, "--column", "day=ignore"),
    ):
        assert found.exit_code == 0, found.stderr
        assert found.stdout.splitlines()[0].split(";") == header
        written = [list(line.values())[:6] for line in csv.DictReader(io.StringIO(found.stdout), delimiter=";")]
        assert written == [["2", *lines[1].split(";")], ["3", *lines[2].split(";")]]
    pd.read_csv(new, sep=";", dtype=str, keep_default_na=False).to_excel(tmp_path / "new.xlsx", index=False)
    excel = run("predict", table, tmp_path / "new.xlsx", *asked[2:-1], "--out", tmp_path / "answers.csv")
    assert excel.exit_code == 0, excel.stderr
    values = list(csv.DictReader(io.StringIO((tmp_path / "answers.csv").read_text(encoding="utf-8"))))
    assert [list(line.values())[:6] for line in values] == written


def test_csv_is_written_as_the_file_of_new_cases(tmp_path: Path) -> None:
    """With its delimiter and decimal mark, and a byte-order mark where a spreadsheet needs one."""
    rows = [f"{1000 + i},{i % 7}5;{('Köln', 'Würzburg')[i % 2]};{'ja' if i % 7 > 3 else 'nein'}" for i in range(40)]
    table, new, out = tmp_path / "past.csv", tmp_path / "new.csv", tmp_path / "out.csv"
    table.write_text("\n".join(["Betrag;Ort;Verspätet", *rows]), encoding="latin-1")
    new.write_text("\n".join(["Betrag;Ort", "1003,45;Köln", "1005,15;Würzburg"]), encoding="latin-1")
    learner = ("--target", "Verspätet", "--learner", "naive_bayes")
    assert run("predict", table, new, *learner, "--out", out).exit_code == 0
    assert out.read_bytes().startswith(codecs.BOM_UTF8)
    lines = out.read_text(encoding="utf-8-sig").splitlines()
    assert lines[0] == "line;Betrag;Ort;prediction;P(ja);P(nein)"
    assert re.fullmatch(r"2;1003,45;Köln;(ja|nein);[01],\d{1,4};[01],\d{1,4}", lines[1])
    read, exact = pc.datasets.read_table(out), answers(run("predict", table, new, *learner, "--json"))["predictions"]
    assert read["P(ja)"].tolist() == [round(one["probabilities"]["ja"], 4) for one in exact]
    assert read["Ort"].tolist() == ["Köln", "Würzburg"]
    assert run("predict", table, new, *learner, "--csv").stdout.splitlines() == lines  # without a byte-order mark

    number = ("--target", "Betrag", "--learner", "knn")
    assert run("predict", table, table, *number, "--out", out).exit_code == 0
    read = pc.datasets.read_table(out)
    assert read["actual"].tolist() == pc.datasets.read_table(table)["Betrag"].tolist()
    assert read["prediction"].dtype == float

    commas = "\n".join(["Ort,Betrag", 'Köln,"1003,45"', 'Köln,"1001,15"'])
    for encoding, marked in (("utf-8", False), ("utf-8-sig", True), ("utf-16", True)):
        new.write_text(commas, encoding=encoding)
        assert run("predict", table, new, *learner, "--out", out).exit_code == 0
        assert out.read_bytes().startswith(codecs.BOM_UTF8) == marked
        assert re.match(r'2,Köln,"1003,45",(ja|nein),"[01],\d+",', out.read_text(encoding="utf-8-sig").splitlines()[1])


def test_new_cases_that_are_past_cases_are_noted(train: Path, tmp_path: Path) -> None:
    both = write(tmp_path / "both.csv", [HEADER, *ROWS[78:]])
    assert "2 of 18 new cases are identical to a past case, including the target" in ask("predict", train, both).stderr
    other = [row.rpartition(",")[0] + ",other" for row in ROWS[:2]]
    assert ask("predict", train, write(tmp_path / "other.csv", [HEADER, *other])).stderr == ""


def test_queries_out_of_reach_are_noted_by_line(train: Path, query: Path) -> None:
    far = ask("predict", train, query, "--learner", "locally_weighted", "--set", "bandwidth=0.001")
    assert "no past case lies within the bandwidth at lines 2, 3, 4, 5, 6 and 11 more, so" in far.stderr


def test_what_rules_classes_out_is_said_in_words(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["a,b,t", "x,p,yes", "y,q,no", "y,p,no"])
    shown = run(
        "explain",
        table,
        "--target",
        "t",
        "a=x",
        "b=q",
        "--learner",
        "naive_bayes",
        "--set",
        "predictive=map",
        "--set",
        "prior=1.0",
    )
    assert shown.exit_code == 0, shown.stderr


# Mistakes


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--target", "jobb"], "has no column 'jobb'"),
        (["--target", "Jobb"], "Did you mean 'job'?"),
        (["--column", "id=ignore"], "has no column 'id'"),
        (["--column", "bike=numeric"], "column 'bike' holds 'city'; expected a number such as 3.5."),
        (["--column", "brakes=firm<weak"], "column 'brakes' holds 'soft'; expected one of 'firm', 'weak'."),
        (["--column", "brakes"], "is not of the form NAME=KIND"),
        (["--column", "brakes=a<a"], "two or more different levels"),
        (["--column", "brakes=nominl"], "Did you mean 'nominal'?"),
        (["--column", "bike=nominal", "--column", "bike=ignore"], "is declared more than once"),
        (["--column", "job=ignore"], "would drop the target"),
        (["--read", "delimter=;"], "Did you mean 'delimiter'?"),
        (["--read", "delimiter=;;"], "delimiter"),
        (["--read", "encoding=utf-99"], "utf-99"),
        (["--read", "format=arf"], "arf"),
        (["--learner", "knn", "--set", "n_neighbors=0"], "n_neighbors must be"),
        (["--learner", "knn", "--set", "n_neighbors=1000"], "n_neighbors = 1000"),
        (["--learner", "knn", "--set", "n_neigbors=3"], "Did you mean 'n_neighbors'?"),
        (["--learner", "knn", "--set", "distance=euclidian"], "Did you mean 'euclidean'?"),
        (["--set", "prior"], "is not of the form NAME=VALUE"),
        (["--set", "prior=1", "--set", "prior=2"], "is specified twice"),
        (["--learner", "neighbors"], "unknown learner 'neighbors'"),
        (["--learner", "knn:n_neighbors=3"], "--learner knn --set n_neighbors=3."),
        (["--learner", "knn:"], "unknown learner 'knn:'"),
        (["--learner", "naive_bays"], "Did you mean 'naive_bayes'?"),
        (["--level", "0.9"], "--level has no effect with stacked"),
        (["--level", "2"], "not a probability"),
        (["--learner", "baseline", "--set", "strategy=guess"], "'strategy' parameter"),
        (["--csv", "--json"], "--json cannot be combined with --csv."),
        (["--out", "nowhere/x.csv"], "there is no folder 'nowhere'."),
        (["--out", "x.xlsx"], "does not end in .txt or .csv or .json or .parquet."),
        (["--lerner", "knn"], "Did you mean '--learner'?"),
    ],
)
def test_each_mistake_is_one_line(train: Path, query: Path, args: list[str], expected: str) -> None:
    target = [] if "--target" in args else ["--target", "job"]
    assert expected in error(run("predict", train, query, *target, *args))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["noise=creak", "noise=quiet"], "'noise' is specified twice."),
        (["nois=creak"], "Did you mean 'noise'?"),
        (["colour=red"], "has no column 'colour' to predict from"),
        (["job=wheel"], "'job' is the target, which is predicted"),
        (["noise=creak", "quiet"], "'quiet' is neither a file nor of the form NAME=VALUE."),
        (
            ["age_years=old"],
            "column 'age_years' holds 'old'; expected a number such as 3.5. Write ? for an unknown value.",
        ),
        (["absent.csv"], "does not exist"),
        ([], "Missing argument 'QUERY...'"),
    ],
)
def test_mistakes_in_typed_cases_are_one_line(train: Path, words: list[str], expected: str) -> None:
    assert expected in error(run("predict", train, "--target", "job", *words))


def test_tables_that_do_not_fit_together_are_one_line(train: Path, tmp_path: Path) -> None:
    extra = write(tmp_path / "extra.csv", [f"{HEADER},colour", f"{ROWS[0]},red"])
    other = write(tmp_path / "other.csv", ["colour", "red"])
    found = error(ask("predict", train, other))
    assert "has no column 'bike'; it has 'colour'. The file was read as a single column" in found
    bare = write(tmp_path / "bare.csv", [HEADER])
    assert "has a header but no rows" in error(ask("predict", bare, extra, "--column", "colour=ignore"))
    assert "is a directory" in error(ask("predict", tmp_path, extra))
    assert "cannot both be standard input" in error(run("predict", "-", "-", "--target", "job"))
    alone = write(tmp_path / "alone.csv", ["id,t", "1,a", "2,b"])
    assert "no column to predict" in error(run("predict", alone, alone, "--target", "t", "--column", "id=ignore"))
    single = write(tmp_path / "single.csv", ["x,t", "1,a", "2,a"])
    one = ("explain", single, "x=1", "--target", "t", "--learner", "naive_bayes")
    assert "a  (a 1.00)" in run(*one).output
    numbers = write(tmp_path / "numbers.csv", ["x,t", "1,1.5", "2,2.5"])
    assert "does not predict numbers" in error(run("predict", numbers, "x=1", "--target", "t", "--learner", "aode"))


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_absent_columns_are_missing_and_others_are_not_used(train: Path, tmp_path: Path, command: str) -> None:
    given = "age_years,bike,chain,outdoors"
    rows = [
        ",".join(dict(zip(HEADER.split(","), row.split(","), strict=True))[name] for name in given.split(","))
        for row in ROWS[80:84]
    ]
    commas = "," * (HEADER.count(",") - 5)
    absent = [name for name in HEADER.split(",")[:-1] if name not in given.split(",")]
    whole = write(tmp_path / "whole.csv", [f"{given},{','.join(absent)}", *(f"{row},{commas}" for row in rows)])
    short = write(tmp_path / "short.csv", [f"patient,{given}", *(f"P{i},{row}" for i, row in enumerate(rows))])
    done = ask(command, train, short, "--json")
    assert answers(done)["predictions"] == answers(ask(command, train, whole, "--json"))["predictions"]
    assert f"short.csv has no columns {', '.join(map(repr, absent))} (treated as missing)" in done.stderr
    assert "train.csv does not have them: 'patient'" in done.stderr
    misspelt = write(tmp_path / "misspelt.csv", [f"Noise,{given}", *(f"quiet,{row}" for row in rows)])
    assert "has a column 'Noise' that" in error(ask(command, train, misspelt))
    assert "Did you mean 'noise'?" in error(ask(command, train, misspelt))
    assert ask(command, train, misspelt, "--column", "Noise=ignore").exit_code == 0


def test_a_command_gives_the_same_answers_again(train: Path, query: Path) -> None:
    for name in ("ib3", "rbf_network"):
        first, again = (ask("predict", train, query, "--learner", name, "--json").stdout for _ in range(2))
        assert first == again
    other = ask(
        "predict", train, query, "--learner", "ib3", "--set", "random_state=3", "--set", "shuffle=true", "--json"
    )
    assert answers(other)["parameters"]["random_state"] == 3


def test_the_help_of_a_learner_lists_its_parameters() -> None:
    text = run("predict", "--learner", "ib3", "--help").stdout
    assert text.startswith("ib3: IB3. ")
    for part in ("accept=0.9", "shuffle=False", "confidence levels of acceptance"):
        assert part in text
    assert "KNNRegressor" in run("evaluate", "--help", "--learner=knn:prior=1").stdout
    assert "Did you mean 'knn'?" in error(run("predict", "--learner", "kn", "--help"))
    for name in LEARNERS:
        assert run("explain", "--learner", name, "--help").exit_code == 0


def test_dates_are_no_target(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,day", *(f"{i % 5},2025-03-{i % 9 + 1:02}" for i in range(40))])
    for command in ("predict", "explain", "evaluate", "report"):
        query = ["x=1"] if command in ("predict", "explain") else []
        found = error(run(command, table, *query, "--target", "day"))
        assert found.startswith("the target 'day' contains dates; expected numbers or classes.")
        assert "--column day=nominal" in found
    classes = run("predict", table, "x=1", "--target", "day", "--column", "day=nominal", "--learner", "naive_bayes")
    assert "2025-03-0" in classes.stdout


def test_the_stack_says_whose_neighbors_it_shows(train: Path) -> None:
    shown = run("explain", train, "--target", "job", "noise=creak", *LEVELS, columns=120).stdout
    member = r"used by the stack member \w+, which has [\d.]+% of the weight of the stack"
    assert re.search(rf"\n\nSimilar past cases \({member}\)\n +new case", shown)


def test_lines_of_past_cases_are_shown_for_files_only(train: Path) -> None:
    knn = ("noise=creak", "--learner", "knn")
    assert " is line " in ask("explain", train, *knn).stdout
    assert " is line " not in ask("explain", "repairs", *knn).stdout


def test_small_probabilities_are_not_shown_as_zero(train: Path) -> None:
    shown = ask("explain", train, "bike=mountain", "noise=creak", "chain=fresh", "--learner", "naive_bayes").stdout
    assert "<0.01" in shown
    assert " 0.00," not in shown.partition("\n\n")[2].partition("\n")[0]


def test_the_task_follows_the_target(tmp_path: Path) -> None:
    cases: list[tuple[list[str], list[str], str]] = [
        (["1", "2", "1"], [], "classify"),
        (["1", "2", "1"], ["--column", "t=numeric"], "regress"),
        (["1", "2.5", "1"], [], "regress"),
        (["1", "2.5", "1"], ["--column", "t=nominal"], "classify"),
        (["a", "b", "a"], [], "classify"),
    ]
    for targets, flags, task in cases:
        table = write(tmp_path / "t.csv", ["x,t", *(f"{i},{target}" for i, target in enumerate(targets))])
        found = run(
            "predict", table, table, "--target", "t", "--json", "--learner", "knn", "--set", "n_neighbors=1", *flags
        )
        assert answers(found)["task"] == task
    assert isinstance(pc.registry.LEARNERS, dict)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("prior=BDeu(-1)", "equivalent_sample_size must be"),
        ("prior=BDeu(1, 2, 3)", r"BDeu\(1, 2, 3\) is not a valid strategy"),
    ],
)
def test_strategies_that_cannot_be_made(value: str, words: str, train: Path, query: Path) -> None:
    result = ask("predict", train, query, "--learner", "aode", "--set", value)
    assert result.exit_code == 2
    assert re.search(words, result.stderr)


# -- values in other capitals, and columns that identify rows


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.csv"
    makes = ["ford", "fiat", "land rover"]
    rows = [f"C-{i:03},{makes[i % 3]},{i % 7},{'yes' if i % 3 else 'no'}" for i in range(40)]
    path.write_text("\n".join(["customer,make,age,sold", *rows]) + "\n")
    return path


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_value_in_other_capitals_is_asked_back(cars, tmp_path, command):
    done = run(command, cars, "make=Ford", "age=3", *FAST)
    assert done.exit_code == 0
    assert "priorcase: note: make Ford was never seen (did you mean 'ford'?)\n" in done.stderr
    new = tmp_path / "new.csv"
    new.write_text("customer,make,age\nD-1,Land  Rover ,3\nD-2,fiat,4\nD-3,saab,1\n")
    told = run(command, cars, new, *FAST).stderr
    assert "line 2: make Land Rover was never seen (did you mean 'land rover'?); line 4: make saab was never" in told
    assert "fiat" not in told


@pytest.mark.parametrize(
    ("city", "meant"), [("Koeln", "Köln"), ("Wuerzburk", "Würzburg"), ("K0eln", None), ("Ulm", None)]
)
def test_a_misspelled_value_is_asked_back(tmp_path, city, meant):
    rows = [f"{('Köln', 'Würzburg')[i % 2]},{'yes' if i % 3 else 'no'}" for i in range(12)]
    told = run("predict", write(tmp_path / "t.csv", ["city,late", *rows]), f"city={city}", *FAST).stderr
    question = "" if meant is None else f" (did you mean '{meant}'?)"
    assert f"city {city} was never seen{question}\n" in told


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize("saved", [False, True])
def test_values_beyond_the_past_cases_are_noted(tmp_path, command, saved):
    days = pd.date_range("2025-01-01", periods=40)
    past = pd.DataFrame({"age": [29 + i % 20 * 2 + i % 2 for i in range(40)], "day": days, "sold": ["yes", "no"] * 20})
    past.to_csv(tmp_path / "past.csv", index=False)
    model = (tmp_path / "past.csv", "--target", "sold", "--learner", "knn")
    if saved:
        pc.KNNClassifier().fit(past.drop(columns="sold"), past["sold"]).save(tmp_path / "m.priorcase")
        model = (tmp_path / "m.priorcase",)
    assert "past cases" not in run(command, *model, "age=29", "day=2025-02-09").stderr
    done = run(command, *model, "age=600", "day=2026-02-01")
    told = (
        "age 600 is outside the range 29 to 68 of the past cases, "
        "day 2026-02-01 is outside the range 2025-01-01 to 2025-02-09 of the past"
    )
    assert f"note: {told} cases\n" in done.stderr
    if not saved:
        assert done.output.rstrip().endswith(told + " cases")  # below the result
    lines = ["age,day", "30,2025-01-02", *(f"{7 + i},?" for i in range(6))]
    told = run(command, *model, write(tmp_path / "new.csv", lines)).stderr
    assert "note: line 3: age 7 is outside the range 29 to 68 of the past cases; line 4: age 8 is" in told
    assert told.endswith("of the past cases; and 3 more lines\n")
    pc.NaiveBayes(keep_rows=False).fit(past[["age"]], past["sold"]).save(tmp_path / "c.priorcase")
    assert run("predict", tmp_path / "c.priorcase", "age=600").exit_code == 0


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_ids_are_left_out_unless_they_are_declared(cars, tmp_path, command):
    note = "priorcase: note: column 'customer' (identifies rows) dropped; to keep it: --column customer=nominal\n"
    new = tmp_path / "new.csv"
    new.write_text("customer,make,age\n1,ford,3\n")
    without = tmp_path / "without.csv"
    without.write_text("make,age\nford,3\n")
    ignored = answers(run(command, cars, new, *FAST, "--json", "--column", "customer=ignore"))
    for queries in ([new], [without], ["make=ford", "age=3"], ["customer=7", "make=ford", "age=3"]):
        done = run(command, cars, *queries, *FAST, "--json")
        assert done.stderr.endswith(note)
        found = answers(done)
        assert list(found["attributes"]) == ["make", "age"]
        assert found["predictions"][0]["probabilities"] == ignored["predictions"][0]["probabilities"]
    done = run(command, cars, new, *FAST, "--json", "--column", "customer=nominal")
    assert "customer" in answers(done)["attributes"]
    assert "left out" not in done.stderr


def test_repeats_are_kept_and_constants_left_out(tmp_path):
    path = tmp_path / "past.csv"
    rows = [f"{i % 7},{i % 7 * 2},EU,?,{'yes' if i % 3 else 'no'}" for i in range(30)]
    path.write_text("\n".join(["age,twice,region,note,sold", *rows]) + "\n")
    done = run("predict", path, "age=3", *FAST, "--json")
    assert "note: columns 'region' (constant) and 'note' (all missing) dropped; to keep them, for" in done.stderr
    assert "note: column 'twice' (same information as age) kept; to drop it: --column twice=ignore\n" in done.stderr
    assert list(answers(done)["attributes"]) == ["age", "twice"]
    path.write_text("\n".join(["a,b,sold", *["3,x,yes"] * 20, *["3,x,no"] * 20]) + "\n")
    told = "columns 'a' (constant) and 'b' (constant) kept; to drop them, for example: --column a=ignore"
    assert told in run("predict", path, "a=3", *FAST, "--json").stderr


def test_a_table_of_ids_only_is_used(tmp_path):
    path = tmp_path / "past.csv"
    path.write_text("\n".join(["n,sold", *(f"{i},{'yes' if i < 15 else 'no'}" for i in range(30))]) + "\n")
    assert answers(run("predict", path, "n=3", *FAST, "--json"))["predictions"][0]["prediction"] == "yes"


# -- Parquet files, part by part


def test_parquet_files_are_answered_part_by_part(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"size": random.normal(size=90), "town": random.choice(["a", "b"], 90)})
    frame["kind"] = np.where(frame["size"] > 0, "large", "small")
    frame.to_csv(tmp_path / "past.csv", index=False)
    new = frame.drop(columns="kind")
    for i in range(3):
        new[30 * i : 30 * (i + 1)].to_parquet(tmp_path / f"new{i}.parquet", index=False)
    model = pc.NaiveBayes(keep_rows=False).fit(frame, "kind")
    model.save(tmp_path / "model.priorcase")
    files = [tmp_path / f"new{i}.parquet" for i in range(3)]
    done = run("predict", tmp_path / "model.priorcase", *files, "--out", tmp_path / "answers.parquet")
    assert done.exit_code == 0, done.output
    found = pd.read_parquet(tmp_path / "answers.parquet")
    assert found.columns.tolist() == ["line", "prediction", "P(large)", "P(small)"]
    assert found["line"].tolist() == list(range(1, 91))
    assert found["prediction"].tolist() == model.predict(new).tolist()
    np.testing.assert_array_equal(found[["P(large)", "P(small)"]].to_numpy(), model.predict_proba(new))
    learner = ("--target", "kind", "--learner", "naive_bayes")
    pattern = str(tmp_path / "new*.parquet")  # quoted, so that the shell does not expand it
    assert run("predict", tmp_path / "past.csv", *learner, pattern).stdout.startswith('"line","prediction"')
    done = run("predict", tmp_path / "past.csv", *learner, pattern, "--csv")
    assert done.exit_code == 0, done.output
    assert pd.read_csv(io.StringIO(done.stdout))["prediction"].tolist() == model.predict(new).tolist()
    assert run("predict", tmp_path / "past.csv", *learner, *files).stdout == done.stdout  # several: CSV
    # Nothing half-written replaces a good file.
    good = (tmp_path / "answers.parquet").read_bytes()
    files[2].write_bytes(files[2].read_bytes()[:-50])
    failed = run("predict", tmp_path / "model.priorcase", *files, "--out", tmp_path / "answers.parquet")
    assert "new2.parquet" in error(failed)
    (tmp_path / "part.priorcase").write_bytes((tmp_path / "model.priorcase").read_bytes()[:300])
    assert "is damaged: checksum mismatch" in error(run("predict", tmp_path / "part.priorcase", files[0]))
    assert (tmp_path / "answers.parquet").read_bytes() == good
    assert "need --out with a" in error(run("predict", tmp_path / "model.priorcase", *files[:2], "--json"))
    assert "has no effect on a saved model" in error(
        run("predict", tmp_path / "model.priorcase", files[0], "--csv", "--column", "size=numeric")
    )
    assert "needs new cases in Parquet files" in error(
        run("predict", tmp_path / "past.csv", *learner, tmp_path / "past.csv", "--out", tmp_path / "x.parquet")
    )


# -- saved models


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """A folder with a saved model of the loans, new cases as CSV and Excel, and the model's probabilities of them."""
    folder = tmp_path_factory.mktemp("loans")
    X, y = pc.datasets.load_loans()
    model = pc.KNNClassifier(10).fit(X, y)
    model.save(folder / "loans.priorcase")
    X[:4].assign(repaid="yes").to_csv(folder / "new.csv", index=False)
    X[:4].to_excel(folder / "new.xlsx", index=False)
    return folder, model.predict_proba(X[:4]), model


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_saved_model_answers_every_kind_of_query(loans, command):
    folder, proba, model = loans
    saved, stdin = folder / "loans.priorcase", (folder / "new.csv").read_bytes()
    for query, given in (("new.csv", None), ("new.xlsx", None), ("-", stdin)):
        done = run(command, saved, query if query == "-" else folder / query, "--json", stdin=given)
        found = answers(done)
        assert (found["task"], found["cases"], found["learner"]) == ("classify", 600, "knn")
        told = [[one["probabilities"][label] for label in ("no", "yes")] for one in found["predictions"]]
        np.testing.assert_allclose(told, proba)
        assert ("does not have them: 'repaid'" in done.stderr) == (query != "new.xlsx")
    done = run(command, saved, "income=2000", "guarantor=true", "housing=Own", "--json")
    assert "housing Own was never seen (did you mean 'own'?)" in done.stderr
    X, _ = pc.datasets.load_loans()
    case = pd.DataFrame([{"income": 2000.0, "guarantor": True, "housing": "Own"}]).reindex(columns=X.columns)
    expected = model.predict_proba(case)[0]
    assert answers(done)["predictions"][0]["probabilities"] == dict(zip(("no", "yes"), expected.tolist(), strict=True))


@pytest.mark.parametrize(
    ("option", "value"), [("target", "repaid"), ("learner", "stacked"), ("set", "k=3"), ("column", "age=nominal")]
)
def test_options_without_effect_on_a_saved_model_are_refused(loans, option, value):
    saved = loans[0] / "loans.priorcase"
    message = error(run("predict", saved, "income=2000", f"--{option}", value))
    assert message.startswith(f"--{option} has no effect on a saved model.")


def test_a_saved_model_without_predictions_is_refused(tmp_path):
    pc.KNNTransformer(1).fit([[1.0], [2.0]]).save(tmp_path / "graph.priorcase")
    assert "contains a KNNTransformer; expected" in error(run("predict", tmp_path / "graph.priorcase", "x0=1"))
