"""The options of formats in Python and on the command line, by the cases that all languages have."""

import json
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed._formats import extension_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = tomllib.loads((Path(__file__).parents[1] / "cases" / "options" / "options.toml").read_text("utf-8"))
READ = {
    "avro": af.read_avro,
    "parquet": af.read_parquet,
    "arrow": af.read_arrow_ipc,
    "tfrecord": af.read_tfrecord,
    "jsonl": af.read_json_lines,
    "csv": af.read_csv,
}


def cases(language):
    return [
        pytest.param(case, id=f"{case['format']}-{case['name']}")
        for case in CASES["option"]
        if language not in case.get("lacks", {})
    ]


def written(case, directory):
    path = directory / f"{case['name']}.{case['format']}"
    content = case["text"].encode() if "text" in case else bytes.fromhex(CASES["files"][case["file"]])
    path.write_bytes(content)
    return path


def arguments(case):
    if "python" in case:
        return json.loads(case["python"])
    return {**json.loads(case.get("others", "{}")), case["name"]: json.loads(case["value"])}


def plain(value):
    """A value as JSON has it: bytes are hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", cases("python"))
def test_each_option_gives_the_same_batches_as_in_other_languages(case, tmp_path):
    path = written(case, tmp_path)
    reader = READ[case["format"]](path, columns=case.get("select"), **arguments(case))
    columns = [line.strip().replace(": ", " ", 1) for line in str(reader.schema).splitlines()[1:]]
    assert columns == case["columns"]
    assert plain(pa.table(reader).to_pylist()) == json.loads(case["rows"])


@pytest.mark.parametrize(
    "case", [case for case in cases("python") if "python" not in case.values[0] and "wrong" in case.values[0]]
)
def test_a_wrong_value_is_an_error_that_names_the_option(case, tmp_path):
    given = {**arguments(case), case["name"]: json.loads(case["wrong"])}
    with pytest.raises((TypeError, ValueError), match="expected") as caught:
        READ[case["format"]](written(case, tmp_path), **given)
    assert case["name"] in str(caught.value)


@pytest.mark.parametrize("case", cases("command_line"))
def test_each_option_of_the_command_line_gives_the_same_rows(arrowfeed, case, tmp_path):
    path = written(case, tmp_path)
    given = arguments(case)
    form = {"raw": "tfrecord-raw", "sequence_example": "tfrecord-sequence"}.get(given.pop("format", None))
    columns = ["--columns", ",".join(case["select"])] if "select" in case else []
    options = [f"--option={name}={json.dumps(value)}" for name, value in given.items()]
    status, output, errors = arrowfeed(
        "head", path.name, "--format", form or case["format"], *columns, *options
    )
    assert (status, errors) == (0, "")
    rows = [json.loads(line) for line in output.splitlines()]
    if "LargeBinary not null" in case["columns"][0]:
        # The command line shows bytes that are UTF-8 as text.
        rows = [{name: value.encode().hex() for name, value in row.items()} for row in rows]
    assert rows == json.loads(case["rows"])


def test_a_wrong_option_of_the_command_line_names_it(arrowfeed, tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    for option, expected in [
        ("delimiter=;;", "delimiter: expected one ASCII character (str), found str ';;'"),
        ("header=1", "header: expected True or False, found int 1"),
        (
            "raw_records=true",
            "--option raw_records: expected an option of csv: cache, cache_bytes, chunk_bytes",
        ),
        ("encoding=tfx", "--option encoding: expected a file of avro, tfrecord, tfrecord-sequence"),
        ("header", "expected NAME=VALUE, found header"),
    ]:
        status, _, errors = arrowfeed("head", "a.csv", "--option", option)
        assert status != 0
        assert expected in errors


@pytest.mark.parametrize("case", [case for case in cases("python") if case.values[0]["format"] != "csv"])
def test_files_have_the_same_format_as_in_other_languages(case, tmp_path):
    path = written(case, tmp_path).rename(tmp_path / "file")
    assert extension_of(af.open_dataset(path, representations={})) == case["format"]
