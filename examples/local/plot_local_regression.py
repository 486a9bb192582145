"""
Predict a rent with an interval
===============================

:class:`~priorcase.LocallyWeightedRegressor` fits a small linear model to the rows around each
query. It predicts a number, an interval, and the slope at this point. How does the rent depend on
the size of a flat, and how much do individual rents differ from the mean?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import priorcase as pc
from priorcase import plots

X, rent = pc.load_flats()
known = X["metres"].notna()
model = pc.LocallyWeightedRegressor(span=0.5).fit(X.loc[known, ["metres"]], rent[known])

# %%
# With ``span=0.5``, each fit uses half of the rows, as in loess. How much does one more square
# meter cost? The slope of the local fit, in euros per square meter, depends on the size of the
# flat.
sizes = pd.DataFrame({"metres": [30.0, 60.0, 90.0, 120.0]})
print(model.coefficients(sizes))

# %%
# With the size alone, the intervals are wide, since rents differ between districts. With all
# columns, the intervals are much narrower. ``heading`` is a compass direction and ``note`` is a
# short text; their dtypes do not show this, so we declare both columns.
kinds = {"heading": pc.Circular(360), "note": pc.Text()}
train, test = X.index % 4 > 0, X.index % 4 == 0
for name, columns in {"size alone": ["metres"], "all columns": list(X)}.items():
    schema = {column: kind for column, kind in kinds.items() if column in columns}
    fitted = pc.LocallyWeightedRegressor(schema=schema).fit(X.loc[train, columns], rent[train])
    low, high = fitted.predict_interval(X.loc[test, columns], level=0.9).T
    inside = np.mean((low <= rent[test]) & (rent[test] <= high))
    print(f"{name:12} mean width of 90% intervals {np.mean(high - low):4.0f} euros, {inside:.0%} of new rents inside")

# %%
# The dark band is the interval for the mean rent, and the light band is the interval for a single
# flat.
ax = plots.LocalFitDisplay.of(model).plot()
ax.set(xlabel="size (square meters)", ylabel="rent (euros a month)")
ax.set_title("Rent by size, with 90% intervals", loc="left")
plt.show()
