"""Benchmark worker for formats other than Avro: `format_worker.py READER`.

The protocol is that of `tensor_worker.py`. The way of a job selects the measurement: `decode` converts
messages in memory to a batch; all other ways take steps over a file. Seconds are CPU seconds of all threads,
because pyarrow.dataset and tf.data start threads of their own, whatever number is requested. The files
contain the rows of linkedin as 24 columns of lists and numbers. This worker writes them if they are missing.
"""

import importlib
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

# Otherwise TensorFlow prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import arrowfeed as af
import pyarrow as pa
import pyarrow.parquet as pq
from arrowfeed.representations import Dense, VarLenRagged, VarLenSparse

from tensor_worker import Job, serve_answers, steps

MESSAGES = 4096
"""Number of messages that are decoded repeatedly."""


def table(folder: Path) -> pa.Table:
    """The rows of linkedin, with each field of a record as a separate column."""
    return pa.table(af.read_avro(folder / "linkedin.null.avro")).flatten()


@cache
def made(file: str) -> str:
    """The path of a file, which is written if it is missing."""
    path = Path(file)
    if not path.exists():
        draft = path.with_suffix(".part")
        if path.suffix == ".parquet":
            pq.write_table(table(path.parent), draft, compression="none", row_group_size=8192)
        else:
            af.write_tfrecord(table(path.parent), draft)
        draft.rename(path)
    return file


@cache
def kinds(file: str) -> dict[str, str]:
    """The features of a TFRecord file: names and kinds of values."""
    names = {"int64": "int64", "float": "float", "large_binary": "bytes"}
    schema = af.read_tfrecord(made(file), sample=1000).schema.to_pyarrow()
    return {field.name: names[str(field.type.value_type)] for field in schema}


def wanted(job: Job) -> dict[str, str]:
    """The features of a job, in the order of the file."""
    features = kinds(job["file"])
    return {name: kind for name, kind in features.items() if name in job.get("columns", features)}


@cache
def messages(file: str) -> list[bytes]:
    """The first messages of a file."""
    reader = af.read_tfrecord(made(file), format="raw", batch_size=MESSAGES)
    return next(iter(reader)).to_pyarrow()["record"].to_pylist()


# ---- messages to a batch


def tfmd(features: dict[str, str]) -> bytes:
    """The features as a schema of TensorFlow Metadata."""
    metadata = importlib.import_module("tensorflow_metadata.proto.v0.schema_pb2")
    types = {"int64": metadata.INT, "float": metadata.FLOAT, "bytes": metadata.BYTES}
    return metadata.Schema(
        feature=[metadata.Feature(name=name, type=types[kind]) for name, kind in features.items()]
    ).SerializeToString()


def parsing(job: Job, feature: str) -> dict[str, Any]:
    """The features for the parser of TensorFlow: `VarLenFeature` or `RaggedFeature`."""
    tf = importlib.import_module("tensorflow")
    types = {"int64": tf.int64, "float": tf.float32, "bytes": tf.string}
    return {name: getattr(tf.io, feature)(types[kind]) for name, kind in wanted(job).items()}


def decoder(reader: str, job: Job) -> tuple[Callable[[list[bytes]], Any], Callable[[Any], object]]:
    """A function that prepares messages for a reader, and one that converts them to columns or tensors."""
    match reader:
        case "arrowfeed":
            return list, af.ExampleRecordDecoder(wanted(job)).decode
        case "tfx_bsl":
            coder = importlib.import_module("tfx_bsl.coders.example_coder")
            return list, coder.ExamplesToRecordBatchDecoder(tfmd(wanted(job))).DecodeBatch
        case _:
            tf = importlib.import_module("tensorflow")
            feature = "VarLenFeature" if reader == "parse_example sparse" else "RaggedFeature"
            return tf.constant, tf.function(partial(tf.io.parse_example, features=parsing(job, feature)))


def decoded(reader: str, job: Job) -> dict[str, Any]:
    """Measures the CPU seconds of decoding. The first messages of the file are decoded repeatedly."""
    prepare, decode = decoder(reader, job)
    size, first = job["batch_size"], messages(job["file"])
    batches = [prepare(first[at : at + size]) for at in range(0, len(first), size)]
    decode(batches[0])
    number = job["limit"] // size
    start = time.process_time()
    for batch in itertools.islice(itertools.cycle(batches), number):
        decode(batch)
    return {"seconds": time.process_time() - start, "rows": number * size, "peak_bytes": 0}


# ---- steps over a file


