"""Draw the pictures of the user guide: ``python examples/pictures.py [FOLDER]``.

Each function below draws one picture from built-in or generated data and returns its axes. The name of the function is
the name of the file. A picture next to an example shows the result of that example, unless the page names other data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import priorcase as pc
from priorcase import cases, evaluation, plots, similarity
from priorcase.cases.measures import similarities
from priorcase.datasets import (
    load_flats,
    load_loans,
    load_penguins,
    load_repairs,
    make_disjuncts,
    make_led,
    make_waveform,
)
from priorcase.evaluation import ConformalClassifier, ConformalRegressor, classwise_calibration, coverage_table
from priorcase.learning.plotting import drawing, legend_beside, style

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
DPI = 100
COLORS = 160


def flowers() -> tuple[Any, Any]:
    """Return two columns of the iris table and the species of each row."""
    iris = load_iris(as_frame=True)
    return iris.data[["petal length (cm)", "petal width (cm)"]], iris.target_names[iris.target]


def wave(n: int = 90) -> tuple[Any, Any]:
    """Return x and y of noisy points on a sine curve whose frequency increases."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, n))
    return x[:, None], np.sin(0.12 * x * x) + 0.25 * rng.normal(size=n)


def noisy_parts(n: int = 1500) -> tuple[Any, Any]:
    """Return points inside and outside of four rectangles; one label in ten is wrong."""
    X, y = make_disjuncts(n, random_state=0)
    wrong = np.random.default_rng(0).random(n) < 0.1
    return X, np.where((y == 1) ^ wrong, "inside", "outside")


# -- models


def surface() -> Any:
    """Draw the decision regions of a classifier over two numeric columns."""
    X, y = flowers()
    model = pc.KNNClassifier(15).fit(X, y)
    return plots.DecisionSurface.of(model, X, y).plot()


def surface_mixed() -> Any:
    """Draw the decision regions of a classifier over a numeric and a nominal column."""
    X, y = load_repairs("pandas")
    X = X[["km_since_service", "noise"]]
    model = pc.NaiveBayes().fit(X, y)
    return plots.DecisionSurface.of(model, X, y).plot()


def surface_projected() -> Any:
    """Draw the decision regions of a classifier over two principal components."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = pc.KNNClassifier(5).fit(X, y)
    return plots.DecisionSurface.of(model, X, y).plot()


def surface_numbers() -> Any:
    """Draw the predictions of a regressor over two columns."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X = X[["bmi", "bp"]]
    model = pc.LocallyWeightedRegressor(100).fit(X, y)
    return plots.DecisionSurface.of(model, X, y).plot()


def voronoi() -> Any:
    """Draw the Voronoi cells of 1-NN."""
    X, y = make_disjuncts(60, random_state=1)
    return plots.VoronoiCells.of(pc.KNNClassifier(1).fit(X, y)).plot()


def local_fit() -> Any:
    """Draw a local fit with its intervals."""
    X, y = wave()
    return plots.LocalFitDisplay.of(pc.LocallyWeightedRegressor("loo").fit(X, y)).plot()


def local_rents() -> Any:
    """Draw a local fit of rents by size, with the other columns at typical values."""
    X, y = load_flats()
    return plots.LocalFitDisplay.of(pc.LocallyWeightedRegressor().fit(X[:300], y[:300]), column="metres").plot()


def kernels() -> Any:
    """Draw the weights of the built-in kernels against relative distance."""
    u = np.linspace(0.0, 1.4, 281)
    names = ("Uniform", "Triangular", "Epanechnikov", "Biweight", "Tricube", "Gaussian", "Exponential")
    with drawing(None) as ax:
        for i, name in enumerate(names):
            weights = getattr(similarity, name)()(u)
            ax.plot(u, weights, color=style(i).color, linestyle=style(i).line, label=name.lower())
        ax.set(xlabel="relative distance u = d / h", ylabel="weight K(u)")
        legend_beside(ax)
        return ax


def precedents() -> Any:
    """Draw the past cases behind a prediction."""
    X, y = load_repairs()
    model = pc.KNNClassifier(5).fit(X[:90], y[:90])
    return plots.PrecedentsDisplay.of(model, X[90:], query=0).plot()


def precedents_of_a_loan() -> Any:
    """Draw the past cases behind the prediction for a loan."""
    X, y = load_loans()
    X = X[["amount", "purpose", "grade", "housing"]]
    model = pc.KNNClassifier(n_neighbors=5).fit(X[:500], y[:500])
    return plots.PrecedentsDisplay.of(model, X[500:], query=0).plot()


def weights() -> Any:
    """Draw attribute weights with bootstrap intervals."""
    X, y = load_repairs()
    model = pc.KNNClassifier(5, attribute_weights="relief").fit(X, y)
    return plots.WeightsDisplay.of(model, X, y, bootstrap=50).plot()


def relevance() -> Any:
    """Draw the probability that each attribute is relevant."""
    return plots.WeightsDisplay.of(pc.SubsetAveragedBayes().fit(*load_repairs())).plot()


