"""Columns that are not stored in files: partitions, the path of the file, and the number of the row."""

import datetime as dt
import io
import itertools
import json
import pickle
import re

import fsspec
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed._engines.planner import planner_of
from arrowfeed._engines.splits import SplitSource
from arrowfeed._formats import BY_NAME, FORMATS
from cli_formats import WRITERS, random_rows

NAMES = ["rows.avro", "rows.parquet", "rows.arrow", "rows.tfrecord", "rows.jsonl", "rows.csv"]
PARTS = {"dt=2026-01-01/n=1": (1, 30), "dt=2026-01-02/n=2": (2, 20), "n=3": (3, 25)}
"""Directories, and the seed and the number of the rows of their file."""

ADDED = {"partitioning": "hive", "file_column": "path", "row_column": "row"}


@pytest.fixture(params=NAMES)
def table(request, tmp_path):
    """A directory of partitions in a format, and the format."""
    name = request.param
    known, write = WRITERS[name]
    for part, (seed, count) in PARTS.items():
        directory = tmp_path / "table" / part
        directory.mkdir(parents=True)
        write(directory / name, random_rows(seed, count))
    # Files that are not part of the table.
    for other in ("_delta_log", ".hidden"):
        directory = tmp_path / "table" / other
        directory.mkdir()
        write(directory / name, random_rows(9, 5))
    return tmp_path / "table", BY_NAME[known]


def expected(directory, known, only=None):
    """The rows of the table, with the added columns. Files are sorted by their paths."""
    rows = []
    for part in sorted(PARTS):
        [path] = (directory / part).iterdir()
        number = int(part.rpartition("=")[2])
        date = part[3:13] if part.startswith("dt") else None
        stored = pa.Table.from_batches(map(pa.record_batch, known.read(path))).to_pylist()
        for row, values in enumerate(stored):
            # The rows of a file that has a column `n` have the value of the path.
            others = {name: value for name, value in values.items() if name != "n"}
            added = {"dt": date, "n": number, "path": str(path), "row": row}
            rows.append({**others, **added})
    return rows if only is None else [{name: row[name] for name in only} for row in rows]


def rows_of(batches):
    return [row for batch in batches for row in pa.record_batch(batch).to_pylist()]


def key(row):
    return row["path"], row["row"]


def test_readers_add_the_columns(table):
    directory, known = table
    wanted = expected(directory, known)
    for threads in (1, 2):
        reader = known.read(directory, batch_size=7, threads=threads, **ADDED)
        schema = pa.schema(reader.schema)
        assert schema.names[-4:] == ["dt", "n", "path", "row"]
        kinds = [schema.field(name).type for name in schema.names[-4:]]
        assert kinds == [pa.string(), pa.int64(), pa.string(), pa.int64()]
        assert rows_of(reader) == wanted
    # The columns with an argument of their own come after those that `columns` names.
    for columns, found in [(["row", "dt"], ["row", "dt", "path"]), (["t"], ["t", "path", "row"])]:
        only = known.read(directory, columns=columns, **ADDED)
        assert pa.schema(only.schema).names == found
        assert rows_of(only) == expected(directory, known, found)
        dataset = known.dataset(directory, columns=columns, representations={}, **ADDED)
        assert dataset.arrow_schema.names == found
        assert rows_of(dataset.record_batches(batch_size=9)) == expected(directory, known, found)
    only = known.read(directory, columns=["t"], partitioning="hive", row_column="row", where="row = 1")
    assert rows_of(only) == [row for row in expected(directory, known, ["t", "row"]) if row["row"] == 1]


def test_datasets_add_the_columns(table):
    directory, known = table
    wanted = expected(directory, known)
    for dataset in (
        known.dataset(directory, representations={}, **ADDED),
        af.open_dataset(directory, representations={}, **ADDED),
    ):
        assert type(dataset) is known.dataset
        for copy in (dataset, pickle.loads(pickle.dumps(dataset))):
            assert rows_of(copy.record_batches(batch_size=9)) == wanted
            for options in ({"threads": 1}, {"threads": 8}, {"on_error": "skip_block"}):
                batches = copy.record_batches(batch_size=9, shuffle_buffer_size=30, seed=1, **options)
                assert sorted(rows_of(batches), key=key) == wanted
            shards = (copy.record_batches(batch_size=4, shard=(index, 3)) for index in range(3))
            assert sorted(rows_of(itertools.chain.from_iterable(shards)), key=key) == wanted
            splits = copy.plan_splits(target_bytes=300)
            assert [row for split in splits for row in rows_of(copy.read_split(split))] == wanted
        assert "columns: " in dataset.explain()
        assert dataset.explain().partition("\n")[0].endswith("dt, n, path, row")
        iterator = dataset.record_batches(batch_size=9)
        next(iterator)
        resumed = dataset.record_batches(batch_size=9)
        resumed.load_state_dict(iterator.state_dict())
        assert rows_of(resumed) == wanted[9:]


