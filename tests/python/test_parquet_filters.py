"""Filters of Parquet files: no row is lost that pyarrow keeps, also if statistics are false."""

import functools
import random

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import arrowfeed as af

# Numbers whose bytes are nowhere else in the footers.
FIRST = 0x5A5A_0000_0000
ROWS, GROUP = 1000, 50


def write(path, *, sorted_rows=True, **options):
    numbers = list(range(ROWS))
    if not sorted_rows:
        random.Random(3).shuffle(numbers)
    table = pa.table(
        {
            "id": pa.array([FIRST + number for number in numbers], pa.int64()),
            "text": [None if number % 9 == 0 else f"text {number:04}" for number in numbers],
            "number": pa.array(numbers, pa.int32()),
        }
    )
    pq.write_table(table, path, row_group_size=GROUP, **options)
    return table


def false_bounds(path, seed):
    """Replaces some of the minima and maxima of `id` in the footer by other numbers of the column."""
    choose = random.Random(seed)
    data = bytearray(path.read_bytes())
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    mark = FIRST.to_bytes(8, "little")[4:]
    at, changed = data.find(mark, start), 0
    while at >= 0:
        if choose.random() < 0.3:
            data[at - 4 : at] = choose.randrange(ROWS).to_bytes(4, "little")
            changed += 1
        at = data.find(mark, at + 4)
    path.write_bytes(data)
    assert changed > 3


def predicates(seed):
    """Predicates as text, and as expressions of pyarrow."""
    choose = random.Random(seed)
    for _ in range(20):
        first, last = sorted(choose.choices(range(ROWS), k=2))
        low, high = FIRST + first, FIRST + last
        x = pc.field("id")
        yield from [
            (f"id == {low}", x == low),
            (f"id < {low}", x < low),
            (f"id >= {low} and id <= {high}", (x >= low) & (x <= high)),
            (f"not (id > {low})", ~(x > low)),
            (f"id in [{low}, {high}]", x.isin([low, high])),
            (f"id > {high} or number < {first}", (x > high) | (pc.field("number") < first)),
            (f'text >= "text {last:04}"', pc.field("text") >= f"text {last:04}"),
            (f"id <= {low} and text is null", (x <= low) & pc.field("text").is_null()),
        ]


@pytest.mark.parametrize("sorted_rows", [True, False])
@pytest.mark.parametrize("write_page_index", [True, False])
def test_the_rows_are_those_of_pyarrow(tmp_path, sorted_rows, write_page_index):
    path = tmp_path / "rows.parquet"
    write(path, sorted_rows=sorted_rows, write_page_index=write_page_index, data_page_size=100)
    for text, expression in predicates(1):
        expected = ds.dataset(path).to_table(filter=expression)
        reader = af.read_parquet(path, where=text)
        assert pa.table(reader).equals(expected), text
        assert reader.report().get("rejected", 0) == ROWS - expected.num_rows
        dataset = af.ParquetDataset(path, columns=["number"]).filter(text)
        assert dataset.num_rows == expected.num_rows


def test_false_statistics_lose_no_row_that_pyarrow_keeps(tmp_path):
    lost = 0
    for seed in range(5):
        path = tmp_path / f"{seed}.parquet"
        whole = write(path)
        false_bounds(path, seed)
        assert pa.table(af.read_parquet(path)).equals(whole)
        for text, expression in predicates(seed):
            kept = set(ds.dataset(path).to_table(filter=expression)["number"].to_pylist())
            found = set(pa.table(af.read_parquet(path, where=text))["number"].to_pylist())
            true = set(whole.filter(expression)["number"].to_pylist())
            assert kept <= found <= true, text
            lost += found < true
    assert lost > 0


def test_a_page_index_that_contradicts_the_statistics_is_ignored(tmp_path):
    path = tmp_path / "rows.parquet"
    whole = write(path, write_page_index=True, data_page_size=100)
    data = bytearray(path.read_bytes())
    metadata = pq.read_metadata(path)
    groups = [metadata.row_group(number).column(2) for number in range(metadata.num_row_groups)]
    starts = [column.dictionary_page_offset or column.data_page_offset for column in groups]
    start = max(start + column.total_compressed_size for start, column in zip(starts, groups, strict=True))
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    mark = FIRST.to_bytes(8, "little")[4:]
    at, changed = data.find(mark, start, end), 0
    while at >= 0:
        number = int.from_bytes(data[at - 4 : at], "little")
        data[at - 4 : at] = (number + 300).to_bytes(4, "little")
        at, changed = data.find(mark, at + 4, end), changed + 1
    assert changed >= 2 * metadata.num_row_groups
    path.write_bytes(data)
    for text, expression in predicates(1):
        assert pa.table(af.read_parquet(path, where=text)).equals(whole.filter(expression)), text


def test_the_report_counts_the_row_groups_that_were_read(tmp_path):
    path = tmp_path / "rows.parquet"
    write(path)
    for text, groups in [("number < 50", 1), ("number >= 975", 1), ("number == 5000", 0), ("id > 0", 20)]:
        reader = af.read_parquet(path, where=text)
        rows = pa.table(reader).num_rows
        report = reader.report()
        assert (report["blocks"], report["rows"], report.get("rejected", 0)) == (groups, rows, ROWS - rows)


@pytest.mark.parametrize("write_page_index", [True, False])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_nulls_of_dictionaries_in_structs_are_not_lost(tmp_path, write_page_index, version):
    """The counts of pyarrow leave out the nulls of the struct."""
    choose = random.Random(5)
    path = tmp_path / "rows.parquet"
    for share in [0, 0.1, 0.5, 1]:
        texts = [None if choose.random() < 0.01 else choose.choice("abc") for _ in range(ROWS)]
        values = pa.array(texts).dictionary_encode()
        inner = pa.StructArray.from_arrays(
            [values],
            fields=[pa.field("f", values.type)],
            mask=pa.array([choose.random() < share for _ in range(ROWS)]),
        )
        outer = pa.StructArray.from_arrays(
            [inner, values],
            fields=[pa.field("s", inner.type), pa.field("g", values.type)],
            mask=pa.array([number % 100 < 50 and share > 0 for number in range(ROWS)]),
        )
        table = pa.table({"id": range(ROWS), "s": inner, "o": outer, "f": values})
        pq.write_table(
            table,
            path,
            row_group_size=GROUP,
            data_page_size=10,
            write_batch_size=5,
            data_page_version=version,
            write_page_index=write_page_index,
        )
        for fields in [("f",), ("s", "f"), ("o", "s", "f"), ("o", "g")]:
            column = [
                functools.reduce(lambda value, name: value and value[name], fields, row)
                for row in table.to_pylist()
            ]
            for text, passes in [
                ("{} is null", lambda value, _: value is None),
                ("not ({} is null)", lambda value, _: value is not None),
                ("{} is not null", lambda value, _: value is not None),
                ("{} is null and id < 70", lambda value, row: value is None and row < 70),
                ("not {} in ['a', 'b']", lambda value, _: value == "c"),
            ]:
                expected = [row for row, value in enumerate(column) if passes(value, row)]
                where = text.format(".".join(fields))
                found = pa.table(af.read_parquet(path, where=where, columns=["id"]))["id"].to_pylist()
                assert found == expected, (share, where)
