"""Differences of circular numbers and of dates, against plain Python, and through every search."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import differences as reference

import priorcase as pc
from priorcase.schema.dates import DAY, WEEK, YEAR
from priorcase.search import ALGORITHMS
from priorcase.similarity import CircularDifference, DateDifference, Distance

START = datetime.datetime(2021, 1, 1)


def moments(random, n, hours):
    """Moments within some hours after the start, some of them missing."""
    found = [START + datetime.timedelta(hours=int(hour)) for hour in random.integers(0, hours, n)]
    return pd.to_datetime([None if random.random() < 0.1 else moment for moment in found])


def table(seed, n=500, hours=30_000):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "when": moments(random, n, hours),
            "angle": np.where(random.random(n) < 0.1, np.nan, random.integers(-2, 50, n) * 15.0),
            "x": random.integers(0, 6, n) / 2,
            "c": random.choice(["a", "b", None], n),
        }
    )


def fitted(frame, **options):
    return pc.KNNClassifier(5, schema={"angle": pc.Circular(360)}, **options).fit(frame, [0, 1] * (len(frame) // 2))


def test_the_shorter_way_round():
    model = pc.KNNClassifier(1, schema={0: pc.Circular(360)}, distance=Distance(power=1))
    model.fit([[0.0], [90.0], [180.0], [350.0]], ["a", "b", "c", "d"])
    distances, ids = model.kneighbors([[355.0]], 4)
    np.testing.assert_allclose(distances, [[5 / 180, 5 / 180, 95 / 180, 175 / 180]])
    assert ids.tolist() == [[0, 3, 1, 2]]


def by_hand(first, second, span, parts):
    """The mean of squared parts between two moments, root taken."""
    seconds = abs((first - second).total_seconds())
    found = []
    for part in parts:
        if part == "elapsed":
            found.append(seconds / span)
        else:
            period = {"season": YEAR, "weekday": WEEK, "hour": DAY}[part]
            found.append(2 * min(seconds % period, period - seconds % period) / period)
    return math.sqrt(sum(value**2 for value in found) / len(found))


@pytest.mark.parametrize("parts", [("elapsed",), ("season",), ("weekday", "hour"), ("elapsed", "season", "hour")])
def test_dates_by_hand(parts):
    random = np.random.default_rng(5)
    rows = [START + datetime.timedelta(minutes=int(minute)) for minute in random.integers(0, 2_000_000, 40)]
    model = pc.KNNClassifier(40, schema={"d": pc.Date(parts)}).fit(pd.DataFrame({"d": rows}), [0, 1] * 20)
    span = (max(rows) - min(rows)).total_seconds()
    query = START + datetime.timedelta(days=77, hours=5)
    distances, ids = model.kneighbors(pd.DataFrame({"d": [query]}), 40)
    expected = [by_hand(query, rows[i], span, parts) for i in ids[0]]
    np.testing.assert_allclose(distances[0], expected, rtol=1e-9, atol=1e-12)
    assert sorted(ids[0]) == list(range(40))


@pytest.mark.parametrize(
    ("days", "hours", "parts"),
    [
        ([0, 1, 2], [0, 0, 0], {"elapsed"}),
        ([0, 1, 2], [0, 5, 0], {"elapsed", "hour"}),
        ([0, 0, 0], [0, 5, 9], {"elapsed"}),
        ([0, 7, 21], [0, 0, 0], {"elapsed"}),
        ([0, 8, 21], [0, 0, 0], {"elapsed", "weekday"}),
        ([0, 8, 600], [0, 0, 0], {"elapsed", "weekday", "season"}),
        ([0, 8, 600], [1, 0, 0], {"elapsed", "weekday", "season", "hour"}),
    ],
)
def test_the_data_say_which_parts_count(days, hours, parts):
    from priorcase.instances import Instances
    from priorcase.schema import Schema
    from priorcase.similarity.periodic import parts_of
    from priorcase.similarity.statistics import Statistics

    schema = Schema(("d",), ("date",))
    instances = Instances(schema)
    rows = [START + datetime.timedelta(days=day, hours=hour) for day, hour in zip(days, hours, strict=True)]
    instances.append(schema.read(pd.DataFrame({"d": rows})))
    assert set(parts_of(Statistics(instances, None).column(0))) == parts


@pytest.mark.parametrize("distance", ["heom", "gower", "hvdm", Distance(power=3), Distance(missing="skip")])
def test_costs_have_the_bits_of_the_reference(distance):
    model = fitted(table(1), distance=distance)
    instances = model._stored().instances
    fit = model._stored().distance.fit(instances)
    cells = instances.cells()
    queries = instances.encode(instances.schema.read(table(2, 20)))
    for query in queries:
        np.testing.assert_array_equal(fit.costs(query, cells), reference.costs(fit, query, cells))


@pytest.mark.parametrize("seed", range(3))
def test_every_search_finds_the_same(seed):
    rows, queries = table(seed, 3000), table(seed + 10, 60)
    answers = [fitted(rows, algorithm=algorithm).kneighbors(queries, 7) for algorithm in ALGORITHMS]
    for distances, ids in answers[1:]:
        np.testing.assert_array_equal(distances, answers[0][0])
        np.testing.assert_array_equal(ids, answers[0][1])


@given(st.integers(0, 10_000), st.integers(1, 60))
def test_no_history(seed, hours):
    frame = table(seed, 24, 24 * hours)
    queries = table(seed + 1, 5, 24 * hours)
    model = fitted(frame)
    model.partial_fit(frame[:6], [1, 0] * 3)
    model.forget(model.ids_[[0, 3, 25]])
    left = pd.concat([frame, frame[:6]]).iloc[[i for i in range(30) if i not in (0, 3, 25)]]
    fresh = pc.KNNClassifier(5, schema={"angle": pc.Circular(360)})
    targets = [t for i, t in enumerate([*[0, 1] * 12, *[1, 0] * 3]) if i not in (0, 3, 25)]
    fresh.fit(left, targets)
    np.testing.assert_array_equal(model.predict_proba(queries), fresh.predict_proba(queries))
    assert model.digest() == fresh.digest()


def test_a_difference_can_be_chosen_for_a_column():
    frame = table(3)
    by_elapsed = fitted(frame, distance=Distance(attributes={"when": DateDifference("elapsed")}))
    declared = pc.KNNClassifier(5, schema={"angle": pc.Circular(360), "when": pc.Date("elapsed")})
    declared.fit(frame, [0, 1] * 250)
    np.testing.assert_array_equal(by_elapsed.kneighbors(frame[:9])[0], declared.kneighbors(frame[:9])[0])
    circle = pc.KNNClassifier(5, distance=Distance(attributes={"angle": CircularDifference(360)})).fit(
        frame, [0, 1] * 250
    )
    np.testing.assert_array_equal(circle.kneighbors(frame[:9])[1], fitted(frame).kneighbors(frame[:9])[1])


def test_precedents_show_dates():
    shown = str(fitted(table(4)).precedents(table(4)[:1]))
    assert "2021-" in shown or "2022-" in shown or "2023-" in shown or "2024-" in shown
    assert "e+09" not in shown


def test_saved_and_loaded(tmp_path):
    frame = table(6)
    model = fitted(frame)
    again = pc.load(model.save(tmp_path / "model.priorcase"))
    assert again.schema_ == model.schema_
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
