"""`ParquetDataset` reads the rows of pyarrow, and supports all features of datasets."""

import io
import pickle

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed import features

ROWS = 5000


@pytest.fixture(scope="module")
def table():
    numbers = range(ROWS)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "word": pa.array([f"word {i % 13}" for i in numbers]).dictionary_encode(),
            "lists": pa.array([[float(i)] * (i % 4) for i in numbers], pa.list_(pa.float32())),
            "user": pa.array([{"name": str(i), "age": i % 90} for i in numbers]),
            "counts": pa.array([[("a", i)] for i in numbers], pa.map_(pa.string(), pa.int64())),
        }
    )


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """Three files with row groups of different sizes, and a file of another format."""
    folder = tmp_path_factory.mktemp("parquet")
    for i, rows in enumerate([700, 333, 5000]):
        part = table.slice(i * 2000, 2000)
        pq.write_table(part, folder / f"part-{i}.parquet", row_group_size=rows, compression="zstd")
    (folder / "notes.txt").write_text("no such rows")
    return folder


def read(batches):
    return pa.Table.from_batches([pa.record_batch(batch) for batch in batches])


def test_rows_of_parquet_files_are_those_of_pyarrow(folder, table):
    dataset = af.ParquetDataset(folder)
    assert dataset.num_rows == ROWS
    found = read(dataset.record_batches(batch_size=512))
    assert found.num_rows == ROWS
    expected = table.set_column(1, "word", table["word"].cast(pa.string()))
    assert found.to_pydict() == expected.to_pydict()


def test_a_dataset_is_of_the_base_class_and_of_its_own(folder):
    dataset = af.ParquetDataset(folder)
    assert isinstance(dataset, af.Dataset)
    assert isinstance(dataset, af.Tfxio)
    assert not isinstance(dataset, af.AvroDataset)
    projected = dataset.project(["user.age"])
    assert type(projected) is af.ParquetDataset
    assert repr(projected) == "<arrowfeed.ParquetDataset of 1 tensor>\n  user.age: dense int64 [?]"
    copy = pickle.loads(pickle.dumps(projected))
    assert type(copy) is af.ParquetDataset
    assert repr(copy) == repr(projected)
    assert copy.fingerprint == projected.fingerprint
    with pytest.raises(TypeError, match="cannot create 'arrowfeed.Dataset' instances"):
        af.Dataset()


def test_columns_are_field_paths(folder):
    dataset = af.ParquetDataset(folder, columns=["user.age", "counts", "id"])
    schema = pa.schema(dataset.arrow_schema)
    assert schema.names == ["user", "counts", "id"]
    assert schema.field("user").type == pa.struct([("age", pa.int64())])
    found = read(dataset.record_batches(batch_size=5000))
    assert found["user"].to_pylist()[:3] == [{"age": 0}, {"age": 1}, {"age": 2}]


def test_features_of_keys(folder):
    wanted = {"user.age": features.Dense([]), "lists": features.Ragged()}
    dataset = af.ParquetDataset(folder, features=wanted)
    assert pa.schema(dataset.arrow_schema).names == ["user", "lists"]
    first = next(dataset.tensors(batch_size=6))
    assert np.asarray(first["user.age"].values).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.asarray(first["lists"].row_splits[0]).tolist() == [0, 0, 1, 3, 6, 6, 7]


def ids(batches):
    return [pa.record_batch(batch)["id"].to_pylist() for batch in batches]


def test_a_file_that_is_written_again_is_an_error(table, tmp_path):
    path = tmp_path / "file.parquet"
    pq.write_table(table, path)
    dataset = af.ParquetDataset(path, columns=["id"])
    batches = dataset.record_batches(batch_size=100)
    next(batches)
    state = batches.state_dict()
    batches.close()
    pq.write_table(table.slice(1), path)
    with pytest.raises(af.ChangedError):
        ids(dataset.record_batches(batch_size=100))
    with pytest.raises((af.ChangedError, ValueError)):
        af.ParquetDataset(path, columns=["id"]).record_batches(batch_size=100).load_state_dict(state)


def test_a_file_that_is_not_parquet_is_an_error(tmp_path):
    path = tmp_path / "file.parquet"
    path.write_bytes(b"no such rows")
    with pytest.raises(af.FormatError) as caught:
        af.ParquetDataset(path)
    expected = f'{path}: expected a Parquet file, which ends with "PAR1", found "uch rows" at its end'
    assert str(caught.value) == expected
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"expected a directory with files named \*\.parquet"):
        af.ParquetDataset(tmp_path / "empty")
    with pytest.raises(TypeError) as wrong:
        af.ParquetDataset(path, encoding="tfx")
    assert str(wrong.value) == "ParquetDataset.__new__() got an unexpected keyword argument 'encoding'"


