"""`arrowfeed.tfx.Executor` on files of all formats: splits, output formats, options, counters and errors."""

import hashlib
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from example_gen import inputs_of, records_of, run, splits_of
from google.protobuf import wrappers_pb2
from tfx.components.example_gen.custom_executors import parquet_executor as parquet_of_tfx
from tfx.components.example_gen.import_example_gen import executor as import_of_tfx
from tfx.components.util import examples_utils
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils

import arrowfeed as af
from arrowfeed.tfx import Executor, parquet_executor
from arrowfeed.tfx._options import packed

ROWS = [{"id": number, "name": f"row {number}", "score": number / 4} for number in range(40)]
TABLE = pa.Table.from_pylist(ROWS)


def write(path: Path, table: pa.Table = TABLE) -> None:
    """Writes a file in the format that its suffix names."""
    path.parent.mkdir(exist_ok=True)
    match path.suffix:
        case ".avro":
            af.write_avro(table, path)
        case ".parquet":
            pq.write_table(table, path)
        case ".csv":
            table.to_pandas().to_csv(path, index=False)
        case ".jsonl":
            table.to_pandas().to_json(path, orient="records", lines=True)
        case ".arrow":
            with pa.ipc.new_file(path, table.schema) as file:
                file.write(table)
        case _:
            af.write_tfrecord(table, path)


def rows_of(messages: list[bytes]) -> list[dict[str, Any]]:
    """The values of `tf.Example` messages by feature."""
    found = []
    for message in messages:
        features = tf.train.Example.FromString(message).features.feature
        kinds = {name: feature.WhichOneof("kind") for name, feature in features.items()}
        found.append(
            {name: kinds[name] and list(getattr(one, kinds[name]).value) for name, one in features.items()}
        )
    return found


EXPECTED = [
    {name: [value.encode() if name == "name" else value] for name, value in row.items()} for row in ROWS
]


def by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["id"])


@pytest.mark.parametrize("suffix", ["avro", "parquet", "csv", "jsonl", "arrow", "tfrecord"])
def test_files_of_all_formats_become_examples(tmp_path: Path, suffix: str) -> None:
    write(tmp_path / "data" / f"rows.{suffix}")
    found = run(Executor, tmp_path / "data", tmp_path / "out")
    assert by_id(rows_of([message for split in found.messages.values() for message in split])) == EXPECTED
    for split, buckets in {"train": {0, 1}, "eval": {2}}.items():
        assert {
            int(hashlib.sha256(message).hexdigest(), 16) % 3 for message in found.messages[split]
        } == buckets
    assert examples_utils.get_payload_format(found.artifact) == example_gen_pb2.FORMAT_TF_EXAMPLE
    assert examples_utils.get_file_format(found.artifact) == "tfrecords_gzip"