def test_no_order_reads_a_file_that_a_filter_of_partitions_rules_out(table):
    directory, known = table
    shuffle = {"batch_size": 5, "shuffle_buffer_size": 7, "seed": 1}
    orders = [
        {"batch_size": 5},
        shuffle,
        {"batch_size": 5, "shard": (1, 2)},
        {**shuffle, "shard": (0, 2)},
        {"global_batch_size": 10, "streams": 2, "shuffle_buffer_size": 40, "seed": 3},
    ]
    # Copies have the inferred columns, so they need not read the files for them.
    pickled = pickle.dumps(known.dataset(directory, representations={}, **ADDED))

    def rows(options):
        dataset = pickle.loads(pickled).filter("n <> 2")
        return dataset.num_rows, rows_of(dataset.record_batches(**options))

    intact = [rows(options) for options in orders]
    first = pickle.loads(pickled).filter("n <> 2").record_batches(**shuffle)
    next(first)
    state, rest = first.state_dict(), rows_of(first)
    [path] = (directory / "dt=2026-01-02/n=2").iterdir()
    path.write_bytes(b"damaged")
    assert [rows(options) for options in orders] == intact
    resumed = pickle.loads(pickled).filter("n <> 2").record_batches(**shuffle)
    resumed.load_state_dict(state)
    assert rows_of(resumed) == rest
    with pytest.raises(af.ArrowfeedError):
        rows_of(pickle.loads(pickled).record_batches(**shuffle))


def test_a_state_does_not_depend_on_the_files_that_were_scanned(table):
    directory, known = table
    options = {"batch_size": 3, "shuffle_buffer_size": 7, "seed": 1}

    def batches(is_known, filters):
        dataset = known.dataset(directory, representations={}, **ADDED)
        if is_known:
            assert dataset.num_rows == 75
        part = dataset.filter("n <> 2").split(0.7, seed=4)[0]
        return (part.filter("n <> 3") if filters else part).record_batches(**options)

    for filters in (False, True):
        for one, other in ((False, True), (True, False)):
            first, resumed = batches(one, filters), batches(other, filters)
            next(first)
            resumed.load_state_dict(first.state_dict())
            assert rows_of(resumed) == rows_of(first)


def test_an_index_serves_a_dataset_with_added_columns(table, tmp_path):
    directory, known = table
    files = [str(path) for path in sorted(directory.rglob(f"[a-z]*.{known.extension}"))]
    files = [path for path in files if "_delta" not in path and ".hidden" not in path]
    known.dataset(files, representations={}).save_index(tmp_path / "index.json")
    dataset = known.dataset(directory, index=tmp_path / "index.json", representations={}, **ADDED)
    assert rows_of(dataset.record_batches(batch_size=50)) == expected(directory, known)


def test_added_columns_are_tensors(table):
    directory, known = table
    dataset = known.dataset(directory, **ADDED)
    names = list(dataset.specs)
    assert {"dt", "n", "path", "row"} <= set(names)
    wanted = expected(directory, known)
    features = {
        "n": af.features.Dense([]),
        "dt": af.features.Dense([], default=b"?"),
        "row": af.features.Dense([]),
    }
    chosen = known.dataset(directory, features=features, **ADDED)
    assert chosen.arrow_schema.names == ["n", "dt", "row"]
    [tensors] = chosen.tensors(batch_size=100)
    assert tensors["n"].values.tolist() == [row["n"] for row in wanted]
    assert tensors["row"].values.tolist() == [row["row"] for row in wanted]
    dates = [
        value if isinstance(value, bytes) else str(value).encode() for value in tensors["dt"].values.tolist()
    ]
    assert dates == [(row["dt"] or "?").encode() for row in wanted]
    projected = dataset.project(["row"])
    assert projected.arrow_schema.names == ["row"]
    [tensors] = projected.tensors(batch_size=100)
    assert len(tensors["row"].values) == len(wanted)


