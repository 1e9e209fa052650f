"""`SplitSource` and `SplitReader`: the rows of each format through splits, in this and in other processes."""

import csv
import gzip
import json
import multiprocessing
import pickle

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed._engines import splits as engine_splits
from arrowfeed._engines.planner import planner_of
from arrowfeed._engines.splits import SplitSource, quoted

COUNT = 3000
SECRET = "hunter2-is-a-secret"
FORMATS = ("avro", "parquet", "csv", "tsv", "jsonl", "tfrecord", "raw", "csv.gz")


def table(rows: range) -> pa.Table:
    return pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "value": pa.array([number / 4 for number in rows], pa.float64()),
            "name": pa.array([f"name {number}" for number in rows], pa.string()),
        }
    )


def write_avro(rows, path):
    with af.AvroWriter(path, table(rows).schema, codec="null", block_bytes=2048) as writer:
        for batch in table(rows).to_batches(max_chunksize=100):
            writer.write(batch)


def write_parquet(rows, path):
    pq.write_table(table(rows), path, row_group_size=100)


def write_delimited(rows, path, delimiter, opener=open):
    with opener(path, "wt", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(table(range(0)).column_names)
        writer.writerows([row["id"], row["value"], row["name"]] for row in table(rows).to_pylist())


def write_lines(rows, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table(rows).to_pylist()))


def write_examples(rows, path):
    af.write_tfrecord(table(rows), path)


def write_raw(rows, path):
    records = pa.array([f"no example {number}".encode() for number in rows])
    af.write_tfrecord(pa.table({"record": records}), path, format="raw")


WRITERS = {
    "avro": write_avro,
    "parquet": write_parquet,
    "csv": lambda rows, path: write_delimited(rows, path, ","),
    "tsv": lambda rows, path: write_delimited(rows, path, "\t"),
    "csv.gz": lambda rows, path: write_delimited(rows, path, ",", gzip.open),
    "jsonl": write_lines,
    "tfrecord": write_examples,
    "raw": write_raw,
}


@pytest.fixture(params=FORMATS)
def paths(request, tmp_path):
    """A large and a small file of a format."""
    found = [tmp_path / f"part-{number}.{request.param}" for number in range(2)]
    WRITERS[request.param](range(COUNT), found[0])
    WRITERS[request.param](range(COUNT, COUNT + 50), found[1])
    return [str(path) for path in found]


def whole(paths, **options):
    """All rows, as the dataset yields them without splits."""
    dataset = af.open_dataset(paths, representations={}, **options)
    batches = [batch.to_pyarrow() for batch in dataset.record_batches(batch_size=500)]
    return pa.Table.from_batches(batches, pa.schema(dataset.arrow_schema))


def through(reader, splits):
    batches = [batch for split in splits for batch in reader.read(split)]
    return pa.Table.from_batches(batches, reader.schema)


def read_in_process(data: bytes, queue) -> None:
    reader, splits = pickle.loads(data)
    queue.put([through(reader, [split]).to_pydict() for split in splits])


def in_spawned_process(data: bytes):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=read_in_process, args=(data, queue))
    process.start()
    found = queue.get(timeout=60)
    process.join()
    return found


def test_the_splits_have_exactly_the_rows_of_the_dataset(paths):
    source = SplitSource(paths, {})
    splits = source.plan(8 << 10)
    expected = whole(paths)
    assert expected.num_rows == COUNT + 50
    assert len(splits) >= 2 if paths[0].endswith(".gz") else len(splits) > 4
    found = through(source.reader(), splits)
    assert found.equals(expected)
    assert source.schema.equals(expected.schema)


def test_a_spawned_process_reads_the_same_rows(paths):
    source = SplitSource(paths, {})
    splits = source.plan(16 << 10)
    reader = source.reader()
    expected = [through(reader, [split]).to_pydict() for split in splits]
    assert in_spawned_process(pickle.dumps((reader, splits))) == expected