def example_dataset(job: Job) -> af.Dataset:
    """A dataset with the tensors of the job's way."""
    kind = VarLenRagged if "ragged" in job["way"] else VarLenSparse
    features = wanted(job)
    tensors = {name: kind(name) for name in features}
    return af.ExampleDataset(made(job["file"]), schema=kinds(job["file"]), representations=tensors)


def parquet_dataset(job: Job) -> af.Dataset:
    """A dataset of a Parquet file: numbers are dense and lists are sparse, as in the adapter of tfx_bsl."""
    dataset = af.ParquetDataset(made(job["file"]))
    schema = pa.schema(dataset.arrow_schema)
    return af.ParquetDataset(job["file"], representations=representations(schema))


def representations(schema: pa.Schema) -> dict[str, Any]:
    """A dense tensor for each number column, and a sparse tensor for each list column."""
    lists = (pa.types.is_list, pa.types.is_large_list)
    return {
        field.name: VarLenSparse(field.name)
        if any(is_it(field.type) for is_it in lists)
        else Dense(field.name)
        for field in schema
    }


def arrowfeed_steps(job: Job) -> Iterator[object]:
    """Batches of arrowfeed: its own tensors, or those of TensorFlow."""
    dataset = parquet_dataset(job) if "parquet" in job["way"] else example_dataset(job)
    options = {"batch_size": job["batch_size"], "threads": job["threads"]}
    return iter(dataset.to_tf(**options) if "to_tf" in job["way"] else dataset.tensors(**options))


def tf_data_steps(job: Job) -> Iterator[object]:
    """`TFRecordDataset().batch().map(parse_example)`."""
    tf = importlib.import_module("tensorflow")
    feature = "RaggedFeature" if "ragged" in job["way"] else "VarLenFeature"
    features = parsing(job, feature)
    options = tf.data.Options()
    options.threading.private_threadpool_size = job["threads"]
    dataset = tf.data.TFRecordDataset(made(job["file"])).batch(job["batch_size"])
    dataset = dataset.map(lambda records: tf.io.parse_example(records, features))
    return iter(dataset.with_options(options))


def pyarrow_steps(job: Job) -> Iterator[object]:
    """`pyarrow.dataset` and the adapter of tfx_bsl, which needs lists: numbers become lists of one value."""
    pads = importlib.import_module("pyarrow.dataset")
    adapters = importlib.import_module("tfx_bsl.tfxio.tensor_adapter")
    batches = pads.dataset(made(job["file"])).to_batches(
        batch_size=job["batch_size"], use_threads=job["threads"] > 1
    )
    first = next(batches)
    parse = importlib.import_module("tensorflow_metadata.proto.v0.schema_pb2").TensorRepresentation.FromString
    tensors = {name: parse(one.to_proto()) for name, one in representations(first.schema).items()}
    columns = [as_lists(column) for column in first.columns]
    schema = pa.schema(dict(zip(first.schema.names, (column.type for column in columns), strict=True)))
    adapter = adapters.TensorAdapter(adapters.TensorAdapterConfig(schema, tensors))
    for batch in itertools.chain([first], batches):
        arrays = [as_lists(column) for column in batch.columns]
        yield adapter.ToBatchTensors(
            pa.RecordBatch.from_arrays(arrays, schema=schema), produce_eager_tensors=False
        )


def as_lists(column: pa.Array) -> pa.Array:
    """Converts a column to large lists of the types that tfx_bsl supports."""
    values = {pa.float64(): pa.float32(), pa.int32(): pa.int64(), pa.bool_(): pa.int64()}
    if pa.types.is_list(column.type):
        item = values.get(column.type.value_type, column.type.value_type)
        return column.cast(pa.large_list(item))
    column = column.cast(values.get(column.type, column.type))
    return pa.LargeListArray.from_arrays(pa.array(range(len(column) + 1), pa.int64()), column)


STEPS = {"arrowfeed": arrowfeed_steps, "tf.data": tf_data_steps, "pyarrow and tfx_bsl": pyarrow_steps}


def answer(reader: str, job: Job) -> dict[str, Any]:
    """Runs a job. An exception of the reader becomes the answer."""
    try:
        if job["way"] == "decode":
            return decoded(reader, job)
        limit = job["limit"] // job["batch_size"]
        seconds, number = steps(iter(STEPS[reader](job)), limit, time.process_time)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"seconds": seconds, "rows": number * job["batch_size"], "peak_bytes": 0}


if __name__ == "__main__":
    serve_answers(partial(answer, sys.argv[1]))
