"""Compares the CPU time of the executors of Spark for the format `arrowfeed` and for `spark-avro`.

    mvn dependency:copy -Dartifact=org.apache.spark:spark-avro_2.13:4.1.1 -DoutputDirectory=target/spark
    jar=target/spark/spark-avro_2.13-4.1.1.jar
    PYTHONPATH=python .venv-all/bin/python benches/engines/spark_speed.py $jar

Both formats run the same queries over the same files on the same cluster, in turn, after a warm-up. The files
are those of the tests of engines, or those of `--files`, such as `data/bench/linkedin.snappy.avro`. The CPU
time is that of the executor JVMs and of their Python processes, because the metric `executorCpuTime` of Spark
does not include the latter. The results must be equal.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession, types
from pyspark.sql import functions as F

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "engines"))

import rows  # noqa: E402 - its folder was added to the path
from arrowfeed import spark as arrowfeed_spark  # noqa: E402

ROUNDS = 3
"""Number of measured rounds."""


def sums(column: Any, kind: types.DataType) -> list[Any]:
    """Sums that need all values of a column, but not the items of arrays."""
    if isinstance(kind, types.NumericType):
        return [F.sum(column.cast("double")), F.count(column)]
    if isinstance(kind, types.StringType | types.BinaryType):
        return [F.sum(F.length(column))]
    if isinstance(kind, types.ArrayType | types.MapType):
        return [F.sum(F.size(column))]
    if isinstance(kind, types.StructType):
        return [one for field in kind for one in sums(column[field.name], field.dataType)]
    return [F.count(column)]


def all_columns(frame: Any) -> Any:
    """Aggregates over all columns."""
    found = [one for field in frame.schema for one in sums(F.col(field.name), field.dataType)]
    return frame.agg(F.count("*"), *found)


def one_column(frame: Any) -> Any:
    """Aggregates over the first column."""
    first = frame.schema[0]
    return frame.agg(F.count("*"), *sums(F.col(first.name), first.dataType))


def arrow_sums(array: Any) -> list[float]:
    """The sums of `sums` for an Arrow array."""
    kind = array.type
    if pa.types.is_struct(kind):
        fields = [pc.struct_field(array, [at]) for at in range(kind.num_fields)]
        return [one for field in fields for one in arrow_sums(field)]
    present = len(array) - array.null_count
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return [pc.sum(pc.cast(array, pa.float64())).as_py() or 0, present]
    if pa.types.is_dictionary(kind):
        array = pc.cast(array, kind.value_type)
        kind = array.type
    if pa.types.is_string(kind):
        return [pc.sum(pc.utf8_length(array)).as_py() or 0]
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return [pc.sum(pc.binary_length(array)).as_py() or 0]
    if pa.types.is_map(kind):
        array = pa.ListArray.from_arrays(array.offsets, array.keys)
        kind = array.type
    if pa.types.is_list(kind):
        return [pc.sum(pc.list_value_length(array)).as_py() or 0]
    return [present]


def sums_of_batches(batches: Any) -> Any:
    """The sums of `all_columns` for a partition."""
    totals: list[float] = []
    for batch in batches:
        found = [batch.num_rows, *(one for column in batch.columns for one in arrow_sums(column))]
        totals = [one + other for one, other in zip(totals or [0] * len(found), found, strict=True)]
    yield pa.record_batch({"sums": pa.array([totals], pa.list_(pa.float64()))})


def in_arrow(spark: Any, files: str) -> Any:
    """The same sums as `all_columns`, by a function that receives record batches."""
    return arrowfeed_spark.map_in_arrow(spark, files, sums_of_batches, "sums array<double>", unions="struct")


def session(jar: str, warehouse: str, settings: list[str]) -> Any:
    """Starts a cluster of two executors of one core."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    fixed = {
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.executorEnv.PYTHONPATH": str(ROOT / "python"),
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
    parser.add_argument("--files", help="an Avro file or a directory, instead of rows that are written")
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE, an option of arrowfeed")
    parser.add_argument("--conf", action="append", default=[], help="NAME=VALUE, a setting of Spark")
    arguments = parser.parse_args()
    options = dict(option.split("=", 1) for option in arguments.option)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "rows"
        if arguments.files is None:
            files.mkdir()
            rows.write(files, arguments.rows)
        else:
            files = Path(arguments.files).absolute()
        spark = session(arguments.jar, folder, arguments.conf)
        try:
            compare(spark, str(files), options)
        finally:
            spark.stop()


def compare(spark: Any, files: str, options: dict[str, str]) -> None:
    """Prints the medians of both formats and their ratio, for each query."""

    def peer() -> Any:
        return spark.read.format("avro").load(files)

    def ours(**more: str) -> Any:
        return spark.read.format("arrowfeed").options(**options, **more).load(files)

    first = peer().schema[0].name
    queries = {
        "all columns": (lambda: all_columns(ours()), lambda: all_columns(peer())),
        "all columns, map_in_arrow": (lambda: in_arrow(spark, files), lambda: all_columns(peer())),
        "one column": (lambda: one_column(ours(columns=first)), lambda: one_column(peer())),
    }
    for name, frames in queries.items():
        found: list[list[tuple[float, float]]] = [[], []]
        for number in range(ROUNDS + 1):
            results = []
            # Each round has new frames, because Spark keeps the results of stages.
            for frame, times in zip(frames, found, strict=True):
                rows, jvm, python = measure(frame())
                results.append(rows)
                if number:
                    times.append((jvm, python))
            check(*results)
        ours_, peer_ = (statistics.median(map(sum, times)) for times in found)
        in_python = statistics.median(python for _, python in found[0])
        print(
            f"{name}: arrowfeed {ours_:.2f} s (of this in Python {in_python:.2f} s),"
            f" spark-avro {peer_:.2f} s, ratio {peer_ / ours_:.2f}",
            flush=True,
        )


def check(ours: Any, peer: Any) -> None:
    """Fails unless the results are equal. Sums of floats depend on the order of the rows."""
    found = ours[0]
    if isinstance(found[0], list):
        found = [sum(parts) for parts in zip(*(row[0] for row in ours if row[0]), strict=True)]
    for one, other in zip(found, peer[0], strict=True):
        if not math.isclose(one or 0, float(other or 0), rel_tol=1e-9):
            raise AssertionError(f"{ours} of arrowfeed, {peer} of spark-avro")


if __name__ == "__main__":
    main()
