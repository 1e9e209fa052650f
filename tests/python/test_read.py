"""`read_avro` returns the rows that were written."""

import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import BIG_ROWS, SCHEMA, users, write


def rows(reader):
    return pa.table(reader).to_pylist()


def test_rows_equal_the_written_ones(users_file):
    assert rows(af.read_avro(users_file)) == users(100)


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"])
def test_every_codec_gives_the_same_rows(tmp_path, codec):
    path = write(tmp_path / "users.avro", users(500), codec=codec, sync_interval=1000)
    assert af.avro_schema(path).codec == codec
    assert rows(af.read_avro(path)) == users(500)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
@pytest.mark.parametrize("batch_size", [1000, 8192, 1_000_000])
def test_rows_and_batches_are_the_same_with_any_number_of_threads(big_file, threads, batch_size):
    reader = af.read_avro(big_file, threads=threads, batch_size=batch_size)
    batches = list(reader)
    counts = [batch.num_rows for batch in batches]
    full, rest = divmod(BIG_ROWS, batch_size)
    assert counts == [batch_size] * full + [rest] * (rest > 0)
    ids = [batch.column("id").to_pyarrow() for batch in batches]
    assert pa.chunked_array(ids).to_pylist() == list(range(BIG_ROWS))


def test_iteration_ends_and_stays_ended(users_file):
    reader = af.read_avro(users_file, batch_size=60)
    assert iter(reader) is reader
    assert [next(reader).num_rows, next(reader).num_rows] == [60, 40]
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(reader)


def test_report_counts_yielded_rows(users_file):
    reader = af.read_avro(users_file, batch_size=60)
    assert reader.report()["rows"] == 0
    next(reader)
    assert reader.report()["rows"] == 60
    list(reader)
    report = reader.report()
    assert report == {"rows": 100, "blocks": 1, "bytes": report["bytes"], "skipped": []}
    assert 0 < report["bytes"] < users_file.stat().st_size


def test_a_closed_reader_says_so(users_file):
    with af.read_avro(users_file, batch_size=60) as reader:
        assert next(reader).num_rows == 60
    reader.close()
    with pytest.raises(ValueError, match="^expected an open reader, found it closed$"):
        next(reader)
    with pytest.raises(ValueError, match="^expected an open reader, found it closed$"):
        pa.table(reader)
    assert reader.report()["rows"] == 60
    assert reader.schema.names == ["id", "name", "scores", "home"]


def test_an_exception_leaves_the_context_closed(users_file):
    with pytest.raises(ZeroDivisionError), af.read_avro(users_file) as reader:
        raise ZeroDivisionError
    with pytest.raises(ValueError, match="found it closed"):
        next(reader)


def test_files_are_read_in_order_and_batches_do_not_cross_them(tmp_path):
    for part in range(3):
        write(tmp_path / f"part-{part}.avro", users(10, first=10 * part))
    reader = af.read_avro(tmp_path, batch_size=8)
    batches = list(reader)
    assert [batch.num_rows for batch in batches] == [8, 2] * 3
    assert pa.Table.from_batches([b.to_pyarrow() for b in batches]).to_pylist() == users(30)


def test_columns_keep_nesting_and_the_order_of_first_mention(users_file):
    reader = af.read_avro(users_file, columns=["home.zip", "id"])
    assert pa.schema(reader.schema) == pa.schema(
        [
            pa.field("home", pa.struct([pa.field("zip", pa.int32(), nullable=False)]), nullable=False),
            pa.field("id", pa.int64(), nullable=False),
        ]
    )
    expected = [{"home": {"zip": user["home"]["zip"]}, "id": user["id"]} for user in users(100)]
    assert rows(reader) == expected


def test_no_columns_still_have_rows(users_file):
    batch = next(af.read_avro(users_file, columns=[]))
    assert (batch.num_rows, batch.num_columns, batch.schema.names) == (100, 0, [])
    assert batch.to_pyarrow().num_rows == 100


def test_a_reader_schema_resolves_by_the_specification(users_file):
    reader_schema = {
        "type": "record",
        "name": "tests.User",
        "fields": [
            {"name": "nick", "type": ["null", "string"], "aliases": ["name"]},
            {"name": "id", "type": "double"},
            {"name": "added", "type": "int", "default": 7},
        ],
    }
    expected = [{"nick": user["name"], "id": float(user["id"]), "added": 7} for user in users(100)]
    for schema in (reader_schema, af.AvroSchema(reader_schema), af.AvroSchema(reader_schema).json):
        assert rows(af.read_avro(users_file, reader_schema=schema)) == expected