def test_bytes_and_file_objects_are_files_too(folder):
    path = folder / "part-2.parquet"
    with path.open("rb") as file:
        dataset = af.ParquetDataset([path.read_bytes(), file], columns=["id"])
    assert dataset.num_rows == 2000
    assert pickle.loads(pickle.dumps(dataset)).num_rows == 2000


def test_row_groups_without_rows_have_no_place(table, tmp_path):
    path = tmp_path / "file.parquet"
    part = table.select(["id"])
    with pq.ParquetWriter(path, part.schema, use_dictionary=False) as writer:
        for rows in (part.slice(0, 10), part.slice(0, 0), part.slice(10, 10)):
            writer.write_table(rows)
    dataset = af.ParquetDataset(path)
    assert dataset.num_rows == 20
    for options in ({}, {"shuffle_buffer_size": 5, "seed": 1}):
        rows = [row for batch in ids(dataset.record_batches(batch_size=7, **options)) for row in batch]
        assert sorted(rows) == list(range(20))


def test_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(af.SchemaError) as caught:
        af.ParquetDataset(path)
    assert str(caught.value) == f'{path}: expected columns of different names, found two named "a"'


def test_a_directory_of_a_url_has_parquet_files(folder):
    filesystem = fsspec.filesystem("memory")
    for path in folder.iterdir():
        filesystem.pipe(f"/parquet/{path.name}", path.read_bytes())
    filesystem.pipe("/parquet/part-0.avro", b"no Parquet")
    assert af.ParquetDataset("memory://parquet").num_rows == ROWS


@pytest.mark.parametrize("column", ["id", "list", "name"])
def test_a_page_with_a_wrong_checksum_is_a_damaged_row_group(tmp_path, column):
    """One bit of a value changes, which no decoder notices."""
    ids = range(1000)
    columns = {
        "id": pa.array(ids, pa.int64()),
        "list": pa.array([[number] for number in ids], pa.list_(pa.int64())),
        "name": pa.array([f"name {number:05}" for number in ids]),
    }
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({column: columns[column]}),
        path,
        row_group_size=250,
        compression="none",
        use_dictionary=False,
        write_page_checksum=True,
        write_statistics=False,
    )
    data = bytearray(path.read_bytes())
    value = b"name 00500" if column == "name" else (500).to_bytes(8, "little")
    place = bytes(data).index(value) + (9 if column == "name" else 0)
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(af.CorruptBlockError) as caught:
        read(af.read_parquet(path))
    assert str(caught.value).startswith(f"{path}: block 2 at byte ")
    assert str(caught.value).endswith("Page CRC checksum mismatch")
    rest = read(af.read_parquet(path, on_error="skip_block"))
    assert rest[column].to_pylist() == columns[column].to_pylist()[:500] + columns[column].to_pylist()[750:]


@pytest.mark.parametrize("compression", ["gzip", "brotli"])
def test_a_damaged_compressed_list_is_a_damaged_row_group(tmp_path, compression):
    """The codecs report damage as I/O errors."""
    lists = [[number * 7919 % 1009] * 3 for number in range(1000)]
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"list": pa.array(lists, pa.list_(pa.int64()))}),
        path,
        row_group_size=500,
        compression=compression,
        use_dictionary=False,
        write_statistics=False,
    )
    column = pq.read_metadata(path).row_group(1).column(0)
    data = bytearray(path.read_bytes())
    end = column.data_page_offset + column.total_compressed_size
    data[end - 100 : end] = b"\xff" * 100
    path.write_bytes(data)
    with pytest.raises(af.CorruptBlockError) as caught:
        read(af.read_parquet(path))
    assert (caught.value.block, caught.value.field) == (1, "list")
    for threads in [1, 2]:
        reader = af.read_parquet(path, on_error="skip_block", threads=threads)
        assert read(reader)["list"].to_pylist() == lists[:500]
        assert [skipped["block"] for skipped in reader.report()["skipped"]] == [1]


