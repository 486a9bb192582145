"""Learners fitted to cases: answers, precedents by case, what is kept, and fitting anew after a case was forgotten."""

from __future__ import annotations

import json
import warnings
from base64 import b64encode
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from saved_learners import LEARNERS, name_of
from sklearn.base import is_classifier, is_regressor
from sklearn.tree import DecisionTreeClassifier

import priorcase as pc
from priorcase import saving
from priorcase.cases import CaseLearner, KeptLearners
from priorcase.cases.kinds import CaseKind
from priorcase.cases.learners import KeptLearner, Recipe, fit_learner, load_state, refit_learner
from priorcase.cases.table import CaseTable
from priorcase.exceptions import NotAvailableError, ParameterError, ReadingError, UnsupportedDataError
from priorcase.saving import dump
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Text

KINDS: dict[str, CaseKind] = {
    "age": Numeric(),
    "size": Ordinal(("S", "M", "L")),
    "colour": Nominal(),
    "bought": Date(),
    "tags": Set(),
    "words": Text(),
}
QUERIES: list[dict[str, Any]] = [
    {"age": 3, "colour": "red"},
    {"size": "M", "tags": {"a"}},
    {"bought": "2024-01-09", "colour": "pink"},
]
SOME = [
    learner
    for at, learner in enumerate(LEARNERS)
    if hasattr(learner, "fit") and name_of(learner) not in {name_of(other) for other in LEARNERS[:at]}
]


def cases(n: int, seed: int = 0, first: int = 10) -> list[Any]:
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        age, colour = int(rng.integers(1, 9)), str(rng.choice(["red", "green", "blue"]))
        values: dict[str, Any] = {"age": age + 0.5, "colour": colour, "size": str(rng.choice(["S", "M", "L"]))}
        values |= {"bought": f"2024-01-{1 + i % 28:02}", "words": "it squeaks"}
        values["tags"] = tuple(sorted(rng.choice(["a", "b", "c"], rng.integers(0, 3), replace=False).tolist()))
        solution = '"fix"' if (age > 4) ^ (colour == "red") else '"swap"'
        rows.append((first + 2 * i, {k: v for k, v in values.items() if rng.random() > 0.1}, solution, str(age * 1.5)))
    return rows


def table(rows: Any) -> CaseTable:
    return CaseTable.of(KINDS, rows)


def fit(learner: Any, rows: Any, **options: Any) -> CaseLearner:
    target = options.pop("target", "outcome" if is_regressor(learner) else "solution")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_learner(learner, table(rows), target=target, **options)


def answer(fitted: CaseLearner) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(fitted.learner, "sample_indices_"):
            return fitted.cases(fitted.learner.sample_indices_).tolist()
        if hasattr(fitted.learner, "get_support"):
            return fitted.learner.get_support().tolist()
        method = next(name for name in ("predict_proba", "predict", "transform") if hasattr(fitted.learner, name))
        found = getattr(fitted.learner, method)(fitted.rows(QUERIES))
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found).tolist()


@pytest.mark.parametrize("learner", SOME, ids=name_of)
def test_every_learner_can_be_fitted_kept_and_fitted_anew(learner: Any) -> None:
    before = learner.get_params()
    rows = cases(30)
    fitted = fit(learner, rows, sequence=7)
    assert repr(learner.get_params()) == repr(before)
    assert fitted.ids.tolist() == [row[0] for row in rows]
    recipe = Recipe.from_json(fitted.recipe.json())
    assert recipe == fitted.recipe
    assert repr(recipe.unfitted()) == repr(learner) or "RandomState" in repr(learner)
    other = load_state(recipe, fitted.state())
    assert other.layout == fitted.layout
    assert other.ids.tolist() == fitted.ids.tolist()
    assert answer(other) == answer(fitted)
    if "RandomState" in repr(learner):
        return
    forgotten = rows[3][0]
    kept = [row for row in rows if row[0] != forgotten]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = refit_learner(recipe, table([*kept, *cases(4, 5, first=200)]), ids=fitted.ids, sequence=9)
    never = fit(learner, kept, attributes=fitted.recipe.attributes)
    assert again.digest == never.digest
    assert (again.recipe.cases, again.recipe.sequence) == (29, 9)
    assert answer(again) == answer(never)


