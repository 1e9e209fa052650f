"""The format `arrowfeed` of Apache Spark: reads Avro, Parquet, TFRecord, CSV and JSON lines, and writes Avro.

    from arrowfeed import spark as arrowfeed_spark

    arrowfeed_spark.register(spark)
    frame = spark.read.format("arrowfeed").option("columns", "id,user.scores").load("part-*.avro")

`map_in_arrow` gives the record batches of files to a function, without rows of Spark. Several executors can
read one file. arrowfeed must be installed where the driver and the executors run.
Importing this module imports pyspark and pyarrow.
"""

from __future__ import annotations

from typing import Any

from arrowfeed.spark._batches import map_in_arrow
from arrowfeed.spark._source import ArrowfeedSource

__all__ = ["ArrowfeedSource", "map_in_arrow", "register"]


def register(spark: Any) -> None:
    """Registers the format `arrowfeed` for `spark.read` and `DataFrame.write`.

    Args:
        spark: The `pyspark.sql.SparkSession`. A second call for the same session changes nothing.

    Example:
        >>> register(spark)
        >>> spark.read.format("arrowfeed").load("people.avro").count()
        2000
    """
    spark.dataSource.register(ArrowfeedSource)
