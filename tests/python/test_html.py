"""`_repr_html_` escapes markup in schemas, batches, datasets, adapters, tensors and `explain()`."""

import io
import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged


@pytest.fixture
def source():
    """A file with twelve rows, a name and a text with markup, and a long list."""
    table = pa.table(
        {
            "id": range(12),
            "text": ["<b>&\x1b[2J", None, *["x" * 100] * 10],
            "many": [[1] * 100_000, *[[]] * 11],
        }
    )
    file = io.BytesIO()
    af.write_avro(table, file)
    return file.getvalue()


def test_a_schema_is_a_table(source):
    assert af.read_avro(source, columns=["id", "many"]).schema._repr_html_() == (
        "<table><caption>arrowfeed.Schema of 2 columns</caption>"
        "<thead><tr><th>column</th><th>Arrow type</th><th>nullable</th></tr></thead>"
        "<tbody><tr><td>id</td><td>Int64</td><td>yes</td></tr>"
        "<tr><td>many</td><td>List(Int64)</td><td>yes</td></tr></tbody></table>"
    )


def test_a_batch_is_its_first_rows_and_markup_is_text(source):
    html = next(af.read_avro(source))._repr_html_()
    assert html.startswith(
        "<table><caption>arrowfeed.RecordBatch of 12 rows and 3 columns</caption>"
        "<thead><tr><th>id</th><th>text</th><th>many</th></tr></thead>"
        "<tbody><tr><td>0</td><td>&lt;b&gt;&amp;\\u{1b}[2J</td><td>[1, 1, "
    )
    assert f"<tr><td>2</td><td>{'x' * 60}…</td><td>[]</td></tr>" in html
    assert "<tr><td>1</td><td>null</td><td>[]</td></tr>" in html
    assert html.endswith('<tfoot><tr><td colspan="3">and 2 more</td></tr></tfoot></table>')
    assert len(html) < 2500


def test_a_dataset_and_an_adapter_are_their_tensors(source):
    dataset = af.AvroDataset(source, representations={"id": Dense("id"), "many": Ragged("many")})
    for shown, name in ((dataset, "AvroDataset"), (dataset.tensor_adapter(), "TensorAdapter")):
        html = shown._repr_html_()
        assert html.startswith(f"<table><caption>arrowfeed.{name} of 2 tensors</caption>")
        assert "<tr><td>id</td><td>dense int64" in html


def test_an_iterator_says_what_it_yields(source):
    dataset = af.AvroDataset(source, representations={"id": Dense("id")})
    assert repr(dataset.tensors(batch_size=4)) == "<arrowfeed.BatchIterator of tensors id>"
    batches = dataset.record_batches(batch_size=4)
    assert repr(batches) == "<arrowfeed.BatchIterator of record batches>"


def test_a_reader_says_what_it_reads(source):
    reader = af.read_avro(source, columns=["id", "many"])
    assert repr(reader) == "<arrowfeed.RecordBatchReader of 2 columns>\n  id: Int64\n  many: List(Int64)"


def test_an_avro_schema_is_its_json_and_markup_is_text():
    schema = {"type": "record", "name": "R", "doc": "<b>ä\x1b\u202e", "fields": []}
    assert af.AvroSchema(schema)._repr_html_() == (
        "<pre>{\n"
        "  &quot;type&quot;: &quot;record&quot;,\n"
        "  &quot;name&quot;: &quot;R&quot;,\n"
        "  &quot;doc&quot;: &quot;&lt;b&gt;ä\\u001b\\u{202e}&quot;,\n"
        "  &quot;fields&quot;: []\n"
        "}</pre>"
    )


def test_a_dense_tensor_is_its_first_rows():
    tensor = af.DenseTensor(np.arange(24, dtype="float32").reshape(12, 2))
    html = tensor._repr_html_()
    assert html.startswith(
        "<table><caption>arrowfeed.DenseTensor float32 [12, 2]</caption>"
        "<thead><tr><th>row</th><th>values</th></tr></thead>"
        "<tbody><tr><td>0</td><td>[0.0, 1.0]</td></tr><tr><td>1</td><td>[2.0, 3.0]</td></tr>"
    )
    assert html.endswith('<tr><td colspan="2">and 2 more</td></tr></tfoot></table>')
    assert html.count("<td>") == 20


def test_tensors_of_any_rank_and_type_are_shown():
    for values, cells in (
        (np.int64(7), "<td>0</td><td>7</td>"),
        ([True, False], "<td>0</td><td>true</td></tr><tr><td>1</td><td>false</td>"),
        ([[[1, 2], [3, 4]]], "<td>0</td><td>[[1, 2], [3, 4]]</td>"),
        (np.zeros((1, 2, 0)), "<td>0</td><td>[[], []]</td>"),
        (np.array([1.5], "float16"), "<td>0</td><td>1.5</td>"),
    ):
        assert f"<tbody><tr>{cells}</tr></tbody>" in af.DenseTensor(values)._repr_html_()
    assert "<tbody></tbody>" in af.DenseTensor(np.zeros((0, 3)))._repr_html_()