def test_readers_of_splits_in_other_processes_have_the_columns_of_all_files(table):
    directory, known = table
    source = SplitSource(str(directory), dict(ADDED))
    wanted = expected(directory, known)
    reader = pickle.loads(pickle.dumps(source.reader()))
    assert [
        row for split in source.plan(300) for batch in reader.read(split) for row in batch.to_pylist()
    ] == wanted
    selected = reader.select(["row", "n"])
    found = [row for split in source.plan(300) for batch in selected.read(split) for row in batch.to_pylist()]
    assert found == expected(directory, known, ["row", "n"])
    # A task plans only some of the files.
    planner = pickle.loads(pickle.dumps(planner_of(source)))
    assert len(planner) == len(PARTS)
    splits = [split for file in range(len(planner)) for split in planner.plan(file, file + 1)]
    assert [row for split in splits for batch in reader.read(split) for row in batch.to_pylist()] == wanted


def test_a_scan_has_the_columns(people, tmp_path):
    polars = pytest.importorskip("polars")
    people("n=1"), people("n=2")
    for scan in (af.scan_avro, af.scan_dataset):
        frame = scan(tmp_path / "people", **ADDED)
        assert frame.collect_schema().names() == ["id", "n", "path", "row"]
        found = frame.filter(polars.col("n") == 2).select("row", "id").collect()
        assert found.rows() == [(0, 1), (1, 2)]


def test_other_kinds_of_records_have_added_columns(tmp_path):
    directory = tmp_path / "n=1"
    directory.mkdir()
    example = af.encode_examples(pa.table({"id": [[1], [2]]}))
    af.write_tfrecord(
        pa.table({"record": pa.array(example, pa.large_binary())}), directory / "a.tfrecord", format="raw"
    )
    raw = af.RawRecordDataset(tmp_path, representations={}, **ADDED)
    assert [(row["n"], row["row"]) for row in rows_of(raw.record_batches(batch_size=9))] == [(1, 0), (1, 1)]
    assert rows_of(raw.project([]).record_batches(batch_size=9))[1]["row"] == 1
    only = af.read_tfrecord(directory, format="raw", columns=["row"], row_column="row")
    assert rows_of(only) == [{"row": 0}, {"row": 1}]
    steps = pa.StructArray.from_arrays([pa.array([[[1]], []])], names=["n"])
    sequences = pa.table({"id": [[1], [2]], "##SEQUENCE##": steps})
    path = tmp_path / "k=x" / "a.tfrecord"
    path.parent.mkdir()
    af.write_tfrecord(sequences, path, format="sequence_example")
    dataset = af.SequenceExampleDataset(path, representations={}, **ADDED)
    assert [(row["k"], row["row"]) for row in rows_of(dataset.record_batches(batch_size=9))] == [
        ("x", 0),
        ("x", 1),
    ]
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.arrow_schema == dataset.arrow_schema
    only = af.read_tfrecord(path, format="sequence_example", columns=["row"], row_column="row")
    assert rows_of(only) == [{"row": 0}, {"row": 1}]


@pytest.fixture
def people(tmp_path):
    """Writes a file with the column `id` into a directory."""

    def write(part):
        path = tmp_path / "people" / part / "part.avro"
        path.parent.mkdir(parents=True)
        af.write_avro(pa.table({"id": [1, 2]}), path)
        return path

    return write


def column(source, name, **options):
    found = af.read_avro(source, columns=[name], **{"partitioning": "hive", **options}).to_pyarrow()[name]
    return found.type, found.to_pylist()[::2]


def test_values_are_decoded_and_types_are_inferred(people, tmp_path):
    people("a=x%2Fy%20z/b=1/c=007")
    people("a=50%/b=__HIVE_DEFAULT_PARTITION__/c=x")
    people("a=größe/b=-2/c=9")
    source = tmp_path / "people"
    assert column(source, "a") == (pa.string(), ["50%", "größe", "x/y z"])
    assert column(source, "b") == (pa.int64(), [None, -2, 1])
    assert column(source, "c") == (pa.string(), ["x", "9", "007"])


