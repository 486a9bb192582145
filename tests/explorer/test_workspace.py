"""What a workspace opens: tables, models and case bases, and who answers then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from commands import write

import priorcase as pc
from priorcase.datasets.past import Reading
from priorcase.explorer import Workspace
from priorcase.explorer.jobs import Job
from priorcase.serve.app import Limits, Service


def opened(path: Path | None = None, **options: object) -> Workspace:
    workspace = Workspace()
    workspace.jobs.wait(workspace.open(path, **options).id, 60)  # type: ignore[arg-type]
    return workspace


def all_done(workspace: Workspace) -> None:
    for job in workspace.jobs.documents():
        workspace.jobs.wait(job["id"], 60)


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    lines = [f"L-{i:03d},{i // 2},{('own', 'rent')[i % 2]},{'no' if i < 20 else 'yes'}" for i in range(40)]
    return write(tmp_path / "loans.csv", ["number,income,housing,repaid", *lines, "L-900,7,own,"])


def test_a_table_is_answered_by_neighbors_at_once_and_by_a_stack_then(loans: Path) -> None:
    workspace = opened(loans, target="repaid")
    assert isinstance(workspace.served, pc.KNNClassifier | pc.StackedClassifier)
    status = workspace.status()
    assert status["open"]["name"] == "loans.csv"
    assert (status["open"]["target"], status["open"]["task"], status["open"]["rows"]) == ("repaid", "classify", 40)
    assert status["open"]["set_aside"] == 1  # a row without a target
    assert status["open"]["left_out"] == {"number": "identifies rows"}
    before = workspace.version
    all_done(workspace)
    assert workspace.learner is not None
    assert workspace.learner["name"] == "stacked"
    assert workspace.version >= before
    assert workspace.served.predict([[3, "own"]]).tolist() == ["no"]


def test_a_column_whose_kind_is_declared_is_kept(loans: Path) -> None:
    workspace = opened(loans, target="repaid", reading=Reading({"number": "nominal"}, {}))
    assert workspace.opened.left_out == {}
    workspace.close()


def test_numbers_are_predicted_with_intervals(tmp_path: Path) -> None:
    table = write(tmp_path / "squares.csv", ["a,b", *(f"{i},{i * i}" for i in range(30))])
    workspace = opened(table, target="b")
    all_done(workspace)
    assert workspace.opened.task == "regress"
    assert workspace.served.predict_interval([[3]]).shape == (1, 2)


def test_nothing_is_the_built_in_table() -> None:
    workspace = opened()
    assert (workspace.opened.name, workspace.opened.target) == ("repairs", "job")
    workspace.close()


def test_a_model_and_a_case_base_are_opened_by_what_they_are(tmp_path: Path) -> None:
    model = pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"]], ["no", "yes"])
    workspace = opened(Path(model.save(tmp_path / "model.priorcase")))
    assert (workspace.opened.kind, workspace.opened.task) == ("model", "classify")
    assert workspace.learner is not None
    path = tmp_path / "desk.cases"
    pc.CaseBase.open(path, {"area": "nominal"}).close()
    workspace = opened(path)
    assert (workspace.opened.kind, workspace.learner) == ("cases", None)
    assert workspace.status()["open"]["rows"] == 0
    workspace.close()


def test_it_is_said_that_opening_was_cancelled() -> None:
    workspace, begun, end = Workspace(), Event(), Event()

    def read(_: Any) -> Any:
        begun.set()
        end.wait(60)
        return pc.load_repairs("pandas")[0]

    job = workspace.open_table(read=read, name="slow", target="bike")
    assert begun.wait(60)
    workspace.jobs.cancel(job.id)
    end.set()
    workspace.jobs.wait(job.id, 60)
    assert job.state == "cancelled"
    assert "canceled" in workspace.status()["open"]["problem"]


def test_status_is_of_one_state_while_something_is_opened(loans: Path, tmp_path: Path) -> None:
    pc.CaseBase.open(tmp_path / "desk.cases").close()
    workspace = Workspace()
    seen: list[tuple[str, bool]] = []

    class Watching(Service):
        def serve(self, served: Any, target: str | None) -> None:
            seen.append((workspace.status()["open"]["kind"], self.served is None))
            super().serve(served, target)
            seen.append((workspace.status()["open"]["kind"], self.served is None))

    workspace.connect(Watching(None, Limits(), target=None, read_only=False, save=None))
    workspace.jobs.wait(workspace.open(loans, target="repaid").id, 60)
    workspace.jobs.cancel_all()
    job = workspace.open(tmp_path / "desk.cases")
    workspace.jobs.wait(job.id, 60)
    assert job.state == "done", job.message
    assert workspace.status()["open"]["rows"] == 0
    assert all(kind == "nothing" or not serves_nothing for kind, serves_nothing in seen)
    workspace.close()


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    workspace = opened(write(tmp_path / "empty.csv", ["a,b"]), target="b")
    assert "no rows" in workspace.problem
    assert workspace.jobs.documents()[0]["state"] == "failed"
    assert workspace.served is None


def test_a_stack_that_has_not_seen_a_change_does_not_take_over(loans: Path) -> None:
    workspace = opened(loans, target="repaid")
    all_done(workspace)

    def fit_and_change(job: Job, fit: Callable[[Any], Any], model: Any) -> Any:
        workspace.rows_version += 1
        return fit(model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priorcase.explorer.workspace.in_process", fit_and_change)
        before, job = workspace.served, workspace.fit_stack()
        workspace.jobs.wait(job.id, 60)
    assert job.state == "failed"
    assert workspace.served is before


def test_stacked_learners_are_fitted_in_another_process_after_the_first_answer(
    loans: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit_here(self: pc.StackedClassifier) -> Any:
        raise AssertionError("fitted in this process, whose answers wait for it")

    monkeypatch.setattr(pc.StackedClassifier, "_new_mixture", fit_here)
    monkeypatch.setattr("priorcase.explorer.workspace._FIRST_QUESTION", 600.0)
    workspace, service = Workspace(), Service(None, Limits(), target=None, read_only=False, save=None)
    workspace.connect(service)
    workspace.jobs.wait(workspace.open(loans, target="repaid").id, 60)
    fitting = workspace.jobs.documents()[-1]
    workspace.jobs.wait(fitting["id"], 0.2)
    assert workspace.jobs.documents()[-1]["message"] == "waiting for the first question"
    service.predicted({"income": 3, "housing": "own"})
    all_done(workspace)
    assert workspace.learner is not None
    assert workspace.learner["name"] == "stacked", workspace.jobs.documents()[-1]


def test_after_a_change_knn_answers_until_stacked_learners_have_learned_it(loans: Path) -> None:
    workspace = opened(loans, target="repaid")
    all_done(workspace)
    stack = workspace.served
    stack.forget([1, 4])
    workspace.touch()
    assert workspace.learner is not None
    assert workspace.learner["name"] == "knn"
    assert workspace.served.ids_.tolist() == stack.ids_.tolist()
    all_done(workspace)
    assert workspace.learner["name"] == "stacked"
    assert workspace.served.ids_.tolist() == stack.ids_.tolist()
    X = [[3, "own"], [15, "rent"]]
    assert workspace.served.predict_proba(X).tolist() == stack.predict_proba(X).tolist()


def test_what_is_computed_is_kept_until_rows_change() -> None:
    workspace, calls = Workspace(), list[int]()

    def compute() -> int:
        calls.append(1)
        return len(calls)

    assert workspace.cached("count", compute) == workspace.cached("count", compute) == 1
    workspace.touch()
    assert workspace.cached("count", compute) == 2
