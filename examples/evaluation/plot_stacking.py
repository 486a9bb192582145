"""
Use several learners at once
============================

Which learner is best depends on the table, and on its size. :class:`~priorcase.StackedClassifier`
fits several learners and combines their probabilities. The weights are chosen so that the
combination best predicts held-out rows. Which learners get the largest weights on which table?
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer

import priorcase as pc

tables = {
    "repairs (96 rows)": pc.load_repairs(),
    "penguins (344 rows)": pc.load_penguins(),
    "breast cancer (569 rows)": load_breast_cancer(return_X_y=True),
    "loans (600 rows)": pc.load_loans(),
}
stacks = {name: pc.StackedClassifier().fit(X, y).stack_ for name, (X, y) in tables.items()}
print(stacks["repairs (96 rows)"])

# %%
# The best members differ between tables. The more similar the members, the less the weights mean:
# on breast cancer, two kinds of logistic regression share the weight.
#
# The stack (blue) is better than its best member on all four tables. The score of the stack is
# slightly optimistic, because its weights were chosen on the same rows.
frames = {name: stack.frame().set_index("member") for name, stack in stacks.items()}
weights = pd.DataFrame({name: frame["weight"] for name, frame in frames.items()}).drop(index="baseline")
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharey=True)
colors = ["#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7"]
start = 0
for (member, row), color in zip(weights.iterrows(), colors, strict=True):
    left.barh(row.index, row, left=start, color=color, edgecolor="white", label=member.replace("_", " "))
    start = start + row
left.invert_yaxis()
left.set(xlabel="weight in the stack", xlim=(0, 1))
left.set_title("Weights of the members", loc="left")
left.legend(loc="lower center", bbox_to_anchor=(0.5, 1.1), ncols=4, frameon=False)
for name, stack in stacks.items():
    scores = frames[name]["log_score"].drop("baseline")
    right.plot(-scores, [name] * len(scores), "|", color="#767676", markersize=14)
    right.plot(-stack.score, name, "o", color="#0072B2", markersize=9)
right.set(xscale="log", xlabel="log loss on held-out rows (lower is better)")
right.set_title("Members (gray) and stack (blue)", loc="left")
plt.show()
