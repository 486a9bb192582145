"""From a query to a design and back: retrieval, reuse, rules and critics on a small base of pumping stations."""

from __future__ import annotations

import math
from typing import Any

import pytest
from reference.case_reuse import reuse

from priorcase.cases import Critic, Retrieval, Rule, above, not_
from priorcase.cases.kinds import Stored, written
from priorcase.cases.retrieval import retrieve
from priorcase.cases.table import CaseTable
from priorcase.schema import Nominal, Numeric

# Flow in cubic metres an hour, lift in metres, power in kilowatts, pipe in millimetres.
KINDS = {"flow": Numeric(), "lift": Numeric(), "liquid": Nominal(), "site": Nominal()}
STATIONS: list[tuple[dict[str, Stored], dict[str, Any], bool | None]] = [
    (
        {"flow": 20, "lift": 10, "liquid": "water", "site": "indoors"},
        {"power": 0.9, "pipe": 65, "body": "cast iron"},
        True,
    ),
    (
        {"flow": 40, "lift": 12, "liquid": "water", "site": "outdoors"},
        {"power": 2.2, "pipe": 80, "body": "cast iron"},
        True,
    ),
    (
        {"flow": 42, "lift": 30, "liquid": "water", "site": "indoors"},
        {"power": 5.7, "pipe": 80, "body": "cast iron"},
        False,
    ),
    (
        {"flow": 15, "lift": 8, "liquid": "seawater", "site": "outdoors"},
        {"power": 0.6, "pipe": 50, "body": "bronze"},
        True,
    ),
    (
        {"flow": 60, "lift": 25, "liquid": "sewage", "site": "outdoors"},
        {"power": 7.5, "pipe": 125, "body": "steel"},
        None,
    ),
]
SIZES = (50, 65, 80, 100, 125, 150)


def speed(solution: dict[str, Any], query: dict[str, Any]) -> float:
    """Metres a second in the pipe."""
    return query["flow"] / 3600 / (math.pi / 4 * (solution["pipe"] / 1000) ** 2)


def too_fast(solution: dict[str, Any], query: dict[str, Any]) -> str | None:
    found = speed(solution, query)
    return f"{found:.1f} m/s in a pipe of {solution['pipe']} mm" if found > 2.5 else None


def next_size(solution: dict[str, Any], query: dict[str, Any]) -> dict[str, Any]:
    wider = [size for size in SIZES if size > solution["pipe"]]
    return solution | {"pipe": wider[0]} if wider else solution


def scaled(solution: dict[str, Any], query: Any, case: Any) -> dict[str, Any]:
    """Power grows with flow times lift."""
    ratio = query["flow"] * query["lift"] / (case["flow"] * case["lift"])
    return solution | {"power": round(solution["power"] * ratio, 1)}


RULES = [
    Rule(lambda query, case: query["flow"] != case["flow"] or query["lift"] != case["lift"], scaled, name="power"),
    Rule(
        {"liquid": (not_("seawater"), "seawater")}, {"body": "bronze"}, name="salt", why="cast iron rusts in salt water"
    ),
    Rule({"lift": above(40)}, {"stages": 2}, name="stages", why="one stage lifts 40 m"),
]
CRITICS = [
    Critic(too_fast, next_size, name="speed"),
    Critic(lambda s, q: "no bronze body takes more than 15 kW" if s["body"] == "bronze" and s["power"] > 15 else None),
]


def similar(query: dict[str, Stored], **options: Any) -> Retrieval:
    rows = [
        (i, values, written(solution), None if outcome is None else written(outcome))
        for i, (values, solution, outcome) in enumerate(STATIONS, 1)
    ]
    return retrieve(CaseTable.of(KINDS, rows), query, 5, **options)


