"""Who speaks for a query, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases.kinds import plain_shown, written
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.reuse.sources import SourceCase
from priorcase.cases.reuse.success import HALF
from priorcase.cases.reuse.voting import tally
from priorcase.cases.table import CaseTable


@dataclass(frozen=True, eq=False)
class Speakers:
    """The most similar cases, the most similar first.

    Parameters
    ----------
    positions
        Where they stand in the table.
    similarities
        How similar each is to the query.
    """

    positions: IntArray
    similarities: FloatArray


def most_similar(similarities: FloatArray, allowed: BoolArray, k: int) -> Speakers:
    """The k most similar cases of those allowed; of equally similar ones those of lower position.

    Examples
    --------
    >>> most_similar(np.array([0.5, 0.9, 0.9, 1.0]), np.array([True, True, True, False]), 2).positions
    array([1, 2])
    """
    places = np.flatnonzero(allowed)
    if places.size > k:
        border = np.partition(similarities[places], places.size - k)[places.size - k]
        places = places[similarities[places] >= border]
    places = places[np.argsort(-similarities[places], kind="stable")][:k]
    return Speakers(places, similarities[places])


def answered(
    table: CaseTable, solutions: Solutions, speakers: Speakers, degrees: FloatArray, text: str
) -> tuple[Any, bool]:
    """What the cases answer, None where nothing speaks for any solution, and whether that agrees with a solution.

    The vote of `Vote`, by similarity and by how well solutions worked; numbers by their mean, weighted likewise.

    Parameters
    ----------
    table, solutions
        The case base.
    speakers
        Who is asked.
    degrees
        How well the solution of each case of the table worked.
    text
        The solution to compare with, as JSON text.
    """
    positions = speakers.positions
    codes, degrees = solutions.codes[positions], degrees[positions]
    if solutions.numbers is not None:
        weights = speakers.similarities * np.where(degrees > HALF, degrees, 0.0)
        if not weights.sum() > 0:
            return None, False
        mean = float(np.average(solutions.numbers[codes], weights=weights))
        low, high = solutions.around(float(plain_shown(text)))
        return mean, bool(low <= mean <= high)
    cases = [
        SourceCase(int(table.ids[at]), float(similarity), {}, solutions.texts[code], None, {})
        for at, similarity, code in zip(positions, speakers.similarities, codes, strict=True)
    ]
    candidates, _ = tally(cases, speakers.similarities.tolist(), degrees.tolist(), 0.0)
    winner = candidates[0]
    if not winner.probability > 0:
        return None, False
    return winner.solution, written(winner.solution) == text


def objecting(speakers: Speakers, similarities: FloatArray, failed: BoolArray) -> Speakers:
    """The same with the failed cases that are at least as similar as the last of them: these speak against.

    Parameters
    ----------
    speakers
        The most similar cases whose solution worked.
    similarities
        Of all cases.
    failed
        Which cases have a solution that failed.

    Examples
    --------
    >>> alike = np.array([0.5, 0.9, 0.7, 0.2])
    >>> asked = most_similar(alike, np.array([True, False, False, True]), 1)
    >>> objecting(asked, alike, np.array([False, True, True, False])).positions
    array([1, 2, 0])
    """
    if not speakers.positions.size:
        return speakers
    least = speakers.similarities[-1]
    against = np.flatnonzero(failed & (similarities >= least) & (similarities > 0))
    both = np.sort(np.concatenate([speakers.positions, against]))
    both = both[np.argsort(-similarities[both], kind="stable")]
    return Speakers(both, similarities[both])
