"""The program of `test_daft_on_ray.py`: Daft on a Ray cluster of two nodes, each with one worker.

`python daft_on_ray.py FILES FOLDER` writes the results to `results.json` in the folder. It is a
program, because a process can choose the runner of Daft only once.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import daft
import ray
import rows
from daft import col
from kills import end_once
from ray.cluster_utils import Cluster

from arrowfeed.daft import read_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator

SPLITS = 4
"""Number of splits of the large file."""


@contextlib.contextmanager
def cluster() -> Iterator[None]:
    """A cluster of two nodes of one CPU. Daft starts a worker on each node."""
    nodes: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 1 << 28}
    started = Cluster(initialize_head=True, head_node_args={**nodes, "include_dashboard": False})
    try:
        started.add_node(**nodes)
        ray.init(address=started.address, log_to_driver=False)
        daft.set_runner_ray(noop_if_initialized=True)
        yield
    finally:
        ray.shutdown()
        started.shutdown()


@daft.func.batch(return_dtype=daft.DataType.int64())
def ending(ids: daft.Series, folder: str, at: int) -> Any:
    """Returns the ids. The worker that first reads the id `at` kills itself."""
    array = ids.to_arrow()
    end_once(array, folder, at)
    return array


def checksum(frame: Any) -> dict[str, int]:
    """The checksum of the rows, which the workers compute."""
    sums = frame.agg(
        col("id").count().alias("rows"),
        col("id").sum().alias("ids"),
        col("value").sum().alias("values"),
        col("value").is_null().cast(daft.DataType.int64()).sum().alias("nulls"),
        col("name").length().sum().alias("characters"),
        col("tags").list_sum().sum().alias("tags"),
    )
    return {name: int(value) for name, value in sums.to_pylist()[0].items()}


def main(files: Path, folder: Path) -> None:
    """Reads all rows without an error, and then again with a worker that is killed."""
    size = (files / "part-0.avro").stat().st_size
    found = read_dataset(files, split_bytes=size // SPLITS)
    # The worker has read more than half of this split.
    at = int(rows.ROWS * 0.92 * 0.7)
    with cluster():
        results = {
            "count": found.count_rows(),
            "checksum": checksum(found),
            "ids": found.where(col("id") < 10).select("id").to_pydict()["id"],
            "after_a_kill": checksum(found.with_column("id", ending(col("id"), str(folder), at))),
        }
    (folder / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