def test_a_schema_gives_names_and_types(people, tmp_path):
    first, _ = people("dt=2026-01-02/n=1"), people("n=2")
    schema = pa.schema([("n", pa.int8()), ("dt", pa.date32()), ("missing", pa.float64())])
    source = tmp_path / "people"
    dataset = af.AvroDataset(source, partitioning=schema, representations={})
    for copy in (dataset, pickle.loads(pickle.dumps(dataset))):
        assert pa.schema(copy.arrow_schema).types[1:] == schema.types
        rows = rows_of(copy.record_batches(batch_size=9))
        assert rows[0] == {"id": 1, "n": 1, "dt": dt.date(2026, 1, 2), "missing": None}
        assert rows[2] == {"id": 1, "n": 2, "dt": None, "missing": None}
    assert column(source, "n", partitioning=pa.schema([("n", pa.string())])) == (pa.string(), ["1", "2"])
    with pytest.raises(af.SchemaError) as caught:
        af.read_avro(source, partitioning=pa.schema([("dt", pa.int64())]))
    message = f'{first}: dt: expected a value of the type Int64 in the path, found "2026-01-02"'
    assert str(caught.value) == message
    with pytest.raises(af.SchemaError) as caught:
        af.read_avro(source, partitioning=pa.schema([("n", pa.list_(pa.int64()))]))
    assert str(caught.value) == "n: expected a type to which texts can be converted, found List(Int64)"


def test_a_copy_keeps_the_types_when_files_are_added(people, tmp_path):
    people("n=1")
    dataset = af.AvroDataset(f"file://{tmp_path}/people", representations={}, **ADDED)
    people("n=x")
    copy = pickle.loads(pickle.dumps(dataset))
    assert rows_of(copy.record_batches(batch_size=9)) == rows_of(dataset.record_batches(batch_size=9))


def write_ipc(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


@pytest.mark.parametrize(
    ("extension", "read", "write"),
    [
        ("avro", af.read_avro, af.write_avro),
        ("parquet", af.read_parquet, pq.write_table),
        ("arrow", af.read_arrow_ipc, write_ipc),
        ("tfrecord", af.read_tfrecord, af.write_tfrecord),
        ("jsonl", af.read_json_lines, write_json_lines),
        ("csv", af.read_csv, pa.csv.write_csv),
    ],
)
def test_a_file_whose_directory_is_ruled_out_does_not_give_the_schema(extension, read, write, tmp_path):
    for day, row in [(1, {"old": 1.5}), (2, {"id": 1, "text": "a"}), (3, {"id": 2, "text": "b"})]:
        directory = tmp_path / f"day={day}"
        directory.mkdir()
        write(pa.Table.from_pylist([row]), directory / f"part.{extension}")
    found = pa.table(read(tmp_path, partitioning="hive", where="day >= 2 and text is not null"))
    assert sorted(found.column_names) == ["day", "id", "text"]
    assert found["day"].to_pylist() == [2, 3]
    last = pa.table(read(tmp_path, partitioning="hive", where=af.col("day") == 3))
    assert last["day"].to_pylist() == [3]


def test_without_another_file_the_first_one_gives_the_schema(tmp_path):
    for day, name in [(1, "old"), (2, "id")]:
        (tmp_path / f"day={day}").mkdir()
        af.write_avro(pa.table({name: [1]}), tmp_path / f"day={day}" / "part.avro")
    nothing = af.read_avro(tmp_path, partitioning="hive", where="day > 3").to_pyarrow()
    assert (nothing.num_rows, nothing.column_names) == (0, ["old", "day"])


def test_lists_globs_and_files_have_partitions_too(people):
    first, second = people("n=1"), people("n=2")
    assert column([second, str(first)], "n") == (pa.int64(), [2, 1])
    assert column(str(first.parent.parent / "n=*" / "*.avro"), "n") == (pa.int64(), [1, 2])
    # Bytes and file objects have no directories.
    data = first.read_bytes()
    for source in (data, io.BytesIO(data)):
        reader = af.read_avro(source, **ADDED)
        assert reader.schema.names == ["id", "path", "row"]
        assert [row["row"] for row in rows_of(reader)] == [0, 1]
    [row, _] = rows_of(af.read_avro(data, file_column="path"))
    assert row == {"id": 1, "path": f"<{len(data)} bytes>"}


def test_without_partitioning_a_directory_has_its_own_files(people):
    path = people("n=1")
    with pytest.raises(FileNotFoundError):
        af.read_avro(path.parent.parent, file_column="path")
    [row, _] = rows_of(af.read_avro(path.parent, row_column="i"))
    assert row == {"id": 1, "i": 0}


def test_the_value_of_the_path_replaces_a_column(tmp_path):
    path = tmp_path / "id=7" / "part.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int32()), "x": [3, 4]}), path)
    found = af.read_parquet(tmp_path, partitioning="hive").to_pyarrow()
    assert found.to_pylist() == [{"x": 3, "id": 7}, {"x": 4, "id": 7}]
    # As in pyarrow.
    theirs = ds.dataset(tmp_path, partitioning="hive").to_table().to_pylist()
    assert [row["id"] for row in theirs] == [7, 7]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"file_column": "id"},
            af.OptionError,
            'file_column: expected a name that no other column has, found "id"',
        ),
        (
            {"row_column": "n", "partitioning": "hive"},
            af.OptionError,
            'row_column: expected a name that no other column has, found "n"',
        ),
        (
            {"row_column": "x", "file_column": "x"},
            af.OptionError,
            'row_column: expected a name that no other column has, found "x"',
        ),
        (
            {"partitioning": "directory"},
            ValueError,
            "partitioning: expected \"hive\" or a schema of the partition columns, found str 'directory'",
        ),
        (
            {"partitioning": ["n"]},
            TypeError,
            "partitioning: expected \"hive\" or a schema of the partition columns, found list ['n']",
        ),
        ({"file_column": 1}, TypeError, "file_column: expected the name of a column (str), found int 1"),
        (
            {"row_column": b"x"},
            TypeError,
            "row_column: expected the name of a column (str), found bytes b'x'",
        ),
    ],
)
def test_wrong_arguments_of_added_columns_are_named(people, options, kind, message):
    path = people("n=1")
    for call in (af.read_avro, af.AvroDataset, af.open_dataset):
        with pytest.raises(kind) as caught:
            call(path, **options)
        assert (type(caught.value), str(caught.value)) == (kind, message)


