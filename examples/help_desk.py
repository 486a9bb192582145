"""``python examples/help_desk.py [FOLDER]``: a help desk that solves new tickets with the help of 69 old tickets.

Run the cycle once: retrieve, reuse, revise, retain (Aamodt & Plaza 1994). The user guide explains each step. If a
folder is given, the case base and three pictures are saved there; otherwise nothing is saved.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import priorcase as pc
from priorcase.cases import Case, Critic, Retrieval, Rule, contains, not_

DESK = pc.datasets.load_help_desk()
ATTRIBUTES = {
    "area": pc.Taxonomy(DESK.areas),
    "system": "nominal",
    "place": "nominal",
    "people": "numeric",
    "urgency": pc.Ordinal(DESK.urgencies),
    "signs": "set",
    "opened": "date",
    "message": "text",
}
JAM = {
    "area": "laser printer",
    "place": "office",
    "people": 3,
    "signs": {"paper jam", "tray 2"},
    "opened": "2025-07-23",
    "message": "Sheets get stuck in tray 2, often two are drawn in together.",
}
PALE = {
    "area": "laser printer",
    "place": "home",
    "people": 1,
    "signs": {"faint print"},
    "message": "My letters get paler every day.",
}
DARK = {
    "area": "wired",
    "place": "office",
    "people": 2,
    "signs": {"no connection"},
    "message": "We two have had no network since the power cut.",
}
BY_POST = Rule(
    {"place": ("office", "home"), "solution": contains("replace")},
    lambda solution, query, case: f"{solution}; the part comes by post",
    name="by post",
    why="the past case was in the office",
)
RESTART = Critic(
    lambda solution, query: (
        "a restart cuts others off" if solution.startswith("restart") and query.get("people", 1) <= 2 else None
    ),
    lambda solution, query: f"try another cable; if that does not help, warn the others and {solution}",
    name="restart",
)


def heading(text: str) -> None:
    """Print a heading."""
    print(f"\n== {text}\n")


def places(base: pc.CaseBase, tickets: Iterable[Case], weights: Mapping[str, float]) -> list[int]:
    """Return the rank of each ticket's own solution among the solutions of similar tickets, or 0 if it is absent."""
    found = []
    for ticket in tickets:
        others = base.retrieve(ticket, k=20, weights=weights, where={"id": not_(ticket.id), "outcome": True})
        solutions = list(dict.fromkeys(others.solutions))
        found.append(solutions.index(ticket.solution) + 1 if ticket.solution in solutions else 0)
    return found


def told(name: str, found: list[int]) -> None:
    """Print how often the correct solution is first, and how often it is among the first three."""
    first, three = sum(place == 1 for place in found), sum(1 <= place <= 3 for place in found)
    print(f"{name:<34} first {first / len(found):4.0%}   among three {three / len(found):4.0%}")


def weigh(base: pc.CaseBase, ids: list[int]) -> pc.cases.Weights:
    """Learn weights, evaluate them on the training tickets and on held-out tickets, and store them."""
    helped = list(base.find(where={"outcome": True}))
    learned = base.learn_weights(k=1)
    print(f"{learned}\n")
    told("equal weights", places(base, helped, {}))
    told("learned, same tickets (optimistic)", places(base, helped, learned))
    told("learned, other tickets", [place for part in range(10) for place in unseen(base, ids[part::10], helped)])
    # A new ticket is always opened today: the date would make the latest tickets the most similar ones.
    base.prefer(weights={**learned, "opened": 0}, why="learned by leave-one-out")
    return learned


def unseen(base: pc.CaseBase, tenth: list[int], helped: list[Case]) -> list[int]:
    """Return the ranks of the correct solutions for a held-out tenth of the tickets; weights come from the rest."""
    base.retire(tenth)
    learned = base.learn_weights(k=1)
    base.recall(tenth)
    return places(base, [ticket for ticket in helped if ticket.id in tenth], learned)


def solve(base: pc.CaseBase) -> Retrieval:
    """Solve three new tickets: one without adaptation, one with a rule, and one with a critic."""
    found = base.retrieve(JAM, k=4)
    print(found, "\n")
    print(found.explain(0), "\n")
    print(base.reuse(found, "vote", prior=0.2), "\n")
    print(base.reuse(PALE, "copy", rules=BY_POST).explain(), "\n")
    few = base.reuse(DARK, "copy", critics=RESTART)
    print(few.explain())
    return found


def learn(base: pc.CaseBase, failed: int) -> None:
    """Record feedback on an old ticket that was not solved, and decide whether to keep two new tickets."""
    base.revise(failed, solution="replace the separation pad", outcome=True, note="the path was clear", by="desk 2")
    print(base.get(failed), "\n")
    print(base.retain(JAM, solution="clean the pick-up rollers", outcome=True, key="P-25"))
    print(base.retain(DARK, solution="replace the network cable", outcome=True, key="N-24"))


def talk(base: pc.CaseBase, knows: Mapping[str, Any]) -> None:
    """Hold a conversation with a person who can answer some of the questions."""
    conversation = base.converse({"message": knows["message"]})
    while not conversation.settled:
        question = conversation.next_question()
        assert question is not None  # otherwise the conversation would be settled
        known = knows.get(question.attribute)
        if question.kind == "member" and known is not None:
            known = question.about in known
        elif question.kind == "cut" and known is not None:
            known = known <= question.about
        conversation.tell(question.attribute, known)  # None: skip it
    print(conversation.transcript)
    print(f"answer: {conversation.answer().solution}")


def forget(base: pc.CaseBase) -> None:
    """Forget a ticket when a person requests it."""
    words = b"three weeks of leave"
    before = words in Path(base.path).read_bytes()
    number = base.forget(where={"key": "A-07"}, why="on request")
    after = words in Path(base.path).read_bytes()
    print(f"{number} forgotten; its words in the file before: {before}, after: {after}")
    print(base.history()[-1].action, base.verify())


def draw(base: pc.CaseBase, found: Retrieval, weights: pc.cases.Weights, folder: Path) -> None:
    """Save three pictures in a folder."""
    drawn = {
        "help_desk": found.plot(),
        "help_desk_weights": weights.plot(),
        "help_desk_competence": base.competence().plot(),
    }
    for name, axes in drawn.items():
        axes.figure.savefig(folder / f"{name}.png", dpi=90, bbox_inches="tight")


def run(folder: Path, *, pictures: bool) -> None:
    """Run the whole example, with the case base in a folder."""
    with pc.CaseBase.open(folder / "help_desk.cases", ATTRIBUTES, by="desk 1") as base:
        ids = base.add_many(DESK.tickets, solution="solution", outcome="outcome", key="ticket", why="tickets of 2025")
        print(base)
        heading("weights")
        weights = weigh(base, ids)
        heading("new tickets")
        found = solve(base)
        heading("feedback")
        learn(base, next(id for id, ticket in zip(ids, DESK.tickets, strict=True) if ticket["ticket"] == "P-05"))
        heading("a conversation")
        new_phone = "I have a new phone and cannot get in any more."
        talk(base, {"message": new_phone, "area": "vpn", "place": "home", "people": 1, "signs": {"vpn fails"}})
        if pictures:  # before a ticket is forgotten, so that the pictures agree with the pages
            draw(base, found, weights, folder)
        heading("forgetting")
        forget(base)


def main() -> None:
    """Run the example in the given folder, or in a temporary folder."""
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        run(folder, pictures=True)
        return
    with TemporaryDirectory() as temporary:
        run(Path(temporary), pictures=False)


if __name__ == "__main__":
    main()
