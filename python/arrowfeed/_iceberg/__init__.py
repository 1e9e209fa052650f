"""Parts of `arrowfeed.iceberg`: the files of a scan, its filter, and the rows that are deleted."""
