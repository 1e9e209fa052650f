"""Schemas of any origin that are nested too deeply raise a typed error before any recursion.

The schemas of Arrow's C interface and pickled schemas are in `test_foreign_structs`.
"""

import base64
import io
import json
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed import cli

LEVELS = [10_000, 100_000]
BRACKETS = "expected at most 272 nested brackets in a schema, found more"


def arrays(levels):
    return '{"type": "array", "items": ' * levels + '"int"' + "}" * levels


def deep_dict(levels):
    schema = "int"
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


def avro(schema):
    """A file with this schema and no blocks."""
    header = bytearray(b"Obj\1")
    header += varint(2)
    for text in (b"avro.schema", schema.encode()):
        header += varint(2 * len(text)) + text
    return bytes(header) + b"\0" + bytes(16)


def varint(number):
    digits = b""
    while number > 127:
        digits += bytes([number & 127 | 128])
        number >>= 7
    return digits + bytes([number])


def tagged(number, message):
    """A field of a Protocol Buffers message."""
    return varint(number << 3 | 2) + varint(len(message)) + message


def struct_features(levels):
    """A schema of TensorFlow Metadata: features that are structs of features."""
    feature = tagged(1, b"x")
    # Bytes are put together from the end, which is faster for long texts.
    parts, size = [feature[::-1]], len(feature)
    for _ in range(levels):
        head = tagged(1, b"s") + varint(29 << 3 | 2)
        inner = varint(1 << 3 | 2) + varint(size)
        head += varint(len(inner) + size) + inner
        parts.append(head[::-1])
        size += len(head)
    return varint(1 << 3 | 2) + varint(size) + b"".join(parts)[::-1]


def groups(levels):
    """A message with an unknown field of groups in groups."""
    return varint(900 << 3 | 3) * levels + varint(900 << 3 | 4) * levels


def arrow_message(levels, children=1):
    """The IPC message of an Arrow schema with a column of nested lists.

    Each list has `children` fields of items, all the same one.
    """
    data = bytearray(4)
    # The virtual tables: their size, the size of the table, and the place of each field in the table.
    of_field, of_message, of_schema, of_type = 4, 20, 32, 40
    data += struct.pack("<8H", 16, 16, 0, 0, 12, 4, 0, 8)
    data += struct.pack("<6H", 10, 12, 8, 10, 4, 0)
    data += struct.pack("<4H", 8, 8, 0, 4)
    data += struct.pack("<2H", 4, 4)
    struct.pack_into("<I", data, 0, len(data))
    data += struct.pack("<iIHBx", len(data) - of_message, 8, 4, 1)
    data += struct.pack("<iI", len(data) - of_schema, 4)
    data += struct.pack("<II", 1, 4)
    size = 20 + 4 * children
    end = len(data) + size * levels + 20
    for level in range(levels + 1):
        at = len(data)
        data += struct.pack("<iIIB3x", at - of_field, end - (at + 4), 8, 12 if level < levels else 6)
        items = children if level < levels else 0
        data += struct.pack(f"<{1 + items}I", items, *(4 * (items - item) for item in range(items)))
    data += struct.pack("<i", end - of_type)
    data += bytes(-len(data) % 8)
    return struct.pack("<iI", -1, len(data)) + data


AVRO = {
    "file": lambda levels: af.read_avro(avro(arrays(levels))),
    "dataset": lambda levels: af.AvroDataset(avro(arrays(levels))),
    "text": lambda levels: af.AvroSchema(arrays(levels)),
    "dict": lambda levels: af.AvroSchema(deep_dict(levels)),
    "reader_schema": lambda levels: af.read_avro(avro('"int"'), reader_schema=arrays(levels)),
    "messages": lambda levels: af.AvroRecordDecoder('"int"', reader_schema=deep_dict(levels)),
}


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("source", AVRO)
def test_schemas_of_avro(source, levels):
    with pytest.raises(af.LimitError) as caught:
        AVRO[source](levels)
    assert caught.value.limit == "schema_depth"
    assert str(caught.value).endswith(BRACKETS)


