"""Arrow IPC files and streams: `read_arrow_ipc` and `ArrowDataset`, compared with pyarrow."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense

KINDS = {"file": pa.ipc.new_file, "stream": pa.ipc.new_stream}
CODECS = (None, "lz4", "zstd")


def table(count=1000):
    """Rows of several types, whose other columns follow from the number."""
    numbers = range(count)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "x": pa.array([n / 3 if n % 7 else None for n in numbers], pa.float32()),
            "text": pa.array([f"row {n}" if n % 3 else None for n in numbers]),
            "view": pa.array([f"a text of row {n}" for n in numbers], pa.string_view()),
            "word": pa.array([f"word {n % 5}" for n in numbers]).dictionary_encode(),
            "list": pa.array([list(range(n % 4)) for n in numbers], pa.large_list(pa.int16())),
            "vector": pa.array([[n, n + 1] for n in numbers], pa.list_(pa.int32(), 2)),
            "s": pa.array([{"a": n, "b": [str(n)]} if n % 5 else None for n in numbers]),
            "when": pa.array(numbers, pa.timestamp("us", "UTC")),
        }
    )


def write(path, kind, rows=None, codec=None, size=130):
    rows = table() if rows is None else rows
    with KINDS[kind](str(path), rows.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(rows, max_chunksize=size)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("codec", CODECS)
def test_rows_of_arrow_files_are_those_of_pyarrow(kind, codec, tmp_path):
    path = write(tmp_path / "rows.arrow", kind, codec=codec)
    for threads in (1, 3):
        for source in (path, path.read_bytes(), path.open("rb"), [path], tmp_path):
            found = pa.table(af.read_arrow_ipc(source, threads=threads, batch_size=50))
            found.validate(full=True)
            assert found.equals(table())
    found = pa.table(af.read_arrow_ipc(path, columns=["s.b", "id"]))
    assert found.equals(table().select(["s", "id"]))


def test_feather_is_read(tmp_path):
    pa.feather.write_feather(table(), str(tmp_path / "rows.feather"), chunksize=77)
    assert pa.table(af.read_arrow_ipc(tmp_path / "rows.feather")).equals(table())
    pa.feather.write_feather(pa.table({"a": [1]}), str(tmp_path / "old"), version=1)
    with pytest.raises(af.FormatError, match="found a file of Feather V1$"):
        af.read_arrow_ipc(tmp_path / "old")


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_share_the_memory_of_a_file_in_memory(kind, tmp_path):
    rows = table().select(["id", "vector"])
    data = write(tmp_path / "rows.arrow", kind, rows, size=100).read_bytes()
    start = np.frombuffer(data, np.uint8).ctypes.data
    dataset = af.ArrowDataset(data, representations={"id": Dense("id"), "vector": Dense("vector", [2])})
    batches = list(dataset.tensors(batch_size=100))
    assert len(batches) == 10
    for number, batch in enumerate(batches):
        ids = batch["id"].values
        assert ids.tolist() == list(range(100 * number, 100 * number + 100))
        assert start <= ids.ctypes.data < start + len(data)
        assert start <= batch["vector"].values.ctypes.data < start + len(data)


def test_dictionaries_of_a_stream_may_change(tmp_path):
    batches = [
        pa.record_batch({"id": [n], "word": pa.array([f"{n}: {n}"]).dictionary_encode()}) for n in range(20)
    ]
    with pa.ipc.new_stream(str(tmp_path / "rows.arrow"), batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    dataset = af.ArrowDataset(tmp_path / "rows.arrow")
    expected = [{"id": n, "word": f"{n}: {n}"} for n in range(20)]
    for options, count in (({}, 20), ({"shuffle_buffer_size": 7, "seed": 1}, 20), ({"shard": (1, 2)}, 10)):
        batches = dataset.record_batches(batch_size=3, threads=2, **options)
        found = [row for batch in batches for row in pa.record_batch(batch).to_pylist()]
        assert len(found) == count
        assert all(row in expected for row in found)


@pytest.mark.parametrize("kind", KINDS)
def test_deltas_of_dictionaries_are_read(kind, tmp_path):
    words = [f"word {n}" for n in range(20)]
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    batches = [
        pa.record_batch(
            {"word": pa.DictionaryArray.from_arrays(pa.array([n, 0], pa.int32()), pa.array(words[: n + 1]))}
        )
        for n in range(20)
    ]
    with KINDS[kind](str(tmp_path / "rows"), batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    found = pa.table(af.read_arrow_ipc(tmp_path / "rows", threads=2))
    assert found["word"].to_pylist() == [word for n in range(20) for word in (words[n], words[0])]


def test_a_stream_may_end_without_its_marker(tmp_path):
    data = write(tmp_path / "rows.arrow", "stream").read_bytes()
    assert pa.table(af.read_arrow_ipc(data[:-8])).equals(table())
    assert pa.ipc.open_stream(data[:-8]).read_all().equals(table())
    with pytest.raises(af.TruncatedError):
        af.read_arrow_ipc(data[:-16])


def test_files_of_other_columns_are_refused(tmp_path):
    write(tmp_path / "a.arrow", "file", pa.table({"id": [1]}))
    write(tmp_path / "b.arrow", "stream", pa.table({"id": ["a"]}))
    reader = af.read_arrow_ipc([tmp_path / "a.arrow", tmp_path / "b.arrow"])
    with pytest.raises(af.SchemaError) as error:
        list(reader)
    difference = 'column "id" to be Int64, found "id" as Utf8'
    expected = f"{tmp_path}/b.arrow: expected the columns of {tmp_path}/a.arrow: {difference}"
    assert str(error.value) == expected
    with pytest.raises(af.SchemaError, match="no: expected a column of this name"):
        af.ArrowDataset(tmp_path / "a.arrow", columns=["no"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'schema'"):
        af.ArrowDataset(tmp_path / "a.arrow", schema=pa.schema([]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("codec", CODECS)
def test_changed_bytes_are_values_or_errors(kind, codec, tmp_path):
    data = write(tmp_path / "rows", kind, table(200), codec, 40).read_bytes()
    rng = random.Random(7)
    outcomes = {"rows": 0, "error": 0}
    for _ in range(100):
        changed = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        try:
            pa.table(af.read_arrow_ipc(bytes(changed), on_error="skip_block", threads=1)).validate(full=True)
            outcomes["rows"] += 1
        except af.ArrowfeedError:
            outcomes["error"] += 1
    assert all(outcomes.values()), outcomes


def one_empty_list(item_type, first):
    """A list without items, whose item array has one offset that is not zero, or none."""
    numbers = np.int64 if item_type in (pa.large_string(), pa.large_list(pa.int8())) else np.int32
    offset = pa.py_buffer(np.array([first], numbers).tobytes()) if first is not None else pa.py_buffer(b"")
    if pa.types.is_nested(item_type):
        children = [pa.array([], item_type.field(0).type)]
        if pa.types.is_map(item_type):
            children = [pa.array([], pa.struct([item_type.key_field, item_type.item_field]))]
        items = pa.Array.from_buffers(item_type, 0, [None, offset], children=children)
    else:
        items = pa.Array.from_buffers(item_type, 0, [None, offset, pa.py_buffer(b"")])
    return pa.ListArray.from_arrays(pa.array([0, 0, 0], pa.int32()), items)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("first", [None, 0, 3])
def test_an_array_without_items_may_have_any_offset(kind, codec, first, tmp_path):
    path = tmp_path / "rows.arrow"
    for item_type in (
        pa.string(),
        pa.binary(),
        pa.large_string(),
        pa.list_(pa.int8()),
        pa.large_list(pa.int8()),
        pa.map_(pa.string(), pa.int8()),
    ):
        rows = pa.table({"id": [1, 2], "x": one_empty_list(item_type, first)})
        rows.validate(full=True)
        write(path, kind, rows, codec)
        found = pa.table(af.read_arrow_ipc(path))
        found.validate(full=True)
        assert found.equals(rows)


def stored(data_type, numbers):
    """An array of these numbers, which need not be values of the type."""
    width = data_type.bit_width // 8
    data = b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)
    return pa.Array.from_buffers(data_type, len(numbers), [None, pa.py_buffer(data)])


DAY = "expected a time of day from 0 to"
NO_VALUES = [
    (stored(pa.decimal128(3, 1), [5, 1234567]), "expected a decimal of at most 3 digits, found 1234567"),
    (
        stored(pa.decimal256(40, 1), [-(10**40)]),
        f"expected a decimal of at most 40 digits, found {-(10**40)}",
    ),
    (stored(pa.decimal32(3, 1), [1000]), "expected a decimal of at most 3 digits, found 1000"),
    (stored(pa.decimal64(3, 1), [-1000]), "expected a decimal of at most 3 digits, found -1000"),
    (stored(pa.date64(), [5]), "expected milliseconds of whole days, found 5"),
    (stored(pa.time32("s"), [86_400]), f"{DAY} 86,399 seconds, found 86400"),
    (stored(pa.time64("ns"), [-1]), f"{DAY} 86,399,999,999,999 nanoseconds, found -1"),
]


@pytest.mark.parametrize(("array", "expected"), NO_VALUES, ids=lambda item: str(getattr(item, "type", "")))
def test_numbers_in_arrow_that_are_no_values_of_their_type_are_errors(array, expected, tmp_path):
    with pytest.raises(pa.ArrowInvalid):
        array.validate(full=True)
    lists = pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array)
    values = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), array)
    for column, path in ((array, "x"), (lists, "x[]"), (values, "")):
        rows = pa.table({"x": column})
        with pa.ipc.new_stream(tmp_path / "rows", rows.schema) as writer:
            writer.write_table(rows)
        with pytest.raises(af.CorruptBlockError) as error:
            list(af.read_arrow_ipc(tmp_path / "rows"))
        assert str(error.value).endswith(f"{path}: {expected}")
        reader = af.read_arrow_ipc(tmp_path / "rows", on_error="skip_block")
        with pytest.warns(af.SkippedWarning):
            assert pa.table(reader).num_rows == 0
