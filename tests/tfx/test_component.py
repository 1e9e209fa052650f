"""The options of the component ExampleGen, and the errors of wrong ones."""

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from tfx.proto import example_gen_pb2
from tfx.types import standard_component_specs as keys

import arrowfeed as af
from arrowfeed.tfx import ExampleGen
from arrowfeed.tfx._options import unpacked


def options(*args: Any, **named: Any) -> dict[str, Any]:
    """The options that the executor gets."""
    return unpacked(ExampleGen(*args, **named).exec_properties)


def test_the_executor_gets_the_options() -> None:
    given: dict[str, Any] = {
        "split_bytes": 1 << 40,
        "on_error": "skip_block",
        "reader_schema": {"type": "int"},
    }
    assert options("data", **given) == given
    assert options("data") == {}
    assert options("data", columns=(name for name in ("id", "user.age"))) == {"columns": ["id", "user.age"]}


def test_predicates_are_stored_as_text() -> None:
    where = (af.col("user.age") >= 18) & (af.col("name") == 'a"b')
    assert options("data", where=where) == {"where": str(where)}
    assert options("data", where="id > 0") == {"where": "id > 0"}


def test_the_folder_may_be_a_path() -> None:
    assert ExampleGen(Path("data")).exec_properties[keys.INPUT_BASE_KEY] == "data"


def test_feature_lists_need_sequence_examples() -> None:
    sequences = example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE
    assert options("data", output_data_format=sequences, feature_lists=["tokens"]) == {
        "feature_lists": ["tokens"]
    }
    for name in ("FORMAT_TF_EXAMPLE", "FORMAT_PARQUET"):
        payload = example_gen_pb2.PayloadFormat.Value(name)
        with pytest.raises(ValueError, match="feature_lists") as raised:
            ExampleGen("data", output_data_format=payload, feature_lists=["tokens"])
        assert str(raised.value) == (
            f"feature_lists: expected the output_data_format FORMAT_TF_SEQUENCE_EXAMPLE, found {name}"
        )


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"columns": "id"}, TypeError, "columns: expected a list of names (str), found str 'id'"),
        (
            {"feature_lists": "ab", "output_data_format": example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE},
            TypeError,
            "feature_lists: expected a list of names (str), found str 'ab'",
        ),
        (
            {"where": pc.field("id") > 0},
            TypeError,
            "where: expected a value that can be stored as JSON, found Expression",
        ),
        (
            {"limits": af.Limits()},
            TypeError,
            "limits: expected a value that can be stored as JSON, found Limits",
        ),
        (
            {"output_data_format": example_gen_pb2.FORMAT_PROTO},
            ValueError,
            "output_data_format: expected one of FORMAT_TF_EXAMPLE, FORMAT_TF_SEQUENCE_EXAMPLE,"
            " FORMAT_PARQUET, found FORMAT_PROTO",
        ),
        (
            {"output_data_format": 99},
            ValueError,
            "output_data_format: expected one of FORMAT_TF_EXAMPLE, FORMAT_TF_SEQUENCE_EXAMPLE,"
            " FORMAT_PARQUET, found 99",
        ),
    ],
    ids=str,
)
def test_wrong_options_are_errors(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        ExampleGen("data", **given)
    assert str(raised.value) == message
