"""The package `tfio.experimental` of tensorflow-io, so that code with the full path keeps working."""

from arrowfeed.tfio.experimental import columnar

__all__ = ["columnar"]
