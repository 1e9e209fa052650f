"""The examples in docstrings of the components and executors of TFX run."""

import sys
from pathlib import Path

import pytest
from tfx.components import StatisticsGen
from tfx.components.example_gen.component import FileBasedExampleGen
from tfx.dsl.components.base import executor_spec

from arrowfeed.tfx import ExampleGen, Executor, avro_executor, parquet_executor

sys.path.append(str(Path(__file__).parents[1] / "python"))
from docstring_examples import Examples, examples_of, failures


@pytest.mark.parametrize("one", examples_of("tfx"), ids=lambda one: one.id)
def test_the_examples_of_a_docstring_of_tfx_run(one: Examples) -> None:
    names = {
        "ExampleGen": ExampleGen,
        "Executor": Executor,
        "FileBasedExampleGen": FileBasedExampleGen,
        "StatisticsGen": StatisticsGen,
        "avro_executor": avro_executor,
        "executor_spec": executor_spec,
        "parquet_executor": parquet_executor,
    }
    assert failures(one, names, compares=True) == ""
    executor = names["example_gen"].executor_spec.executor_class
    modules = {"avro_executor": avro_executor.Executor, "parquet_executor": parquet_executor.Executor}
    assert executor is modules.get(Path(one.module).stem, Executor)
