"""Documents: text of up to eight thousand characters, and raw bytes."""

import random
import uuid
from collections.abc import Iterator

import numpy as np

from datasets.dataset import Dataset, Record, record_schema
from datasets.words import WORDS

TEXT_WORDS = 400_000
"""Number of words of the text from which titles and bodies are cut."""
LONGEST_BODY = 8000
LANGUAGES = ("de", "en", "fr", "ja", "ru")

SCHEMA = record_schema(
    "strings",
    [("id", "string"), ("title", "string"), ("body", "string"), ("payload", "bytes"), ("language", "string")],
)


def _records(rows: int, seed: int) -> Iterator[Record]:
    draw = random.Random(seed)
    body_lengths = np.random.default_rng(seed).lognormal(6.2, 0.7, rows).clip(0, LONGEST_BODY).astype(int)
    text = " ".join(draw.choices(WORDS, k=TEXT_WORDS))
    last_start = len(text) - LONGEST_BODY
    for length in body_lengths.tolist():
        title, body = draw.randrange(last_start), draw.randrange(last_start)
        yield {
            "id": str(uuid.UUID(int=draw.getrandbits(128))),
            "title": text[title : title + draw.randrange(20, 100)],
            "body": text[body : body + length],
            "payload": draw.randbytes(draw.randrange(64, 512)),
            "language": draw.choice(LANGUAGES),
        }


STRINGS = Dataset("strings", 100_000, SCHEMA, _records, seed=14)
