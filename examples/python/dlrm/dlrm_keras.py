"""A DLRM in Keras that reads `AvroDataset.to_tf`. Run this file."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from ads import BUCKETS, CATEGORIES, LABEL, NUMBERS, PAIRS, WIDTH, dataset, main, options


class Dlrm(tf.keras.Model):
    """Embeddings of the categories and one vector of the numbers, and layers over their products."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = [tf.keras.layers.Embedding(BUCKETS, WIDTH) for _ in CATEGORIES]
        self.bottom = tf.keras.layers.Dense(WIDTH, "relu")
        self.hidden = tf.keras.layers.Dense(32, "relu")
        self.out = tf.keras.layers.Dense(1)

    def call(self, batch: dict[str, Any]) -> tf.Tensor:
        """Returns the logit of each row."""
        numbers = self.bottom(tf.stack([batch[name] for name in NUMBERS], 1))
        vectors = [table(batch[name]) for table, name in zip(self.tables, CATEGORIES, strict=True)]
        all_vectors = tf.stack([numbers, *vectors], 1)
        products = tf.matmul(all_vectors, all_vectors, transpose_b=True)
        size = len(CATEGORIES) + 1
        pairs = tf.gather(tf.reshape(products, [-1, size * size]), PAIRS[0] * size + PAIRS[1], axis=1)
        return self.out(self.hidden(tf.concat([numbers, pairs], 1)))


def train(folder: Path, rows: int, batch_size: int) -> Iterator[float]:
    """Trains one epoch, and yields the loss of each batch."""
    tf.keras.utils.set_random_seed(1)
    model, optimizer = Dlrm(), tf.keras.optimizers.Adam(0.01)
    loss_of = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(batch: dict[str, Any]) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(batch[LABEL][:, None], model(batch))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    for batch in dataset(folder, rows).to_tf(**options(batch_size)):
        yield float(step(batch))


if __name__ == "__main__":
    main(train)
