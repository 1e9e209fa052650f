"""CSV and JSON lines datasets have the behaviour that is particular to text."""

import gzip
import io
import itertools
import json
import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features

CSV = b'id,score,note\n1,0.5,"a\nb"\n2,,\n3,2,"say ""hi"""\n'
JSON = b'{"id": 1, "tags": ["a", "b"], "user": {"age": 7}}\n\n{"id": 2, "user": {}}\r\n{"id": 3, "tags": []}'


def table(reader):
    """The rows of a reader, batch by batch, because pyarrow would replace our errors."""
    batches = [pa.record_batch(batch) for batch in reader]
    return pa.Table.from_batches(batches, pa.schema(reader.schema))


def rows(dataset, **options):
    batches = dataset.record_batches(batch_size=2, **options)
    return [row for batch in batches for row in pa.record_batch(batch).to_pylist()]


@pytest.mark.parametrize("wrapped", [bytes, gzip.compress, lambda text: b"\xef\xbb\xbf" + text])
def test_csv_is_read_with_inferred_types(wrapped):
    found = table(af.read_csv(wrapped(CSV)))
    assert found.schema == pa.schema({"id": pa.int64(), "score": pa.float64(), "note": pa.string()})
    assert found.to_pydict() == {
        "id": [1, 2, 3],
        "score": [0.5, None, 2.0],
        "note": ["a\nb", None, 'say "hi"'],
    }
    assert rows(af.CsvDataset(wrapped(CSV), columns=["note", "id"]))[0] == {"note": "a\nb", "id": 1}


@pytest.mark.parametrize("wrapped", [bytes, gzip.compress, lambda text: b"\xef\xbb\xbf" + text])
def test_json_lines_are_read_with_inferred_types(wrapped):
    found = table(af.read_json_lines(wrapped(JSON)))
    user = pa.struct({"age": pa.int64()})
    assert found.schema == pa.schema({"id": pa.int64(), "tags": pa.list_(pa.string()), "user": user})
    assert found.to_pydict() == {
        "id": [1, 2, 3],
        "tags": [["a", "b"], None, []],
        "user": [{"age": 7}, {"age": None}, None],
    }
    assert rows(af.JsonLinesDataset(wrapped(JSON), columns=["id"])) == [{"id": 1}, {"id": 2}, {"id": 3}]


def test_types_are_inferred_over_all_files(tmp_path):
    (tmp_path / "a.csv").write_text("n\n1\n")
    (tmp_path / "b.csv").write_text("n\n0.5\n")
    assert table(af.read_csv(tmp_path)).to_pydict() == {"n": [1.0, 0.5]}
    reader = af.read_csv(tmp_path, sample=1)
    with pytest.raises(af.CorruptBlockError) as error:
        table(reader)
    message = 'b.csv: block 0 at byte 2, record 0: n: expected a value of Int64, found "0.5"'
    advice = "the type was inferred from the first 1 record, so give a schema or a larger sample"
    assert str(error.value) == f"{tmp_path}/{message}: {advice}"


def test_options_of_csv():
    text = b"1;'x;''y'\n\n-;''\n"
    options = {"header": False, "delimiter": ";", "quote": "'", "nulls": ["-"]}
    assert table(af.read_csv(text, **options)).to_pydict() == {
        "column_1": [1, None],
        "column_2": ["x;'y", ""],
    }
    found = table(
        af.read_csv(text, names=["n", "t"], skip_blank_lines=False, **options | {"nulls": ["-", ""]})
    )
    assert found.to_pydict() == {"n": [1, None, None], "t": ["x;'y", None, None]}
    schema = pa.schema({"t": pa.string()})
    dataset = af.CsvDataset(text, names=("n", "t"), schema=schema, **options)
    assert rows(pickle.loads(pickle.dumps(dataset))) == [{"t": "x;'y"}, {"t": ""}]
    assert table(af.read_csv(b'a\n"x\\"y"\n', escape="\\")).to_pydict() == {"a": ['x"y']}
    noted = b'of "today\n\nn,t\n1,x\n'
    assert table(af.read_csv(noted, skip_lines=2)).to_pydict() == {"n": [1], "t": ["x"]}
    dataset = af.CsvDataset(noted, skip_lines=2)
    assert rows(pickle.loads(pickle.dumps(dataset))) == [{"n": 1, "t": "x"}]
    with pytest.raises(ValueError, match="skip_lines: expected an integer of 0 or more, found int -1"):
        af.read_csv(noted, skip_lines=-1)


