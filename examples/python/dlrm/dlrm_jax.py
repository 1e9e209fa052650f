"""A DLRM in JAX that reads `AvroDataset.to_jax`. Run this file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from ads import BUCKETS, CATEGORIES, LABEL, NUMBERS, PAIRS, WIDTH, dataset, main, options

RATE = 0.05


def initial() -> dict[str, jax.Array]:
    """Returns the initial parameters."""
    keys = jax.random.split(jax.random.key(1), 4)
    top = WIDTH + len(PAIRS[0])
    return {
        "tables": jax.random.normal(keys[0], (len(CATEGORIES), BUCKETS, WIDTH)) / 20,
        "bottom": jax.random.normal(keys[1], (len(NUMBERS), WIDTH)) / len(NUMBERS) ** 0.5,
        "hidden": jax.random.normal(keys[2], (top, 32)) / top**0.5,
        "out": jax.random.normal(keys[3], (32,)) / 32**0.5,
    }


def loss_of(parameters: dict[str, jax.Array], batch: dict[str, Any]) -> jax.Array:
    """Returns the mean cross entropy of the rows."""
    numbers = jax.nn.relu(jnp.stack([batch[name] for name in NUMBERS], 1) @ parameters["bottom"])
    ids = jnp.stack([batch[name] for name in CATEGORIES])
    vectors = parameters["tables"][jnp.arange(len(CATEGORIES))[:, None], ids]
    all_vectors = jnp.concatenate([numbers[:, None], vectors.transpose(1, 0, 2)], 1)
    products = all_vectors @ all_vectors.transpose(0, 2, 1)
    inputs = jnp.concatenate([numbers, products[:, PAIRS[0], PAIRS[1]]], 1)
    logits = jax.nn.relu(inputs @ parameters["hidden"]) @ parameters["out"]
    return jnp.mean(jax.nn.softplus(logits) - batch[LABEL] * logits)


@jax.jit
def step(
    parameters: dict[str, Any], squares: dict[str, Any], batch: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], jax.Array]:
    """Takes one step of Adagrad. `squares` has the sums of the squared gradients."""

    def moved(value: jax.Array, slope: jax.Array, square: jax.Array) -> jax.Array:
        return value - RATE * slope / jnp.sqrt(square + 1e-10)

    def added(square: jax.Array, slope: jax.Array) -> jax.Array:
        return square + slope**2

    loss, gradient = jax.value_and_grad(loss_of)(parameters, batch)
    squares = jax.tree.map(added, squares, gradient)
    return jax.tree.map(moved, parameters, gradient, squares), squares, loss


def train(folder: Path, rows: int, batch_size: int) -> Iterator[float]:
    """Trains one epoch, and yields the loss of each batch."""
    parameters = initial()
    squares = jax.tree.map(jnp.zeros_like, parameters)
    for batch in dataset(folder, rows).to_jax(**options(batch_size)):
        parameters, squares, loss = step(parameters, squares, batch)
        yield float(loss)


if __name__ == "__main__":
    main(train)
