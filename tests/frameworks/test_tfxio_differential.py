"""The adapter, tfx_bsl's adapter and the oracle return equal tensors for random columns.

Ours must always equal the oracle. tfx_bsl may differ only in cases with a trait of `KNOWN`. The test counts
these traits, and fails if one never made a difference.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import tensor_oracle as oracle
import tensorflow as tf
import tfxio_cases as cases
import tfxio_ragged_cases as ragged_cases
from random_columns import OTHERS, TYPES
from tfx_bsl.tfxio import tensor_adapter

from arrowfeed import tfxio

CASES = int(os.environ.get("ARROWFEED_CASES", "200"))
"""Cases of each kind."""

KINDS = {
    "dense": (cases.dense, cases.DENSE),
    "varlen": (cases.varlen, cases.VARLEN),
    "sparse": (cases.sparse, cases.SPARSE),
    "nested": (ragged_cases.nested, ragged_cases.NESTED),
    "divided": (ragged_cases.divided, ragged_cases.DIVIDED),
}

OTHERS_GIVEN = {f"both give {value_type}" for value_type in OTHERS}
"""tfx_bsl does not check the type of ragged tensors, and some are correct."""

EXTENDED = "tfx_bsl refuses the column's type, or has its values in another form"
MISSING = "tfx_bsl has a KeyError, which names no tensor"
SLICED = "tfx_bsl refuses a slice, or gives values of rows that are not in it"
HIDDEN = "tfx_bsl gives values stored under a null list, or an error"
NULLS = "tfx_bsl gives another type, NaN or None"
TOTALS = "tfx_bsl compares totals only: values go to other rows"
KNOWN = {
    ("dense", "inner nulls"): NULLS,
    ("dense", "lengths add up"): TOTALS,
    ("dense", "another type"): EXTENDED,
    ("dense", "flat"): EXTENDED,
    ("dense", "fixed size"): EXTENDED,
    ("dense", "missing column"): MISSING,
    ("varlen", "inner nulls"): NULLS,
    ("varlen", "hidden"): HIDDEN,
    ("varlen", "another type"): EXTENDED,
    ("varlen", "flat"): EXTENDED,
    ("varlen", "missing column"): MISSING,
    ("sparse", "inner nulls"): NULLS,
    ("sparse", "hidden"): HIDDEN,
    ("sparse", "another type"): EXTENDED,
    ("sparse", "missing column"): MISSING,
    ("sparse", "lengths add up"): TOTALS,
    ("sparse", "unsorted"): "tfx_bsl does not sort, so that TensorFlow's operations go wrong",
    ("sparse", "unknown size"): "tfx_bsl gives -1 as a size",
    ("sparse", "index out of bounds"): "tfx_bsl gives indices outside of the tensor",
    ("sparse", "negative index"): "tfx_bsl gives indices outside of the tensor",
    ("nested", "inner nulls"): NULLS,
    ("nested", "hidden"): HIDDEN,
    ("nested", "null struct"): "tfx_bsl gives values stored under a null struct",
    ("nested", "slice"): SLICED,
    ("nested", "slice of the start"): SLICED,
    ("nested", "another type"): EXTENDED,
    ("nested", "fixed size"): EXTENDED,
    ("nested", "missing column"): MISSING,
    ("divided", "inner nulls"): NULLS,
    ("divided", "hidden"): HIDDEN,
    ("divided", "null struct"): "tfx_bsl gives values stored under a null struct",
    ("divided", "slice"): SLICED,
    ("divided", "slice of the start"): SLICED,
    ("divided", "missing column"): MISSING,
    ("divided", "lengths add up"): TOTALS,
    ("divided", "negative length"): "tfx_bsl gives row splits that go back",
}
"""The known differences between tfx_bsl and the oracle, by kind and trait."""


@dataclass
class Made:
    """The result of an adapter: the spec and the parts of the tensor, or an error."""

    spec: Any = None
    parts: tuple = ()
    error: Exception | None = None

    def same_as(self, other: Made) -> bool:
        """Whether both are equal tensors, or errors of the same type and text."""
        if self.error or other.error:
            return (type(self.error), str(self.error)) == (type(other.error), str(other.error))
        return self.spec == other.spec and same(self.parts, other.parts)


def made(module: Any, case: cases.Case, *, eager: bool) -> Made:
    """Runs an adapter of this module."""
    try:
        config = tfxio.TensorAdapterConfig(case.batch.schema, {"t": case.representation})
        adapter = module.TensorAdapter(config)
        tensor = adapter.ToBatchTensors(case.batch, produce_eager_tensors=eager)["t"]
        return Made(adapter.TypeSpecs()["t"], parts(tensor))
    except Exception as error:  # noqa: BLE001
        return Made(error=error)


def parts(tensor: Any) -> tuple:
    """The kind and the arrays of a tensor, in eager or graph mode."""
    if isinstance(tensor, tf.SparseTensor | tf.compat.v1.SparseTensorValue):
        return ("sparse", *map(np.asarray, (tensor.indices, tensor.values, tensor.dense_shape)))
    splits = []
    while isinstance(tensor, tf.RaggedTensor | tf.compat.v1.ragged.RaggedTensorValue):
        splits.append(np.asarray(tensor.row_splits))
        tensor = tensor.values
    return ("ragged" if splits else "dense", np.asarray(tensor), *splits)


def same(a: tuple, b: tuple) -> bool:
    """Whether the parts of two tensors have equal types, shapes and bits."""
    return (
        len(a) == len(b)
        and a[0] == b[0]
        and all(same_array(*pair) for pair in zip(a[1:], b[1:], strict=True))
    )


def same_array(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype.hasobject else a.tobytes() == b.tobytes()


def compare(kind: str, scenario: str, seed: int, seen: Counter) -> None:
    """Compares one case in eager and graph mode."""
    case = KINDS[kind][0](seed, scenario)
    told = f"{kind}, {scenario}, seed {seed}: {case.representation}{case.batch}"
    try:
        expected = case.expected()
    except oracle.RefusedError:
        expected = None
    for eager in (False, True):
        ours, theirs = made(tfxio, case, eager=eager), made(tensor_adapter, case, eager=eager)
        if expected is None:
            assert isinstance(ours.error, ValueError), f"expected an error, found {ours}: {told}"
        else:
            assert same(ours.parts, expected), f"expected {expected}, found {ours}: {told}"
            assert not eager or ours.spec.shape[0] is None
        known = [trait for trait in case.traits if (kind, trait) in KNOWN]
        if ours.same_as(theirs):
            seen[kind, "both refuse" if ours.error else f"both give {case.type}"] += 1
        elif known:
            seen.update((kind, trait) for trait in known)
        else:
            raise AssertionError(f"tfx_bsl has {theirs}, ours {ours}: {told}")


def report(kind: str, seen: Counter) -> None:
    """Prints how often each class occurred, for `pytest -s`."""
    counts = ", ".join(f"{trait} {count}" for (_, trait), count in seen.most_common())
    sys.stdout.write(f"\n{kind}: {counts}\n")


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # tfx_bsl's, of nulls
@pytest.mark.parametrize("kind", KINDS)
def test_tensors_are_those_of_tfx_bsl_or_better(kind):
    scenarios = KINDS[kind][1]
    seen: Counter = Counter()
    for seed in range(max(CASES, 8 * len(scenarios))):
        compare(kind, scenarios[seed % len(scenarios)], seed, seen)
    report(kind, seen)
    same_results = ["both refuse", *(f"both give {value_type}" for value_type in TYPES)]
    classes = {*same_results, *(trait for known, trait in KNOWN if known == kind)}
    assert classes == {trait for _, trait in seen} - OTHERS_GIVEN
