"""
Which learner is better on many tables?
=======================================

Results on one table apply only to this table. A general claim about learners needs several tables.
Demšar (2006) proposes three steps: rank the learners on each table, test whether the mean ranks
differ at all, and show which differences are significant.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import priorcase as pc
from priorcase import datasets, evaluation

tables = {
    "penguins": pc.load_penguins(),
    "repairs": pc.load_repairs(),
    "loans": pc.load_loans(),
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "digits": pc.make_led(300, random_state=0),
    "waveform": pc.make_waveform(300, random_state=0),
    "rectangles": datasets.make_disjuncts(300, random_state=0),
}
learners = {
    "1-NN": pc.KNNClassifier(1),
    "9-NN, HVDM": pc.KNNClassifier(9, distance="hvdm"),
    "naive Bayes": pc.NaiveBayes(),
    "tree-averaged Bayes": pc.TreeAveragedBayes(),
    "local logistic": pc.LocallyWeightedClassifier(60),
    "IB3": pc.IB3(random_state=0),
}

# %%
# The log-score rewards calibrated probabilities. An asterisk marks the best learner of each table.
found = evaluation.compare_tables(learners, tables, splits=5, scores="log_score", progress=False)
print(found)
print(found.friedman())

# %%
# The plot shows mean ranks, with the best learner on the left. A bar joins learners that do not
# differ significantly.
ax = found.plot("log_score")
plt.show()
