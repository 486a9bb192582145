"""
What would change the decisions?
================================

A counterfactual is the smallest change of a row that leads to another prediction. Counterfactuals
of many rows show what the decisions depend on. Which changes would turn rejections into approvals?
"""

import matplotlib.pyplot as plt
import numpy as np

import priorcase as pc

X, y = pc.load_loans()
model = pc.LocallyWeightedClassifier(300).fit(X[:400], y[:400])
new = X[400:]
rejected = new[model.predict(new) == "no"]
print(f"{len(rejected)} of {len(new)} applications are rejected")

# %%
# The purpose, the age and the day of the application are fixed. All other columns can change. Each
# new value comes from a real past application that the model would grant, and unnecessary changes
# are undone.
found = pc.counterfactuals(model, rejected, fixed=["purpose", "age", "applied"], target="yes")
changes = found.frame()
print(changes["column"].value_counts())

# %%
# For most applications, a single change is enough, usually a change of the amount. How much lower
# would the amount have to be?
amount = changes[changes["column"] == "amount"].astype({"before": float, "after": float})
per_row = changes.groupby("query").size()
print(per_row.value_counts().rename("rows").rename_axis("changed columns"))

fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
found.plot(left)
left.set_title("Columns that change", loc="left")
order = np.argsort(amount["before"].to_numpy())
rows = np.arange(len(amount))
before, after = (amount[name].to_numpy()[order] / 1000 for name in ("before", "after"))
right.hlines(rows, after, before, color="#BBBBBB")
right.plot(before, rows, "^", color="#D55E00", label="requested")
right.plot(after, rows, "o", color="#0072B2", label="would be granted")
right.set(xlabel="amount (thousand euros)", ylabel="application", yticks=[])
right.set_title("Amounts", loc="left")
right.legend()
plt.show()
