"""A process that is killed while it writes to the cache leaves chunks that are complete or rejected.

8 kills; `make test-long` has 20, and `ARROWFEED_STORE_KILLS=200` more.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import arrowfeed as af
from corpus import put_all
from limits import within
from rows import ids, large_of
from scripts import start_script
from stores import Store

KILLS = int(os.environ.get("ARROWFEED_STORE_KILLS", "8"))
SECONDS = 60

KILLED = """
    import shutil
    while True:
        print("reading", flush=True)
        reader = af.read_avro(given["urls"], storage_options=given["options"], cache=given["cache"])
        assert sum(batch.num_rows for batch in reader) == given["rows"]
        # Chunks may be written while they are removed here.
        shutil.rmtree(given["cache"], ignore_errors=True)
"""


def test_incomplete_chunks_of_a_killed_writer_are_rejected(
    make_store: Callable[[str], Store], tmp_path: Path
) -> None:
    store = make_store("http")
    files = {
        f"part-{part}.avro": large_of("avro", range(3000 * part, 3000 * part + 3000)) for part in range(3)
    }
    names = put_all(store, files)
    given = {"urls": names, "options": store.storage_options, "rows": 9000}
    moments = random.Random(KILLS)
    left = 0
    for kill in range(KILLS):
        cache = tmp_path / f"cache-{kill}"
        process = start_script(KILLED, {**given, "cache": str(cache)})
        with process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "reading\n"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moments.uniform(0, 0.12))
            process.kill()
            assert process.wait(60) == -signal.SIGKILL, process.stderr.read()
        left += sum(path.is_file() for path in cache.rglob("*"))
        reader = af.read_avro(names, storage_options=store.storage_options, cache=cache)
        assert within(SECONDS, lambda reader=reader: ids(reader)) == list(range(9000))
    assert left > 0, "no kill was in the midst of it"
