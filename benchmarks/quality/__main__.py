"""Run the studies and print their tables."""

import argparse
import importlib

from benchmarks import machine  # before NumPy: it sets the number of threads

STUDIES = {
    "two_of_twenty": "20 attributes of which 2 are relevant: accuracy recovered by each weighting method",
    "relevance": "the probability of relevance of noise columns and informative columns",
    "priors": "priors for the class probabilities of k-NN",
    "log_loss": "log loss of tuned k-NN on four tables from scikit-learn",
    "numeric": "bins and densities for numeric columns in Bayesian classifiers, by log-score",
    "classification": "tuned k-NN on public data sets compared with scikit-learn's k-NN and gradient boosting",
    "regression": "k-NN, local regression and RBF networks on public data sets compared with scikit-learn's regressors",
    "stacked": "stacked learners on public data sets compared with CatBoost, LightGBM and scikit-learn",
    "standard_errors": "coverage of intervals of two standard errors around accuracy estimates",
    "coverage": "coverage of intervals and sets of level 0.9 on public data sets",
    "outliers": "scaling of numeric columns for k-NN: range, inliers, standard deviation and quantiles",
    "conversations": "accuracy that conversations with case bases claim, and their measured accuracy",
}


def main() -> None:
    """Run the requested studies, or all."""
    about = "Measure accuracy on generated and public data sets."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=about)
    parser.add_argument("study", nargs="*", metavar="STUDY", help=f"which to run (default: all): {', '.join(STUDIES)}")
    parser.add_argument("--quick", action="store_true", help="stacked: a few small tables and two folds, as a check")
    parser.add_argument("--fresh", action="store_true", help="stacked: repeat stored measurements of the peers")
    options = parser.parse_args()
    unknown = [name for name in options.study if name not in STUDIES]
    if unknown:
        parser.error(f"unknown study {unknown[0]!r}; expected one of {', '.join(STUDIES)}")
    print("\n".join(machine.describe()))
    for name in options.study or STUDIES:
        print(f"\n## {name}: {STUDIES[name]}\n", flush=True)
        importlib.import_module(f"benchmarks.quality.{name}").main()


if __name__ == "__main__":
    main()
