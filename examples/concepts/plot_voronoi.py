"""
Decision boundaries after reduction
===================================

1-NN divides the plane into cells, one for each stored row. A cell consists of all points that are
closer to its row than to any other row. After a reduction there are fewer and larger cells. Do the
decision boundaries change?
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

import priorcase as pc
from priorcase import plots

X, y = pc.load_penguins()
known = X["bill_length_mm"].notna()
X, y = X.loc[known, ["bill_length_mm", "bill_depth_mm"]], y[known]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)

# %%
# The first plot uses all training rows, and the other plots only the rows kept by a reducer.
# :class:`~priorcase.CNN` keeps every row that it would misclassify, and therefore keeps rows that
# contradict their neighbors. :class:`~priorcase.DROP3` removes such rows first, and then all rows
# that are not needed. After DROP3, 1-NN is as accurate as with all rows, and the boundaries are
# smoother.
reducers = {"All rows": None, "CNN": pc.CNN(), "DROP3": pc.DROP3()}
fig, axes = plt.subplots(1, 3, figsize=(10.5, 3.7), layout="constrained")
for ax, (name, reducer) in zip(axes, reducers.items(), strict=True):
    rows, labels = (X_train, y_train) if reducer is None else reducer.fit_resample(X_train, y_train)
    model = pc.KNNClassifier(1).fit(rows, labels)
    plots.VoronoiCells.of(model).plot(ax)
    ax.set_title(f"{name}: {len(rows)} rows, {model.score(X_test, y_test):.1%} right", loc="left")
    ax.set(xlabel="bill length (mm)", ylabel="bill depth (mm)")
    if ax is not axes[-1]:
        ax.get_legend().remove()
plt.show()
