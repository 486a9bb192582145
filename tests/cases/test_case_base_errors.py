"""What a case base refuses: one line that names the method, and nothing changed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import priorcase as pc
from priorcase.exceptions import CaseBaseError, ParameterError, PriorcaseError, SchemaError, UnknownIdError

ATTRIBUTES: dict[str, Any] = {
    "device": pc.Taxonomy({"printer": ["laser", "inkjet"]}),
    "age": "numeric",
    "tags": "set",
    "message": "text",
    "function": "graph",
}
TWICE = pd.DataFrame([[1, 2]], columns=["age", "age"])
Refusal = tuple[str, Callable[[pc.CaseBase], Any], type[Exception], str]

REFUSED: list[Refusal] = [
    # cases
    ("no number", lambda b: b.add({"age": "old"}), CaseBaseError, r"CaseBase\.add: got 'old' for 'age'.*number"),
    ("no node", lambda b: b.add({"device": "scanner"}), CaseBaseError, "node of the taxonomy"),
    ("too long", lambda b: b.add({"message": "x" * 1_000_001}), CaseBaseError, "'message'; expected at most 1,000,000"),
    ("no graph", lambda b: b.add({"function": "C *> Q"}), ValueError, "C"),
    ("unknown attribute", lambda b: b.add({"colour": "red"}), CaseBaseError, "'colour', unknown to the case base"),
    ("no mapping", lambda b: b.add([1, 2]), CaseBaseError, "as a case; expected a mapping"),
    ("no solution", lambda b: b.add({}, solution=object()), CaseBaseError, "as solution"),
    ("no outcome", lambda b: b.add({}, outcome={1, 2}), CaseBaseError, "as outcome"),
    ("no key", lambda b: b.add({}, key=1.5), CaseBaseError, "'key'; expected a string or an integer"),
    ("empty key", lambda b: b.add({}, key=""), CaseBaseError, "'key'.*non-empty"),
    ("long key", lambda b: b.add({}, key="k" * 1001), CaseBaseError, "1,001 characters for 'key'"),
    ("no note", lambda b: b.add({}, note=3), CaseBaseError, "'note'; expected a string"),
    ("no author", lambda b: b.add({}, by=3), CaseBaseError, "'by'; expected a string"),
    ("no reason", lambda b: b.add({}, why="\ud800"), CaseBaseError, "'why'; expected a non-empty string"),
    # many cases
    ("one of many", lambda b: b.add_many([{"age": 1}, {"age": "old"}]), CaseBaseError, r"add_many: got 'old'"),
    ("too few values", lambda b: b.add_many([{}, {}], solution=["x"]), CaseBaseError, "1 value of solution for 2"),
    ("no column", lambda b: b.add_many([{"age": 1}], solution="fix"), CaseBaseError, "fix"),
    ("which columns", lambda b: b.add_many([{"age": 1}], solution="fix"), CaseBaseError, "not a column.*are 'age'"),
    ("same columns", lambda b: b.add_many(TWICE), CaseBaseError, "duplicate column names"),
    ("no list", lambda b: b.add_many([{"age": 1}], solution=3), CaseBaseError, "name of a column"),
    ("one case", lambda b: b.add_many({"age": 1}), CaseBaseError, "a frame, or a list of mappings"),
    ("no cases", lambda b: b.add_many([3]), CaseBaseError, "as a case; expected a mapping"),
    # ids, keys and conditions
    ("no id", lambda b: b.get("x"), UnknownIdError, r"CaseBase\.get: got 'x' as an id"),
    ("unknown id", lambda b: b.revise(99, {"age": 1}), UnknownIdError, "id 99, but no case has this id"),
    ("unknown ids", lambda b: b.forget([1, 7, 8]), UnknownIdError, "ids 7, 8, but no case has these ids"),
    ("huge id", lambda b: b.forget(10**30), UnknownIdError, "as an id; expected an integer"),
    ("several ids", lambda b: b.revise([1, 2], {"age": 9}), UnknownIdError, r"\[1, 2\] as an id"),
    ("a mapping", lambda b: b.revise({"age": 3}, outcome=True), UnknownIdError, "as an id"),
    ("an array", lambda b: b.forget(np.array(9)), UnknownIdError, r"array\(9\) as an id"),
    ("neither", lambda b: b.get(), UnknownIdError, "neither or both of id and key"),
    ("both", lambda b: b.get(1, key="k"), UnknownIdError, "neither or both of id and key"),
    ("unknown key", lambda b: b.get(key="T-2"), UnknownIdError, "no case with the key 'T-2'"),
    ("misspelt", lambda b: b.find(where={"devise": "laser"}), CaseBaseError, "Did you mean 'device'"),
    ("other name", lambda b: b.find(where={"when": 1}), CaseBaseError, "'outcome', 'id', 'key'"),
    ("conditions in an array", lambda b: b.forget(where=np.ones(2)), CaseBaseError, r"got where=array"),
    ("conditions in a frame", lambda b: b.retire(where=TWICE), CaseBaseError, r"got where=a DataFrame"),
    ("no conditions", lambda b: b.find(where=3), CaseBaseError, r"CaseBase\.find: got where=3"),
    ("nothing", lambda b: b.forget(), CaseBaseError, r"CaseBase\.forget: got neither or both of ids and where"),
    ("all", lambda b: b.forget(where={}), CaseBaseError, "neither or both of ids and where"),
    ("ids and where", lambda b: b.forget(1, where={"age": 1}), CaseBaseError, "neither or both of ids and where"),
    ("retire nothing", lambda b: b.retire(), CaseBaseError, r"CaseBase\.retire: got neither or both"),
    ("recall nothing", lambda b: b.recall(where={}), CaseBaseError, r"CaseBase\.recall: got neither or both"),
    ("revise to nonsense", lambda b: b.revise(1, 3), CaseBaseError, "expected a mapping"),
    ("no truth", lambda b: b.find(where={"retired": "x"}), CaseBaseError, "'x' for 'retired'; expected.*False, True"),
    ("no truths", lambda b: b.find(where={"retired": [1]}), CaseBaseError, "1 for 'retired'"),
    ("not even so", lambda b: b.find(where={"retired": pc.cases.not_("x")}), CaseBaseError, "'x' for 'retired'"),
    ("key in no text", lambda b: b.find(where={"key": [0.5]}), CaseBaseError, "0.5 for 'key'; expected a string"),
    ("author in no text", lambda b: b.forget(where={"by": 3}), CaseBaseError, "3 for 'by'; expected a string"),
    # attributes
    ("twice", lambda b: b.declare({"x": "text"}, x="numeric"), CaseBaseError, "got attribute 'x' twice"),
    ("no declaration", lambda b: b.declare(5), CaseBaseError, "a mapping from names to kinds"),
    (
        "no kind",
        lambda b: b.declare(a="number"),
        CaseBaseError,
        "got 'number' as the kind of 'a'. Did you mean 'numeric'",
    ),
    ("another kind", lambda b: b.declare(age="text"), CaseBaseError, "kind of 'age' to text: a stored case has 3"),
    ("reserved", lambda b: b.declare(solution="text"), CaseBaseError, "reserved for the fields"),
    ("empty name", lambda b: b.declare({"": "text"}), CaseBaseError, "an attribute named ''"),
    ("no name", lambda b: b.declare({3: "text"}), CaseBaseError, "an attribute named 3"),
    ("unreadable name", lambda b: b.declare({"\ud800": "text"}), CaseBaseError, "an attribute named"),
    ("no tree", lambda b: b.declare(x=pc.Taxonomy({"a": "b", "b": "a"})), SchemaError, "Taxonomy must"),
    ("other attributes", lambda b: pc.CaseBase.open(b.path, {"age": "text"}), CaseBaseError, "open: attributes do not"),
    # the cycle
    (
        "no neighbors",
        lambda b: b.reuse(b.retrieve({"age": 1}), k=0),
        ParameterError,
        r"CaseBase\.reuse: k must be",
    ),
    ("no weight", lambda b: b.prefer(weights={"colour": 1}), CaseBaseError, r"CaseBase\.prefer: .*'colour', unknown"),
    ("no weights", lambda b: b.converse(weights={"colour": 1}), CaseBaseError, "'colour', unknown"),
    ("unsolved", lambda b: b.retain({"age": 3}, solution=None), ValueError, "without a solution"),
    ("no such graph", lambda b: b.design("C +> Q", attribute="age"), CaseBaseError, "Choose one of 'function'"),
    ("a parameter within", lambda b: b.reuse({"age": 1}, kinds={}), CaseBaseError, r"CaseBase\.reuse: .*'kinds'"),
    ("a query as well", lambda b: b.reuse({"age": 1}, "vote", query={}), CaseBaseError, "'query' with method='vote'"),
    # learners
    (
        "no learner yet",
        lambda b: b.learner("near"),
        CaseBaseError,
        "no learner named 'near' in the case base; stored learners: none yet",
    ),
    ("nothing to drop", lambda b: b.drop_learner("near"), CaseBaseError, "no learner named 'near'"),
    (
        "graph",
        lambda b: b.fit(pc.IB1(), attributes=["function"]),
        CaseBaseError,
        r"do not support: 'function' \(graph\)",
    ),
    (
        "no target",
        lambda b: b.fit(pc.NaiveBayes(), target="outcome"),
        CaseBaseError,
        "the only case does not have the target",
    ),
    ("set target", lambda b: b.fit(pc.NaiveBayes(), target="tags"), CaseBaseError, "target='tags', a set attribute"),
    ("misspelt target", lambda b: b.fit(pc.NaiveBayes(), target="solutions"), CaseBaseError, "Did you mean 'solution'"),
    ("misspelt name", lambda b: b.fit(pc.NaiveBayes(), attributes=["agee"]), CaseBaseError, "Did you mean 'age'"),
    ("same twice", lambda b: b.fit(pc.NaiveBayes(), attributes=["age"] * 2), ParameterError, "list of distinct names"),
    ("one text", lambda b: b.fit(pc.NaiveBayes(), attributes="age"), ParameterError, "list of distinct names"),
    # opening
    ("no path", lambda b: b.backup(3), ParameterError, "path must be"),
    ("no time", lambda b: pc.CaseBase.open(b.path, timeout=-1), ParameterError, "timeout"),
    ("export to a number", lambda b: b.export(3), ParameterError, r"CaseBase\.export: path"),
    ("import of a number", lambda b: b.import_(3), ParameterError, r"CaseBase\.import_: path"),
    (
        "export to itself",
        lambda b: b.export(b.path, format="csv", overwrite=True),
        CaseBaseError,
        "the case base itself",
    ),
    ("not opened", lambda b: pc.CaseBase(b.path), CaseBaseError, r"Use CaseBase\.open\(path\)"),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pc.CaseBase]:
    with pc.CaseBase.open(tmp_path_factory.mktemp("cases") / "base.priorcase", ATTRIBUTES) as base:
        base.add({"age": 3}, solution="x")
        yield base


@pytest.mark.parametrize(("call", "error", "word"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(base: pc.CaseBase, call: Callable[[pc.CaseBase], Any], error: type[Exception], word: str) -> None:
    before = Path(base.path).read_bytes()
    with pytest.raises(error, match=word) as raised:
        call(base)
    assert isinstance(raised.value, PriorcaseError)
    assert "\n" not in str(raised.value)
    assert Path(base.path).read_bytes() == before
    assert len(base) == 1


@pytest.mark.parametrize(("method", "given"), [("converse", ()), ("design", ("C +> Q",))])
def test_unknown_parameters_are_those_of_the_public_method(base: pc.CaseBase, method: str, given: Any) -> None:
    with pytest.raises(TypeError, match=rf"^CaseBase\.{method}\(\) got an unexpected keyword argument 'zz'"):
        getattr(base, method)(*given, zz=1)


@pytest.mark.parametrize(
    ("method", "function"), [(pc.CaseBase.converse, pc.cases.Conversation), (pc.CaseBase.design, pc.cases.design)]
)
def test_public_methods_have_all_options_with_the_same_defaults(method: Any, function: Any) -> None:
    inner = inspect.signature(function).parameters
    own = {"cache", "attribute"}  # the case base's own cache; the attribute is found where only one is a graph
    options = {name: p.default for name, p in inner.items() if p.kind is p.KEYWORD_ONLY and name not in own}
    outer = inspect.signature(method).parameters
    assert {name: outer[name].default for name in options} == options


@pytest.mark.parametrize("attributes", [3, {"a": "number"}, {"": "text"}, {"id": "text"}, {"\ud800": "text"}])
def test_bad_attributes_create_nothing(tmp_path: Path, attributes: Any) -> None:
    with pytest.raises(CaseBaseError, match=r"CaseBase\.open"):
        pc.CaseBase.open(tmp_path / "new", attributes)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("method", ["find", "forget", "retire", "recall", "retrieve", "converse", "export"])
def test_conditions_are_where_in_every_method(base: pc.CaseBase, tmp_path: Path, method: str) -> None:
    parameters = inspect.signature(getattr(pc.CaseBase, method)).parameters
    assert "where" in parameters
    given = {"export": (tmp_path / "cases.jsonl",), "retrieve": ({"age": 1},), "converse": ({"age": 1},)}.get(
        method, ()
    )
    with pytest.raises(CaseBaseError, match="Did you mean 'device'"):
        getattr(base, method)(*given, where={"devise": "laser"})


def test_messages_name_methods_that_exist() -> None:
    for path in Path(inspect.getfile(pc.CaseBase)).parent.rglob("*.py"):
        for name in re.findall(r"CaseBase\.(\w+)", path.read_text(encoding="utf-8")):
            assert hasattr(pc.CaseBase, name), f"{path.name} names CaseBase.{name}"
