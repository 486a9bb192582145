"""Every endpoint: what it answers is what the library says, and what it refuses it refuses in the library's words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, current_thread
from time import sleep
from typing import Any, ClassVar

import httpx
import numpy as np
import pandas as pd
import pytest
from interruptions import run
from serving import TOKEN, AppTransport, client_of, detail

import priorcase as pc
from priorcase._cancelling import Cancellation, Cancelled, check_cancelled
from priorcase.serve import Client, Limits, create_app
from priorcase.serve.app import Service
from priorcase.similarity.computed import Computed

X = [[31, "red"], [62, "blue"], [60, "red"], [25, None], [58, "blue"], [33, "red"]]
Y = ["no", "yes", "yes", "no", "yes", "no"]


def knn() -> pc.KNNClassifier:
    return pc.KNNClassifier(3).fit(X, Y)


@pytest.fixture
def client() -> httpx.Client:
    return client_of(knn())


@pytest.fixture
def base() -> Iterator[pc.CaseBase]:
    with pc.CaseBase.temporary({"area": "nominal", "people": "numeric", "signs": "set"}) as base:
        base.add({"area": "printer", "people": 3, "signs": ["jam"]}, solution="clean", key="P-1")
        base.add({"area": "vpn", "people": 1}, solution="renew")
        yield base


# Models


def test_predictions_are_those_of_the_model(client: httpx.Client) -> None:
    rows = [{"x0": 40, "x1": "red"}, {"x1": None, "x0": 61}, {}]
    found = client.post("/predict", json=rows).json()["predictions"]
    model, queries = knn(), [[40, "red"], [61, None], [None, None]]
    assert [one["prediction"] for one in found] == model.predict(queries).tolist()
    np.testing.assert_array_equal([list(one["probabilities"].values()) for one in found], model.predict_proba(queries))
    assert list(found[0]["probabilities"]) == ["no", "yes"]
    assert client.post("/predict", json=rows[0]).json()["predictions"] == found[:1]


def test_numbers_come_with_intervals() -> None:
    x = np.arange(30.0)[:, None]
    model = pc.LocallyWeightedRegressor().fit(x, 2 * x[:, 0] + np.sin(x[:, 0]))
    found = client_of(model).post("/predict?level=0.8", json={"x0": 7.5}).json()["predictions"][0]
    assert found == {
        "prediction": model.predict([[7.5]])[0],
        "interval": model.predict_interval([[7.5]], 0.8)[0].tolist(),
    }
    stack = pc.StackedRegressor(members=[pc.KNNRegressor(3)]).fit(x, x[:, 0])
    found = client_of(stack).post("/predict?level=0.8", json={"x0": 7.5}).json()["predictions"][0]
    assert found["interval"] == stack.predict_interval([[7.5]], 0.8)[0].tolist()


@pytest.mark.parametrize(
    "model", [pc.LocallyWeightedRegressor(), pc.StackedRegressor([pc.KNNRegressor(3), pc.LocallyWeightedRegressor()])]
)
def test_the_nearest_unlike_case_of_a_number_lies_outside_its_interval(model: Any) -> None:
    x = np.arange(80.0)[:, None]
    y = np.where(x[:, 0] == 44, 500.0, 2 * x[:, 0] + np.sin(x[:, 0]))
    model.fit(x, y).forget([3, 4])  # ids are not positions
    low, high = model.predict_interval([[40.2]], 0.95)[0].tolist()
    outside = [i for i in model.ids_.tolist() if not low <= y[i] <= high]
    (near,) = client_of(model).post("/neighbors?k=2", json={"x0": 40.2}).json()["predictions"]
    assert near["unlike"]["id"] == min(outside, key=lambda i: abs(i - 40.2))
    assert near["unlike"]["target"] == y[near["unlike"]["id"]]
    assert near["unlike"].keys() == near["precedents"][0].keys() - {"vote", "kernel_weight"}


def test_the_unlike_case_of_a_stack_has_the_columns_that_its_members_do_not_use() -> None:
    x = np.arange(80.0)
    X = pd.DataFrame({"order": [f"o{i}" for i in range(80)], "amount": np.sqrt(x)})
    model = pc.StackedRegressor([pc.KNNRegressor(3)]).fit(X, np.where(x == 44, 500.0, 2 * x))
    (near,) = client_of(model).post("/neighbors?k=2", json={"order": "new", "amount": 6.4}).json()["predictions"]
    for case in (*near["precedents"], near["unlike"]):
        assert case["values"] == {"order": f"o{case['id']}", "amount": np.sqrt(case["id"])}
        assert case["contributions"] == {"order": 0.0, "amount": pytest.approx(case["distance"])}


def test_a_number_within_all_others_has_no_unlike_case() -> None:
    x = np.arange(30.0)[:, None]
    model = pc.LocallyWeightedRegressor().fit(x, np.ones(30))
    (near,) = client_of(model).post("/neighbors", json={"x0": 7.5}).json()["predictions"]
    assert near["unlike"] is None


@pytest.mark.parametrize("model", [pc.KNNClassifier(3), pc.NaiveBayes()])
def test_explanations_are_those_of_the_library(model: Any) -> None:
    client = client_of(model.fit(X, Y))
    row = {"x0": 40, "x1": "red"}
    (found,) = client.post("/explain?counterfactuals=1&precedents=2&fixed=x1", json=row).json()["predictions"]
    said = pc.explain(model, [[40, "red"]], precedents=2, fixed=["x1"])
    assert found["prediction"] == said.predictions[0]
    assert list(found["contributions"]["contributions"].values()) == said.contributions[0].tolist()
    assert said.precedents is not None
    assert [one["id"] for one in found["precedents"]] == said.precedents.ids.tolist()
    assert all(list(one["changes"]) == ["x0"] for one in found["counterfactuals"])
    (near,) = client.post("/neighbors?k=2", json=row).json()["predictions"]
    assert [one["id"] for one in near["precedents"]] == [one["id"] for one in found["precedents"]][:2]
    (turns,) = client.post("/counterfactuals?fixed=x1", json=row).json()["predictions"]
    assert turns["counterfactuals"] == found["counterfactuals"]


def test_a_model_without_stored_rows_has_no_neighbors() -> None:
    client = client_of(pc.NaiveBayes(numeric="student", keep_rows=False).fit(X, Y))
    row = {"x0": 40, "x1": "red"}
    assert client.post("/predict", json=row).status_code == 200
    answer = client.post("/neighbors", json=row)
    assert answer.status_code == 409
    assert "not available with keep_rows=False" in answer.text


def test_explanations_are_fast_unless_more_is_asked_for() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 9))
    model = pc.KNNClassifier(3).fit(rows, np.where(rows[:, 0] > 0, "yes", "no"))
    row = dict(zip(model.explain(rows[:1]).names, rows[0].tolist(), strict=True))
    client = client_of(model)
    for options, permutations in (("", 4), ("?permutations=32", 32)):
        (found,) = client.post(f"/explain{options}", json=row).json()["predictions"]
        said = pc.explain(model, rows[:1], permutations=permutations)
        assert list(found["contributions"]["contributions"].values()) == said.contributions[0].tolist()
        assert "counterfactuals" not in found
    with Client("http://127.0.0.1", TOKEN, transport=AppTransport(create_app(model, token=TOKEN))) as asked:
        (found,) = asked.explain(row)
        assert list(found["contributions"]["contributions"].values()) == said.contributions[0].tolist()
        assert len(found["counterfactuals"]) == 1


def test_what_if_moves_along_one_column_or_two(client: httpx.Client) -> None:
    said = pc.what_if(knn(), [40, "red"], "x0", n_values=4)
    found = client.post("/what-if?column=x0&n_values=4", json={"x0": 40, "x1": "red"}).json()
    assert [point["values"][0] for point in found["points"]] == [value for (value,) in said.values]
    assert [list(point["probabilities"].values()) for point in found["points"]] == said.outputs.tolist()
    both = client.post("/what-if?column=x0&column=x1&n_values=2", json={"x0": 40}).json()
    assert both["columns"] == ["x0", "x1"]
    assert "Did you mean" in detail(client.post("/what-if?column=xx0", json={"x0": 1}), 422)


def test_rows_are_learned_and_forgotten(client: httpx.Client) -> None:
    before = client.post("/predict", json={"x0": 90}).json()
    added = client.post("/rows", json={"rows": [{"x0": 90, "x1": "green"}] * 3, "targets": ["old"] * 3}).json()
    assert added == {"ids": [6, 7, 8], "rows": 9}
    assert client.post("/predict", json={"x0": 90}).json()["predictions"][0]["prediction"] == "old"
    assert client.get("/schema").json()["classes"] == ["no", "old", "yes"]
    assert client.post("/rows/forget", json={"ids": [6, 7, 8]}).json() == {"forgotten": 3, "rows": 6}
    assert client.post("/predict", json={"x0": 90}).json() == before
    assert "99" in detail(client.post("/rows/forget", json={"ids": [99]}), 404)
    assert client.post("/rows/forget", json={"ids": [0, 1, 2, 3, 4, 5]}).status_code == 200
    assert "no rows" in detail(client.post("/predict", json={"x0": 90}), 409)


def test_changes_are_saved_before_they_are_answered(tmp_path: Path) -> None:
    path = tmp_path / "model.priorcase"
    model = knn()
    client = client_of(model, save=path)
    client.post("/rows", json={"rows": [{"x0": 1}], "targets": ["no"]})
    assert pc.load(path).digest() == model.digest()
    client.post("/rows/forget", json={"ids": [2]})
    assert pc.load(path).digest() == model.digest()
    failing = client_of(knn(), save=tmp_path / "gone" / "model.priorcase")
    assert "made but could not be saved" in detail(
        failing.post("/rows", json={"rows": [{"x0": 1}], "targets": ["no"]}), 503
    )


def test_read_only_refuses_changes(base: pc.CaseBase) -> None:
    client = client_of(knn(), read_only=True)
    assert "read-only" in detail(client.post("/rows", json={"rows": [{"x0": 1}], "targets": ["no"]}), 403)
    assert "read-only" in detail(client.post("/rows/forget", json={"ids": [1]}), 403)
    cases = client_of(base, read_only=True)
    assert "read-only" in detail(cases.post("/cases", json={"case": {"people": 1}}), 403)
    assert "read-only" in detail(cases.post("/cases/1/feedback", json={"outcome": True}), 403)
    assert "read-only" in detail(cases.post("/cases/1/forget", json={"why": "asked to"}), 403)
    assert len(base) == 2


def test_every_kind_of_column_is_read() -> None:
    schema = {"day": pc.Date(), "size": pc.Ordinal(("S", "L")), "signs": pc.Set(), "age": pc.Numeric()}
    rows = [["2025-01-02", "S", frozenset({"jam"}), 3], ["2025-06-02", "L", frozenset({"noise", "jam"}), 7]] * 3
    import pandas as pd

    model = pc.KNNClassifier(1, schema=schema).fit(pd.DataFrame(rows, columns=list(schema)), ["a", "b"] * 3)
    client = client_of(model)
    row = {"day": "2025-06-01", "size": "L", "signs": ["noise"], "age": 6.5}
    assert client.post("/predict", json=row).json()["predictions"][0]["prediction"] == "b"
    assert client.post("/explain", json=row).status_code == 200
    told = {column["name"]: column for column in client.get("/schema").json()["columns"]}
    assert told["size"] == {"name": "size", "kind": "ordinal", "values": ["S", "L"]}
    assert told["signs"]["kind"] == "set"
    assert "size" in detail(client.post("/predict", json={"size": ["L"]}), 422)


@pytest.mark.parametrize(
    ("path", "body", "status", "keyword"),
    [
        ("/predict", {"x9": 1}, 422, "x9"),
        ("/predict", {"x0": "old"}, 422, "was numeric in fit"),
        ("/predict", {"x0": {"deep": 1}}, 422, "expected a number"),
        ("/predict", [], 422, "a list of rows"),
        ("/predict", [1, 2], 422, "a list of rows"),
        ("/predict", "text", 422, "a list of rows"),
        ("/predict?level=2", {"x0": 1}, 422, "level"),
        ("/predict", [{"x0": 1}] * 6, 413, "more than the limit of 5"),
        ("/predict", {"x1": "r" * 21}, 413, "more than 20 characters"),
        ("/explain?precedents=-1", {"x0": 1}, 422, "precedents"),
        ("/explain?fixed=nothing", {"x0": 1}, 422, "nothing"),
        ("/explain?permutations=5", {"x0": 1}, 422, "permutations"),
        ("/explain", [{"x0": 1}] * 3, 413, "more than the limit of 2"),
        ("/what-if", {"x0": 1}, 422, "column"),
        ("/rows", {"rows": [{"x0": 1}], "targets": ["a", "b"]}, 422, "2"),
        ("/rows", {"rows": [{"x0": 1}], "targets": [None]}, 422, "A target must be"),
        ("/rows", {"rows": [{"x0": 1}]}, 422, "targets"),
        ("/rows", {"rows": [{"x0": 1}], "targets": ["a"], "more": 1}, 422, "more"),
        ("/rows/forget", {"ids": []}, 422, "ids"),
        ("/rows/forget", {"ids": [True]}, 422, "ids"),
        ("/rows/forget", {"ids": [1, 1]}, 422, "distinct"),
        ("/rows/forget", {"ids": ["1"]}, 422, "ids.0"),
        ("/predict", {"x0": "31"}, 422, "was numeric in fit"),
        ("/predict", [{"x0": "31"}, {"x0": 31}], 422, "was numeric in fit"),
        ("/nothing", {}, 404, "GET / lists"),
        ("/schema", {}, 405, "no route POST /schema"),
        ("/cases", {}, 404, "no route POST /cases"),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(path: str, body: Any, status: int, keyword: str) -> None:
    client = client_of(knn(), limits=Limits(rows=5, explained=2, text=20))
    assert keyword in detail(client.post(path, json=body), status)


def test_what_cannot_be_served_is_refused_at_once(base: pc.CaseBase) -> None:
    for served in (pc.CNN().fit([[1.0], [2.0], [3.0], [4.0]], list("aabb")), object()):
        with pytest.raises(pc.exceptions.UnsupportedDataError, match="cannot be served"):
            create_app(served, token=TOKEN)
    with pytest.raises(pc.exceptions.UnsupportedDataError, match="several targets"):
        create_app(pc.KNNRegressor(1).fit([[1.0], [2.0]], [[1.0, 2.0], [2.0, 3.0]]), token=TOKEN)
    for token in ("short", "with a blank in it", "with-ümläuts-in-it"):
        with pytest.raises(pc.exceptions.ParameterError, match="token"):
            create_app(knn(), token=token)
    with pytest.raises(pc.exceptions.ParameterError, match="save"):
        create_app(base, token=TOKEN, save="cases")


# About the service


def test_schema_health_index_metrics_and_openapi(client: httpx.Client) -> None:
    schema = client.get("/schema").json()
    assert schema["columns"][1] == {"name": "x1", "kind": "nominal", "values": ["red", "blue"]}
    assert (schema["serves"], schema["task"], schema["rows"]) == ("model", "classify", 6)
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/").json()["paths"]["/predict"] == ["POST"]
    client.get("/no/such/path")
    lines = client.get("/metrics").text.splitlines()
    assert 'priorcase_requests_total{route="/schema",status="200"} 1' in lines
    assert 'priorcase_requests_total{route="other",status="404"} 1' in lines
    assert "priorcase_stored 6" in lines
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/predict", "/explain", "/neighbors", "/what-if", "/rows", "/rows/forget"} <= set(paths)
    examples = paths["/predict"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert set(examples) == {"row", "rows"}


# Case bases


def test_cases_are_listed_asked_added_revised_and_forgotten(base: pc.CaseBase) -> None:
    client = client_of(base)
    assert [case["id"] for case in client.get("/cases").json()["cases"]] == [1, 2]
    assert [case["id"] for case in client.get("/cases", params={"where": "people>=2"}).json()["cases"]] == [1]
    assert [case["id"] for case in client.get("/cases?offset=1&limit=1").json()["cases"]] == [2]
    asked = client.post("/cases/ask", json={"query": {"area": "printer", "people": 2}, "k": 1}).json()
    assert asked["solution"] == "clean"
    assert asked["cases"][0]["id"] == 1
    new = {
        "case": {"area": "vpn", "people": None, "signs": ["slow"]},
        "solution": "restart",
        "by": "desk",
        "why": "call",
    }
    assert client.post("/cases", json=new).json() == {"id": 3}
    assert base.get(3)["signs"] == frozenset({"slow"})
    revised = client.post(
        "/cases/3/feedback", json={"outcome": False, "changes": {"people": 9}, "note": "again"}
    ).json()
    assert (revised["outcome"], revised["values"]["people"], revised["solution"]) == (False, 9, "restart")
    assert client.post("/cases/3/feedback", json={"solution": None}).json()["solution"] is None
    assert client.get("/cases/3").json()["history"][0]["action"] == "added"
    assert client.post("/cases/3/forget", json={"why": "asked to", "by": "desk"}).json() == {"forgotten": 1}
    assert base.history()[-1].why == "asked to"
    assert "3" in detail(client.get("/cases/3"), 404)
    assert client.get("/schema").json()["columns"][0] == {"name": "area", "kind": "nominal"}
    assert "priorcase_stored 2" in client.get("/metrics").text


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "keyword"),
    [
        ("POST", "/cases", {"case": {"colour": "red"}}, 422, "colour"),
        ("POST", "/cases", {"case": {"people": "many"}}, 422, "people"),
        ("POST", "/cases/ask", {"query": {}}, 422, ""),
        ("POST", "/cases/ask", {"query": {"area": "vpn"}, "method": "magic"}, 422, "magic"),
        ("POST", "/cases/ask", {"query": {"area": "vpn"}, "where": ["area=none"]}, 409, "No case"),
        ("POST", "/cases/ask", {"query": {"area": "vpn"}, "k": 0}, 422, "k"),
        ("POST", "/cases/ask", {"query": {"area": "vpn"}, "k": "2"}, 422, "k"),
        ("POST", "/cases/ask", {"query": {"area": "vpn"}, "weights": {"area": "2"}}, 422, "area"),
        ("POST", "/cases/ask", {"query": {"people": "2"}}, 422, "people"),
        ("POST", "/cases", {"case": {"area": "v" * 31}}, 413, "more than 30 characters in 'area'"),
        ("POST", "/cases", {"case": {"area": "vpn"}, "note": "v" * 31}, 413, "more than 30 characters in 'note'"),
        ("POST", "/cases/1/feedback", {"why": "v" * 31}, 413, "more than 30 characters in 'why'"),
        ("POST", "/cases/ask", {"query": {"area": "vpn"}, "weights": {"area": -1}}, 422, "area"),
        ("POST", "/cases/9/forget", {"why": "asked to"}, 404, "9"),
        ("POST", "/cases/1/forget", {}, 422, "why"),
        ("POST", "/cases/1/forget", {"why": ""}, 422, "why"),
        ("POST", "/cases/one/forget", {"why": "asked to"}, 422, "id"),
        ("GET", "/cases?where=people", None, 422, "operator"),
        ("POST", "/predict", {}, 404, "/predict"),
    ],
)
def test_wrong_cases_are_refused_in_a_sentence(
    base: pc.CaseBase, method: str, path: str, body: Any, status: int, keyword: str
) -> None:
    digest = base.digest()
    client = client_of(base, limits=Limits(text=30))
    assert keyword in detail(client.request(method, path, json=body), status)
    assert base.digest() == digest


# At the same time


def test_answers_are_of_one_state_while_rows_come_and_go() -> None:
    """The nearest rows at 90 have one class, all or none of them: a mixture of states would show other shares."""
    model = pc.KNNClassifier(4, prior=None).fit([[float(i), "red"] for i in range(40)], ["low"] * 40)
    seen = set()
    with client_of(model) as client:

        def change(_: int) -> None:
            rows = [{"x0": 90.0, "x1": "red"}] * 4
            ids = client.post("/rows", json={"rows": rows, "targets": ["high"] * 4}).json()["ids"]
            assert client.post("/rows/forget", json={"ids": ids}).status_code == 200

        def ask(_: int) -> tuple[str, str]:
            response = client.post("/predict", json=[{"x0": 90.0, "x1": "red"}])
            assert response.status_code == 200, response.text
            (found,) = response.json()["predictions"]
            assert set(found["probabilities"].values()) <= {0.0, 1.0}
            best = max(found["probabilities"], key=found["probabilities"].__getitem__)
            return found["prediction"], best

        before = model.digest()
        with ThreadPoolExecutor(2) as writers, ThreadPoolExecutor(3) as readers:
            changes = [writers.submit(change, i) for i in range(40)]
            for future in [readers.submit(ask, i) for i in range(120)]:
                prediction, best = future.result()
                assert prediction == best
                seen.add(prediction)
            for done in changes:
                done.result()
    assert seen <= {"low", "high"}
    assert model.digest() == before
    assert model.n_samples_fit_ == 40


def test_a_question_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is answered by 503, and the thread that works on it stops."""
    stopped = Event()

    def endless(*_: Any) -> None:
        try:
            while True:
                check_cancelled()
                sleep(0.001)
        except Cancelled:
            stopped.set()
            raise

    client = client_of(knn(), limits=Limits(seconds=0.05))
    monkeypatch.setattr("priorcase.serve.answers.predictions", endless)
    assert "more than 0.05 s" in detail(client.post("/predict", json={"x0": 1}), 503)
    assert stopped.wait(30)


