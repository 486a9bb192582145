"""
Learners that tolerate wrong labels
===================================

:class:`~priorcase.IB1` stores every row. :class:`~priorcase.IB2` stores only rows that it would
have classified wrongly. :class:`~priorcase.IB3` does the same, but keeps a record of how well each
stored row predicts, and drops rows with a poor record (Aha, Kibler and Albert, 1991). How do they
cope with wrong labels?

We replace the labels of more and more training rows with wrong labels; the labels of the test rows
stay correct.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import priorcase as pc
from priorcase import evaluation

X, y = load_breast_cancer(return_X_y=True)
learners = {"IB1": pc.IB1(), "IB2": pc.IB2(), "IB3": pc.IB3(random_state=0)}
curve = evaluation.noise_curve(
    learners,
    X,
    y,
    kind="classes",
    class_draw="others",
    levels=np.linspace(0, 0.4, 5),
    repeats=10,
    scores=["accuracy", "storage"],
    progress=False,
)
print(curve)

# %%
# Without noise, IB1 is the most accurate. IB2 suffers most: it stores the rows that it
# misclassifies, and with noise, most of these rows have wrong labels. IB3 stays above 90% when a
# fifth of the labels are wrong, and predicts from fewer rows than IB1 and IB2. On smaller tables it
# does worse: it needs a few hundred rows before its records separate good rows from bad ones.
fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
curve.plot("accuracy", left, band="error")
left.set_title("Breast cancer: accuracy on test rows", loc="left")
left.set_xlabel("share of wrong training labels")
left.get_legend().remove()
curve.plot("storage", right, band="error")
right.set_title("Share of rows used for predictions", loc="left")
right.set_xlabel("share of wrong training labels")
plt.show()
