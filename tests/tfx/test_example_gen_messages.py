"""The encoder of ExampleGen, without a pipeline, against the conversion of TFX."""

import math
import os
import random
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
import tensorflow as tf
from avro_records import random_file
from tfx.components.example_gen import utils

import arrowfeed as af
from arrowfeed.tfx._encoder import Encoder
from arrowfeed.tfx._feature_columns import FeatureColumns

CASES = int(os.environ.get("ARROWFEED_CASES", "200"))
SEED = int(os.environ.get("ARROWFEED_SEED", random.randrange(1 << 32)))


@pytest.mark.filterwarnings("ignore:.*Expected an int, got a boolean")
def test_random_records_give_the_bytes_that_tfx_hashes(tmp_path: Path) -> None:
    encoder = Encoder(FeatureColumns(None, zeros_are_missing=True), null_features=True)
    path = tmp_path / "rows.avro"
    for case in range(CASES):
        random_file(path, random.Random(f"{SEED} {case}"), 8)
        with path.open("rb") as file:
            examples = [utils.dict_to_example(record) for record in fastavro.reader(file)]
        expected = [example.SerializeToString(deterministic=True) for example in examples]
        found = [
            message
            for batch in af.read_avro(path, batch_size=5)
            for message in encoder.encode(batch.to_pyarrow()).serialized
        ]
        assert found == expected, f"ARROWFEED_SEED={SEED}, case {case}"


def features(column: Any, **options: Any) -> list[Any]:
    """The values of the feature `x` in the message of each row. None: a feature without values."""
    batch = pa.record_batch({"x": column})
    made = Encoder(FeatureColumns(None, zeros_are_missing=False, **options), null_features=True).encode(batch)
    return [
        value_of(tf.train.Example.FromString(message).features.feature["x"]) for message in made.serialized
    ]


def value_of(feature: Any) -> Any:
    """The values of a feature."""
    kind = feature.WhichOneof("kind")
    return None if kind is None else list(getattr(feature, kind).value)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([0, None, 7], pa.int8()), [[0], None, [7]]),
        (pa.array([False, True, None]), [[0], [1], None]),
        (pa.array([0.0, 0.5, None], pa.float64()), [[0.0], [0.5], None]),
        (pa.array(["", "é", None]), [[b""], ["é".encode()], None]),
        (pa.array([[], [0, 2], None], pa.list_(pa.int32())), [[], [0, 2], None]),
        (pa.array([[1, 2], None], pa.list_(pa.int32(), 2)), [[1, 2], None]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), [[b"a"], [b"b"], [b"a"]]),
        (
            pa.array([["a", "b"], []]).cast(pa.list_(pa.dictionary(pa.int8(), pa.string()))),
            [[b"a", b"b"], []],
        ),
        (pa.array([3, None], pa.date32()), [[3], None]),
        (pa.array([5, None], pa.timestamp("us", "UTC")), [[5], None]),
        (pa.array([[5], []], pa.list_(pa.time64("us"))), [[5], []]),
        (pa.nulls(2), [None, None]),
        (
            pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"u" * 16, None], pa.binary(16))),
            [[b"u" * 16], None],
        ),
    ],
    ids=str,
)
def test_values_of_all_types_become_features(column: Any, expected: list[Any]) -> None:
    assert features(column) == expected
    if len(column) > 1:
        assert features(column[1:]) == expected[1:]


def test_zeros_are_missing_as_in_tfx() -> None:
    rows = {"b": False, "d": -0.0, "e": [], "f": 1e300, "i": 0, "n": math.nan, "s": "", "t": b"", "z": [0]}
    batch = pa.RecordBatch.from_pylist([rows])
    [message] = (
        Encoder(FeatureColumns(None, zeros_are_missing=True), null_features=True).encode(batch).serialized
    )
    assert message == utils.dict_to_example(rows).SerializeToString(deterministic=True)
    found = {
        name: value_of(one) for name, one in tf.train.Example.FromString(message).features.feature.items()
    }
    assert math.isnan(found.pop("n")[0])
    assert found == dict.fromkeys("bdeist") | {"f": [math.inf], "z": [0]}


def test_fields_of_structs_are_features() -> None:
    users = [{"age": 3, "tags": ["a"]}, None, {"age": None, "tags": []}]
    batch = pa.RecordBatch.from_pylist([{"user": user} for user in users])
    made = Encoder(FeatureColumns(None, zeros_are_missing=False), null_features=True).encode(batch)
    found = [
        {name: value_of(one) for name, one in tf.train.Example.FromString(message).features.feature.items()}
        for message in made.serialized
    ]
    assert found == [
        {"user.age": [3], "user.tags": [b"a"]},
        {"user.age": None, "user.tags": None},
        {"user.age": None, "user.tags": []},
    ]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            pa.array([[[1]]]),
            "x: expected values or lists of values, found list<item: list<item: int64>>: leave the column out"
            " with columns=, or write SequenceExamples",
        ),
        (
            pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
            "x: expected values that a feature can hold, found map<string, int64>: leave the column out with"
            " columns=",
        ),
        (
            pa.array([1], pa.decimal128(5, 2)),
            "x: expected values that a feature can hold, found decimal128(5, 2): leave the column out with"
            " columns=",
        ),
        (
            pa.array([[1, None]]),
            "x: expected lists without null values, which a feature cannot have, found one with a null",
        ),
        (pa.array([1e300]), "x: expected a number that fits into a float of 32 bits, found 1e300"),
    ],
    ids=str,
)
def test_other_types_are_errors(column: Any, message: str) -> None:
    with pytest.raises(af.ConversionError) as raised:
        features(column)
    assert str(raised.value) == message


def test_two_features_of_one_name_are_an_error() -> None:
    batch = pa.RecordBatch.from_pylist([{"a": {"b": 1}, "a.b": 2}])
    with pytest.raises(af.ConversionError) as raised:
        FeatureColumns(None, zeros_are_missing=False).convert(batch)
    assert str(raised.value) == "a.b: expected one column of this name, found several"


def test_nested_lists_are_feature_lists() -> None:
    rows = [
        {
            "id": 1,
            "names": ["x", "y"],
            "steps": [{"n": 1, "w": [1.5]}, {"n": 2, "w": []}],
            "words": [["a"], []],
        },
        {"id": 2, "names": [], "steps": None, "words": []},
    ]
    batch = pa.RecordBatch.from_pylist(rows)
    columns = FeatureColumns(["names"], zeros_are_missing=False)
    for batches in ([batch], [batch[:1], batch[1:]]):
        messages = [message for one in batches for message in Encoder(columns).encode(one).serialized]
        found = [tf.train.SequenceExample.FromString(message) for message in messages]
        assert [
            {
                name: [value_of(step) for step in steps.feature]
                for name, steps in one.feature_lists.feature_list.items()
            }
            for one in found
        ] == [
            {"names": [[b"x"], [b"y"]], "steps.n": [[1], [2]], "steps.w": [[1.5], []], "words": [[b"a"], []]},
            {"names": [], "words": []},
        ]
        assert [value_of(one.context.feature["id"]) for one in found] == [[1], [2]]
        assert messages == [one.SerializeToString(deterministic=True) for one in found]


def test_feature_lists_are_names_of_lists() -> None:
    batch = pa.RecordBatch.from_pylist([{"id": 1, "names": ["x"]}])
    with pytest.raises(af.ConversionError) as raised:
        FeatureColumns(["id", "other"], zeros_are_missing=False).convert(batch)
    assert (
        str(raised.value)
        == "feature_lists: expected names of lists of ['id', 'names'], found ['id', 'other']"
    )
