"""The executor of Avro files with the messages of TFX's `avro_executor`. Only the import changes.

before: `from tfx.components.example_gen.custom_executors import avro_executor`
now: `from arrowfeed.tfx import avro_executor`
"""

from __future__ import annotations

import arrowfeed.tfx.executor

__all__ = ["Executor"]


class Executor(arrowfeed.tfx.executor.Executor):
    """Reads Avro files, and writes the messages that the executor of TFX writes.

    As in TFX, values that are false in Python, which are 0, 0.0, False, empty text and bytes, and empty
    lists, become features without values. `arrowfeed.tfx.Executor` keeps them.

    Example:
        >>> executor = executor_spec.BeamExecutorSpec(avro_executor.Executor)
        >>> example_gen = FileBasedExampleGen(input_base="data", custom_executor_spec=executor)
    """

    zeros_are_missing = True
