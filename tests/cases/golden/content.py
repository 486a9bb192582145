"""What the golden files hold, and how they were filled."""

from priorcase.cases.storage import Declaration, NewCase, Store

FIRST = Declaration([("device", {"kind": "nominal"}), ("age", {"kind": "numeric"})], {"by": "desk"})
SECOND = Declaration([*FIRST.attributes, ("parts", {"kind": "set"})], {"by": "desk", "weights": {"age": 0.5}})

CASES = {
    1: (("printer", 3, None), '"restart"', '{"solved":true}', "T-1"),
    2: (("Gerät ☃", 2.5, None), None, None, None),
    4: ((None, None, ("drum", "fuser")), "[1,2.5,null]", '"unknown"', "T-4"),
    5: (("modem", -1, ()), '"replace it"', None, "T-5"),
}
NOTES = {1: ["seen twice"], 2: [], 4: ["first look", "asked again"], 5: []}
ACTIONS = [
    ("created", None),
    ("added", 1),
    ("added", 2),
    ("added", 3),
    ("declared", None),
    ("added", 4),
    ("added", 5),
    ("revised", 4),
    ("forgotten", 3),
]


def fill(store: Store) -> None:
    """Add, declare, revise and forget."""
    with store.writing() as writer:
        writer.insert(
            [NewCase(["printer", 3], '"restart"', '{"solved":true}', "T-1", "seen twice")], by="ann", why="ticket"
        )
        writer.insert([NewCase(["Gerät ☃", 2.5]), NewCase(["secret", 1], '"secret"', None, "S", "secret")], by="bob")
    with store.writing() as writer:
        writer.declare(SECOND, by="ann", why="parts matter")
        writer.insert([NewCase([None, 7, ["drum"]], None, None, "T-4", "first look")], by="ann")
        writer.insert([NewCase(["modem", -1, []], '"replace it"', None, "T-5")], by="ann")
    with store.writing() as writer:
        case = NewCase([None, None, ["drum", "fuser"]], "[1,2.5,null]", '"unknown"', "T-4", "asked again")
        writer.replace(4, case, by="bob", why="looked closer")
        writer.delete([3], by="ann", why="wish of the customer")


def fill_since_2(store: Store) -> None:
    """What came with version 2: retired cases, uses and learners."""
    fill(store)
    with store.writing() as writer:
        writer.retire([2], by="ann", why="out of date")
        writer.record_use([1, 5], helped=True, detail='{"query":7}', by="bob")
        writer.record_use([5], helped=False)
        writer.put_learner("nearest", '{"k":3}', state=b"\x00state", fitted_on=[1, 2, 5], by="ann")
        writer.put_learner("lost", '{"k":5}', state=b"\x00gone", fitted_on=[1, 4])
        case = NewCase(["secret", 1])
        forgotten = writer.insert([case])
        writer.put_learner("empty", "{}", state=b"secret", fitted_on=forgotten)
        writer.delete(forgotten)


USES = [(1, True, '{"query":7}', "bob"), (5, True, '{"query":7}', "bob"), (5, False, None, None)]
LEARNERS = [
    ("empty", "{}", None, None),
    ("lost", '{"k":5}', b"\x00gone", (1, 4)),
    ("nearest", '{"k":3}', b"\x00state", (1, 2, 5)),
]
ACTIONS_SINCE_2 = [
    *ACTIONS,
    ("retired", 2),
    ("used", 1),
    ("used", 5),
    ("used", 5),
    ("learned", None),
    ("learned", None),
    ("added", 6),
    ("learned", None),
    ("forgotten", 6),
]
