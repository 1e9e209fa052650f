"""`open_dataset`: the format of files by their content."""

import gzip
import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af

TABLE = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def files(tmp_path):
    """A file of each format, under names that do not say it."""
    af.write_avro(TABLE, tmp_path / "avro")
    pq.write_table(TABLE, tmp_path / "parquet")
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
    dataset = af.open_dataset(
        files / "example", schema={"id": "int64"}, representations={"n": af.Dense("id")}
    )
    [batch] = dataset.tensors(batch_size=3)
    assert batch["n"].values.tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="unexpected keyword argument 'schema'"):
        af.open_dataset(files / "avro", schema={"id": "int64"})


def test_a_directory_has_files_of_one_format(tmp_path):
    af.write_tfrecord(TABLE, tmp_path / "b.tfrecord")
    assert type(af.open_dataset(tmp_path)) is af.ExampleDataset
    pq.write_table(TABLE, tmp_path / "a.parquet")
    assert type(af.open_dataset(tmp_path)) is af.ParquetDataset


def test_what_is_of_no_format_is_an_error_with_the_reasons(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("some words, and no records")
    with pytest.raises(af.FormatError) as error:
        af.open_dataset(path)
    text = str(error.value)
    assert text.startswith("expected files of a format that is known, found others: ")
    assert all(word in text for word in ("Avro", "Parquet", "TFRecord"))
    with pytest.raises(FileNotFoundError):
        af.open_dataset(tmp_path / "nothing.avro")
    with pytest.raises(FileNotFoundError):
        af.open_dataset(tmp_path)


def test_an_object_without_keys_is_one_of_json_and_raw_records_have_no_names(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{}\n{"a":1}\n')
    assert rows(af.open_dataset(tmp_path / "rows.jsonl")) == [{"a": None}, {"a": 1}]
    (tmp_path / "rows.csv").write_text("a,a\n1,2\n")
    assert rows(af.open_dataset(tmp_path / "rows.csv", raw=True)) == [{"record": b"1,2"}]
