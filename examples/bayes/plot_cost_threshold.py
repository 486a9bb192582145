"""
Choose a threshold by costs
===========================

A loan that is not repaid costs far more than a good customer who is turned away. If the
probabilities are calibrated, the best decision follows from the costs: grant a loan if the expected
gain is positive. No other rule does better on average.

Suppose a loan that is repaid earns 10% of the amount, and a loan that is not repaid loses 50%. The
best threshold is then ``0.5 / (0.5 + 0.1)``, about 0.83. Is this threshold also the best one in
practice?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import priorcase as pc

X, y = pc.load_loans()
gain, loss = 0.10, 0.50
best = loss / (gain + loss)

# %%
# Predict the probability of repayment for held-out loans with three learners, using five-fold
# cross-validation.
learners = {
    "subset-averaged Bayes": pc.SubsetAveragedBayes(),
    "local logistic regression": pc.LocallyWeightedClassifier(300),
    "one nearest neighbor": pc.KNNClassifier(1, prior=None),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
thresholds = np.linspace(0, 1, 101)
profit = {}
for name, learner in learners.items():
    proba = cross_val_predict(learner, X, y, cv=folds, method="predict_proba")[:, 1]
    earned = np.where(y == "yes", gain, -loss) * X["amount"].to_numpy()
    profit[name] = np.array([earned[proba >= threshold].sum() for threshold in thresholds]) / 1000
    at_best = profit[name][np.searchsorted(thresholds, best)]
    print(f"{name:26} profit at {best:.2f}: {at_best:5.0f} thousand euros; largest: {profit[name].max():5.0f}")
print(f"{'grant every loan':26} profit: {earned.sum() / 1000:.0f} thousand euros")

# %%
# A threshold of 0.5, which ``predict`` uses, loses money. The profit is largest near the threshold
# that follows from the costs. A single large loan moves a curve by more than 20 thousand euros, so
# the exact position of a peak means little. One nearest neighbor predicts only *yes* or *no*: there
# is no threshold to choose, and it loses money.
fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
looks = [("#0072B2", "-"), ("#D55E00", "--"), ("#767676", ":")]
for (name, values), (color, line) in zip(profit.items(), looks, strict=True):
    ax.plot(thresholds, values, line, color=color, label=name)
ax.axvline(best, color="black", linewidth=1)
ax.text(best - 0.01, 125, "best by costs", ha="right")
ax.axhline(0, color="#BBBBBB", linewidth=1, zorder=0)
ax.set(xlabel="minimum probability of repayment for a loan", ylabel="profit (thousand euros)", ylim=(-500, 150))
ax.set_title("Profit on 600 loans, by decision threshold", loc="left")
ax.legend(loc="upper left")
plt.show()
