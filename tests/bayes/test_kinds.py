"""Dates, circular numbers, sets and texts in Bayes classifiers, against a slow reference and other tables."""

import datetime
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds_tables import KINDS, REFERENCE, frame, labeled, rows
from reference import bayes_kinds as reference
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import priorcase as pc
from priorcase.bayes import CutPoints, PerAttribute
from priorcase.exceptions import ParameterError, SchemaError, TooLargeError

pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.UninformativeColumnWarning")

CLASSIFIERS = [
    pc.NaiveBayes(schema=KINDS),
    pc.NaiveBayes("map", prior=1.5, missing="value", schema=KINDS),
    pc.NaiveBayes("sc", schema=KINDS),
    pc.NaiveBayes(prior="bdeu", schema=KINDS),
    pc.SubsetAveragedBayes(schema=KINDS),
    pc.SubsetAveragedBayes(prior="auto", missing="value", inclusion={"when": 0.9}, schema=KINDS),
    pc.TreeAveragedBayes(schema=KINDS),
    pc.TreeAugmentedBayes(schema=KINDS),
    pc.SuperParentAveragedBayes("auto", schema=KINDS),
    pc.AODE(schema=KINDS),
]
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)

NOTES = ["paper jam in tray", "tray has a paper jam", "no network", "network cable, no network", "paper tray"]
CLASSES = ["print", "print", "net", "net", "print"]


# -- the reference


@pytest.mark.parametrize(("predictive", "prior"), [("evidence", 1.0), ("evidence", 0.3), ("map", 1.7), ("sc", 1.0)])
@settings(max_examples=15, deadline=None)
@given(table=labeled(), queries=rows(1, 3))
def test_naive_bayes_is_the_reference(predictive, prior, table, queries):
    drawn, labels = table
    model = pc.NaiveBayes(predictive, prior=prior, schema=KINDS).fit(frame(drawn), labels)
    columns = {name: [row[name] for row in drawn] for name in KINDS}
    # A declared value that no row has is a value all the same.
    kinds = REFERENCE | {"colour": ("nominal", None)}
    for query, found in zip(queries, model.predict_proba(frame(queries)), strict=True):
        without = {name: column for name, column in columns.items() if name != "colour"}
        expected = reference.probabilities(without, labels, query, kinds, prior, predictive)
        alone = pc.NaiveBayes(predictive, prior=prior, schema={"colour": KINDS["colour"]})
        shown = alone.fit(frame(drawn, ["colour"]), labels).predict_joint_log_proba(frame([query], ["colour"]))[0]
        classes = alone.predict_joint_log_proba(pd.DataFrame({"colour": [None]}))[0]
        expected = np.array(expected) * np.exp(shown - classes - (shown - classes).max())
        np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-9)


@pytest.mark.parametrize("alpha", [1.0, 0.25])
def test_a_text_is_multinomial_naive_bayes(alpha):
    queries = ["the paper is in the tray", "network network jam", "", "unheard words"]
    counter = CountVectorizer(token_pattern=r"(?u)\b\w+\b")
    expected = MultinomialNB(alpha=alpha).fit(counter.fit_transform(NOTES), CLASSES)
    model = pc.NaiveBayes("map", prior=1.0 + alpha, class_prior=1.0, schema={0: "text"})
    model.fit([[note] for note in NOTES], CLASSES)
    found = model.predict_log_proba([[query] for query in queries])
    np.testing.assert_allclose(found, expected.predict_log_proba(counter.transform(queries)), rtol=1e-12)


def test_a_set_is_bernoulli_naive_bayes():
    sets = [{"x", "y"}, {"y"}, set(), {"x", "z"}, {"z"}, {"x"}]
    labels, queries = ["a", "a", "a", "b", "b", "b"], [{"x"}, {"y", "z"}, set(), {"never"}]
    matrix, asked = ([[member in one for member in "xyz"] for one in each] for each in (sets, queries))
    expected = BernoulliNB(alpha=1.0).fit(matrix, labels)
    model = pc.NaiveBayes(schema={0: "set"}).fit([[one] for one in sets], labels)
    np.testing.assert_allclose(
        model.predict_proba([[one] for one in queries]), expected.predict_proba(asked), rtol=1e-12
    )


