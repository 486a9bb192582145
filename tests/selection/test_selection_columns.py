"""The columns that a selector gives back, whatever the table is made of."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from priorcase.selection import AttributeSelector


def test_a_record_batch_is_read_by_name_and_becomes_a_frame() -> None:
    random = np.random.default_rng(0)
    columns = {name: random.random(60) for name in "abc"}
    batch = pa.RecordBatch.from_pydict(columns)
    selector = AttributeSelector(n_features=2).fit(batch, (columns["b"] > 0.5).astype(int))
    chosen = selector.get_feature_names_out().tolist()
    turned = pa.RecordBatch.from_pydict({name: columns[name] for name in "cba"})
    assert selector.transform(turned).schema.names == chosen
    selector.set_output(transform="pandas")
    np.testing.assert_array_equal(selector.transform(turned)[chosen[0]], columns[chosen[0]])
    selector.set_output(transform="polars")
    assert selector.transform(turned).columns == chosen