def test_types_of_a_schema():
    schema = pa.schema(
        {
            "flag": pa.bool_(),
            "day": pa.date32(),
            "at": pa.timestamp("us", tz="UTC"),
            "price": pa.decimal128(10, 2),
            "small": pa.uint8(),
            "half": pa.float32(),
        }
    )
    text = b"flag,day,at,price,small,half\ntrue,2024-02-29,2024-02-29T12:00:00Z,12.50,255,0.5\n"
    line = (
        b'{"flag": true, "day": "2024-02-29", "at": "2024-02-29T12:00:00Z", "price": "12.50", "small": 255, '
        b'"half": 0.5}'
    )
    found = table(af.read_csv(text, schema=schema))
    assert found.schema == schema
    assert table(af.read_json_lines(line, schema=schema)).equals(found)
    assert str(found["day"][0]) == "2024-02-29"
    assert str(found["price"][0]) == "12.50"
    # The schema of a dataset is a schema for another one.
    dataset = af.CsvDataset(text, schema=schema, columns=["day", "half"])
    assert table(af.read_csv(text, schema=dataset.arrow_schema)).schema.names == ["day", "half"]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (af.read_csv, b"a,b\n1,x\nz,y\n3,z\n", 'a: expected a value of Int64, found "z"'),
        (af.read_json_lines, b'{"a": 1}\n[2]\n{"a": 3}\n', "expected a JSON object, found [2]"),
    ],
)
def test_a_wrong_record_is_named_and_may_be_left_out(read, text, message):
    schema = pa.schema({"a": pa.int64()})
    offset = 9 if read is af.read_json_lines else 8
    message = f"<{len(text)} bytes>: block 0 at byte {offset}, record 1: {message}"
    reader = read(text, schema=schema)
    found = []
    with pytest.raises(af.CorruptBlockError) as error:
        found.extend(pa.record_batch(batch).to_pydict() for batch in reader)
    assert str(error.value) == message
    assert found == [{"a": [1]}]
    reader = read(text, schema=schema, on_error="skip_block")
    assert table(reader).to_pydict() == {"a": [1, 3]}
    report = reader.report()
    assert report["rows"] == 2
    assert [skipped["error"] for skipped in report["skipped"]] == [message]


def test_a_long_record_is_an_error_of_the_limit():
    text = b'a\nx\n"' + b"y\n" * 1000 + b'"\nz\n'
    limits = af.Limits(decoded_block_bytes=100)
    schema = pa.schema({"a": pa.string()})
    with pytest.raises(af.LimitError) as error:
        table(af.read_csv(text, schema=schema, limits=limits))
    assert str(error.value).endswith("record 1: expected a record of at most 100 bytes, found 2,003")
    reader = af.read_csv(text, schema=schema, limits=limits, on_error="skip_block")
    assert table(reader).to_pydict() == {"a": ["x", "z"]}


def test_features_and_key_expressions_are_made_of_text():
    wanted = {"score": features.Dense([], default=-1.0), "note": features.Ragged()}
    dataset = af.CsvDataset(CSV, features=wanted)
    assert pa.schema(dataset.arrow_schema).names == ["score", "note"]
    [batch] = dataset.tensors(batch_size=3)
    assert batch["score"].values.tolist() == [0.5, -1.0, 2.0]
    dataset = af.JsonLinesDataset(
        JSON, features={"user.age": features.Dense([], default=0), "tags[*]": features.Ragged()}
    )
    [batch] = dataset.tensors(batch_size=3)
    assert batch["user.age"].values.tolist() == [7, 0, 0]
    assert batch["tags[*]"].to_list() == [[b"a", b"b"], [], []]


