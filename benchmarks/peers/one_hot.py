"""The usual scikit-learn approach to mixed tables: impute, scale, one-hot encode, search by brute force."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler


def encoder() -> ColumnTransformer:
    """Return an encoder to dense float32 columns; sparse columns are slower here."""
    numeric = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), FunctionTransformer(_float32))
    nominal = make_pipeline(
        FunctionTransformer(_objects),
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32),
    )
    return ColumnTransformer(
        [
            ("numeric", numeric, make_column_selector(dtype_include="number")),
            ("nominal", nominal, make_column_selector(dtype_exclude="number")),
        ]
    )


class BruteForce:
    """Brute-force search on rows encoded beforehand, so that only the query is timed."""

    def __init__(self, X: pd.DataFrame, queries: pd.DataFrame, k: int) -> None:
        encode = encoder().fit(X)
        self.queries = encode.transform(queries)
        self.search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(encode.transform(X))
        if self.queries.dtype != np.float32:
            raise TypeError(f"the encoded queries are {self.queries.dtype}, not float32")

    def run(self) -> None:
        """Search the neighbors of all queries in one batch."""
        self.search.kneighbors(self.queries)


def _float32(X: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    return X.astype(np.float32)


def _objects(X: pd.DataFrame) -> npt.NDArray[np.object_]:
    cells = X.to_numpy(dtype=object)
    cells[X.isna().to_numpy()] = np.nan
    return cells
