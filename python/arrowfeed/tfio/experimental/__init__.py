"""tensorflow-io's place for its first reader of Avro, so that code that says it in full stays as it is."""

from arrowfeed.tfio.experimental import columnar

__all__ = ["columnar"]
