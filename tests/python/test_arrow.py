"""Batches, columns and schemas as Python objects."""

import re

import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import users


@pytest.fixture
def batch(users_file):
    return next(af.read_avro(users_file))


def test_a_batch_is_its_rows(batch):
    assert (batch.num_rows, len(batch), batch.num_columns) == (100, 100, 4)
    assert batch.to_pyarrow().to_pylist() == users(100)
    assert pa.record_batch(batch).schema == pa.schema(batch.schema) == batch.schema.to_pyarrow()


def test_a_column_is_its_values(batch):
    column = batch.column("name")
    assert (column.name, column.type, column.null_count, len(column)) == ("name", "Utf8", 20, 100)
    assert column.to_pyarrow().to_pylist() == [user["name"] for user in users(100)]
    assert pa.field(column).equals(pa.field("name", pa.string()))


def test_a_column_is_not_copied(batch):
    once, twice = batch.column("id").to_pyarrow(), pa.array(batch.column("id"))
    assert once.buffers()[1].address == twice.buffers()[1].address


def test_buffers_outlive_batch_and_reader(users_file):
    column = next(af.read_avro(users_file)).column("scores").to_pyarrow()
    assert column.to_pylist() == [user["scores"] for user in users(100)]


def test_a_missing_column_is_a_key_error(batch):
    with pytest.raises(KeyError) as caught:
        batch.column("nmae")
    assert caught.value.args == ('expected one of the columns id, name, scores, home, found "nmae"',)


def test_equality_is_that_of_values(users_file):
    one, two = next(af.read_avro(users_file)), next(af.read_avro(users_file))
    other = next(af.read_avro(users_file, columns=["id"]))
    assert one == two
    assert one != other
    assert one.schema == two.schema
    assert one.schema != other.schema
    assert one.column("id") == other.column("id")
    assert one.column("id") != one.column("name")
    assert one != "batch"


def test_text_forms_are_short(batch):
    fields = "\n  id: Int64 not null\n  name: Utf8\n  scores: "
    assert repr(batch.schema).startswith(f"<arrowfeed.Schema of 4 columns>{fields}")
    of_batch = repr(batch).splitlines()
    assert of_batch[:2] == [
        "<arrowfeed.RecordBatch of 100 rows and 4 columns>",
        "  id: Int64 not null = 0, 1, 2, …",
    ]
    assert repr(batch.column("id")) == "<arrowfeed.Array id: Int64 of 100 values, 0 nulls>"


def test_a_requested_type_is_cast_to_where_nothing_is_lost(batch):
    ids = batch.column("id")
    narrow = pa.Array._import_from_c_capsule(*ids.__arrow_c_array__(pa.int16().__arrow_c_schema__()))
    assert narrow.equals(pa.array(range(100), pa.int16()))
    # A cast that is not possible: the protocol lets the producer give what it has.
    own = pa.Array._import_from_c_capsule(*ids.__arrow_c_array__(pa.struct([]).__arrow_c_schema__()))
    assert own.type == pa.int64()


def test_a_value_that_does_not_fit_the_requested_type_is_an_error(batch):
    with pytest.raises(ValueError, match="expected|too large|Cast error"):
        batch.column("id").__arrow_c_array__(pa.decimal128(1, 0).__arrow_c_schema__())


def test_a_text_of_millions_of_digits_is_not_cast_to_a_decimal():
    batch = next(iter(af.read_csv(b"a\n" + b"9" * 5_000_000 + b"\n", schema=pa.schema({"a": pa.string()}))))
    message = "expected texts of at most 1000 bytes for Decimal256(70, 2), found a longer one"
    with pytest.raises(ValueError, match=re.escape(message)):
        batch.column("a").__arrow_c_array__(pa.decimal256(70, 2).__arrow_c_schema__())
    lists = af.read_csv(b"a\n" + b"9" * 5_000_000 + b"\n", schema=pa.schema({"a": pa.list_(pa.string())}))
    column = next(iter(lists)).column("a")
    with pytest.raises(
        ValueError, match=re.escape(message.replace("Decimal256(70, 2)", "List(Decimal256(70, 2))"))
    ):
        column.__arrow_c_array__(pa.list_(pa.decimal256(70, 2)).__arrow_c_schema__())


@pytest.mark.parametrize("kind", [af.Array, af.RecordBatch, af.RecordBatchReader, af.Schema])
def test_results_cannot_be_made_by_hand(kind):
    with pytest.raises(TypeError, match=f"^cannot create 'arrowfeed.{kind.__name__}' instances$"):
        kind()
