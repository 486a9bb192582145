"""
A help desk that solves new tickets from old ones
=================================================

A case base stores problems with their solutions. A new ticket has a place in a taxonomy of areas, a
set of symptoms, a few words of text, and other columns. Which old tickets are most similar to it,
and what solved them?
"""

import matplotlib.pyplot as plt

import priorcase as pc

desk = pc.datasets.load_help_desk()
attributes = {
    "area": pc.Taxonomy(desk.areas),
    "system": "nominal",
    "place": "nominal",
    "people": "numeric",
    "urgency": pc.Ordinal(desk.urgencies),
    "signs": "set",
    "opened": "date",
    "message": "text",
}

# %%
# A case base is a file; ``CaseBase.open("desk.cases", attributes)`` creates a permanent one.
# The temporary one here is deleted when it is closed.
base = pc.CaseBase.temporary(attributes)
base.add_many(desk.tickets, solution="solution", outcome="outcome", key="ticket")
print(f"{len(base)} tickets with {len(attributes)} columns")

# %%
# How much should each column count? ``learn_weights`` predicts the solution of each ticket from the
# other tickets, and chooses the weights that give the highest probability to the actual solutions.
# We set the weight of the date to zero: a new ticket is always opened today.
weights = base.learn_weights(k=1)
print(weights)
base.prefer(weights={**weights, "opened": 0})

# %%
# Here is a new ticket. Unknown columns are omitted.
new = {
    "area": "laser printer",
    "place": "office",
    "people": 3,
    "signs": {"paper jam", "tray 2"},
    "message": "Sheets get stuck in tray 2, often two are drawn in together.",
}
found = base.retrieve(new, k=6)
print(found)
print(base.reuse(found, "vote", prior=0.2))

# %%
# Each bar is a past ticket, and its segments show how much each column contributes to the
# similarity.
ax = found.plot()
ax.set_title("Past tickets most similar to the new one", loc="left")
base.close()
plt.show()
