"""A simple model of a case base in plain dictionaries: the expected content of the file after the same operations."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from priorcase.cases.storage import Declaration, NewCase, Store, Writer

WORDS = ("red", "green", "blue", "Gerät", "☃", "drum", "fuser", "")


@dataclass
class Operation:
    """The name and the arguments of one transaction."""

    name: str
    ids: list[int] = field(default_factory=list)
    cases: list[NewCase] = field(default_factory=list)
    declaration: Declaration | None = None
    text: str = ""


@dataclass
class Model:
    """The content of a case base: rows, keys, notes, retirements, uses, learners and the steps of its history."""

    declaration: Declaration
    cases: dict[int, dict[str, Any]] = field(default_factory=dict)
    last_id: int = 0
    retired: set[int] = field(default_factory=set)
    uses: list[tuple[int, str]] = field(default_factory=list)
    learners: dict[str, tuple[str, bytes | None, tuple[int, ...] | None]] = field(default_factory=dict)
    history: list[tuple[str, int | None]] = field(default_factory=lambda: [("created", None)])
    forgotten: list[str] = field(default_factory=list)

    def apply(self, operation: Operation) -> None:
        """Apply an operation to the dictionaries."""
        getattr(self, f"_{operation.name}")(operation)

    def _add(self, operation: Operation) -> None:
        keys = {row["key"] for row in self.cases.values()}
        for case in operation.cases:
            if case.key is None or case.key not in keys:
                self.last_id += 1
                notes = [] if case.note is None else [case.note]
                self.cases[self.last_id] = {"key": case.key, "notes": notes} | _fields(case)
                self.history.append(("added", self.last_id))
                keys.add(case.key)

    def _revise(self, operation: Operation) -> None:
        (id,), (case,) = operation.ids, operation.cases
        self.cases[id] |= {"key": case.key, "notes": [*self.cases[id]["notes"], case.note]} | _fields(case)
        self.history.append(("revised", id))

    def _forget(self, operation: Operation) -> None:
        for id in operation.ids:
            self.forgotten += _texts(self.cases.pop(id))
            self.retired.discard(id)
            self.history.append(("forgotten", id))
        self.uses = [use for use in self.uses if use[0] in self.cases]
        for name, (recipe, _, fitted_on) in self.learners.items():
            if fitted_on is not None and not self.cases.keys() >= set(fitted_on):
                left = tuple(id for id in fitted_on if id in self.cases)
                self.learners[name] = (recipe, None, left)

    def _declare(self, operation: Operation) -> None:
        self.declaration = operation.declaration
        self.history.append(("declared", None))

    def _retire(self, operation: Operation) -> None:
        self.history += [("retired", id) for id in operation.ids if id not in self.retired]
        self.retired.update(operation.ids)

    def _use(self, operation: Operation) -> None:
        self.uses += [(id, operation.text) for id in operation.ids]
        self.history += [("used", id) for id in operation.ids]

    def _learn(self, operation: Operation) -> None:
        self.learners["nearest"] = (operation.text, operation.text.encode(), tuple(operation.ids))
        self.history.append(("learned", None))

    def after(self, operation: Operation) -> Model:
        """Return a copy with an operation applied."""
        model = deepcopy(self)
        model.apply(operation)
        return model

    def differs(self, store: Store) -> str | None:
        """Return the name of the first part in which a file differs from the model, or None."""
        loaded = store.load()
        width = len(self.declaration.attributes)
        rows = {
            case.id: {
                "key": case.key,
                "notes": [note.text for note in case.notes],
                "values": case.values,
                "solution": case.solution,
                "outcome": case.outcome,
            }
            for case in store.fetch(loaded.ids)
        }
        mine = {
            id: row | {"values": row["values"] + (None,) * (width - len(row["values"]))}
            for id, row in self.cases.items()
        }
        found = {
            "declaration": (loaded.declaration, self.declaration),
            "cases": (rows, mine),
            "retired": ({i for i, flag in zip(loaded.ids, loaded.retired, strict=True) if flag}, self.retired),
            "uses": ([(use.id, use.detail) for use in store.uses()], self.uses),
            "learners": (
                {kept.name: (kept.recipe, kept.state, kept.fitted_on) for kept in store.learners()},
                self.learners,
            ),
            "history": ([(event.action, event.id) for event in store.history()], self.history),
        }
        return next((name for name, (theirs, ours) in found.items() if theirs != ours), None)


def _fields(case: NewCase) -> dict[str, Any]:
    return {"values": tuple(case.values), "solution": case.solution, "outcome": case.outcome}


def _texts(row: dict[str, Any]) -> list[str]:
    """Return the strings that identify the bytes of a case."""
    return [text for text in (row["solution"], row["key"], *row["notes"]) if text]


def perform(operation: Operation, writer: Writer) -> None:
    """Apply an operation to a file, as ``Model.apply`` does to dictionaries."""
    match operation.name:
        case "add":
            writer.insert(operation.cases, by="desk", why=operation.text)
        case "revise":
            writer.replace(operation.ids[0], operation.cases[0], by="desk", why=operation.text)
        case "forget":
            writer.delete(operation.ids, by="desk")
        case "declare":
            assert operation.declaration is not None
            writer.declare(operation.declaration)
        case "retire":
            writer.retire(operation.ids)
        case "use":
            writer.record_use(operation.ids, detail=operation.text)
        case "learn":
            writer.put_learner("nearest", operation.text, state=operation.text.encode(), fitted_on=operation.ids)


def token(random: Random) -> str:
    """Return a unique text, mostly short, but sometimes longer than a database page."""
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.choice([24, 24, 60, 60, 300, 6000])))


def new_case(random: Random, width: int, *, note: bool = False) -> NewCase:
    """Return a case with unique strings as solution, key and note."""
    values = [random.choice([None, random.random(), random.randrange(9), random.choice(WORDS)]) for _ in range(width)]
    key = token(random) if random.random() < 0.5 else None
    noted = token(random) if note or random.random() < 0.3 else None
    return NewCase(values, f'"{token(random)}"', None, key, noted)


def some_operation(random: Random, model: Model) -> Operation:
    """Return a random operation that is valid for the current content."""
    width, ids = len(model.declaration.attributes), list(model.cases)
    names = ["add", "add", "add", "many", "revise", "revise", "forget", "declare", "retire", "use", "learn"]
    name = random.choice(names) if len(ids) > 3 else "many"
    if len(ids) > 120 and name == "many":
        name = "forget"  # the base stays small, so that many writers can be killed
    if name == "add" or name == "many":
        number = 1 if name == "add" else random.randint(2, 30)
        cases = [new_case(random, random.randint(1, width)) for _ in range(number)]
        if ids and random.random() < 0.3 and (key := model.cases[random.choice(ids)]["key"]) is not None:
            cases.append(NewCase([None], key=key))
        return Operation("add", cases=cases, text=token(random))
    if name == "revise":
        return Operation(name, [random.choice(ids)], [new_case(random, width, note=True)], text=token(random))
    if name == "declare":
        attributes = list(model.declaration.attributes)
        if width < 12:
            attributes.append((f"attribute {width}", {"kind": "nominal"}))
        return Operation(name, declaration=Declaration(attributes, {"step": random.random()}))
    number = random.randint(1, 3 if len(ids) < 60 else 40)
    return Operation(name, sorted(random.sample(ids, min(number, len(ids)))), text=f'"{token(random)}"')