def test_the_parquet_executor_writes_what_that_of_tfx_writes(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    table = TABLE[1:].append_column("tags", pa.array([["a", "b"], [], []] * 13))
    table = table.append_column("zero", pa.array([0] * 39))
    pq.write_table(table, tmp_path / "data" / "rows.parquet")
    expected = run(parquet_of_tfx.Executor, tmp_path / "data", tmp_path / "tfx").messages
    found = run(parquet_executor.Executor, tmp_path / "data", tmp_path / "ours").messages
    parsed = {split: by_id(rows_of(messages)) for split, messages in expected.items()}
    assert {split: by_id(rows_of(messages)) for split, messages in found.items()} == parsed


def test_messages_of_tfrecord_files_are_copied_into_the_splits_of_tfx(tmp_path: Path) -> None:
    # Features in another order, and a field that `tf.Example` does not have.
    odd = b"\x0a\x13\x0a\x0a\x0a\x01z\x12\x05\x1a\x03\x0a\x01\x07\x0a\x05\x0a\x01a\x12\x00" + b"\x78\x01"
    written = sorted([odd, *af.encode_examples(TABLE)])
    (tmp_path / "data").mkdir()
    af.write_tfrecord(pa.table({"record": written}), tmp_path / "data" / "rows.tfrecord.gz", format="raw")
    expected = run(import_of_tfx.Executor, tmp_path / "data", tmp_path / "tfx").messages
    found = run(Executor, tmp_path / "data", tmp_path / "ours").messages
    assert sorted(message for messages in found.values() for message in messages) == written
    assert canonical(found) == canonical(expected)
    assert len(found["eval"]) > 1


def canonical(messages: dict[str, list[bytes]]) -> dict[str, list[bytes]]:
    parse = tf.train.Example.FromString
    return {
        split: sorted(parse(record).SerializeToString(deterministic=True) for record in records)
        for split, records in messages.items()
    }


def test_input_splits_have_their_own_files(tmp_path: Path) -> None:
    write(tmp_path / "data" / "a.avro", TABLE[:10])
    write(tmp_path / "data" / "b.csv", TABLE[10:])
    inputs = inputs_of(train="a.*", eval="*.csv")
    found = run(Executor, tmp_path / "data", tmp_path / "out", inputs=inputs, output=example_gen_pb2.Output())
    assert {split: by_id(rows_of(messages)) for split, messages in found.messages.items()} == {
        "train": EXPECTED[:10],
        "eval": EXPECTED[10:],
    }
    assert artifact_utils.decode_split_names(found.artifact.split_names) == ["train", "eval"]


@pytest.mark.parametrize("suffix", ["avro", "tfrecord"])
def test_rows_with_equal_partition_features_are_in_one_split(tmp_path: Path, suffix: str) -> None:
    table = TABLE.append_column("user", pa.array([f"user {number % 7}" for number in range(40)]))
    write(tmp_path / "data" / f"rows.{suffix}", table)
    output = splits_of(train=2, eval=1)
    output.split_config.partition_feature_name = "user"
    found = run(Executor, tmp_path / "data", tmp_path / "out", output=output)
    users = {
        split: {row["user"][0] for row in rows_of(messages)} for split, messages in found.messages.items()
    }
    expected: dict[str, set[bytes]] = {"train": set(), "eval": set()}
    for number in range(7):
        name = f"user {number}".encode()
        feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[name]))
        bucket = int(hashlib.sha256(feature.SerializeToString(deterministic=True)).hexdigest(), 16) % 3
        expected["eval" if bucket == 2 else "train"].add(name)
    assert users == expected
    assert sum(map(len, found.messages.values())) == 40


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "Feature name `missing` does not exist."),
        ("score", "Only `bytes_list` and `int64_list` features are supported for partition."),
        ("empty", "Partition feature does not contain any value."),
    ],
)
def test_partition_features_without_a_hash_are_errors(tmp_path: Path, name: str, message: str) -> None:
    write(tmp_path / "data" / "rows.avro", TABLE.append_column("empty", pa.nulls(40, pa.int64())))
    output = splits_of(train=2, eval=1)
    output.split_config.partition_feature_name = name
    with pytest.raises(RuntimeError) as raised:
        run(Executor, tmp_path / "data", tmp_path / "out", output=output)
    assert message in str(raised.value)


def test_sequence_examples(tmp_path: Path) -> None:
    steps = [[{"token": f"t{number}"}] * (number % 3) for number in range(40)]
    write(tmp_path / "data" / "rows.avro", TABLE.append_column("steps", pa.array(steps)))
    payload = example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE
    found = run(Executor, tmp_path / "data", tmp_path / "out", payload=payload)
    messages = sorted(message for split in found.messages.values() for message in split)
    parsed = [tf.train.SequenceExample.FromString(message) for message in messages]
    tokens = {
        one.context.feature["id"].int64_list.value[0]: [
            step.bytes_list.value[0].decode()
            for step in one.feature_lists.feature_list["steps.token"].feature
        ]
        for one in parsed
    }
    assert tokens == {number: [f"t{number}"] * (number % 3) for number in range(40)}
    assert examples_utils.get_payload_format(found.artifact) == payload
    # Files of such messages are copied.
    for split in ("train", "eval"):
        again = run(
            Executor,
            Path(artifact_utils.get_split_uri([found.artifact], split)),
            tmp_path / f"again {split}",
            payload=payload,
            output=splits_of(all=1),
        )
        assert again.messages["all"] == found.messages[split]


