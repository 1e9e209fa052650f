"""The examples in docstrings of Spark, Dask, Daft, DataFusion and Iceberg run, and print what they say."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import iceberg_tables
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import arrowfeed

sys.path.append(str(Path(__file__).parents[1] / "python"))
from docstring_examples import examples_of, failures

if TYPE_CHECKING:
    from docstring_examples import Examples

ROWS = pa.table({"id": range(1000), "label": [number % 2 for number in range(1000)]})


def of_iceberg(folder: Path, names: dict[str, Any]) -> None:
    """Makes a table, and the state of an iteration over it."""
    iceberg = pytest.importorskip("arrowfeed.iceberg")
    table = iceberg_tables.Tables(folder).create(ROWS.schema)
    table.append(ROWS)
    dataset = iceberg.dataset(table.scan())
    batches = dataset.record_batches(batch_size=100)
    next(batches)
    names.update(table=table, state=batches.state_dict(), train=lambda batch: None)


@pytest.mark.parametrize("one", examples_of("engines"), ids=lambda one: one.id)
def test_the_examples_of_a_docstring_of_an_engine_run(
    one: Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = one.module.partition("/")[0].removesuffix(".py")
    names: dict[str, Any] = {"arrowfeed": arrowfeed, "pa": pa, "pc": pc}
    if "iceberg" in one.module:
        pytest.importorskip("pyiceberg")
        of_iceberg(tmp_path, names)
    else:
        module = pytest.importorskip(f"arrowfeed.{engine}")
        arrowfeed.write_avro(ROWS, "part-0.avro")
        arrowfeed.write_avro(pa.concat_tables([ROWS, ROWS]), "people.avro")
        names.update(vars(module))
    if engine == "spark":
        # The workers have other working directories.
        names["spark"] = request.getfixturevalue("spark")
    elif engine in ("daft", "datafusion"):
        names[engine] = pytest.importorskip(engine)
    assert failures(one, names, compares=True) == ""
