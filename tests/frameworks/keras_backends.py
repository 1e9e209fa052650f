"""Trains a model of Keras on the rows of a file: `python keras_backends.py PATH`.

Prints the losses of two epochs for each way to read the rows, as JSON.
"""

import json
import sys

import keras
import torch.utils.data

import arrowfeed as af
from arrowfeed import features

FEATURES = {"x": features.Dense([4], key="x[*]"), "y": features.Dense([]), "w": features.Dense([])}
OPTIONS = {"batch_size": 100, "label": "y", "weight": "w"}


def model():
    """A model whose first weights do not depend on the backend."""
    inputs = keras.Input((4,), name="x")
    layer = keras.layers.Dense(1, activation="sigmoid", kernel_initializer="zeros")
    found = keras.Model({"x": inputs}, layer(inputs))
    found.compile(keras.optimizers.SGD(0.5), "binary_crossentropy", weighted_metrics=["accuracy"])
    return found


def main():
    """Runs the command line."""
    dataset = af.AvroDataset(sys.argv[1], features=FEATURES)
    ways = {
        "to_keras": lambda: dataset.to_keras(**OPTIONS),
        "loader": lambda: torch.utils.data.DataLoader(dataset.to_torch(**OPTIONS), batch_size=None),
    }
    if keras.backend.backend() != "torch":
        ways["to_tf"] = lambda: dataset.to_tf(**OPTIONS)
    if keras.backend.backend() == "tensorflow":
        # With several workers, `fit` of Keras 3.15 begins with another batch on PyTorch and JAX.
        ways["threads"] = lambda: dataset.to_keras(**OPTIONS, workers=2)
    losses = {}
    for name, rows in ways.items():
        history = model().fit(rows(), epochs=2, shuffle=False, verbose=0).history
        losses[name] = history["loss"]
    sys.stdout.write(json.dumps({"backend": keras.backend.backend(), "losses": losses}))


main()
