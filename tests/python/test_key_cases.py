"""The cases of ``tests/cases/keys``, with tables 2 and 3 of the Avro dataset RFC, pass on Avro files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from foreign_features import as_tf
from key_cases import FILES, avro, cases, feature, kind_of
from test_cases import slot

if TYPE_CHECKING:
    import numpy as np

MISSING = "<missing>"


def named(table: str, name: str) -> list[Any]:
    return [pytest.param(file, case, id=f"{file}-{case[name]}") for file, case in cases(table)]


def plain(values: np.ndarray) -> list[Any]:
    flat = values.ravel().tolist()
    return [value.decode() if isinstance(value, bytes) else value for value in flat]


def test_the_corpus_of_keys_exists() -> None:
    assert list(FILES) == ["features", "person"]
    assert len(cases("feature")) >= 75


@pytest.mark.parametrize("file", FILES)
def test_the_file_has_the_schema_of_the_cases(file: str) -> None:
    schema = pa.schema(af.read_avro(avro(file)).schema)
    found = ", ".join(f"{field.name}: {slot(field)}" for field in schema)
    assert found == re.sub(r"\s+", " ", FILES[file]["schema"]).strip().replace("< ", "<").replace(" >", ">")


@pytest.mark.parametrize(("file", "case"), named("key", "key"))
def test_a_key_selects_these_values(file: str, case: dict[str, Any]) -> None:
    reader = af.read_avro(avro(file))
    key, rank, expected = case["key"], case["rank"], json.loads(case["values"])
    default = MISSING if pa.types.is_string(leaf_type(expected)) else -1
    if rank == 0:
        wanted = {key: features.Dense([], default=default)}
        tensor = af.TensorAdapter.from_features(reader.schema, wanted).convert(reader)[key]
        assert plain(tensor.values) == [default if value is None else value for value in expected]
        return
    adapter = af.TensorAdapter.from_features(reader.schema, {key: features.Ragged()})
    assert adapter.specs[key].ragged_rank == rank
    first_null = next((row for row, values in enumerate(expected) if "null" in json.dumps(values)), None)
    if first_null is None:
        assert decoded(adapter.convert(reader)[key].to_list()) == expected
        return
    with pytest.raises(af.ConversionError) as raised:
        adapter.convert(reader)
    message = f'key "{key}", row {first_null}: expected values without nulls, found a null'
    assert str(raised.value) == whole(key, message)


def leaf_type(values: Any) -> pa.DataType:
    return pa.string() if '"' in json.dumps(values) or values == [None] * 3 else pa.int64()


def decoded(values: Any) -> Any:
    if isinstance(values, list):
        return [decoded(value) for value in values]
    return values.decode() if isinstance(values, bytes) else values


@pytest.mark.parametrize(("file", "case"), named("feature", "name"))
def test_the_tensor_of_a_feature(file: str, case: dict[str, Any]) -> None:
    if "default that is a scalar" in case.get("refused", ""):
        with pytest.raises(ValueError, match="^default: ") as raised:
            feature(case)
        assert str(raised.value) == refused_when_made(case)
        return
    check(file, case, feature(case))


@pytest.mark.parametrize(
    ("file", "case"), [param for param in named("feature", "name") if as_tf(param.values[1]) is not None]
)
def test_the_same_tensor_of_the_feature_as_tensorflow_has_it(file: str, case: dict[str, Any]) -> None:
    kind = kind_of(case)
    given = as_tf(case)
    if "default that is a scalar" in case.get("refused", ""):
        with pytest.raises(ValueError, match="^features") as raised:
            af.TensorAdapter.from_features(pa.schema([]), {"t": given})
        assert str(raised.value) == f'features["t"]: {refused_when_made(case)}'
        return
    check(file, case, given, case[kind]["key"])


def refused_when_made(case: dict[str, Any]) -> str:
    """The default does not fit the shape, whatever the schema is."""
    expected, found = re.findall(r"\[[\d, ]+\]", case["refused"])
    return f"default: expected a scalar or the shape {expected}, found the shape {found}"


def whole(name: str, message: str) -> str:
    """The message with the name of the tensor, unless the name is the key."""
    is_key = message.startswith((f'key "{name}":', f'key "{name}",'))
    return message if is_key else f'tensor "{name}", {message}'


def check(file: str, case: dict[str, Any], given: Any, name: str = "t") -> None:
    reader = af.read_avro(avro(file, case.get("rows")))
    if "refused" in case:
        with pytest.raises(af.RepresentationError) as refused:
            af.TensorAdapter.from_features(reader.schema, {name: given})
        assert str(refused.value) == whole(name, case["refused"])
        assert refused.value.tensor == name
        return
    adapter = af.TensorAdapter.from_features(reader.schema, {name: given})
    if "error" in case:
        with pytest.raises(af.ConversionError) as raised:
            adapter.convert(reader)
        assert str(raised.value) == whole(name, case["error"])
        return
    assert repr(adapter.specs[name]) == f"<arrowfeed.TensorSpec {case['spec']}>"
    compare(adapter.convert(reader)[name], case)


def compare(tensor: Any, case: dict[str, Any]) -> None:
    if isinstance(tensor, af.RaggedTensor):
        assert [splits.tolist() for splits in tensor.row_splits] == json.loads(case["row_splits"])
        assert plain(tensor.flat_values) == json.loads(case["values"])
        return
    assert plain(tensor.values) == json.loads(case["values"])
    if isinstance(tensor, af.SparseTensor):
        assert list(tensor.dense_shape) == case["shape"]
        assert tensor.indices.tolist() == json.loads(case["indices"])
    else:
        assert list(tensor.shape) == case["shape"]