@cache
def concept_display() -> plots.ConceptDisplay:
    """Return a display of the instances that IB3 stores for a noisy table."""
    X, y = noisy_parts()
    return plots.ConceptDisplay.of(pc.IB3(random_state=0, history=True).fit(X, y), X, y)


def concept() -> Any:
    """Draw the instances of IB3, marked as used for predictions, as only stored, or as dropped."""
    return concept_display().plot()


def records() -> Any:
    """Draw the classification records of the stored instances."""
    return concept_display().plot_records()


def leave_one_out() -> Any:
    """Draw leave-one-out accuracy against the number of neighbors."""
    model = pc.KNNClassifier("loo", distance="hvdm").fit(*load_repairs())
    return plots.LeaveOneOutDisplay.of(model).plot()


def tree_ring() -> Any:
    """Draw the edges of the tree posterior on a circle, by probability."""
    return plots.TreePosterior.of(pc.TreeAveragedBayes().fit(*load_repairs())).plot()


def tree_best() -> Any:
    """Draw the most probable tree."""
    return plots.TreePosterior.of(pc.TreeAugmentedBayes().fit(*load_repairs())).plot()


def tree_map() -> Any:
    """Draw the edge probabilities as a heat map."""
    return plots.TreePosterior.of(pc.TreeAveragedBayes().fit(*load_repairs())).plot(kind="heat map")


# -- evaluation


def comparison() -> Any:
    """Draw the mean scores and intervals of several learners on one table."""
    X, y = load_loans()
    learners = {"5-NN": pc.KNNClassifier(5), "naive Bayes": pc.NaiveBayes()}
    learners |= {"tree average": pc.TreeAveragedBayes(), "IB2": pc.IB2()}
    return evaluation.compare(learners, X, y, repeats=3, scores=["accuracy", "log_score"], progress=False).plot()