def test_parquet_has_the_columns_of_the_messages(tmp_path: Path) -> None:
    write(tmp_path / "data" / "rows.avro", TABLE.append_column("tags", pa.array([[], ["a", "b"]] * 20)))
    examples = run(Executor, tmp_path / "data", tmp_path / "examples")
    found = run(Executor, tmp_path / "data", tmp_path / "out", payload=example_gen_pb2.FORMAT_PARQUET)
    for split in ("train", "eval"):
        table = pq.read_table(artifact_utils.get_split_uri([found.artifact], split))
        expected = af.ExampleRecordDecoder().decode(records_of(examples.artifact, split)).to_pyarrow()
        assert table.schema.remove_metadata() == expected.schema
        assert sorted(table.to_pylist(), key=lambda row: row["id"]) == sorted(
            expected.to_pylist(), key=lambda row: row["id"]
        )
    assert examples_utils.get_payload_format(found.artifact) == example_gen_pb2.FORMAT_PARQUET
    assert examples_utils.get_file_format(found.artifact) == "FILE_FORMAT_PARQUET"


def test_options_select_columns_and_rows(tmp_path: Path) -> None:
    write(tmp_path / "data" / "rows.avro")
    config = packed({"columns": ["score", "id"], "where": "id >= 30"})
    found = run(Executor, tmp_path / "data", tmp_path / "out", custom_config=config, output=splits_of(all=1))
    assert by_id(rows_of(found.messages["all"])) == [
        {name: row[name] for name in ("id", "score")} for row in EXPECTED[30:]
    ]


def test_an_empty_split_has_an_empty_file(tmp_path: Path) -> None:
    write(tmp_path / "data" / "rows.avro", TABLE[:0])
    found = run(Executor, tmp_path / "data", tmp_path / "out")
    assert found.messages == {"train": [], "eval": []}
    folder = Path(artifact_utils.get_split_uri([found.artifact], "eval"))
    assert [path.name for path in folder.iterdir()] == ["data_tfrecord-00000-of-00001.gz"]


def test_counters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "data" / "rows.avro")
    pipelines: list[Any] = []

    def make(executor: Any) -> Any:
        pipelines.append(beam.Pipeline(argv=executor._beam_pipeline_args))
        return pipelines[-1]

    monkeypatch.setattr(Executor, "_make_beam_pipeline", make)
    found = run(Executor, tmp_path / "data", tmp_path / "out")
    counters = pipelines[0].result.metrics().query()["counters"]
    counts = {(one.key.metric.namespace, one.key.metric.name): one.committed for one in counters}
    assert counts[("tfx.ExampleGen", "num_instances")] == 40
    assert counts[("arrowfeed", "rows")] == 40
    for split, messages in found.messages.items():
        assert counts[("arrowfeed", f"examples.{split}")] == len(messages)


def test_wrong_arguments_are_errors(tmp_path: Path) -> None:
    write(tmp_path / "data" / "rows.avro")
    with pytest.raises(ValueError, match="output_data_format") as raised:
        run(Executor, tmp_path / "data", tmp_path / "out", payload=example_gen_pb2.FORMAT_PROTO)
    assert str(raised.value) == (
        "output_data_format: expected one of FORMAT_TF_EXAMPLE, FORMAT_TF_SEQUENCE_EXAMPLE, FORMAT_PARQUET,"
        " found FORMAT_PROTO"
    )
    config = example_gen_pb2.CustomConfig()
    config.custom_config.Pack(wrappers_pb2.StringValue(value="x"))
    with pytest.raises(
        ValueError, match="custom_config: expected the options of arrowfeed.tfx.ExampleGen, found"
    ):
        run(Executor, tmp_path / "data", tmp_path / "out", custom_config=config)
    with pytest.raises(FileNotFoundError, match="missing"):
        run(Executor, tmp_path / "data", tmp_path / "out", inputs=inputs_of(all="missing*"))
    (tmp_path / "data" / "rows.avro").write_bytes(b"Obj\x01 damaged")
    with pytest.raises(af.ArrowfeedError):
        run(Executor, tmp_path / "data", tmp_path / "out")
