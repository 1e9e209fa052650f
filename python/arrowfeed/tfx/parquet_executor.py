"""The executor of Parquet files with the messages of TFX's `parquet_executor`. Only the import changes.

before: `from tfx.components.example_gen.custom_executors import parquet_executor`
now: `from arrowfeed.tfx import parquet_executor`
"""

from __future__ import annotations

import arrowfeed.tfx.executor

__all__ = ["Executor"]


class Executor(arrowfeed.tfx.executor.Executor):
    """Reads Parquet files, and writes the messages that the executor of TFX writes.

    As in TFX, values that are false in Python, which are 0, 0.0, False, empty text and bytes, and empty
    lists, become features without values. `arrowfeed.tfx.Executor` keeps them.

    Example:
        >>> executor = executor_spec.BeamExecutorSpec(parquet_executor.Executor)
        >>> example_gen = FileBasedExampleGen(input_base="data", custom_executor_spec=executor)
    """

    zeros_are_missing = True
