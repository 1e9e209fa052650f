"""Part of `make demo`: events of an Avro file as dense, sparse and ragged tensors."""

import time
from pathlib import Path

import arrowfeed as af
from arrowfeed import representations
from arrowfeed.types import AnyTensor

from events import EMBEDDING

BATCH = 1024
REPRESENTATIONS = {
    "embedding": representations.Dense("embedding", [EMBEDDING]),
    "clicks": representations.Dense("clicks", default=0),
    "width": representations.Dense("device.screen.width"),
    "tag": representations.VarLenSparse("tags"),
    "tags": representations.VarLenRagged("tags", row_splits_dtype="int32"),
}
COLUMNS = ["embedding", "clicks", "device.screen.width", "tags"]


def show_tensors(path: Path) -> None:
    """Prints the tensors of a batch, the memory that they share with it, and the throughput."""
    with af.read_avro(str(path), columns=COLUMNS, batch_size=BATCH) as reader:
        adapter = af.TensorAdapter(reader.schema, REPRESENTATIONS)
        print("\nTensors: their types, and what they share with the batch")
        print(adapter.explain())
        show(adapter.convert(next(reader)))
        start, batches, seconds = time.perf_counter(), 0, 0.0
        for batch in reader:
            before = time.perf_counter()
            adapter.convert(batch)
            seconds += time.perf_counter() - before
            batches += 1
        whole = time.perf_counter() - start
    print(f"\n{batches / whole:,.0f} batches/s of {BATCH:,} rows from the file to tensors,", end=" ")
    print(f"{batches / seconds:,.0f} batches/s from the batch.")


def show(tensors: dict[str, AnyTensor]) -> None:
    """Prints each tensor of a batch, and the first values of some of them."""
    print(f"\nTensors of {BATCH:,} rows")
    for name, tensor in tensors.items():
        print(f"  {name:<10} {tensor!r}")
    print(f"  embedding  {tensors['embedding'].values[0, :4]} ...")
    print(f"  tag        {tensors['tag'].indices[:3].tolist()} ... {tensors['tag'].values[:3]} ...")
    print(f"  tags       {tensors['tags'].to_list()[:3]} ...")
