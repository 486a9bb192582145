"""Notebooks: every result has an HTML view, and fitted estimators show their columns below scikit-learn's diagram."""

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline

import priorcase as pc
from priorcase import cases, datasets, evaluation, plots, search
from priorcase.cases import designs

SCRIPT, IMAGE, BOLD = "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<b>yes</b>"
_VOID, _TAGS = {"br", "col", "hr", "img", "input"}, {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")


# -- results, made of tables whose names, values and classes are HTML


def rows(n: int = 40) -> tuple[pd.DataFrame, Any, Any]:
    """Rows, their classes and their numbers."""
    random = np.random.default_rng(0)
    size, names = random.normal(size=n).round(2), random.choice([SCRIPT, IMAGE, "a & b"], n)
    X = pd.DataFrame({SCRIPT: names, "size": size, IMAGE: random.choice(["x", "y"], n)})
    X.loc[::7, "size"] = np.nan
    return X, np.where(names == SCRIPT, BOLD, "no"), size * 2 + (names == IMAGE)


X, LABELS, NUMBERS = rows()
LEARNERS = {SCRIPT: pc.KNNClassifier(3), "baseline": DummyClassifier()}


def of_classifiers() -> Iterator[Any]:
    model, bayes = pc.KNNClassifier(3).fit(X, LABELS), pc.NaiveBayes().fit(X, LABELS)
    precedents = model.precedents(X[:7])
    yield from (precedents, next(iter(precedents.unlike)), model.schema_, model.distance_, model.distance_.distance)
    yield from (model.explain(X[:2]), pc.counterfactuals(model, X[:2]), pc.what_if(model, X[:1], "size"))
    yield from (pc.partial_dependence(model, X, SCRIPT), pc.partial_dependence(model, X, [SCRIPT, "size"]))
    yield from (pc.attribute_weights(X, LABELS), pc.KNNClassifier(1).fit(X[:9], LABELS[:9]).prequential(X, LABELS))
    yield from (bayes.contributions(X[:6]), bayes.predict_joint(X[:2], [SCRIPT, IMAGE]))
    yield pc.SubsetAveragedBayes().fit(X, LABELS).relevance_
    yield pc.TreeAveragedBayes().fit(X, LABELS).edge_table()
    yield pc.SuperParentAveragedBayes().fit(X, LABELS).super_parent_table()
    mixture = pc.MixtureModel(random_state=0, max_components=2).fit(X, LABELS)
    yield from (mixture.components_, mixture.selection_, mixture.outlier_scores(X[:2]))
    yield pc.IB3(history=True).fit(X, LABELS).history_
    exemplars = pc.PEBLS().fit(X, LABELS)
    yield from (exemplars.suspects(), exemplars.value_differences(SCRIPT))
    yield from (pc.LocallyWeightedClassifier().fit(X, LABELS).loo_curve_, pc.StackedClassifier().fit(X, LABELS).stack_)
    yield pc.RBFNetworkClassifier().fit(X, LABELS).loo_curve_
    yield pc.AttributeSelector(pc.KNNClassifier(3)).fit(X, LABELS).history_
    yield pc.tune(pc.KNNClassifier(), X, LABELS, candidates={"n_neighbors": [1, 3]}, progress=False)
    yield pc.reduction_curve([pc.ENN(), pc.CNN()], X, LABELS, cv=2)
    yield evaluation.ConformalClassifier(pc.KNNClassifier(3), folds=3).fit(X, LABELS).predict_set(X[:3])


def of_regressors() -> Iterator[Any]:
    model = pc.LocallyWeightedRegressor().fit(X, NUMBERS)
    yield from (model.precedents(X[:1]), model.coefficients(X[:2]), model.loo_curve_)
    yield pc.KNNRegressor(1).fit(X[:9], NUMBERS[:9]).prequential(X, NUMBERS)
    low, high = NUMBERS - 1.0, NUMBERS + 1.0
    yield evaluation.coverage_table(NUMBERS, {0.9: (low, high)})


def of_evaluation() -> Iterator[Any]:
    quick: dict[str, Any] = {"progress": False, "n_jobs": 1}
    found = evaluation.compare(LEARNERS, X, LABELS, splits=3, **quick)
    yield from (found, found.paired(), found.friedman())
    yield evaluation.compare_tables(LEARNERS, {SCRIPT: (X, LABELS), "b": (X[::-1], LABELS[::-1])}, splits=2, **quick)
    yield evaluation.learning_curve(LEARNERS, X, LABELS, sizes=[10, 20], repeats=2, **quick)
    yield evaluation.noise_curve(LEARNERS, X, LABELS, levels=[0.0, 0.5], repeats=2, **quick)
    yield evaluation.leave_one_out(pc.KNNClassifier(3), X, LABELS, **quick)
    yield evaluation.prequential({SCRIPT: pc.KNNClassifier(3)}, X, LABELS, start=10, **quick)
    proba = pc.NaiveBayes().fit(X, LABELS).predict_proba(X)
    table = evaluation.calibration_table(LABELS, proba, pos_label=BOLD)
    yield from (table, table.parts, evaluation.classwise_calibration(LABELS, proba))
    learners = {SCRIPT: pc.NaiveBayes()}
    found = pc.report(X, LABELS, target=BOLD, name=IMAGE, learners=learners, budget=20, progress=False)
    yield found
    parts = (getattr(found, field.name) for field in fields(found) if field.name != "skipped")
    yield from (part for part in parts if part is not None)


def of_cases(base: pc.CaseBase) -> Iterator[Any]:
    query = {SCRIPT: IMAGE, "size": 1.0}
    for kind, number, label in zip(X[SCRIPT], NUMBERS.tolist(), LABELS, strict=True):
        base.add({SCRIPT: kind, "size": number}, solution=str(label), outcome=True, why=IMAGE)
    found = base.retrieve(query, k=3)
    yield from (base, base.get(1), base.history(), base.verify(), found, found[0], found.explain(found[0].id))
    yield from (base.reuse(query), base.learn_weights(), base.records(), base.competence(), base.near_duplicates(0.5))
    conversation = base.converse()
    yield from (conversation, conversation.next_question())
    conversation.tell(SCRIPT, IMAGE)
    yield conversation.transcript
    yield from (base.fit(pc.KNNClassifier(3), name="nearest"), base.learners())
    yield base.retain(query, solution=SCRIPT)
    graph, part = (designs.FunctionGraph.parse(text) for text in ("heat +> steam; steam +> speed", "a +> b"))
    wanted = cases.design(graph, {SCRIPT: part})
    yield from (graph, wanted, wanted.best, designs.matches(part, graph), designs.matches(part, graph)[0])
    yield from (wanted.best.pieces[0], wanted.best.pieces[0].fragment)


def of_tables(folder: Path) -> Iterator[Any]:
    schema = pc.Schema.infer(X)
    instances = pc.Instances(schema)
    instances.append(schema.read(X))
    distance = pc.Distance().fit(instances, None)
    index = search.Index(instances, distance)
    yield from (schema.read(X), instances, index, index.kneighbors(distance, instances.cells()[:7], 3))
    yield datasets.NamedColumns.of({SCRIPT: X[SCRIPT], "size": X["size"]}, {SCRIPT: pc.Nominal(), "size": pc.Numeric()})
    attributes = [{"name": SCRIPT, "kind": "nominal", "values": ["a"]}]
    about = {"name": "one", "file": "one.csv", "rows": 7, "attributes": attributes, "licence": IMAGE}
    about |= {"target": {"name": BOLD, "kind": "nominal"}}
    (folder / "manifest.json").write_text(json.dumps({"datasets": [about]}))
    (folder / "one.csv").write_text("a,b\n1,2\n")
    yield from (datasets.load_help_desk(), pc.schema.Uninformative("repeat", SCRIPT))
    yield from (datasets.describe("one", folder=folder), datasets.available(folder=folder))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    folder = tmp_path_factory.mktemp("tables")
    with pc.CaseBase.temporary({SCRIPT: "nominal", "size": "numeric"}, by=IMAGE) as base:
        yield [*of_classifiers(), *of_regressors(), *of_evaluation(), *of_cases(base), *of_tables(folder)]


# -- what must hold


class Page(HTMLParser):
    """Reads HTML, and refuses tags that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data + " "


def exports(depth: int = 9) -> list[Any]:
    """What the library and its packages, up to a depth of folders, export."""
    packages = [name for _, name, is_package in pkgutil.walk_packages(pc.__path__, "priorcase.") if is_package]
    names = ["priorcase", *(name for name in packages if name.count(".") <= depth)]
    modules = map(importlib.import_module, names)
    return [getattr(module, name) for module in modules for name in getattr(module, "__all__", ())]


EXPORTED = {each for each in exports() if inspect.isclass(each)}
ESTIMATORS = sorted((each for each in EXPORTED if issubclass(each, BaseEstimator)), key=lambda each: each.__name__)


def returned(each: Any) -> str:
    """The annotations of what a function returns, or the public methods, properties and fields of a class."""
    if not inspect.isclass(each):
        return str(inspect.get_annotations(each).get("return", "")) if callable(each) else ""
    found = [str(note) for name, note in inspect.get_annotations(each).items() if not name.startswith("_")]
    for name in dir(each):
        if name == "__getitem__" or not name.startswith("_"):
            member = inspect.getattr_static(each, name)
            wrapped = [getattr(member, of) for of in ("fget", "func", "fn", "__func__") if hasattr(member, of)]
            member = next(iter(wrapped), member)
            found.append(returned(member) if inspect.isroutine(member) else "")
    return " ".join(found)


def test_every_result_is_valid_html_with_the_numbers_that_it_prints(results: list[Any]) -> None:
    for result in results:
        page = Page(result._repr_html_())
        assert page.tags <= _TAGS | {"style", "pre"}, type(result)
        assert page.attributes <= {"class"}, type(result)
        shown = set(_NUMBER.findall(page.text))
        assert set(_NUMBER.findall(str(result))) <= shown, type(result)


def test_every_class_that_the_library_exports_was_tried(results: list[Any]) -> None:
    views = {each for each in EXPORTED.difference(ESTIMATORS) if hasattr(each, "_repr_html_")}
    assert {each.__name__ for each in views - {type(result) for result in results}} == {"DistributedKNN"}


def has_view(each: Any) -> bool:
    return hasattr(each, "_repr_html_") or hasattr(each, "_repr_png_") or each in ESTIMATORS


def test_what_functions_methods_and_results_give_back_has_a_view() -> None:
    public = exports(depth=1)
    sources = [each for each in public if has_view(each) or not inspect.isclass(each)]
    words = set(re.findall(r"\w+", " ".join(map(returned, sources))))
    without = {each.__name__ for each in public if inspect.isclass(each) and not has_view(each)}
    arguments = {"Condition", "Difference", "Kernel"}  # that functions make, or results keep
    lines = {"Contribution", "Note", "Score"}  # of the tables of `Match`, `Case` and comparisons
    assert without & words == arguments | lines


def test_displays_show_their_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    display = plots.WeightsDisplay.of(pc.SubsetAveragedBayes().fit(X, LABELS))
    before = pyplot.get_fignums()
    assert display._repr_png_().startswith(b"\x89PNG")
    assert pyplot.get_fignums() == before
    monkeypatch.setattr("priorcase.plots.display.find_spec", lambda name: None)
    assert display._repr_png_() is None


def test_hostile_texts_are_shown_as_they_are(results: list[Any]) -> None:
    told = [result._repr_html_() for result in results]
    assert not any(word in text for text in told for word in (SCRIPT, IMAGE, BOLD))
    assert sum("&lt;script&gt;" in text or "&lt;img" in text or "&lt;b&gt;" in text for text in told) > len(told) // 2


# -- estimators


def diagram(estimator: Any) -> str:
    found: str = estimator._repr_mimebundle_()["text/html"]
    assert found == estimator._repr_html_() or "sk-container-id" in found  # the numbers of diagrams differ
    return found


def columns_of(estimator: Any) -> list[list[str]]:
    """The cells of the table of columns, line by line."""
    table = diagram(estimator).rsplit("<table>", 1)[1]
    return [re.findall(r"<t[hd](?: class=\"right\")?>(.*?)</t[hd]>", line) for line in table.split("</tr>")[:-1]]


def test_a_fitted_estimator_shows_its_columns_below_the_diagram() -> None:
    table = pd.DataFrame(
        {
            "age": [20.0, 30.5, None, 41.0],
            "level": pd.Categorical(["low", "high", "low", None], ["low", "high"], ordered=True),
            "kind": ["a", BOLD, "a", "a"],
            "when": pd.to_datetime(["2024-01-01", "2024-03-01", None, None]),
        }
    )
    model = pc.KNNClassifier(1)
    assert "priorcase" not in diagram(model).replace("priorcase.neighbors", "")
    y = ["no", "yes", "no", "yes"]
    lines = columns_of(model.fit(table, y))
    assert lines == [
        ["column", "kind", "values", "missing"],
        ["age", "numeric", "20 to 41", "25%"],
        ["level", "ordinal", "low &lt; high", "25%"],
        ["kind", "nominal", "2: &lt;b&gt;yes&lt;/b&gt;, a", "0%"],
        ["when", "date", "2024-01-01 to 2024-03-01", "50%"],
    ]
    assert "<caption>4 columns, 4 rows</caption>" in diagram(model)
    assert "sk-estimator" in diagram(model)
    weighted = columns_of(pc.KNNClassifier(1, attribute_weights=[1, 2, 3, 0.5]).fit(table, y))
    assert [line[-1] for line in weighted] == ["weight", "1", "2", "3", "0.5"]
    wide = pc.NaiveBayes().fit(np.arange(80.0).reshape(2, 40), [0, 1])
    assert len(columns_of(wide)) == 31
    assert "... and 10 more columns" in diagram(wide)


def test_models_without_rows_show_what_they_know() -> None:
    for model in (pc.MixtureModel(1, random_state=0), pc.NaiveBayes(keep_rows=False)):
        lines = columns_of(model.fit(X, LABELS))
        assert lines[0] == ["column", "kind", "values"]
        assert lines[3][1:] == ["nominal", "2: x, y"]
    model = pc.KNNClassifier(1).fit(X, LABELS)
    model.forget(model.ids_)
    assert columns_of(model)[2] == ["size", "numeric"]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_estimator_has_the_table(kind: type) -> None:
    number = issubclass(kind, RegressorMixin)
    inner = [pc.KNNRegressor() if number else pc.KNNClassifier()] if issubclass(kind, MetaEstimatorMixin) else []
    learner = kind(*inner)
    assert "<caption>" not in diagram(learner)
    assert columns_of(learner.fit(X, NUMBERS if number else LABELS))[2][:2] == ["size", "numeric"]


def test_a_saved_reducer_still_shows_its_columns(tmp_path: Path) -> None:
    assert columns_of(pc.load(pc.ENN().fit(X, LABELS).save(tmp_path / "enn.priorcase")))[2] == ["size", "numeric"]


def test_pipelines_and_plain_text_stay_as_scikit_learn_shows_them() -> None:
    model = make_pipeline(pc.KNNClassifier(1)).fit(X, LABELS)
    assert "KNNClassifier" in model._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in model[-1]._repr_mimebundle_()
        assert not hasattr(model[-1], "_repr_html_")
