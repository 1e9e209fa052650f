"""Tensors and datasets for PyTorch and JAX, and the code that all frameworks share.

| module | content |
|---|---|
| `handoff` | code that all frameworks share; it imports none of them |
| `labels` | labels and sample weights apart from features |
| `copied_ahead` | batches that a thread copies to a device before they are requested |
| `torch_dataset` `torch_devices` `torch_shared` | `Dataset.to_torch`; imports PyTorch |
| `jax_iterator` `jax_devices` | `Dataset.to_jax`; imports JAX on first use |
| `keras_dataset` | `Dataset.to_keras`; imports Keras |
| `hf_dataset` | `Dataset.to_hf`; imports the package datasets of Hugging Face |

TensorFlow has its own package, `arrowfeed._tensorflow`.
"""

from arrowfeed._frameworks.handoff import (
    RaggedForms,
    RaggedParts,
    apply_functions,
    check_names,
    check_one_ragged_dimension,
    checked_function,
    convert,
    framework,
    names_of,
    of_tensors,
    warn_of_texts,
)

__all__ = [
    "RaggedForms",
    "RaggedParts",
    "apply_functions",
    "check_names",
    "check_one_ragged_dimension",
    "checked_function",
    "convert",
    "framework",
    "names_of",
    "of_tensors",
    "warn_of_texts",
]
