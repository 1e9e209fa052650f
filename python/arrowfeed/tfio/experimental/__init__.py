"""The package of tensorflow-io with its first Avro reader, so that code with the full path keeps working."""

from arrowfeed.tfio.experimental import columnar

__all__ = ["columnar"]
