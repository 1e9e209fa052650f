"""The cases of `tests/cases/example`: tfx_bsl, which has protobuf's parser for C++, agrees.

The Rust tests of `arrowfeed-tfrecord` read the same file.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = tomllib.loads((Path(__file__).parents[1] / "cases/example/messages.toml").read_text("utf-8"))["case"]
KINDS = {"i": pa.int64(), "f": pa.float32(), "b": pa.large_binary()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_tfx_bsl_reads_a_message_as_the_case_says(case):
    coder = pytest.importorskip("tfx_bsl.coders.example_coder")
    decoder = coder.ExamplesToRecordBatchDecoder()
    message = bytes.fromhex(case["message"])
    if not case.get("parsed", True):
        with pytest.raises(RuntimeError, match=r"DATA_LOSS: Unable to parse example\."):
            decoder.DecodeBatch([message])
        return
    batch = decoder.DecodeBatch([message])
    found = {}
    for name in KINDS.keys() & set(batch.schema.names):
        column = batch.column(name)
        [values] = column.to_pylist()
        if values is not None and column.type.value_type == KINDS[name]:
            found[name] = [value.hex() if isinstance(value, bytes) else value for value in values]
    if "error" not in case:
        assert found == {name: case[name] for name in KINDS if name in case}
