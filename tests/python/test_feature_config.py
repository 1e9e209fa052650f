"""Features survive a round trip through the JSON of graphs."""

import math

import pytest

from arrowfeed import features
from arrowfeed._features import config

ALL = {
    "scalar": features.Dense([], "int64"),
    "text": features.Dense([1, 2], "string", [[b"35 Park Street", b"\x00\xff"]], key="a.b[*]"),
    "not a number": features.Dense([], "float32", math.inf),
    "of the field": features.Dense([3]),
    "sequence": features.FixedLenSequence([None, 2], "float64", 0.5),
    "flag": features.FixedLenSequence([], "bool", True),  # noqa: FBT003
    "var": features.VarLen("bytes", shape=[None, 3], key="friends[*].name"),
    "sparse": features.Sparse(["@i", "j"], "v", [12, None], "float32", True, duplicates="error"),  # noqa: FBT003
    "cut": features.VarLen("float32", shape=[3], lossy=True, truncate=True),
    "strict": features.Dense([2], "float32", lossy=None),
    "ragged": features.Ragged("int8", inner_shape=[2], row_splits_dtype="int32"),
}


@pytest.mark.parametrize("name", ALL)
def test_a_feature_survives_a_round_trip(name):
    [(found, feature)] = config.of_json(config.to_json({name: ALL[name]})).items()
    assert (found, feature) == (name, ALL[name])


def test_the_order_stays():
    assert list(config.of_json(config.to_json(ALL))) == list(ALL)


def test_all_kinds_are_known():
    kinds = {kind.__name__ for kind in features.Feature.__subclasses__()}
    assert {type(feature).__name__ for feature in ALL.values()} == kinds
    assert kinds < set(features.__all__)


def test_another_kind_is_an_error():
    with pytest.raises(ValueError, match=r"kind: expected one of \['Dense', .*\], found 'Table'"):
        config.of_json('{"x": {"kind": "Table"}}')
