"""
Which columns matter?
=====================

:class:`~priorcase.SubsetAveragedBayes` computes the exact average of naive Bayes over all sets of
columns. As a by-product, it gives the probability that a column is relevant to the target. Which
columns of the loan applications matter, and how many rows does it take to find out?
"""

import matplotlib.pyplot as plt
import numpy as np

import priorcase as pc

X, y = pc.load_loans()
X["first letter"] = np.random.default_rng(0).choice(list("abcdefgh"), len(X))  # unrelated to the target
model = pc.SubsetAveragedBayes().fit(X, y)
print(model.relevance_)

# %%
# Each column starts at a prior probability of 5%. As rows are added, the probability approaches one
# for columns that matter and falls for most of the other columns. ``age`` has no cut point that
# separates the classes, so the rows contain no evidence about it, and it keeps its prior
# probability. The curves are means over 20 random orders of the rows.
sizes = [25, 50, 100, 200, 400, 600]
rng = np.random.default_rng(1)
orders = [rng.permutation(len(X)) for _ in range(20)]
mean = {}
for n in sizes:
    fits = [pc.SubsetAveragedBayes().fit(X.iloc[order[:n]], y[order[:n]]).relevance_ for order in orders]
    mean[n] = {name: np.mean([relevance[name] for relevance in fits]) for name in X}

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
model.relevance_.plot(left)
left.set_title("After 600 loans", loc="left")
colors = ["#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73"]
for i, name in enumerate(model.relevance_.frame()["attribute"]):
    look = {"color": colors[i], "marker": "os^DvP"[i]} if i < 6 else {"color": "#BBBBBB"}
    label = name if i < 6 else "all others" if i == 6 else None
    right.plot(sizes, [mean[n][name] for n in sizes], label=label, **look)
right.set(xscale="log", xlabel="rows", ylabel="probability that the column is relevant")
right.set_xticks(sizes, sizes)
right.minorticks_off()
right.set_title("As rows are added", loc="left")
right.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
plt.show()