def test_a_prediction_and_its_precedents_are_of_cases() -> None:
    rows = cases(12)
    fitted = fit(pc.KNNClassifier(2), rows)
    assert is_classifier(fitted.learner)
    _, near = fitted.learner.kneighbors(fitted.rows(QUERIES))
    assert set(fitted.cases(near).ravel().tolist()) <= {row[0] for row in rows}
    assert fitted.predict(QUERIES[0]).tolist() == fitted.predict(QUERIES)[:1].tolist()
    assert fitted.predict_proba(QUERIES).shape == (3, 2)
    own = fitted.cases(fitted.learner.kneighbors(fitted.rows(rows[4][1]), n_neighbors=1)[1])
    assert own.tolist() == [[rows[4][0]]]


def test_numbers_stay_numbers_for_regressors() -> None:
    fitted = fit(pc.KNNRegressor(1), cases(12))
    assert fitted.predict(QUERIES).dtype == np.float64
    assert fit(pc.KNNRegressor(1), cases(12), target="age").recipe.attributes == (
        "size",
        "colour",
        "bought",
        "tags",
        "words",
    )


def test_a_recipe_says_nothing_of_cases() -> None:
    rows = [(1, {"colour": "heliotrope", "tags": ("zugzwang",)}, '"flummox"', "1"), *cases(5)]
    fitted = fit(pc.KNNClassifier(1), rows)
    text = fitted.recipe.json()
    assert not any(word in text for word in ("heliotrope", "zugzwang", "flummox"))
    state = fitted.state().decode("latin-1")
    assert all(word in state for word in ("zugzwang", "heliotrope", "flummox"))


def test_parameters_of_every_make_are_in_the_recipe() -> None:
    learner = pc.KNNClassifier(
        3, distance=pc.Distance(nominal=pc.similarity.Overlap()), attribute_weights={"age": 2.0, "colour": 0.5}
    )
    fitted = fit(learner, cases(10))
    assert repr(Recipe.from_json(fitted.recipe.json()).unfitted()) == repr(learner)


def test_it_prints_itself() -> None:
    fitted = fit(pc.NaiveBayes(), [*cases(5), (1000, {"age": 3}, None, None)])
    assert str(fitted) == "\n".join(
        [
            "NaiveBayes()",
            "  target            solution",
            "  attributes        age, size, colour, bought, tags, words",
            "  cases             5",
            "  without a target  1",
            f"  fitted            {fitted.recipe.fitted_at}",
        ]
    )


def test_the_learners_of_a_base_print_as_a_table() -> None:
    recipe = fit(pc.NaiveBayes(), cases(5)).recipe
    kept = KeptLearners((KeptLearner("triage", recipe, 1234, True), KeptLearner("price", recipe, 0, False)))
    assert str(kept) == "\n".join(
        [
            "learners",
            "  name    learner     target    cases  fitted                     changes since",
            f"  triage  NaiveBayes  solution      5  {recipe.fitted_at}          1,234",
            f"  price   NaiveBayes  solution      5  {recipe.fitted_at}              0",
            "  1 will be refitted on next use: a training case was forgotten",
        ]
    )
    assert kept[0].name == "triage"
    assert len(kept) == 2
    assert [each.name for each in kept] == ["triage", "price"]
    assert list(kept.frame()["changes since"]) == [1234, 0]
    assert str(KeptLearners(())) == "no learners"


