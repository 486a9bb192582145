"""Background jobs: long tasks that run in their own thread, report progress and can be canceled.

A job ends soon after it is canceled: the compiled core checks every 50 ms whether to continue, and Python code checks
whenever it reports progress. A single call into another library, such as one fit of a scikit-learn linear model or the
parsing of a file by Arrow, cannot be interrupted: the job ends when this call returns.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from threading import Lock, Thread
from time import perf_counter
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from priorcase._cancelling import Cancellation, Cancelled
from priorcase.exceptions import PriorcaseError, UnknownIdError
from priorcase.learning.resampling import listening

T = TypeVar("T")
State: TypeAlias = Literal["running", "done", "failed", "cancelled"]

_KEPT = 20  # maximum number of listed jobs, unless more are running
_LOG = logging.getLogger(__name__)


class Job:
    """A background job with a ``state``, ``progress`` (0 to 1, or None), and ``name`` and ``message`` for display."""

    def __init__(self, id_: int, name: str) -> None:
        self.id, self.name = id_, name
        self.state: State = "running"
        self.progress: float | None = None
        self.message = ""
        self.cancellation = Cancellation()
        self._began, self._ended = perf_counter(), 0.0

    def tell(self, message: str, progress: float | None = None) -> None:
        """Report progress; if the job was canceled, raise `Cancelled`, which ends the task."""
        self.message, self.progress = message, progress
        self.cancellation.check()

    def document(self) -> dict[str, Any]:
        """Return the job as JSON."""
        seconds = (self._ended or perf_counter()) - self._began
        told = {"id": self.id, "name": self.name, "state": self.state, "progress": self.progress}
        return told | {"message": self.message, "seconds": round(seconds, 2)}

    def _run(self, work: Callable[[Job], None]) -> None:
        try:
            with self.cancellation.watched(), listening(self.tell):
                work(self)
            self.state, self.progress = "done", 1.0
        except Cancelled:
            self.state = "cancelled"
        except PriorcaseError as error:
            self.message, self.state = str(error.args[0]) if error.args else str(error), "failed"
        except BaseException:  # a thread has no caller: log the traceback, show users a sentence
            _LOG.exception("the job %r failed", self.name)
            self.message, self.state = "This is a bug in priorcase; see the log.", "failed"
        finally:
            self._ended = perf_counter()


class Jobs:
    """The jobs of a workspace, newest last.

    Examples
    --------
    >>> jobs = Jobs()
    >>> job = jobs.start("Counting", lambda job: job.tell("one of two", 0.5))
    >>> jobs.wait(job.id)
    >>> job.state, job.message
    ('done', 'one of two')
    """

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._threads: dict[int, Thread] = {}
        self._ids, self._lock = count(1), Lock()

    def start(self, name: str, work: Callable[[Job], None]) -> Job:
        """Run ``work`` in a thread; ``work`` is called with the job and reports progress with `Job.tell`."""
        with self._lock:
            job = Job(next(self._ids), name)
            thread = Thread(target=job._run, args=(work,), name=f"priorcase-job-{job.id}", daemon=True)
            self._jobs[job.id], self._threads[job.id] = job, thread
            ended = [one.id for one in self._jobs.values() if one.state != "running"]
            for id_ in ended[: max(0, len(self._jobs) - _KEPT)]:
                del self._jobs[id_], self._threads[id_]
            thread.start()  # within the lock: `cancel_all` joins only threads that have started
        return job

    def cancel(self, id_: int) -> Job:
        """Request cancellation of a job; a finished job is unaffected."""
        job = self._job(id_)
        job.cancellation.cancel()
        return job

    def cancel_named(self, name: str) -> None:
        """Request cancellation of all jobs with this name."""
        for job in list(self._jobs.values()):
            if job.name == name:
                job.cancellation.cancel()

    def cancel_all(self, seconds: float = 2.0) -> None:
        """Cancel all jobs, and wait at most ``seconds`` for each to end."""
        with self._lock:
            jobs, threads = list(self._jobs.values()), list(self._threads.values())
        for job in jobs:
            job.cancellation.cancel()
        for thread in threads:
            thread.join(seconds)

    def wait(self, id_: int, seconds: float | None = None) -> None:
        """Wait until a job has ended."""
        self._job(id_)
        self._threads[id_].join(seconds)

    def documents(self) -> list[dict[str, Any]]:
        """Return all jobs as JSON."""
        with self._lock:
            return [job.document() for job in self._jobs.values()]

    def _job(self, id_: int) -> Job:
        if id_ not in self._jobs:
            raise UnknownIdError(f"There is no job {id_}.")
        return self._jobs[id_]


class RowsResult(Generic[T]):
    """A result that a job computes from the rows; it is discarded when the rows change.

    Examples
    --------
    >>> jobs = Jobs()
    >>> found = RowsResult(jobs, "Counting", lambda: 1, lambda job, to: sum(range(to)))
    >>> jobs.wait(found.start(4).id)
    >>> found.value, found.job
    (6, None)
    """

    def __init__(self, jobs: Jobs, name: str, version: Callable[[], int], compute: Callable[..., T]) -> None:
        self._jobs, self._name, self._version, self._compute = jobs, name, version, compute
        self._job: Job | None = None
        self._found: tuple[int, T] | None = None

    def start(self, *args: Any) -> Job:
        """Start the job, unless it is already running."""
        if self._job is not None and self._job.state == "running":
            return self._job

        def work(job: Job) -> None:
            version = self._version()
            self._found = version, self._compute(job, *args)

        self._job = self._jobs.start(self._name, work)
        return self._job

    @property
    def value(self) -> T | None:
        """Result for the current rows; None if it has not been computed."""
        found = self._found
        return None if found is None or found[0] != self._version() else found[1]

    @property
    def job(self) -> dict[str, Any] | None:
        """The job as JSON; None if the job is done or was never started."""
        return None if self._job is None or self._job.state == "done" else self._job.document()
