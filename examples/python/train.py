"""Part of `make demo`: a logistic regression in numpy over shuffled batches of events.

It predicts `paid`, and prints the share of the time that it waited for data.
"""

import time
from pathlib import Path

import arrowfeed as af
import numpy as np
from arrowfeed import representations
from arrowfeed.types import AnyTensor, IterationOptions

from events import EMBEDDING

REPRESENTATIONS = {
    "score": representations.Dense("score"),
    "clicks": representations.Dense("clicks", default=0),
    "embedding": representations.Dense("embedding", [EMBEDDING]),
    "paid": representations.Dense("paid"),
}
BATCH_SIZE = 1024
OPTIONS: IterationOptions = {
    "batch_size": BATCH_SIZE,
    "drop_remainder": True,
    "shuffle_buffer_size": 50_000,
    "seed": 7,
    "epochs": 3,
}
RATE = 0.3
STEPS_A_LINE = 100


def train(path: Path) -> None:
    """Trains the model. Prints the loss, the examples per second, and the share of the time spent waiting."""
    batches = iter(af.AvroDataset(str(path), representations=REPRESENTATIONS).tensors(**OPTIONS))
    weights = np.zeros(2 + EMBEDDING + 1)
    losses: list[float] = []
    waited, start = 0.0, time.perf_counter()
    print("\nTraining: who pays, by logistic regression\n\nStep      Loss    Examples/s    Waiting for data")
    while True:
        before = time.perf_counter()
        tensors = next(batches, None)
        now = time.perf_counter()
        waited += now - before
        if tensors is None:
            break
        losses.append(step(weights, *example(tensors)))
        if len(losses) % STEPS_A_LINE == 0:
            rate = BATCH_SIZE * len(losses) / (now - start)
            loss = np.mean(losses[-STEPS_A_LINE:])
            print(f"{len(losses):<8}{loss:>6.4f}{rate:>14,.0f}{waited / (now - start):>20.1%}")
    assert losses[-1] < losses[0]
    print(f"\nWeight of the score: {weights[0]:.2f}, which events.py made 2.")


def example(tensors: dict[str, AnyTensor]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the inputs and the labels of a batch."""
    names = ("score", "clicks")
    columns = [tensors[name].values[:, np.newaxis] for name in names]
    ones = np.ones((len(columns[0]), 1))
    return np.concatenate([*columns, tensors["embedding"].values, ones], axis=1), tensors["paid"].values


def step(weights: np.ndarray, inputs: np.ndarray, labels: np.ndarray) -> float:
    """Takes one step of gradient descent, and returns the loss before it."""
    chances = 1 / (1 + np.exp(-inputs @ weights))
    weights -= RATE * (inputs.T @ (chances - labels)) / len(labels)
    return float(-np.mean(np.log(np.where(labels, chances, 1 - chances))))
