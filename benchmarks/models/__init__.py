"""How good the probabilities of every Bayes model are, on public data sets: ``python -m benchmarks.models --help``."""
