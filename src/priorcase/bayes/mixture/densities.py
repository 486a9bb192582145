"""Log-densities of rows, and which component they come from. Nothing here is larger than rows by components."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.parameters import LOG_2PI, Parameters


def log_joint(parameters: Parameters, cells: Cells, rows: slice) -> FloatArray:
    """Log-density of each row together with each component, in standard units, shape (components, rows).

    ``ln p_k + sum_i ln p(x_i | k)`` over the attributes that are known. Each number is made by the same steps in any
    block of rows, so that a row alone gets the same bits.
    """
    joint = np.repeat(parameters.log_weights[:, None], rows.stop - rows.start, axis=1)
    for j in range(len(parameters.means)):
        joint += log_number(parameters, cells, j, rows)
    for j in range(len(parameters.tables)):
        joint += log_value(parameters, cells, j, rows)
    return joint


def log_number(parameters: Parameters, cells: Cells, j: int, rows: slice) -> FloatArray:
    """Log-density of numeric attribute ``j`` in each component, 0 where it is missing."""
    precision = parameters.precisions[j][:, None]
    part: FloatArray = cells.numbers[j, rows] - parameters.means[j][:, None]
    np.square(part, out=part)
    part *= -0.5 * precision
    part += 0.5 * (np.log(precision) - LOG_2PI)
    known = cells.known[j]
    if known is not None:
        part *= known[rows]
    return part


def log_value(parameters: Parameters, cells: Cells, j: int, rows: slice) -> FloatArray:
    """Log-probability of discrete attribute ``j`` in each component, 0 where it is missing."""
    return np.take(parameters.tables[j], cells.codes[j, rows], axis=1)


def normalised(joint: FloatArray) -> FloatArray:
    """Log of the sum over components; ``joint`` becomes the share of each of them, in place."""
    largest = joint.max(axis=0)
    joint -= largest
    np.exp(joint, out=joint)
    total: FloatArray = joint[0].copy()
    for share in joint[1:]:  # one by one: NumPy would add the components of a single row in another order
        total += share
    joint /= total
    logs: FloatArray = np.log(total) + largest
    return logs


def responsibilities(parameters: Parameters, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Probability of each component for each row, shape (components, rows), and the log-density of each row."""
    shares, densities = np.empty((len(parameters), len(cells))), np.empty(len(cells))
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        densities[rows] = normalised(joint)
        shares[:, rows] = joint
    return shares, densities + cells.offsets


def log_responsibilities(parameters: Parameters, cells: Cells) -> FloatArray:
    """Log-probability of each component for each row, shape (components, rows), however small it is."""
    logs = np.empty((len(parameters), len(cells)))
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        joint -= joint.max(axis=0)
        logs[:, rows] = joint - normalised(joint.copy())
    return logs


def distribution(parameters: Parameters, shares: FloatArray, j: int) -> FloatArray:
    """Probability of each value of discrete attribute ``j``, shape (rows, values), from those of the components."""
    chances = np.exp(parameters.tables[j][:, :-2])
    result = np.zeros((shares.shape[1], chances.shape[1]))
    for share, chance in zip(shares, chances, strict=True):
        result += share[:, None] * chance
    # Each row of a table sums to 1 but for rounding, which must not lift what is certain above 1.
    return np.minimum(result, 1.0)


def log_distribution(parameters: Parameters, logs: FloatArray, j: int) -> FloatArray:
    """Log-probability of each value of discrete attribute ``j``, shape (rows, values), from those of the components."""
    chances = parameters.tables[j][:, :-2]
    result = np.full((logs.shape[1], chances.shape[1]), -np.inf)
    for log, chance in zip(logs, chances, strict=True):
        np.logaddexp(result, log[:, None] + chance, out=result)
    np.minimum(result, 0.0, out=result)
    return result


def expected(parameters: Parameters, shares: FloatArray, j: int) -> FloatArray:
    """Expected number of numeric attribute ``j``, in standard units, from the probabilities of the components."""
    result = np.zeros(shares.shape[1])
    for share, mean in zip(shares, parameters.means[j].tolist(), strict=True):
        result += share * mean
    return result
