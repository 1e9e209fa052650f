"""A logistic regression in numpy that learns from a stream of messages as they arrive.

The messages are Avro records in the framing of a schema registry. In the middle of the stream, the writers
switch to a new schema. Replace `polled` by the `poll` of your queue, and `REGISTRY` by your registry.
"""

import struct
from collections.abc import Iterator
from typing import Any

import arrowfeed as af
import numpy as np
from arrowfeed import representations

OLD: dict[str, Any] = {
    "type": "record",
    "name": "Click",
    "fields": [{"name": "price", "type": "float"}, {"name": "bought", "type": "boolean"}],
}
NEW: dict[str, Any] = {
    **OLD,
    "fields": [
        {"name": "bought", "type": "boolean"},
        {"name": "price", "type": "double"},
        {"name": "discount", "type": "double", "default": 0.0},
    ],
}
REGISTRY = {1: OLD, 2: NEW}
POLLS, MESSAGES = 200, 100
RATE = 0.5


def polled() -> Iterator[list[bytes]]:
    """Yields the messages of each poll."""
    random = np.random.default_rng(7)
    for poll in range(POLLS):
        price = random.normal(size=MESSAGES)
        discount = random.normal(size=MESSAGES) * (poll >= POLLS // 2)
        bought = random.random(MESSAGES) < 1 / (1 + np.exp(2 * price - 3 * discount))
        number = 1 if poll < POLLS // 2 else 2
        rows = zip(price, discount, bought, strict=True)
        yield [struct.pack(">bI", 0, number) + encoded(number, *row) for row in rows]


def encoded(number: int, price: float, discount: float, bought: bool) -> bytes:
    """Encodes a record in Avro's binary encoding, which concatenates the numbers and booleans."""
    return struct.pack("<f?", price, bought) if number == 1 else struct.pack("<?dd", bought, price, discount)


def train() -> tuple[np.ndarray, list[float]]:
    """Returns the weights of price, discount and a constant, and the loss of each poll."""
    decoder = af.AvroRecordDecoder(
        framing="confluent",
        schemas=REGISTRY.get,
        reader_schema=NEW,
        representations={name: representations.Dense(name) for name in ("price", "discount", "bought")},
        name="clicks",
    )
    weights = np.zeros(3)
    losses: list[float] = []
    for messages in polled():
        decoder.extend(messages)
        tensors = decoder.flush_tensors()
        if tensors is None:
            continue
        price, discount, bought = (tensors[name].values for name in ("price", "discount", "bought"))
        inputs = np.stack([price, discount, np.ones_like(price)], axis=1)
        chances = 1 / (1 + np.exp(-inputs @ weights))
        losses.append(float(-np.mean(np.log(np.where(bought, chances, 1 - chances)))))
        weights -= RATE * (inputs.T @ (chances - bought)) / len(bought)
    return weights, losses


if __name__ == "__main__":
    learned, losses = train()
    print(f"{POLLS} polls, loss {np.mean(losses[:20]):.3f} at first, {np.mean(losses[-20:]):.3f} at last")
    print(f"weights: price {learned[0]:.2f} (made -2), discount {learned[1]:.2f} (made 3)")