def test_a_column_that_no_file_and_no_argument_has_is_an_error(people):
    path = people("n=1")
    with pytest.raises(af.SchemaError, match=re.escape("m")):
        af.read_avro(path, columns=["m"], **ADDED)


@pytest.mark.parametrize(
    "part", [(), ("--json",), ("--canonical",), ("--reader-schema", "merge"), ("--format", "avro")]
)
def test_the_command_line_reads_headers_below_a_directory(arrowfeed, tmp_path, part):
    for day in range(2):
        path = tmp_path / f"clicks/dt=2026-01-0{day + 1}"
        path.mkdir(parents=True)
        af.write_avro(pa.table({"id": [day]}), path / "a.avro")
    ran = arrowfeed("schema", *part, "--partitioning", "hive", "clicks")
    alone = arrowfeed("schema", *part, "clicks/dt=2026-01-01/a.avro")
    assert (ran.code, ran.err) == (0, "")
    if part == ("--json",):
        found = json.loads(ran.out)
        assert found["schema"] == json.loads(alone.out)["schema"]
        assert "dt: Utf8" in found["arrow"]
    else:
        assert ran.out == alone.out


def test_the_command_line_adds_columns(table, arrowfeed, tmp_path):
    directory, known = table
    options = ["--partitioning", "hive", "--file-column", "path", "--row-column", "row"]
    ran = arrowfeed("cat", directory, "--columns", "row,n,path", *options)
    assert (ran.code, ran.err) == (0, "")
    wanted = expected(directory, known, ["row", "n", "path"])
    assert [json.loads(line) for line in ran.out.splitlines()] == wanted
    ran = arrowfeed("head", directory, "-n", "1", "--exclude", "t,x,path", *options)
    assert list(json.loads(ran.out))[-3:] == ["dt", "n", "row"]
    out = tmp_path / "out.avro"
    ran = arrowfeed("convert", directory, "-o", out, "--columns", "n,row", *options)
    assert ran.code == 0, ran.err
    assert rows_of(af.read_avro(out)) == expected(directory, known, ["n", "row", "path"])
    ran = arrowfeed("stats", directory, "--columns", "dt", "--json", *options)
    assert (ran.code, ran.err) == (0, "")
    ran = arrowfeed("cat", directory, "--row-column", "n", "--partitioning", "hive")
    message = 'arrowfeed: row_column: expected a name that no other column has, found "n"\n'
    assert (ran.code, ran.err) == (1, message)


def test_every_dataset_and_reader_has_the_arguments():
    for known in FORMATS:
        assert all(known.has(name) for name in ADDED)


