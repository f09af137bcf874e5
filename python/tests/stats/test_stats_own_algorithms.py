"""What is written out here because scipy's takes too long to import, or numpy's to run, against
theirs."""

import numpy as np
import pytest

from busmark.stats import medians


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 100, 1001, 20_000])
@pytest.mark.parametrize("levels", [1, 3, 100_000])
def test_medians_are_those_of_numpy(n: int, levels: int) -> None:
    rows = np.random.default_rng(n * levels).integers(-levels, levels, size=(5, n))
    before = rows.copy()
    assert medians(rows).tolist() == np.median(rows, axis=1).tolist()
    assert medians(rows / 3.0).tolist() == np.median(rows / 3.0, axis=1).tolist()
    assert float(medians(rows[0])) == float(np.median(rows[0]))
    assert (rows == before).all()