def test_batches_are_cut_by_bytes(users_file):
    reader = af.read_avro(users_file, max_batch_bytes=1000)
    counts = [batch.num_rows for batch in reader]
    assert len(counts) > 3
    assert sum(counts) == 100


def test_the_schema_of_a_file(users_file):
    schema = af.avro_schema(users_file)
    assert schema.codec == "null"
    assert set(schema.metadata) == {"avro.schema", "avro.codec"}
    assert schema.metadata["avro.codec"] == b"null"
    assert schema.metadata["avro.schema"] == schema.json.encode()
    assert schema == af.AvroSchema(SCHEMA)
    assert schema.fingerprint == af.AvroSchema(schema.canonical).fingerprint
    assert pa.schema(schema.arrow) == pa.schema(af.read_avro(users_file).schema)


def test_user_metadata_is_kept_as_bytes(tmp_path):
    path = write(tmp_path / "a.avro", users(1), metadata={"made.by": "été"})
    assert af.avro_schema(path).metadata["made.by"] == "été".encode()


def test_a_schema_compares_hashes_and_pickles(users_file):
    schema = af.avro_schema(users_file)
    same = af.AvroSchema(SCHEMA)
    other = af.AvroSchema('"int"')
    assert {schema: 1}[same] == 1
    assert schema != other
    assert schema != "int"
    again = pickle.loads(pickle.dumps(schema))
    assert (again, again.json, again.codec, again.metadata) == (
        schema,
        schema.json,
        schema.codec,
        schema.metadata,
    )
    assert repr(other) == "AvroSchema('\"int\"')"
    assert str(other) == other.json == '"int"'
    assert af.AvroSchema(["null", "int"]).canonical == '["null","int"]'
    assert af.AvroSchema(same).json == same.json
    assert (other.codec, other.metadata, other.warnings) == (None, {}, [])
    # The fingerprint that the Avro specification gives for "int".
    assert other.fingerprint == 0x7275D51A3F395C8F


def test_an_ignored_logical_type_is_a_warning():
    schema = af.AvroSchema({"type": "string", "logicalType": "date"})
    assert schema.warnings == ['ignored the logical type "date" of string: expected int']


def test_encodings_and_string_types_reach_the_schema(users_file):
    def type_of_name(**options):
        return pa.schema(af.read_avro(users_file, **options).schema).field("name").type

    assert type_of_name() == pa.string()
    assert type_of_name(string_type="large_utf8") == pa.large_string()
    assert type_of_name(string_type="utf8_view") == pa.string_view()
    assert type_of_name(encoding="tfx") == pa.large_list(pa.large_binary())
    assert pa.types.is_fixed_size_list(type_of_name(encoding="feature")) or pa.types.is_list(
        type_of_name(encoding="feature")
    )


def test_bad_blocks_are_left_out_and_reported(tmp_path):
    path = write(tmp_path / "users.avro", users(100), sync_interval=200)
    whole = af.read_avro(path)
    list(whole)
    blocks = whole.report()["blocks"]
    assert blocks > 5
    data = bytearray(path.read_bytes())
    # A string that is not UTF-8, in the middle of the file.
    data[data.index(b"user 52")] = 0xFF
    path.write_bytes(data)
    reader = af.read_avro(path, on_error="skip_block")
    ids = [user["id"] for user in rows(reader)]
    report = reader.report()
    [skipped] = report["skipped"]
    assert report["rows"] == len(ids) == 100 - skipped["rows"]
    assert 52 not in ids
    assert ids == sorted(ids)
    assert skipped["path"] == str(path)
    assert skipped["block"] > 0
    assert data[skipped["offset"] - 16 : skipped["offset"]] == data[-16:]
    assert skipped["error"].startswith(f"{path}: block {skipped['block']} at byte ")

    good = write(tmp_path / "zz.avro", users(10, first=100))
    reader = af.read_avro([path, good], on_error="skip_file")
    ids = [user["id"] for user in rows(reader)]
    assert ids == [*range(ids.index(100)), *range(100, 110)]
    [skipped] = reader.report()["skipped"]
    assert (skipped["path"], skipped["block"], skipped["offset"]) == (str(path), None, None)
