"""`_repr_html_` of schemas, batches, datasets and adapters, and the `repr` of iterators."""

import io

import pyarrow as pa
import pytest

import arrowfeed as af


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
    dataset = af.AvroDataset(source, representations={"id": af.Dense("id"), "many": af.Ragged("many")})
    for shown, name in ((dataset, "AvroDataset"), (dataset.tensor_adapter(), "TensorAdapter")):
        html = shown._repr_html_()
        assert html.startswith(f"<table><caption>arrowfeed.{name} of 2 tensors</caption>")
        assert "<tr><td>id</td><td>dense int64" in html


def test_an_iterator_says_what_it_yields(source):
    dataset = af.AvroDataset(source, representations={"id": af.Dense("id")})
    assert repr(dataset.tensors(batch_size=4)) == "<arrowfeed.BatchIterator of tensors id>"
    batches = dataset.record_batches(batch_size=4)
    assert repr(batches) == "<arrowfeed.BatchIterator of record batches>"
