"""
How does a column affect the predictions?
=========================================

:func:`priorcase.partial_dependence` is the mean prediction over all rows when one column is set to
the same value in every row. It shows what a model has learned about this column, for numbers,
categories and ordered levels alike. For two columns together, the result is a map.

We look at what makes a flat expensive.
"""

import matplotlib.pyplot as plt

import priorcase as pc

X, rent = pc.load_flats()
kinds = {"heading": pc.Circular(360), "note": pc.Text()}
model = pc.LocallyWeightedRegressor(150, schema=kinds).fit(X, rent)

# %%
# The last line shows the mean prediction if the value is missing; in the figures, this is a
# horizontal line.
print(pc.partial_dependence(model, X, "condition"))

# %%
# The predicted rent differs by more than 300 euros between districts. Flats with windows to the
# south (180 degrees) cost about 120 euros more than flats with windows to the north. New and very
# old buildings are more expensive than other buildings. A linear model would miss the effects of
# direction and year.
fig, axes = plt.subplots(2, 2, figsize=(9.5, 7), layout="constrained")
labels = {
    "district": "district",
    "year_built": "year of construction",
    "heading": "direction of the windows (degrees)",
}
for ax, (column, label) in zip(axes.flat, labels.items(), strict=False):
    pc.partial_dependence(model, X, column, n_values=13).plot(ax)
    ax.set(xlabel=label, ylabel="mean predicted rent (euros)")
pc.partial_dependence(model, X, ["metres", "condition"], n_values=9).plot(axes[1, 1])
axes[1, 1].set_xlabel("size (square meters)")
for ax, title in zip(axes.flat, ("District", "Year", "Direction", "Size and condition"), strict=True):
    ax.set_title(title, loc="left")
plt.show()
