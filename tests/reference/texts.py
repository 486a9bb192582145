"""The difference between two texts, computed token by token with dictionaries."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np


def tokens(text: str, kind: str) -> Counter[str]:
    """How often the text has each word, or each sequence of 3 to 5 characters within a word between spaces."""
    if kind == "words":
        return Counter(re.findall(r"(?u)\b\w+\b", text.lower()))
    found = Counter[str]()
    for word in text.lower().split():
        padded = f" {word} "
        for n in (3, 4, 5):
            found.update(padded[at : at + n] for at in range(len(padded) - n + 1))
            if len(padded) <= n:
                break
    return found


@lru_cache(maxsize=8)
def document_counts(kind: str, stored: tuple[str, ...]) -> Counter[str]:
    """How many of the stored texts have each token."""
    return Counter(token for other in stored for token in tokens(other, kind))


@lru_cache(maxsize=1_000)
def vector(text: str, kind: str, stored: tuple[str, ...]) -> dict[str, float]:
    """The TF-IDF vector of a text, of length 1, in alphabetical order of the tokens that a stored text has."""
    in_texts = document_counts(kind, stored)
    weights = {}
    for token, count in sorted(tokens(text, kind).items()):
        if token in in_texts:
            idf = float(np.log((1.0 + len(stored)) / (1.0 + in_texts[token]))) + 1.0
            weights[token] = (1.0 + float(np.log(float(count)))) * idf
    square = 0.0
    for weight in weights.values():
        square += weight * weight
    return {token: weight / math.sqrt(square) for token, weight in weights.items()}


def difference(query: str, text: str, stored: Sequence[str], analyzer: str) -> float:
    """1 minus the mean cosine over the kinds of tokens that any stored text has; 1 if there is none."""
    kinds = ("words", "characters") if analyzer == "both" else (analyzer,)
    cosines = []
    for kind in kinds:
        if document_counts(kind, tuple(stored)):
            ours, theirs = vector(query, kind, tuple(stored)), vector(text, kind, tuple(stored))
            cosine = 0.0
            for token, weight in ours.items():
                if token in theirs:
                    cosine += weight * theirs[token]
            cosines.append(cosine)
    found = 1.0 - sum(cosines) / len(cosines) if cosines else 1.0
    return 0.0 if found < 1e-12 else found
