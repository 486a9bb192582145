"""
Predict a set of classes
========================

Instead of one class, a :class:`~priorcase.evaluation.ConformalClassifier` predicts all plausible
classes. The sets are constructed so that they contain the true class with a given probability. A
set with one class is a definite prediction; a larger set is an uncertain prediction. How large do
the sets have to be?

The rows are digits on a seven-segment display with faulty segments; even the best classifier is
correct in only 74% of the cases.
"""

import matplotlib.pyplot as plt
import numpy as np

import priorcase as pc
from priorcase import evaluation

X, y = pc.make_led(1600, random_state=0)
model = evaluation.ConformalClassifier(pc.NaiveBayes()).fit(X[:600], y[:600])
X_test, y_test = X[600:], y[600:]
print(model.predict_set(X_test[:5], level=0.9))

# %%
# The higher the level, the larger the sets. The share of sets that contain the true class is close
# to the level.
levels = [0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
sets = {level: model.predict_set(X_test, level=level) for level in levels}
held = [sets[level].holds(y_test).mean() for level in levels]
sizes = [np.mean(sets[level].sizes) for level in levels]
for level, share, size in zip(levels, held, sizes, strict=True):
    print(f"level {level:.2f}: {share:.3f} of the sets contain the digit, {size:.1f} digits on average")

# %%
# At a level of 0.9, 15% of the displays get a single digit, and almost half of them get two. Some
# sets are empty at levels below 0.74, the accuracy of the best single digit, because no digit is
# probable enough.
fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
left.plot([0.55, 1], [0.55, 1], color="#BBBBBB", zorder=0)
left.plot(levels, held, "o-", color="#0072B2")
left.set(xlabel="level", ylabel="share of sets that contain the true digit")
left.set_title("Coverage", loc="left")
sets[0.9].plot(right)
right.set_ylim(0, 520)
right.set_title("Sizes of the sets at level 0.9", loc="left")
plt.show()
