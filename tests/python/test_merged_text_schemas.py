"""`schema="merge"` reads CSV and JSON lines files of one family, whose types are inferred and merged."""

import json
import pickle
import random
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af
from session_seed import seeds

CHANGES = ["2: id: changed from Int64 to Float64", "2: note: added with the type Utf8"]
ROWS = [
    {"id": 1.0, "zip": 53111, "note": None},
    {"id": 0.5, "zip": None, "note": "x"},
]


@pytest.fixture(params=["csv", "jsonl"])
def family(request, tmp_path, monkeypatch):
    """The extension of two files in the current folder."""
    monkeypatch.chdir(tmp_path)
    if request.param == "csv":
        Path("1.csv").write_text("id,zip\n1,53111\n")
        Path("2.csv").write_text("note,id\nx,0.5\n")
    else:
        Path("1.jsonl").write_text('{"id": 1, "zip": 53111}\n')
        Path("2.jsonl").write_text('{"note": "x", "id": 0.5}\n')
    return request.param


def read(extension, **options):
    read = {"csv": af.read_csv, "jsonl": af.read_json_lines}[extension]
    return read(f"*.{extension}", **options)


def dataset_of(extension, **options):
    return af.open_dataset(f"*.{extension}", schema="merge", representations={}, **options)


def rows_of(dataset, **options):
    batches = dataset.record_batches(batch_size=10, **options)
    return [row for batch in batches for row in batch.to_pyarrow().to_pylist()]


def texts(changes):
    return [str(change).replace(".csv", "").replace(".jsonl", "") for change in changes]


def test_a_reader_of_text_has_the_rows_of_all_files_and_the_report(family):
    reader = read(family, schema="merge")
    assert texts(reader.schema_changes) == CHANGES
    assert pa.table(reader).to_pylist() == ROWS


def test_copies_of_a_dataset_have_its_columns(family):
    dataset = dataset_of(family, types={"zip": "string"}, sample=1)
    assert texts(dataset.schema_changes) == CHANGES
    expected = [{**row, "zip": row["zip"] and str(row["zip"])} for row in ROWS]
    copy = pickle.loads(pickle.dumps(dataset))
    for each in (dataset, copy):
        assert rows_of(each) == expected
    assert copy.schema_changes == []
    assert pa.schema(copy.arrow_schema) == pa.schema(dataset.arrow_schema)
    some = dataset_of(family, exclude=["id", "zip"])
    assert rows_of(pickle.loads(pickle.dumps(some))) == [{"note": None}, {"note": "x"}]


def test_states_columns_filters_and_added_columns(family):
    dataset = dataset_of(family, columns=["zip", "file"], file_column="file")
    expected = [{"zip": 53111, "file": f"1.{family}"}, {"zip": None, "file": f"2.{family}"}]
    assert rows_of(dataset) == expected
    assert rows_of(dataset.filter("zip is null")) == expected[1:]
    batches = dataset.record_batches(batch_size=1, shuffle_buffer_size=10, seed=3)
    first = next(batches).to_pyarrow().to_pylist()
    again = dataset.record_batches(batch_size=1, shuffle_buffer_size=10, seed=3)
    again.load_state_dict(batches.state_dict())
    rest = [row for batch in again for row in batch.to_pyarrow().to_pylist()]
    assert sorted(first + rest, key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("options", [{"schema": "merge"}, {"schema": pa.schema([("a", pa.int64())])}])
def test_files_without_headers_have_no_missing_columns(options, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1\n")
    with pytest.raises(af.OptionError) as caught:
        af.read_csv(path, header=False, missing_columns=True, **options)
    expected = "expected files with headers that name their columns, because files may have different columns"
    assert str(caught.value) == expected


@pytest.mark.parametrize("seed", seeds(0, 12))
def test_random_files_have_the_rows_of_all_keys(seed, tmp_path, monkeypatch):
    """A plain merge of Python dicts is the oracle."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    names, rows = list("abcde"), []
    for number in range(chance.randrange(1, 5)):
        columns = chance.sample(names, chance.randrange(1, 6))
        found = [{name: chance.randrange(100) for name in columns} for _ in range(chance.randrange(1, 4))]
        lines = [",".join(columns), *(",".join(str(row[name]) for name in columns) for row in found)]
        Path(f"{number}.csv").write_text("\n".join(lines))
        Path(f"{number}.jsonl").write_text("\n".join(json.dumps(row) for row in found))
        rows.extend(found)
    known = {name for row in rows for name in row}
    expected = [{name: row.get(name) for name in known} for row in rows]
    for extension in ("csv", "jsonl"):
        dataset = dataset_of(extension)
        assert rows_of(dataset) == expected
        assert rows_of(dataset, threads=2) == expected
        [first, *_] = dataset.record_batches(batch_size=1)
        assert {*first.to_pyarrow().schema.names} == known
