"""A click-through model in Keras that reads `AvroDataset.to_tf`. Run this file."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from clock import Clock, Report, main

from clicks import DENSE, LABEL, SCALARS, SPARSE, dataset, write


class Clicks(tf.keras.Model):
    """One weight for each sparse entry, and two layers over the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.sparse = {
            name: self.add_weight(name=name, shape=(size, 1), initializer="zeros")
            for name, size in SPARSE.items()
        }
        self.hidden = tf.keras.layers.Dense(32, "relu")
        self.out = tf.keras.layers.Dense(1)

    def call(self, batch: dict[str, Any]) -> tf.Tensor:
        """Returns the logit of each row."""
        scalars = tf.stack([batch[name] for name in SCALARS], 1)
        dense = tf.concat([scalars, *(batch[name] for name in DENSE)], 1)
        products = [
            tf.sparse.sparse_dense_matmul(batch[name], weight) for name, weight in self.sparse.items()
        ]
        return self.out(self.hidden(dense)) + tf.add_n(products)


def train(folder: Path, rows: int, epochs: int, batch_size: int) -> Iterator[Report]:
    """Trains the model, and yields a report after each epoch."""
    batches = dataset(write(folder, rows)).to_tf(
        batch_size=batch_size, drop_remainder=True, shuffle_buffer_size=10_000, seed=7
    )
    tf.keras.utils.set_random_seed(1)
    model, optimizer = Clicks(), tf.keras.optimizers.Adam(0.005)
    loss_of = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(batch: dict[str, Any]) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(batch[LABEL][:, None], model(batch))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    step(next(iter(batches)))
    for _ in range(epochs):
        clock = Clock()
        losses: list[float] = []
        for batch in clock.waits(batches):
            losses.append(float(step(batch)))
        yield clock.report(losses, len(losses) * batch_size)


if __name__ == "__main__":
    main(train)
