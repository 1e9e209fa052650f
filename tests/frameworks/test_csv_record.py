"""`CsvTFXIO` and `BeamRecordCsvTFXIO` return the results of tfx_bsl for the same records."""

import csv
import io
import pickle
from random import Random

import pytest

beam = pytest.importorskip("apache_beam")
csv_tfxio = pytest.importorskip("tfx_bsl.tfxio.csv_tfxio")
schema_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")

from apache_beam.runners.portability.fn_api_runner import FnApiRunner  # noqa: E402 - after the others
from apache_beam.testing import util  # noqa: E402

from arrowfeed import tfxio as ours  # noqa: E402

NAMES = ["id", "weight", "name", "tags", "nothing"]
CELLS = {"multivalent_columns": ["tags"], "secondary_delimiter": "|"}
TYPES = {"id": schema_pb2.INT, "weight": schema_pb2.FLOAT, "name": schema_pb2.BYTES, "tags": schema_pb2.INT}
SCHEMA = schema_pb2.Schema(
    feature=[schema_pb2.Feature(name=name, type=kind) for name, kind in reversed(TYPES.items())]
)


def written(row):
    """A record of a row, without its line end."""
    text = io.StringIO()
    csv.writer(text).writerow(row)
    return text.getvalue().removesuffix("\r\n")


def records(count, *, line_ends=False):
    """Records whose `id` is their number. All other cells may be empty."""
    random = Random(3)
    names = ["plain", "comma, inside", 'quote " inside', "é", "line\nend" if line_ends else "text"]

    def maybe(cell):
        return cell if random.random() < 0.8 else ""

    return [
        written(
            [
                number,
                maybe(str(random.choice([0.5, -3, 1e3]))),
                maybe(random.choice(names)),
                maybe("|".join(str(random.randrange(9)) for _ in range(random.randrange(1, 4)))),
                "",
            ]
        )
        for number in range(count)
    ]


def in_a_pipeline(folder, *transforms):
    """The batches of pyarrow that a pipeline of some transforms gives."""
    target = folder / "batches"

    def keep(batches):
        target.write_bytes(pickle.dumps(batches))

    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        made = pipeline
        for number, transform in enumerate(transforms):
            made |= str(number) >> transform
        util.assert_that(made, keep)
    return pickle.loads(target.read_bytes())


def rows(batches):
    return sorted((row for batch in batches for row in batch.to_pylist()), key=lambda row: row["id"])


@pytest.mark.parametrize("schema", [SCHEMA, None], ids=["schema", "inferred"])
def test_records_of_a_pipeline_are_the_same(tmp_path, schema):
    lines = [record.encode() for record in [*records(100), ""]]
    found, expected = (
        in_a_pipeline(
            tmp_path,
            beam.Create(lines),
            kind("text", NAMES, schema=schema, **CELLS).BeamSource(batch_size=30),
        )
        for kind in (ours.BeamRecordCsvTFXIO, csv_tfxio.BeamRecordCsvTFXIO)
    )
    assert len({str(batch.schema) for batch in [*found, *expected]}) == 1
    assert rows(found) == rows(expected)
    assert len(rows(found)) == 100


HEADERS = {"names": [",".join(NAMES)], "none": [], "notes": ['a "note', "1,2,3", ""]}


@pytest.mark.parametrize(
    ("raw", "header"), [(None, "names"), ("raw", "names"), (None, "notes"), ("raw", "none")]
)
def test_files_are_the_same(tmp_path, raw, header):
    lines = records(100)
    path = tmp_path / "rows.csv"
    header = HEADERS[header]
    path.write_text("".join(f"{line}\n" for line in [*header, *lines]))
    options = {"schema": SCHEMA, "skip_header_lines": len(header), "raw_record_column_name": raw, **CELLS}
    mine, other = (kind(str(path), NAMES, **options) for kind in (ours.CsvTFXIO, csv_tfxio.CsvTFXIO))
    assert mine.ArrowSchema().equals(other.ArrowSchema())
    assert mine.TensorRepresentations() == other.TensorRepresentations()
    # tfx_bsl fails at the second batch with raw records.
    found, expected = (in_a_pipeline(tmp_path, source.BeamSource(100)) for source in (mine, other))
    assert rows(found) == rows(expected)
    assert all(batch.schema.equals(mine.ArrowSchema()) for batch in found)
    batches = list(mine.RecordBatches(ours.RecordBatchesOptions(64, num_epochs=1, shuffle=False)))
    assert [batch.num_rows for batch in batches] == [64, 36]
    assert rows(batches) == rows(expected)