def test_read_all_has_the_rows_in_file_order(paths):
    reader = SplitSource(paths, {}).reader()
    batches = list(reader.read_all(batch_size=300, threads=2))
    assert {batch.num_rows for batch in batches[:-1]} == {300}
    assert pa.Table.from_batches(batches).equals(whole(paths))


def test_a_reader_of_some_columns_reads_these_in_their_order(paths):
    source = SplitSource(paths, {})
    splits, everything = source.plan(16 << 10), whole(paths)
    names = everything.schema.names
    for columns in (names[::-1], names[-1:], names[:1], []):
        reader = source.reader(columns)
        assert reader.schema.names == columns
        copy = pickle.loads(pickle.dumps(reader))
        assert copy.schema.equals(reader.schema)
        batches = [batch for split in splits for batch in copy.read(split)]
        assert sum(batch.num_rows for batch in batches) == COUNT + 50
        if columns:
            assert pa.Table.from_batches(batches).equals(everything.select(columns))
        else:
            assert {batch.num_columns for batch in batches} == {0}
        rows = list(reader.read_all(batch_size=1000))
        assert sum(batch.num_rows for batch in rows) == COUNT + 50
        assert rows[0].schema.names == columns


def test_a_column_that_is_selected_twice_is_there_twice(paths):
    """As in `pyarrow.Table.select`. The option `columns` of a dataset has each column once."""
    source = SplitSource(paths, {})
    splits, everything = source.plan(16 << 10), whole(paths)
    first, last = everything.schema.names[0], everything.schema.names[-1]
    for columns in ([first, first], [last, first, last]):
        reader = pickle.loads(pickle.dumps(source.reader(columns)))
        engine_splits._open.clear()
        assert through(reader, splits).equals(everything.select(columns))
        assert pa.Table.from_batches(reader.read_all(batch_size=1000)).equals(everything.select(columns))
        again = reader.select([first, first])
        assert through(again, splits).equals(everything.select([first, first]))
    if not paths[0].endswith("raw"):
        once = SplitSource(paths, {}, columns=[last, first, last])
        assert once.schema.names == list(dict.fromkeys([last, first]))
        assert once.schema.names == whole(paths, columns=[last, first, last]).schema.names


def test_a_reader_decodes_only_its_columns(tmp_path):
    """The strings of one column are no UTF-8, which is an error where the column is decoded."""
    path = tmp_path / "broken.avro"
    af.write_avro(pa.table({"id": [1, 2], "good": ["ab", "cd"], "bad": ["\x01\x01", "ef"]}), path)
    path.write_bytes(path.read_bytes().replace(b"\x01\x01", b"\xff\xff"))
    source = SplitSource(path, {})
    [split] = source.plan()
    assert through(source.reader(["good", "id"]), [split]).to_pydict() == {"good": ["ab", "cd"], "id": [1, 2]}
    assert sum(batch.num_rows for batch in source.reader([]).read(split)) == 2
    assert [batch.num_rows for batch in source.reader(["id"]).read_all(batch_size=8)] == [2]
    for columns in (["bad"], None):
        with pytest.raises(af.CorruptBlockError, match="UTF-8"):
            through(source.reader(columns), [split])


STRANGE = ["a.b", "it's", "['x']", "with space", "a", "[0]", "''"]


def test_names_with_quotes_and_dots(tmp_path):
    rows = pa.table({name: [number] for number, name in enumerate(STRANGE)})
    pq.write_table(rows, tmp_path / "strange.parquet")
    write = {"csv": lambda path: csv_of(rows, path), "jsonl": lambda path: lines_of(rows, path)}
    for ending, writer in write.items():
        writer(tmp_path / f"strange.{ending}")
    for ending in ("parquet", "csv", "jsonl"):
        source = SplitSource(tmp_path / f"strange.{ending}", {})
        splits = source.plan()
        assert sorted(source.schema.names) == sorted(STRANGE)
        for name in STRANGE:
            columns = [name, next(other for other in STRANGE if other != name)]
            expected = {column: [STRANGE.index(column)] for column in columns}
            assert through(source.reader(columns), splits).to_pydict() == expected


def csv_of(rows, path):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows.column_names)
        writer.writerow([column[0].as_py() for column in rows.columns])


