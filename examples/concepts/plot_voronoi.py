"""
What a reduced table still knows
================================

A nearest neighbor divides the plane into cells, one for each stored row: all points that are closer to this row than to
any other. After a reduction there are fewer and larger cells. Does the border between the classes stay where it was?

One label in ten of this table is wrong. The true border consists of four rectangles.
"""

import matplotlib.pyplot as plt
import numpy as np

import priorcase as pc
from priorcase import plots
from priorcase.datasets import make_disjuncts

X, inside = make_disjuncts(400, random_state=0)
wrong = np.random.default_rng(0).random(len(X)) < 0.1
y = np.where((inside == 1) ^ wrong, "inside", "outside")
X_test, inside_test = make_disjuncts(2000, random_state=1)
truth = np.where(inside_test == 1, "inside", "outside")

# %%
# All rows, then only those kept by two reducers. :class:`~priorcase.CNN` keeps every row that it would get wrong, wrong
# labels included. :class:`~priorcase.DROP3` removes contradictory rows first, and then the rows that are not needed.
fig, axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
reducers = {"All rows": None, "CNN": pc.CNN(), "DROP3": pc.DROP3()}
for ax, (name, reducer) in zip(axes, reducers.items(), strict=True):
    rows, labels = (X, y) if reducer is None else reducer.fit_resample(X, y)
    model = pc.KNNClassifier(1).fit(rows, labels)
    plots.VoronoiCells.of(model).plot(ax)
    ax.set_title(f"{name}: {len(rows)} rows, accuracy {model.score(X_test, truth):.2f}")
    ax.set(xlabel="first column", ylabel="second column")
    if ax is not axes[-1]:
        ax.get_legend().remove()
plt.show()
