"""How long a training loop on a GPU waits for its batches, with each way to copy them. Needs CUDA.

    python benches/gpu.py --data DIR

Prints a table. The step multiplies matrices of the values on the GPU for about 10 ms.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import arrowfeed as af
import torch

from datasets import SHAPES
from generate import make
from manifest import Manifest

ROWS = 200_000
BATCH = 4096
STEPS = 200
TENSOR = "embedding_f32_128"
WAYS = ["plain", "pinned", "device"]


def batches(way: str, dataset: Any) -> Iterator[torch.Tensor]:
    """The values of each batch on the GPU."""
    options: dict[str, Any] = {"batch_size": BATCH, "drop_remainder": True, "epochs": None}
    if way == "device":
        for batch in dataset.to_torch(**options, device="cuda"):
            yield batch[TENSOR]
    for batch in dataset.to_torch(**options, pin_memory=way == "pinned"):
        yield batch[TENSOR].to("cuda", non_blocking=way == "pinned")


def train(way: str, dataset: Any, repeats: int) -> tuple[float, float]:
    """Seconds of a step, and seconds of them in which the loop waited for a batch."""
    weights = torch.randn(128, 128, device="cuda")
    found = batches(way, dataset)
    waited, start = 0.0, 0.0
    for step in range(STEPS + 20):
        before = time.perf_counter()
        values = next(found)
        if step == 20:
            torch.cuda.synchronize()
            waited, start, before = 0.0, time.perf_counter(), time.perf_counter()
        waited += time.perf_counter() - before
        for _ in range(repeats):
            values = torch.tanh(values @ weights)
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / STEPS, waited / STEPS


def repeats_of(seconds: float) -> int:
    """The number of multiplications that take this time."""
    values, weights = torch.randn(BATCH, 128, device="cuda"), torch.randn(128, 128, device="cuda")
    for count in (10, 1000):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            values = torch.tanh(values @ weights)
        torch.cuda.synchronize()
    return max(1, round(count * seconds / (time.perf_counter() - start)))


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder for the files")
    folder: Path = parser.parse_args().data
    if not torch.cuda.is_available():
        sys.exit("expected a GPU with CUDA, found none")
    folder.mkdir(parents=True, exist_ok=True)
    [linkedin] = [dataset for dataset in SHAPES if dataset.name == "linkedin"]
    make(linkedin, ROWS, ("null",), Manifest(folder))
    definition = {TENSOR: af.features.Dense([128], "float32", 0.0)}
    dataset = af.AvroDataset(folder / "linkedin.null.avro", features=definition)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, arrowfeed {af.__version__}")
    repeats = repeats_of(0.010)
    print("| way | step | wait | share |\n| --- | --- | --- | --- |")
    for way in WAYS:
        step, wait = train(way, dataset, repeats)
        print(f"| {way} | {step * 1e3:.2f} ms | {wait * 1e3:.3f} ms | {wait / step:.2%} |")


if __name__ == "__main__":
    main()