def test_markup_in_a_tensor_is_text():
    html = af.DenseTensor([b"<b>&'\x1b\xff"])._repr_html_()
    assert "<caption>arrowfeed.DenseTensor bytes [1]</caption>" in html
    assert "<td>b'&lt;b&gt;&amp;\\'\\x1b\\xff'</td>" in html
    name = "<script>" + "x" * 1000
    html = af.StructuredTensor({name: af.DenseTensor(["<i>"])})._repr_html_()
    assert "<script>" not in html
    assert "<i>" not in html
    assert "<td>&lt;script&gt;xxx" in html
    assert "<td>[b'&lt;i&gt;']</td>" in html


def test_a_sparse_tensor_is_its_first_entries():
    indices = [[row, 1] for row in range(12)]
    html = af.SparseTensor(indices, [b"a"] * 12, [12, 2])._repr_html_()
    assert html.startswith(
        "<table><caption>arrowfeed.SparseTensor bytes [12, 2], 12 stored</caption>"
        "<thead><tr><th>index</th><th>value</th></tr></thead>"
        "<tbody><tr><td>[0, 1]</td><td>b'a'</td></tr><tr><td>[1, 1]</td>"
    )
    assert html.endswith('<tr><td colspan="2">and 2 more</td></tr></tfoot></table>')


def test_a_ragged_tensor_is_its_first_rows_as_nested_lists():
    tensor = af.RaggedTensor([[1, 2], [3, 4], [5, 6]], [[0, 2, 2], [0, 1, 3]])
    assert tensor._repr_html_() == (
        "<table><caption>arrowfeed.RaggedTensor int64 [2, ?, ?, 2], 6 values</caption>"
        "<thead><tr><th>row</th><th>values</th></tr></thead>"
        "<tbody><tr><td>0</td><td>[[[1, 2]], [[3, 4], [5, 6]]]</td></tr>"
        "<tr><td>1</td><td>[]</td></tr></tbody></table>"
    )


def test_a_structured_tensor_is_its_fields():
    fields = {
        "age": af.DenseTensor([30, 40]),
        "tags": af.RaggedTensor([1, 2, 3], [[0, 1, 3]]),
        "words": af.SparseTensor([[1, 0]], [b"a"], [2, 1]),
    }
    tensor = af.StructuredTensor({**fields, "inner": af.StructuredTensor(fields)})
    assert tensor._repr_html_() == (
        "<table><caption>arrowfeed.StructuredTensor of 2 rows and 4 fields</caption>"
        "<thead><tr><th>field</th><th>tensor</th><th>first values</th></tr></thead><tbody>"
        "<tr><td>age</td><td>arrowfeed.DenseTensor int64 [2]</td><td>[30, 40]</td></tr>"
        "<tr><td>tags</td><td>arrowfeed.RaggedTensor int64 [2, ?], 3 values</td><td>[[1], [2, 3]]</td></tr>"
        "<tr><td>words</td><td>arrowfeed.SparseTensor bytes [2, 1], 1 stored</td><td>[[1, 0]: b'a']</td></tr>"
        "<tr><td>inner</td><td>arrowfeed.StructuredTensor of 2 rows, fields age, tags, word…</td>"
        "<td></td></tr></tbody></table>"
    )


def test_a_table_of_a_large_tensor_is_small():
    row = np.zeros((20, 50_000), "int8")
    long = [b"x" * 1_000_000] * 12
    empty = np.zeros(1_000_001, "int64")
    for tensor in (
        af.DenseTensor(row),
        af.DenseTensor(row.reshape(20, 5, 100, 100)),
        af.DenseTensor(long),
        af.SparseTensor([[i, 0] for i in range(12)], long, [12, 1]),
        af.RaggedTensor(row.reshape(-1), [[0, 1_000_000]]),
        af.RaggedTensor(row[:0].reshape(-1), [[0, 1_000_000], empty]),
        af.StructuredTensor({f"field {number}": af.DenseTensor(row) for number in range(200)}),
    ):
        html = tensor._repr_html_()
        assert "…" in html
        assert len(html) < 12_000


def test_an_explanation_is_a_str_that_notebooks_show_with_its_lines(source):
    dataset = af.AvroDataset(source, representations={"<b>&": Dense("id")})
    for explained in (dataset, dataset.tensor_adapter()):
        text = explained.explain()
        assert isinstance(text, str)
        assert "<b>&: dense int64 [?]\n  values: " in text
        assert text._repr_html_() == (
            "<pre>" + text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") + "</pre>"
        )
        again = pickle.loads(pickle.dumps(text))
        assert (again, type(again), repr(text)) == (text, type(text), repr(str(text)))
