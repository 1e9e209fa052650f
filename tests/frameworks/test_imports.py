"""Beam and TensorFlow are imported on first use. If one is missing, the error names it."""

import pytest

from conftest import run_script


def without(*names: str) -> str:
    """The start of a script that hides installed libraries."""
    return f"import sys\nfor name in {names!r}: sys.modules[name] = None\n"


def test_sources_need_neither_beam_nor_tensorflow_nor_tfx_bsl(tmp_path):
    script = (
        without("apache_beam", "tensorflow", "tfx_bsl")
        + f"""
import arrowfeed as af, pyarrow as pa
from arrowfeed import tfxio
af.write_avro(pa.table({{"x": [1, 2, 3]}}), "{tmp_path}/x.avro")
source = tfxio.AvroRecord("{tmp_path}/x.avro", raw_record_column_name="raw")
options = tfxio.RecordBatchesOptions(2, num_epochs=1)
print([batch.num_rows for batch in source.RecordBatches(options)], *source.TensorRepresentations())
try:
    source.BeamSource()
except ImportError as error:
    print(error)
"""
    )
    done = run_script(script)
    assert done.stderr == ""
    missing = "expected apache_beam to read in pipelines, found it not installed: pip install apache-beam"
    assert done.stdout.splitlines() == ["[2, 1] x", missing]


def test_parquet_needs_them_neither(tmp_path):
    schema = b"\n\x05\n\x01x0\x02"  # A feature `x` of integers.
    script = (
        without("apache_beam", "tensorflow", "tfx_bsl", "tensorflow_metadata")
        + f"""
import pyarrow as pa, pyarrow.parquet as pq
from arrowfeed import tfxio
pq.write_table(pa.table({{"x": pa.array([1, None, 3], pa.int16())}}), "{tmp_path}/x.parquet")
for schema in ({schema}, None):
    source = tfxio.ParquetTFXIO("{tmp_path}/x.parquet", schema=schema)
    batches = source.RecordBatches(tfxio.RecordBatchesOptions(2, num_epochs=1, shuffle=False))
    print([batch.to_pydict()["x"] for batch in batches], *source.TensorRepresentations())
"""
    )
    done = run_script(script)
    assert done.stdout.splitlines() == ["[[[1], None], [[3]]] x", "[[1, None], [3]] x"], done.stderr


@pytest.mark.parametrize("module", ["arrowfeed", "arrowfeed.tfxio"])
def test_modules_do_not_import_beam_or_tensorflow(module):
    done = run_script(
        without("tfx_bsl")
        + f"import {module}\nprint([n for n in ('apache_beam', 'tensorflow') if n in sys.modules])"
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_pipelines_do_not_import_tensorflow():
    done = run_script("import sys, arrowfeed.beam\nprint('tensorflow' in sys.modules)")
    assert done.stdout == "False\n"
