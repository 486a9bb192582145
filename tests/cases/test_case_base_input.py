"""What people give a case base by mistake: one clear sentence with a hint each, and nothing changed."""

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import priorcase as pc
from priorcase.cases import SimilarityTable
from priorcase.exceptions import (
    CaseBaseError,
    CaseBaseFileError,
    ParameterError,
    PriorcaseError,
    SimilarValueWarning,
    UnknownIdError,
)

KINDS = {
    "age": "numeric",
    "wear": pc.Ordinal(("new", "worn")),
    "make": "nominal",
    "colour": pc.Nominal(("red", "blue")),
    "words": "text",
    "tags": "set",
    "day": "date",
    "device": pc.Taxonomy({"printer": ["laser"]}),
    "plan": "graph",
}


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no")


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


ODD = {
    "too many digits": 10**6000,
    "unprintable": Unprintable(),
    "far too deep": nested(100_000),
    "too deep": nested(200),
    "bytes": b"bytes",
    "an object": object(),
    "a list of lists": [[1]],
    "a complex number": 1j,
    "a mapping by numbers": {1: 2},
    "a mapping to sets": {"a": {1}},
    "a text": "1",
    "several": [1, 2],
    "none": [],
    "a truth value": True,
    "a fraction": 1.0,
}


def odd(*names):
    return pytest.mark.parametrize("value", [ODD[name] for name in names], ids=names)


UNREADABLE = ("too many digits", "unprintable", "far too deep")


@pytest.fixture
def base(tmp_path):
    with pc.CaseBase.open(tmp_path / "base.priorcase", KINDS) as base:
        base.add_many([{"age": 1}, {"age": 2}], solution=["x", "y"], key=["one", "two"])
        yield base


def assert_refused(base, call):
    """One line, and the base as it was."""
    before = base.digest()
    with pytest.raises(PriorcaseError) as raised:
        call()
    problem = str(raised.value)
    assert "\n" not in problem
    assert len(problem) < 800
    assert base.digest() == before
    return problem


@odd(*UNREADABLE, "bytes", "an object", "a list of lists", "a complex number")
@pytest.mark.parametrize("name", KINDS)
def test_values_that_cannot_even_be_printed(base, name, value):
    for call in (base.add, base.retrieve, lambda case: base.revise(1, case)):
        assert_refused(base, lambda call=call: call({name: value}))


@odd(*UNREADABLE, "too deep", "a mapping by numbers", "a mapping to sets")
def test_solutions_that_cannot_be_written_down(base, value):
    for beside in ("solution", "outcome"):
        assert "as " + beside in assert_refused(base, lambda beside=beside: base.add({}, **{beside: value}))


@odd(*UNREADABLE, "a text", "several", "none", "a truth value", "a fraction", "a mapping by numbers")
def test_what_is_no_id(base, value):
    for call in (base.get, base.history, lambda id: base.revise(id, {"age": 9})):
        assert_refused(base, lambda call=call: call(value))


def test_one_id_is_asked_for_where_one_case_is_meant(base):
    with pytest.raises(UnknownIdError, match=r"\[1, 2\] as an id"):
        base.revise([1, 2], {"age": 9})
    with pytest.raises(UnknownIdError, match=r"\[1, 2\] as an id"):
        base.get([1, 2])
    assert base.retire([1, 2]) is None
    case = base.get(1)
    assert len(base.history(case)) == len(base.history(np.int64(1))) == 2
    assert len(base.history(99)) == 0


@pytest.mark.parametrize("path", [None, 3, b"base", "", "a\0b", "\ud800", ["base"]])
def test_what_is_no_path(base, path):
    for call in (pc.CaseBase.open, base.backup, lambda path: pc.CaseBase.open(path, readonly=True)):
        with pytest.raises(ParameterError, match="path must be"):
            call(path)


