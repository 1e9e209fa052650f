"""Parquet files of pyarrow with lists in small pages: some pages have no values."""

import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af


def written(table, **options):
    target = io.BytesIO()
    pq.write_table(table, target, **options)
    return target.getvalue()


@pytest.mark.parametrize("item", [pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string()], ids=str)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_lists_in_small_pages_are_those_of_pyarrow(item, version):
    rows = [[[], [1, 1, 2], [None]], [[1], [2]], [[1], []], [[], []], [[1, 1, 2]], [None, [3], None], []]
    choose = random.Random(3)
    for _ in range(10):
        lists = [[choose.choice([1, 2, None]) for _ in range(choose.randrange(4))] for _ in range(30)]
        rows.append([None if choose.random() < 0.1 else one for one in lists])
    for numbers in rows:
        table = pa.table({"x": pa.array(numbers, pa.list_(pa.int32())).cast(pa.list_(item))})
        for page_size, batch_size in [(1, 1), (20, 1), (20, 3), (200, 7)]:
            data = written(
                table,
                data_page_size=page_size,
                write_batch_size=batch_size,
                data_page_version=version,
                dictionary_pagesize_limit=choose.choice([1, 8, 1000]),
                compression=choose.choice(["none", "snappy", "zstd"]),
                write_page_index=choose.random() < 0.5,
                row_group_size=choose.choice([1, 7, 1000]),
            )
            for size in (1, 4, 1000):
                found = pa.table(af.read_parquet(data, batch_size=size, threads=1))
                assert found.equals(table), (numbers, page_size, batch_size, size)
