"""TensorFlow Data Validation makes equal statistics of our sources and of those of tfx_bsl."""

import pytest
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from random_rows import SCHEMA, rows
from same_proto import assert_same
from sources import PAIRS, SCHEMAS
from statistics_of_sources import BATCH, assert_same_statistics, statistics
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.public.proto import slicing_spec_pb2

ROWS = 200


@pytest.fixture(scope="module", params=PAIRS)
def both(request, tmp_path_factory):
    """The default statistics of both sources. No schema is known."""
    folder = tmp_path_factory.mktemp("statistics")
    pair = PAIRS[request.param](folder, rows(ROWS, "default", request.param), None)
    return [statistics(source, tfdv.StatsOptions(), folder) for source in pair]


def test_default_statistics_are_equal(both):
    found, expected = both
    assert_same_statistics(found, expected)
    [dataset] = found.datasets
    assert dataset.num_examples == ROWS
    assert dataset.features


def test_inferred_schemas_are_equal(both):
    found, expected = map(tfdv.infer_schema, both)
    assert_same(found, expected, {})
    assert found.feature


def test_anomalies_are_equal(both):
    schema = tfdv.infer_schema(both[1])
    refuse_all(schema.feature)
    schema.feature.add(name="of no row", type=schema_pb2.INT, presence={"min_count": 1})
    found, expected = (tfdv.validate_statistics(statistics, schema) for statistics in both)
    assert_same(found, expected, {})
    assert len(found.anomaly_info) >= 2


def refuse_all(features):
    """Sets domains and numbers of values that no column has."""
    for feature in features:
        refuse_all(feature.struct_domain.feature)
        for domain in ("int_domain", "float_domain"):
            if feature.type == {"int_domain": schema_pb2.INT, "float_domain": schema_pb2.FLOAT}[domain]:
                getattr(feature, domain).max = -(2**62)
        if feature.type == schema_pb2.BYTES:
            feature.string_domain.value[:] = ["no such value"]


SLICES = text_format.Parse("slicing_specs { feature_keys: 'flag' }", slicing_spec_pb2.SlicingConfig())
WITH_SCHEMA = ["TFExampleRecord", "TFSequenceExampleRecord", "AvroRecord"]


@pytest.mark.parametrize("name", WITH_SCHEMA)
def test_weighted_statistics_of_slices_with_a_schema_are_equal(tmp_path, name):
    schema = SCHEMAS.get(name, SCHEMA)
    pair = PAIRS[name](tmp_path, rows(ROWS, "schema", name), schema)
    options = tfdv.StatsOptions(
        schema=schema,
        weight_feature="weight",
        label_feature="label",
        slicing_config=SLICES,
        num_top_values=4,
        desired_batch_size=BATCH,
        enable_semantic_domain_stats=True,
    )
    found, expected = (statistics(source, options, tmp_path) for source in pair)
    assert_same_statistics(found, expected)
    assert sorted(dataset.name for dataset in found.datasets) == ["All Examples", "flag_0", "flag_1"]
