"""Other readers of the files that tests at real size write."""

import gzip
import zlib

import fastavro
import polars as pl
import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.json as pjson
import pyarrow.parquet as pq

import arrowfeed as af

LARGEST_BLOCK = 256 << 20


def read_avro(path):
    """The rows. fastavro counts them, and polars reads the codecs that it knows."""
    with path.open("rb") as file:
        blocks = fastavro.block_reader(file)
        count = sum(block.num_records for block in blocks)
    found = pa.table(af.read_avro(path))
    assert len(found) == count
    if blocks.codec in ("null", "deflate", "snappy"):
        assert pl.DataFrame(found).equals(pl.read_avro(path))
    return found


def read_arrow(path):
    with pa.ipc.open_file(path) as file:
        return file.read_all()


def read_csv(path):
    options = pcsv.ReadOptions(block_size=8 << 20)
    texts = {"text": pa.string(), "key": pa.string()}
    converted = pcsv.ConvertOptions(column_types=texts, strings_can_be_null=True)
    return pcsv.read_csv(pa.BufferReader(uncompressed(path)), read_options=options, convert_options=converted)


def read_json_lines(path):
    options = pjson.ReadOptions(block_size=LARGEST_BLOCK)
    return pjson.read_json(pa.BufferReader(uncompressed(path)), read_options=options)


def read_examples(path):
    return pa.table(af.read_tfrecord(path))


def read_sequences(path):
    found = pa.table(af.read_tfrecord(path, format="sequence_example"))
    return found.drop_columns([name for name in ("##SEQUENCE##",) if name in found.column_names])


def read_raw(path):
    return pa.table(af.read_tfrecord(path, format="raw")).rename_columns(["text"])


def uncompressed(path):
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    return data if path.suffix != ".zlib" else zlib.decompress(data)


def group_rows(path):
    """The number of rows of each row group of a Parquet file, or of each batch of an Arrow IPC file."""
    if path.suffix == ".parquet":
        metadata = pq.read_metadata(path)
        return [metadata.row_group(nth).num_rows for nth in range(metadata.num_row_groups)]
    with pa.ipc.open_file(path) as file:
        return [file.get_batch(nth).num_rows for nth in range(file.num_record_batches)]


READERS = {
    "avro": read_avro,
    "parquet": pq.read_table,
    "arrow": read_arrow,
    "csv": read_csv,
    "jsonl": read_json_lines,
    "tfrecord": read_examples,
    "tfrecord-sequence": read_sequences,
    "tfrecord-raw": read_raw,
}
