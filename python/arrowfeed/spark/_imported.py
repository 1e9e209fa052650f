"""The modules of pyspark and pyarrow that the format needs. All of their names are public."""

from __future__ import annotations

from typing import Any

from arrowfeed._libraries import needed

_PURPOSE = "for arrowfeed.spark"

pa: Any = needed("pyarrow", _PURPOSE)
pc: Any = needed("pyarrow.compute", _PURPOSE)
pyspark: Any = needed("pyspark", _PURPOSE)
sources: Any = needed("pyspark.sql.datasource", _PURPOSE)
types: Any = needed("pyspark.sql.types", _PURPOSE)
