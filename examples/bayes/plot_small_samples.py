"""
Calibrated probabilities from few rows
======================================

Naive Bayes with relative frequencies is overconfident on small tables: if a value never occurs with
a class, its probability is zero. :class:`~priorcase.NaiveBayes` averages over all parameter values
instead (``predictive="evidence"``, the default). How large is the difference, and how many rows
does it take until it no longer matters?

The rows are digits on a seven-segment display whose segments fail with probability 0.1. The columns
are independent given the digit, so naive Bayes is the true model here, and any bad probabilities
are due to the estimates alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

import priorcase as pc
from priorcase import evaluation

X, y = pc.make_led(3000, random_state=0)
learners = {"relative frequencies": pc.NaiveBayes("map"), "averaged (evidence)": pc.NaiveBayes("evidence")}

# %%
# To check calibration, fit each learner to 40 samples of 50 rows, and predict 1,000 other rows. Of
# all predictions made with probability 0.8, eight in ten should come true.
X_test, y_test = X[2000:], y[2000:]
calibration = {}
for name, learner in learners.items():
    samples = [slice(start, start + 50) for start in range(0, 2000, 50)]
    fits = [clone(learner).partial_fit(X[rows], y[rows], classes=range(10)).predict_proba(X_test) for rows in samples]
    table = evaluation.calibration_table(np.tile(y_test, 40), np.concatenate(fits), labels=range(10))
    calibration[name] = table
    print(f"{name}: expected calibration error {table.expected_error:.3f}")

# %%
# Relative frequencies are far too confident: of the predictions made with a probability close to 1,
# only 60% come true. The averaged probabilities are somewhat too low instead. (Large marks stand
# for many predictions.) The Brier score, the squared error of the probabilities, shows how many
# rows are needed: with about 300 rows (30 of each digit) or more, both estimates have the same
# score.
curve = evaluation.learning_curve(learners, X, y, sizes=[20, 40, 80, 160, 320, 640], repeats=10, scores="brier")

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.plot([0, 1], [0, 1], "--", color="#767676", label="perfectly calibrated")
for (name, table), color, marker in zip(calibration.items(), ("#0072B2", "#E69F00"), "o^", strict=True):
    sizes = 20 + 400 * table.rows / table.rows.sum()
    left.scatter(table.probability, table.observed, sizes, color=color, marker=marker, label=name)
left.set(xlabel="mean predicted probability", ylabel="share that came true")
left.set_title("Calibration after 50 rows", loc="left")
left.legend()
curve.plot(ax=right, band="error")
right.set_ylabel("Brier score (lower is better)")
right.set_title("Squared error of the probabilities", loc="left")
plt.show()
