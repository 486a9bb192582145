"""
Which learner for my table?
===========================

:func:`priorcase.evaluation.compare` runs several learners on the same folds. Any scikit-learn
estimator can take part; :class:`~priorcase.stacking.TableEncoder` turns a mixed table into numbers
for such an estimator.

The table has 600 loan applications with mixed columns and missing values. The log-score is the mean
logarithm of the probability given to the true class. It rewards calibrated probabilities, not only
correct classes.
"""

import matplotlib.pyplot as plt
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import priorcase as pc
from priorcase import evaluation
from priorcase.stacking import TableEncoder

X, y = pc.load_loans()
learners = {
    "15 nearest neighbors": pc.KNNClassifier(15, distance="hvdm"),
    "naive Bayes": pc.NaiveBayes(),
    "subset-averaged Bayes": pc.SubsetAveragedBayes(),
    "local logistic regression": pc.LocallyWeightedClassifier(300),
    "random forest": make_pipeline(TableEncoder(), RandomForestClassifier(100, random_state=0)),
    "logistic regression": make_pipeline(TableEncoder(), LogisticRegression(max_iter=1000)),
    "class frequencies": DummyClassifier(strategy="prior"),
}
found = evaluation.compare(learners, X, y, splits=5, progress=False)
print(found)

# %%
# The outcomes of this table were drawn from a logistic model, so a logistic regression has the best
# log-score, but other learners are close. Is the difference significant? ``paired`` compares the
# learners fold by fold, with a test that corrects for the overlap of the training sets and for the
# number of pairs.
paired = found.paired("log_score").frame()
best = paired[(paired["first"] == "logistic regression") | (paired["second"] == "logistic regression")]
print(best.drop(columns="better").round(3).to_string(index=False))

# %%
# Dots are means, lines are 95% intervals, and the small marks are the folds.
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
found.plot("log_score", left)
found.plot("accuracy", right)
left.set_xlabel("log-score (higher is better)")
right.set_xlabel("accuracy")
left.set_title("Loans: log-score of the probabilities", loc="left")
right.set_title("Loans: accuracy", loc="left")
plt.show()
