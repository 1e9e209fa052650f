"""The modules of frameworks that are not installed raise these errors. `tests/frameworks` has the rest."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.jax import to_jax
from arrowfeed.representations import Dense, VarLenRagged
from arrowfeed.tensorflow import to_tensorflow
from arrowfeed.torch import to_torch

FUNCTIONS = {"tensorflow": to_tensorflow, "torch": to_torch, "jax": to_jax}


@pytest.mark.parametrize(("name", "function"), FUNCTIONS.items())
def test_a_framework_that_is_not_installed_is_reported_on_use(monkeypatch, name, function):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError) as caught:
        function({})
    assert str(caught.value) == (
        f"expected {name} to make its tensors, found it not installed: pip install {name}"
    )
    assert caught.value.name == name


def test_a_framework_that_is_broken_says_why(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("import a_library_that_torch_needs\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(ModuleNotFoundError, match="^No module named 'a_library_that_torch_needs'$"):
        to_torch({})


class Torch:
    """The functions of PyTorch that the conversion calls, over numpy."""

    @staticmethod
    def from_dlpack(tensor):
        return np.from_dlpack(tensor)


def test_tensors_of_a_framework_share_the_batch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", Torch)
    batch = pa.record_batch({"x": pa.array([1.5, 2.5]), "r": pa.array([[1, 2], []]), "t": ["a", "b"]})
    representations = {"x": Dense("x"), "r": VarLenRagged("r"), "t": Dense("t")}
    tensors = af.TensorAdapter(batch.schema, representations).convert(batch)
    found = to_torch(tensors)
    assert np.shares_memory(found["x"], tensors["x"].values)
    assert np.shares_memory(found["r"].flat_values, tensors["r"].flat_values)
    assert [splits.tolist() for splits in found["r"].row_splits] == [[0, 2, 2]]
    assert found["t"] is tensors["t"]
