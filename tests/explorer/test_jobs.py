"""Jobs in the background: what they tell, how they end, and how they are cancelled."""

from __future__ import annotations

import logging
from threading import Event, Thread

import numpy as np
import pytest

import priorcase as pc
from priorcase.exceptions import ReadingError, UnknownIdError
from priorcase.explorer.jobs import Job, Jobs


def ended(jobs: Jobs, job: Job) -> Job:
    jobs.wait(job.id, 60)
    return job


def test_a_job_tells_how_far_it_is_and_ends() -> None:
    jobs, seen, go = Jobs(), Event(), Event()

    def work(job: Job) -> None:
        job.tell("half of it", 0.5)
        seen.set()
        assert go.wait(60)

    job = jobs.start("Counting", work)
    assert seen.wait(60)
    assert (job.state, job.progress, job.message) == ("running", 0.5, "half of it")
    go.set()
    assert ended(jobs, job).state == "done"
    (document,) = jobs.documents()
    assert document["name"] == "Counting"
    assert document["progress"] == 1.0


def test_an_error_of_the_library_is_told_in_its_own_words(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(job: Job) -> None:
        raise ReadingError("loans.csv has no rows.")

    def break_down(job: Job) -> None:
        raise ZeroDivisionError

    jobs = Jobs()
    job = ended(jobs, jobs.start("Opening", refuse))
    assert (job.state, job.message) == ("failed", "loans.csv has no rows.")
    with caplog.at_level(logging.CRITICAL):
        job = ended(jobs, jobs.start("Opening", break_down))
    assert job.state == "failed"
    assert "bug" in job.message


def test_a_cancelled_job_ends_at_its_next_step() -> None:
    jobs, begun, go = Jobs(), Event(), Event()

    def work(job: Job) -> None:
        begun.set()
        assert go.wait(60)
        job.tell("the next step")
        raise AssertionError("it went on")

    job = jobs.start("Waiting", work)
    assert begun.wait(60)
    jobs.cancel(job.id)
    go.set()
    assert ended(jobs, job).state == "cancelled"
    assert jobs.cancel(job.id).state == "cancelled"


def test_a_fit_is_cancelled_between_its_members_and_within_the_core() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((2_000, 6)), rng.integers(0, 2, 2_000)
    jobs, told = Jobs(), Event()
    steps: list[float] = []

    def work(job: Job) -> None:
        tell = job.tell

        def counted(message: str, progress: float | None = None) -> None:
            steps.append(progress or 0.0)
            told.set()
            tell(message, progress)

        from priorcase.learning.resampling import listening

        with listening(counted):
            pc.StackedClassifier().fit(X, y)

    job = jobs.start("Fitting", work)
    assert told.wait(60)
    jobs.cancel(job.id)
    assert ended(jobs, job).state == "cancelled"
    assert steps == sorted(steps)
    assert max(steps) < 1.0


def test_an_unknown_job_is_an_error() -> None:
    with pytest.raises(UnknownIdError, match="no job 7"):
        Jobs().cancel(7)


def test_jobs_that_have_ended_are_not_kept_forever() -> None:
    jobs = Jobs()
    for i in range(50):
        ended(jobs, jobs.start(f"job {i}", lambda job: None))
    assert len(jobs.documents()) <= 21


def test_jobs_may_be_cancelled_while_one_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, errors = Jobs(), list[RuntimeError]()

    def cancel() -> None:
        try:
            jobs.cancel_all()
        except RuntimeError as error:  # a thread that is not started cannot be waited for
            errors.append(error)

    other = Thread(target=cancel)

    class Slow(Thread):
        def start(self) -> None:
            other.start()
            other.join(0.2)
            super().start()

    monkeypatch.setattr("priorcase.explorer.jobs.Thread", Slow)
    job = jobs.start("Counting", lambda job: job.tell("one"))
    other.join(60)
    ended(jobs, job)
    assert not errors
