"""
How many neighbors?
===================

The number of neighbors is the first parameter to choose. ``n_neighbors="loo"`` predicts every row
from all other rows, for each number of neighbors from 1 to 50, and selects the best number. A
single search is enough for all 50 numbers, so this takes little more time than a single fit.

How much does the exact number of neighbors matter? The band in the figure is one standard error.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import priorcase as pc
from priorcase import plots

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
model = pc.KNNClassifier("loo").fit(X, y)
print(f"best number of neighbors: {model.n_neighbors_}, leave-one-out accuracy {model.loo_scores_.max():.3f}")

# %%
# :func:`priorcase.tune` chooses the vote, the distance and the prior together with the number of
# neighbors, by the log-score of the probabilities. Good probabilities need more neighbors than good
# class predictions.
candidates = {"n_neighbors": [2, 3, 5, 8, 12, 20, 30, 50, 80], "vote": ["uniform", "tricube", "gaussian"]}
tuning = pc.tune(pc.KNNClassifier(), X, y, candidates=candidates, nested=None)
print(tuning)

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
plots.LeaveOneOutDisplay.of(model).plot(left)
left.set_title("Accuracy: any number from 5 to 15 will do", loc="left")
tuning.plot(right)
right.set_title("Log-score of the probabilities", loc="left")
plt.show()