def test_words_by_hand():
    # Class a has the words jam, jam, paper; class b has paper. Vocabulary: jam and paper; weight 1.
    model = pc.NaiveBayes(schema={0: "text"}).fit([["jam jam paper"], ["paper"]], ["a", "b"])
    # "jam jam": in a 3/5 and then 4/6, in b 1/3 and then 2/4.
    a, b = 3 / 5 * 4 / 6, 1 / 3 * 2 / 4
    np.testing.assert_allclose(model.predict_proba([["Jam, jam!"]])[0], [a / (a + b), b / (a + b)])
    # All rows: classes 1/2 * 1/3; a: 1/2 * 2/3 * 1/4; b: 1/2.
    assert model.log_evidence_ == pytest.approx(np.log(1 / 2 * 1 / 3 * (1 / 2 * 2 / 3 * 1 / 4) * 1 / 2))


def test_a_weekday_by_hand():
    # 2024-01-01 was a Monday. Of class a two rows are on Mondays, of class b one is, and one on a Sunday.
    days = [[datetime.date(2024, 1, day)] for day in (1, 8, 15, 21)]
    model = pc.NaiveBayes(schema={0: pc.Date(("weekday",))}).fit(days, ["a", "a", "b", "b"])
    monday = np.array([(2 + 1) / (2 + 7), (1 + 1) / (2 + 7)])
    np.testing.assert_allclose(model.predict_proba([[datetime.date(2023, 12, 25)]])[0], monday / monday.sum())


@settings(max_examples=15, deadline=None)
@given(table=labeled())
def test_the_evidence_of_texts_is_their_probability_word_by_word(table):
    drawn, labels = table
    notes = [row["note"] for row in drawn]
    model = pc.NaiveBayes(prior=0.7, schema={"note": "text"}).fit(frame(drawn, ["note"]), labels)
    missing = pc.NaiveBayes(prior=0.7, schema={"note": "text"}).fit(frame(drawn, ["note"]).assign(note=None), labels)
    expected = reference.text_evidence(notes, labels, ["a", "b"], 0.7)
    assert model.log_evidence_ - missing.log_evidence_ == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("prior", [1.0, 0.3])
@settings(max_examples=15, deadline=None)
@given(table=labeled(), queries=rows(1, 3))
def test_the_average_over_subsets_takes_a_text_as_a_whole(prior, table, queries):
    drawn, labels = table
    notes = [row["note"] for row in drawn]
    model = pc.SubsetAveragedBayes(prior=prior, class_prior=1.0, inclusion=0.4, schema={"note": "text"})
    model.fit(frame(drawn, ["note"]), labels)
    ones = [1] * len(drawn)
    included = reference.text_evidence(notes, labels, ["a", "b"], prior)
    excluded = reference.text_evidence(notes, ones, [1], 2 * prior)  # the sum over both classes
    matters = 0.4 / (0.4 + 0.6 * np.exp(excluded - included))
    assert model.relevance_.probabilities[0] == pytest.approx(matters)
    for query, found in zip(queries, model.predict_proba(frame(queries, ["note"])), strict=True):
        rest = np.exp(reference.text_log(notes, ones, 1, query["note"], 2 * prior, "evidence"))
        own = [np.exp(reference.text_log(notes, labels, k, query["note"], prior, "evidence")) for k in "ab"]
        shares = np.array([labels.count(k) + 1.0 for k in "ab"]) * (matters * np.array(own) + (1 - matters) * rest)
        np.testing.assert_allclose(found, shares / shares.sum(), rtol=1e-9)


@pytest.mark.parametrize(
    "model", [pc.TreeAveragedBayes(), pc.TreeAugmentedBayes(), pc.SuperParentAveragedBayes(), pc.AODE()]
)
@settings(max_examples=8, deadline=None)
@given(table=labeled(), queries=rows(1, 3))
def test_a_text_depends_on_the_class_alone_in_trees(model, table, queries):
    drawn, labels = table
    notes, names = [row["note"] for row in drawn], ["colour", "angle"]
    kinds = {name: KINDS[name] for name in (*names, "note")}
    one = clone(model).set_params(schema=kinds).fit(frame(drawn, list(kinds)), labels)
    other = clone(model).set_params(schema={name: kinds[name] for name in names}).fit(frame(drawn, names), labels)
    found = one.predict_joint_log_proba(frame(queries, list(kinds))) - other.predict_joint_log_proba(
        frame(queries, names)
    )
    weight = 20.0 / 2 / max(len({word for note in notes for word in reference.words(note)}), 1)
    for query, difference in zip(queries, found, strict=True):
        expected = [reference.text_log(notes, labels, k, query["note"], weight, "evidence") for k in "ab"]
        np.testing.assert_allclose(difference, expected, rtol=1e-9, atol=1e-9)


