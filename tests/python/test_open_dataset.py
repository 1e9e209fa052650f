"""`open_dataset` detects the format of files by their content."""

import functools
import gzip
import io
import random
import re
import struct

import fastavro
import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed._arrowfeed import upload
from arrowfeed._dataset.opening import dataset_class
from arrowfeed.representations import Dense
from cli_formats import WRITERS, random_rows, write_as

TABLE = pa.table({"id": [1, 2, 3]})

UNKNOWN = (
    "expected the content of an Avro, Parquet, Arrow IPC, TFRecord or JSON lines file, or the name of a CSV "
    "file, which ends with .csv or .tsv"
)


@pytest.fixture
def files(tmp_path):
    """A file of each format, with names that do not state the format."""
    af.write_avro(TABLE, tmp_path / "avro")
    pq.write_table(TABLE, tmp_path / "parquet")
    for name, new in (("arrow", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
        with new(str(tmp_path / name), TABLE.schema) as writer:
            writer.write_table(TABLE)
    af.write_tfrecord(TABLE, tmp_path / "example")
    steps = pa.StructArray.from_arrays([pa.array([[[1]], [], None])], names=["n"])
    sequences = TABLE.append_column("##SEQUENCE##", steps)
    af.write_tfrecord(sequences, tmp_path / "sequences", format="sequence_example")
    (tmp_path / "compressed").write_bytes(gzip.compress((tmp_path / "example").read_bytes()))
    return tmp_path


def rows(dataset):
    return [
        row for batch in dataset.record_batches(batch_size=2) for row in pa.record_batch(batch).to_pylist()
    ]


@pytest.mark.parametrize(
    ("name", "kind", "first"),
    [
        ("avro", af.AvroDataset, {"id": 1}),
        ("parquet", af.ParquetDataset, {"id": 1}),
        ("arrow", af.ArrowDataset, {"id": 1}),
        ("stream", af.ArrowDataset, {"id": 1}),
        ("example", af.ExampleDataset, {"id": [1]}),
        ("compressed", af.ExampleDataset, {"id": [1]}),
        ("sequences", af.SequenceExampleDataset, {"id": [1]}),
    ],
)
def test_the_content_says_the_format(files, name, kind, first):
    path = files / name
    for source in (path, [path], path.read_bytes(), io.BytesIO(path.read_bytes()), path.open("rb")):
        dataset = af.open_dataset(source, columns=["id"])
        assert type(dataset) is kind
        assert rows(dataset)[0] == first
        assert len(rows(dataset)) == 3


def masked_crc(data):
    """CRC-32C, bit by bit, and the mask of TFRecord."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def test_records_that_are_no_messages_are_bytes(tmp_path):
    path = tmp_path / "raw"
    length = struct.pack("<Q", 4)
    path.write_bytes(length + masked_crc(length) + b"\xff\xff\xff\xff" + masked_crc(b"\xff\xff\xff\xff"))
    dataset = af.open_dataset(path)
    assert type(dataset) is af.RawRecordDataset
    assert rows(dataset) == [{"record": b"\xff\xff\xff\xff"}]


def test_keywords_are_those_of_the_class(files):
    dataset = af.open_dataset(files / "example", schema={"id": "int64"}, representations={"n": Dense("id")})
    [batch] = dataset.tensors(batch_size=3)
    assert batch["n"].values.tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="unexpected keyword argument 'schema'"):
        af.open_dataset(files / "avro", schema={"id": "int64"})


def test_a_directory_has_files_of_one_format(tmp_path):
    af.write_tfrecord(TABLE, tmp_path / "b.tfrecord")
    assert type(af.open_dataset(tmp_path)) is af.ExampleDataset
    pq.write_table(TABLE, tmp_path / "a.parquet")
    assert type(af.open_dataset(tmp_path)) is af.ParquetDataset


def test_a_recursive_field_matters_only_if_it_is_read(tmp_path):
    path = tmp_path / "list"
    fields = [{"name": "value", "type": "long"}, {"name": "next", "type": ["null", "List"]}]
    schema = {"type": "record", "name": "List", "fields": fields}
    values = [{"value": 1, "next": {"value": 2, "next": None}}, {"value": 9, "next": None}]
    with path.open("wb") as file:
        fastavro.writer(file, schema, values)
    for source in (path, [path], path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert rows(af.open_dataset(source, columns=["value"])) == [{"value": 1}, {"value": 9}]
    flat = {**schema, "fields": fields[:1]}
    assert rows(af.open_dataset(path, reader_schema=flat)) == [{"value": 1}, {"value": 9}]
    features = {"v": af.features.Dense([], key="value")}
    [batch] = af.open_dataset(path, features=features).tensors(batch_size=2)
    assert batch["v"].values.tolist() == [1, 9]
    assert af.open_dataset(path, raw=True).num_rows == 2
    with pytest.raises(af.SchemaError) as error:
        af.open_dataset(path)
    reason = (
        'record "List" is recursive and cannot become an Arrow column; '
        "leave it out with `exclude` or `columns`"
    )
    assert str(error.value) == f"{path}: next: {reason}"


def test_an_avro_file_is_known_by_its_first_bytes(tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(b"Obj\x01\x02")
    with pytest.raises(af.TruncatedError) as error:
        af.open_dataset(path)
    reason = "expected the length of a metadata key, found the end of the file after 0 bytes"
    assert str(error.value) == f"{path}: byte 5: {reason}"


def write_long_schema(path):
    field = {"name": "id", "type": "long"}
    with path.open("wb") as file:
        fastavro.writer(
            file, {"type": "record", "name": "R", "doc": " " * (5 << 20), "fields": [field]}, [{"id": 1}]
        )


def write_deep_column(path):
    column = pa.array([1])
    for _ in range(70):
        column = pa.StructArray.from_arrays([column], ["s"])
    pq.write_table(pa.table({"deep": column}), path, store_schema=False)


@pytest.mark.parametrize(
    ("write", "limits", "limit", "kind"),
    [
        (write_long_schema, af.Limits(schema_bytes=6 << 20), "schema_bytes", af.AvroDataset),
        (write_deep_column, af.Limits(schema_depth=80), "schema_depth", af.ParquetDataset),
    ],
)
def test_the_limits_of_the_caller_hold_while_the_format_is_detected(tmp_path, write, limits, limit, kind):
    write(tmp_path / "rows")
    assert type(af.open_dataset(tmp_path / "rows", limits=limits)) is kind
    with pytest.raises(af.LimitError) as error:
        af.open_dataset(tmp_path / "rows")
    assert error.value.limit == limit


def test_a_long_first_record_is_within_the_limits_of_the_caller(tmp_path):
    af.write_tfrecord(pa.table({"data": [b"x" * 2000]}), tmp_path / "rows")
    with pytest.raises(af.LimitError) as error:
        af.open_dataset(tmp_path / "rows", limits=af.Limits(decoded_block_bytes=1000))
    assert error.value.limit == "decoded_block_bytes"


def test_a_file_of_no_known_format_is_an_error_with_its_first_bytes(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("some words, and no records")
    with pytest.raises(af.FormatError) as error:
        af.open_dataset(path)
    assert str(error.value) == f'{path}: {UNKNOWN}, found "some words, and " at its start'
    path.write_bytes(b"\x00\xff")
    with pytest.raises(af.FormatError) as error:
        af.open_dataset(path)
    assert str(error.value) == f"{path}: {UNKNOWN}, found the bytes 00 ff at its start"
    with pytest.raises(FileNotFoundError):
        af.open_dataset(tmp_path / "nothing.avro")
    with pytest.raises(FileNotFoundError):
        af.open_dataset(tmp_path)


def test_the_first_file_of_a_glob_names_a_csv_file(tmp_path):
    (tmp_path / "b.csv").write_text("n\n2\n")
    (tmp_path / "a.csv").write_text("n\n1\n")
    dataset = af.open_dataset(tmp_path / "*")
    assert isinstance(dataset, af.CsvDataset)
    assert rows(dataset) == [{"n": 1}, {"n": 2}]
    (tmp_path / "A").write_text("n\n1\n")
    with pytest.raises(af.FormatError, match=rf"^{re.escape(str(tmp_path / 'A'))}: expected the content of "):
        af.open_dataset(tmp_path / "*")


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_the_name_of_an_empty_file_says_the_format(tmp_path, packed):
    def empty(name):
        path = tmp_path / (name if packed is bytes else f"{name}.gz")
        path.write_bytes(packed(b""))
        return path

    for name in ("rows.csv", "rows.TSV"):
        path = empty(name)
        with pytest.raises(af.FormatError) as error:
            af.open_dataset(path)
        message = "expected a line with the names of the columns, found the end of the file"
        assert str(error.value) == f"{path}: {message}"
        dataset = af.open_dataset(path, schema=pa.schema({"n": pa.int64()}), header=False)
        assert isinstance(dataset, af.CsvDataset)
        assert dataset.num_rows == 0
    path = empty("rows.jsonl")
    with pytest.raises(af.SchemaError, match="expected records with keys to make columns from, found none"):
        af.open_dataset(path)
    dataset = af.open_dataset(path, schema=pa.schema({"n": pa.int64()}), representations={})
    assert isinstance(dataset, af.JsonLinesDataset)
    assert dataset.num_rows == 0
    for name in ("rows.avro", "rows.parquet"):
        with pytest.raises((af.FormatError, af.TruncatedError)) as error:
            af.open_dataset(empty(name))
        assert str(error.value).startswith(f"{tmp_path}/{name}")
    for name in ("rows.tfrecord", "rows"):
        assert isinstance(af.open_dataset(empty(name)), af.RawRecordDataset)


def test_the_first_file_with_content_says_the_format(tmp_path):
    for name, content in (("a", b""), ("b", gzip.compress(b"")), ("c", b"no format")):
        (tmp_path / name).write_bytes(content)
    af.write_tfrecord(TABLE, tmp_path / "d")
    for names in (["a", "d"], ["b", "d"], ["a", "b", "d"]):
        dataset = af.open_dataset([tmp_path / name for name in names])
        assert type(dataset) is af.ExampleDataset
        assert len(rows(dataset)) == 3
    (tmp_path / "c").unlink()
    assert len(rows(af.open_dataset(tmp_path / "*"))) == 3
    assert isinstance(af.open_dataset([tmp_path / "a", tmp_path / "b"]), af.RawRecordDataset)
    (tmp_path / "c").write_bytes(b"no format")
    af.write_avro(TABLE, tmp_path / "e")
    for names in (["c", "e"], ["c", "a"], ["a", "c", "e"]):
        with pytest.raises(af.FormatError, match=f"^{tmp_path}/c: {UNKNOWN}"):
            af.open_dataset([tmp_path / name for name in names])


def test_damage_of_records_is_named_whatever_the_name_of_the_file(tmp_path):
    af.write_tfrecord(TABLE, tmp_path / "data-00000-of-00001")
    data = bytearray((tmp_path / "data-00000-of-00001").read_bytes())
    data[14] ^= 1
    (tmp_path / "data-00000-of-00001").write_bytes(data)
    with pytest.raises(af.CorruptBlockError, match="checksum"):
        af.open_dataset(tmp_path / "data-00000-of-00001")
    (tmp_path / "data-00000-of-00001").write_bytes(data[:15])
    with pytest.raises(af.TruncatedError):
        af.open_dataset(tmp_path / "data-00000-of-00001")


def test_an_object_without_keys_is_one_of_json_and_raw_records_have_no_names(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{}\n{"a":1}\n')
    assert rows(af.open_dataset(tmp_path / "rows.jsonl")) == [{"a": None}, {"a": 1}]
    (tmp_path / "rows.csv").write_text("a,a\n1,2\n")
    assert rows(af.open_dataset(tmp_path / "rows.csv", raw=True)) == [{"record": b"1,2"}]


# ---- stores


NAMES = {
    "avro": af.AvroDataset,
    "parquet": af.ParquetDataset,
    "arrow": af.ArrowDataset,
    "stream": af.ArrowDataset,
    "example": af.ExampleDataset,
    "compressed": af.ExampleDataset,
    "sequences": af.SequenceExampleDataset,
}


@pytest.mark.parametrize("name", NAMES)
def test_the_content_of_an_object_says_the_format(files, tmp_path, name):
    url = f"memory://{tmp_path.name}/{name}"
    upload(files / name, url)
    for source in (url, [url], [url, url]):
        dataset = af.open_dataset(source, columns=["id"])
        assert type(dataset) is NAMES[name]
        assert len(rows(dataset)) == (6 if source == [url, url] else 3)


@pytest.mark.parametrize("name", NAMES)
def test_a_store_of_the_caller_is_asked(files, tmp_path, name):
    filesystem = fsspec.filesystem("dir", path=str(files), fs=fsspec.filesystem("file"))
    dataset = af.open_dataset(name, store=filesystem, columns=["id"])
    assert type(dataset) is NAMES[name]
    assert len(rows(dataset)) == 3
    with pytest.raises(FileNotFoundError):
        af.open_dataset("nothing", store=filesystem)
    with pytest.raises(ValueError, match="^cache: expected files of a store, found files of fsspec"):
        af.open_dataset(name, store=filesystem, cache=tmp_path / "cache", cache_bytes=1 << 20)


@pytest.mark.parametrize("extension", ["avro", "parquet", "arrow", "tfrecord", "jsonl", "csv"])
def test_a_directory_of_a_store_has_files_of_one_format(tmp_path, extension):
    url = f"memory://{tmp_path.name}/folder"
    for number in range(2):
        path = write_as(f"rows.{extension}", tmp_path, random_rows(number, 10))
        upload(path, f"{url}/{number}.{extension}")
    for source in (url, f"{url}/", f"{url}/*.{extension}"):
        dataset = af.open_dataset(source)
        assert type(dataset) is type(af.open_dataset(path))
        assert dataset.num_rows == 20
    for source in (f"{url}/nothing", f"{url}/*.none", f"memory://{tmp_path.name}/none"):
        with pytest.raises(FileNotFoundError):
            af.open_dataset(source)


def test_an_object_of_no_format_is_an_error_with_its_first_bytes(tmp_path):
    path = tmp_path / "notes.txt"
    for text in ("some words, and no records", "some words, and no line" * 100_000):
        path.write_text(text)
        url = f"memory://{tmp_path.name}/notes.txt"
        upload(path, url)
        with pytest.raises(af.FormatError) as error:
            af.open_dataset(url)
        assert str(error.value).startswith(f'{url}: {UNKNOWN}, found "some words, and " at its start')


@pytest.mark.parametrize("name", WRITERS)
def test_a_cut_file_has_the_format_of_the_whole_one(tmp_path, name):
    path = write_as(name, tmp_path, random_rows(3, 300))
    data = path.read_bytes()
    whole = dataset_class(path, {})
    lengths = [*range(16, 300), *random.Random(1).sample(range(300, len(data)), 200)]
    for length in lengths:
        path.write_bytes(data[:length])
        try:
            found = dataset_class(path, {})
        except (af.CorruptBlockError, af.TruncatedError):
            # No record is left, and the name says no format.
            assert length < 300
            assert name.endswith(".zz")
        else:
            assert class_of(found) == class_of(whole), length


def class_of(kind):
    """The class of a file, and the arguments that follow from its name."""
    return (kind.func, kind.keywords) if isinstance(kind, functools.partial) else (kind, {})
