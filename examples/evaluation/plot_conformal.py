"""
Intervals with the right coverage
=================================

A 90% interval should contain 90% of new values. The intervals of a model are only as good as its
assumptions. :class:`~priorcase.evaluation.ConformalRegressor` wraps any regressor, and computes the
width of the intervals from the errors on held-out rows. Do these intervals have the right coverage?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import priorcase as pc
from priorcase import evaluation

X, rent = pc.load_flats()
schema = {"heading": pc.Circular(360), "note": pc.Text()}
levels = [0.5, 0.7, 0.9]
regressor = pc.LocallyWeightedRegressor(100, schema=schema)
methods = {
    "local fit": regressor,
    "conformal": evaluation.ConformalRegressor(regressor, folds=5),
    "conformal, scaled": evaluation.ConformalRegressor(regressor, folds=5, nonconformity="scaled"),
}

# %%
# Predict a third of the flats from the other flats, for five random splits. We also look at small
# and large flats separately: rents of large flats vary more.
inside = {name: [] for name in methods}
width = {name: [] for name in methods}
large = []
for split in range(5):
    X_train, X_test, train, test = train_test_split(X, rent, test_size=1 / 3, random_state=split)
    large.append(X_test["metres"].to_numpy() > 80)
    for name, method in methods.items():
        model = method.fit(X_train, train)
        bounds = np.array([model.predict_interval(X_test, level).T for level in levels])
        inside[name].append((bounds[:, 0] <= test) & (test <= bounds[:, 1]))
        width[name].append(np.mean(bounds[-1, 1] - bounds[-1, 0]))
large = np.concatenate(large)
inside = {name: np.concatenate(found, axis=1) for name, found in inside.items()}
for name, held in inside.items():
    parts = f"small flats {held[-1, ~large].mean():.0%}, large flats {held[-1, large].mean():.0%}"
    print(f"{name:18} 90% intervals cover {held[-1].mean():.0%} ({parts}); width {np.mean(width[name]):.0f} euros")

# %%
# The coverage of all intervals is slightly too high. But the plain conformal intervals have nearly
# the same width everywhere, which is too wide for small flats and too narrow for large ones.
# ``nonconformity="scaled"`` makes the intervals wider where the fit is uncertain, and improves the
# coverage for large flats. The intervals of the local fit itself are just as good here, because the
# errors are close to normal. If the errors are not normal, the intervals of the local fit have no
# guarantee.
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.plot([0.4, 1], [0.4, 1], color="#BBBBBB", zorder=0)
looks = [("#E69F00", "^"), ("#0072B2", "o"), ("#D55E00", "s")]
for i, ((name, held), (color, marker)) in enumerate(zip(inside.items(), looks, strict=True)):
    left.plot(levels, held.mean(axis=1), marker, linestyle="-", color=color, label=name)
    right.plot([held[-1, ~large].mean(), held[-1, large].mean()], [1 + i / 8, i / 8], marker, color=color, markersize=9)
left.set(xlabel="level of the intervals", ylabel="share of new rents inside")
left.set_title("All flats", loc="left")
left.legend()
right.axvline(0.9, color="#BBBBBB", zorder=0)
right.set_yticks([1.125, 0.125], ["up to 80 m²", "above 80 m²"])
right.set(xlabel="share of new rents inside 90% intervals", xlim=(0.8, 1), ylim=(-0.5, 1.75))
right.set_title("Small and large flats", loc="left")
plt.show()