def lines_of(rows, path):
    path.write_text(json.dumps(rows.to_pylist()[0]) + "\n")


def test_the_option_columns_stays_in_force(tmp_path):
    """The column `user` has only the fields that the option selects, also in a reader of some columns."""
    person = {"name": "ada", "age": 3}
    rows = pa.table({"id": [1], "user": [person], "it's.it": [{"a": 1, "b": 2}]})
    pq.write_table(rows, tmp_path / "rows.parquet")
    options = {"columns": ["user.age", "id", "['it''s.it'].b", "user.name"]}
    source = SplitSource(tmp_path / "rows.parquet", options)
    splits = source.plan()
    assert source.schema.names == ["user", "id", "it's.it"]
    expected = {"it's.it": [{"b": 2}], "user": [{"age": 3, "name": "ada"}]}
    reader = pickle.loads(pickle.dumps(source.reader(["it's.it", "user"])))
    engine_splits._open.clear()
    assert through(reader, splits).to_pydict() == expected
    source = SplitSource(tmp_path / "rows.parquet", {"columns": ["user.age", "id"]})
    assert through(source.reader(["user"]), splits).to_pydict() == {"user": [{"age": 3}]}


def test_quoted_doubles_quotes():
    assert quoted("it's") == "['it''s']"


def test_an_unknown_column_is_refused(tmp_path):
    write_avro(range(3), tmp_path / "a.avro")
    with pytest.raises(
        af.SchemaError, match=r"expected columns of \['id', 'value', 'name'\], found \['nme'\]"
    ):
        SplitSource(tmp_path / "a.avro", {}).reader(["id", "nme"])


@pytest.mark.parametrize("selected", [None, ["id"]])
def test_a_first_file_with_other_columns_is_an_error(tmp_path, selected):
    path = tmp_path / "a.avro"
    af.write_avro(pa.table({"id": [1, 2]}), path)
    source = SplitSource(path, {})
    [split] = source.plan()
    reader = source.reader(selected)
    af.write_avro(pa.table({"id": ["now", "a", "string"]}), path)
    engine_splits._open.clear()
    with pytest.raises(
        af.ChangedError, match="expected the columns id: int64.*found id: string: the first file"
    ):
        list(reader.read(split))
    with pytest.raises(af.ChangedError):
        list(reader.read_all(batch_size=1))


def test_a_file_with_other_rows_is_an_error_in_another_process(tmp_path):
    path = tmp_path / "a.avro"
    write_avro(range(3), path)
    source = SplitSource(path, {})
    data = pickle.dumps((source.reader(), source.plan()))
    write_avro(range(4), path)
    engine_splits._open.clear()
    reader, [split] = pickle.loads(data)
    with pytest.raises(af.ChangedError):
        list(reader.read(split))


def test_a_split_is_small_and_has_no_secret(tmp_path):
    directory = tmp_path / ("long-name-" * 20)
    directory.mkdir()
    write_avro(range(COUNT), directory / "a.avro")
    source = SplitSource(f"file://{directory}/a.avro", {"storage_options": {"aws_secret_access_key": SECRET}})
    splits = source.plan(16 << 10)
    assert len(splits) > 2
    for split in splits:
        data = pickle.dumps(split)
        assert len(data) < 1024
        assert SECRET.encode() not in data
        assert SECRET not in repr(split)
    reader = source.reader()
    assert SECRET not in repr(reader) + reader.key
    # The reader has it, because a worker needs it.
    assert SECRET.encode() in pickle.dumps(reader)


def test_sources_without_a_path_have_no_splits(tmp_path):
    write_avro(range(3), tmp_path / "a.avro")
    data = (tmp_path / "a.avro").read_bytes()
    source = SplitSource(data, {})
    assert sum(batch.num_rows for batch in source.reader().read_all(batch_size=2)) == 3
    with pytest.raises(af.OptionError, match="path"):
        source.plan()
    for files in ((tmp_path / "a.avro").open("rb"), [(tmp_path / "a.avro").open("rb")]):
        with pytest.raises(TypeError, match="expected files that can be read again, found BufferedReader"):
            SplitSource(files, {})
    for file in files:
        file.close()


