"""The learners of the command line that choose what to remember: what they kept, who answers, and with what record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, ask, run, split_table, write

from priorcase import IB1, IB2, IB3, IB4, PEBLS
from priorcase.cli.learners import LEARNERS, ByIB1, ByIB3, ByPebls
from priorcase.similarity.presets import PRESETS

NAMES = ("ib1", "ib2", "ib3", "ib4", "pebls")
IB = {"ties": "majority", "shuffle": False, "seed": None, "distance": "ib"}
JUDGED = {"ties": "majority", "shuffle": False, "seed": 0, "accept": 0.9, "drop": 0.875}

CASES: list[Any] = [
    ("ib1", (), IB1(), {**IB, "kept": 80}),
    ("ib2", (), IB2(), {**IB, "kept": 28}),
    (
        "ib2",
        ("--shuffle", "--seed", 3, "--ties", "first", "--distance", "hvdm"),
        IB2(shuffle=True, random_state=3, ties="first", distance="hvdm"),
        {"ties": "first", "shuffle": True, "seed": 3, "distance": "hvdm"},
    ),
    ("ib1", ("--ties", "random"), IB1(ties="random", random_state=0), {**IB, "ties": "random", "seed": 0}),
    ("ib3", (), IB3(random_state=0), {**JUDGED, "distance": "ib", "kept": 50, "acceptable": 6}),
    (
        "ib3",
        ("--accept", 0.8, "--drop", 0.95, "--seed", 7),
        IB3(accept=0.8, drop=0.95, random_state=7),
        {"accept": 0.8, "drop": 0.95, "seed": 7},
    ),
    ("ib4", (), IB4(random_state=0), {**JUDGED, "kept": 68, "acceptable": 15}),
    ("ib4", ("--shuffle", "--drop", 0.9), IB4(random_state=0, shuffle=True, drop=0.9), {"shuffle": True, "drop": 0.9}),
    ("pebls", (), PEBLS(), {"neighbors": 1, "weighting": "multi_pass", "bins": None, "ties": "nearest"}),
    (
        "pebls",
        ("--neighbors", 5, "--weighting", "one_pass", "--bins", 3, "--ties", "majority"),
        PEBLS(5, weighting="one_pass", bins=3, ties="majority"),
        {"neighbors": 5, "weighting": "one_pass", "bins": 3, "ties": "majority"},
    ),
    ("pebls", ("--weighting", "none"), PEBLS(weighting=None), {"weighting": "none"}),
]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


@pytest.mark.parametrize(("learner", "options", "model", "settings"), CASES)
def test_predict_gives_the_librarys_answers(
    train: Path, query: Path, learner: str, options: tuple[object, ...], model: Any, settings: dict[str, Any]
) -> None:
    document = answers(ask("predict", train, query, "--json", "--learner", learner, *options))
    past, targets, new = split_table()
    model.fit(past, targets)
    assert [answer["prediction"] for answer in document["answers"]] == model.predict(new).tolist()
    for answer, row in zip(document["answers"], model.predict_proba(new), strict=True):
        assert answer["probabilities"] == dict(zip(model.classes_, row, strict=True))
        assert set(answer) == {"line", "prediction", "probabilities", "actual"}
    assert (document["learner"], document["cases"]) == (learner, 80)
    assert {name: document[name] for name in settings} == settings
    assert ("vote" in document, "prior" in document) == (False, False)
    if learner != "pebls":
        assert document["kept"] == model.stored_
    if learner in ("ib3", "ib4"):
        assert document["acceptable"] == len(set(model.concept_.query("verdict == 'acceptable'")["id"]))


@pytest.mark.parametrize(("learner", "options", "model", "settings"), CASES)
def test_explain_gives_the_librarys_precedents(
    train: Path, query: Path, learner: str, options: tuple[object, ...], model: Any, settings: dict[str, Any]
) -> None:
    document = answers(ask("explain", train, query, "--json", "--learner", learner, *options))
    past, targets, new = split_table()
    found = model.fit(past, targets).precedents(new)
    for answer, one in zip(document["answers"], found, strict=True):
        cases = answer["precedents"]
        assert answer["prediction"] == one.predictions[0]
        assert [case["id"] for case in cases] == one.ids.tolist()
        assert [case["line"] for case in cases] == [i + 2 for i in one.ids.tolist()]
        assert [case["distance"] for case in cases] == one.distances.tolist()
        assert [case["vote"] for case in cases] == one.votes.tolist()
        assert answer["unlike"]["id"] == one.unlike[0].id
        for case in [*cases, answer["unlike"]]:
            assert sum(case["contributions"].values()) == pytest.approx(case["distance"])


@pytest.mark.parametrize("learner", ["ib3", "ib4"])
def test_precedents_come_with_their_records(train: Path, query: Path, learner: str) -> None:
    past, targets, _ = split_table()
    model: Any = {"ib3": IB3, "ib4": IB4}[learner](random_state=0)
    frame = model.fit(past, targets).concept_
    for answer in answers(ask("explain", train, query, "--json", "--learner", learner))["answers"]:
        of = frame[frame["concept"] == answer["prediction"]] if learner == "ib4" else frame
        records = of.set_index("id")[["successes", "trials", "verdict"]].to_dict("index")
        for case in [*answer["precedents"], answer["unlike"]]:
            assert {name: case[name] for name in ("successes", "trials", "verdict")} == records[case["id"]]


def test_exemplars_come_with_their_weights(train: Path, query: Path) -> None:
    past, targets, _ = split_table()
    records = PEBLS().fit(past, targets).exemplars_.set_index("id")[["used", "correct", "weight"]].to_dict("index")
    for answer in answers(ask("explain", train, query, "--json", "--learner", "pebls"))["answers"]:
        for case in [*answer["precedents"], answer["unlike"]]:
            assert {name: case[name] for name in ("used", "correct", "weight")} == records[case["id"]]


@pytest.mark.parametrize("options", [("ib1",), ("ib2",), ("pebls", "--weighting", "none")])
def test_records_that_decide_nothing_are_not_shown(train: Path, query: Path, options: tuple[str, ...]) -> None:
    document = answers(ask("explain", train, query, "--json", "--learner", *options))
    assert not {"trials", "used"} & set(document["answers"][0]["precedents"][0])
    assert "records" not in ask("explain", train, query, "--learner", *options).stdout


def test_records_need_no_frame_library(train: Path, query: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for learner in ("ib3", "ib4", "pebls"):
        options = ("explain", train, query, "--json", "--learner", learner)
        with_frames = answers(ask(*options))
        with monkeypatch.context() as bare:
            bare.setattr("priorcase.learning.results.installed_backend", lambda: None)
            assert answers(ask(*options)) == with_frames


def test_ib4_tells_how_attributes_weigh_for_each_class(train: Path, query: Path) -> None:
    past, targets, _ = split_table()
    model = IB4(random_state=0).fit(past, targets)
    weights = answers(ask("predict", train, query, "--json", "--learner", "ib4"))["attribute_weights"]
    assert list(weights) == model.classes_.tolist()
    assert [list(row.values()) for row in weights.values()] == model.attribute_weights_.tolist()
    assert list(weights["wheel"]) == HEADER.split(",")[:-1]


@pytest.mark.parametrize(
    ("options", "opening"),
    [
        (("ib1",), "by ib1 from all 80 past cases, ties majority, distance ib"),
        (
            ("ib2", "--shuffle"),
            "by ib2 from the 31 of 80 past cases that it kept, ties majority, shuffle, seed 0, distance ib",
        ),
        (
            ("ib4",),
            "by ib4 from the 68 of 80 past cases that it kept (15 acceptable), ties majority, seed 0, accept 0.9, "
            "drop 0.875",
        ),
        (("pebls",), "by pebls from the nearest 1 of 80 past cases, weighting multi_pass, ties nearest"),
        (
            ("pebls", "--ties", "majority", "--bins", "7", "--neighbors", "3"),
            "by pebls from the nearest 3 of 80 past cases (ties included), weighting multi_pass, bins 7, ties majority",
        ),
    ],
)
def test_the_heading_says_who_answers(train: Path, query: Path, options: tuple[str, ...], opening: str) -> None:
    for command in ("predict", "explain"):
        assert ask(command, train, query, "--learner", *options, columns=160).stdout.startswith(
            f"job classified {opening}\n"
        )


def test_without_an_acceptable_case_all_may_answer(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", "1,a", "2,b", "3,a"])
    options = ("--train", table, "--target", "t", "--query", table, "--learner", "ib3")
    assert "by ib3 from all 3 past cases (none acceptable: all may answer):\n" in run("predict", *options).stdout
    assert answers(run("predict", *options, "--json"))["acceptable"] == 0


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("learner", NAMES)
def test_explain_prints_tables_that_fit(train: Path, query: Path, learner: str, columns: int) -> None:
    result = ask("explain", train, query, "--learner", learner, columns=columns)
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= columns
    assert "line 4  actual: drivetrain  job: " in result.stdout
    assert result.stdout.count("unlike: #") == 16
    assert (result.stderr, "\x1b" in result.stdout) == ("", False)


def test_records_stand_below_the_cases(train: Path, query: Path) -> None:
    text = ask("explain", train, query, "--learner", "ib3").stdout
    assert "\nrecords: #60 right 10 of 12, acceptable; #71 right 1 of 2, mediocre\n" in text
    text = ask("explain", train, query, "--learner", "pebls", "--neighbors", 7, columns=200).stdout
    lines = [line for line in text.splitlines() if line.startswith("records: ")]
    assert len(lines) == 16
    assert all(line.count(" weight ") == 6 and line.rpartition("; ")[2] in ("1 more", "2 more") for line in lines)


@pytest.mark.parametrize("learner", NAMES)
def test_a_command_gives_the_same_answers_again(train: Path, query: Path, learner: str) -> None:
    options = [] if learner == "pebls" else ["--shuffle", "--ties", "random"]
    first, again = (ask("explain", train, query, "--json", "--learner", learner, *options).stdout for _ in range(2))
    assert first == again
    if options:
        assert answers(ask("predict", train, query, "--json", "--learner", learner, *options, "--seed", 1))["seed"] == 1


def test_another_seed_learns_otherwise(train: Path, query: Path) -> None:
    options = ("predict", train, query, "--json", "--learner", "ib2", "--shuffle", "--seed")
    assert len({answers(ask(*options, seed))["kept"] for seed in range(4)}) > 1


@pytest.mark.parametrize("learner", NAMES)
def test_gaps_unseen_values_and_no_new_cases_are_answered(train: Path, learner: str) -> None:
    lines = [HEADER.rpartition(",")[0], "gravel,2,?,74,no,NA,worn,brand-new,", ",,,,,,,,"]
    for command in ("predict", "explain"):
        options = ("--json", "--learner", learner)
        found = answers(ask(command, train, "-", *options, stdin="\n".join(lines)))["answers"]
        assert [sum(answer["probabilities"].values()) for answer in found] == pytest.approx([1.0, 1.0])
        assert answers(ask(command, train, "-", *options, stdin=HEADER))["answers"] == []


@pytest.mark.parametrize("learner", NAMES)
def test_a_single_class_is_explained_by_precedents(tmp_path: Path, learner: str) -> None:
    table, new = write(tmp_path / "t.csv", ["x,t", "1,a", "2,a"]), write(tmp_path / "new.csv", ["x", "1"])
    options = ("--train", table, "--target", "t", "--query", new, "--learner", learner)
    (answer,) = answers(run("explain", *options, "--json"))["answers"]
    assert (answer["prediction"], answer["probabilities"], answer["unlike"]) == ("a", {"a": 1.0}, None)
    assert "line 2  t: a  (a 1.00)" in run("explain", *options).stdout


@pytest.mark.parametrize("learner", NAMES)
def test_markup_in_the_tables_is_text(tmp_path: Path, learner: str) -> None:
    table = write(tmp_path / "t.csv", ["[red]x,[b]t", "[bold]a,[/i]", "[link]b,[u]"])
    result = run("explain", "--train", table, "--target", "[b]t", "--query", table, "--learner", learner)
    assert result.exit_code == 0, result.stderr
    assert "[b]t: [/i]" in result.stdout


def test_columns_may_be_called_like_records(tmp_path: Path) -> None:
    rows = [f"{i % 5},{i % 3},{i % 2},{'ab'[i % 2]}" for i in range(40)]
    table = write(tmp_path / "t.csv", ["successes,verdict,used,id", *rows])
    for learner in ("ib3", "ib4", "pebls"):
        found = answers(
            run("explain", "--train", table, "--target", "id", "--query", table, "--json", "--learner", learner)
        )["answers"][0]["precedents"][0]
        assert set(found["values"]) == {"successes", "verdict", "used"}
        assert found.get("verdict", "mediocre") in ("acceptable", "mediocre")


def test_every_named_option_is_known_to_the_library(train: Path, query: Path) -> None:
    assert set(ByIB1.words["distance"]) == set(PRESETS)
    options = ("predict", train, query, "--learner")
    for name in set(ByIB1.words["distance"]) - {"cosine"}:  # for numbers only
        assert ask(*options, "ib3", "--distance", name).exit_code == 0
    for ties in ByIB1.words["ties"]:
        assert ask(*options, "ib4", "--ties", ties).exit_code == 0
    for ties in ByPebls.words["ties"]:
        assert ask(*options, "pebls", "--ties", ties).exit_code == 0


def test_defaults_are_those_of_the_library() -> None:
    for learner, model in (("ib1", IB1()), ("ib2", IB2()), ("ib3", IB3()), ("ib4", IB4())):
        asked: Any = LEARNERS[learner]()
        assert {name: getattr(model, name) for name in vars(asked) if name != "seed"} == {
            name: value for name, value in vars(asked).items() if name != "seed"
        }
    assert (ByIB3().accept, ByIB3().drop) == (0.9, 0.875)
    assert (ByPebls.neighbors, ByPebls.weighting, ByPebls.bins, ByPebls.ties) == (1, "multi_pass", None, PEBLS().ties)