def test_files_of_fsspec_are_found_below():
    filesystem = fsspec.filesystem("memory")
    buffer = io.BytesIO()
    af.write_avro(pa.table({"id": [1, 2]}), buffer)
    for name in ("n=1/a.avro", "n=2/b/a.avro", "_log/a.avro", "n=1/.a.avro"):
        filesystem.pipe_file(f"/partitions-table/{name}", buffer.getvalue())
    found = af.read_avro("partitions-table", store=filesystem, **ADDED).to_pyarrow().to_pylist()
    assert [(row["n"], row["row"]) for row in found] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    dataset = af.open_dataset("memory://partitions-table", representations={}, **ADDED)
    assert rows_of(dataset.record_batches(batch_size=2))[2] == {
        "id": 1,
        "n": 2,
        "path": "memory://partitions-table/n=2/b/a.avro",
        "row": 0,
    }
    assert len(planner_of(SplitSource("memory://partitions-table", dict(ADDED)))) == 2
    filesystem.rm("/partitions-table", recursive=True)


def test_copies_of_files_without_a_header_have_the_same_names(tmp_path):
    path = tmp_path / "n=1" / "a.csv"
    path.parent.mkdir()
    path.write_text("1,x\n2,y\n")
    dataset = af.CsvDataset(tmp_path, header=False, representations={}, **ADDED)
    rows = rows_of(dataset.record_batches(batch_size=9))
    assert list(rows[0].values()) == [1, "x", 1, str(path), 0]
    copy = pickle.loads(pickle.dumps(dataset))
    assert rows_of(copy.record_batches(batch_size=9)) == rows
    selected = af.CsvDataset(
        tmp_path,
        header=False,
        representations={},
        columns=["row", list(rows[0])[1]],
        partitioning="hive",
        row_column="row",
    )
    copy = pickle.loads(pickle.dumps(selected))
    assert [tuple(row.values()) for row in rows_of(copy.record_batches(batch_size=9))] == [(0, "x"), (1, "y")]


TEXTS = [
    ("1.505", pa.decimal128(5, 2), None),
    ("1.50", pa.decimal128(5, 1), "1.5"),
    ("0.001", pa.decimal256(50, 2), None),
    ("2.7", pa.decimal128(5, 0), None),
    ("9" * 2000, pa.decimal256(70, 2), None),
    ("2024-01-01 00:00:00.5", pa.timestamp("s"), None),
    ("2024-01-01 00:00:00.5", pa.timestamp("ms"), "2024-01-01 00:00:00.500000"),
    ("2024-01-01T00:00:00+02:00", pa.timestamp("us"), None),
    ("2024-01-01T00:00:00+01:60", pa.timestamp("us", "UTC"), None),
    ("2024-01-01T02:00:00+02:00", pa.timestamp("us", "UTC"), "2024-01-01 00:00:00+00:00"),
    ("2024-06-30 23:59:60", pa.timestamp("us"), None),
    ("2024-01-01 12:00:00", pa.date32(), None),
    ("2024-1-1x", pa.date32(), None),
    ("2024-1-1", pa.date64(), "2024-01-01"),
    ("12:30:00.5", pa.time32("s"), None),
    ("1230", pa.time32("s"), None),
    ("1e400", pa.float64(), None),
    ("yes", pa.bool_(), None),
    ("True", pa.bool_(), "True"),
    ("a", pa.dictionary(pa.int8(), pa.string()), "a"),
]


@pytest.mark.parametrize(("text", "data_type", "expected"), TEXTS, ids=lambda value: str(value)[:30])
def test_a_value_of_a_path_is_exact_or_an_error(text, data_type, expected):
    # In memory, a name of a directory may be long.
    filesystem = fsspec.filesystem("memory")
    written = io.BytesIO()
    af.write_avro(pa.table({"id": [1]}), written)
    filesystem.pipe_file(f"/exact-partitions/k={text.replace(':', '%3A')}/a.avro", written.getvalue())
    options = {"store": filesystem, "partitioning": pa.schema({"k": data_type})}
    try:
        if expected is not None:
            found = pa.table(af.read_avro("exact-partitions", **options))["k"]
            assert (found.type, str(found[0].as_py())) == (data_type, expected)
            return
        with pytest.raises(af.SchemaError) as caught:
            af.read_avro("exact-partitions", **options)
    finally:
        filesystem.rm("/exact-partitions", recursive=True)
    assert re.search(
        r"/a\.avro: k: expected a value of the type \w+(\(.*\))? in the path, found ", str(caught.value)
    )
