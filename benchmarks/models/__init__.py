"""Log-scores and accuracies of the Bayesian classifiers on public data sets: ``python -m benchmarks.models --help``."""
