"""A click-through model in JAX that reads `AvroDataset.to_jax`. Run this file.

Stops in the middle of the second epoch, and resumes from a checkpoint, like a job that moves to another
machine.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from arrowfeed.types import IterationOptions
from clock import Clock, Report, main
from jax.experimental import sparse

from clicks import DENSE, LABEL, SCALARS, SPARSE, dataset, write

WIDTH = len(SCALARS) + sum(DENSE.values())
ENTRIES = 5
"""Maximum number of entries per row. Batches are padded to it, so that JAX compiles only one function."""

RATE = 0.5


def initial() -> dict[str, Any]:
    """Returns the initial parameters."""
    hidden = jax.random.normal(jax.random.key(1), (WIDTH, 32)) / WIDTH**0.5
    weights = {name: jnp.zeros(size) for name, size in SPARSE.items()}
    return {"hidden": hidden, "bias": jnp.zeros(32), "out": jnp.zeros(32), "sparse": weights}


def loss_of(parameters: dict[str, Any], batch: dict[str, Any]) -> jax.Array:
    """Returns the mean cross entropy of the rows."""
    scalars = jnp.stack([batch[name] for name in SCALARS], 1)
    dense = jnp.concatenate([scalars, *(batch[name] for name in DENSE)], 1)
    logits = jax.nn.relu(dense @ parameters["hidden"] + parameters["bias"]) @ parameters["out"]
    for name, weight in parameters["sparse"].items():
        logits += batch[name] @ weight
    clicks = batch[LABEL]
    return jnp.mean(jax.nn.softplus(logits) - clicks * logits)


@jax.jit
def step(parameters: dict[str, Any], batch: dict[str, Any]) -> tuple[dict[str, Any], jax.Array]:
    """Takes one step of gradient descent."""

    def moved(value: jax.Array, slope: jax.Array) -> jax.Array:
        return value - RATE * slope

    loss, gradient = jax.value_and_grad(loss_of)(parameters, batch)
    return jax.tree.map(moved, parameters, gradient), loss


def padded(batch: dict[str, Any]) -> dict[str, Any]:
    """Pads all sparse matrices of a batch to the same number of entries. Padding is past the last row.

    Numpy pads them, because JAX would compile a function for each number of entries.
    """
    filled = dict(batch)
    for name in SPARSE:
        matrix = batch[name]
        rows, missing = matrix.shape[0], matrix.shape[0] * ENTRIES - matrix.nse
        data = np.pad(matrix.data, (0, missing))
        indices = np.pad(matrix.indices, ((0, missing), (0, 0)), constant_values=rows)
        filled[name] = sparse.BCOO((jnp.asarray(data), jnp.asarray(indices)), shape=matrix.shape)
    return filled


def train(folder: Path, rows: int, epochs: int, batch_size: int) -> Iterator[Report]:
    """Trains the model, and yields a report after each epoch."""
    source = dataset(write(folder, rows))
    options: IterationOptions = {
        "batch_size": batch_size,
        "drop_remainder": True,
        "epochs": epochs,
        "shuffle_buffer_size": 10_000,
        "seed": 7,
    }
    batches, parameters = source.to_jax(**options), initial()
    steps = rows // batch_size
    for epoch in range(epochs):
        clock = Clock()
        losses: list[float] = []
        for nth in range(steps):
            if (epoch, nth) == (1, steps // 2):
                saved = json.dumps(batches.state_dict())
                batches.close()
                batches = source.to_jax(**options)
                batches.load_state_dict(json.loads(saved))
            parameters, loss = step(parameters, padded(clock.next(batches)))
            losses.append(float(loss))
        yield clock.report(losses, len(losses) * batch_size)


if __name__ == "__main__":
    main(train)
