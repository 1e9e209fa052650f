"""Compares the CPU time of the executors of Spark for the format `arrowfeed` and for `spark-avro`.

    mvn dependency:copy -Dartifact=org.apache.spark:spark-avro_2.13:4.1.1 -DoutputDirectory=target/spark
    jar=target/spark/spark-avro_2.13-4.1.1.jar
    PYTHONPATH=python .venv-engines/bin/python benches/engines/spark_speed.py $jar

Both formats run the same queries over the same files on the same cluster, in turn, after a warm-up. The CPU
time is that of the executor JVMs and of their Python processes, because the metric `executorCpuTime` of Spark
does not include the latter. The results must be equal.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "engines"))

import rows  # noqa: E402 - its folder was added to the path
from arrowfeed import spark as arrowfeed_spark  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 3
"""Number of measured rounds."""


def all_columns(frame: Any) -> Any:
    """Aggregates over all columns."""
    sums = [F.sum("id"), F.sum("value"), F.count("value"), F.sum(F.length("name")), F.sum(F.size("tags"))]
    return frame.agg(F.count("*"), *sums)


def list_items(frame: Any) -> Any:
    """Aggregates over all columns and over the items of the lists, with a lambda function of Spark."""
    items = F.aggregate("tags", F.lit(0).cast("long"), lambda total, item: total + item)
    return frame.agg(F.sum("id"), F.sum("value"), F.sum(F.length("name")), F.sum(items))


def one_column(frame: Any) -> Any:
    """Aggregates over one column."""
    return frame.agg(F.sum("id"))


QUERIES: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    "all columns": (all_columns, None),
    "all columns, list items": (list_items, None),
    "one column": (one_column, "id"),
}
"""The query and the option `columns` of arrowfeed."""


def session(jar: str, warehouse: str, settings: list[str]) -> Any:
    """Starts a cluster of two executors of one core."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    fixed = {
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.sql.warehouse.dir": warehouse,
        **dict(setting.split("=", 1) for setting in settings),
    }
    for name, value in fixed.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    arrowfeed_spark.register(spark)
    return spark


def cpu_seconds() -> tuple[float, float]:
    """CPU time so far of the executor JVMs, and of their Python processes."""
    jvms = python = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            command = " ".join(process.cmdline())
        except psutil.ZombieProcess:
            continue
        if "CoarseGrainedExecutorBackend" not in command:
            continue
        times = process.cpu_times()
        jvms += times.user + times.system
        for child in process.children(recursive=True):
            times = child.cpu_times()
            python += times.user + times.system + times.children_user + times.children_system
    return jvms, python


def measure(frame: Any) -> tuple[Any, float, float]:
    """The result of a query, and the CPU time of the JVMs and of Python."""
    before = cpu_seconds()
    result = frame.collect()
    after = cpu_seconds()
    return result, after[0] - before[0], after[1] - before[1]


def main() -> None:
    """Prints a line for each query: medians of both formats and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("jar", help="spark-avro for the installed version of Spark")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE, an option of arrowfeed")
    parser.add_argument("--conf", action="append", default=[], help="NAME=VALUE, a setting of Spark")
    arguments = parser.parse_args()
    options = dict(option.split("=", 1) for option in arguments.option)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "rows"
        files.mkdir()
        rows.write(files, arguments.rows)
        spark = session(arguments.jar, folder, arguments.conf)
        try:
            found: dict[tuple[str, str], list[tuple[float, float]]] = {}
            for number in range(ROUNDS + 1):
                for name, (query, columns) in QUERIES.items():
                    chosen = options if columns is None else {**options, "columns": columns}
                    ours = spark.read.format("arrowfeed").options(**chosen).load(str(files))
                    peer = spark.read.format("avro").load(str(files))
                    one, *our_times = measure(query(ours))
                    other, *peer_times = measure(query(peer))
                    if one != other:
                        raise AssertionError(f"{name}: {one} of arrowfeed, {other} of spark-avro")
                    if number:
                        found.setdefault((name, "arrowfeed"), []).append((our_times[0], our_times[1]))
                        found.setdefault((name, "spark-avro"), []).append((peer_times[0], peer_times[1]))
            for name in QUERIES:
                ours_, peer_ = (
                    [statistics.median(column) for column in zip(*found[name, kind], strict=True)]
                    for kind in ("arrowfeed", "spark-avro")
                )
                ratio = statistics.median(map(sum, found[name, "spark-avro"])) / statistics.median(
                    map(sum, found[name, "arrowfeed"])
                )
                print(
                    f"{name}: arrowfeed {sum(ours_):.2f} s (JVM {ours_[0]:.2f}, Python {ours_[1]:.2f}),"
                    f" spark-avro {sum(peer_):.2f} s, ratio {ratio:.2f}",
                    flush=True,
                )
        finally:
            spark.stop()


if __name__ == "__main__":
    main()
