"""
Learn from a stream that changes
================================

In a stream, each row is predicted before it is learned, and the patterns can change over time.
Which learners recover after a change?

An online shop checks orders. After 1,000 orders, the pattern of risky orders is reversed.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import priorcase as pc
from priorcase import evaluation

rng = np.random.default_rng(0)
n, change = 2000, 1000
X = pd.DataFrame({"amount": rng.uniform(0, 200, n).round(), "hour": rng.integers(0, 24, n)})
late = (X["hour"] >= 12) != (X.index >= change)
y = np.where(X["amount"] > np.where(late, 60, 140), "risky", "fine")

# %%
# :class:`~priorcase.IB1` keeps every row. :class:`~priorcase.IB3` keeps a record for each stored row
# and stops using rows whose record has become poor; with ``decay`` only recent trials count. A
# ``window`` keeps only the latest rows.
learners = {
    "IB1": pc.IB1(),
    "IB1, last 300 rows": pc.IB1(window=300),
    "IB3": pc.IB3(random_state=0),
    "IB3, decay 0.9": pc.IB3(decay=0.9, random_state=0),
}
stream = evaluation.prequential(learners, X, y, scores="accuracy", window=100, progress=False)
print(stream)

# %%
# The figure shows the accuracy over the last 100 orders. IB1 hardly recovers. With a window, IB1
# recovers fastest and loses little accuracy before the change: 300 orders are enough to learn the
# rule, and no label is wrong. IB3 needs no window, and recovers faster with ``decay``.
ax = stream.plot()
ax.axvline(change, color="#767676", linestyle=":")
ax.set_title("Orders: the rule changes after 1,000 rows", loc="left")
plt.show()