def test_a_question_is_given_up_when_its_client_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = Event(), Event()

    def endless(*_: Any) -> None:
        begun.set()
        try:
            while True:
                check_cancelled()
                sleep(0.001)
        except Cancelled:
            stopped.set()
            raise

    monkeypatch.setattr("priorcase.serve.answers.predictions", endless)
    messages = [{"type": "http.request", "body": b'[{"x0": 1}]', "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        while not begun.is_set():
            await asyncio.sleep(0.001)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        raise AssertionError(message)

    headers = {"host": "localhost", "authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    told = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": "/predict", "method": "POST", "query_string": b"", "headers": told}
    app = create_app(knn(), token=TOKEN)
    asyncio.run(asyncio.wait_for(app(scope, receive, send), 30))
    assert stopped.wait(30)


@pytest.mark.parametrize("model", [pc.NaiveBayes(), pc.KNNClassifier(3), pc.TreeAveragedBayes()])
def test_work_that_is_given_up_ends_within_the_core(model: Any) -> None:
    model.fit(X, Y)
    giving_up = Cancellation()
    giving_up.cancel()
    sleep(0.06)  # the core asks every 50 ms
    with giving_up.watched(), pytest.raises(Cancelled):
        model.predict_proba([X[0]] * 5000)
    assert model.predict(X[:1]).tolist() == ["no"]  # as if nothing had been


def test_single_rows_that_are_answered_at_once_are_answered_like_all_others() -> None:
    """Refusals, changes and counts are the same, whichever way a row goes."""
    app = create_app(knn(), token=TOKEN)
    with httpx.Client(
        transport=AppTransport(app), base_url="http://127.0.0.1", headers={"authorization": f"Bearer {TOKEN}"}
    ) as client:
        row = {"x0": 40, "x1": "red"}
        (expected,) = client.post("/predict", json=[row]).json()["predictions"]
        for _ in range(3):
            assert client.post("/predict", json=row).json()["predictions"] == [expected]
        assert "x9" in detail(client.post("/predict", json={"x9": 1}), 422)
        assert "not JSON" in detail(
            client.post("/predict", content=b"{", headers={"content-type": "application/json"}), 400
        )
        assert client.post("/rows", json={"rows": [row] * 3, "targets": ["new"] * 3}).status_code == 200
        for _ in range(3):
            assert client.post("/predict", json=row).json()["predictions"][0]["prediction"] == "new"
        lines = client.get("/metrics").text.splitlines()
    assert 'priorcase_requests_total{route="/predict",status="200"} 7' in lines


@dataclass(frozen=True)
class Waiting(Computed):
    """The absolute difference, which for the value -1 waits until another request has been answered."""

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    reached: ClassVar[Event]
    answered: ClassVar[Event]

    def between(self, queries: Any, stored: Any) -> Any:
        if -1.0 in list(queries):
            Waiting.reached.set()
            assert Waiting.answered.wait(60)
        return np.abs(np.subtract.outer(queries, stored))


def test_a_single_row_is_answered_in_the_middle_of_a_batch() -> None:
    Waiting.reached, Waiting.answered = Event(), Event()
    frame = pd.DataFrame({"x": np.arange(50.0)})
    model = pc.KNNRegressor(1, distance=pc.Distance(numeric=Waiting())).fit(frame, np.arange(50.0))
    found: list[Any] = []

    def predicted(rows: Any) -> list[float]:
        answer = client.post("/predict", json=rows)
        assert answer.status_code == 200, answer.text
        return [one["prediction"] for one in answer.json()["predictions"]]

    def single() -> None:
        assert Waiting.reached.wait(60)
        found.append([predicted({"x": 7})] * 2)
        found.append(client.post("/rows", json={"rows": [{"x": 100}], "targets": [100.0]}).status_code)
        found.append(predicted({"x": 98}))
        Waiting.answered.set()

    with client_of(model) as client:
        assert predicted({"x": 7}) == [7.0]
        run(lambda: found.append(predicted([{"x": -1}, {"x": 3}, {"x": 60}])), single)
    assert found == [[[7.0]] * 2, 200, [100.0], [0.0, 3.0, 49.0]]


def test_large_bodies_are_parsed_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    read = Service.read

    def recorded(self: Service, body: bytes) -> Any:
        threads.append(current_thread().name)
        return read(self, body)

    monkeypatch.setattr(Service, "read", recorded)
    with client_of(knn()) as client:
        for count in (1, 2_000):
            assert client.post("/predict", json=[{"x0": 40, "x1": "red"}] * count).status_code == 200
    assert "reader" not in threads[0]
    assert "reader" in threads[-1]