@pytest.mark.parametrize("raw", [None, "raw"])
def test_a_file_of_fewer_lines_than_are_skipped_has_no_rows(tmp_path, raw):
    for name, text in {"a": "", "b": "one line", "c": "x\n\n1,2\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    source = ours.CsvTFXIO(str(tmp_path), ["n", "t"], skip_header_lines=2, raw_record_column_name=raw)
    [batch] = source.RecordBatches(ours.RecordBatchesOptions(5, num_epochs=1, shuffle=False))
    assert batch.select(["n", "t"]).to_pylist() == [{"n": [1], "t": [2]}]
    assert [found.to_pylist() for found in in_a_pipeline(tmp_path, source.BeamSource(5))] == [
        batch.to_pylist()
    ]


def test_line_ends_in_quotes_are_read(tmp_path):
    lines = records(100, line_ends=True)
    (tmp_path / "rows.csv").write_text("".join(f"{line}\r\n" for line in lines))
    source = ours.CsvTFXIO(str(tmp_path / "rows.csv"), NAMES, schema=SCHEMA, **CELLS)
    found = rows(in_a_pipeline(tmp_path, source.BeamSource(30)))
    assert found == rows(source.RecordBatches(ours.RecordBatchesOptions(30, num_epochs=1)))
    assert {row["name"][0] for row in found if row["name"]} >= {b"line\nend", b"comma, inside"}
    [tensors] = source.TensorFlowDataset(ours.TensorFlowDatasetOptions(100, num_epochs=1, shuffle=False))
    assert tensors["id"].values.numpy().tolist() == list(range(100))


def test_files_without_a_schema_have_the_types_of_all_cells(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n")
    (tmp_path / "b.csv").write_text("2,x\n")
    source = ours.CsvTFXIO(str(tmp_path), ["n", "t"])
    assert [str(field.type.value_type) for field in source.ArrowSchema()] == ["int64", "large_binary"]
    assert sorted(source.TensorRepresentations()) == ["n", "t"]
    [batch] = source.RecordBatches(ours.RecordBatchesOptions(5, num_epochs=1, shuffle=False))
    assert batch.to_pylist() == [{"n": [1], "t": [b"2"]}, {"n": [2], "t": [b"x"]}]


def test_a_record_of_empty_cells_is_a_row_and_a_directory_has_files(tmp_path):
    (tmp_path / "a.csv").write_text("1\t2\n\t\n\n3\t4\n")
    expected = [{"n": [1], "t": [2]}, {"n": None, "t": None}, {"n": [3], "t": [4]}]
    for raw in (None, "raw"):
        source = ours.CsvTFXIO(str(tmp_path), ["n", "t"], delimiter="\t", raw_record_column_name=raw)
        [batch] = source.RecordBatches(ours.RecordBatchesOptions(5, num_epochs=1, shuffle=False))
        assert batch.select(["n", "t"]).to_pylist() == expected
        found = in_a_pipeline(tmp_path, source.BeamSource(5))
        assert sum(one.num_rows for one in found) == 3


def test_arguments_that_do_not_fit_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="Schema features are not a subset of column names"):
        ours.BeamRecordCsvTFXIO("text", ["id"], schema=SCHEMA)
    with pytest.raises(ValueError, match="skip_header_lines: expected 0 or more, found -1"):
        ours.CsvTFXIO("rows.csv", NAMES, skip_header_lines=-1)
    source = ours.BeamRecordCsvTFXIO("text", NAMES, schema=SCHEMA, **CELLS)
    decode = source._decoder()
    with pytest.raises(ValueError, match="record 1: expected 5 cells, found 1"):
        list(decode([b"1,,,,", b"2"]))
    with pytest.raises(ValueError, match="record 0: id: "):
        list(decode([b"x,,,,"]))
    with pytest.raises(ValueError, match="quote"):
        list(decode([b'1,,"x,,', b'2,,y",,']))
    with pytest.raises(NotImplementedError, match="BeamRecordCsvTFXIO cannot read files"):
        source.RecordBatches(ours.RecordBatchesOptions(5))
