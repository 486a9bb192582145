"""
Find wrong labels
=================

Twelve of the 600 outcomes in the loan table were recorded wrongly on purpose. Can a model find
them?

A row is suspicious if a model that has not seen it is certain of another class. So we predict each
row by cross-validation, and sort the rows by the probability of their recorded outcome. How many of
the rows at the top of the list have a wrong outcome?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import priorcase as pc

X, y = pc.load_loans()
wrong = [98, 100, 164, 173, 195, 353, 411, 433, 486, 491, 514, 583]  # from the description of the table

# %%
# Three learners rank the rows by their probabilities. :class:`~priorcase.PEBLS` ranks them by their
# records: how often a stored row was the nearest neighbor of a row of another class.
learners = {
    "stack of learners": pc.StackedClassifier(),
    "subset-averaged Bayes": pc.SubsetAveragedBayes(),
    "15 nearest neighbors": pc.KNNClassifier(15, distance="hvdm"),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
rankings = {}
for name, learner in learners.items():
    proba = cross_val_predict(learner, X, y, cv=folds, method="predict_proba")
    recorded = np.where(y == "yes", proba[:, 1], proba[:, 0])  # probability of the recorded outcome
    rankings[name] = np.argsort(recorded)
rankings["PEBLS"] = pc.PEBLS().fit(X, y).suspects(None).ids
for name, ranking in rankings.items():
    found = np.isin(ranking, wrong).cumsum()
    print(f"{name:22} wrong outcomes among the first 12 rows: {found[11]}, among 30: {found[29]}")

# %%
# With the stack of learners, the first 30 rows of the list (5% of the table) include 10 of the 12
# wrong outcomes. The other rows on the list are correct, but surprising. PEBLS relies on single
# nearest neighbors and finds the fewest wrong outcomes: the outcomes of this table are hard to
# predict, so many correct rows also have a poor record.
fig, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
looks = [("#0072B2", "-"), ("#D55E00", "--"), ("#000000", "-."), ("#E69F00", ":")]
for (name, ranking), (color, line) in zip(rankings.items(), looks, strict=True):
    ax.plot(np.arange(1, 101), np.isin(ranking, wrong).cumsum()[:100], line, color=color, label=name)
ax.plot([0, 100], [0, 12 * 100 / 600], color="#BBBBBB", label="random order")
ax.set(xlabel="rows checked, most suspicious first", ylabel="wrong outcomes found", ylim=(0, 12.5))
ax.set_title("Loans: 12 of 600 outcomes are recorded wrongly", loc="left")
ax.grid(alpha=0.3)
ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
plt.show()
