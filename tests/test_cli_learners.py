"""The learners of the command line: the library's answers, what speaks for them, and options that do not belong."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, ask, error, run, split_table, write

from priorcase import NaiveBayes, TreeAveragedBayes
from priorcase.bayes.subsets import SubsetAveragedBayes

NEIGHBORS = {"neighbors": 3, "distance": "hvdm", "vote": "uniform", "ties": "first"}
TAKERS = {
    "neighbors": "neighbors, local and pebls",
    "distance": "neighbors, local, rbf, ib1, ib2 and ib3",
    "vote": "neighbors",
    "ties": "neighbors, ib1, ib2, ib3, ib4 and pebls",
}


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


def flags(options: dict[str, Any]) -> list[object]:
    return [part for name, value in options.items() for part in (f"--{name}", value)]


@pytest.mark.parametrize(
    ("learner", "options", "model", "settings"),
    [
        (
            "naive-bayes",
            {},
            NaiveBayes(),
            {"predictive": "evidence", "prior": 1.0, "numeric_as": "student", "gaps": "ignore"},
        ),
        (
            "naive-bayes",
            {"predictive": "map", "prior": 2, "numeric-as": "kmeans", "gaps": "value"},
            NaiveBayes("map", prior=2.0, numeric="kmeans", missing="value"),
            {"predictive": "map", "prior": 2.0, "numeric_as": "kmeans", "gaps": "value"},
        ),
        (
            "naive-bayes",
            {"prior": "jeffreys", "numeric-as": "gaussian"},
            NaiveBayes(prior="jeffreys", numeric="gaussian"),
            {"predictive": "evidence", "prior": 0.5, "numeric_as": "gaussian", "gaps": "ignore"},
        ),
        (
            "naive-bayes",
            {"predictive": "sc", "numeric-as": "mdl"},
            NaiveBayes("sc", numeric="mdl"),
            {"predictive": "sc", "prior": None, "numeric_as": "mdl", "gaps": "ignore"},
        ),
        (
            "naive-bayes",
            {"prior": "bdeu"},
            NaiveBayes(prior="bdeu"),
            {"predictive": "evidence", "prior": "bdeu", "numeric_as": "student", "gaps": "ignore"},
        ),
        (
            "subsets",
            {"prior": "laplace", "numeric-as": "equal_width"},
            SubsetAveragedBayes(prior="laplace", numeric="equal_width"),
            {"prior": 1.0, "numeric_as": "equal_width", "gaps": "ignore"},
        ),
        ("trees", {}, TreeAveragedBayes(), {"ess": 20.0, "numeric_as": "mdl"}),
        (
            "trees",
            {"ess": 5, "numeric-as": "equal_frequency"},
            TreeAveragedBayes(5.0, numeric="equal_frequency"),
            {"ess": 5.0, "numeric_as": "equal_frequency"},
        ),
        (
            "trees",
            {"ess": "auto"},
            TreeAveragedBayes("auto"),
            {"ess": pytest.approx(15.04, abs=0.01), "numeric_as": "mdl"},
        ),
    ],
)
def test_predict_gives_the_librarys_answers(
    train: Path, query: Path, learner: str, options: dict[str, Any], model: Any, settings: dict[str, Any]
) -> None:
    document = answers(ask("predict", train, query, "--json", "--learner", learner, *flags(options)))
    past, targets, new = split_table()
    model.fit(past, targets)
    assert [answer["prediction"] for answer in document["answers"]] == model.predict(new).tolist()
    for answer, row in zip(document["answers"], model.predict_proba(new), strict=True):
        assert answer["probabilities"] == dict(zip(model.classes_, row, strict=True))
        assert list(answer["probabilities"].values()) == sorted(row, reverse=True)
        assert set(answer) == {"line", "prediction", "probabilities", "actual"}
    assert document["learner"] == learner
    assert {name: document[name] for name in settings} == settings
    assert not set(NEIGHBORS) & set(document)


def test_the_neighbours_are_the_default_and_may_be_named(train: Path, query: Path) -> None:
    document = answers(ask("predict", train, query, "--json", *flags(NEIGHBORS)))
    assert document["learner"] == "neighbors"
    assert {name: document[name] for name in NEIGHBORS} == NEIGHBORS
    assert answers(ask("predict", train, query, "--json", "--learner", "neighbors", *flags(NEIGHBORS))) == document


def test_the_prior_that_was_chosen_is_told(train: Path, query: Path) -> None:
    past, targets, _ = split_table()
    for learner, model in (("naive-bayes", NaiveBayes(prior="auto")), ("subsets", SubsetAveragedBayes(prior="auto"))):
        document = answers(ask("predict", train, query, "--json", "--learner", learner, "--prior", "auto"))
        weight = model.fit(past, targets).prior_.weight  # type: ignore[attr-defined]
        assert document["prior"] == weight
        text = ask("predict", train, query, "--learner", learner, "--prior", "auto", columns=200).stdout
        assert f"prior {weight:.4g}, numeric-as student, gaps ignore\n" in text


@pytest.mark.parametrize(("learner", "model"), [("naive-bayes", NaiveBayes()), ("subsets", SubsetAveragedBayes())])
def test_explain_gives_the_librarys_contributions(train: Path, query: Path, learner: str, model: Any) -> None:
    document = answers(ask("explain", train, query, "--json", "--learner", learner))
    past, targets, new = split_table()
    found = model.fit(past, targets).contributions(new)
    names = [str(name) for name in found.names]
    for i, (answer, row) in enumerate(zip(document["answers"], model.predict_proba(new), strict=True)):
        parts = answer["contributions"]
        assert answer["prediction"] == found.predicted[i]
        assert answer["probabilities"] == dict(zip(model.classes_, row, strict=True))
        assert (parts["versus"], parts["log_odds"], parts["prior"]) == (
            found.versus[i],
            found.total[i],
            found.contributions[i, 0],
        )
        assert parts["contributions"] == dict(zip(names, found.contributions[i, 1:].tolist(), strict=True))
        assert parts["values"] == dict(zip(names, found.queries[i], strict=True))
        assert parts["prior"] + math.fsum(parts["contributions"].values()) == pytest.approx(parts["log_odds"])
        assert not {"precedents", "unlike"} & set(answer)


def test_subsets_tell_which_attributes_matter(train: Path, query: Path) -> None:
    past, targets, _ = split_table()
    model = SubsetAveragedBayes().fit(past, targets)
    document = answers(ask("predict", train, query, "--json", "--learner", "subsets"))
    assert list(document["relevance"].values()) == model.relevance_.tolist()
    text = ask("explain", train, query, "--learner", "subsets", columns=200).stdout
    assert "\nprobability that an attribute matters: noise " in text
    wide = [f"{HEADER.rpartition(',')[0]},{','.join(f'extra{i}' for i in range(5))},job"]
    wide += [f"{line.rpartition(',')[0]},a,b,a,b,a,{line.rpartition(',')[2]}" for line in ROWS]
    table = write(query.with_name("wide.csv"), wide)
    assert ", 4 more\n" in ask("explain", table, table, "--learner", "subsets", columns=400).stdout


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("learner", ["naive-bayes", "subsets"])
def test_explain_prints_tables_that_fit(train: Path, query: Path, learner: str, columns: int) -> None:
    result = ask("explain", train, query, "--learner", learner, columns=columns)
    assert result.exit_code == 0, result.stderr
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert max(map(len, lines)) <= columns
    assert "line 4  actual: drivetrain  job: drivetrain  (drivetrain 0.9" in result.stdout
    assert "                  new case   drivetrain against brakes" in lines
    assert "prior                                            -0.06" in lines
    assert ["outdoors", "?", "0"] in [line.split() for line in lines]
    assert sum(line.startswith("log-odds ") for line in lines) == 16
    assert result.stderr == ""
    assert "\x1b" not in result.stdout


def test_the_heading_says_who_answers(train: Path, query: Path) -> None:
    for command in ("predict", "explain"):
        text = ask(command, train, query, "--learner", "naive-bayes", columns=120).stdout
        how = "by naive-bayes from 80 past cases, predictive evidence, prior 1, numeric-as student, gaps ignore"
        assert text.startswith(f"job classified {how}\n")
    text = ask("predict", train, query, "--learner", "naive-bayes", "--predictive", "sc", columns=120).stdout
    assert "predictive sc, numeric-as student" in text
    narrow = ask("predict", train, query, "--learner", "naive-bayes", columns=100).stdout
    assert narrow.startswith(f"job classified {how.replace(', predictive', f':{chr(10)}predictive')}\n")
    text = ask("predict", train, query, "--learner", "trees", columns=120).stdout
    assert text.startswith("job classified by trees from 80 past cases, ess 20, numeric-as mdl\n")


def test_probabilities_are_never_rounded_to_certainty(train: Path, query: Path) -> None:
    text = ask("predict", train, query, "--learner", "naive-bayes", columns=120).stdout
    assert "wheel >0.99, 3 more" in text
    assert " 1.00" not in text
    assert " 0.00" not in text


def test_many_small_probabilities_show_the_largest(tmp_path: Path) -> None:
    table = write(tmp_path / "many.csv", ["x,t", *(f"a,class{i}" for i in range(300))])
    result = run("predict", "--train", table, "--target", "t", "--query", table, "--learner", "naive-bayes")
    assert "class0 0.00, 299 more" in result.stdout


def test_what_rules_classes_out_is_said_in_words(train: Path) -> None:
    lines = [HEADER.rpartition(",")[0], "gravel,2.5,3400,74,no,no,worn,firm,click", "cargo,3,,,yes,,,weak,squeal"]
    options = ("--learner", "naive-bayes", "--predictive", "map")
    text = ask("explain", train, "-", *options, stdin="\n".join(lines)).stdout
    assert "rules out both" in text
    assert text.count("every class is impossible, so all are equally probable") == 1
    assert any(line.split() == ["log-odds", "all", "impossible"] for line in text.splitlines())
    assert "rules out drivetrain" in text
    assert "infinite" in text
    first, second = answers(ask("explain", train, "-", "--json", *options, stdin="\n".join(lines)))["answers"]
    assert set(first["probabilities"].values()) == {0.25}
    assert (first["contributions"]["contributions"]["bike"], first["contributions"]["log_odds"]) == (None, 0.0)
    assert second["contributions"]["log_odds"] is None


def test_many_attributes_share_a_line(tmp_path: Path) -> None:
    names = ",".join(f"x{i}" for i in range(30))
    rows = [f"{','.join(str((i * j) % 7) for j in range(30))},{'ab'[i % 2]}" for i in range(20)]
    table = write(tmp_path / "wide.csv", [f"{names},t", *rows])
    options = [part for i in range(30) for part in ("--nominal", f"x{i}")]
    result = run("explain", "--train", table, "--target", "t", "--query", table, "--learner", "naive-bayes", *options)
    assert result.stdout.count("10 others") == 20


def test_markup_in_the_tables_is_text(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["[red]x,[b]t", "[bold]a,[/i]", "[link]b,[u]"])
    for learner in ("naive-bayes", "subsets"):
        result = run("explain", "--train", table, "--target", "[b]t", "--query", table, "--learner", learner)
        assert result.exit_code == 0, result.stderr
        for text in ("[/i] against [u]", "[b]t: [/i]", "[red]x", "[bold]a"):
            assert text in result.stdout


@pytest.mark.parametrize("learner", ["naive-bayes", "subsets", "trees"])
def test_gaps_and_unseen_values_are_answered(train: Path, learner: str) -> None:
    lines = [HEADER.rpartition(",")[0], "gravel,2,?,74,no,NA,worn,brand-new,", ",,,,,,,,"]
    document = answers(ask("predict", train, "-", "--json", "--learner", learner, stdin="\n".join(lines)))
    for answer in document["answers"]:
        assert math.fsum(answer["probabilities"].values()) == pytest.approx(1.0)
    assert answers(ask("predict", train, "-", "--json", "--learner", learner, stdin=HEADER))["answers"] == []


def test_many_cases_are_answered_block_by_block_without_a_word(train: Path, tmp_path: Path) -> None:
    rows = [row.rpartition(",")[0] for row in ROWS[80:]]
    many = write(tmp_path / "many.csv", [HEADER.rpartition(",")[0], *rows * 130])
    result = ask("explain", train, many, "--json", "--learner", "naive-bayes")
    assert result.stderr == ""
    found = answers(result)["answers"]
    assert [answer.pop("line") for answer in found] == list(range(2, 2 + 16 * 130))
    assert found == found[:16] * 130


def test_numbers_may_be_classes(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", *(f"{'ab'[i % 2]},{i % 2}" for i in range(6))])
    options = ("--train", table, "--target", "t", "--query", table, "--learner", "naive-bayes", "--json")
    assert [answer["prediction"] for answer in answers(run("predict", *options))["answers"]] == ["0", "1"] * 3


@pytest.mark.parametrize("learner", ["naive-bayes", "subsets", "trees"])
def test_a_regression_is_refused(tmp_path: Path, learner: str) -> None:
    table = write(tmp_path / "t.csv", ["x,t", "1,0.5", "2,1.5"])
    options = ("--train", table, "--target", "t", "--query", table)
    message = error(run("predict", *options, "--learner", learner))
    assert message == (
        f"got --learner={learner!r}; expected neighbors, local or rbf, since 't' is numeric and this learner "
        "answers with classes. Take --learner neighbors, or --task classify if each number of 't' is a class."
    )
    assert run("predict", *options, "--learner", learner, "--task", "classify").exit_code == 0


@pytest.mark.parametrize(
    ("learner", "option", "value", "others"),
    [
        *(
            (learner, option, value, TAKERS[option])
            for learner in ("naive-bayes", "subsets", "trees")
            for option, value in NEIGHBORS.items()
        ),
        ("neighbors", "predictive", "map", "naive-bayes"),
        ("subsets", "predictive", "evidence", "naive-bayes"),
        ("trees", "predictive", "sc", "naive-bayes"),
        ("neighbors", "numeric-as", "mdl", "naive-bayes, subsets and trees"),
        ("neighbors", "gaps", "value", "naive-bayes and subsets"),
        ("trees", "gaps", "ignore", "naive-bayes and subsets"),
        ("trees", "prior", "1", "neighbors, local, naive-bayes and subsets"),
        ("neighbors", "ess", "1", "trees"),
        ("naive-bayes", "ess", "1", "trees"),
        ("subsets", "ess", "1", "trees"),
    ],
)
def test_an_option_of_another_learner_is_refused(
    train: Path, query: Path, learner: str, option: str, value: object, others: str
) -> None:
    message = error(ask("predict", train, query, "--learner", learner, f"--{option}", value))
    assert message == (
        f"--{option} has no effect with --learner {learner}, only with {others}. "
        "'priorcase predict --help' shows the options."
    )


def test_an_option_is_refused_before_tables_are_read(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["not a table"])
    message = error(ask("predict", table, table, "--learner", "trees", "--neighbors", 5))
    assert message.startswith("--neighbors has no effect")


def test_trees_cannot_be_explained(train: Path, query: Path) -> None:
    assert error(ask("explain", train, query, "--learner", "trees")) == (
        "--learner trees cannot be explained; explain shows the precedents of neighbors, local, ib1, ib2, ib3, ib4 and "
        "pebls, and the log-odds of naive-bayes and subsets. 'priorcase explain --help' shows the options."
    )


def test_a_single_class_cannot_be_explained_by_log_odds(tmp_path: Path) -> None:
    table, new = write(tmp_path / "t.csv", ["x,t", "1,a", "2,a"]), write(tmp_path / "new.csv", ["x", "1"])
    options = ("--train", table, "--target", "t", "--query", new, "--learner", "naive-bayes")
    message = error(run("explain", *options))
    assert message == (
        f"{table}: 'a' is the only class in column 't'; explain holds one against another. "
        "Add past cases of other classes, or take predict."
    )
    assert "a 1.00" in run("predict", *options).stdout


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--learner", "bayes"], "'bayes' is not one of 'neighbors', 'local', 'rbf', 'naive-bayes', "),
        (["--learner", "naive-bayes", "--predictive", "ml"], "'ml' is not one of 'evidence', 'map', 'sc'."),
        (["--learner", "naive-bayes", "--gaps", "fill"], "'fill' is not one of 'ignore', 'value'."),
        (
            ["--learner", "naive-bayes", "--prior", "frequency"],
            "Invalid value for '--prior': 'frequency' is neither a number nor one of jeffreys, laplace, bdeu, auto, "
            "which --learner naive-bayes takes.",
        ),
        (["--prior", "auto"], "'auto' is neither a number nor the word frequency, which --learner neighbors takes."),
        (
            ["--learner", "subsets", "--prior", "0"],
            "Invalid value for '--prior': 0 is not a number from 1e-100 to 1e+100, which --learner subsets takes.",
        ),
        (["--learner", "naive-bayes", "--prior", "nan"], "'--prior': nan is not a number from 1e-100 to 1e+100"),
        (
            ["--learner", "naive-bayes", "--predictive", "map", "--prior", "laplace"],
            "--prior laplace does not give the Laplace estimate with --predictive map; --prior 2 does.",
        ),
        (
            ["--learner", "naive-bayes", "--predictive", "sc", "--prior", "1"],
            "--prior has no effect with --predictive sc, which knows no prior.",
        ),
        (
            ["--learner", "naive-bayes", "--numeric-as", "normal"],
            "Invalid value for '--numeric-as': 'normal' is not one of student, gaussian, kernel, equal_width, "
            "equal_frequency, kmeans, mdl, two_way, which --learner naive-bayes takes.",
        ),
        (
            ["--learner", "subsets", "--numeric-as", "kernel"],
            "'kernel' is not one of student, equal_width, equal_frequency, kmeans, mdl, two_way, "
            "which --learner subsets takes.",
        ),
        (
            ["--learner", "trees", "--numeric-as", "student"],
            "'student' is not one of equal_width, equal_frequency, kmeans, mdl, two_way, which --learner trees takes.",
        ),
        (
            ["--learner", "trees", "--ess", "much"],
            "Invalid value for '--ess': 'much' is neither a number nor the word auto, which --learner trees takes.",
        ),
        (["--learner", "trees", "--ess", "autto"], "Did you mean 'auto'?"),
        (["--learner", "trees", "--ess", "0"], "'--ess': 0 is not a number from 1e-100 to 1e+100"),
        (["--learner", "naive_bayes"], "Did you mean 'naive-bayes'?"),
        (["--learner", "naive-bayes", "--prior", "laplaec"], "Did you mean 'laplace'?"),
        (["--learner", "naive-bayes", "--predictive", "evidenc"], "Did you mean 'evidence'?"),
        (["--learner", "trees", "--numeric-as", "k-means"], "Did you mean 'kmeans'?"),
    ],
)
def test_each_mistake_is_one_line(train: Path, query: Path, args: list[str], expected: str) -> None:
    message = error(ask("predict", train, query, *args))
    assert expected in message


def test_every_named_strategy_is_known_to_the_library(train: Path, query: Path) -> None:
    from priorcase.bayes.numeric import NUMERIC
    from priorcase.cli.learners import LEARNERS

    assert set(LEARNERS["naive-bayes"].words["numeric_as"]) == set(NUMERIC)
    for learner in ("naive-bayes", "subsets", "trees"):
        for name in LEARNERS[learner].words["numeric_as"]:
            assert ask("predict", train, query, "--learner", learner, "--numeric-as", name).exit_code == 0


def test_the_help_lists_options_by_learner() -> None:
    for command in ("predict", "explain"):
        text = run(command, "--help").stdout
        groups = ("neighbors, local, rbf, ib1 to ib4 or pebls", "local or rbf", "naive-bayes, subsets or trees")
        headings = ["Tables:", "Answers:", *(f"With --learner {group}:" for group in groups)]
        places = [text.index(f"\n{heading}\n") for heading in [*headings, "Output:"]]
        assert places == sorted(places)
        for option, section in (
            ("learner", 1),
            ("prior", 1),
            ("distance", 2),
            ("drop", 2),
            ("weights", 2),
            ("degree", 3),
            ("centers", 3),
            ("predictive", 4),
            ("ess", 4),
        ):
            assert places[section] < text.index(f"\n  --{option} ") < places[section + 1]
        assert "\nOptions:\n" not in text
        assert max(map(len, text.splitlines())) <= 80
    assert "contributions" in run("explain", "--help").stdout


def test_the_help_of_a_command_loads_nothing_heavy() -> None:
    script = (
        "import sys; from priorcase.cli import main\n"
        "try: main(['explain', '--help'])\n"
        "finally: print([name for name in ('numpy', 'sklearn', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == "[]\n"