# -- the same table, taken apart by hand


def apart(drawn, members):
    """The table with each part as a column of its own."""
    parts = {
        f"when {part}": [reference.date_part(part, row["when"]) for row in drawn]
        for part in ("season", "weekday", "hour")
    }
    parts["angle"] = [reference.arc(row["angle"], 360.0) for row in drawn]
    for member in members:
        parts[f"tags {member}"] = [None if row["tags"] is None else member in row["tags"] for row in drawn]
    parts["colour"] = [row["colour"] for row in drawn]
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in parts.items()})


def apart_kinds(members):
    orders = {"when season": reference.MONTHS, "when weekday": reference.WEEKDAYS, "when hour": tuple(range(24))}
    kinds = {name: pc.Ordinal(order) for name, order in orders.items()} | {"angle": pc.Nominal(tuple(range(12)))}
    return kinds | {f"tags {member}": pc.Nominal((False, True)) for member in members} | {"colour": KINDS["colour"]}


@each_classifier
@settings(max_examples=5, deadline=None)
@given(table=labeled(), queries=rows(1, 3))
def test_parts_are_columns(model, table, queries):
    drawn, labels = table
    members = reference.members([row["tags"] for row in drawn])
    if getattr(model, "missing", "") == "value" and not hasattr(model, "edge_table"):
        for row in (*drawn, *queries):  # a set that is missing is missing once, not in each member
            row["tags"], row["when"] = row["tags"] or frozenset(), row["when"] or datetime.datetime(2000, 1, 1)
    names = [name for name in KINDS if name != "note" and (members or name != "tags")]
    arcs = {"angle": CutPoints(tuple(range(30, 360, 30)))}
    one, other = clone(model), clone(model)
    one.set_params(schema={name: KINDS[name] for name in names}, numeric=arcs)
    other.set_params(schema=apart_kinds(members), numeric="mdl")
    if isinstance(model, pc.SubsetAveragedBayes):
        n = len(members) + (model.missing == "value") or 1  # that a set is known is a part too
        one.set_params(inclusion=0.5)
        shares = {f"tags {member}": 1 - 0.5 ** (1 / n) for member in members}
        shares |= {f"when {part}": 1 - 0.5 ** (1 / 3) for part in ("season", "weekday", "hour")}
        whole = dict.fromkeys(("angle", "colour"), 0.5)
        other.set_params(inclusion=shares | whole)
    one.fit(frame(drawn, names), labels)
    other.fit(apart(drawn, members), labels)
    found, expected = (
        each.predict_proba(asked) for each, asked in ((one, frame(queries, names)), (other, apart(queries, members)))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    if isinstance(model, pc.SubsetAveragedBayes):
        by_part = dict(other.relevance_)
        when = 1 - np.prod([1 - by_part[f"when {part}"] for part in ("season", "weekday", "hour")])
        assert one.relevance_["when"] == pytest.approx(when)
    if hasattr(one, "contributions"):
        summed = one.contributions(frame(queries, names))
        pieces = other.contributions(apart(queries, members), versus=None)
        if (summed.predicted == pieces.predicted).all():
            three = pieces.contributions[:, 1:4].sum(axis=1)
            np.testing.assert_allclose(summed.contributions[:, 1], three, rtol=1e-9, atol=1e-12)


@each_classifier
def test_elapsed_time_is_a_number(model):
    rng = np.random.default_rng(0)
    seconds = rng.integers(0, 10**9, 40).astype(float)
    labels = np.where(seconds + rng.normal(0, 2e8, 40) > 5e8, "late", "early")
    dates = pd.DataFrame({"when": pd.to_datetime(seconds, unit="s")})
    one = clone(model).set_params(schema={"when": pc.Date(("elapsed",))}).fit(dates, labels)
    other = clone(model).set_params(schema=None).fit(pd.DataFrame({"when": seconds}), labels)
    if isinstance(model, pc.SubsetAveragedBayes):
        assert one.relevance_.probabilities == other.relevance_.probabilities
    np.testing.assert_array_equal(one.predict_proba(dates), other.predict_proba(pd.DataFrame({"when": seconds})))
    np.testing.assert_array_equal(one.loo_predict_proba(), other.loo_predict_proba())


# -- no history


@each_classifier
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_no_history(model, data):
    drawn, labels = data.draw(labeled(6, 14))
    queries = frame(data.draw(rows(1, 3)))
    cut = data.draw(st.integers(1, len(drawn) - 1))
    gone = data.draw(st.lists(st.integers(2, len(drawn) - 1), unique=True, max_size=3))
    whole = clone(model).fit(frame(drawn), labels)
    grown = clone(model).fit(frame(drawn[:cut]), labels[:cut]).partial_fit(frame(drawn[cut:]), labels[cut:])
    merged = clone(model).fit(frame(drawn[:cut]), labels[:cut])
    merged.merge(clone(model).fit(frame(drawn[cut:]), labels[cut:]))
    for other in (grown, merged, pickle.loads(pickle.dumps(whole))):
        assert other.digest() == whole.digest()
        np.testing.assert_array_equal(other.predict_proba(queries), whole.predict_proba(queries))
        np.testing.assert_array_equal(other.loo_predict_proba(), whole.loo_predict_proba())
    left = [i for i in range(len(drawn)) if i not in gone]
    fresh = clone(model).fit(frame([drawn[i] for i in left]), [labels[i] for i in left])
    grown.forget(gone)
    assert grown.digest() == fresh.digest()
    np.testing.assert_array_equal(grown.predict_proba(queries), fresh.predict_proba(queries))
    np.testing.assert_array_equal(grown.loo_predict_proba(), fresh.loo_predict_proba())


@pytest.mark.parametrize(
    "model",
    [*CLASSIFIERS[:4], pc.SubsetAveragedBayes(schema=KINDS), pc.SubsetAveragedBayes(prior="bdeu", schema=KINDS)],
)
@pytest.mark.parametrize("weighted", [False, True])
@settings(max_examples=5, deadline=None)
@given(table=labeled(5, 8))
def test_leave_one_out_is_a_fit_without_the_row(model, weighted, table):
    drawn, labels = table
    model = clone(model)
    if isinstance(model, pc.SubsetAveragedBayes):  # whose inclusion of members depends on how many there are
        drawn = [row | {"tags": frozenset("x") if row["tags"] else row["tags"]} for row in drawn]
        drawn[0]["tags"] = drawn[1]["tags"] = frozenset("x")
    weights = np.linspace(1.0, 3.0, len(drawn)) if weighted else None
    model.fit(frame(drawn), labels, weights)
    found = model.loo_predict_log_proba()
    for i in range(2, len(drawn)):
        rest = [j for j in range(len(drawn)) if j != i]
        fresh = clone(model).partial_fit(
            frame([drawn[j] for j in rest]),
            [labels[j] for j in rest],
            classes=["a", "b"],
            sample_weight=None if weights is None else weights[rest],
        )
        np.testing.assert_allclose(found[i], fresh.predict_log_proba(frame([drawn[i]]))[0], rtol=1e-7, atol=1e-9)


@each_classifier
def test_leave_one_out_with_relearn_chooses_the_parts_again(model):
    start = datetime.datetime(2024, 1, 1)
    drawn = [
        {
            "when": start + datetime.timedelta(days=day),
            "angle": 10.0 * day,
            "tags": frozenset(str(day % 3)),
            "note": note,
        }
        | {"colour": "red" if day % 2 else "blue"}
        for day, note in zip((0, 1, 2, 3, 4, 800), [*NOTES, "a single word more"], strict=True)
    ]
    labels, kinds = ["a", "b", "a", "b", "a", "b"], KINDS | {"when": pc.Date()}
    model = clone(model).set_params(schema=kinds).fit(frame(drawn), labels)
    assert model.relearns_
    found = model.loo_predict_proba(relearn=True)
    rest = clone(model).partial_fit(frame(drawn[:-1]), labels[:-1], classes=["a", "b"])
    np.testing.assert_allclose(found[-1], rest.predict_proba(frame(drawn[-1:]))[0], rtol=1e-9)


@each_classifier
def test_weights_are_repetitions(model):
    rng = np.random.default_rng(1)
    drawn = [
        {"when": datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=int(rng.integers(9999))), "angle": 40.0 * i}
        | {"tags": frozenset(rng.choice(list("xyz"), 2)), "note": NOTES[i % 5], "colour": "red" if i % 3 else None}
        for i in range(9)
    ]
    labels, weights = list("ababababa"), np.array([1, 2, 1, 1, 3, 1, 1, 2, 1])
    one = clone(model).fit(frame(drawn), labels, weights)
    several = [i for i, weight in enumerate(weights) for _ in range(weight)]
    other = clone(model).fit(frame([drawn[i] for i in several]), [labels[i] for i in several])
    np.testing.assert_allclose(one.predict_proba(frame(drawn)), other.predict_proba(frame(drawn)), rtol=1e-9)