def test_an_iterator_of_paths_is_read_once(tmp_path):
    for number in range(2):
        write_avro(range(number * 3, number * 3 + 3), tmp_path / f"{number}.avro")
    source = SplitSource(iter([tmp_path / "0.avro", tmp_path / "1.avro"]), {})
    assert through(source.reader(["id"]), source.plan())["id"].to_pylist() == list(range(6))


def test_only_chunks_can_be_skipped():
    for accepted in (None, "raise", "skip_block"):
        engine_splits.check_on_error(accepted)
    message = (
        "on_error: expected 'raise' or 'skip_block', because a task reads a part of a file, found 'skip_file'"
    )
    with pytest.raises(ValueError, match=message):
        engine_splits.check_on_error("skip_file")


def test_skipped_blocks_are_logged(tmp_path, caplog):
    path = tmp_path / "a.avro"
    af.write_avro(pa.table({"id": range(5000)}), path, block_bytes=512, codec="deflate")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    source = SplitSource(path, {})
    reader = source.reader(on_error="skip_block")
    rows = sum(batch.num_rows for split in source.plan() for batch in reader.read(split))
    assert 0 < rows < 5000
    assert ["skipped a block" in record.message for record in caplog.records] == [True]
    assert sum(batch.num_rows for batch in reader.read_all(batch_size=1000)) == rows
    assert len(caplog.records) == 2


def test_files_that_are_planned_in_groups_have_all_splits_once(tmp_path):
    """The columns of one group alone are others, and a file is listed twice."""
    rows = {"x": [{"a": 1}] * 3, "o": [{}] * 2}
    for name, lines in rows.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text)
    source = SplitSource([tmp_path / f"{name}.jsonl" for name in ("x", "o", "o")], {})
    planner = planner_of(source)
    assert len(planner) == 3
    planned = [split for file in range(3) for split in planner.plan(file, file + 1)]
    assert sorted(planned) == sorted(source.plan())
    reader = source.reader()
    assert sum(batch.num_rows for split in planned for batch in reader.read(split)) == 7


def test_a_csv_column_whose_name_looks_like_a_path(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,a.b\n1,2\n")
    source = SplitSource(path, {"columns": ["a", "a.b"]})
    for name in ("a", "a.b"):
        reader = source.reader([name])
        assert [batch.schema.names for split in source.plan() for batch in reader.read(split)] == [[name]]


def test_at_most_16_datasets_stay_open(tmp_path):
    readers = []
    for number in range(40):
        write_avro(range(3), tmp_path / f"{number}.avro")
        source = SplitSource(tmp_path / f"{number}.avro", {})
        readers.append((source.reader(), source.plan()))
        assert len(engine_splits._open) <= 16
    for reader, splits in readers:
        assert through(reader, splits).num_rows == 3
        for name in ("id", "name"):
            assert through(reader.select([name]), splits).num_rows == 3
        assert len(engine_splits._open) <= 16


def test_a_process_opens_the_files_once(tmp_path, monkeypatch):
    write_avro(range(COUNT), tmp_path / "a.avro")
    source = SplitSource(tmp_path / "a.avro", {})
    splits, reader = source.plan(4 << 10), source.reader()
    opened = []
    kind = reader._kind
    reader._kind = lambda *arguments, **options: opened.append(options) or kind(*arguments, **options)
    engine_splits._open.clear()
    for _ in range(2):
        through(reader, splits)
        through(reader.select(["id"]), splits)
    assert len(splits) > 5
    assert len(opened) == 2


def test_a_directory_of_many_files_is_planned(tmp_path):
    write_avro(range(3), tmp_path / "first.avro")
    data = (tmp_path / "first.avro").read_bytes()
    for number in range(999):
        (tmp_path / f"{number:03}.avro").write_bytes(data)
    source = SplitSource(tmp_path, {})
    splits = source.plan()
    assert len(splits) == 1000
    assert through(source.reader(["id"]), splits).num_rows == 3000