@pytest.mark.parametrize(
    "name", ["file:x?mode=memory", "a%20b", "q?mode=ro", "h#x", "new\nline", ":memory:", "é\udcff"], ids=ascii
)
def test_odd_paths_are_paths(tmp_path, name):
    for _ in range(2):
        with pc.CaseBase.open(tmp_path / name, {"age": "numeric"}) as base:
            base.add({"age": 3}, key="one")
    with pc.CaseBase.open(tmp_path / name, readonly=True) as base:
        assert len(base) == 1
    assert Counter(os.listdir(tmp_path)) == Counter([name, f"{name}-journal"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_journal_that_is_a_pipe_is_not_waited_for(base):
    base.close()
    journal = Path(f"{base.path}-journal")
    journal.unlink()
    os.mkfifo(journal)
    with pytest.raises(CaseBaseFileError, match="belongs to another file"):
        pc.CaseBase.open(base.path)


@pytest.mark.parametrize(
    "name",
    ["self", "path", "ids", "where", "e\u0301", "\u00e9", "a\nb", "a\0b", " ", "%s", "x" * 5_000],
    ids=lambda name: ascii(name)[:9],
)
def test_any_text_names_an_attribute(tmp_path, name):
    with pc.CaseBase.open(tmp_path / "base.priorcase") as base:
        base.add({name: "v", "other": 1}, solution="s")
        assert [case[name] for case in base.find(where={name: "v"})] == ["v"]
        assert base.retrieve({name: "v"}, 1)[0].similarity == 1
        base.declare(**{name: "text"})
        assert base.export(tmp_path / "cases.jsonl", where={name: "v"}) == 1
        assert base.forget(where={name: "v"}) == 1


def test_names_that_every_case_has_are_not_imported(base, tmp_path):
    head = '{"priorcase cases": 1, "attributes": [["retired", {"kind": "numeric"}]]}\n'
    (tmp_path / "cases.jsonl").write_text(head)
    with pc.CaseBase.open(tmp_path / "new.priorcase") as new:
        with pytest.raises(CaseBaseError, match="attribute 'retired', reserved for"):
            new.import_(tmp_path / "cases.jsonl")
        assert new.attributes == {}


def test_keys_may_be_whole_numbers_of_any_kind(base):
    id = base.add({"age": 3}, key=np.int64(17))
    assert base.add({"age": 4}, key=17) == base.add({}, key="17") == id


def test_a_thousand_attributes(tmp_path):
    with pc.CaseBase.open(tmp_path / "base.priorcase") as base:
        base.add({f"attribute {i}": i for i in range(1_000)}, solution="s")
        assert base.retrieve({f"attribute {i}": i for i in range(1_000)}, 1)[0].similarity == 1
        assert base.verify()
    with pc.CaseBase.open(tmp_path / "base.priorcase") as base:
        assert base.get(1)["attribute 999"] == 999


def test_who_retained_a_case_and_why_is_forgotten_with_it(base):
    kept = base.retain({"age": 1}, solution="other", policy="records", by="Zq-who", why="Zq-why", key="Zq-key")
    assert [event.action for event in base.history(1)][-1] in ("used", "retired")
    base.forget(kept.id)
    assert b"Zq" not in Path(base.path).read_bytes()


def test_what_was_declared_stays_when_a_case_is_forgotten(base):
    base.add({"make": "rare"}, key="rare")
    base.prefer(measures={"make": SimilarityTable({("rare", "common"): 0.5})})
    base.forget(where={"key": "rare"})
    assert base.retrieve({"make": "common"}, 1)
    assert b"rare" in Path(base.path).read_bytes()
    base.prefer(measures={})
    base.add({"make": "next"}, key="next")
    base.forget(where={"key": "next"})
    assert b"rare" not in Path(base.path).read_bytes()


def test_conditions_may_ask_the_base_itself(base):
    assert base.forget(where={"age": lambda age: age == 1 and len(base) == 2 and base.get(1)["age"] == 1}) == 1
    assert [case.id for case in base.find(where={"age": lambda age: 2 in base})] == [2]


def test_a_condition_that_asks_while_others_change_the_base_sees_what_it_is_asked_of(base):
    def slow(age):
        if not seen:
            with pc.CaseBase.open(base.path) as other:
                other.add({"age": 3})
        seen.append(len(base))
        return True

    seen = []
    assert len(list(base.find(where={"age": slow}))) == 2
    assert seen == [2, 2]
    assert len(base) == 3


def test_a_condition_may_ask_for_the_digest_unless_others_change_the_base(base):
    def slow(age):
        with pc.CaseBase.open(base.path) as other:
            other.add({"age": 3})
        return bool(base.digest())

    assert len(list(base.find(where={"age": lambda age: bool(base.digest())}))) == 2
    with pytest.raises(CaseBaseError, match="while it processes a query"):
        base.find(where={"age": slow})


def test_a_base_is_not_changed_from_inside_its_own_answer(base):
    assert "while it processes a query" in assert_refused(
        base, lambda: base.find(where={"age": lambda _: base.add({})})
    )


def test_a_query_value_in_other_capitals_is_asked_back() -> None:
    with pc.CaseBase.temporary({"make": "nominal", "fault": "text"}) as base:
        base.add({"make": "land rover", "fault": "no start"}, solution="battery")
        base.add({"make": "fiat", "fault": "no start"}, solution="fuse")
        with pytest.warns(
            SimilarValueWarning, match="no case has ' Land  Rover' as 'make'. Did you mean 'land rover'?"
        ):
            base.retrieve({"make": " Land  Rover"})
        with pytest.warns(SimilarValueWarning, match="Did you mean 'fiat'"):
            talk = base.converse({"make": "FIAT"})
        with pytest.warns(SimilarValueWarning, match="Did you mean 'land rover'"):
            talk.tell("make", "Land Rover")
        base.retrieve({"make": "fiat"})  # without a warning, which would be an error here
        base.retrieve({"make": "saab", "fault": "NO START"})
