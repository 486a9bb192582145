"""
Can you trust the probabilities?
================================

Eight in ten predictions with a probability of 0.8 should come true. A calibration plot shows
whether they do. We compare four learners on 600 loan applications, using their predictions for
held-out rows.
"""

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

import priorcase as pc
from priorcase import evaluation
from priorcase.stacking import TableEncoder

X, y = pc.load_loans()
learners = {
    "One nearest neighbor": pc.KNNClassifier(1),
    "Naive Bayes": pc.NaiveBayes(),
    "Random forest": make_pipeline(TableEncoder(), RandomForestClassifier(100, random_state=0)),
    "Stack of learners": pc.StackedClassifier(),
}

# %%
# Dots show how often predictions came true, with 95% intervals. Bars show the share of the rows in
# each bin. A dot below the dashed line means overconfidence, and a dot above the line means
# underconfidence.
#
# 1-NN gives every prediction the same probability of 0.75: it is well calibrated but useless, as
# its log-score shows. Naive Bayes is slightly overconfident when it is most certain, the random
# forest is underconfident, and the stack of learners lies close to the line.
fig, axes = plt.subplots(2, 2, figsize=(9.5, 7), layout="constrained", sharex=True, sharey=True)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
for ax, (name, learner) in zip(axes.flat, learners.items(), strict=True):
    proba = cross_val_predict(learner, X, y, cv=folds, method="predict_proba")
    table = evaluation.calibration_table(y, proba)
    score = evaluation.log_score(y, proba)
    print(f"{name:26} log-score {score:.3f}, expected calibration error {table.expected_error:.3f}")
    table.plot(ax)
    ax.set_title(f"{name}: log-score {score:.2f}", loc="left")
    ax.get_legend().remove()
    ax.label_outer()
plt.show()
