"""
A first prediction, and the cases behind it
===========================================

How do you predict from a table with numbers, categories and missing values, and see the reasons
for the prediction?

The table has 344 penguins from three islands: measurements of the bill and the body, the sex, and
the species as the target. Some values are missing. Nothing has to be encoded, scaled or imputed.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

import priorcase as pc

X, y = pc.load_penguins()
X = X.drop(columns="year")
print(X.head().to_string())

# %%
# Hold back a quarter of the penguins, fit five nearest neighbors, and count correct predictions.
# The HVDM distance between two categories depends on how differently the species are distributed
# among the penguins in each category.
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
model = pc.KNNClassifier(5, distance="hvdm").fit(X_train, y_train)
print(f"accuracy on {len(X_test)} penguins that were held back: {model.score(X_test, y_test):.3f}")

# %%
# Take the penguin that the model is least certain about. ``precedents`` lists the past cases that
# voted, with the contribution of each column to the distance. The last line shows the nearest
# penguin of another species.
least = model.predict_proba(X_test).max(axis=1).argmin()
new = X_test.iloc[[least]]
print(new.T)
precedents = model.precedents(new)
print(precedents)

# %%
# The figure shows the same precedents: each bar is a past case, and its length is the distance.
precedents.plot()
plt.show()