def test_the_name_says_csv_and_the_content_says_json_lines(tmp_path):
    def kind(name, content, **keywords):
        path = tmp_path / name
        path.write_bytes(content)
        dataset = af.open_dataset(path, **keywords)
        assert rows(dataset)
        return type(dataset)

    assert kind("a", JSON) is af.JsonLinesDataset
    assert kind("b.gz", gzip.compress(JSON)) is af.JsonLinesDataset
    assert kind("a.csv", CSV, columns=["id"]) is af.CsvDataset
    assert kind("b.csv", b"a\n1\n") is af.CsvDataset
    assert kind("b.CSV.gz", gzip.compress(CSV), header=True) is af.CsvDataset
    path = tmp_path / "c.tsv"
    path.write_bytes(b"a\tb\n1\t2\n")
    assert rows(af.open_dataset(path)) == [{"a": 1, "b": 2}]
    assert rows(af.open_dataset(path.open("rb"))) == [{"a": 1, "b": 2}]
    assert type(af.open_dataset([io.BytesIO(JSON)])) is af.JsonLinesDataset
    (tmp_path / "d").write_bytes(CSV)
    for source in (CSV, tmp_path / "d"):
        with pytest.raises(
            af.FormatError, match=r", which ends with \.csv or \.tsv, found \"id,score,note\" at"
        ):
            af.open_dataset(source)


def test_arguments_that_make_no_sense_are_refused():
    def message(error, call, *arguments, **keywords):
        with pytest.raises(error) as found:
            call(*arguments, **keywords)
        return str(found.value)

    for call in (af.read_csv, af.CsvDataset):
        assert message(ValueError, call, CSV, delimiter=";;") == (
            "delimiter: expected one ASCII character (str), found str ';;'"
        )
        assert message(ValueError, call, CSV, delimiter='"') == (
            'expected different characters as quote and delimiter, found "\\"" for both'
        )
        assert message(TypeError, call, CSV, schema=3) == (
            "schema: expected an object with __arrow_c_schema__, or a dict of names of columns to types, "
            "found int 3"
        )
        assert message(ValueError, call, CSV, schema={"id": "int46"}) == (
            'schema["id"]: expected an Arrow type, such as "string", "int64" or pyarrow.string(), found str '
            "'int46'"
        )
        assert (
            message(TypeError, call, CSV, header="yes") == "header: expected True or False, found str 'yes'"
        )
        assert message(af.SchemaError, call, CSV, columns=["x"]) == (
            'x: expected a column of this name, one of "id", "score", "note", found none'
        )
    assert message(TypeError, af.read_csv, CSV, encoding="tfx") == (
        "read_csv() got an unexpected keyword argument 'encoding'"
    )
    assert message(TypeError, af.JsonLinesDataset, JSON, header=True) == (
        "JsonLinesDataset.__new__() got an unexpected keyword argument 'header'"
    )
    assert message(af.CorruptBlockError, af.read_json_lines, CSV) == (
        "<47 bytes>: block 0, record 0: expected a JSON object, found expected value at column 1"
    )


@pytest.mark.parametrize("zeros", [1, 511, 200_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_zeros_after_a_gzip_file_are_no_content(tmp_path, zeros, threads):
    padding = bytes(zeros)
    text = gzip.compress(b"n\n1\n") + padding + gzip.compress(b"2\n") + padding
    assert table(af.read_csv(text, threads=threads)).to_pydict() == {"n": [1, 2]}
    path = tmp_path / "rows.tfrecord"
    raw = pa.table({"record": pa.array([b"a", b"b"], pa.large_binary())})
    af.write_tfrecord(raw, path, format="raw")
    path.write_bytes(gzip.compress(path.read_bytes()) + padding)
    assert table(af.read_tfrecord(path, format="raw", threads=threads)).to_pydict() == raw.to_pydict()


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"\x28\xb5\x2f\xfd", "zstandard"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"PK\x03\x04", "zip"),
        (b"\x04\x22\x4d\x18", "lz4"),
    ],
)
def test_a_file_of_another_compression_is_named(tmp_path, start, name):
    path = tmp_path / "rows.jsonl.packed"
    path.write_bytes(start + bytes(range(256)))
    for read in (af.read_json_lines, af.read_csv, af.JsonLinesDataset, af.CsvDataset):
        with pytest.raises(af.CodecError) as error:
            read(path)
        expected = "expected text, uncompressed or compressed with gzip"
        assert str(error.value) == f"{path}: {expected}, found a file compressed with {name}"
    for read in (af.read_tfrecord, af.ExampleDataset, af.open_dataset):
        with pytest.raises(af.FormatError, match=f"found a file compressed with {name}"):
            read(path)