@each_classifier
def test_saved_and_loaded(model, tmp_path):
    drawn = [
        {"when": datetime.datetime(2024, 1, 1 + i), "angle": 50.0 * i, "tags": frozenset("xy"[: i % 3]), "note": note}
        | {"colour": "red" if i % 2 else "green"}
        for i, note in enumerate(NOTES)
    ]
    model = clone(model).fit(frame(drawn), CLASSES)
    again = pc.load(model.save(tmp_path / "model"))
    assert again.digest() == model.digest()
    np.testing.assert_array_equal(again.predict_proba(frame(drawn)), model.predict_proba(frame(drawn)))
    np.testing.assert_array_equal(again.loo_predict_proba(), model.loo_predict_proba())


# -- what a user sees


def signups(n=40):
    rng = np.random.default_rng(3)
    moments = pd.to_datetime("2022-01-03") + pd.to_timedelta(np.arange(n) * 37, "h")
    table = pd.DataFrame({"signup": moments, "size": rng.choice(["S", "M"], n)})
    return table, np.where(moments.day_of_week >= 5, "weekend", "week")


def test_the_parts_that_count_are_chosen_by_the_rows():
    table, labels = signups()
    model = pc.SubsetAveragedBayes().fit(table, labels)
    assert model.schema_.kinds[0] == pc.Date()
    assert list(model.relevance_) == ["signup", "size"]
    assert model.relevance_["signup"] > 0.99 > 0.5 > model.relevance_["size"]
    assert model.contributions(table).contributions.shape == (40, 3)
    trees = pc.TreeAveragedBayes().fit(table, labels)
    ends = {end for pair in trees.edge_table() for end in pair}
    assert ends == {"signup (elapsed)", "signup (weekday)", "signup (hour)", "size"}
    assert trees.forget(range(20, 40)).n_samples_fit_ == 20
    few = trees.forget(range(2, 20)).edge_table()
    assert {end for pair in few for end in pair} == {"signup (elapsed)", "size"}


