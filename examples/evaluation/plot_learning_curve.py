"""
Would more rows help?
=====================

A learning curve shows the score of a learner as its training table grows. If it is still rising at
its end, more rows will help. Some learners are best with few rows and others with many, so a
comparison at a single size can be misleading.

The table is the waveform problem (Breiman et al., 1984): three classes and 21 noisy numeric
columns.
"""

import matplotlib.pyplot as plt

import priorcase as pc
from priorcase import evaluation

X, y = pc.make_waveform(1500, random_state=0)
learners = {
    "naive Bayes": pc.NaiveBayes(numeric="student"),
    "1 nearest neighbor": pc.KNNClassifier(1),
    "25 nearest neighbors": pc.KNNClassifier(25),
    "local naive Bayes": pc.LocallyWeightedClassifier("all", model="naive_bayes", bandwidth=2.0),
}
sizes = [30, 60, 125, 250, 500, 1000]
curve = evaluation.learning_curve(learners, X, y, sizes=sizes, repeats=5, scores="accuracy", progress=False)
print(curve)

# %%
# Naive Bayes is ahead with 30 rows but hardly improves with more rows: it has few parameters, and
# its assumption that the columns are independent does not hold. Nearest neighbors need more data
# and overtake naive Bayes at about 200 rows. A local naive Bayes model, fitted around each query,
# does well at all sizes. The classes overlap, so no learner can be correct in more than about 86%
# of the cases.
ax = curve.plot(band="error")
ax.axhline(0.86, color="#767676", linestyle=":")
ax.set_ylim(0.6, 0.88)
ax.set_title("Waveform: accuracy (dotted: best possible)", loc="left")
plt.show()
