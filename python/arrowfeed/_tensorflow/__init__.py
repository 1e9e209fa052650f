"""Tensors and datasets for TensorFlow. Imports TensorFlow.

| module | content |
|---|---|
| `specs` | `tf.TypeSpec`s of tensors, and their components in graphs |
| `eager` | tensors to eager tensors, without a copy; errors of eager code |
| `generator` | Python generators as datasets |
| `op` | the op that gives a dataset's tensors without the interpreter |
| `dataset` | `Dataset.to_tf`, and its iterator for eager code |
"""

from arrowfeed._tensorflow.dataset import OpDataset, TensorDataset, tf_dataset
from arrowfeed._tensorflow.eager import components, eager, tensorflow_errors
from arrowfeed._tensorflow.generator import CPU, GeneratedDataset
from arrowfeed._tensorflow.specs import component_specs, composed, type_spec

__all__ = [
    "CPU",
    "GeneratedDataset",
    "OpDataset",
    "TensorDataset",
    "component_specs",
    "components",
    "composed",
    "eager",
    "tensorflow_errors",
    "tf_dataset",
    "type_spec",
]