@pytest.mark.parametrize("levels", LEVELS)
def test_defaults_of_avro(levels):
    default = "[" * levels + "]" * levels
    field = f'{{"name": "a", "type": "int", "default": {default}}}'
    with pytest.raises(af.LimitError, match=BRACKETS):
        af.AvroSchema(f'{{"type": "record", "name": "r", "fields": [{field}]}}')


def with_arrow_schema(message):
    """A Parquet file with this message in its footer, which pyarrow would not write."""
    target = io.BytesIO()
    with pq.ParquetWriter(target, pa.schema({"": pa.bool_()}), store_schema=False) as writer:
        writer.write_table(pa.table({"": [True]}))
        writer.add_key_value_metadata({"ARROW:schema": ""})
    data = target.getvalue()
    [size] = struct.unpack("<I", data[-8:-4])
    pages, footer = data[: -8 - size], data[-8 - size : -8]
    before, after = footer.split(b"ARROW:schema\x18\x00")
    text = base64.b64encode(message)
    footer = before + b"ARROW:schema\x18" + varint(len(text)) + text + after
    return pages + footer + struct.pack("<I", len(footer)) + b"PAR1"


@pytest.mark.parametrize("levels", [61, *LEVELS])
def test_the_arrow_schema_of_a_parquet_footer(levels):
    with pytest.raises(af.LimitError) as caught:
        af.read_parquet(with_arrow_schema(arrow_message(levels)))
    expected = "expected an Arrow schema nested less than 64 deep in the footer, found a deeper one"
    assert (caught.value.limit, caught.value.reason) == ("schema_depth", expected)


def test_an_arrow_schema_of_a_parquet_footer_that_repeats_its_parts():
    """40 levels with two items each, which are the same: 2^40 types if each is followed."""
    with pytest.raises(af.FormatError, match="TooManyTables"):
        af.read_parquet(with_arrow_schema(arrow_message(40, children=2)))


TFMD = {
    "representations": af.representations_from_tfmd,
    "examples": af.ExampleRecordDecoder,
    "sequences": af.SequenceExampleRecordDecoder,
}


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("message", [struct_features, groups])
@pytest.mark.parametrize("use", TFMD)
def test_schemas_of_tensorflow_metadata(use, message, levels):
    with pytest.raises(af.RepresentationError) as caught:
        TFMD[use](message(levels))
    assert str(caught.value).startswith(
        "expected the bytes of a Schema, found failed to decode Protobuf message: "
    )
    assert str(caught.value).endswith("recursion limit reached")


@pytest.mark.parametrize("levels", LEVELS)
def test_states(levels):
    batches = af.CsvDataset(b"a\n1\n").record_batches(batch_size=1)
    for key in ["sources", "options", "position"]:
        state = {**batches.state_dict(), key: deep_dict(levels)}
        with pytest.raises(ValueError, match="nested too deeply"):
            batches.load_state_dict(state)


@pytest.mark.parametrize("levels", LEVELS)
def test_indexes(levels, tmp_path):
    path = tmp_path / "index"
    dataset = af.CsvDataset(b"a\n1\n")
    dataset.save_index(path)
    for key in json.loads(path.read_text()):
        index = json.loads(path.read_text())
        index[key] = "DEEP"
        (tmp_path / "deep").write_text(
            json.dumps(index).replace('"DEEP"', "[" * levels + "]" * levels), encoding="utf-8"
        )
        with pytest.raises(af.FormatError) as caught:
            af.CsvDataset(b"a\n1\n", index=tmp_path / "deep")
        assert str(caught.value).startswith(f"{tmp_path / 'deep'}: expected an index that save_index wrote")


@pytest.mark.parametrize("levels", LEVELS)
def test_specifications_of_the_command_line(levels, tmp_path, capsys):
    path = tmp_path / "features.json"
    path.write_text("[" * levels + "]" * levels)
    af.write_avro(pa.table({"a": [1]}), tmp_path / "a.avro")
    assert cli.main(["explain", "--features", str(path), str(tmp_path / "a.avro")]) == 1
    assert f"{path}: expected JSON: " in capsys.readouterr().err
