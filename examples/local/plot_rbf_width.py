"""
How wide should a kernel be?
============================

An RBF network is a sum of bumps, one around each center. Narrow bumps follow every row, and wide
bumps smooth everything out. :class:`~priorcase.RBFNetworkRegressor` chooses the width by
leave-one-out, which has a closed form here. What happens at other widths?

We predict the rent of a flat from its size alone, so that the fit can be drawn.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import priorcase as pc

X, rent = pc.load_flats()
known = X["metres"] <= 120  # larger flats are rare
X, rent = X.loc[known, ["metres"]], rent[known]

# %%
# Widths are distances in the scaled table, where the range of the column has length 1. The other
# parameters stay the same: 40 centers, and a small ridge penalty. Each leave-one-out error requires
# only one fit.
widths = np.geomspace(0.01, 10, 25)
errors = []
for width in widths:
    model = pc.RBFNetworkRegressor(40, width=width, alpha=0.01).fit(X, rent)
    errors.append(np.sqrt(np.mean(model.loo_residuals() ** 2)))
chosen = pc.RBFNetworkRegressor(40).fit(X, rent)
print(chosen.loo_curve_)

# %%
# Narrow bumps follow single flats, which increases the error. Very wide bumps all look alike, so
# their sum is almost a straight line. Between these extremes, the width matters little over a wide
# range.
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.plot(X["metres"], rent, ".", color="#BBBBBB", label="flats")
grid = pd.DataFrame({"metres": np.linspace(20, 120, 400)})
for width, color, line in ((0.015, "#E69F00", ":"), (0.3, "#0072B2", "-"), (10.0, "#D55E00", "--")):
    model = pc.RBFNetworkRegressor(40, width=width, alpha=0.01).fit(X, rent)
    left.plot(grid, model.predict(grid), line, color=color, label=f"width {width}")
left.set(xlabel="size (square meters)", ylabel="rent (euros a month)")
left.set_title("Three widths", loc="left")
left.legend()
right.semilogx(widths, errors, "o-", color="#0072B2", markersize=4)
right.set(xlabel="width (share of the range of the column)", ylabel="leave-one-out error (euros)")
right.set_title("Root mean squared error by width", loc="left")
right.grid(alpha=0.3)
plt.show()
