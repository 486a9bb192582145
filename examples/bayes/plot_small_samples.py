"""
Honest probabilities from few rows
==================================

Naive Bayes with relative frequencies is overconfident on small tables: a value that was never seen with a class gets
probability zero. :class:`~priorcase.NaiveBayes` averages over all parameter values instead (``predictive="evidence"``,
the default). How large is the difference, and how many rows does it take until it no longer matters?

The rows are digits on a seven-segment display whose segments fail with probability 0.1. The columns are independent
given the digit, so naive Bayes is the true model here, and bad probabilities come from the estimates alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

import priorcase as pc
from priorcase import evaluation

X, y = pc.make_led(3000, random_state=0)
learners = {"relative frequencies": pc.NaiveBayes("map"), "averaged (evidence)": pc.NaiveBayes("evidence")}

# %%
# Calibration: fit each to 40 samples of 50 rows, and predict 1,000 other rows. Of all predictions made with probability
# 0.8, eight in ten should come true.
X_test, y_test = X[2000:], y[2000:]
calibration = {}
for name, learner in learners.items():
    samples = [slice(start, start + 50) for start in range(0, 2000, 50)]
    fits = [clone(learner).partial_fit(X[rows], y[rows], classes=range(10)).predict_proba(X_test) for rows in samples]
    table = evaluation.calibration_table(np.tile(y_test, 40), np.concatenate(fits), labels=range(10))
    calibration[name] = table
    print(f"{name}: expected calibration error {table.expected_error:.3f}")

# %%
# The Brier score, the squared error of the probabilities, for samples of other sizes. From about 300 rows on, that is 30
# rows of each class, both are the same.
curve = evaluation.learning_curve(learners, X, y, sizes=[20, 40, 80, 160, 320, 640], repeats=10, scores="brier")

fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for ax, (name, table) in zip(axes, calibration.items(), strict=False):
    table.plot(ax)
    ax.set_title(f"50 rows, {name}")
curve.plot(ax=axes[2], band="error")
axes[2].set(title="Squared error of the probabilities", ylabel="Brier score (lower is better)")
plt.show()
