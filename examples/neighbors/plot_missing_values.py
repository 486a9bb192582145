"""
Missing values: impute, or leave them missing?
==============================================

Many libraries do not accept missing values. The learners of priorcase do: the distance of nearest
neighbors has a rule for missing values, and Bayesian models ignore the missing column. How do these
learners compare with imputation as more and more cells go missing?

We delete random cells of the penguin table, in both training and test rows, and compare the
learners with two scikit-learn pipelines.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import priorcase as pc

X, y = pc.load_penguins()
X = X.drop(columns="year")
numbers = make_column_selector(dtype_include="number")
categories = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))


def pipeline(imputer):
    """Return a pipeline of an imputer and scikit-learn's nearest neighbors."""
    columns = make_column_transformer(
        (make_pipeline(StandardScaler(), imputer), numbers), remainder=categories, verbose_feature_names_out=False
    )
    return make_pipeline(columns, KNeighborsClassifier(9))


learners = {
    "KNNClassifier": pc.KNNClassifier(9),
    "NaiveBayes": pc.NaiveBayes(),
    "LocallyWeightedClassifier": pc.LocallyWeightedClassifier(60),
    "median imputation + k-NN": pipeline(SimpleImputer(strategy="median")),
    "KNNImputer + k-NN": pipeline(KNNImputer()),
}

# %%
# The same cells are missing for all learners.
shares = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
order = np.random.default_rng(0).random(X.shape)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
scores = {name: [] for name in learners}
for share in shares:
    table = X.mask(order < share)
    for name, learner in learners.items():
        scores[name].append(cross_val_score(learner, table, y, cv=folds).mean())
for name, values in scores.items():
    print(f"{name:26}", "  ".join(f"{value:.3f}" for value in values))

# %%
# With one cell in ten missing, all learners do about equally well. With more missing cells, naive
# Bayes and the local logistic regression are best, and they need no imputer. Plain nearest
# neighbors fall behind imputation: a missing value counts as the largest difference, so the
# neighbors depend on which cells happen to be known.
fig, ax = plt.subplots(figsize=(8, 4.4), layout="constrained")
colors = ["#0072B2", "#D55E00", "#000000", "#E69F00", "#767676"]
for (name, values), color, marker in zip(scores.items(), colors, "osD^v", strict=True):
    line = "--" if "+" in name else "-"
    ax.plot([100 * share for share in shares], values, line, color=color, marker=marker, label=name)
ax.set(xlabel="cells deleted (%)", ylabel="accuracy (5-fold cross-validation)")
ax.set_title("Penguins with deleted cells", loc="left")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
