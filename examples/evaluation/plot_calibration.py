"""
Can you trust the probabilities?
================================

Of all predictions made with probability 0.8, eight in ten should come true. A calibration plot shows whether they do.
We compare four learners on the breast cancer table, by their predictions for rows that they have not seen.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import priorcase as pc
from priorcase import evaluation

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
learners = {
    "GaussianNB (scikit-learn)": GaussianNB(),
    "NaiveBayes": pc.NaiveBayes(),
    "TreeAveragedBayes": pc.TreeAveragedBayes(),
    "KNNClassifier(15)": pc.KNNClassifier(15),
}

# %%
# A dot below the dashed line means overconfidence. Naive Bayes counts the same evidence several times where columns say
# the same, as most of these 30 do: scikit-learn's and ours are nearly always certain, and too often wrong. The average
# over trees knows that columns go together, and is better. The neighbors are a little too careful.
fig, axes = plt.subplots(1, 4, figsize=(15, 3.9), layout="constrained", sharey=True)
folds = StratifiedKFold(10, shuffle=True, random_state=0)
for ax, (name, learner) in zip(axes, learners.items(), strict=True):
    proba = cross_val_predict(learner, X, y, cv=folds, method="predict_proba")
    table = evaluation.calibration_table(y, proba)
    score = evaluation.log_score(y, proba)
    print(f"{name:26} log-score {score:.3f}, expected calibration error {table.expected_error:.3f}")
    table.plot(ax)
    ax.set_title(f"{name}\nlog-score {score:.2f}", loc="left")
    if ax is not axes[-1]:
        ax.get_legend().remove()
plt.show()
