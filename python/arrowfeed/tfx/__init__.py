"""ExampleGen of TensorFlow Extended (TFX) over files of all formats of arrowfeed.

A pipeline that reads Avro or Parquet with the executors of TFX changes one line:

    # before: from tfx.components.example_gen.custom_executors import avro_executor
    from arrowfeed.tfx import avro_executor

A new pipeline uses the component:

    from arrowfeed.tfx import ExampleGen

    example_gen = ExampleGen(input_base="data", columns=["id", "user.age", "tags"], where="id > 0")

| name | content |
|---|---|
| `ExampleGen` | the component: files of any format of `open_dataset` to the artifact `examples` |
| `Executor` | its executor, also for `FileBasedExampleGen` |
| `avro_executor`, `parquet_executor` | executors with the messages of TFX's modules of these names |

The names are imported on first use, because the workers of a pipeline need no TFX. They need
`pip install tfx`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arrowfeed.tfx.component import ExampleGen
    from arrowfeed.tfx.executor import Executor

__all__ = ["ExampleGen", "Executor"]

_MODULES = {"ExampleGen": "arrowfeed.tfx.component", "Executor": "arrowfeed.tfx.executor"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
