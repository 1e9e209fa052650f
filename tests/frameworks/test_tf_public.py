"""The non-public TensorFlow names in use, the reason for each, and the fallback without it."""

import ast
import importlib
from pathlib import Path

import pyarrow as pa
import pytest
import tensorflow as tf
from feature_files import dataset

import arrowfeed
from arrowfeed._tensorflow import iterator as eager_iterator

PACKAGE = Path(arrowfeed.__file__).parent

USED = {
    "_inputs": "a subclass of tf.data.Dataset says what it is made of; tf.data calls it, we do not",
    "_type_spec": "a subclass of tf.data.Iterator has it; `is_supported` tries it, or tf.data iterates",
    "_iterator_resource": "tf.data.IteratorSpec asks for it; guarded as _type_spec",
    "_indices": "of a sparse tensor without its checks; `_sparse_is_as_known` looks, or it is constructed",
    "_values": "as _indices, and as _row_splits",
    "_dense_shape": "as _indices",
    "_dense_shape_default": "as _indices",
    "_row_splits": "of a ragged tensor without its checks; `_row_partition_class` looks, or as _indices",
    "_row_partition": "as _row_splits",
    "_row_lengths": "as _row_splits",
    "_value_rowids": "as _row_splits",
    "_nrows": "as _row_splits",
    "_uniform_row_length": "as _row_splits",
    "_nvals": "as _row_splits",
}


def eager_tensors():
    """The module, whose name in its package is that of a function."""
    return importlib.import_module("arrowfeed._tensorflow.eager")


def modules():
    paths = [PACKAGE / "tensorflow.py"]
    for folder in ("_tensorflow", "tfio"):
        paths += sorted((PACKAGE / folder).rglob("*.py"))
    assert len(paths) > 12
    return [(path, ast.parse(path.read_text())) for path in paths]


def names_of_tensorflow():
    """Names with one leading underscore of TensorFlow objects that we subclass or instantiate."""
    ragged = tf.ragged.constant([[1]])
    objects = [tf.sparse.eye(1), ragged, ragged._row_partition, tf.constant(1)]
    objects += [tf.data.Dataset, tf.data.Iterator, tf.TypeSpec, tf.train.experimental.PythonState]
    found = {name for one in objects for name in dir(one)}
    # Attributes that tf.data sets and reads on its own iterators.
    found |= {*vars(iter(tf.data.Dataset.range(1)))}
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


def test_names_that_are_not_public_are_those_of_the_list():
    """Also finds attributes of ours that would hide one of TensorFlow."""
    used = set()
    for _, module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.FunctionDef):
                used.add(node.name)
    assert used & names_of_tensorflow() == set(USED)


def test_no_module_of_tensorflow_is_imported_that_is_not_public():
    for path, module in modules():
        for node in ast.walk(module):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.startswith(("tensorflow.python", "keras.src")) for name in names), path


def test_no_function_of_python_is_called_by_a_graph():
    for path, module in modules():
        attributes = {node.attr for node in ast.walk(module) if isinstance(node, ast.Attribute)}
        assert not attributes & {"py_function", "numpy_function", "from_generator"}, path


def test_without_the_names_eager_code_gets_the_same(tmp_path, monkeypatch):
    found = dataset(tmp_path).to_tf(batch_size=64)
    expected = [batch["id"].numpy().tolist() for batch in found]
    hot = [tf.sparse.to_dense(batch["hot"]).numpy().tolist() for batch in found]
    monkeypatch.setattr("arrowfeed._tensorflow.dataset.is_supported", lambda: False)
    monkeypatch.setattr(eager_tensors(), "_sparse_is_as_known", lambda: False)
    assert not isinstance(iter(found), eager_iterator.EagerIterator)
    assert [batch["id"].numpy().tolist() for batch in found] == expected
    monkeypatch.undo()
    monkeypatch.setattr(eager_tensors(), "_sparse_is_as_known", lambda: False)
    assert isinstance(iter(found), eager_iterator.EagerIterator)
    assert [tf.sparse.to_dense(batch["hot"]).numpy().tolist() for batch in found] == hot


def test_ragged_tensors_are_those_of_the_constructor(monkeypatch):
    eager = eager_tensors()
    assert eager._row_partition_class() is type(tf.ragged.constant([[1]])._row_partition)
    rows = [[[1.5, 2.5], []], [], [[3.5]], [[4.5], [5.5, 6.5]]]
    batch = pa.record_batch({"x": pa.array(rows, pa.list_(pa.list_(pa.float32())))})
    tensor = arrowfeed.TensorAdapter(
        batch.schema, {"x": arrowfeed.representations.VarLenRagged("x")}
    ).convert(batch)["x"]
    composed = eager.eager(tensor)
    monkeypatch.setattr(eager, "_row_partition_class", lambda: None)
    constructed = eager.eager(tensor)

    @tf.function
    def total(ragged):
        return tf.reduce_sum(ragged * 2.0), ragged.to_tensor(), ragged.bounding_shape()

    for found in (composed, constructed):
        assert found.to_list() == rows
        assert found.shape.as_list() == [4, None, None]
        assert found.row_splits.numpy().tolist() == [0, 2, 2, 3, 5]
        assert found.value_rowids().numpy().tolist() == [0, 0, 2, 3, 3]
        assert found.row_lengths(axis=2).to_list() == [[2, 0], [], [1], [1, 2]]
        assert tf.concat([found, found], axis=0)[5:].to_list() == rows[1:]
        assert [part.numpy().tolist() for part in total(found)[:2]] == [
            sum(v for row in rows for one in row for v in one) * 2.0,
            tf.ragged.constant(rows).to_tensor().numpy().tolist(),
        ]
    assert tf.type_spec_from_value(composed) == tf.type_spec_from_value(constructed)


@pytest.mark.parametrize("name", ["_type_spec", "_iterator_resource"])
def test_a_name_that_tensorflow_no_longer_reads_is_noticed(monkeypatch, name):
    eager_iterator.is_supported.cache_clear()
    monkeypatch.setattr(eager_iterator.EagerIterator, name, property(lambda _: None))
    assert not eager_iterator.is_supported()
    monkeypatch.undo()
    eager_iterator.is_supported.cache_clear()
    assert eager_iterator.is_supported()