def test_names_of_parts_give_way_to_columns():
    table, labels = signups()
    table["signup (weekday)"] = labels
    edges = pc.TreeAveragedBayes().fit(table, labels).edge_table()
    assert {"signup (weekday)", "signup (weekday) (2)"} <= {end for pair in edges for end in pair}


def test_a_circle_has_no_seam_of_its_own():
    angles, labels = [[350.0], [355.0], [5.0], [170.0], [175.0], [185.0]], list("nnnsss")
    model = pc.NaiveBayes(schema={0: pc.Circular(360)}).fit(angles, labels)
    turned = pc.NaiveBayes(schema={0: pc.Circular(360)}).fit([[x + 390 - 720 * (x > 180)] for (x,) in angles], labels)
    asked = np.arange(0.0, 360.0, 15.0)[:, np.newaxis]
    np.testing.assert_allclose(model.predict_proba(asked), turned.predict_proba(asked + 30.0), rtol=1e-12)
    np.testing.assert_array_equal(model.cut_points_[0], np.arange(30.0, 360.0, 30.0))
    assert len(model.column_values(0)) == 12


@pytest.mark.parametrize("model", CLASSIFIERS[:1] + CLASSIFIERS[4:6], ids=lambda model: type(model).__name__)
@settings(max_examples=8, deadline=None)
@given(table=labeled(), queries=rows(1, 3))
def test_any_other_column_is_predicted_from_all_parts(model, table, queries):
    drawn, labels = table
    model = clone(model).fit(frame(drawn), labels)
    values = [value for value in model.column_values("colour") if value is not None]
    joint = [
        np.exp(model.predict_joint_log_proba(frame([row | {"colour": value} for row in queries]))).sum(axis=1)
        for value in values
    ]
    found = model.predict_column(frame(queries), "colour", return_proba=True)[1][:, : len(values)]
    expected = np.stack(joint, axis=1)
    expected *= found.sum(axis=1, keepdims=True) / expected.sum(axis=1, keepdims=True)  # without missing
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    arcs = model.predict_column(frame(queries), "angle")
    assert all(str(arc) in map(str, model.column_values("angle")) for arc in arcs)


def test_texts_of_letters():
    model = pc.NaiveBayes(schema={0: pc.Text("characters")}).fit([[note] for note in NOTES], CLASSES)
    assert model.predict([["papre tary"], ["netwrok"]]).tolist() == ["print", "net"]


