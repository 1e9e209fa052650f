"""The example that learns from messages."""

import importlib
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "python"


def test_the_loss_falls_when_the_schema_of_the_messages_changes(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    messages = importlib.import_module("messages")
    weights, losses = messages.train()
    assert len(losses) == messages.POLLS
    assert np.mean(losses[-20:]) < 0.8 * np.mean(losses[:20])
    # The field exists since the middle of the stream.
    assert weights[0] < -1
    assert weights[1] > 1
