"""Rows that are selected or joined need memory. Without it there is a MemoryError, not an abort."""

import re
import sys

import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import run_script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")

ROWS = 20_000
LONG = 2_000
BYTES = ROWS * LONG

SCRIPT = """
    import resource, sys
    import arrowfeed as af

    path, work, room, rows = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    batch = next(af.read_avro(path, batch_size=rows, threads=1))
    dataset = af.ArrowDataset(path + ".arrow").filter("id >= 1")
    schema = '{"type": "record", "name": "R", "fields": [{"name": "text", "type": "string"}]}'
    decoder = af.AvroRecordDecoder(schema)
    record = b"\\xa0\\x1f" + b"x" * 2000

    works = {
        "filter": lambda: batch.filter("id >= 1").num_rows,
        "mask": lambda: batch.filter([True] * (rows - 1) + [False]).num_rows,
        "take": lambda: batch.take(range(1, rows)).num_rows,
        "dataset": lambda: sum(
            batch.num_rows for batch in dataset.record_batches(batch_size=rows, threads=1, prefetch_bytes=0)
        ),
        "records": lambda: decoder.decode([record] * (rows - 1)).num_rows,
    }
    before = resource.getrlimit(resource.RLIMIT_AS)
    held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + (room << 20), before[1]))
    try:
        print("rows", works[work]())
    except Exception as error:
        print(type(error).__name__, error)
    resource.setrlimit(resource.RLIMIT_AS, before)
    print(works[work]())
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("copies") / "rows.avro"
    table = pa.table({"id": range(ROWS), "text": ["x" * LONG] * ROWS})
    af.write_avro(table, path, codec="snappy")
    with pa.ipc.new_file(f"{path}.arrow", table.schema) as sink:
        sink.write_table(table)
    return path


@pytest.mark.parametrize(
    ("work", "room", "place", "least"),
    [
        ("filter", 20, "", BYTES),
        ("mask", 20, "", BYTES),
        ("take", 20, "", BYTES),
        # The first 16,384 rows.
        ("dataset", 60, "{path}.arrow: ", BYTES * 4 // 5),
        # The bytes of a record batch, before any row is selected.
        ("dataset", 20, "{path}.arrow: block 0 at byte 184: ", BYTES),
        # The records of each batch fit, and all of them together do not.
        ("records", 40, "", BYTES),
    ],
)
def test_a_copy_without_memory_is_an_error(path, work, room, place, least):
    done = run_script(SCRIPT, path, work, room, ROWS)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    first, last = done.stdout.splitlines()
    (bytes_,) = re.findall(r"expected ([\d,]+) bytes", first)
    reason = f"expected {bytes_} bytes of memory for a column, found too little memory: read smaller batches"
    assert first == f"MemoryError {place.format(path=path)}{reason}"
    assert least <= int(bytes_.replace(",", "")) + 2 * LONG < 2 * least
    assert last == str(ROWS - 1)
