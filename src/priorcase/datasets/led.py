"""Digits on a display of seven segments, some of which are wrong (Breiman, Friedman, Olshen & Stone 1984)."""

from __future__ import annotations

import numpy as np

from priorcase._typing import BoolArray, IntArray
from priorcase.datasets.drawing import RandomState, check_attributes, check_count, check_share, generator
from priorcase.exceptions import prefix_errors

__all__ = ["SEGMENTS", "led_bayes_rate", "make_led"]

_DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"

SEGMENTS: BoolArray = np.array([[light == "1" for light in digit] for digit in _DIGITS.split()])
"""Which segments each digit lights: top, top left, top right, middle, bottom left, bottom right, bottom."""
SEGMENTS.flags.writeable = False

SIZES = (7, 24)


@prefix_errors
def make_led(
    n: int, *, attributes: int = 7, noise: float = 0.1, random_state: RandomState = None
) -> tuple[BoolArray, IntArray]:
    """Digits drawn evenly, and the lights of their displays, each wrong with probability ``noise``.

    A light is *inverted* by noise, so that 0.5 leaves nothing to learn. (Where noise stands for "replaced by a random
    value", as in the artificial domains of Aha, Kibler & Albert 1991, half of it is inverted.)

    Parameters
    ----------
    n
        How many displays.
    attributes
        7 for the segments alone; 24 for 17 more lights that are on or off by chance.
    noise
        The probability that a light of the seven is wrong.
    random_state
        A seed, for the same rows in every run; the first 7 of 24 columns are those that 7 would have.

    Returns
    -------
    X, y
        Booleans of shape ``(n, attributes)``, which every distance takes for symbols, and the digits.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, Classification and Regression Trees, section 2.6.1.

    Examples
    --------
    >>> X, y = make_led(3, noise=0.0, random_state=0)
    >>> y
    array([8, 6, 5])
    >>> X.astype(int)
    array([[1, 1, 1, 1, 1, 1, 1],
           [1, 1, 0, 1, 1, 1, 1],
           [1, 1, 0, 1, 0, 1, 1]])
    """
    n = check_count("n", n, hint="It is the number of rows.")
    hint = "7 segments, or 24 with 17 lights that mean nothing."
    attributes = check_attributes(attributes, SIZES, hint=hint)
    noise = _check_noise(noise)
    rng = generator(random_state)
    y = rng.integers(len(SEGMENTS), size=n)
    X = SEGMENTS[y] ^ (rng.random((n, SEGMENTS.shape[1])) < noise)
    return np.hstack([X, rng.random((n, attributes - X.shape[1])) < 0.5]), y


@prefix_errors
def led_bayes_rate(noise: float = 0.1) -> float:
    """The share of displays that the best of all rules reads right: ``sum_x max_y P(x | y) / 10`` over all 128.

    Lights that mean nothing do not change it.

    Parameters
    ----------
    noise
        The probability that a light is wrong.

    Examples
    --------
    >>> round(led_bayes_rate(), 8)
    0.74002248
    """
    noise = _check_noise(noise)
    lights = SEGMENTS.shape[1]
    displays = np.arange(2**lights)[:, None] >> np.arange(lights) & 1
    wrong = (displays[:, None, :] != SEGMENTS[None, :, :]).sum(axis=2)
    chances = noise**wrong * (1 - noise) ** (lights - wrong)
    return float(chances.max(axis=1).sum() / len(SEGMENTS))


def _check_noise(noise: object) -> float:
    return check_share("noise", noise, hint="0.1 is the usual one.")
