"""The checksum depends on each value and not on the order of the rows."""

from __future__ import annotations

import rows


def test_the_files_have_the_rows_that_were_made(expected: rows.Checksum) -> None:
    assert expected == rows.total(map(rows.checksum, rows.batches(0, rows.ROWS)))


def test_a_checksum_is_the_sum_of_those_of_parts() -> None:
    whole = next(rows.batches(0, 1000))
    parts = [whole.slice(start, 100) for start in range(0, 1000, 100)]
    assert rows.total(map(rows.checksum, reversed(parts))) == rows.checksum(whole)
    assert rows.checksum(whole.slice(0, 0)) == rows.Checksum()
