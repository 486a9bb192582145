"""Runs the studies and prints their tables."""

import argparse
import importlib

from benchmarks import machine  # before NumPy: it sets the number of threads

STUDIES = {
    "two_of_twenty": "20 attributes of which 2 matter: what each way to weigh them recovers",
    "relevance": "the probability that a column matters, of columns that are noise and of others",
    "priors": "which prior makes probabilities of the shares of few neighbours",
    "log_loss": "probabilities of tuned k-NN on four tables of scikit-learn's",
    "numeric": "bins and densities for numbers in Bayes classifiers, by log-score",
    "classification": "tuned k-NN on public tables beside scikit-learn's k-NN and gradient boosting",
    "regression": "neighbours, local fits and networks on public tables beside scikit-learn's regressors",
    "stacked": "stacked learners on public tables beside CatBoost, LightGBM and scikit-learn's learners",
    "standard_errors": "how often accuracy by folds, and two standard errors to each side, hold the truth",
    "coverage": "how often intervals and sets of level 0.9 hold the truth on public tables",
    "outliers": "how numbers are scaled: k-NN by range, inliers, standard deviation and quantiles",
    "conversations": "what conversations with case bases claim, and how often they are right",
}


def main() -> None:
    """Run the studies that were asked for, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description="Measure how good answers are.")
    parser.add_argument("study", nargs="*", metavar="STUDY", help=f"which to run (default: all): {', '.join(STUDIES)}")
    parser.add_argument("--quick", action="store_true", help="stacked: few small tables, two folds: does it run?")
    parser.add_argument("--fresh", action="store_true", help="stacked: measure peers that were measured before again")
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
