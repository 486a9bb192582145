"""The used cars of the CBRkit toolkit, 999 of them, as a case base with their taxonomy of manufacturers."""

import numpy as np
import pytest

import priorcase as pc
from priorcase import cases as cbr


@pytest.fixture(scope="module")
def cars(tmp_path_factory, data_dir):
    X, price = pc.datasets.load("used-cars", frame="pandas")
    attributes = {
        "year": "numeric",
        "manufacturer": pc.Taxonomy(pc.datasets.load_taxonomy("used-cars", "manufacturer")),
        "make": "nominal",
        "fuel": "nominal",
        "miles": "numeric",
        "title_status": "nominal",
        "transmission": "nominal",
        "drive": "nominal",
        "type": "nominal",
        "paint_color": "nominal",
    }
    path = tmp_path_factory.mktemp("cars") / "cars.priorcase"
    with pc.CaseBase.open(path, attributes) as base:
        assert base.add_many(X, solution=price.tolist()) == list(range(1, 1000))
        # One car is of the year 65: by the range of all years any two others are alike.
        base.prefer(measures={"year": cbr.ExponentialSimilarity(5), "miles": cbr.Linear(log=True)})
        yield base


def test_a_taxonomy_stands_between_the_same_and_another_maker(cars):
    query = {"manufacturer": "audi"}
    found = cars.retrieve(query, k=999)
    by_maker = {match.case["manufacturer"]: match.similarity for match in found}
    assert by_maker["audi"] == 1.0
    same_group = cars.attributes["manufacturer"]
    assert same_group.common("audi", "seat") != same_group.roots[0]
    assert by_maker["bmw"] < by_maker["seat"] < 1
    everyone = {case["manufacturer"] for case in cars.find(where={"manufacturer": same_group.parent("audi")})}
    assert {"audi", "seat"} <= everyone
    assert "bmw" not in everyone


def errors(cars, asked, weights=None):
    """Mean absolute errors of the price where a car is not among the cases."""
    prices = np.array([case.solution for case in cars])
    found = {"median of all": [], "mean": [], "copy": []}
    for id in asked:
        case = cars.get(id)
        similar = cars.retrieve(dict(case), k=5, where={"id": cbr.not_(id)}, weights=weights)
        assert id not in similar.ids
        found["median of all"].append(abs(np.median(np.delete(prices, id - 1)) - case.solution))
        for method in ("mean", "copy"):
            found[method].append(abs(cars.reuse(similar, method).solution - case.solution))
    return {method: float(np.mean(values)) for method, values in found.items()}


def test_similar_cars_tell_the_price_and_learned_weights_tell_it_better(cars):
    asked = np.random.default_rng(0).choice(np.arange(1, 1000), 80, replace=False).tolist()
    equal = errors(cars, asked)
    assert equal["mean"] < 0.9 * equal["median of all"]
    weights = cars.learn_weights(k=5, sample=300)
    assert weights.loss_after < weights.loss_before
    learned = errors(cars, asked, weights)
    assert learned["mean"] < equal["mean"]
    assert dict(cars.learn_weights(k=5, sample=300)) == dict(weights)


def test_learners_from_cars(cars):
    fitted = cars.fit(
        pc.KNNRegressor(n_neighbors=5), attributes=["year", "manufacturer", "fuel", "miles"], name="price"
    )
    query = {"year": 2011, "manufacturer": "ford", "fuel": "diesel", "miles": 137316}
    assert cars.learner("price").predict(query) == fitted.predict(query)
    rows = fitted.learner.kneighbors(fitted.rows(query), return_distance=False)
    assert 2 in fitted.cases(rows)  # the very car


def test_cars_are_found_diversely(cars):
    query = {"manufacturer": "volvo", "type": "van", "year": 2008}
    plain, diverse = cars.retrieve(query, k=6), cars.retrieve(query, k=6, diversity=0.7)
    assert diverse.ids[0] == plain.ids[0]
    assert len({match.case["make"] for match in diverse}) >= len({match.case["make"] for match in plain})
    assert diverse.similarities.sum() <= plain.similarities.sum()


def test_nearly_the_same_cars(cars):
    pairs = cars.near_duplicates(0.999, tolerance=100)
    assert len(pairs) >= 3  # three attribute vectors occur more than once
    assert cars.verify()
