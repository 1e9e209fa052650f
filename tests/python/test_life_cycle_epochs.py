"""Memory, open files and threads stay constant over many epochs.

300 epochs of each kind; `make test-long` has 1,000, and `ARROWFEED_EPOCHS=20000` more.
"""

import json
from pathlib import Path

import pytest

from dataset_files import people_files
from life_cycle import BATCHES, count, run

EPOCHS = count("ARROWFEED_EPOCHS", 300)
MOST_MEBIBYTES = 8

SCRIPT = (
    BATCHES
    + """
import gc
import numpy

given = json.loads(sys.argv[1])
paths, how, epochs = given["paths"], given["how"], given["epochs"]
features = {"id": af.representations.Dense("id"), "vector": af.representations.Ragged("vector")}
dataset = af.AvroDataset(paths, representations=features)
options = {"batch_size": 60, "threads": 2}


def epoch(number):
    '''One epoch, or a part of one.'''
    if how == "reader":
        return af.read_avro(paths, **options)
    shuffled = 200 * (number % 2)
    if how == "tensors":
        return dataset.tensors(shuffle_buffer_size=shuffled, **options)
    if how == "half":
        return itertools.islice(dataset.record_batches(shuffle_buffer_size=shuffled, **options), 2)
    if how == "error":
        return broken(dataset.record_batches(on_error="raise", **options))
    return dataset.record_batches(shuffle_buffer_size=shuffled, **options)


def broken(batches):
    '''Batches until the error of a file that is cut.'''
    damaged = af.AvroDataset([*paths, given["cut"]]).record_batches(**options)
    try:
        yield from damaged
    except af.TruncatedError:
        batches.close()


def figures():
    gc.collect()
    with open("/proc/self/statm") as file:
        mebibytes = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    end, most = time.monotonic() + 60, idle + (0 if endless is None else 2)
    # A joined thread may be listed for a moment.
    while (threads := len(os.listdir("/proc/self/task"))) > most and time.monotonic() < end:
        time.sleep(0.01)
    return mebibytes, len(os.listdir("/proc/self/fd")), threads - idle


# numpy may have threads of its own.
idle = len(os.listdir("/proc/self/task"))
endless = dataset.tensors(epochs=None, **options) if how == "one iterator" else None
first = None
for number in range(epochs):
    if endless is not None:
        for batch in itertools.islice(endless, 5):
            pass
    else:
        for batch in epoch(number):
            if isinstance(batch, dict):
                batch["id"].numpy()
    batch = None
    if number + 1 == max(1, epochs // 10):
        first = figures()
last = figures()
print(json.dumps({"first": first, "last": last}))
"""
)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
@pytest.mark.parametrize("how", ["reader", "records", "tensors", "half", "error", "one iterator"])
def test_nothing_grows_from_epoch_to_epoch(tmp_path, how):
    paths = people_files(tmp_path, [100, 0, 200])
    cut = tmp_path / "cut.avro"
    cut.write_bytes(paths[-1].read_bytes()[:-1])
    given = {"paths": list(map(str, paths)), "cut": str(cut), "how": how, "epochs": EPOCHS}
    ended = run(SCRIPT, given, limit=60 + EPOCHS / 10)
    assert (ended.code, ended.err) == (0, "")
    figures = json.loads(ended.out)
    (before, files, threads), (after, files_after, threads_after) = figures["first"], figures["last"]
    assert threads_after == threads == (2 if how == "one iterator" else 0)
    # One iterator has begun the next epoch, or not yet.
    assert abs(files_after - files) <= (len(paths) if how == "one iterator" else 0)
    assert after - before <= MOST_MEBIBYTES