def kind(value):
    return {list: "a list", dict: "an object"}.get(type(value), "a scalar")


def has_common_type(a, b):
    if a is None or b is None:
        return True
    if isinstance(a, list) and isinstance(b, list):
        items = [*a, *b]
        return all(has_common_type(x, y) for x, y in itertools.combinations(items, 2))
    if isinstance(a, dict) and isinstance(b, dict):
        return all(has_common_type(a.get(key), b.get(key)) for key in {*a, *b})
    return kind(a) == kind(b)


def same(found, value):
    if isinstance(value, list) and isinstance(found, list):
        return len(found) == len(value) and all(map(same, found, value))
    if isinstance(value, dict) and isinstance(found, dict):
        return all(same(item, value.get(key)) for key, item in found.items())
    # Texts are mixed with other scalars.
    return found in {value, json.dumps(value)}


VALUES = [
    *[None, 1, 1.5, True, "x", [], [None], [1], [None, 0.5], [False], ["y"], [[2]], [[], None], {}],
    *[{"x": 3}, {"x": None}, {"y": [1]}, [{"x": 4}], [None, {}], [[{"z": "q"}]]],
]


def test_rows_that_json_inference_accepts_are_read():
    for pair in itertools.product(VALUES, VALUES):
        lines = "".join(json.dumps({"k": value}) + "\n" for value in pair).encode()
        if has_common_type(*pair):
            found = table(af.read_json_lines(lines))
            found.validate(full=True)
            assert all(map(same, found["k"].to_pylist(), pair)), pair
        else:
            with pytest.raises(af.SchemaError) as error:
                af.read_json_lines(lines)
            assert str(error.value).endswith("give a schema without this key")


def test_values_of_json_without_a_common_type_name_both_records(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"t": null}\n{"t": "a"}\n')
    (tmp_path / "b.jsonl").write_text('{"n": 1, "t": "a"}\n{"n": 2, "t": ["b", "c"]}\n')
    with pytest.raises(af.SchemaError) as error:
        af.JsonLinesDataset(tmp_path)
    assert str(error.value) == (
        f"{tmp_path}/b.jsonl: block 0, record 1: t: expected a scalar, as in record 1 of block 0 of "
        f"{tmp_path}/a.jsonl, found a list: give a schema without this key"
    )
    schema = pa.schema({"n": pa.int64()})
    assert table(af.read_json_lines(tmp_path, schema=schema)).to_pydict() == {"n": [None, None, 1, 2]}


@pytest.mark.parametrize(
    "other", [{"skip_lines": 1}, {"header": False}, {"quote": "'"}, {"skip_blank_lines": False}]
)
def test_an_index_and_a_state_of_another_dialect_are_refused(tmp_path, other):
    path = tmp_path / "rows.csv"
    path.write_text("n\n" + "".join(f"{number}\n" for number in range(100)))
    schema = pa.schema({"n": pa.string()})
    dataset = af.CsvDataset(path, names=["n"], schema=schema)
    dataset.save_index(tmp_path / "rows.index")
    batches = dataset.record_batches(batch_size=10)
    next(batches)
    again = af.CsvDataset(path, names=["n"], schema=schema, index=tmp_path / "rows.index")
    assert again.num_rows == 100
    again = again.record_batches(batch_size=10)
    again.load_state_dict(batches.state_dict())
    assert sum(batch.num_rows for batch in again) == 90
    changed = af.CsvDataset(path, names=["n"], schema=schema, index=tmp_path / "rows.index", **other)
    for options in ({}, {"shuffle_buffer_size": 20, "seed": 1}):
        with pytest.raises(af.ChangedError, match="checksum of start, end and dialect"):
            list(changed.record_batches(batch_size=10, **options))
    changed = af.CsvDataset(path, names=["n"], schema=schema, **other).record_batches(batch_size=10)
    with pytest.raises((ValueError, af.ChangedError), match="rows.csv unchanged, with the fingerprint"):
        changed.load_state_dict(batches.state_dict())