def test_a_station_is_adapted_and_checked() -> None:
    query: dict[str, Any] = {"flow": 55, "lift": 12, "liquid": "seawater", "site": "outdoors"}
    found = similar(query, weights={"flow": 2, "lift": 2})
    proposal = reuse(found, query, "copy", rules=RULES, critics=CRITICS, kinds=KINDS)
    base = STATIONS[1]
    assert proposal.base == 2
    assert {(d.attribute, d.case, d.query) for d in proposal.differences} == {
        ("flow", 40, 55),
        ("liquid", "water", "seawater"),
    }
    assert [step.name for step in proposal.steps] == ["power", "salt", "speed"]
    assert proposal.steps[0].before == base[1]
    assert proposal.steps[2].why == "3.0 m/s in a pipe of 80 mm"
    assert proposal.solution == {"power": 3.0, "pipe": 100, "body": "bronze"}
    assert speed(proposal.solution, query) < 2.5
    assert proposal.problems == ()


def test_what_cannot_be_repaired_is_reported() -> None:
    query: dict[str, Any] = {"flow": 300, "lift": 45, "liquid": "seawater", "site": "outdoors"}
    proposal = reuse(similar(query), query, "copy", rules=RULES, critics=CRITICS, kinds=KINDS)
    assert proposal.base == 4
    assert proposal.solution == {"power": 67.5, "pipe": 150, "body": "bronze", "stages": 2}
    assert proposal.problems == (
        "4.7 m/s in a pipe of 150 mm (critic 'speed')",
        "no bronze body takes more than 15 kW (critic '2')",
    )


def test_parts_of_several_stations() -> None:
    query: dict[str, Any] = {"flow": 60, "lift": 11, "liquid": "seawater", "site": "outdoors"}
    parts = {"power": ["flow", "lift"], "pipe": ["flow"], "body": ["liquid"]}
    proposal = reuse(similar(query), query, "compose", parts=parts, kinds=KINDS)
    assert {source.part: source.id for source in proposal.sources} == {"power": 2, "pipe": 5, "body": 4}
    assert proposal.solution == {"power": 2.2, "pipe": 125, "body": "bronze"}
    light = reuse(
        similar(query),
        query,
        "compose",
        parts=parts,
        compatible=lambda chosen: (
            chosen["pipe"] < 100 or "too heavy for bronze" if chosen["body"] == "bronze" else True
        ),
        kinds=KINDS,
    )
    assert not light.abstains
    assert light.solution != proposal.solution
    assert light.notes[1].endswith("too heavy for bronze")


def test_power_from_several_stations() -> None:
    query: dict[str, Any] = {"flow": 30, "lift": 11, "liquid": "water"}
    rows = [(i, values, written(solution["power"]), None) for i, (values, solution, _) in enumerate(STATIONS, 1)]
    retrieved = retrieve(CaseTable.of(KINDS, rows), query, 5)
    fitted = reuse(retrieved, query, "local", using=["flow", "lift"], kinds=KINDS)
    assert fitted.spread is not None
    assert fitted.interval is not None
    low, high = fitted.interval
    assert low < 1.6 < high
    assert abs(fitted.solution - 1.6) < abs(reuse(retrieved, query, "mean", kinds=KINDS).solution - 1.6)


def test_reuse_leaves_the_retrieval_as_it_was() -> None:
    query: dict[str, Any] = {"flow": 300, "lift": 45, "liquid": "seawater", "site": "outdoors"}
    retrieved = similar(query)
    before = str(retrieved), [written(solution) for solution in retrieved.solutions]
    reuse(retrieved, None, "copy", rules=RULES, critics=CRITICS, kinds=KINDS).solution.clear()
    assert (str(retrieved), [written(solution) for solution in retrieved.solutions]) == before


@pytest.mark.parametrize("diversity", [0.0, 0.5])
def test_the_retrieval_says_what_was_asked(diversity: float) -> None:
    rows = [(i, values, written(solution), None) for i, (values, solution, _) in enumerate(STATIONS, 1)]
    retrieved = retrieve(CaseTable.of(KINDS, rows), {"flow": 41, "lift": 12}, 4, diversity=diversity)
    proposal = reuse(retrieved, method="copy", kinds=KINDS)
    assert proposal.base == 2
    assert [difference.attribute for difference in proposal.differences] == ["flow"]
