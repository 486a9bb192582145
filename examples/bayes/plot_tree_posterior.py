"""
Which columns go together?
==========================

Naive Bayes assumes that columns are independent within a class. If the columns are dependent, naive
Bayes counts the same evidence twice and is overconfident. :class:`~priorcase.TreeAveragedBayes`
lets each column depend on one other column, and computes the exact average over all such trees.
Which columns does it connect among ten measurements of the breast cancer table?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import priorcase as pc
from priorcase import evaluation, plots

data = load_breast_cancer(as_frame=True)
X, y = data.data.filter(like="mean "), data.target_names[data.target]
X.columns = X.columns.str.removeprefix("mean ")
model = pc.TreeAveragedBayes().fit(X, y)
print(model.edge_table())

# %%
# Radius, perimeter and area measure the same thing, and the trees connect them. The fractal
# dimension has no information about the class, so its position in the tree is arbitrary. Do trees
# improve the probabilities? We compare both learners by ten-fold cross-validation.
learners = {"naive Bayes": pc.NaiveBayes(), "averaged over trees": pc.TreeAveragedBayes()}
found = evaluation.compare(learners, X, y, progress=False)
print(found)

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), width_ratios=[3, 2], layout="constrained")
plots.TreePosterior.of(model).plot(left)
left.set_title("Thick lines: probable edges, given the class", loc="left")
found.plot("log_score", right)
right.set_xlabel("log-score, mean and 95% interval")
right.set_title("Log-score (higher is better)", loc="left")
plt.show()
