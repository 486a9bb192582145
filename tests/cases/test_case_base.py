"""The case base as users hold it: what goes in, what comes out, what is refused, and who sees what when."""

import datetime
import os
import stat
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest

import priorcase as pc
from priorcase.exceptions import (
    CaseBaseError,
    NotAvailableError,
    ParameterError,
    UnknownIdError,
)

DEVICES = {"device": {"printer": ["laser", "inkjet"], "router": None}}
ATTRIBUTES = {
    "device": pc.Taxonomy(DEVICES),
    "age": "numeric",
    "urgency": pc.Ordinal(("low", "high")),
    "place": "nominal",
    "signs": "set",
    "opened": "date",
    "message": "text",
    "function": "graph",
}
CASE = {
    "device": "laser",
    "age": 3,
    "urgency": "high",
    "place": "office",
    "signs": {"jam", "noise"},
    "opened": datetime.date(2025, 3, 1),
    "message": "paper jam in tray 2",
    "function": pc.FunctionGraph.parse("C +> Q"),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "desk.priorcase"


@pytest.fixture
def base(path):
    with pc.CaseBase.open(path, ATTRIBUTES) as base:
        yield base


def contents(path):
    return {name.name: name.read_bytes() for name in path.parent.iterdir()}


def test_a_case_comes_back_as_it_went_in(base, path):
    id = base.add(CASE, solution={"do": ["clean", 2]}, outcome=True, key="T-1", note="twice", by="desk 2", why="new")
    for found in (base.get(id), next(base.find()), next(pc.CaseBase.open(path).find())):
        assert dict(found) == {**CASE, "signs": frozenset(CASE["signs"])}
        assert (found.solution, found.outcome, found.key) == ({"do": ["clean", 2]}, True, "T-1")
        assert (found.by, found.why, found.revised_at, found.retired) == ("desk 2", "new", None, False)
        assert [note.text for note in found.notes] == ["twice"]
        assert datetime.datetime.fromisoformat(found.added_at).tzinfo is not None


def test_every_attribute_may_be_missing(base):
    id = base.add({"age": float("nan"), "message": None})
    assert set(base.get(id).values()) == {None}
    assert base.retrieve({"age": 3}, k=1).similarities.tolist() == [0.0]


def test_the_same_key_is_one_case(base):
    first = base.add(CASE, key="T-1")
    assert base.add({"age": 9}, key="T-1") == first
    assert base.add_many([{"age": 9}, {"age": 8}], key=["T-1", "T-2"]) == [first, first + 1]
    assert len(base) == 2
    assert base.get(first)["age"] == 3
    assert base.add_many([{"age": 1}, {"age": 2}], key=["T-9", "T-9"]) == [first + 2] * 2
    assert [case.id for case in base.find(where={"key": "T-9"})] == [first + 2]
    assert len(base.retrieve({"age": 3}, k=9)) == 3


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
def test_frames_are_cases(path, frame):
    X = frame({"age": [1, 2, None], "make": ["a", None, "b"], "fix": ["x", "y", None], "no": ["1", "2", "3"]})
    with pc.CaseBase.open(path) as base:
        assert base.add_many(X, solution="fix", key="no") == [1, 2, 3]
        assert [dict(case) for case in base] == [
            {"age": 1, "make": "a"},
            {"age": 2, "make": None},
            {"age": None, "make": "b"},
        ]
        assert [case.solution for case in base] == ["x", "y", None]
        assert {name: type(kind).__name__ for name, kind in base.attributes.items()} == {
            "age": "Numeric",
            "make": "Nominal",
        }


def test_the_first_cases_declare_the_attributes(path):
    with pc.CaseBase.open(path) as base:
        assert base.attributes == {}
        base.add({"age": 3, "tags": ["a"], "when": datetime.date(2024, 1, 1), "who": "x"})
        found = {name: type(kind).__name__ for name, kind in base.attributes.items()}
        assert found == {"age": "Numeric", "tags": "Set", "when": "Date", "who": "Nominal"}
        with pytest.raises(CaseBaseError, match="got attribute 'colour', unknown to the case base"):
            base.add({"colour": "red"})
        assert len(base) == 1


def test_conditions_find_cases(base):
    base.add(CASE, solution="a", by="x")
    base.add({"device": "inkjet", "age": 7, "signs": ["noise"], "message": "Stripes"}, solution="b", key="k")
    base.add({"device": "router"}, outcome=False)

    def ids(**conditions):
        return [case.id for case in base.find(where=conditions)]

    assert ids() == [1, 2, 3]
    assert ids(device="printer") == [1, 2]
    assert ids(age=None) == [3]
    assert ids(age=pc.cases.at_least(5)) == [2]
    assert ids(signs="noise", solution="a") == [1]
    assert ids(message=pc.cases.contains("stripes")) == [2]
    assert ids(age=lambda age: age % 2 == 1, key="k") == [2]
    assert ids(by="x") == [1]
    assert ids(outcome=False) == [3]
    assert ids(id=[1, 3]) == [1, 3]
    base.retire(1)
    assert ids(retired=True) == [1]
    with pytest.raises(CaseBaseError, match="Did you mean 'device'"):
        base.find(where={"devise": "laser"})


def test_cases_are_revised(base):
    id = base.add(CASE, solution="a", key="k", by="first", why="because")
    base.revise(id, {"age": None, "place": "home"}, outcome=0.5, note="better", by="second", why="feedback")
    found = base.get(id)
    assert (found["age"], found["place"], found["device"]) == (None, "home", "laser")
    assert (found.solution, found.outcome, found.key, found.by) == ("a", 0.5, "k", "first")
    assert [(note.text, note.by) for note in found.notes] == [("better", "second")]
    assert found.revised_at is not None
    base.revise(id, solution=None)
    assert base.get(id).solution is None
    assert [(event.action, event.why) for event in base.history(id)] == [
        ("added", "because"),
        ("revised", "feedback"),
        ("revised", None),
    ]
    assert base.retrieve({"place": "home"}, k=1).ids == (id,)


def test_the_digest_tells_retired_cases_from_others(path):
    with pc.CaseBase.open(path, ATTRIBUTES) as base:
        id = base.add(CASE)
        before = base.digest()
        base.retire(id)
        assert base.digest() != before


def test_forgetting_leaves_no_byte_and_the_digest_of_a_base_that_never_had_it(path, tmp_path):
    secrets = ["Zq8secretmessage" * 400, "Zq8secretplace", "Zq8secretfix", "Zq8key", "Zq8note", "Zq8who", "Zq8why"]
    with pc.CaseBase.open(path, ATTRIBUTES) as base, pc.CaseBase.open(tmp_path / "other", ATTRIBUTES) as never:
        for i in range(60):
            for one in (base, never):
                one.add({**CASE, "age": i, "message": f"message {i} " * i}, solution=f"s{i % 3}", key=f"k{i}")
            if i % 10 == 0:
                case = {**CASE, "message": secrets[0], "place": secrets[1], "signs": {"Zq8sign"}}
                id = base.add(
                    case, solution=secrets[2], key=f"Zq8key{i}", note=secrets[4], by=secrets[5], why=secrets[6]
                )
                base.revise(id, {"message": "Zq8other"}, note="Zq8second", by="Zq8by", why="Zq8reason")
        base.fit(pc.KNNClassifier(), name="answers")
        assert b"Zq8" in path.read_bytes()
        assert base.forget(where={"key": lambda key: key.startswith("Zq8")}, by="officer", why="asked to") == 6
        assert base.digest() == never.digest()
        assert all(b"Zq8" not in content for content in contents(path).values())
        assert not base.verify().findings
        gone = [event for event in base.history() if event.action == "forgotten"]
        assert {(event.by, event.why) for event in gone} == {("officer", "asked to")}
        query = {"age": 7, "message": "message 7"}
        assert base.retrieve(query, k=9).similarities.tolist() == never.retrieve(query, k=9).similarities.tolist()
        assert base.add(CASE) == 67  # ids are never used again
    assert all(b"Zq8" not in content for content in contents(path).values())


def test_names_that_look_like_sql_are_names(path):
    name = "a\"); DROP TABLE cases; --' %s ? :x"
    with pc.CaseBase.open(path, {name: "nominal"}) as base:
        base.add({name: name}, solution=name, key=name, note=name, by=name, why=name)
        assert next(base.find(where={name: name})).solution == name
        assert base.retrieve({name: name}).similarities.tolist() == [1.0]
        assert base.forget(where={name: name}) == 1
        assert base.verify()


def test_attributes_are_declared_later(base):
    id = base.add({"age": 3, "place": "7"})
    base.declare(colour="nominal", why="asked since today")
    assert base.get(id)["colour"] is None
    base.revise(id, {"colour": "red"})
    assert base.retrieve({"colour": "red"}).ids == (id,)
    base.declare({"place": "text"})
    assert base.get(id)["place"] == "7"
    with pytest.raises(CaseBaseError, match="cannot change the kind of 'age' to text: a stored case has 3"):
        base.declare(age="text")
    assert isinstance(base.attributes["age"], pc.Numeric)


def test_a_read_only_base_cannot_be_changed(base, path):
    base.add(CASE)
    before = contents(path)
    with pc.CaseBase.open(path, readonly=True) as reader:
        for change in (
            lambda: reader.add(CASE),
            lambda: reader.add_many([CASE]),
            lambda: reader.revise(1, {"age": 1}),
            lambda: reader.forget(1),
            lambda: reader.declare(x="text"),
            lambda: reader.retain(CASE, solution="x"),
            lambda: reader.prefer(weights={"age": 2}),
            lambda: reader.retire(1),
        ):
            with pytest.raises(CaseBaseError, match="opened with readonly=True"):
                change()
        assert len(reader.retrieve({"age": 3})) == 1
    assert contents(path) == before
    with pytest.raises(CaseBaseError):
        pc.CaseBase.open(path.with_name("absent"), readonly=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anything")
def test_a_file_that_may_not_be_written(base, path):
    base.add(CASE)
    base.close()
    path.chmod(stat.S_IRUSR)
    with pc.CaseBase.open(path) as reader, pytest.raises(CaseBaseError, match="read-only"):
        reader.add(CASE)


def test_a_closed_base_says_so(path):
    base = pc.CaseBase.open(path, ATTRIBUTES)
    base.close()
    base.close()
    with pytest.raises(CaseBaseError, match="is closed"):
        base.add(CASE)
    with pytest.raises(CaseBaseError, match="is closed"):
        len(base)


def test_paths_that_are_no_case_base(tmp_path):
    (tmp_path / "notes.txt").write_text("shopping list\n" * 500)
    import sqlite3

    with sqlite3.connect(tmp_path / "foreign.db") as foreign:
        foreign.execute("CREATE TABLE t (a)")
    foreign.close()
    before = contents(tmp_path / "x")
    for name in ("", "notes.txt", "foreign.db"):
        with pytest.raises(CaseBaseError, match="case base"):
            pc.CaseBase.open(tmp_path / name)
    with pytest.raises(ParameterError, match="timeout"):
        pc.CaseBase.open(tmp_path / "new", timeout=-1)
    assert contents(tmp_path / "x") == before


def test_two_writers(base, path):
    script = (
        "import sys, priorcase as pc; b = pc.CaseBase.open(sys.argv[1]); print(b.add({'age': 5}, solution='there'))"
    )
    base.add({"age": 4}, solution="here")
    told = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "2"
    assert len(base) == 2  # seen at the next question
    assert base.retrieve({"age": 5}, k=1).solutions == ("there",)
    assert base.add({"age": 6}) == 3
    with pc.CaseBase.open(path, timeout=0.1) as other:
        with base._live.store.writing(), pytest.raises(CaseBaseError, match="in use"):
            other.add({"age": 7})
        assert other.add({"age": 7}) == 4
    assert len(base) == 4


def test_changes_elsewhere_are_followed_one_by_one(path):
    with pc.CaseBase.open(path, ATTRIBUTES) as one, pc.CaseBase.open(path) as other:
        for i in range(5):
            one.add({"age": i}, solution=str(i))
            assert other.retrieve({"age": i}, k=1).solutions == (str(i),)
        other.revise(2, {"age": 50})
        other.forget(3)
        other.retire(1)
        one.declare(colour="nominal")
        other.add({"colour": "red"})
        for base in (one, other):
            assert [(case.id, case["age"], case.retired) for case in base] == [
                (1, 0, True),
                (2, 50, False),
                (4, 3, False),
                (5, 4, False),
                (6, None, False),
            ]
            assert 1 not in base.retrieve({"age": 0}, k=9).ids
        assert one.digest() == other.digest()
        other.recall(1)
        assert one.retrieve({"age": 0}, k=1).ids == (1,)


def test_many_threads(base):
    base.add({"age": 0}, solution="s")
    errors = []

    def ask():
        try:
            for _ in range(20):
                found = base.retrieve({"age": 1}, k=3)
                assert all(0 <= s <= 1 for s in found.similarities)
                assert len(list(base.find())) >= 1
        except Exception as error:
            errors.append(error)

    def write():
        try:
            for i in range(10):
                base.add({"age": i}, solution="s")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)] + [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(base) == 21


def test_a_backup_is_a_base_of_its_own(base, path):
    base.add(CASE, solution="a")
    base.backup(path.with_name("copy"))
    base.forget(1)
    with pc.CaseBase.open(path.with_name("copy")) as copy:
        assert copy.get(1).solution == "a"
    with pytest.raises(CaseBaseError):
        base.backup(path.with_name("copy"))


def test_preferences_are_kept(base, path):
    base.add({"age": 0, "place": "a"}, solution="near")
    base.add({"age": 9, "place": "b"}, solution="same")
    query = {"age": 0, "place": "b"}
    assert base.retrieve(query).ids == (1, 2)
    base.prefer(weights={"place": 5}, measures={"age": pc.cases.Threshold(1)})
    with pc.CaseBase.open(path) as again:
        assert again.retrieve(query).ids == (2, 1)
        assert again.retrieve(query, weights={"place": 0}).ids == (1, 2)
        assert again.preferences() == {"weights": {"place": 5.0}, "measures": {"age": pc.cases.Threshold(1)}}
    base.prefer(weights={}, measures={})
    assert base.preferences() == {"weights": {}, "measures": {}}
    assert base.retrieve(query).ids == (1, 2)
    with pytest.raises(CaseBaseError):
        base.prefer(weights={"colour": 1})


def test_the_cycle(base):
    for age, fix in ((1, "oil"), (2, "oil"), (9, "swap")):
        base.add({"age": age}, solution=fix)
    proposal = base.reuse({"age": 1.5}, k=2)
    assert proposal.solution == "oil"
    assert base.reuse(base.retrieve({"age": 9}, k=1), "copy").solution == "swap"
    assert not base.retain({"age": 1.4}, solution="oil")
    kept = base.retain({"age": 8.5}, solution="oil", key="new")
    assert kept
    assert base.get(kept.id).key == "new"
    with pytest.raises(ValueError, match="without a solution"):
        base.retain({"age": 3}, solution=None)


def test_reuse_takes_the_first_cases_that_were_found(base):
    base.add_many([{"age": age} for age in range(8)], solution=[10 * age for age in range(8)])
    found = base.retrieve({"age": 0}, k=8)
    assert base.reuse(found, "mean", k=1).solution == base.reuse(found[:1], "mean").solution == 0
    assert base.reuse(found, "mean", k=3).solution == base.reuse({"age": 0}, "mean", k=3).solution
    assert base.reuse(found, "mean", k=99).solution == base.reuse(found, "mean").solution
    assert base.reuse({"age": 0}, "mean").solution == base.reuse(found, "mean", k=5).solution
    for k in (0, 1.5, "1", True):
        with pytest.raises(ParameterError, match="k must be an integer >= 1"):
            base.reuse(found, "mean", k=k)


def test_a_kept_learner_that_does_not_predict_says_so(base):
    base.add_many([{"age": 1}, {"age": 2}, {"age": 60}], solution=["a", "a", "b"])
    base.fit(pc.reduction.CNN(), name="reduced")
    for method in ("predict", "predict_proba"):
        with pytest.raises(NotAvailableError, match=rf"CaseLearner\.{method}: CNN has no {method}, since "):
            getattr(base.learner("reduced"), method)({"age": 3})


def test_conditions_say_which_cases_are_retired(base):
    base.add_many([{"age": age} for age in range(4)], solution=list("ssss"))
    before = base.digest()
    base.retire(where={"age": pc.cases.at_least(2)}, why="old")
    assert [case.id for case in base.find(where={"retired": True})] == [3, 4]
    assert base.digest() != before  # whether a case is retired counts
    base.recall(where={"retired": True, "age": 3})
    assert [case.retired for case in base] == [False, False, True, False]
    base.recall(3)
    assert base.digest() == before
    for change in (base.retire, base.recall):
        for given in ({}, {"where": {}}, {"ids": 1, "where": {"age": 1}}):
            with pytest.raises(CaseBaseError, match="neither or both of ids and where"):
                change(**given)


def test_poor_cases_are_retired(base):
    for age in (0, 100):
        base.add({"age": age}, solution="right")
    bad = base.add({"age": 50}, solution="wrong")
    retired = []
    for i in range(30):
        retired += base.retain({"age": 50 + i / 1000}, solution="right", policy="records").retired
        if retired:
            break
        base.forget(base.history()[-1].id if base.history()[-1].action == "added" else max(case.id for case in base))
    assert retired == [bad]
    assert base.get(bad).retired
    assert bad not in base.retrieve({"age": 50}, k=99).ids
    assert "poor" in str(base.records())


def test_retaining_into_an_empty_base(path):
    with pc.CaseBase.open(path) as base:
        assert base.retain({"age": 3}, solution="x").id == 1
        assert base.get(1)["age"] == 3


def test_printing(base, path):
    base.add(CASE, solution="clean it")
    assert str(path) in repr(base)
    assert "device    taxonomy of 5 nodes" in repr(base)
    assert repr(base.get(1)).startswith("case 1\n")
    assert "added" in repr(base.history())
    assert len(base.history().frame()) == len(base.history())
    assert repr(base.verify()) == "clean: 1 case"
    assert 1 in base
    assert 2 not in base
    assert "x" not in base


def test_what_was_retrieved_stays_as_it_was(path):
    with pc.CaseBase.open(path) as base:
        base.add({"age": 1}, solution="oil", key="a", note="said", by="desk")
        early, late = base.retrieve({"age": 1}), base.retrieve({"age": 1})
        assert (early[0].case.key, early[0].case.notes[0].text, early[0].case.by) == ("a", "said", "desk")
        base.revise(1, {"age": 9}, solution="swap")
        assert (late[0].case["age"], late.solutions, late[0].case.key) == (1, ("oil",), "a")
        gone = base.retrieve({"age": 9})
        base.forget(1)
        assert (gone[0].case["age"], gone.solutions, gone[0].case.key) == (9, ("swap",), None)
        base.add({"age": 2}, solution="look")
        closed = base.retrieve({"age": 2})
    assert closed.solutions == ("look",)


def test_cases_and_keys_stand_for_ids(base):
    base.add(CASE, solution="a", key="T-1")
    case = base.get(key="T-1")
    assert base.get(case) == case == base.get(1)
    base.revise(case, outcome=True)
    assert base.get(case.id).outcome is True
    assert case in base
    assert [found.id for found in base.find(where={"key": "T-1", "age": 3})] == [1]
    assert list(base.find(where={"key": "T-1", "age": 4})) == []
    assert list(base.find(where={"key": "T-2"})) == []
    base.add(CASE, key=5)
    for where in (5, [5, 6], pc.cases.one_of(5, "x"), pc.cases.all_of(pc.cases.not_("T-1"), np.int64(5))):
        assert [found.key for found in base.find(where={"key": where})] == ["5"]
    with pytest.raises(UnknownIdError, match="found no case with the key 'T-2'"):
        base.get(key="T-2")
    for wrong in ({}, {"id": 1, "key": "T-1"}):
        with pytest.raises(UnknownIdError, match="got neither or both of id and key"):
            base.get(**wrong)
    with pytest.raises(UnknownIdError, match="as an id; expected an integer"):
        base.revise({"age": 3}, outcome=True)
    with pytest.raises(CaseBaseError, match="'outcome', 'id', 'key'"):
        base.find(where={"when": "today"})
    assert base.forget(case) == 1


def test_tables_of_the_library_are_cases(path):
    X, y = pc.datasets.load_repairs()
    with pc.CaseBase.open(path) as base:
        base.add_many(X, solution=y)
        assert len(base) == 96
        assert isinstance(base.attributes["age_years"], pc.Numeric)


def test_a_base_is_opened_and_not_made(base, path):
    with pytest.raises(CaseBaseError, match=r"Use CaseBase\.open\(path\)"):
        pc.CaseBase(path)
    base.close()
    assert repr(base) == f"CaseBase {path}: closed"


def test_a_recalled_case_has_a_fresh_record(base):
    base.add({"age": 1}, solution="x")
    base.retain({"age": 1}, solution="y", policy="records")
    assert base.records().frame()["tried"].sum() == 1
    base.retire(1)
    base.recall(1)
    assert base.records().frame()["tried"].sum() == 0
    assert base.verify()


def test_a_learner_is_fitted_again_to_the_cases_that_are_left(path):
    with pc.CaseBase.open(path) as base:
        base.add_many([{"age": age} for age in range(6)], solution=list("aaabbb"))
        base.fit(pc.KNNClassifier(n_neighbors=1), name="nearest")
        base.add({"age": 100}, solution="c")
        base.forget(6)
        assert base.learner("nearest").ids.tolist() == [1, 2, 3, 4, 5]
        assert base.learner("nearest").predict({"age": 100}).tolist() == ["b"]
        base.forget(5)
        assert base.learner("nearest").ids.tolist() == [1, 2, 3, 4]
        assert base.verify()
        assert "will be refitted" in str(base.learners())
        base.drop_learner("nearest")
        with pytest.raises(ValueError, match="nearest"):
            base.learner("nearest")


def test_a_failure_is_kept_where_the_base_would_repeat_it(base):
    base.add({"age": 1}, solution="oil")
    kept = base.retain({"age": 1}, solution="oil", outcome=False)
    assert kept
    assert not base.retain({"age": 1}, solution="swap", outcome=False)
    with pytest.raises(ValueError, match="success="):
        base.retain({"age": 1}, solution="oil", outcome="so so")
    assert not base.retain({"age": 1}, solution="swap", outcome="so so", success=lambda told: told != "so so")


def test_conversations_with_some_cases_and_other_weights(base):
    base.add({"place": "home", "age": 1}, solution="oil")
    base.add({"place": "office", "age": 2}, solution="swap")
    base.add({"place": "office", "age": 3}, solution="look")
    assert len(base.converse().candidates) == 3
    talk = base.converse(where={"place": "office"}, weights={"age": 0})
    assert len(talk.candidates) == 2
    assert talk.next_question() is None
    with pytest.raises(CaseBaseError):
        base.converse(weights={"colour": 1})


def test_learners_count_changes_of_cases_alone(base):
    base.add_many([{"age": age} for age in range(4)], solution=list("aabb"))
    base.fit(pc.KNNClassifier(n_neighbors=1), name="one")
    base.fit(pc.KNNClassifier(n_neighbors=1), name="two")
    assert [kept.changes for kept in base.learners()] == [0, 0]
    base.revise(1, {"age": 9})
    assert [kept.changes for kept in base.learners()] == [1, 1]


def test_whole_numbers_are_kept_as_they_are(base):
    assert base.get(base.add({"age": 2**53 + 1, "signs": np.array(["b", "a"])}))["age"] == 2**53 + 1
    with pc.CaseBase.temporary({}) as empty, pytest.raises(CaseBaseError, match="Known names: none yet"):
        empty.retrieve({"age": 1})


def test_weights_may_be_fixed_and_failures_teach_nothing(base):
    for i in range(12):
        base.add({"age": i % 4, "place": "ab"[i % 2]}, solution="xy"[i % 2], outcome=True)
    weights = base.learn_weights(k=1, fixed={"age": 0})
    assert weights["age"] == 0
    assert weights["place"] > 0
    base.add({"age": 1}, solution="z", outcome="odd")
    with pytest.raises(ValueError, match="success="):
        base.learn_weights(k=1)
    assert base.learn_weights(k=1, success=lambda told: told is True)["place"] > 0


def test_changes_of_no_case(base, path):
    assert base.add_many([]) == []
    assert len(base.history()) == 1  # the declaration alone
    base.add(CASE)
    assert base.forget(where={"age": 99}) == 0
    with pc.CaseBase.open(path, ATTRIBUTES) as again:
        assert len(again) == 1
    assert base.forget(np.array([1])) == 1


def test_control_characters_are_escaped_in_what_is_printed():
    command = "\x1b[2J\u202e\n"
    with pc.CaseBase.temporary({f"a{command}": "nominal", "age": "numeric"}, by=command) as base:
        cases = [{f"a{command}": f"v{command}", "age": age} for age in range(6)]
        solutions = [f"s{command}{age % 2}" for age in range(6)]
        base.add_many(cases, solution=solutions, key=[f"{age}{command}" for age in range(6)], why=command)
        found = base.retrieve({f"a{command}": f"v{command}", "age": 2}, k=2)
        learner = base.fit(pc.KNNClassifier(n_neighbors=1), name=f"l{command}")
        results = [base, base.get(1), found, found.explain(), base.reuse(found), base.history(), base.competence()]
        results += [base.near_duplicates(), base.learn_weights(), base.learners(), learner, base.converse().transcript]
        for result in results:
            assert not set("\x1b\u202e") & set(str(result)), type(result)


def test_a_kind_that_a_kept_measure_does_not_fit_is_refused():
    with pc.CaseBase.temporary({"make": "nominal"}) as base:
        base.add({"make": "A"}, solution="oil")
        base.prefer(measures={"make": "mvdm"})
        with pytest.raises(ParameterError, match=r"CaseBase\.declare: MVDM.*cannot compare attribute 'make'"):
            base.declare(make="text")
        assert base.retrieve({"make": "A"}).solutions == ("oil",)
        base.prefer(measures={})
        base.declare(make="text")
