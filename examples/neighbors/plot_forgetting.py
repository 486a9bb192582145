"""
Forget rows exactly
===================

A customer requests the deletion of their rows. The model must also forget these rows: not
approximately, but as if it had never seen them. With most libraries, you have to fit the model
again. How long does it take here, and how can you check it?
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import priorcase as pc

rng = np.random.default_rng(0)


def table(n):
    """Return n rows with eight categories, four numbers and a class."""
    X = {f"category {i}": rng.choice(list("abcde"), n) for i in range(8)}
    X |= {f"number {i}": rng.normal(size=n) for i in range(4)}
    return pd.DataFrame(X), rng.choice(["yes", "no"], n)


# %%
# ``forget`` accepts the ids of rows. Afterwards, the model has the same digest (a fingerprint of
# everything it stores) as a model fitted without these rows, and the probabilities of both models
# are identical, bit for bit.
X, y = table(1000)
model = pc.NaiveBayes().fit(X, y).forget([3, 14, 159])
fresh = pc.NaiveBayes().fit(X.drop(index=[3, 14, 159]), np.delete(y, [3, 14, 159]))
print("same digest:", model.digest() == fresh.digest())
print("same probabilities:", np.array_equal(model.predict_proba(X), fresh.predict_proba(X)))

# %%
# How long does it take to forget one row, compared with a new fit? The times for forgetting are
# medians of seven runs on the machine that built this page.
sizes = [1_000, 3_000, 10_000, 30_000, 100_000]
learners = {"NaiveBayes": pc.NaiveBayes(numeric="student"), "KNNClassifier": pc.KNNClassifier(5)}
times = {(name, task): [] for name in learners for task in ("fit", "forget")}
for n in sizes:
    X, y = table(n)
    for name, model in learners.items():
        start = perf_counter()
        model.fit(X, y).predict(X[:1])
        times[name, "fit"].append(perf_counter() - start)
        forgetting = []
        for row in range(1, 8):
            start = perf_counter()
            model.forget([row])
            forgetting.append(perf_counter() - start)
        times[name, "forget"].append(np.median(forgetting))

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
colors = {"NaiveBayes": "#0072B2", "KNNClassifier": "#D55E00"}
for (name, task), seconds in times.items():
    line, marker = ("--", "s") if task == "fit" else ("-", "o")
    ax.loglog(sizes, 1000 * np.array(seconds), line, marker=marker, color=colors[name], label=f"{name}: {task}")
ax.set(xlabel="stored rows", ylabel="time (ms)")
ax.set_title("Time to forget one row, and to fit all rows", loc="left")
ax.grid(alpha=0.3)
ax.legend()
plt.show()
