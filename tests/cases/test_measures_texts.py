"""Measures of texts: by words, by letters, as a whole."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from cases.measure_columns import column_of, measured, table_of
from hypothesis import assume, given, settings
from reference import local_similarity as reference
from sklearn.feature_extraction.text import TfidfVectorizer

from priorcase.cases import EditDistance, EqualText, TfIdf
from priorcase.cases.measures import similarities
from priorcase.schema import Nominal, Text

WORDS = ["paper", "jam", "Jam", "tray", "printer", "2", "the", "größe", "GRÖSSE", "café"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
TEXTS = st.lists(TEXT, min_size=1, max_size=7)
OPTIONS = [
    TfIdf(),
    TfIdf(ngrams=(1, 2)),
    TfIdf(ngrams=(2, 3)),
    TfIdf(stop_words=["The", "jam"]),
    TfIdf(fold_accents=True, stop_words=["Café"]),
    TfIdf("characters", (2, 3)),
]


@pytest.mark.parametrize("measure", OPTIONS, ids=str)
@settings(max_examples=20)
@given(TEXTS, TEXT)
def test_tf_idf_is_the_cosine_of_weighted_terms(measure, values, query):
    documents = [measure.terms(value) for value in values]
    expected = {
        value: 1.0 if value == query else reference.cosine(measure.terms(query), measure.terms(value), documents)
        for value in values
    }
    assert measured(measure, Text(), values, query) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("measure", OPTIONS, ids=str)
@settings(max_examples=20)
@given(TEXTS, TEXT)
def test_tf_idf_is_that_of_scikit_learn_where_all_terms_are_known(measure, values, query):
    values = [value for value in [*values, query[::-1]] if measure.terms(value)]
    assume(values)
    known = {term for value in values for term in measure.terms(value)}
    query = query if known.issuperset(measure.terms(query)) else values[0].upper()
    vectors = TfidfVectorizer(analyzer=measure.terms).fit(values)
    cosines = (vectors.transform(values) @ vectors.transform([query]).T).toarray().ravel()
    found = measured(measure, Text(), values, query)
    for value, cosine in zip(values, cosines, strict=True):
        assert found[value] == (1.0 if value == query else pytest.approx(cosine, abs=1e-12))


def test_document_frequencies_count_cases_not_distinct_texts():
    often = ["paper jam"] * 9 + ["paper tray", "printer tray"]
    found = measured(TfIdf(), Text(), often, "paper tray printer")
    once = measured(TfIdf(), Text(), sorted(set(often)), "paper tray printer")
    assert found["paper jam"] < once["paper jam"]
    vectors = TfidfVectorizer(analyzer=TfIdf().terms).fit(often)
    cosines = (vectors.transform(often) @ vectors.transform(["paper tray printer"]).T).toarray().ravel()
    assert [found[text] for text in often] == pytest.approx(cosines.tolist(), abs=1e-12)


def test_words_of_the_query_that_no_case_has_are_the_rarest():
    found = measured(TfIdf(), Text(), ["paper jam", "tray"], "Paper JAM xyzzy!")
    known, new = 2 * (math.log(3 / 2) + 1) ** 2, (math.log(3) + 1) ** 2
    assert found == {"paper jam": pytest.approx(math.sqrt(known / (known + new)), abs=1e-15), "tray": 0}
    assert measured(TfIdf(), Text(), ["paper jam", ""], "xyzzy") == {"paper jam": 0, "": 0}
    assert measured(TfIdf(), Text(), ["paper jam", "", "!!"], "") == {"paper jam": 0, "": 1, "!!": 0}
    assert measured(TfIdf(), Text(), [None], "jam") == {}


def test_one_common_little_word_is_no_reason_to_look_alike():
    stored = ["prints a blank page", "shows a blue screen", "the fan of a server is loud", "a paper jam"]
    assert max(measured(TfIdf(), Text(), stored, "it makes a noise").values()) < 0.2


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), TEXTS, st.sampled_from(OPTIONS), st.randoms())
def test_texts_with_the_same_words_have_similarity_1_exactly(words, others, measure, random):
    told = " ".join(words)
    shuffled = random.sample(words, len(words)) if measure.ngrams == (1, 1) else words
    assume(measure.terms(told))
    again = "  ".join(shuffled).upper().replace("SS", "ss") + "!" * (measure.analyzer == "words")
    found = measured(measure, Text(), [*others, told, again], told.title())
    assert found[told] == found[again] == 1.0
    if measure == TfIdf():
        assert measured(measure, Text(), [*others, told], f"{told} {told}")[told] == 1.0


def test_terms():
    assert TfIdf().terms("Paper-jam in TRAY_2, again: Straße!") == ["paper", "jam", "in", "tray_2", "again", "strasse"]
    assert TfIdf(ngrams=(2, 2)).terms("a b c") == ["a b", "b c"]
    assert TfIdf(ngrams=(1, 2), stop_words=["b"]).terms("a b c") == ["a", "c", "a c"]
    assert TfIdf("characters", (2, 2)).terms(" A\n b") == ["a ", " b"]
    assert TfIdf("characters", (3, 9)).terms("ab") == []
    assert TfIdf(fold_accents=True).terms("Café größe Ål") == ["cafe", "grosse", "al"]


@given(TEXTS, TEXTS, TEXT, st.data())
def test_tf_idf_carried_over_equals_a_fresh_one_to_the_bit(values, new, query, data):
    measure = data.draw(st.sampled_from(OPTIONS))
    table = table_of(Text(), values)
    carried = measure.prepare(table.column("a"))
    for change in data.draw(st.lists(st.sampled_from(["append", "remove", "replace"]), max_size=3)):
        if change == "append":
            table.append(
                [(int(table.ids.max(initial=0)) + 1 + n, {"a": text}, None, None) for n, text in enumerate(new)]
            )
        elif len(table):
            id = int(data.draw(st.sampled_from(table.ids.tolist())))
            if change == "remove":
                table.remove([id])
            else:
                table.replace([(id, {"a": new[0]}, None, None)])
        column = table.column("a")
        carried, fresh = measure.prepare(column, None, carried), measure.prepare(column)
        assert np.array_equal(carried.similarities(query), fresh.similarities(query))
        assert carried.state.documents.vocabulary == fresh.state.documents.vocabulary
        assert carried.state.documents.values == column.values


def test_texts_are_cut_into_terms_once(monkeypatch):
    seen = []

    def words(text):
        seen.append(text)
        return text.split()

    monkeypatch.setattr("priorcase.cases.measures.texts.words", words)
    table = table_of(Text(), ["a b", "c"])
    earlier = TfIdf().prepare(table.column("a"))
    table.append([(3, {"a": "d a"}, None, None), (4, {"a": "c"}, None, None)])
    TfIdf().prepare(table.column("a"), None, earlier)
    assert seen == ["a b", "c", "d a"]
    other = TfIdf(ngrams=(1, 2)).prepare(table.column("a"), None, earlier)
    assert seen[3:] == ["a b", "c", "d a"]
    assert "a b" in other.state.documents.vocabulary


LETTERS = st.text(alphabet="abAé😀 ", max_size=8)


@given(st.lists(LETTERS, min_size=1, max_size=6), LETTERS, st.booleans())
def test_edit_distance(values, query, ignore_case):
    def seen(text):
        return text.casefold() if ignore_case else text

    expected = {value: float(reference.edit_distance(seen(query), seen(value))) for value in values}
    found = measured(EditDistance(ignore_case), Text(), values, query)
    assert found == pytest.approx(expected, abs=1e-15)
    assert all(measured(EditDistance(ignore_case), Text(), [query], value)[query] == found[value] for value in values)


def test_edit_distance_of_names():
    found = measured(EditDistance(), Text(), ["Kitten", "", "sitting"], "SITTING")
    assert found == {"Kitten": pytest.approx(1 - 3 / 7), "": 0, "sitting": 1}
    assert measured(EditDistance(False), Text(), ["a"], "A") == {"a": 0}
    assert measured(EditDistance(), Text(), [""], "") == {"": 1}
    assert measured(EditDistance(), Text(), [None], "a") == {}


@given(st.lists(LETTERS, min_size=1, max_size=6), LETTERS)
def test_equal_text(values, query):
    def seen(text):
        return text.casefold().split()

    found = measured(EqualText(), Text(), values, query)
    assert found == {value: float(seen(value) == seen(query)) for value in values}


def test_equal_measures_are_equal():
    assert TfIdf(stop_words=["The", "A"]) == TfIdf(stop_words=("a", "the"))
    assert hash(TfIdf(ngrams=[1, 2])) == hash(TfIdf(ngrams=(1, 2)))
    column = column_of(Text(), ["a"])
    assert TfIdf().prepare(column).similarities("a") == 1


@pytest.mark.parametrize("measure", [TfIdf(), TfIdf("characters", (2, 3)), EditDistance(), EqualText()])
def test_accents_count_alike_however_they_were_typed(measure):
    typed = "cafe\u0301 cre\u0300me"
    assert similarities("Café crème", [typed, "cafe creme"], "text", measure)[typed] == pytest.approx(1.0)
    assert similarities("café", ["cafe\u0301"], "text", EditDistance(ignore_case=False)) == {"cafe\u0301": 1.0}


def test_marks_are_parts_of_words():
    assert TfIdf().terms("हिन्दी, भाषा") == ["हिन्दी", "भाषा"]
    assert TfIdf().terms("İstanbul") == ["i\u0307stanbul"]


def test_a_name_that_python_takes_for_another_is_counted_anew():
    table = table_of(Nominal(), [True, "red"])
    before = TfIdf().prepare(table.column("a"))
    table.replace([(1, {"a": 1}, None, None)])
    column = table.column("a")
    for name in ("1", "true"):
        fresh, followed = TfIdf().prepare(column), TfIdf().prepare(column, None, before)
        assert followed.similarities(name).tolist() == fresh.similarities(name).tolist() == [float(name == "1"), 0.0]
