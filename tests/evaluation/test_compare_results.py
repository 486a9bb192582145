"""How comparisons print, frame and draw themselves, and errors of what cannot be compared."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from curve_learners import Stubborn
from matplotlib import pyplot
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import priorcase as pc
from priorcase._numbers import decimals, fixed
from priorcase.evaluation import Comparison, Folds, Holdout, compare, compare_tables, learning_curve, noise_curve
from priorcase.evaluation.significance import corrected_t, wilcoxon
from priorcase.exceptions import EvaluationError, ParameterError, UnsupportedDataError

# -- how comparisons print, frame and draw themselves, and the words for what cannot be compared

mpl.use("Agg")

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")
LEARNERS = {"bayes": GaussianNB(), "guess": DummyClassifier()}


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def found() -> Any:
    return compare(LEARNERS, X, Y, splits=4, repeats=2)


def test_a_comparison_prints_means_errors_ranks_and_seconds(found: Any) -> None:
    lines = str(found).splitlines()
    assert lines[0] == "40 rows: 4-fold cross-validation, 2 times"
    assert found.plot().get_title() == lines[0]
    assert lines[1].split() == [
        "learner",
        "accuracy",
        "rank",
        "log_score",
        "rank",
        "brier",
        "rank",
        "fit",
        "s",
        "predict",
        "s",
    ]
    assert lines[2].split()[:5] == [
        "bayes",
        f"{found.mean('bayes'):.3f}",
        "±",
        f"{found.standard_error('bayes'):.3f}",
        "*",
    ]
    assert "*" not in lines[3]
    assert repr(found) == str(found) == found.table


def test_markdown_and_html_have_the_same_numbers(found: Any) -> None:
    mean = f"{found.mean('bayes'):.3f} ± "
    assert "| learner | accuracy" in found.markdown()
    assert mean in found.markdown()
    assert mean in found._repr_html_()


def test_the_frame_has_a_line_for_each_learner_split_and_score(found: Any) -> None:
    frame = found.frame()
    assert len(frame) == 2 * 2 * 4 * 3
    assert list(frame.columns) == [
        *("learner", "repeat", "split", "score", "value", "train", "test", "fit_seconds", "predict_seconds", "reason")
    ]
    of_bayes = frame.query("learner == 'bayes' and score == 'brier'").sort_values(["repeat", "split"])["value"]
    assert of_bayes.tolist() == found.values("brier")[0].tolist()
    assert type(found.frame("polars")).__module__.startswith("polars")
    with pytest.raises(ParameterError, match="backend must be"):
        found.frame("excel")


def test_a_comparison_draws_a_dot_an_interval_and_its_splits_for_each_learner(found: Any) -> None:
    ax = found.plot("brier")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["guess", "bayes"]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [dot.get_xdata()[0] for dot in dots] == [found.mean("guess", "brier"), found.mean("bayes", "brier")]
    ticks = [line for line in ax.lines if line.get_marker() == "|"]
    assert [len(line.get_xdata()) for line in ticks] == [8, 8]
    assert "less is better" in ax.get_xlabel()
    other = pyplot.subplots()[1]
    assert found.plot(ax=other) is other


def test_learners_without_a_mean_are_named_in_the_picture() -> None:
    found = compare({"bayes": GaussianNB(), "many": pc.KNNClassifier(99)}, X, Y, splits=4)
    ax = found.plot()
    assert [text.get_text() for text in ax.texts] == ["failed"]


def test_pairs_print_with_intervals_and_p_values(found: Any) -> None:
    pairs = found.paired("accuracy")
    assert str(pairs).startswith("accuracy: corrected resampled t-test over 8 splits\n")
    assert pairs.pairs == (("bayes", "guess"),)
    assert pairs.better == ("bayes",)
    assert found.paired("brier").better == ("bayes",)
    assert pairs.tests[0].difference == pytest.approx(float(np.mean(found.values()[0] - found.values()[1])))
    frame = found.paired(test="wilcoxon").frame()
    assert frame["p_holm"].tolist() == frame["p_value"].tolist()
    assert "95% interval" in pairs.markdown()
    assert "<table>" in pairs._repr_html_()
    wide, narrow = found.paired(level=0.99).tests[0], found.paired(level=0.5).tests[0]
    assert wide.high - wide.low > narrow.high - narrow.low


def test_tests_that_take_splits_for_independent_say_so(found: Any) -> None:
    note = "  splits of one table share rows; this test assumes independence, so p-values are too small"
    for told in (found.paired(test="wilcoxon"), found.friedman()):
        assert str(told).splitlines()[-1] == note
        assert note.strip() in told.markdown()
    by_rows = compare(LEARNERS, X, Y, splits="loo").paired(test="wilcoxon")
    tables = compare_tables(LEARNERS, {"first": (X, Y), "second": (X[:30], Y[:30])}, splits=3)
    for told in (found.paired(), by_rows, tables.paired(), tables.friedman()):
        assert "independent" not in str(told)


def test_one_learner_has_no_rank() -> None:
    alone = {"bayes": GaussianNB()}
    found = compare(alone, X, Y, splits=4)
    assert str(found).splitlines()[1].split() == [
        "learner",
        "accuracy",
        "log_score",
        "brier",
        "fit",
        "s",
        "predict",
        "s",
    ]
    assert "95% interval" in found.plot().get_xlabel()
    tables = compare_tables(alone, {"first": (X, Y), "second": (X[:30], Y[:30])}, splits=3, scores="accuracy")
    assert [line.split()[0] for line in str(tables).splitlines()] == ["accuracy:", "table", "first", "second"]


@pytest.mark.parametrize("splits", [3, "loo"])
def test_scores_of_two_classes_name_those_of_several(splits: Any) -> None:
    three = np.where(X[:, 1] > 1, "maybe", Y)
    found = compare(GaussianNB(), X, three, splits=splits, scores={"F": "f1", "roc_auc": "roc_auc", "recall": "recall"})
    assert {name: reason.partition(" Pass ")[0] for name, reason in found.cells[0].reasons.items()} == {
        "F": "EvaluationError: 'f1' is for two classes, but y has 3; 'f1_macro' works for any classes.",
        "roc_auc": "EvaluationError: 'roc_auc' is for two classes, but y has 3; 'roc_auc_ovr' works for any classes.",
        "recall": "EvaluationError: 'recall' is for two classes, but y has 3; 'recall_macro' works for any classes.",
    }
    assert "'roc_auc_ovr' works for any classes." in str(found)
    instead = compare(GaussianNB(), X, three, splits=splits, scores=["f1_macro", "roc_auc_ovr", "recall_macro"])
    assert not instead.cells[0].reasons
    words = compare(GaussianNB(), X, Y, splits=splits, scores=["precision", "roc_auc"]).cells[0]
    assert words.reasons["precision"].startswith(
        "EvaluationError: 'precision' is for classes 0 and 1; 'precision_macro' works for any classes."
    )
    assert not compare(GaussianNB(), X, (Y == "yes").astype(int), splits=splits, scores="precision").cells[0].reasons


def test_learners_without_values_are_in_no_pair() -> None:
    found = compare({**LEARNERS, "many": pc.KNNClassifier(99)}, X, Y, splits=4)
    assert found.paired().pairs == (("bayes", "guess"),)
    assert found.friedman().learners == ("bayes", "guess")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda found: found.mean("knn"), "learner must be"),
        (lambda found: found.mean("bayes", "auc"), "score must be"),
        (lambda found: found.paired(test="t"), "test must be"),
        (lambda found: found.paired(level=1.5), "level must be"),
        (lambda found: found.friedman(alpha=2.0), "alpha must be"),
    ],
)
def test_questions_that_make_no_sense_are_refused(found: Any, ask: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ask(found)


def test_one_split_has_no_ranks_to_test() -> None:
    once = compare(LEARNERS, X, Y, splits=Holdout(0.5))
    assert str(once.paired()).startswith("accuracy: corrected resampled t-test over 1 split\n")
    with pytest.raises(EvaluationError, match=r"2 learners with values on 1 common split; .* Add learners or splits"):
        once.friedman()
    assert np.isnan(once.standard_error("bayes"))


@pytest.mark.parametrize(
    ("learners", "X_", "y", "options", "words"),
    [
        ({}, X, Y, {}, "no learners"),
        ([], X, Y, {}, "no learners"),
        (GaussianNB, X, Y, {}, r"as the class GaussianNB; .* Pass an instance, such as KNNClassifier\(\)\."),
        (5, X, Y, {}, r"learner 'int' as 5; expected an estimator with fit and predict\. Pass an instance"),
        ("knn", X, Y, {}, r"as 'knn'; expected an estimator with fit and predict\. Pass an instance"),
        (LEARNERS, X, Y, {"splits": 1}, "splits must be a number of folds >= 2, 'loo', 'prequential', Folds"),
        ({"scaler": StandardScaler()}, X, Y, {}, "learner 'scaler' as StandardScaler"),
        (
            [DummyClassifier(), DummyRegressor()],
            X,
            Y,
            {},
            "the classifier 'DummyClassifier.*the regressor 'DummyRegressor",
        ),
        ({"groups": KMeans()}, X, Y, {}, r"'groups', KMeans\(\), which is neither .* Derive it from .*ClassifierMixin"),
        (LEARNERS, X, np.stack([Y, Y], axis=1), {}, "y with 2 columns; expected one. Evaluate one target at a time"),
        (LEARNERS, X[:30], Y, {}, "X with 30 rows and y with 40"),
        (LEARNERS, X[:0], Y[:0], {}, "a table without rows"),
        (LEARNERS, None, Y, {}, r"None.*pandas\.DataFrame"),
        (LEARNERS, "glass.csv", Y, {}, "a str"),
        (LEARNERS, pl.DataFrame(X).lazy(), Y, {}, "a lazy frame"),
        ([GaussianNB], X, Y, {}, "learner 'GaussianNB' as the class GaussianNB"),
        (
            LEARNERS,
            X,
            Y,
            {"splits": GroupKFold(3)},
            "which does not split these rows",
        ),
        (LEARNERS, X, Y, {"splits": GroupKFold(3)}, r"If the splitter needs groups, pass groups="),
        (LEARNERS, X, Y, {"groups": Y}, "groups must be"),
        (
            LEARNERS,
            X,
            Y,
            {"splits": GroupKFold(3), "groups": [1, 2]},
            "contain one group for each of 40 rows",
        ),
        (LEARNERS, X, Y, {"scores": "acuracy"}, "score 'acuracy'.*Did you mean 'accuracy'"),
        (LEARNERS, X, Y, {"scores": "rmse"}, "score 'rmse', which is not available for classes"),
        (LEARNERS, X, Y, {"scores": [3]}, "the score 3"),
        (LEARNERS, X, Y, {"scores": []}, "scores must be"),
        (LEARNERS, X, Y, {"scores": ["accuracy", "accuracy"]}, "different score names"),
        (LEARNERS, X, Y, {"scores": 7}, "scores must be"),
        (LEARNERS, X, Y, {"n_jobs": 0}, "n_jobs must be"),
        (LEARNERS, X, Y, {"random_state": "now"}, "random_state"),
        (LEARNERS, X, Y, {"keep_predictions": 1}, "keep_predictions"),
    ],
)
def test_what_cannot_be_compared_is_refused(learners: Any, X_: Any, y: Any, options: Any, words: str) -> None:
    with pytest.raises((EvaluationError, ParameterError, UnsupportedDataError), match=words):
        compare(learners, X_, y, **options)


# -- several tables


def test_tables_have_means_ranks_and_tests() -> None:
    rng = np.random.default_rng(1)
    tables = {}
    for i in range(6):
        rows = rng.normal(size=(30, 2))
        tables[f"table {i}"] = rows, np.where(rows[:, 0] + 0.2 * rng.normal(size=30) > 0, "yes", "no")
    found = compare_tables({**LEARNERS, "many": pc.KNNClassifier(99)}, tables, splits=Folds(3))
    alone = compare(LEARNERS, *tables["table 2"], splits=3)
    assert found.means("brier")[0, 2] == alone.mean("bayes", "brier")
    assert found.ranks()[:2].tolist() == [1.0, 2.0]
    assert found.friedman().chi_square == pytest.approx(6.0)
    assert found.paired().tests[0].p_value == pytest.approx(2 / 2**6)
    assert "mean rank" in str(found)
    assert "table 0: many failed: TooFewRowsError" in str(found)
    frame = found.frame()
    assert len(frame) == 6 * 3 * 3
    assert frame.query("table == 'table 2' and learner == 'bayes' and score == 'brier'")["mean"].tolist() == [
        alone.mean("bayes", "brier")
    ]
    assert "| table | bayes" in found.markdown()
    twice = compare_tables(LEARNERS, tables, splits=Folds(3), repeats=2, scores="accuracy")
    assert str(twice).startswith("accuracy: 3-fold cross-validation, 2 times\n")
    assert "<table>" in found._repr_html_()
    assert found.complete


def test_interrupted_tables_keep_those_that_are_finished() -> None:
    learners = {"stop": Stubborn(KeyboardInterrupt, rows=20), "guess": DummyClassifier()}
    second = X[:30], Y[:30]  # of which 20 are learned, three times
    found = compare_tables(learners, {"first": (X, Y), "second": second}, splits=3)
    assert not found.complete
    assert list(found.tables) == ["first"]
    assert "not complete: interrupted" in str(found)
    with pytest.raises(KeyboardInterrupt):
        compare_tables(learners, {"second": second}, splits=3)
    with pytest.raises(EvaluationError, match="2 learners with values on 1 common table;"):
        found.friedman()


@pytest.mark.parametrize("tables", [{}, [(X, Y)], {"glass": X}])
def test_tables_that_are_none_are_refused(tables: Any) -> None:
    with pytest.raises(EvaluationError, match="expected a mapping from name to"):
        compare_tables(LEARNERS, tables)


def test_tables_are_all_read_before_the_first_is_compared() -> None:
    class Unasked(DummyClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise KeyboardInterrupt

    for table, words in (
        ((X, Y[:3]), f"compare_tables, on 'second': got X with {len(X)} rows and y with 3"),
        ((X[:4], Y[:4]), "compare_tables, on 'second': got splits=5 for 4 rows"),
    ):
        with pytest.raises(EvaluationError, match=words):
            compare_tables(Unasked(), {"first": (X, Y), "second": table}, splits=5)
    pairs = ((list(range(20)), list(range(20, 30))) for _ in range(2))
    found = compare_tables(DummyClassifier(), {"first": (X, Y), "second": (X, Y)}, splits=pairs)
    assert found.means().shape == (1, 2)


def test_one_number_that_is_far_from_all_others_does_not_take_their_digits() -> None:
    digits = decimals(np.array([[-1298059729.3, -0.4321, -0.25, 0.0], [-np.inf, np.nan, -0.5, -3.0]]))
    texts = [fixed(value, digits) for value in (-1298059729.3, -0.4321, 0.0, -np.inf)]
    assert texts == ["-1,298,059,729", "-0.432", "0.000", "-inf"]
    assert decimals(np.array([0.0, np.nan])) == 3
    assert fixed(123456789012.0, 0) == "123,456,789,012"


def test_the_better_one_has_a_short_name_too() -> None:
    name = "a learner with a name as long as those of pipelines are"
    found = compare({name: GaussianNB(), "guess": DummyClassifier()}, X, Y, splits=3)
    assert max(map(len, str(found.paired()).splitlines()[1:])) < 120
    assert name not in str(found.paired())


def test_one_learner_has_nobody_to_be_compared_with() -> None:
    assert str(compare(GaussianNB(), X, Y, splits=3).paired()).endswith("no two learners have values to compare")


def test_a_learner_is_not_better_on_a_table_for_failing_on_its_hard_split() -> None:
    y = np.array(["no"] * 15 + ["yes"] * 10 + ["no"] * 15)
    splits = [(range(10), range(15, 25)), (range(11), range(25, 35)), (range(12), [14, *range(16, 20)])]
    learners = {"spared": Stubborn(rows=10), "sound": Stubborn(rows=99)}
    found = compare_tables(learners, {"first": (X, y), "second": (X, y)}, splits=splits, scores="accuracy")
    assert found.tables["first"].mean("spared") > found.tables["first"].mean("sound")
    assert found.means().tolist() == [[0.6, 0.6]] * 2
    assert found.ranks().tolist() == [1.5, 1.5]
    assert found.frame()["mean"].tolist() == [0.6] * 4


# -- log-scores of minus infinity, which learners that know no doubt have, in what a comparison says about them

DOUBTS: dict[str, Any] = {
    "doubts": pc.KNNClassifier(5, prior=0.5),
    "sure": pc.KNNClassifier(1, prior=None),
    "surer": pc.KNNClassifier(2, prior=None),
}


@pytest.fixture(scope="module")
def repairs() -> tuple[Any, Any]:
    return pc.load_repairs()


@pytest.fixture(scope="module")
def doubtful(repairs: tuple[Any, Any]) -> Comparison:
    return compare(DOUBTS, *repairs, splits=4, scores="log_score")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5, np.inf], np.inf),
        ([-np.inf, 0.5], -np.inf),
        ([np.inf, -np.inf], np.nan),
        ([0.1, 0.2, -0.3], 0.0),
    ],
)
def test_one_infinite_difference_makes_the_mean_infinite(values: list[float], expected: float) -> None:
    assert corrected_t(np.array(values), 0.1).difference == pytest.approx(expected, nan_ok=True)
    if not np.isfinite(values).all():
        assert wilcoxon(np.array(values)).difference == pytest.approx(expected, nan_ok=True)


def test_who_doubts_is_infinitely_better_than_who_does_not(doubtful: Comparison) -> None:
    first, second, third = doubtful.paired().tests
    assert first.difference == second.difference == np.inf
    assert np.isnan(third.difference)
    assert doubtful.paired().better == ("doubts", "doubts", "")


def test_nobody_is_marked_as_best_where_all_are_infinitely_bad(doubtful: Comparison, repairs: tuple[Any, Any]) -> None:
    assert str(doubtful).count("*") == 1
    sure = {name: learner for name, learner in DOUBTS.items() if name != "doubts"}
    assert "*" not in str(compare(sure, *repairs, splits=4, scores="log_score"))


def test_the_same_goes_for_several_tables(repairs: tuple[Any, Any]) -> None:
    text = str(compare_tables(DOUBTS, {"repairs": repairs}, splits=4, scores="log_score"))
    assert text.count("*") == 1
    sure = {name: learner for name, learner in DOUBTS.items() if name != "doubts"}
    text = str(compare_tables(sure, {"repairs": repairs}, splits=4, scores="log_score"))
    assert "-inf" in text
    assert "*" not in text


# -- reasons why learners failed: said in full where they are of usual length

MANY = {"too many": pc.KNNClassifier(500), "enough": pc.KNNClassifier(3)}


@pytest.mark.parametrize(
    ("measured", "options", "rows"),
    [(compare, {"splits": 4}, 72), (learning_curve, {"repeats": 1}, 5), (noise_curve, {"repeats": 1}, 67)],
)
def test_the_numbers_at_the_end_of_a_reason_are_there(measured: Any, options: dict[str, Any], rows: int) -> None:
    X, y = pc.load_repairs()
    text = str(measured(MANY, X, y, scores="accuracy", **options))
    assert f"Expected n_neighbors <= n_samples_fit, but n_neighbors = 500, n_samples_fit = {rows}." in text


def test_the_noise_of_classes_is_not_said_to_be_that_of_values() -> None:
    pytest.importorskip("matplotlib")
    X, y = pc.load_repairs()
    axes = noise_curve(pc.NaiveBayes(), X, y, kind="classes", repeats=1, levels=[0, 0.2], scores="accuracy").plot()
    assert axes.get_xlabel() == "noise level (probability of replacement)"
    axes.figure.clf()


def test_more_test_than_training_rows_are_noted() -> None:
    found = compare(LEARNERS, X, Y, splits=Holdout(10), repeats=3)
    assert "more test than training rows" in str(found)
    assert "more test than training rows" in str(found.paired("accuracy"))
    about_half = compare(LEARNERS, X[:39], Y[:39], splits=Holdout(19), repeats=3)
    assert "more test" not in str(about_half)
    usual = compare(LEARNERS, X, Y, splits=4)
    assert "more test" not in str(usual) + str(usual.paired("accuracy"))


def test_too_few_tables_for_a_significant_difference_are_noted() -> None:
    tables = {str(size): (X[:size], Y[:size]) for size in (20, 24, 28, 32, 36, 40)}
    told = "the p-value for 5 tables is at least 0.0625; p < 0.05 needs at least 6"
    assert told not in str(compare_tables(LEARNERS, tables, splits=2, scores="accuracy").paired())
    five = compare_tables(LEARNERS, dict(list(tables.items())[:5]), splits=2, scores="accuracy")
    assert str(five.paired()).count(told) == 1
    assert "needs at least" not in str(five.paired(level=0.9))


def test_classes_without_training_rows_are_noted() -> None:
    y = ["a"] * 20 + ["b"] * 19 + ["c"]
    learners = {"bayes": pc.NaiveBayes(), "5-NN": pc.KNNClassifier(5)}
    told = "1 class has no training rows in some"
    for splits in (4, "loo"):
        found = compare(learners, X, y, splits=splits)
        assert str(found).count(told) == 1
        assert str(found.paired("log_score")).count("1 of 1 pairs not tested") == 1
    assert told not in str(compare(learners, X, y, splits=4, scores="brier"))
    assert told not in str(compare(learners, X, Y, splits=4))
    assert told in str(learning_curve(learners, X, y, sizes=[20], repeats=6))
    tables = compare_tables(learners, {"rare": (X, y), "even": (X, Y)}, splits=4)
    assert str(tables).count("\n  rare: some classes have no training rows in some splits") == 1


def test_infinite_differences_are_explained() -> None:
    """Relative frequencies give the last row's class probability 0."""
    learners = {"map": pc.NaiveBayes("map"), "evidence": pc.NaiveBayes()}
    found = compare(learners, [["a"], ["b"]] * 10 + [["a"]], ["x", "y"] * 10 + ["y"], splits="loo")
    assert "1 of 1 pairs not tested: a probability of 0" in str(found.paired("log_score"))
    assert len(str(found.paired("log_score")).splitlines()) == 2
    assert "Brier" not in str(found.paired("accuracy"))
