"""
Decision regions of several learners
====================================

Each learner has its own decision boundaries. A figure can show them, even if a column is categorical:
:class:`~priorcase.plots.DecisionSurface` gives each category a position on the axis.

The stronger the color, the more certain the prediction. Each point is a penguin.
"""

import matplotlib.pyplot as plt

import priorcase as pc
from priorcase import plots

X, y = pc.load_penguins()
learners = {
    "Nearest neighbors": pc.KNNClassifier(15),
    "Naive Bayes": pc.NaiveBayes(numeric="student"),
    "Local logistic regression": pc.LocallyWeightedClassifier(60),
}

# %%
# The top row uses two numeric columns. Nearest neighbors follow the points closely; naive Bayes has
# quadratic boundaries; a logistic regression fitted around each query lies in between.
#
# The bottom row uses a number and a category. The nearest neighbors of a penguin are on the same
# island as long as there are enough penguins on this island.
columns = [["bill_length_mm", "bill_depth_mm"], ["flipper_length_mm", "island"]]
fig, axes = plt.subplots(2, 3, figsize=(10.5, 6.2), layout="constrained")
for row, names in zip(axes, columns, strict=True):
    for ax, (title, learner) in zip(row, learners.items(), strict=True):
        model = learner.fit(X[names], y)
        plots.DecisionSurface.of(model, X[names], y, resolution=90).plot(ax)
        ax.set_title(title, loc="left")
        if ax is not row[-1]:
            ax.get_legend().remove()
plt.show()
