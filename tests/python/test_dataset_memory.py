"""The bytes decoded ahead are bounded, and memory does not grow from epoch to epoch."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import run_script, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sizes of a process on Linux")

BLOCK = 1 << 20
BLOCKS = 160
ROWS = 400_000


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """160 MiB in compressed blocks of one row of 1 MiB."""
    path = tmp_path_factory.mktemp("large") / "large.avro"
    schema = {"type": "record", "name": "R", "fields": [{"name": "data", "type": "bytes"}]}
    rows = ({"data": bytes([number]) * BLOCK} for number in range(BLOCKS))
    return write(path, rows, schema, "deflate", sync_interval=1)


STALLED = """
    import sys, time
    import arrowfeed as af

    path, prefetch, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

    def mebibytes():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 >> 20

    before = mebibytes()
    dataset = af.AvroDataset(path)
    batches = dataset.record_batches(batch_size=1, prefetch_bytes=prefetch, threads=threads)
    next(batches)
    end, most, checks = time.monotonic() + 60, 0, 0
    # First until the batches take their memory.
    while checks < 25 and time.monotonic() < end:
        time.sleep(0.02)
        most = max(most, mebibytes() - before)
        checks += most + 4 >= prefetch >> 20
    print(most)
    print(sum(batch.num_rows for batch in batches))
"""


@pytest.mark.parametrize("prefetch", [0, 32 << 20])
def test_memory_is_flat_while_the_consumer_stalls(large_file, prefetch):
    done = run_script(STALLED, large_file, prefetch, 2)
    assert done.returncode == 0, done.stderr
    grown, rows = map(int, done.stdout.split())
    assert rows == BLOCKS - 1
    # In addition to the waiting batches, each thread decodes a block.
    assert (prefetch >> 20) <= grown + 4 < (prefetch >> 20) + 28


EPOCHS = """
    import resource, sys
    import arrowfeed as af

    def mebibytes():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

    dataset = af.AvroDataset(sys.argv[1])
    options = {"batch_size": 4, "shuffle_buffer_size": 16, "prefetch_bytes": 16 << 20, "threads": 2}
    batches = dataset.record_batches(epochs=6, **options)
    seen = []
    for count, batch in enumerate(batches):
        if count % 40 == 39:
            seen.append(mebibytes())
    print(seen[-1] - seen[1], len(seen))
"""


def test_epochs_do_not_grow(large_file):
    done = run_script(EPOCHS, large_file, timeout=60)
    assert done.returncode == 0, done.stderr
    grown, epochs = map(int, done.stdout.split())
    assert (epochs, grown < 24) == (6, True), grown


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory):
    """160 MiB in rows of 400 bytes."""
    path = tmp_path_factory.mktemp("many") / "many.avro"
    offsets = pa.array(np.arange(0, ROWS * 384 + 1, 384, dtype=np.int32)).buffers()[1]
    data = pa.Array.from_buffers(pa.binary(), ROWS, [None, offsets, pa.py_buffer(bytes(ROWS * 384))])
    af.write_avro(pa.table({"id": np.arange(ROWS), "data": data}), path, codec="null")
    return path


KEPT = """
    import gc, sys
    import numpy as np
    import arrowfeed as af

    path, work, rows, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    dataset = af.AvroDataset(path)

    def mebibytes():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 >> 20

    def numbered():
        numbers = np.random.default_rng(1).permutation(rows)[: rows // 2]
        assert dataset.rows(numbers, threads=threads).num_rows == rows // 2

    def closed():
        batches = dataset.record_batches(shuffle_buffer_size=rows, seed=1, batch_size=1000, threads=threads)
        assert next(batches).num_rows == next(batches).num_rows == 1000
        batches.close()

    def ended():
        options = {"shuffle_buffer_size": rows // 2, "seed": 1, "batch_size": 1000, "threads": threads}
        batches = dataset.record_batches(**options)
        assert sum(batch.num_rows for batch in batches) == rows

    # Later calls of the same process keep what the first one does.
    before = mebibytes()
    for _ in range(2):
        locals()[work]()
    print(mebibytes() - before)
"""


@pytest.mark.parametrize(
    ("work", "threads"), [("numbered", 1), ("numbered", 2), ("closed", 1), ("closed", 2), ("ended", 2)]
)
def test_memory_of_gathered_rows_goes_back_to_the_system(many_rows, work, threads):
    done = run_script(KEPT, many_rows, work, ROWS, threads)
    assert done.returncode == 0, done.stderr
    # The columns of the next reader keep 64 MiB, see docs/limits.md.
    assert int(done.stdout) < 64 + 24
