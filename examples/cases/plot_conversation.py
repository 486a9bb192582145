"""
Ask the right questions
=======================

People do not like to fill in forms. A conversation starts with their own words, and then asks the questions
that are most informative about the solution. How many questions does it take until the solution is
clear?

We try this with 66 solved tickets, hiding each ticket in turn. The conversation starts with the
message of the hidden ticket, and the other columns of this ticket answer the questions.
"""

import matplotlib.pyplot as plt
import numpy as np

import priorcase as pc

desk = pc.datasets.load_help_desk()
attributes = {
    "area": pc.Taxonomy(desk.areas),
    "system": "nominal",
    "place": "nominal",
    "people": "numeric",
    "urgency": pc.Ordinal(desk.urgencies),
    "signs": "set",
    "message": "text",
}
base = pc.CaseBase.temporary(attributes)
tickets = [{name: ticket[name] for name in ticket if name != "opened"} for ticket in desk.tickets]
base.add_many(tickets, solution="solution", outcome="outcome", key="ticket")


def answer(question, ticket):
    """Answer a question from the columns of a ticket; None skips the question."""
    value = ticket[question.attribute]
    if question.kind == "member" and value is not None:
        return question.about in value
    if question.kind == "cut" and value is not None:
        return value <= question.about
    return value


def converse(ticket):
    """Return a conversation about a ticket as if it were new, and the best solution after each answer."""
    base.retire(ticket.id)
    talk = base.converse({"message": ticket["message"]})
    proposals = [talk.answer()]
    while not talk.settled:
        question = talk.next_question()
        talk.tell(question.attribute, answer(question, ticket))
        proposals.append(talk.answer())
    base.recall(ticket.id)
    return talk, proposals


# %%
# First, look at a single conversation, with its questions and the best solution after each
# question.
ticket = next(iter(base.find(where={"key": "P-01"})))
talk, _ = converse(ticket)
print(talk.transcript)
print(f"solution of this ticket: {ticket.solution}")

# %%
# Now run all conversations. After a conversation has ended, its last proposal counts for all
# further questions.
helped = list(base.find(where={"outcome": True}))
right, claimed, lengths = np.zeros((len(helped), 11)), np.zeros((len(helped), 11)), []
for i, ticket in enumerate(helped):
    _, proposals = converse(ticket)
    lengths.append(len(proposals) - 1)
    for n in range(11):
        proposal = proposals[min(n, len(proposals) - 1)]
        right[i, n], claimed[i, n] = proposal.solution == ticket.solution, proposal.confidence
print(f"{np.mean(lengths):.1f} questions on average; right in the end: {right[:, -1].mean():.0%}")

# %%
# Each question helps, but later questions help less. The probabilities are somewhat too high, and four in ten
# tickets remain unsolved: there are 31 solutions, and most were needed only two or three times.
fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
ax.plot(right.mean(axis=0), "o-", color="#0072B2", label="best solution is right")
ax.plot(claimed.mean(axis=0), "^--", color="#E69F00", label="mean probability of the best solution")
ax.set(xlabel="questions answered after the message", ylabel="share of 66 tickets", ylim=(0, 1))
ax.set_title("Conversations about unseen tickets", loc="left")
ax.grid(alpha=0.3)
ax.legend()
base.close()
plt.show()