def test_a_missing_set_is_missing_once():
    sets = [[frozenset("xy")], [frozenset("x")], [None], [frozenset()], [None], [frozenset("y")]]
    model = pc.NaiveBayes(missing="value", schema={0: "set"}).fit(sets, list("aaabbb"))
    one = pc.NaiveBayes(missing="value").fit([["no" if row[0] is None else "yes"] for row in sets], list("aaabbb"))
    proba = model.predict_proba([[None]])
    # Missing is one value and known another, whatever the members: (1 + 1) / (3 + 2) in each class.
    np.testing.assert_allclose(proba, [[0.5, 0.5]])
    joint = model.predict_joint_log_proba([[None]])[0] - np.log(model.class_count_ + 1.0) + np.log(8.0)
    np.testing.assert_allclose(np.exp(joint), 2 / 5)
    assert one.predict_proba([["no"]]).tolist() == [[0.5, 0.5]]


def test_attribute_weights_of_neighbors_know_the_parts():
    table, labels = signups()
    model = pc.KNNClassifier(attribute_weights="bayes").fit(table, labels)
    expected = pc.SubsetAveragedBayes().fit(table, labels).relevance_.probabilities
    np.testing.assert_allclose(model.attribute_weights_.weights, expected, rtol=1e-12)


def test_priors_by_column_are_those_of_each_part():
    table, labels = signups()
    one = pc.NaiveBayes(prior={"signup": 0.5}).fit(table, labels)
    other = pc.NaiveBayes(prior=PerAttribute({"signup": 0.5}, 1.0)).fit(table, labels)
    np.testing.assert_array_equal(one.predict_proba(table), other.predict_proba(table))
    assert (one.predict_proba(table) != pc.NaiveBayes().fit(table, labels).predict_proba(table)).any()


# -- mistakes


@pytest.mark.parametrize(
    ("model", "X", "error", "words"),
    [
        (
            pc.NaiveBayes(schema={0: pc.Circular(360)}, numeric={0: "student"}),
            [[1.0], [2.0]],
            ParameterError,
            "circular",
        ),
        (
            pc.NaiveBayes(schema={0: pc.Date(("hour",))}, numeric={0: "mdl"}),
            [["2024-01-01"], ["2024-01-02"]],
            ParameterError,
            "elapsed",
        ),
        (pc.NaiveBayes(schema={0: "text"}, numeric={0: "mdl"}), [["a"], ["b"]], ParameterError, "text"),
        (
            pc.NaiveBayes(schema={0: "set"}, prior={0: {True: 2.0, False: 1.0}}),
            [[{"a"}], [{"b"}]],
            ParameterError,
            "one number",
        ),
        (pc.TreeAveragedBayes(schema={0: "text"}), [["a"], ["b"]], SchemaError, "NaiveBayes"),
        (pc.AODE(schema={0: "text", 1: "text"}), [["a", "b"], ["b", "a"]], SchemaError, "not text"),
        (
            pc.NaiveBayes(schema={0: "set"}),
            [[set(map(str, range(3000)))], [set(map(str, range(2000, 5000)))]],
            TooLargeError,
            "members",
        ),
    ],
)
def test_mistakes_are_said_in_a_sentence(model, X, error, words):
    with pytest.raises(error, match=words):
        model.fit(X, ["a", "b"])


@pytest.mark.parametrize("column", ["when", "tags", "note"])
def test_columns_that_are_not_predicted(column):
    drawn = [dict.fromkeys(KINDS), dict.fromkeys(KINDS)]
    model = pc.NaiveBayes(schema=KINDS).fit(frame(drawn), ["a", "b"])
    for ask in (
        lambda: model.predict_column(frame(drawn), column),
        lambda: model.column_values(column),
        lambda: model.predict_joint(frame(drawn), [column]),
    ):
        with pytest.raises(ParameterError, match="cannot be predicted"):
            ask()


@each_classifier
def test_columns_of_nothing(model):
    nothing = [dict.fromkeys(KINDS)] * 4
    empty = [row | {"tags": frozenset(), "note": "", "colour": "red"} for row in nothing]
    asked = [{"when": datetime.datetime(2024, 1, 1), "angle": 7.0, "tags": {"x"}, "note": "word", "colour": "blue"}]
    for drawn in (nothing, empty):
        found = clone(model).fit(frame(drawn), list("aabb"))
        for queries in (frame(asked), frame(drawn)):
            np.testing.assert_allclose(found.predict_proba(queries), 0.5)
        np.testing.assert_allclose(found.loo_predict_proba().sum(axis=1), 1.0)
