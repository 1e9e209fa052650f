"""Which names of TensorFlow are used that are not public, why, and what happens where they are gone."""

import ast
import importlib
from pathlib import Path

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
    "_indices": "of a sparse tensor without its checks; `_is_as_known` looks first, or it is constructed",
    "_values": "as _indices",
    "_dense_shape": "as _indices",
    "_dense_shape_default": "as _indices",
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
    """Names with one underscore in front, of objects of which we have subclasses or instances."""
    objects = [tf.sparse.eye(1), tf.ragged.constant([[1]]), tf.constant(1)]
    objects += [tf.data.Dataset, tf.data.Iterator, tf.TypeSpec, tf.train.experimental.PythonState]
    found = {name for one in objects for name in dir(one)}
    # What tf.data sets and asks for of its own iterators.
    found |= {*vars(iter(tf.data.Dataset.range(1)))}
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


def test_names_that_are_not_public_are_those_of_the_list():
    """An attribute of our own with such a name would take the place of TensorFlow's: it is found too."""
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
    monkeypatch.setattr(eager_tensors(), "_is_as_known", lambda: False)
    assert not isinstance(iter(found), eager_iterator.EagerIterator)
    assert [batch["id"].numpy().tolist() for batch in found] == expected
    monkeypatch.undo()
    monkeypatch.setattr(eager_tensors(), "_is_as_known", lambda: False)
    assert isinstance(iter(found), eager_iterator.EagerIterator)
    assert [tf.sparse.to_dense(batch["hot"]).numpy().tolist() for batch in found] == hot


@pytest.mark.parametrize("name", ["_type_spec", "_iterator_resource"])
def test_a_name_that_tensorflow_asks_for_no_more_is_noticed(monkeypatch, name):
    eager_iterator.is_supported.cache_clear()
    monkeypatch.setattr(eager_iterator.EagerIterator, name, property(lambda _: None))
    assert not eager_iterator.is_supported()
    monkeypatch.undo()
    eager_iterator.is_supported.cache_clear()
    assert eager_iterator.is_supported()
