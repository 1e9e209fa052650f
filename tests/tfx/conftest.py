"""The settings of TensorFlow and of Beam for all tests."""

from __future__ import annotations

import os

# Otherwise TensorFlow prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import random
import sys

SEED = int(os.environ.setdefault("ARROWFEED_SEED", str(random.SystemRandom().randrange(1 << 32))))


def pytest_report_header() -> str:
    """The seed of the random rows."""
    return f"ARROWFEED_SEED={SEED} python {sys.version.split()[0]}"
