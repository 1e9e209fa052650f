"""Statistics of columns, which `arrowfeed stats` prints and `Dataset.describe` returns.

| module | contents |
|---|---|
| `field_stats` `distribution` | statistics of one field; lengths and histograms |
| `collected` | the statistics of the columns of batches |
| `report` `page` | statistics as JSON values, as tables, and as a page |
| `description` | the result of `Dataset.describe` |
"""

from arrowfeed._statistics.description import Description, FieldStatistics, LengthStatistics, described

__all__ = ["Description", "FieldStatistics", "LengthStatistics", "described"]
