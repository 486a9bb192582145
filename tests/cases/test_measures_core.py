"""Edit distances and products of postings are those of the plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.case_scores import edit_distance, products

from priorcase import _core
from priorcase._typing import IdArray

TEXTS = st.text(st.sampled_from("abß漢😀 "), max_size=8)
LONG = st.integers(0, 40).flatmap(lambda n: st.text(st.sampled_from("ab漢"), min_size=4 * n, max_size=4 * n))


def points(text: str) -> Any:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def offsets(texts: list[str]) -> IdArray:
    return np.cumsum([0, *map(len, texts)], dtype=np.int64)


def distances(query: str, texts: list[str], threads: int = 1) -> list[int]:
    packed, asked = _core.PackedTexts(points("".join(texts)), offsets(texts)), points(query)
    assert len(packed) == len(texts)
    found: list[int] = packed.edit_distances(asked, threads).tolist()
    lengths = [max(len(text), len(query)) for text in texts]
    similar = [1.0 - n / length if length else 1.0 for n, length in zip(found, lengths, strict=True)]
    assert packed.edit_similarities(asked, threads).tolist() == similar
    return found


@given(TEXTS, st.lists(TEXTS, max_size=5))
def test_edit_distances_cell_by_cell(query: str, texts: list[str]) -> None:
    assert distances(query, texts) == [edit_distance(query, text) for text in texts]


@given(LONG, LONG)
def test_edit_distances_of_long_texts(query: str, text: str) -> None:
    assert distances(query, [text]) == [edit_distance(query, text)]


@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 127, 128, 129, 200])
def test_edit_distances_at_the_borders_of_words(length: int) -> None:
    random = np.random.default_rng(length)
    query = "".join(random.choice(list("ab"), length))
    texts = [query[1:], query[:-1], "x" + query, query + "y", query.replace("a", "c"), query[::-1], query, ""]
    assert distances(query, texts) == [edit_distance(query, text) for text in texts]


def test_known_distances() -> None:
    assert distances("kitten", ["sitting", "kitten", "", "mitten"]) == [3, 0, 6, 1]
    assert distances("", ["abc", ""]) == [3, 0]
    assert distances("abc", []) == []


def test_threads_change_no_distance() -> None:
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(list("abcd"), random.integers(0, 20))) for _ in range(4_000)]
    for query in ("abcd" * 30, "abcd" * 500):
        assert distances(query, texts) == distances(query, texts, 3)
        assert distances(query, texts)[:50] == [edit_distance(query, text) for text in texts[:50]]


@pytest.mark.parametrize("path", _core.cpu_paths())
def test_every_cpu_path_gives_the_same_distances(path: str) -> None:
    random, usual = np.random.default_rng(1), _core.cpu_path()
    texts = ["".join(random.choice(list("abß漢"), random.integers(0, 12))) for _ in range(103)]
    try:
        _core.use_cpu_path(path)
        for n in (1, 3, 4, 5, 8, 103):
            assert distances("abßa漢b", texts[:n]) == [edit_distance("abßa漢b", text) for text in texts[:n]]
    finally:
        _core.use_cpu_path(usual)


TEXT_MISTAKES: dict[str, tuple[Any, Any, Any]] = {
    "the first list must start at 0": (points("a"), points("ab"), np.array([1, 2])),
    "the starts of lists must not decrease": (points("a"), points("ab"), np.array([0, 2, 1, 2])),
    "the last list must end at the last entry": (points("a"), points("ab"), np.array([0, 3])),
    "no such character": (points("a"), np.array([0x110000], dtype=np.uint32), np.array([0, 1])),
}


@pytest.mark.parametrize("rule", TEXT_MISTAKES)
def test_wrong_texts_are_refused(rule: str) -> None:
    asked, characters, starts = TEXT_MISTAKES[rule]
    for measure in ("edit_distances", "edit_similarities"):
        with pytest.raises(ValueError, match=rule):
            getattr(_core.PackedTexts(characters, starts), measure)(asked, 1)


def postings(held: list[dict[int, float]], n_terms: int) -> tuple[Any, Any, Any]:
    lists = [
        [(value, weights[term]) for value, weights in enumerate(held) if term in weights] for term in range(n_terms)
    ]
    entries = [entry for entries in lists for entry in entries]
    indptr = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    indices = np.array([value for value, _ in entries], dtype=np.int32)
    return indptr, indices, np.array([weight for _, weight in entries], dtype=np.float64)


@given(st.lists(st.dictionaries(st.integers(0, 5), st.floats(0, 1), max_size=4), max_size=6), st.permutations(range(6)))
def test_products_term_by_term(held: list[dict[int, float]], order: list[int]) -> None:
    asked = [(term, 1.0 / (1 + place)) for place, term in enumerate(order[:4])]
    terms, weights = np.array([term for term, _ in asked]), np.array([weight for _, weight in asked])
    indptr, indices, held_weights = postings(held, 6)
    found = _core.Postings(indptr, indices, held_weights, len(held)).sums(terms, weights)
    assert found.tolist() == products(held, asked)
    counted = _core.Postings(indptr, indices, None, len(held)).sums(terms, np.ones(4))
    assert counted.tolist() == [len(set(order[:4]) & set(weights)) for weights in held]


WORDS: dict[str, Any] = {"starts": np.array([0, 2, 3]), "holders": np.array([0, 1, 1], dtype=np.int32)}
WORDS |= {"weights": np.ones(3), "terms": np.array([0, 1]), "term_weights": np.ones(2)}
WORD_MISTAKES: dict[str, dict[str, Any]] = {
    "no such term": {"terms": np.array([0, 2])},
    "no such value": {"holders": np.array([0, 2, 1], dtype=np.int32)},
    "one weight for each entry": {"weights": np.ones(2)},
    "one weight for each term": {"term_weights": np.ones(1)},
    "the last list must end at the last entry": {"starts": np.array([0, 2, 4])},
}


def summed(**changes: Any) -> Any:
    parts = WORDS | changes
    terms, term_weights = parts.pop("terms"), parts.pop("term_weights")
    return _core.Postings(**parts, n_values=2).sums(terms, term_weights)


@pytest.mark.parametrize("rule", WORD_MISTAKES)
def test_wrong_postings_are_refused(rule: str) -> None:
    assert summed().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=rule):
        summed(**WORD_MISTAKES[rule])


def test_negative_terms_and_values_are_refused() -> None:
    with pytest.raises(ValueError, match="no such term"):
        summed(terms=np.array([0, -1]))
    with pytest.raises(ValueError, match="no such value"):
        summed(holders=np.array([0, -1, 1], dtype=np.int32))
