"""The comparison of messages finds each difference, and names its path."""

import pytest
from google.protobuf import text_format
from same_proto import assert_same
from statistics_of_sources import KEYS, assert_same_statistics
from tensorflow_metadata.proto.v0 import anomalies_pb2, statistics_pb2

STATISTICS = """
datasets {
  name: "a"
  num_examples: 3
  features {
    path { step: "x" }
    type: FLOAT
    num_stats {
      common_stats { num_non_missing: 3 }
      mean: 1
      histograms { buckets { low_value: 0 high_value: 1 sample_count: 2 } buckets { low_value: nan } }
    }
    custom_stats { name: "first" num: 1 }
  }
  features { path { step: "y" step: "z" } string_stats { top_values { value: "v" frequency: 2 } } }
}
datasets { name: "b" }
"""


def parsed(text):
    """The statistics of a text."""
    return text_format.Parse(text, statistics_pb2.DatasetFeatureStatisticsList())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("num_examples: 3", "num_examples: 4", "datasets[a].num_examples: expected 3, found 4"),
        ('name: "b"', 'name: "c"', "datasets: expected ['a', 'b'], found ['a', 'c']"),
        (
            "mean: 1",
            "mean: 1.00000001",
            "datasets[a].features[('x',)].num_stats.mean: expected 1.0, found 1.00000001",
        ),
        ("mean: 1", "mean: nan", "datasets[a].features[('x',)].num_stats.mean: expected 1.0, found nan"),
        (
            "sample_count: 2",
            "sample_count: 3",
            "datasets[a].features[('x',)].num_stats.histograms[0].buckets[0].sample_count:"
            " expected 2.0, found 3.0",
        ),
        (
            "buckets { low_value: nan }",
            "",
            "datasets[a].features[('x',)].num_stats.histograms[0].buckets: expected [0, 1], found [0]",
        ),
        ("type: FLOAT", "type: INT", "datasets[a].features[('x',)].type: expected 1, found 0"),
        (
            "common_stats { num_non_missing: 3 }",
            "",
            "datasets[a].features[('x',)].num_stats.common_stats: expected 'a value', found 'no value'",
        ),
        ('step: "z"', "", "datasets[a].features: expected [('x',), ('y', 'z')], found [('x',), ('y',)]"),
        (
            'value: "v"',
            'value: "w"',
            "datasets[a].features[('y', 'z')].string_stats.top_values[0].value: expected 'v', found 'w'",
        ),
        (
            "num: 1",
            'str: "1"',
            "datasets[a].features[('x',)].custom_stats[first].num: expected 'a value', found 'no value'",
        ),
    ],
)
def test_a_difference_has_its_path(old, new, message):
    assert old in STATISTICS
    with pytest.raises(AssertionError) as error:
        assert_same_statistics(parsed(STATISTICS.replace(old, new, 1)), parsed(STATISTICS))
    assert str(error.value).splitlines()[0] == message


def test_sums_of_floats_and_the_order_of_columns_may_differ():
    found = parsed(STATISTICS.replace("mean: 1", "mean: 1.0000000005"))
    [first, second] = found.datasets[0].features
    reordered = [type(first).FromString(feature.SerializeToString()) for feature in (second, first)]
    del found.datasets[0].features[:]
    found.datasets[0].features.extend(reordered)
    assert_same_statistics(found, parsed(STATISTICS))


def test_the_values_of_a_map_are_compared():
    one, other = (anomalies_pb2.Anomalies() for _ in range(2))
    one.anomaly_info["x"].description = "of one"
    other.anomaly_info["x"].description = "of the other"
    with pytest.raises(AssertionError) as error:
        assert_same(one, other, KEYS)
    message = "anomaly_info['x'].description: expected 'of the other', found 'of one'"
    assert str(error.value).splitlines()[0] == message
    other.anomaly_info["y"].description = "of the other"
    with pytest.raises(AssertionError) as error:
        assert_same(one, other, KEYS)
    assert str(error.value).splitlines()[0] == "anomaly_info: expected ['x', 'y'], found ['x']"
