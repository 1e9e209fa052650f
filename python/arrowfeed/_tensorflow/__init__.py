"""Tensors and datasets for TensorFlow. Imports TensorFlow.

| module | content |
|---|---|
| `specs` | `tf.TypeSpec`s of tensors, and their components in graphs |
| `eager` | tensors to eager tensors, without a copy; errors of eager code |
| `op` | the ops that produce the tensors of a dataset and parse records, without the interpreter |
| `iterator` | the iterator of eager code |
| `wrapped` | the base of datasets with their own class |
| `dataset` | `Dataset.to_tf`, and the base class of other datasets over the op |
"""

from arrowfeed._tensorflow.dataset import OpDataset, PassesDataset, tf_dataset
from arrowfeed._tensorflow.eager import eager, tensorflow_errors
from arrowfeed._tensorflow.op import (
    op_of_arguments,
    parsed_records,
    state_of_arguments,
    texts_of,
)
from arrowfeed._tensorflow.specs import component_specs, composed, type_spec
from arrowfeed._tensorflow.wrapped import WrappedDataset

__all__ = [
    "OpDataset",
    "PassesDataset",
    "WrappedDataset",
    "component_specs",
    "composed",
    "eager",
    "op_of_arguments",
    "parsed_records",
    "state_of_arguments",
    "tensorflow_errors",
    "texts_of",
    "tf_dataset",
    "type_spec",
]