@pytest.mark.parametrize("use_dictionary", [False, True])
def test_row_groups_of_long_rows_are_read_in_shorter_batches(tmp_path, use_dictionary):
    """A row group takes 4 MB, and a batch at most 1 MiB. A dictionary has the bytes once."""
    path = tmp_path / "images.parquet"
    images = [bytes([number % 7]) * 10_000 for number in range(400)]
    table = pa.table({"id": range(400), "image": images})
    pq.write_table(table, path, use_dictionary=use_dictionary, row_group_size=400)
    limits = af.Limits(batch_bytes=1 << 20)
    batches = [pa.record_batch(batch) for batch in af.read_parquet(path, limits=limits)]
    assert pa.Table.from_batches(batches).to_pydict() == table.to_pydict()
    assert len(batches) > 4
    assert all(batch.get_total_buffer_size() <= 1 << 20 for batch in batches)
    keys = {"id": features.Dense([]), "image": features.Dense([])}
    dataset = af.ParquetDataset(path, features=keys, limits=limits)
    for shuffle in [{}, {"shuffle_buffer_size": 50, "seed": 1}]:
        found = {}
        for tensors in dataset.tensors(batch_size=64, **shuffle):
            found.update(zip(tensors["id"].values.tolist(), tensors["image"].values, strict=True))
        assert [found[number] for number in range(400)] == images
    splits = [split for part in dataset.plan_splits() for split in dataset.read_split(part)]
    assert sum(batch.num_rows for batch in splits) == 400
    with pytest.raises(af.LimitError) as caught:
        read(af.read_parquet(path, limits=af.Limits(batch_bytes=5000)))
    assert caught.value.limit == "batch_bytes"
    assert str(caught.value).startswith(
        f"{path}: block 0 at byte 4: expected 1 row to take at most 5,000 bytes, "
    )


@pytest.mark.parametrize(
    ("data_type", "number", "expected"),
    [
        (pa.decimal128(3, 1), 1000, "expected a decimal of at most 3 digits, found 1000"),
        (pa.decimal256(40, 1), -(10**40), f"expected a decimal of at most 40 digits, found {-(10**40)}"),
        (pa.time32("ms"), -1, "expected a time of day from 0 to 86,399,999 milliseconds, found -1"),
        (
            pa.time64("us"),
            86_400_000_000,
            "expected a time of day from 0 to 86,399,999,999 microseconds, found 86400000000",
        ),
    ],
    ids=str,
)
def test_numbers_in_parquet_that_are_no_values_of_their_type_are_errors(
    data_type, number, expected, tmp_path
):
    data = number.to_bytes(data_type.bit_width // 8, "little", signed=True)
    array = pa.Array.from_buffers(data_type, 1, [None, pa.py_buffer(data)])
    pq.write_table(pa.table({"x": array}), tmp_path / "rows")
    with pytest.raises(af.CorruptBlockError) as error:
        list(af.read_parquet(tmp_path / "rows"))
    assert str(error.value).endswith(f"x: {expected}")


def test_a_row_group_with_fewer_rows_than_it_declares_is_refused():
    target = io.BytesIO()
    pq.write_table(
        pa.table({"x": pa.array(range(77), pa.int64())}),
        target,
        compression="none",
        use_dictionary=False,
        write_statistics=False,
    )
    data = target.getvalue()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    # Numbers of the footer, as varints: 77 and 200 million.
    footer = data[start:-8].replace(b"\x9a\x01", b"\x80\x88\xde\xbe\x01")
    data = data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    expected = "expected 200,000,000 rows in row group 0, as the footer declares, found 77"
    dataset = af.ParquetDataset(data)
    for call in (
        lambda: dataset.num_rows,
        lambda: next(dataset.record_batches(batch_size=4, shuffle_buffer_size=20, seed=1)),
        lambda: next(dataset.split(0.5, seed=1)[0].record_batches(batch_size=4)),
        lambda: list(af.read_parquet(data, on_error="skip_block")),
    ):
        with pytest.raises(af.FormatError) as error:
            call()
        assert str(error.value) == f"<{len(data)} bytes>: {expected}"


def test_many_rows_in_few_bytes_are_read():
    rows = 3_000_000
    target = io.BytesIO()
    pq.write_table(pa.table({"x": pa.repeat(7, rows)}), target, row_group_size=rows)
    assert len(target.getvalue()) < rows // 200
    dataset = af.ParquetDataset(target.getvalue())
    assert dataset.num_rows == rows
    assert sum(batch.num_rows for batch in af.read_parquet(target.getvalue())) == rows
