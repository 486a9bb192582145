"""What a reproduction is asked for: which data, how many trials, what seed, how many processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from priorcase.papers.progress import Track, silently

Task = TypeVar("Task")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Options:
    """How a paper is measured again.

    Parameters
    ----------
    data
        Folder of the data sets; None for where `priorcase.datasets` looks.
    trials
        Trials, runs or repetitions; None for the paper's own number.
    seed
        Start of the random numbers.
    jobs
        Processes at once, as joblib counts them; None for one. The figures are the same for any number.
    quick
        Whether few trials will do, to see that everything runs.
    track
        Told of the steps, to show how far they are.
    """

    data: Path | None = None
    trials: int | None = None
    seed: int = 0
    jobs: int | None = None
    quick: bool = False
    track: Track = silently

    def count(self, full: int, quick: int) -> int:
        """How many trials: those asked for, else few where it should be quick, else the paper's number.

        Examples
        --------
        >>> Options().count(100, 3), Options(quick=True).count(100, 3), Options(trials=7, quick=True).count(100, 3)
        (100, 3, 7)
        """
        if self.trials is not None:
            return self.trials
        return quick if self.quick else full

    def each(self, function: Callable[[Task], Found], tasks: Sequence[Task], text: str) -> list[Found]:
        """What a function finds for each task, in their order, in as many processes as there are jobs.

        The function and the tasks travel to other processes, so that they must be picklable: no lambdas. A task brings
        its own seed, since nothing may depend on which process gets it.

        Examples
        --------
        >>> Options().each(abs, [-1, 2], "without signs")
        [1, 2]
        """
        steps = self.track(tasks, text)
        try:
            if self.jobs in (None, 1) or len(tasks) < 2:
                return [function(task) for task in steps]
            from joblib import Parallel, delayed

            found = Parallel(n_jobs=self.jobs, return_as="generator")(delayed(function)(task) for task in tasks)
            return [next(found) for _ in steps]
        finally:
            if isinstance(steps, Generator):  # what interrupts the tasks must not leave a bar behind
                steps.close()
