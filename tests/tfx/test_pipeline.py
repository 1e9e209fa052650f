"""ExampleGen in a pipeline of the local orchestrator: spans, and statistics of each format of output."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import tensorflow_data_validation as tfdv
from example_gen import inputs_of
from ml_metadata.metadata_store import metadata_store
from tfx.components.example_gen.component import FileBasedExampleGen
from tfx.dsl.components.base import executor_spec
from tfx.proto import example_gen_pb2, range_config_pb2
from tfx.v1 import components, dsl, orchestration

import arrowfeed as af
from arrowfeed.tfx import ExampleGen, avro_executor

ROWS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs of a pipeline that reads two spans, the second of which has two versions."""
    folder = tmp_path_factory.mktemp("pipeline")
    table = pa.table({"id": range(ROWS), "tokens": [[7] * (number % 3) for number in range(ROWS)]})
    for part, rows in {"span-1/v-1": 5, "span-2/v-1": 7, "span-2/v-2": ROWS}.items():
        (folder / "data" / part).mkdir(parents=True)
        af.write_avro(table[:rows], folder / "data" / part / "rows.avro")
    base, inputs = str(folder / "data"), inputs_of(all="span-{SPAN}/v-{VERSION}/*.avro")
    first = range_config_pb2.RangeConfig(
        static_range=range_config_pb2.StaticRange(start_span_number=1, end_span_number=1)
    )
    given: dict[str, Any] = {
        "Avro": FileBasedExampleGen(
            base, inputs, custom_executor_spec=executor_spec.BeamExecutorSpec(avro_executor.Executor)
        ),
        "First": ExampleGen(base, inputs, range_config=first),
        "Parquet": ExampleGen(
            base, inputs, output_data_format=example_gen_pb2.FORMAT_PARQUET, columns=["id"], where="id >= 10"
        ),
        "Sequences": ExampleGen(
            base,
            inputs,
            output_data_format=example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE,
            feature_lists=["tokens"],
        ),
    }
    nodes: list[Any] = []
    for name, example_gen in given.items():
        statistics = components.StatisticsGen(examples=example_gen.outputs["examples"])
        nodes += [example_gen.with_id(name), statistics.with_id(f"Of{name}")]
    pipeline = dsl.Pipeline("rows", str(folder / "out"), metadata(folder), nodes)
    orchestration.LocalDagRunner().run(pipeline)
    return folder


def metadata(folder: Path) -> Any:
    """The configuration of the metadata of the pipeline."""
    return orchestration.metadata.sqlite_metadata_connection_config(str(folder / "metadata.db"))


def statistics(folder: Path, name: str) -> list[Any]:
    """The statistics of the splits of an ExampleGen."""
    files = sorted((folder / "out" / f"Of{name}" / "statistics").glob("*/Split-*/FeatureStats.pb"))
    assert [file.parent.name for file in files] == ["Split-eval", "Split-train"]
    return [tfdv.load_stats_binary(str(file)).datasets[0] for file in files]


def present(folder: Path, name: str) -> dict[tuple[str, ...], int]:
    """The number of rows that have a feature, by the path of the feature."""
    found: dict[tuple[str, ...], int] = {}
    for split in statistics(folder, name):
        for feature in split.features:
            path = tuple(feature.path.step)
            stats = getattr(feature, feature.WhichOneof("stats"))
            found[path] = found.get(path, 0) + stats.common_stats.num_non_missing
    return found


def test_the_newest_version_of_the_span_is_read(folder: Path) -> None:
    store = metadata_store.MetadataStore(metadata(folder))
    spans = {
        Path(one.uri).parents[1].name: (
            one.custom_properties["span"].int_value,
            one.custom_properties["version"].int_value,
        )
        for one in store.get_artifacts_by_type("Examples")
    }
    assert spans == {"Avro": (2, 2), "First": (1, 1), "Parquet": (2, 2), "Sequences": (2, 2)}


@pytest.mark.parametrize(
    ("name", "rows"), [("Avro", ROWS), ("First", 5), ("Parquet", ROWS - 10), ("Sequences", ROWS)]
)
def test_statistics_of_the_pipeline_count_all_rows(folder: Path, name: str, rows: int) -> None:
    assert sum(split.num_examples for split in statistics(folder, name)) == rows


def test_statistics_have_the_features_of_all_formats(folder: Path) -> None:
    # As in TFX, the executor leaves out the id that is 0 and the lists without values.
    assert present(folder, "Avro") == {("id",): ROWS - 1, ("tokens",): ROWS - ROWS // 3}
    assert present(folder, "First") == {("id",): 5, ("tokens",): 5}
    assert present(folder, "Parquet") == {("id",): ROWS - 10}
    assert present(folder, "Sequences") == {
        ("id",): ROWS,
        ("##SEQUENCE##",): ROWS,
        ("##SEQUENCE##", "tokens"): ROWS,
    }