def test_words_about_mistakes() -> None:
    rows = table(cases(5))
    with pytest.raises(UnsupportedDataError, match="a DecisionTreeClassifier"):
        fit_learner(DecisionTreeClassifier(), rows)
    with pytest.raises(UnsupportedDataError, match=r"KNNClassifier\.vote is a function"):
        fit_learner(pc.KNNClassifier(vote=lambda distances: distances), rows)
    fitted = fit_learner(pc.KNNClassifier(1), rows)
    assert fitted.cases([]).tolist() == []
    for wrong in ([5], [-1], "x", [0.0], [True], [[1], [2, 3]], None):
        with pytest.raises(ParameterError, match=r"CaseLearner\.cases: .*integers from 0 to 4"):
            fitted.cases(wrong)
    with pytest.raises(NotAvailableError, match="KNNRegressor has no predict_proba, since it returns no probabilities"):
        fit(pc.KNNRegressor(1), cases(5)).predict_proba(QUERIES)
    with pytest.raises(ReadingError, match=r"The state of the learner is damaged: checksum mismatch"):
        load_state(fitted.recipe, fitted.state()[:-1] + b"?")
    bayes = fit_learner(pc.NaiveBayes(), rows)
    with pytest.raises(ReadingError, match="the state belongs to a NaiveBayes, not to a KNNClassifier"):
        load_state(fitted.recipe, bayes.state())
    with pytest.raises(ReadingError, match="parts are missing"):
        load_state(fitted.recipe, dump(fitted.learner))
    for ids in (np.array([0.5]), np.array([[1]]), "123"):
        with pytest.raises(ReadingError, match="case ids"):
            load_state(fitted.recipe, replace(fitted, ids=ids).state())
    for text in ("", "[]", "{}", "null", fitted.recipe.json().replace("target", "aim")):
        with pytest.raises(ReadingError, match=r"The recipe of a learner is damaged: it cannot be read"):
            Recipe.from_json(text)
    for changed in ({"learner": "os.system"}, {"learner": "NaiveBayes"}, {"parameters": "?"}, {"parameters": "AAAA"}):
        with pytest.raises(ReadingError, match="The recipe of a learner is"):
            Recipe.from_json(replace(fitted.recipe, **changed).json()).unfitted()  # type: ignore[arg-type]
    knowing = b64encode(fitted.state()).decode()
    with pytest.raises(ReadingError, match="it contains no model"):
        replace(fitted.recipe, parameters=knowing).unfitted()
    fit_before = b64encode(dump(fitted.learner)).decode()
    assert not hasattr(replace(fitted.recipe, parameters=fit_before).unfitted(), "n_features_in_")


@pytest.mark.parametrize(
    "made_up",
    [
        {"cases": [[]]},
        {"attributes": [[]]},
        {"attributes": 5},
        {"target": 5},
        {"learner": None},
        {"sequence": "1"},
        {"more": 1},
    ],
    ids=str,
)
def test_recipes_that_were_made_up_give_one_named_error(made_up: dict[str, Any]) -> None:
    recipe = json.loads(fit(pc.KNNClassifier(1), cases(12)).recipe.json())
    with pytest.raises(ReadingError, match="recipe"):
        Recipe.from_json(json.dumps(recipe | made_up))


@pytest.mark.parametrize("made_up", [{"digest": 5}, {"left_out": [5]}, {"retired": "x"}, {"left_out": None}], ids=str)
def test_states_that_were_made_up_give_one_named_error(made_up: dict[str, Any]) -> None:
    fitted = fit(pc.KNNClassifier(1), cases(12))
    state = saving.unpack(fitted.state(), source="state") | made_up
    with pytest.raises(ReadingError, match="The state of the learner is damaged"):
        load_state(fitted.recipe, saving.pack(state, "state"))


def test_a_recipe_without_the_target_that_its_learner_needs_is_refused() -> None:
    fitted = fit(pc.KNNClassifier(1), cases(12))
    with pytest.raises(ParameterError, match="target must be"):
        refit_learner(replace(fitted.recipe, target=None), table(cases(12)), ids=fitted.ids)
