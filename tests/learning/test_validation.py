"""The door of the estimators: scikit-learn's attributes, its words, and estimators left as they were."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from priorcase.exceptions import SchemaError, UnsupportedDataError
from priorcase.instances import Instances
from priorcase.learning.estimator import read_queries, record_features, training_table
from priorcase.schema import Nominal, Numeric, Ordinal, Schema


class KNN(BaseEstimator):
    """An estimator that stores and reads back."""

    def __init__(self, categorical_features="from_dtype", schema=None):
        self.categorical_features = categorical_features
        self.schema = schema

    def fit(self, X):
        table = training_table(self, X)
        self.instances_ = Instances(table.schema)
        self.instances_.append(table)
        record_features(self, table.schema)
        return self

    def predict(self, X):
        return self.instances_.encode(read_queries(X, self.instances_))


def test_records_features_as_scikit_learn_does():
    model = KNN().fit(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.dtype == object
    assert model.feature_names_in_.tolist() == ["a", "b"]
    for unnamed in (np.eye(3), pd.DataFrame(np.eye(3)), pd.DataFrame([[1, 2]], columns=["a", 1])):
        model.fit(unnamed)
        assert model.n_features_in_ == unnamed.shape[1]
        assert not hasattr(model, "feature_names_in_")


def test_training_options():
    frame = pl.DataFrame({"code": [1, 2], "size": ["S", "L"]})
    model = KNN(categorical_features=["code"], schema={"size": Ordinal(("S", "L"))}).fit(frame)
    assert model.instances_.schema == Schema(("code", "size"), (Nominal(), Ordinal(("S", "L"))))
    assert model.predict(pd.DataFrame({"size": ["L"], "code": [2.0]})).tolist() == [[1, 1]]


def test_queries_by_position_and_by_name():
    model = KNN().fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    by_position = np.array([[3, "y"]], dtype=object)
    assert model.predict(by_position).tolist() == [[3, 1]]
    assert model.predict(pd.DataFrame({"b": ["y"], "a": [3]})).tolist() == [[3, 1]]


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.empty((0, 2)), SchemaError, r"Found array with 0 sample\(s\) \(shape=\(0, 2\)\) while a minimum"),
        (np.empty((2, 0)), SchemaError, r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
        (np.zeros(3), SchemaError, "Reshape your data"),
        (np.zeros((1, 1, 1)), SchemaError, "Found array with dim 3"),
        (np.array([[1j]]), SchemaError, "Complex data not supported"),
        (np.array([[np.inf]]), SchemaError, "Input X contains infinity"),
        (sparse.eye(3, format="csr"), UnsupportedDataError, "Sparse data was passed"),
        (np.array([[1.5, 2.0], [{}, 1.0]], dtype=object), UnsupportedDataError, "argument must be .* string.* number"),
    ],
)
def test_a_refused_fit_leaves_the_estimator_as_it_was(X, error, words):
    model = KNN().fit(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    before = dict(vars(model))
    with pytest.raises(error, match=words):
        model.fit(X)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((2, 1)), r"X has 1 features, but \w+ is expecting 2 features as input"),
        (np.zeros((0, 2)), r"Found array with 0 sample\(s\)"),
        (np.zeros(2), "Reshape your data"),
        (np.array([[1.0, -np.inf]]), "Input X contains infinity .* in column 'b'"),
        (pd.DataFrame({"a": [1.0]}), "Feature names seen at fit time, yet now missing:\n- b\n"),
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), r"column 'b' is nominal \(text\) here but was numeric"),
    ],
)
def test_refused_queries(X, words):
    model = KNN().fit(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(SchemaError, match=words):
        model.predict(X)


def test_array_likes_are_arrays():
    class ArrayLike:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, 2.0]])

    model = KNN().fit(ArrayLike())
    assert model.instances_.schema.kinds == (Numeric(), Numeric())
    assert model.predict([[5, None]])[0, 0] == 5
