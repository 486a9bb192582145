"""
Find clusters and outliers without a target
===========================================

:class:`~priorcase.MixtureModel` describes a table by a few clusters of rows. It accepts numbers,
categories and missing values. Does it find the species of the penguins without knowing them? And
which penguins are outliers?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import priorcase as pc

X, species = pc.load_penguins()
X = X.drop(columns="year")
model = pc.MixtureModel("auto", random_state=0).fit(X)
print(model.components_)

# %%
# The table compares the components with the species, which the model has not seen. Almost every
# penguin is in a component of its own species, and most components contain penguins of one sex.
component = model.predict(X)
print(pd.crosstab(pd.Series(species, name="species"), pd.Series(component, name="component")))

# %%
# ``outlier_scores`` scores a row by its negative log-density. For the most unusual penguin, it
# shows which value is surprising given all other values: the bill is almost 60 mm long.
found = model.outlier_scores(X)
unusual = np.argsort(found.scores)[-3:]
print(found[unusual[-1]])

# %%
# Colors show components, markers show species. Rings mark the three most unusual penguins.
fig, ax = plt.subplots(figsize=(8, 4.8), layout="constrained")
colors = np.array(["#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7", "#F0E442"])
for name, marker in zip(np.unique(species), "o^s", strict=True):
    of = species == name
    x, y = X["bill_length_mm"][of], X["flipper_length_mm"][of]
    ax.scatter(x, y, 28, colors[component[of]], marker=marker, alpha=0.8)
    ax.plot([], [], marker, color="#767676", label=name)
ax.plot(*X.iloc[unusual][["bill_length_mm", "flipper_length_mm"]].T.to_numpy(), "o", ms=14, mfc="none", mec="black")
ax.plot([], [], "o", ms=10, mfc="none", mec="black", label="most unusual")
for k in np.unique(component):
    ax.plot([], [], "_", color=colors[k], markersize=12, markeredgewidth=5, label=f"component {k}")
ax.set(xlabel="bill length (mm)", ylabel="flipper length (mm)")
ax.set_title("Penguins: components found without the species", loc="left")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
plt.show()
