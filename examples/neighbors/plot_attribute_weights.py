"""
Ignore columns that do not matter
=================================

The distance to a neighbor depends on every column. Columns that are unrelated to the target add
noise to the distance, and many such columns hide the neighbors that matter. Can the model find out
which columns to ignore?

We add columns of random numbers to the 13 measurements of the wine table, and compare equal weights
with weights learned by leave-one-out (``attribute_weights="loo"``).
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

import priorcase as pc

X, y = load_wine(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
noise = pd.DataFrame(rng.normal(size=(len(X), 80)), columns=[f"noise {i + 1}" for i in range(80)])

# %%
# Measure the accuracy of 5-NN by five-fold cross-validation as noise columns are added. The weights
# are learned in each training fold, so no test row influences them.
methods = {"equal weights": None, "learned by leave-one-out": "loo"}
numbers = [0, 20, 40, 80]
scores = {name: [] for name in methods}
for n in numbers:
    table = pd.concat([X, noise.iloc[:, :n]], axis=1)
    for name, weights in methods.items():
        model = pc.KNNClassifier(5, attribute_weights=weights)
        scores[name].append(cross_val_score(model, table, y, cv=5).mean())
    print(f"{n:2} columns of noise:", ", ".join(f"{name} {scores[name][-1]:.3f}" for name in methods))

# %%
# All 20 noise columns get weight zero and do not influence the distance. Four measurements that add
# no information to the other measurements also get weight zero. The figure shows five of the noise
# columns.
table = pd.concat([X, noise.iloc[:, :20]], axis=1)
weights = pc.KNNClassifier(5, attribute_weights="loo").fit(table, y).attribute_weights_.frame()
weights["noise"] = weights["attribute"].str.startswith("noise")
print((weights["weight"] == 0).groupby(weights["noise"]).agg(["sum", "size"]))

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for (name, values), color, marker in zip(scores.items(), ("#E69F00", "#0072B2"), "^o", strict=True):
    left.plot(numbers, values, color=color, marker=marker, label=name)
left.set(xlabel="noise columns added", ylabel="accuracy (5-fold cross-validation)")
left.set_title("Wine, 5-NN", loc="left")
left.legend(title="attribute weights")
left.grid(alpha=0.3)
shown = pd.concat([weights[~weights["noise"]], weights[weights["noise"]][:5]])[::-1]
right.barh(shown["attribute"].str.replace("_", " "), shown["relative"], color="#0072B2")
right.set(xlabel="weight, relative to the largest")
right.set_title("Learned weights, 20 noise columns", loc="left")
plt.show()
