"""Reports of five folds in place of ten, which are as good for these tests."""

from collections.abc import Iterator

import pytest

from priorcase.reporting import comparison


@pytest.fixture(scope="package", autouse=True)
def few_folds() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison, "_FOLDS", 5)
        yield
