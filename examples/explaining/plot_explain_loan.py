"""
Explain one decision to a customer
==================================

An application for a loan was rejected, and the customer wants to know why. Three questions are
relevant: what were the reasons, what would have changed the decision, and how does the probability
change with a single value?

Every learner can answer all three questions. The learner in this example is a logistic regression
fitted around each application.
"""

import matplotlib.pyplot as plt

import priorcase as pc

X, y = pc.load_loans()
model = pc.LocallyWeightedClassifier(300).fit(X[:500], y[:500])
new = X.iloc[[503]]
print(new.T)

# %%
# Which columns were in favor of the loan, and which against it? The contributions of the columns,
# added to the probability with all columns missing, give the predicted probability.
explanation = model.explain(new, precedents=0, counterfactuals=0)
print(explanation)

# %%
# What would the customer have to change? The purpose, the age and the day of the application cannot
# be changed, so we fix these columns. The new values of each suggestion come from a real past case,
# and no smaller set of these changes is sufficient.
fixed = ["purpose", "age", "applied"]
print(pc.counterfactuals(model, new, 3, fixed=fixed, target="yes"))

# %%
# How does the probability depend on the amount and on the income, if everything else stays the
# same? The dotted line marks the application itself; the horizontal lines show the prediction if
# the value is missing.
fig, axes = plt.subplot_mosaic([["why", "why"], ["amount", "income"]], figsize=(9.5, 7), layout="constrained")
explanation.plot(axes["why"])
axes["why"].set(xlabel="probability that the loan is not repaid", xlim=(0.27, 0.75))
axes["why"].set_title("Contributions of the columns", loc="left")
for column, unit in {"amount": "euros", "income": "euros a month"}.items():
    pc.what_if(model, new, column).plot(axes[column])
    axes[column].set_xlabel(f"{column} ({unit})")
    axes[column].set_title(f"What if the {column} were different?", loc="left")
axes["amount"].get_legend().remove()
plt.show()
