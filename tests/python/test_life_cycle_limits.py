"""System limits on memory, files and threads lead to a typed error or a result, never an abort or a hang.

`make test` has half of the limits on memory for each call, and `make test-long` all.
"""

import re
from pathlib import Path

import pytest

from conftest import users, write
from life_cycle import BATCHES, count, run_all
from session_seed import chance

resource = pytest.importorskip("resource")

MEMORY_LIMITS = count("ARROWFEED_MEMORY_LIMITS", 8)
"""Limits on memory for each call, of 16."""

SMALL = 1 << 20
"""Size of an allocation whose failure may end the process."""

WORK = (
    BATCHES
    + """
import resource
import numpy

given = json.loads(sys.argv[1])
path, threads = given["path"], given["threads"]
options = {"batch_size": given["batch_size"], "threads": threads}
ERRORS = (MemoryError, OSError, af.ArrowfeedError)


def read(**more):
    return sum(batch.num_rows for batch in af.read_avro(path, **options, **more))


def records():
    return sum(batch.num_rows for batch in af.AvroDataset(path).record_batches(**options))


def shuffled():
    batches = af.AvroDataset(path).record_batches(shuffle_buffer_size=given["rows"], **options)
    return sum(batch.num_rows for batch in batches)


def tensors():
    wanted = {"id": af.representations.Dense("id"), "name": af.representations.VarLenSparse("name")}
    dataset = af.AvroDataset(path, representations=wanted)
    return sum(len(batch["id"]) for batch in dataset.tensors(**options))


def write():
    target = path + f".{os.getpid()}.copy"
    try:
        af.write_avro(af.read_avro(path, **options), target)
        return sum(batch.num_rows for batch in af.read_avro(target, threads=1))
    finally:
        partial = f".{os.getpid()}.partial"
        assert [name for name in os.listdir(os.path.dirname(path)) if name.endswith(partial)] == []
        if os.path.exists(target):
            os.unlink(target)


def split():
    dataset = af.AvroDataset(path)
    splits = dataset.plan_splits(target_bytes=1 << 16)
    size = given["batch_size"]
    return sum(batch.num_rows for part in splits for batch in dataset.read_split(part, batch_size=size))


def mebibytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") >> 20
"""
)

MEMORY = (
    WORK
    + """
work = globals()[given["work"]]
limit = (mebibytes() + given["mebibytes"]) << 20
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
try:
    result = work() == given["rows"]
except ERRORS:
    result = True
resource.setrlimit(resource.RLIMIT_AS, before)
# With memory again, the process works.
print(result, work() == given["rows"])
"""
)


@pytest.fixture(scope="module")
def large_blocks(tmp_path_factory):
    """A file of a few blocks of 4 MiB: the large allocations are those of blocks and columns."""
    path = tmp_path_factory.mktemp("limits") / "large.avro"
    return write(path, users(200_000), codec="deflate", sync_interval=4 << 20)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no size of the process")
@pytest.mark.parametrize("work", ["read", "records", "shuffled", "tensors", "write", "split"])
def test_without_memory_an_error_is_raised_without_an_abort(large_blocks, work):
    given = [
        {
            "path": str(large_blocks),
            "rows": 200_000,
            "work": work,
            "threads": threads,
            "mebibytes": mebibytes,
            "batch_size": 100_000,
        }
        for mebibytes in (4, 8, 16, 24, 32, 48, 64, 128)
        for threads in (1, 2)
    ]
    given = chance("memory", work).sample(given, MEMORY_LIMITS)
    ends = run_all(MEMORY, given)
    good = [case for case, ended in zip(given, ends, strict=True) if ended[:3] == (0, "True True\n", "")]
    for case, ended in zip(given, ends, strict=True):
        if case not in good:
            # Rust ends the process where a small allocation fails, and Arrow's kernels where any does.
            # Several threads may report that at once. The C library aborts if a thread has no memory.
            failed = re.findall(r"memory allocation of (\d+) bytes failed", ended.err)
            assert failed or re.search("thread-local data|TLS destructor", ended.err), (case, ended)
            assert all(int(size) < SMALL for size in failed), (case, ended)
    assert len(good) >= len(given) - 2


FILES = (
    WORK
    + """
paths = [path] * 30
before = resource.getrlimit(resource.RLIMIT_NOFILE)
dataset = af.AvroDataset(paths)
found = set()
for more in range(8):
    # The lowest numbers that are free: a limit is one above the largest number.
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + more, before[1]))
    works = {
        "read": lambda: sum(batch.num_rows for batch in af.read_avro(paths, **options)),
        "records": lambda: sum(batch.num_rows for batch in dataset.record_batches(**options)),
        "shuffled": lambda: sum(
            batch.num_rows for batch in dataset.record_batches(shuffle_buffer_size=500, **options)
        ),
        "splits": lambda: 30 * given["rows"] if af.AvroDataset(paths).plan_splits(target_bytes=1000) else 0,
        "write": lambda: af.write_avro(af.read_avro(paths, **options), path + f".{os.getpid()}.copy"),
    }
    for name, work in works.items():
        try:
            assert work() == 30 * given["rows"]
            found.add("done")
        except OSError as error:
            found.add(os.strerror(error.errno))
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert sum(batch.num_rows for batch in dataset.record_batches(**options)) == 30 * given["rows"]
partial = f".{os.getpid()}.partial"
assert [name for name in os.listdir(os.path.dirname(path)) if name.endswith(partial)] == []
print(sorted(found))
"""
)


def test_without_file_descriptors_an_error_is_raised(tmp_path):
    path = write(tmp_path / "users.avro", users(300), sync_interval=1000)
    given = [{"path": str(path), "rows": 300, "threads": threads, "batch_size": 100} for threads in (1, 2, 4)]
    for case, ended in zip(given, run_all(FILES, given), strict=True):
        assert (ended.code, ended.out, ended.err) == (0, "['Too many open files', 'done']\n", ""), case


THREADS = (
    WORK
    + """
with open(path, "rb") as file:
    data = file.read()
dataset = af.AvroDataset(data)
list(dataset.record_batches(batch_size=100, threads=2))
idle = len(os.listdir("/proc/self/task"))
before = resource.getrlimit(resource.RLIMIT_NPROC)
if os.getuid() == 0:
    # The limit does not hold for root. Nothing is opened by this user: the batches come from memory.
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, before[1]))
messages = []
shuffled = {"shuffle_buffer_size": 100, "seed": 1}
for make in (
    lambda: af.read_avro([data] * 2, **options),
    lambda: dataset.record_batches(**options),
    lambda: dataset.tensors(**options, **shuffled),
):
    try:
        messages.append(len(list(make())))
    except OSError as error:
        messages.append(str(error))
assert sum(batch.num_rows for batch in dataset.record_batches(batch_size=100, threads=1)) == given["rows"]
end = time.monotonic() + 60
while len(os.listdir("/proc/self/task")) > idle and time.monotonic() < end:
    time.sleep(0.01)
print(messages, len(os.listdir("/proc/self/task")) - idle)
"""
)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
def test_without_threads_an_error_is_raised(tmp_path):
    path = write(tmp_path / "users.avro", users(300), sync_interval=1000)
    given = [{"path": str(path), "rows": 300, "threads": threads, "batch_size": 100} for threads in (2, 5)]
    for case, ended in zip(given, run_all(THREADS, given), strict=True):
        message = f"expected {case['threads']} threads: Resource temporarily unavailable (os error 11)"
        assert (ended.code, ended.out, ended.err) == (0, f"{[message] * 3} 0\n", ""), case
