"""tfx_bsl's TensorAdapter on arrowfeed's conversions: one import line changes.

    from arrowfeed import tfxio                # from tfx_bsl.public import tfxio

    adapter = tfxio.TensorAdapter(tfxio.TensorAdapterConfig(schema, representations))
    tensors = adapter.ToBatchTensors(batch)

Names, arguments, type specs, exceptions and their texts are tfx_bsl's. Where it is installed, configs are
subclasses of its own: TensorFlow Transform takes them. TensorFlow is imported on use.
"""

from arrowfeed.tfxio._adapter import TensorAdapter
from arrowfeed.tfxio._config import TensorAdapterConfig, TensorRepresentations

__all__ = ["TensorAdapter", "TensorAdapterConfig", "TensorRepresentations"]
