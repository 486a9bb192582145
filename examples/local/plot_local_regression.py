"""
Predict a rent with an interval
===============================

:class:`~priorcase.LocallyWeightedRegressor` fits a small linear model to the rows around each
query. It predicts a number, an interval, and the slope at this point. How does the rent depend on the
size of a flat, and how far can a single rent be from that?
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
# ``span=0.5`` lets half of the rows take part in each fit, as in loess. How much does one
# more square meter cost? The slope of the local fit, in euros per square meter, depends on the size
# of the flat.
sizes = pd.DataFrame({"metres": [30.0, 60.0, 90.0, 120.0]})
print(model.coefficients(sizes))

# %%
# The size alone leaves a wide interval, since districts differ. With all columns it becomes much
# narrower. ``heading`` is a compass direction and ``note`` a short text; a data frame cannot show
# this, so we declare them.
kinds = {"heading": pc.Circular(360), "note": pc.Text()}
train, test = X.index % 4 > 0, X.index % 4 == 0
for name, columns in {"size alone": ["metres"], "all columns": list(X)}.items():
    schema = {column: kind for column, kind in kinds.items() if column in columns}
    fitted = pc.LocallyWeightedRegressor(schema=schema).fit(X.loc[train, columns], rent[train])
    low, high = fitted.predict_interval(X.loc[test, columns], level=0.9).T
    inside = np.mean((low <= rent[test]) & (rent[test] <= high))
    print(f"{name:12} mean width of 90% intervals {np.mean(high - low):4.0f} euros, {inside:.0%} of new rents inside")

# %%
# The dark band is the interval of the mean rent, the light band that of a single flat.
ax = plots.LocalFitDisplay.of(model).plot()
ax.set(xlabel="size (square meters)", ylabel="rent (euros a month)")
ax.set_title("Rent by size, with 90% intervals", loc="left")
plt.show()
