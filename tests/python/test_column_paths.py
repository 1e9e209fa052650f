"""In formats that read whole columns, a path of `columns` may lead to a field of a column."""

import pyarrow as pa
import pytest

import arrowfeed as af

ROWS = pa.table({"id": [1], "st": [{"a": 2, "b.c": [{"d": 3}]}], "s.t": [4]})


class Rows(af.ChunkSource):
    """A source of `ROWS`."""

    arrow_schema = ROWS.schema
    chunk_rows = (1,)

    def read_chunk(self, number, columns):
        return ROWS.select(columns).to_batches()[0]


JSON = b'{"id": 1, "st": {"a": 2, "b.c": [{"d": 3}]}, "s.t": 4}\n'


def json_lines(columns):
    return pa.schema(af.read_json_lines(JSON, columns=columns).schema).names


def chunks(columns):
    return pa.schema(af.ChunkDataset(Rows(), columns=columns, representations={}).arrow_schema).names


def csv(columns):
    return pa.schema(af.read_csv(b"id,s.t\n1,2\n", columns=columns).schema).names


def examples(columns):
    schema = {"id": "int64", "s.t": "float"}
    return pa.schema(af.read_tfrecord(b"", schema=schema, columns=columns).schema).names


@pytest.mark.parametrize("names", [json_lines, chunks])
def test_a_path_to_a_field_reads_its_column(names):
    assert names(["st.a", "id"]) == ["st", "id"]
    assert names(["s.t", "st.b.c.d"]) == ["s.t", "st"]
    assert names(["['st']['b.c'].d", "['s.t']"]) == ["st", "s.t"]


@pytest.mark.parametrize("names", [json_lines, chunks, csv, examples])
def test_a_path_that_leads_nowhere_is_an_error(names):
    for path, column in (("id.foo", "id"), ("s.t.u", "s.t")):
        with pytest.raises(af.SchemaError) as error:
            names(["id", path])
        message = f'{path}: expected a path to a field of the column "{column}", found none'
        assert str(error.value).removeprefix("Rows: ") == message
