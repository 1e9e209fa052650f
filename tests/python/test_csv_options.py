"""Types of some columns of CSV and JSON lines; booleans, decimal commas and comments in CSV."""

import io
import pickle
import random

import pandas as pd
import pyarrow as pa
import pytest

import arrowfeed as af
from session_seed import SEED

RIDES = b"# zip and fare\nzip;fare;paid\n01234;8,5;yes\n56789;;no\n"
GERMAN = {
    "delimiter": ";",
    "comment": "#",
    "decimal_comma": True,
    "true_values": ["yes"],
    "false_values": ["no"],
}
ROWS = [{"zip": "01234", "fare": 8.5, "paid": True}, {"zip": "56789", "fare": None, "paid": False}]


def rows(dataset):
    return [row for batch in dataset.record_batches(batch_size=2) for row in batch.to_pyarrow().to_pylist()]


@pytest.mark.parametrize("zip_type", ["string", "Utf8", pa.string(), pa.field("zip", pa.string())])
def test_the_types_of_some_columns_replace_inferred_ones(zip_type):
    options = {**GERMAN, "types": {"zip": zip_type}}
    assert pa.table(af.read_csv(RIDES, **options)).to_pylist() == ROWS
    dataset = af.CsvDataset(RIDES, **options)
    assert rows(dataset) == ROWS
    copy = pickle.loads(pickle.dumps(dataset))
    assert rows(copy) == ROWS
    assert copy.arrow_schema == dataset.arrow_schema


def test_splits_have_the_types_and_the_dialect(tmp_path):
    path = tmp_path / "rides.csv"
    path.write_bytes(RIDES)
    dataset = af.open_dataset(path, types={"zip": "string"}, **GERMAN)
    splits = dataset.plan_splits(target_bytes=1 << 20)
    found = [
        row
        for split in splits
        for batch in dataset.read_split(split)
        for row in batch.to_pyarrow().to_pylist()
    ]
    assert found == ROWS


def test_types_of_json_lines_are_not_inferred():
    lines = b'{"id": 18446744073709551615, "tag": "a"}\n{"id": 1, "tag": 2}\n'
    expected = [{"id": 2**64 - 1, "tag": "a"}, {"id": 1, "tag": "2"}]
    assert pa.table(af.read_json_lines(lines, types={"id": "uint64"})).to_pylist() == expected
    dataset = af.JsonLinesDataset(lines, types={"id": pa.uint64()})
    assert rows(pickle.loads(pickle.dumps(dataset))) == expected


@pytest.mark.parametrize("read", [af.read_csv, af.CsvDataset])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"types": {"zap": "string"}},
            af.SchemaError,
            'types: expected the column "zap", found the columns "zip", "fare"',
        ),
        (
            {"types": {"zip": "strng"}},
            ValueError,
            'types["zip"]: expected an Arrow type, such as "string", "int64" or pyarrow.string(), '
            "found str 'strng'",
        ),
        (
            {"types": {"zip": str}},
            TypeError,
            'types["zip"]: expected an Arrow type, such as "string", "int64" or pyarrow.string(), '
            "found type <class 'str'>",
        ),
        (
            {"types": ["zip"]},
            TypeError,
            "types: expected a dict of names of columns to types, found list ['zip']",
        ),
        (
            {"types": {"zip": "string"}, "schema": pa.schema({"zip": pa.string()})},
            af.OptionError,
            "expected either a schema or the types of some columns, found both",
        ),
        (
            {"decimal_comma": True},
            af.OptionError,
            'expected another delimiter than the decimal comma, found "," for both',
        ),
        (
            {"comment": '"'},
            af.OptionError,
            'expected different characters as comment and quote, found "\\"" for both',
        ),
        ({"comment": "##"}, ValueError, "comment: expected one ASCII character (str), found str '##'"),
        (
            {"true_values": "yes"},
            TypeError,
            "true_values: expected a list of texts (str), found str 'yes'",
        ),
        (
            {"true_values": ["1"], "false_values": ["1"]},
            af.OptionError,
            'expected a text for true or for false, found "1" for both',
        ),
    ],
)
def test_wrong_options_of_csv_are_refused(read, options, error, message):
    with pytest.raises(error) as raised:
        read(b"zip,fare\n1,2\n", **options)
    assert str(raised.value) == message


def test_an_index_of_another_comment_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("n\n#1\n2\n")
    af.CsvDataset(path, comment="#").save_index(tmp_path / "rows.index")
    with pytest.raises(af.ChangedError, match="checksum of start, end and dialect"):
        list(af.CsvDataset(path, index=tmp_path / "rows.index").record_batches(batch_size=1))


CELLS = {
    "booleans": ["yes", "no", "TRUE", "False", ""],
    "both": ["yes", "1", "0", "no"],
    "integers": ["1", "0", "-7", ""],
    "floats": ["8,5", "-0,25", "3", "1e3", ""],
    "texts": ["a", "yes", "1.5", "1,5", '"x;""y"', '"two\nlines"', ""],
}


def random_file(rng):
    """A file whose columns have cells of one or two kinds, with comments between the records."""
    kinds = [rng.sample(list(CELLS), rng.choice([1, 1, 2])) for _ in range(4)]
    lines = ["id;" + ";".join("abcd")]
    for number in range(rng.randrange(1, 12)):
        if rng.random() < 0.3:
            lines.append(rng.choice(["#", '# it is "quoted', "#;1;2", "##"]))
        lines.append(";".join([f"row {number}", *(rng.choice(CELLS[rng.choice(kind)]) for kind in kinds)]))
    end = rng.choice(["\n", "\r\n"])
    return end.join(lines) + rng.choice(["", end])


def test_random_files_are_read_as_by_pandas():
    rng = random.Random(SEED)
    texts = {"true_values": ["yes", "1"], "false_values": ["no", "0"]}
    kinds = set()
    for _ in range(100):
        text = random_file(rng)
        frame = pd.read_csv(
            io.BytesIO(text.encode()),
            sep=";",
            decimal=",",
            comment="#",
            keep_default_na=False,
            na_values=[""],
            **texts,
        )
        expected = {
            name: [None if pd.isna(value) else value for value in column.tolist()]
            for name, column in frame.items()
        }
        options = {"delimiter": ";", "decimal_comma": True, "comment": "#", **texts}
        table = pa.table(af.read_csv(text.encode(), **options))
        found = table.to_pydict()
        assert found == expected, text
        assert [type(value) is bool for column in found.values() for value in column] == [
            type(value) is bool for column in expected.values() for value in column
        ], text
        kinds.update(map(str, table.schema.types))
    assert kinds >= {"bool", "int64", "double", "string"}