def critical_difference() -> Any:
    """Draw the mean ranks of learners over several tables."""
    several = {"5-NN": pc.KNNClassifier(5), "naive Bayes": pc.NaiveBayes(), "IB1": pc.IB1(), "IB3": pc.IB3()}
    tables = {"repairs": load_repairs(), "loans": load_loans(), "penguins": load_penguins()}
    tables |= {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    tables |= {"tumors": load_breast_cancer(return_X_y=True)}
    tables |= {"lights": make_led(200, random_state=0), "waves": make_waveform(200, random_state=0)}
    return evaluation.compare_tables(several, tables, scores="accuracy", progress=False).plot()


def learning_curve() -> Any:
    """Draw accuracy against the number of training rows."""
    X, y = make_waveform(300, random_state=0)
    two = {"5-NN": pc.KNNClassifier(5, prior=0.5), "naive Bayes": pc.NaiveBayes()}
    sizes = [10, 30, 100, 200]
    return evaluation.learning_curve(two, X, y, sizes=sizes, repeats=10, scores="accuracy", progress=False).plot()


def noise_curve() -> Any:
    """Draw accuracy against the noise level."""
    X, y = make_disjuncts(300, random_state=0)
    several = {"IB1": pc.IB1(), "IB2": pc.IB2(), "IB3": pc.IB3(random_state=0)}
    levels = np.linspace(0, 0.5, 6)
    curve = evaluation.noise_curve(several, X, y, levels=levels, repeats=10, scores="accuracy", progress=False)
    return curve.plot(band="error")


def prequential() -> Any:
    """Draw accuracy over a moving window of a stream whose concept changes in the middle."""
    rng = np.random.default_rng(0)
    orders = pd.DataFrame({"amount": rng.uniform(0, 200, 600).round(), "hour": rng.integers(0, 24, 600)})
    late = (orders["hour"] >= 12) != (np.arange(600) >= 300)
    risk = np.where(orders["amount"] > np.where(late, 60, 140), "risky", "fine")
    shop = {"5-NN": pc.KNNClassifier(5), "IB3": pc.IB3(random_state=0)}
    return evaluation.prequential(shop, orders, risk, window=100, scores="accuracy", progress=False).plot()


def calibration() -> Any:
    """Draw a calibration plot: predicted probabilities against observed frequencies."""
    left = evaluation.leave_one_out(pc.NaiveBayes(), *load_repairs(), progress=False)
    return left.calibration(bins=5).plot()


def calibration_classes() -> Any:
    """Draw a calibration plot for each class."""
    X, y = load_iris(return_X_y=True)
    model = pc.NaiveBayes().fit(X, y)
    return classwise_calibration(y, model.loo_predict_proba(), labels=model.classes_, bins=5).plot()


def coverage() -> Any:
    """Draw the coverage of prediction intervals."""
    X, y = load_flats()
    model = ConformalRegressor(pc.LocallyWeightedRegressor(), nonconformity="scaled").fit(X[:300], y[:300])
    intervals = {level: model.predict_interval(X[300:], level) for level in (0.5, 0.6, 0.7, 0.8, 0.9)}
    return coverage_table(y[300:], intervals).plot()


def prediction_sets() -> Any:
    """Draw the number of classes in prediction sets."""
    X, y = load_repairs()
    model = ConformalClassifier(pc.NaiveBayes(), folds="loo").fit(X[::2], y[::2])
    return model.predict_set(X[1::2], level=0.9).plot()


def reduction() -> Any:
    """Draw the accuracy of reducers against the share of rows that they keep."""
    X, y = load_loans()
    reducers = [pc.ENN(), pc.AllKNN(), pc.CNN(), pc.IB3(random_state=0), pc.DROP2(), pc.DROP3(), pc.DROP5(), pc.ICF()]
    return pc.reduction_curve(reducers, X, y, random_state=0).plot()


def stack() -> Any:
    """Draw the weights of the members of a stack."""
    X, y = load_loans()
    return pc.StackedClassifier().fit(X[:400], y[:400]).stack_.plot()


def explanation() -> Any:
    """Draw the contributions of the columns to one prediction."""
    X, y = load_loans()
    X = X[["amount", "purpose", "housing", "years_employed"]]
    model = pc.KNNClassifier(5).fit(X[:500], y[:500])
    return model.explain(X[501:502]).plot()


def tuning() -> Any:
    """Draw the scores of all candidates that `tune` evaluated."""
    candidates: dict[str, list[Any]] = {
        "n_neighbors": [2, 3, 5, 8, 12, 20],
        "vote": ["uniform", "inverse_square", "tricube"],
        "distance": ["heom", "hvdm"],
        "prior": [0.03, 0.1, 0.3, 1.0],
        "temperature": [0.7, 1.0, 1.4],
    }
    return pc.tune(pc.KNNClassifier(), *load_repairs(), candidates=candidates, nested=None).plot()


def measures() -> Any:
    """Draw the similarity between 50 and other numbers, for five measures of a case base."""
    numbers = list(range(101))
    chosen = (cases.Linear(60), cases.ExponentialSimilarity(20), cases.GaussianSimilarity(30), cases.Threshold(10))
    with drawing(None) as ax:
        for i, measure in enumerate((*chosen, cases.OneSided("less", 60))):
            drawn = similarities(50, numbers, "numeric", measure).values()
            ax.plot(numbers, list(drawn), color=style(i).color, linestyle=style(i).line, label=type(measure).__name__)
        ax.set(xlabel="value of the case (the query is 50)", ylabel="similarity")
        legend_beside(ax)
        return ax


def faucet() -> Any:
    """Draw the function graph of a water faucet and the parts that implement it."""
    function = "Cf +> Qc; Cf +> Qh; Ct -> Qc; Ct +> Qh; Qc +> Qm; Qh +> Qm; Tc +> Tm; Th +> Tm"
    roles = "flow: Qc, Qh, Qm; temperature: Tc, Th, Tm; control: Cf, Ct"
    graph = cases.FunctionGraph.parse("\n".join(f"{function}; {roles}".split("; ")))
    return cases.design(graph, cases.plumbing())[0].plot()


def model_size() -> Any:
    """Draw the sizes of saved models that store rows and of models that store only counts, by number of rows."""
    sizes = [1_000, 10_000, 100_000]
    X, y = make_led(sizes[-1], random_state=0)
    with TemporaryDirectory() as folder, drawing(None) as ax:
        for i, (label, keep_rows) in enumerate({"rows": True, "counts (keep_rows=False)": False}.items()):
            models = [pc.NaiveBayes(keep_rows=keep_rows).fit(X[:n], y[:n]) for n in sizes]
            kilobytes = [model.save(f"{folder}/model.priorcase").stat().st_size / 1000 for model in models]
            look = style(i)
            ax.loglog(sizes, kilobytes, color=look.color, linestyle=look.line, marker=look.marker, label=label)
        ax.set(xlabel="rows", ylabel="kilobytes")
        ax.legend()
        return ax


PICTURES: tuple[Callable[[], Any], ...] = (
    surface,
    surface_mixed,
    surface_projected,
    surface_numbers,
    voronoi,
    local_fit,
    local_rents,
    kernels,
    precedents,
    precedents_of_a_loan,
    weights,
    relevance,
    concept,
    records,
    leave_one_out,
    tree_ring,
    tree_best,
    tree_map,
    comparison,
    critical_difference,
    learning_curve,
    noise_curve,
    prequential,
    calibration,
    calibration_classes,
    coverage,
    prediction_sets,
    reduction,
    stack,
    explanation,
    tuning,
    measures,
    faucet,
    model_size,
)


def main(folder: Path = FOLDER, *names: str) -> None:
    """Draw all pictures, or only the named pictures, into a folder."""
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        if not names or picture.__name__ in names:
            save(picture().figure, folder / f"{picture.__name__}.png")


def save(figure: Any, path: Path) -> None:
    """Save a figure as a small PNG file with few colors."""
    drawn = BytesIO()
    figure.savefig(drawn, dpi=DPI)
    pyplot.close(figure)
    Image.open(drawn).convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, *sys.argv[2:])
